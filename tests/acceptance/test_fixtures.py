"""Outputs of our own writing, in the shapes that real tools print, are read and judged as their index says.

The index of a handed folder beside the checkout is run too where there is one.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from advisor.consult.judge import _tools as desk_tools
from advisor.consult.judge import judge
from advisor.knowledge.library import open_library
from tests.accuracy.acceptance import SAMPLES, accepted, is_read, pairs

FIXTURES = Path(__file__).parent / "fixtures"
ROOTS = [FIXTURES, *([SAMPLES] if (SAMPLES / "INDEX.csv").exists() else [])]


def rows(root: Path) -> list[dict[str, str]]:
    with (root / "INDEX.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", rows(FIXTURES), ids=lambda row: row["file"])
def test_each_fixture_is_judged_and_read_as_its_index_says(row: dict[str, str]) -> None:
    (file,) = judge([FIXTURES / row["file"]]).files
    assert file.tool == row["tool"]
    assert file.judgement == row["expected_verdict"], [(one.rule, one.judgement) for one in file.findings]
    for key, want in pairs(row["key_values"]):
        assert is_read(key, want, file.values) or "," in str(file.values.get(key)), (key, want, dict(file.values))


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_nothing_passes_that_should_not_and_nearly_all_is_as_expected(root: Path) -> None:
    right = judged = 0
    for row in rows(root):
        allowed = accepted(row["expected_verdict"])
        if not allowed:
            continue
        verdict = judge([root / row["file"]]).files[0].judgement
        assert verdict != "pass" or "pass" in allowed, row["file"]
        judged, right = judged + 1, right + (verdict in allowed)
    assert right >= 0.95 * judged


def test_every_rule_that_judges_comes_true_in_its_examples() -> None:
    from advisor.consult.judge import base

    assert not [f"{one.where}: {one.why}" for one in base().test() if not one.passed]


def test_every_value_is_listed_for_its_tool() -> None:
    listed = desk_tools(open_library())
    for root in ROOTS:
        for row in rows(root):
            for file in judge([root / row["file"]]).files:
                if file.tool:
                    strange = set(file.values) - set(listed[file.tool]["values"])
                    assert not strange, f"{file.tool}: add {sorted(strange)} to knowledge/words/acceptance_tools.yaml"


def test_asking_does_not_compile_the_rules_that_judge() -> None:
    library = open_library()
    assert not [key for key in library.rules if key.startswith("judging.")]
    assert not [key for key in library.facts if key.startswith("read.")]
    assert len(library.judging) > 100
