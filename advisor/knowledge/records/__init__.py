"""What each kind of file may hold: one module a kind, one pydantic record a file.

A record refuses unknown keys and other types than the declared ones; it never fills in a domain figure. Import the
module of the kind that is needed: nothing is imported here, so that a question about a card does not pay for rules.
"""
