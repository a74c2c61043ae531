"""Pure functions: memory, speed, time, storage, transfer, cost. Each returns a range and its derivation."""
