"""docs/pitfalls.md names, for each known pitfall, rules that exist and are in use."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.knowledge.library import open_library

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pitfalls.md"
ROWS = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ") and "`" in line]


def test_every_rule_that_is_named_exists_and_is_not_retired() -> None:
    library = open_library()
    rules = {**library.rules, **library.judging}
    named = {name for row in ROWS for name in re.findall(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+)`", row)}
    assert len(named) > 80
    gone = sorted(name for name in named if name not in rules or rules[name].status == "retired")
    assert not gone, f"name the rules that took their place: {gone}"


def test_all_twenty_five_pitfalls_and_the_seven_contested_configurations_stand_there() -> None:
    numbers = [int(found[1]) for row in ROWS if (found := re.match(r"\| (\d+)\. ", row))]
    assert numbers == list(range(1, 26))
    contested = PAGE.read_text("utf-8").partition("## Contested")[2]
    assert len(re.findall(r"^\| .*`sizing\.", contested, re.MULTILINE)) == 7
