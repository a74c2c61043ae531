"""Which question to ask next: one whose answer can still change the verdict or the order.

The first few candidates are tried with values far apart (`knowledge/words/probes.yaml`; every choice of a choice): the
plans are judged with each, and where nothing comes out differently the question moves to the end. What was not tried
keeps its place. It judges nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from advisor.consult import answer
from advisor.consult.consultation import judged_rows
from advisor.consult.desk import Asked
from advisor.core.answer import Judged
from advisor.core.facts import Fact, Value
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market
from advisor.report.findings import plain

# How many questions are tried a turn, and how many values of each: time must stay bounded.
CANDIDATES = 2 + 1
VALUES = 2 * 2
# What is ordered, and what a diagnosis comes to.
_ENDS = ("order.", "operations.")


def first_worth_asking(
    facts: Iterable[str], asked: Asked, day: date, library: Library, market: Market | None = None
) -> list[str]:
    """The facts in the order to ask; `idle` ones, whose answer changes nothing, stand last."""
    left, idle = list(facts), []
    for fact in left[:CANDIDATES]:
        if matters(fact, asked, day, library, market):
            break
        idle.append(fact)
    return [*(fact for fact in left if fact not in idle), *idle]


def matters(fact: str, asked: Asked, day: date, library: Library, market: Market | None = None) -> bool:
    """Whether some answer to the question about this fact changes the verdict or the order."""
    values = probes(fact, library)
    if len(values) < 2:
        return True
    place = market or answer.here(library)
    outcomes = {_outcome(_judged(fact, value, asked, day, library, place)) for value in values}
    return len(outcomes) > 1


def probes(fact: str, library: Library) -> list[Value]:
    """The values to try for a fact; empty where nobody named any."""
    record = library.facts[fact]
    if record.kind == "boolean":
        return [True, False]
    if record.kind == "choice":
        return list((record.choices or ())[:VALUES])
    named: Mapping[str, list[Any]] = library.words["probes"].entries  # type: ignore[assignment]
    values = named.get(fact, [])[:VALUES]
    if record.kind == "quantity":
        return [Quantity(float(value), record.unit or "") for value in values]
    return list(values)


def _judged(fact: str, value: Value, asked: Asked, day: date, library: Library, market: Market) -> tuple[Judged, ...]:
    answers = tuple(facts.plus(Fact(fact, value, "said")) for facts in asked.answers[:1])
    return judged_rows(replace(asked, answers=answers), day, library, answer.rules(library), market)


def _outcome(rows: tuple[Judged, ...]) -> str:
    """Verdict and order of each plan, comparable."""
    return repr([_row(row) for row in rows])


def _row(row: Judged) -> tuple[Any, ...]:
    order = sorted(
        (key, str(plain(row.outcome.facts[key].value))) for key in row.outcome.facts if key.startswith(_ENDS)
    )
    option = row.option
    if option is None:
        return row.method, row.verdict, order
    disk = [(use, round(need.high, -2)) for use, need in option.storage]
    return row.method, row.verdict, option.hardware, option.sharding, option.offload, option.optimizer, disk, order
