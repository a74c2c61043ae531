"""One small module a tool: text in, a `Reading` out. A reader never judges, and never guesses a figure."""
