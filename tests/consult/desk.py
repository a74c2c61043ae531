"""A consultation from facts, for tests: the whole way but for the understanding of words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from shutil import copytree
from typing import Any

from advisor.consult.consultation import consult
from advisor.consult.desk import Asked
from advisor.core.answer import Consultation
from advisor.core.facts import Fact, Facts, Value
from advisor.core.units import Quantity
from advisor.knowledge.library import Library, open_library
from advisor.knowledge.locate import data_roots
from advisor.plan.hardware import Market, market
from advisor.report.compose import compose
from advisor.report.wording import Wording
from advisor.rules.run import RuleBase

DAY = date(2026, 12, 1)


def billions(value: float) -> Quantity:
    return Quantity(value, "Gparams")


def count(value: float) -> Quantity:
    return Quantity(float(value), "count")


def tokens(value: float) -> Quantity:
    return Quantity(float(value), "tokens")


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return RuleBase.build(open_library())


@lru_cache(maxsize=1)
def here() -> Market:
    return market(open_library())


def asked(given: Mapping[str, Value], intent: str = "ask_feasibility") -> Asked:
    facts = Facts({key: Fact(key, value, "said") for key, value in given.items()})
    return Asked((facts,), intent, {})


def consulted(
    given: Mapping[str, Value],
    intent: str = "ask_feasibility",
    *,
    library: Library | None = None,
    rules: RuleBase | None = None,
) -> Consultation:
    return consult(asked(given, intent), DAY, library or open_library(), rules or base(), here())


def reply(given: Mapping[str, Value], intent: str = "ask_feasibility", lang: Any = "en") -> dict[str, Any]:
    library = open_library()
    return compose(consulted(given, intent), library, Wording(library, lang))


def copied_without(folder: Path, keep: tuple[str, ...]) -> Library:
    """A library over a copy of rules/ that holds only the folders named, and the knowledge as it is."""
    root = data_roots()[0]
    rules = folder / "rules"
    rules.mkdir()
    for name in keep:
        copytree(root / "rules" / name, rules / name)
    copytree(root / "knowledge", folder / "knowledge")
    return Library([folder])
