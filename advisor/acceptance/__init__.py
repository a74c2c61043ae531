"""Build the commands of an acceptance, and read what tools printed. Rules judge it, in `consult.judge`."""
