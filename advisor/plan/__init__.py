"""Search over cards, counts, methods and sharding for the options worth showing."""
