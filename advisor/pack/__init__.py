"""The order pack: requests, offers compared, set-up, configurations. It reads no database and asks nobody."""
