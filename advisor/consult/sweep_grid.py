"""The grid of a sweep: what is required times what is on offer, read from YAML, numbered row by row.

`requirements` and `offers` are each a block or a list of blocks; a block is a mapping of columns to a value, a list of
values or a progression (`{from: 1024, to: 8192, times: 2}`, `{from: 1, to: 8, step: 1}`), and stands for every
combination. Rows come in the order of the file: requirements outside, offers inside, the last column fastest. A column
nobody knows is refused with the nearest one, unless it stands under `labels`, which are only carried through. Rows are
never listed: a grid of a million is some lists of values and arithmetic.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from advisor.core.errors import BadInput, did_you_mean
from advisor.knowledge.library import open_library
from advisor.knowledge.reader import read_text

Level = Literal["memory", "judged"]
Value = str | int | float | bool | None
Codes = NDArray[np.int64]
LEVELS: tuple[Level, ...] = ("memory", "judged")
# The columns of `hkgpu estimate` that say what runs where, and the slots that mean the same.
COLUMNS = (
    "model", "params_b", "framework", "method", "weights", "optimizer", "seq_len", "micro_batch", "grad_accum",
    "grad_ckpt", "attn", "fused_ce", "lora_rank", "lora_targets", "sharding", "offload", "tp", "pp", "cp", "ep",
    "n_gpus", "gpu", "gpu_gib", "instrument",
)  # fmt: skip
OF_SLOT = {
    "task": "method", "precision": "weights", "gpu_model": "gpu", "gpu_count": "n_gpus", "gpu_count_total": "n_gpus",
    "gpu_mem_gb": "gpu_gib",
}  # fmt: skip
TO_FACT = {
    "method": "tuning.method", "weights": "precision", "gpu": "gpu_model", "n_gpus": "gpu_count_total",
    "gpu_gib": "gpu_mem_gb",
}  # fmt: skip
# What comes out beside the columns of the grid, at either level.
FIGURES = ("low_gib", "likely_gib", "high_gib", "usable_gib")
PLAN = ("plan_method", "plan_gpu", "plan_gpu_count", "plan_sharding", "plan_micro_batch")
COST = ("time_h", "cost_low", "cost_likely", "cost_high", "cost_currency", "cost_period", "rules")
RESERVED = ("row", "verdict", "error", *FIGURES, *PLAN, *COST)
_TOP = ("level", "requirements", "offers", "labels")
_STEPS = (("from", "to", "step"), ("from", "to", "times"))
# No file lists more values in one column, and no machine writes more rows.
MOST_VALUES = 10**6
MOST_ROWS = 10**9


@dataclass(frozen=True, slots=True)
class Axis:
    """A column and its values."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Every combination of its axes, the last one fastest."""

    axes: tuple[Axis, ...]

    @property
    def size(self) -> int:
        """How many combinations."""
        return math.prod(len(axis.values) for axis in self.axes)

    def codes(self, places: Codes) -> dict[str, Codes]:
        """For combinations by number: which value of each axis."""
        found: dict[str, Codes] = {}
        for axis in reversed(self.axes):
            places, found[axis.name] = np.divmod(places, len(axis.values))
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of one requirement block and one offer block: their places among the rows asked for, and their values."""

    at: Codes
    axes: Mapping[str, Axis]
    codes: Mapping[str, Codes]

    def cell(self, name: str, row: int) -> Value:
        """The value of a column in the row at this place of `at`."""
        found: Value = self.axes[name].values[self.codes[name][row]]
        return found


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid as it was read. `key` identifies its text."""

    level: Level
    requirements: tuple[Block, ...]
    offers: tuple[Block, ...]
    labels: tuple[str, ...]
    key: str

    @property
    def rows(self) -> int:
        """How many rows."""
        return sum(block.size for block in self.requirements) * self._offered

    @property
    def _offered(self) -> int:
        return sum(block.size for block in self.offers)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that come in, in the order of the file."""
        blocks = (*self.requirements, *self.offers)
        return tuple(dict.fromkeys(axis.name for block in blocks for axis in block.axes))

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The rows from `start` up to `stop`, block by block."""
        rows = np.arange(start, min(stop, self.rows), dtype=np.int64)
        wanted, offered = np.divmod(rows, self._offered)
        for needs, first in _numbered(self.requirements):
            inside = (wanted >= first) & (wanted < first + needs.size)
            for offer, low in _numbered(self.offers):
                at = np.flatnonzero(inside & (offered >= low) & (offered < low + offer.size)).astype(np.int64)
                if len(at):
                    codes = {**needs.codes(wanted[at] - first), **offer.codes(offered[at] - low)}
                    axes = {axis.name: axis for axis in (*needs.axes, *offer.axes)}
                    yield Part(at, axes, codes)


def _numbered(blocks: Sequence[Block]) -> Iterator[tuple[Block, int]]:
    first = 0
    for block in blocks:
        yield block, first
        first += block.size


def read_grid(text: str, where: str, level: str | None = None) -> Grid:
    """A grid from YAML; `level` wins over the file's own. Raises `BadInput` naming the column and what was expected."""
    data = read_text(text, Path(where)).data
    if not isinstance(data, Mapping) or "requirements" not in data:
        raise BadInput("is no grid", where=where, expected="requirements and offers")
    for key in data:
        if key not in _TOP:
            raise BadInput(f'"{key}" means nothing in a grid', where=where, do=did_you_mean(str(key), _TOP))
    chosen = _level(level or data.get("level", LEVELS[0]), where)
    labels = tuple(str(one) for one in _listed(data.get("labels")))
    known = frozenset(_known(chosen))
    if taken := [name for name in labels if name in RESERVED]:
        raise BadInput(f'a label cannot be called "{taken[0]}"', where=where, expected="a name of its own")
    blocks = [
        tuple(_block(one, name, labels, known, where) for one in _listed(data.get(name)))
        for name in ("requirements", "offers")
    ]
    grid = Grid(chosen, blocks[0], blocks[1] or (Block(()),), labels, hashlib.sha256(text.encode()).hexdigest())
    _no_double(grid, where)
    if not 0 < grid.rows <= MOST_ROWS:
        raise BadInput(f"the grid has {grid.rows:,} rows", where=where, expected=f"1 to {MOST_ROWS:,}")
    return grid


def _level(word: object, where: str) -> Level:
    found: Level | None = next((level for level in LEVELS if level == word), None)
    if found is None:
        raise BadInput(
            f'there is no level "{word}"', where=where, expected=", ".join(LEVELS), do=did_you_mean(str(word), LEVELS)
        )
    return found


def _known(level: Level) -> tuple[str, ...]:
    if level == "memory":
        return (*COLUMNS, *OF_SLOT)
    facts = [record for record in open_library().facts.values() if record.set_by == "said"]
    slots = [record.slot for record in facts if record.slot]
    return (*slots, *(record.id for record in facts), *(name for name in COLUMNS if name in TO_FACT or name in slots))


def _listed(data: object) -> list[Any]:
    if data is None:
        return []
    return list(data) if isinstance(data, list) else [data]


def _block(data: object, name: str, labels: Sequence[str], known: frozenset[str], where: str) -> Block:
    if not isinstance(data, Mapping) or not data:
        raise BadInput(f"a block of {name} holds no columns", where=where, expected="column: value, one a line")
    for key in data:
        if key not in known and key not in labels:
            raise BadInput(
                f'{name}: there is no column "{key}" at this level',
                where=where,
                expected="a column of `hkgpu estimate`, a fact of `hkgpu facts`, or a name under labels",
                do=did_you_mean(str(key), known),
            )
    return Block(tuple(Axis(str(key), _values(value, str(key), where)) for key, value in data.items()))


def _values(data: object, name: str, where: str) -> tuple[Value, ...]:
    if isinstance(data, Mapping):
        return _progression(data, name, where)
    values = tuple(_listed(data)) if data is not None else (None,)
    if not 0 < len(values) <= MOST_VALUES or not all(_plain(value) for value in values):
        raise BadInput(
            f"{name} has no usable values", where=where, expected="a value, a list of values or {from, to, step}"
        )
    return values


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


def _progression(data: Mapping[Any, Any], name: str, where: str) -> tuple[Value, ...]:
    numbers = list(data.values())
    if tuple(data) not in _STEPS or not all(
        isinstance(n, int | float) and not isinstance(n, bool) and math.isfinite(n) and n > 0 for n in numbers
    ):
        raise BadInput(f"{name} is no progression", where=where, expected="{from, to, step} or {from, to, times}")
    first, last, by = numbers
    grows = "times" in data
    if (grows and by <= 1) or last < first:
        raise BadInput(f"{name} never reaches its end", where=where, expected="times above 1 and to at least from")
    count = math.log(last / first) / math.log(by) if grows else (last - first) / by
    # A little more than the quotient, so that rounding does not lose the last value.
    size = math.floor(count + 1e-9) + 1
    if size > MOST_VALUES:
        raise BadInput(f"{name} has {size:,} values", where=where, expected=f"at most {MOST_VALUES:,}")
    return tuple(_whole(first * by**place if grows else first + place * by) for place in range(size))


def _whole(value: float) -> Value:
    return int(value) if float(value).is_integer() else value


def _no_double(grid: Grid, where: str) -> None:
    """A column is either required or offered, and is meant once."""
    for needs in grid.requirements:
        for offer in grid.offers:
            seen: set[str] = set()
            for axis in (*needs.axes, *offer.axes):
                meant = OF_SLOT.get(axis.name, axis.name)
                if meant in seen:
                    raise BadInput(f'"{axis.name}" is said twice', where=where, expected="each column once in a row")
                seen.add(meant)
