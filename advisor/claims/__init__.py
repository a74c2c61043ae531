"""Whether a vendor's sentence is true: found by its parts among the recorded claims, and computed where it can be."""
