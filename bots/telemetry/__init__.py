"""What an operator sees of a running face: metrics on a loopback port of their own, and logs without message text."""
