"""Findings to text, Markdown and JSON; the fixed sentences of each language."""
