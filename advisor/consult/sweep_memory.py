"""Rows of a grid as memory estimates: what `hkgpu estimate` says of each, worked out many at a time.

Rows of one job that differ only in length, batch, adapter rank and card are columns of numbers (see
`advisor.estimate.columns`); a job with few rows, or with a cell that cannot be read, goes through the row by row
estimator. Both give the same figures. It judges nothing beyond fits, tight, oom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from advisor.consult.sweep_grid import COLUMNS, FIGURES, OF_SLOT, Codes, Grid, Part, Value
from advisor.core.errors import HkgpuError
from advisor.estimate.columns import VERDICTS, Varying, by_columns, estimate
from advisor.estimate.memory.constants import constants
from advisor.estimate.rows import Card, Read, card_of, estimate_row, job_of, largest
from advisor.knowledge.library import open_library

RESULTS = (*FIGURES, "verdict", "error")
_VARYING = ("seq_len", "micro_batch", "lora_rank")
_CARD = ("gpu", "gpu_gib")
# Below so many rows a job is quicker row by row.
FEW = 2**3


def results(grid: Grid, start: int, stop: int) -> dict[str, list[Any]]:
    """The result columns of the rows from `start` up to `stop`; a figure that cannot be given is None."""
    size = min(stop, grid.rows) - start
    found: dict[str, list[Any]] = {name: [None] * size for name in RESULTS}
    for part in grid.parts(start, stop):
        _Jobs(part, found, grid.labels).run()
    return found


class _Jobs:
    """The rows of one part, job by job."""

    def __init__(self, part: Part, found: dict[str, list[Any]], labels: Sequence[str]) -> None:
        self.part, self.found = part, found
        self.library = open_library()
        self.c = constants(self.library)
        meant = {OF_SLOT.get(name, name): name for name in part.axes if name not in labels}
        self.names = {column: name for column, name in meant.items() if column in COLUMNS}
        texts = {name: [text(value) for value in axis.values] for name, axis in part.axes.items()}
        self.texts = {column: texts[name] for column, name in self.names.items()}
        self.codes = {column: part.codes[name] for column, name in self.names.items()}
        most = {name: largest(self.library).get(name, math.inf) for name in _VARYING}
        self.numbers = {name: _numbers(self.texts[name], most[name]) for name in _VARYING if name in self.names}

    def run(self) -> None:
        """Fill in every row."""
        together = np.ones(len(self.part.at), dtype=bool)
        for name, numbers in self.numbers.items():
            together &= np.isfinite(numbers[self.codes[name]])
        for row in np.flatnonzero(~together):
            self._alone(int(row))
        rows = np.flatnonzero(together)
        for job in _alike(rows, [self.codes[name] for name in self.names if name not in (*_VARYING, *_CARD)]):
            if len(job) < FEW or not self._job(job):
                for row in job:
                    self._alone(int(row))

    def _cells(self, row: int) -> dict[str, str]:
        return {column: texts[self.codes[column][row]] for column, texts in self.texts.items()}

    def _alone(self, row: int) -> None:
        cells = self._cells(row)
        said = estimate_row(cells, self.library)
        shown = said.estimate.range if said.estimate else None
        figures = (shown.low, shown.likely, shown.high) if shown else (None, None, None)
        values = (*figures, said.card.usable, said.verdict, "; ".join(said.errors))
        for name, value in zip(RESULTS, values, strict=True):
            self.found[name][self.part.at[row]] = value

    def _job(self, rows: Codes) -> bool:
        """All rows of one job; False where they have to go one by one."""
        cells = self._cells(int(rows[0]))
        try:
            read = job_of(cells, self.library, self.c)
            if read.unusable or not by_columns(read.workload):
                return False
            cards, which = self._cards(rows)
            usable = np.array([np.nan if card.usable is None else card.usable for card in cards])[which]
            length, batch, rank = (self._column(name, rows) for name in _VARYING)
            rank = rank if read.workload.lora_rank is not None else None
            told = estimate(read.workload, Varying(length, batch, rank, usable), self.library, self.c)
        except HkgpuError:
            return False
        self._put(rows, read, cards, which, (told.low, told.likely, told.high), told.verdict)
        return True

    def _column(self, name: str, rows: Codes) -> Any:
        return self.numbers[name][self.codes[name][rows]] if name in self.numbers else None

    def _cards(self, rows: Codes) -> tuple[list[Card], Codes]:
        """The cards that occur, and which one each row has."""
        columns = [self.codes[name][rows] for name in _CARD if name in self.codes]
        if not columns:
            return [card_of({}, self.library, self.c)], np.zeros(len(rows), dtype=np.int64)
        key = _key(columns)
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        found = []
        for place in first:
            cells = self._cells(int(rows[place]))
            found.append(_card(cells.get("gpu", ""), cells.get("gpu_gib", "")))
        return found, which.reshape(-1)

    def _put(
        self, rows: Codes, read: Read, cards: list[Card], which: Codes, figures: tuple[Any, ...], verdict: Any
    ) -> None:
        places = self.part.at[rows].tolist()
        errors = ["; ".join((*read.errors, *card.errors)) for card in cards]
        unusable = np.array([bool(card.unusable) for card in cards])[which]
        nothing = np.isnan(figures[0])
        words = np.where(unusable, len(VERDICTS) - 1, verdict).tolist()
        low, likely, high = (column.tolist() for column in figures)
        found = self.found
        lacking = nothing.tolist()
        for n, (place, card) in enumerate(zip(places, which.tolist(), strict=True)):
            if lacking[n]:
                self._alone(int(rows[n]))
                continue
            found["low_gib"][place], found["likely_gib"][place], found["high_gib"][place] = low[n], likely[n], high[n]
            found["usable_gib"][place] = cards[card].usable
            found["verdict"][place] = VERDICTS[words[n]]
            found["error"][place] = errors[card]


@lru_cache(maxsize=4096)
def _card(gpu: str, gpu_gib: str) -> Card:
    library = open_library()
    return card_of({"gpu": gpu, "gpu_gib": gpu_gib}, library, constants(library))


def text(value: Value) -> str:
    """A value of a grid as the cell of a table."""
    if value is None:
        return ""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _numbers(texts: list[str], most: float) -> Any:
    """The values of an axis as numbers; NaN for one that is not plainly a number above 0 and at most `most`."""
    found = []
    for each in texts:
        try:
            number = float(each)
        except ValueError:
            number = float("nan")
        found.append(number if 0 < number <= most and each.isascii() and "_" not in each else float("nan"))
    return np.array(found)


def _key(columns: list[Codes]) -> Codes:
    """One number for each combination of the columns."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # Renumbered as it grows, so that no product of sizes overflows.
        key = np.unique(key * (int(column.max()) + 1) + column, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return key


def _alike(rows: Codes, columns: list[Codes]) -> list[Codes]:
    """The rows in groups of equal values in all columns."""
    if not len(rows) or not columns:
        return [rows] if len(rows) else []
    key = _key([column[rows] for column in columns])
    order = np.argsort(key, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1)
