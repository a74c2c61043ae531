"""The only room that reads YAML: strict reader, typed records, look-ups."""
