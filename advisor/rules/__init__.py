"""Check, compile, run and explain the rules; the only room that knows durable_rules."""

from advisor.rules.run import RuleBase

__all__ = ["RuleBase"]
