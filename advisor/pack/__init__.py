"""The order pack: what a team takes along: requests, offers compared, set-up, configurations. Reads no database, asks nobody."""
