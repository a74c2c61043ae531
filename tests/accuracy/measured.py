"""The measured table as the accuracy reports use it: rows with a figure, where they come from, and how far we are.

A *source* is a repository or page, whatever the revision and the file: rows of one project share its habits, so that
leaving out one file of three would be no test.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.core.errors import HkgpuError
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.peak import MemoryEstimate, peak_with
from advisor.estimate.memory.workload import Workload
from advisor.estimate.rows import workload_of

TABLE = Path(__file__).parent.parent / "data" / "measured" / "memory.csv"
_REPOSITORY = re.compile(r"^(?:https?://)?(?:github:|github\.com/)?([\w.-]+/[\w.-]+?)(?:@|/|:|\s|$)")


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table; `workload` is None where the row cannot be computed, and `why` says so."""

    row: dict[str, str]
    workload: Workload | None
    usable: float | None
    why: str

    @property
    def measured(self) -> float | None:
        """The measured GiB, or None."""
        text = self.row["measured_gib"]
        return float(text) if text else None

    @property
    def source(self) -> str:
        """The repository or page."""
        return source_of(self.row["source"])

    @property
    def trains(self) -> bool:
        """A training row."""
        return self.row["method"] != "inference"

    @property
    def scored(self) -> bool:
        """Complete, ran, and has a figure."""
        return self.row["quality"] == "A" and self.measured is not None and self.row["outcome"] == "fits"


def source_of(text: str) -> str:
    """`github:owner/name@rev:file` and the like -> `owner/name`."""
    found = _REPOSITORY.match(text.strip())
    return found[1] if found else text.split()[0]


def cases(library: Any, c: Constants, path: Path = TABLE) -> list[Case]:
    """Every row of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_case(row, library, c) for row in csv.DictReader(file)]


def _case(row: dict[str, str], library: Any, c: Constants) -> Case:
    try:
        workload, usable, errors = workload_of(row, library, c)
        return Case(row, workload, usable, "; ".join(errors))
    except HkgpuError as error:
        return Case(row, None, None, error.line())


def estimates(found: list[Case], library: Any, c: Constants) -> Iterator[tuple[Case, MemoryEstimate]]:
    """The estimate of every case that has one."""
    for case in found:
        if case.workload is not None:
            try:
                yield case, peak_with(case.workload, library, c)
            except HkgpuError:
                continue
