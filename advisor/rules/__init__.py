"""Check, compile, run and explain the rule base. The only room that knows durable_rules."""
