"""The desk of sweeps: a grid of requirements times offers in, a table with a figure or a judged plan a row out.

`level: memory` gives what `hkgpu estimate` gives, a million rows in well under a minute on two cores; `level: judged`
gives the rules' verdict on each row as a plan. Rows keep the order of the grid whatever the engine and the number of
workers, a bad row is named in its `error`, and an interrupted run goes on where it stopped. One machine uses a pool of
processes; several use Ray (extra `ray`), which runs the very same function.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.consult import sweep_judged, sweep_memory
from advisor.consult.sweep_files import Parts, encoded, format_of
from advisor.consult.sweep_grid import Grid, read_grid
from advisor.core.errors import BadInput, did_you_mean
from advisor.knowledge.library import open_library

ENGINES = ("local", "ray")
# Rows a piece of work: some seconds each, so that little is lost when a run is killed.
PIECE = {"memory": 2**15, "judged": 2**7}
Done = Callable[[int, int], None]
Finished = tuple[int, bytes, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep brought: rows, how many with each verdict, how many with an error, and rows taken from before."""

    rows: int
    verdicts: dict[str, int]
    errors: int
    resumed: int


def sweep(
    text: str, output: Path, *, where: str = "-", engine: str = "local", workers: int | None = None,
    level: str | None = None, done: Done | None = None, piece: int | None = None,
) -> Swept:  # fmt: skip
    """Work through the grid in `text` into `output` (.csv or .parquet); `done(rows, of)` hears of progress.

    `workers` defaults to one a core, `level` to what the grid says, `piece` (rows worked out at once) to some seconds'
    work. Raises `BadInput` for a grid that cannot be read,
    an unknown engine or an output that cannot be written.
    """
    if engine not in ENGINES:
        raise BadInput(
            f'there is no engine "{engine}"', where="--engine", expected=", ".join(ENGINES),
            do=did_you_mean(engine, ENGINES),
        )  # fmt: skip
    if workers is not None and workers < 1:
        raise BadInput(f"{workers} workers do nothing", where="--workers", expected="a whole number from 1")
    ending = format_of(output)
    grid = read_grid(text, where, level)
    piece = PIECE[grid.level] if piece is None else piece
    about = {"grid": grid.key, "level": grid.level, "rows": grid.rows, "piece": piece, **_data(grid)}
    with Parts(output, about) as parts:
        resumed = [part for part in parts.done if part < -(-grid.rows // piece)]
        missing = [part for part in range(-(-grid.rows // piece)) if part not in parts.done]
        rows = sum(_size(grid, part, piece) for part in resumed)
        before = rows
        tell = done or (lambda _rows, _of: None)
        tell(rows, grid.rows)
        for part, data, counts in _run(Work(grid, piece, ending), missing, engine, workers or os.cpu_count() or 1):
            parts.put(part, data, counts)
            rows += _size(grid, part, piece)
            tell(rows, grid.rows)
        total: Counter[str] = sum((Counter(counts) for counts in parts.done.values()), Counter())
        parts.join(_columns(grid))
    errors = total.pop("error", 0)
    return Swept(grid.rows, dict(sorted(total.items())), errors, before)


def _data(grid: Grid) -> dict[str, str]:
    """What else the rows depend on: the data, and for judged plans the day."""
    from advisor.consult.answer import today

    found = {"data_version": open_library().version}
    return found | ({"day": today().isoformat()} if grid.level == "judged" else {})


def _size(grid: Grid, part: int, piece: int) -> int:
    return min(piece, grid.rows - part * piece)


def _columns(grid: Grid) -> tuple[str, ...]:
    return ("row", *grid.columns, *_desk(grid).RESULTS)


def _desk(grid: Grid) -> Any:
    return sweep_memory if grid.level == "memory" else sweep_judged


@dataclass(frozen=True, slots=True)
class Work:
    """What every worker needs to know: the grid, the rows of a piece, the kind of file."""

    grid: Grid
    piece: int
    ending: str


def worked(work: Work, part: int) -> Finished:
    """One piece of work: the rows of a part as the bytes of a file, and how many there are of each verdict."""
    grid = work.grid
    start, stop = part * work.piece, min((part + 1) * work.piece, grid.rows)
    found = _desk(grid).results(grid, start, stop)
    columns: dict[str, Sequence[Any]] = {"row": range(start + 1, stop + 1)}
    columns |= {name: [""] * (stop - start) for name in grid.columns}
    for each in grid.parts(start, stop):
        for name, axis in each.axes.items():
            texts = [sweep_memory.text(value) for value in axis.values]
            column: Any = columns[name]
            for place, code in zip(each.at.tolist(), each.codes[name].tolist(), strict=True):
                column[place] = texts[code]
    counts = Counter(found["verdict"])
    counts["error"] = sum(1 for error in found["error"] if error)
    return part, encoded({**columns, **_shown(found)}, work.ending), dict(counts)


def _shown(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Figures to two places, as all tables of ours print them."""
    return {
        name: [round(each, 2) if isinstance(each, float) else each for each in column] for name, column in found.items()
    }


def _run(work: Work, parts: Sequence[int], engine: str, workers: int) -> Iterator[Finished]:
    """The pieces as they are finished."""
    if engine == "ray" and parts:
        from advisor.consult.sweep_ray import over_ray

        yield from over_ray(worked, work, parts, workers)
    elif min(workers, len(parts)) <= 1:
        yield from (worked(work, part) for part in parts)
    else:
        yield from _over_pool(work, parts, min(workers, len(parts)))


def _over_pool(work: Work, parts: Sequence[int], workers: int) -> Iterator[Finished]:
    from advisor.consult.pool import REPEATS, Pool

    waiting = deque((part, 0) for part in parts)
    with Pool.open(workers) as pool:
        # No more under way than keeps every worker busy: what is finished must not pile up.
        running: deque[tuple[Any, int, int]] = deque()
        while waiting or running:
            while waiting and len(running) <= workers:
                part, tried = waiting.popleft()
                running.append((pool.submit(worked, work, part), part, tried))
            future, part, tried = running.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                if tried >= REPEATS:
                    raise BadInput(f"the rows from {part * work.piece + 1} on end every worker") from None
                waiting.appendleft((part, tried + 1))
