"""`hkgpu sweep --input GRID.yaml -o FILE`: a grid of requirements times offers, a row each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bots.cli import options


def sweep(
    input: Annotated[Path, typer.Option(help="The grid, YAML; - reads standard input.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table to write: a name in .csv or .parquet.")],
    engine: Annotated[str, typer.Option(help="local, or ray for several machines (RAY_ADDRESS).")] = "local",
    workers: Annotated[int | None, typer.Option(help="Processes that work; by default one a core.")] = None,
    level: Annotated[str | None, typer.Option(help="memory or judged, instead of what the grid says.")] = None,
) -> None:
    """Requirements times offers: memory or a judged plan for each row; goes on where it was interrupted."""
    from advisor.consult import sweep as desk

    with _progress() as done:
        found = desk.sweep(
            options.read(input), output, where=str(input), engine=engine, workers=workers, level=level, done=done
        )
    kinds = ", ".join(f"{count:,} {verdict}" for verdict, count in found.verdicts.items())
    said = [f"{found.rows:,} rows in {output}: {kinds}"]
    said += [f"{found.errors:,} rows with an error, see the column error"] if found.errors else []
    said += [f"{found.resumed:,} rows were there from an interrupted run"] if found.resumed else []
    print("; ".join(said), file=sys.stderr)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's standard error, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _rows, _of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=None)
        yield lambda rows, of: bar.update(task, completed=rows, total=of)
