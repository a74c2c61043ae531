"""Where a sweep lies on the disk: one part a piece of work, a manifest of what is done, and the result at the end.

The parts stand in a folder beside the result, `NAME.parts/`, each written whole or not at all, so that a run that was
killed goes on where it stopped. The result appears only when it is complete; the folder is then removed. Only one run
at a time may write a result. CSV needs nothing; Parquet needs pyarrow (extra `sweep`).
"""

# mypy: disable-error-code="import-untyped,import-not-found"
from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from advisor.core.errors import BadInput

FORMATS = (".csv", ".parquet")
_TEXTS = ("verdict", "error", "rules", "cost_currency", "cost_period", "plan_method", "plan_gpu", "plan_sharding")
_COUNTS = ("row", "plan_gpu_count", "plan_micro_batch")


def format_of(output: Path) -> str:
    """`.csv` or `.parquet`. Raises `BadInput` for another ending, or where pyarrow is missing."""
    ending = output.suffix.lower()
    if ending not in FORMATS:
        raise BadInput(f'"{output.name}" is no table', where="-o", expected="a name ending in .csv or .parquet")
    if ending == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise BadInput(
                "pyarrow is not installed", where="-o", do='write a .csv, or: pip install "hkgpu[sweep]"'
            ) from None
    return ending


def encoded(columns: Mapping[str, Sequence[Any]], ending: str) -> bytes:
    """A part: rows of CSV without a head, or a Parquet file."""
    if ending == ".csv":
        out = io.StringIO()
        cells = [["" if each is None else each for each in column] for column in columns.values()]
        csv.writer(out, lineterminator="\n").writerows(zip(*cells, strict=True))
        return out.getvalue().encode("utf-8")
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(column, type=_type(name, pa)) for name, column in columns.items()})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def _type(name: str, pa: Any) -> Any:
    """What comes in is text, as it was written; what comes out has the type of its name."""
    if name in _COUNTS:
        return pa.int64()
    found = name.endswith("_gib") and name != "gpu_gib"
    return pa.float64() if found or name in ("time_h", "cost_low", "cost_likely", "cost_high") else pa.string()


class Parts:
    """The folder of one sweep. A context manager that holds it for itself."""

    def __init__(self, output: Path, about: Mapping[str, Any]) -> None:
        self.output = output
        self.folder = output.with_name(output.name + ".parts")
        self.ending = format_of(output)
        self._about = dict(about)
        self._log: TextIO | None = None
        self.done: dict[int, dict[str, int]] = {}

    def __enter__(self) -> Parts:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._log = (self.folder / "manifest.jsonl").open("a+", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot be written ({error.strerror})", where=str(self.output)) from None
        self._alone(self._log)
        self._log.seek(0)
        self._resume(self._log.read())
        return self

    def __exit__(self, *_: object) -> None:
        if self._log is not None:
            self._log.close()

    def _alone(self, log: TextIO) -> None:
        try:
            import fcntl
        except ImportError:  # no such lock on this system
            return
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            log.close()
            raise BadInput("is being written by another sweep", where=str(self.output), do="wait for it") from None

    def _resume(self, text: str) -> None:
        """Take over what an interrupted run of the very same sweep has done; anything else begins anew."""
        lines = []
        for line in text.splitlines():
            with suppress(ValueError):  # the last line of a run that was killed may be torn
                lines.append(json.loads(line))
        if lines and lines[0] == self._about:
            for line in lines[1:]:
                if isinstance(line, dict) and "part" in line and self._path(line["part"]).is_file():
                    self.done[line["part"]] = line["counts"]
            self._write("\n")  # ends a torn line
            return
        for old in self.folder.glob("part-*"):
            old.unlink()
        assert self._log is not None
        self._log.truncate(0)
        self._write(json.dumps(self._about) + "\n")

    def _path(self, part: int) -> Path:
        return self.folder / f"part-{part:08d}{self.ending}"

    def _write(self, line: str) -> None:
        assert self._log is not None
        self._log.write(line)
        self._log.flush()

    def put(self, part: int, data: bytes, counts: dict[str, int]) -> None:
        """Keep a finished part."""
        path = self._path(part)
        fresh = path.with_suffix(".new")
        fresh.write_bytes(data)
        os.replace(fresh, path)
        self.done[part] = counts
        self._write(json.dumps({"part": part, "counts": counts}) + "\n")

    def join(self, columns: Sequence[str]) -> None:
        """The parts in order as one file, which takes the result's name when it is complete."""
        fresh = self.output.with_name(self.output.name + ".new")
        paths = [self._path(part) for part in sorted(self.done)]
        if self.ending == ".csv":
            with fresh.open("wb") as out:
                out.write(encoded({name: [name] for name in columns}, ".csv"))
                for path in paths:
                    with path.open("rb") as part:
                        shutil.copyfileobj(part, out)
        else:
            _join_parquet(paths, fresh)
        os.replace(fresh, self.output)
        self.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)


def _join_parquet(paths: Sequence[Path], into: Path) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(into, pq.read_schema(paths[0])) as out:
        for path in paths:
            out.write_table(pq.read_table(path))
