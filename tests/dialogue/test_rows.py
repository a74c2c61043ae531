"""`hkgpu parse`: in order, never stopping at a bad row; and the scores that the grammar has to hold."""

from __future__ import annotations

import json

import pytest

from advisor.dialogue.rows import parse_rows
from advisor.knowledge.library import open_library
from tests.accuracy.understanding import OWN, report, rows_of, score, sets


def test_rows_keep_their_order_and_a_bad_one_says_why() -> None:
    lines = [
        json.dumps({"id": 1, "text": "双卡4090 lora 13B"}),
        "not json",
        "[]",
        json.dumps({"id": "x"}),
        "",
        json.dumps({"id": "y", "text": "and with LoRA?", "context": {"params_b": 13}}),
        '{"id": "z", "text": "\\ud800 8卡", "context": "a text"}',
    ]
    rows = list(parse_rows(lines, open_library()))
    assert [row["id"] for row in rows] == [1, None, None, "x", "y", "z"]
    assert [row["error"] is None for row in rows] == [True, False, False, False, True, True]
    assert rows[0]["slots"]["gpu_count"] == 2
    assert set(rows[0]) == {"id", "lang", "intent", "slots", "rejected", "error"}
    for row in rows:
        json.dumps(row, allow_nan=False)


@pytest.mark.parametrize("name", sorted(sets()))
def test_slots_and_intents_are_understood_as_well_as_was_reached(name: str) -> None:
    found = score(rows_of(sets()[name]), open_library())
    assert found.all.f1 >= 0.96
    assert found.intents / found.rows >= 0.93


def test_the_report_of_the_scores_can_be_written() -> None:
    path = sorted(OWN.glob("*.jsonl"))[0]
    text = report({path.stem: score(rows_of(path)[:5], open_library())})
    assert "slot F1" in text
