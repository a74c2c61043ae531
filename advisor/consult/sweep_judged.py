"""Rows of a grid as plans judged by the rules: one plan a row, as `hkgpu advise` judges it.

Each row is a set of facts. It is judged as stated, without looking for levers and other options, so that a row costs
what the rules cost. A row whose facts cannot be, or whose question the rules cannot size, says so in `error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.consult import answer
from advisor.consult.consultation import judged_rows, merged
from advisor.consult.desk import Asked
from advisor.consult.sweep_grid import COST, FIGURES, PLAN, TO_FACT, Grid
from advisor.core.answer import Judged
from advisor.core.errors import HkgpuError
from advisor.core.units import Range
from advisor.dialogue.answers import answers_from
from advisor.knowledge.library import open_library

RESULTS = ("verdict", *PLAN, *FIGURES, *COST, "error")


def results(grid: Grid, start: int, stop: int) -> dict[str, list[Any]]:
    """The result columns of the rows from `start` up to `stop`; what is not known is None."""
    size = min(stop, grid.rows) - start
    found: dict[str, list[Any]] = {name: [None] * size for name in RESULTS}
    for part in grid.parts(start, stop):
        names = [name for name in part.axes if name not in grid.labels]
        for row, place in enumerate(part.at.tolist()):
            cells = {TO_FACT.get(name, name): part.cell(name, row) for name in names}
            given = {name: value for name, value in cells.items() if value is not None}
            for name, value in _row(given).items():
                found[name][place] = value
    return found


def _row(given: Mapping[str, object]) -> dict[str, object]:
    """One plan judged; never raises for a bad row."""
    library = open_library()
    try:
        sets = answers_from(given, library)
        asked = Asked(tuple(sets.answers), "ask_feasibility", given, problems=tuple(sets.problems))
        rows = judged_rows(asked, answer.today(), library, answer.rules(library), answer.here(library))
    except HkgpuError as error:
        return {"verdict": "unknown", "error": error.line()}
    except (OverflowError, ZeroDivisionError):
        return {"verdict": "unknown", "error": "a figure is out of any plausible range"}
    verdict = merged([row.verdict for row in rows], several=len(rows) > 1)
    if not rows:
        return {"verdict": verdict, "error": "nothing to judge (expected a model, a method and hardware)"}
    # Where no method was said the best plan stands for the row.
    best = max(rows, key=lambda row: (("no", "unknown", "yes_if", "yes").index(row.verdict), row.option is not None))
    problems = "; ".join(text.en for text in sets.problems)
    return {"verdict": verdict, **_plan(best), "error": problems}


def _plan(judged: Judged) -> dict[str, object]:
    decided = [ruling.rule for ruling in judged.outcome.rulings if ruling.verdict == judged.verdict]
    found: dict[str, object] = {"plan_method": judged.method, "rules": " ".join(dict.fromkeys(decided))}
    option = judged.option
    if option is None:
        return found
    found |= {
        "plan_gpu": option.hardware.gpu,
        "plan_gpu_count": option.hardware.cards,
        "plan_sharding": option.sharding,
        "plan_micro_batch": option.micro_batch,
        "usable_gib": option.usable,
        "time_h": option.time.likely if option.time else None,
        **_ends(option.peak, "{}_gib"),
    }
    if option.price is not None:
        paid = option.price.range
        found |= _ends(paid, "cost_{}")
        found |= {"cost_currency": option.price.currency, "cost_period": option.price.period}
    return found


def _ends(found: Range | None, pattern: str) -> dict[str, object]:
    ends = ("low", "likely", "high")
    return {pattern.format(end): getattr(found, end) for end in ends} if found else {}
