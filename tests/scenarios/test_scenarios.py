"""Scripted conversations: what people say one after the other, and what must hold after each message.

Expectations come from the subject (published measurements, arithmetic, what a conversation is), never from what the
code printed. Each turn goes through a store, as in a real conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.consult.sessions import Sessions
from tests.scenarios.judge import failures

HERE = Path(__file__).parent
DAY = date(2026, 12, 1)
SCENARIOS: list[dict[str, Any]] = [
    {**scenario, "file": path.stem}
    for path in sorted(HERE.glob("*.yaml"))
    for scenario in yaml.safe_load(path.read_text("utf-8"))
]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    opened = Sessions.open(f"sqlite:///{tmp_path_factory.mktemp('scenarios')}/talks.sqlite3")
    yield opened
    opened.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[f"{each['file']}.{each['id']}" for each in SCENARIOS])
def test_the_conversation_goes_as_scripted(scenario: dict[str, Any], sessions: Sessions) -> None:
    session = sessions.begin()
    missing = []
    for place, turn in enumerate(scenario["turns"], 1):
        reply = sessions.say(session, turn["say"], day=DAY)
        missing += [
            f"turn {place} ({turn['say'][:40]}): {line}" for line in failures(reply.json, turn.get("expect", {}))
        ]
    assert not missing, f"{scenario['why']}\n" + "\n".join(missing)


def test_there_are_enough_scenarios_of_each_kind_and_language() -> None:
    assert len(SCENARIOS) >= 80
    assert len({scenario["id"] for scenario in SCENARIOS}) == len(SCENARIOS)
    files = {scenario["file"] for scenario in SCENARIOS}
    assert {"corrections", "ellipsis", "comparisons", "contradictions", "threads", "measured", "diagnosis"} <= files
    first = [scenario["turns"][0]["say"] for scenario in SCENARIOS]
    assert sum(text.isascii() for text in first) >= 10
    assert sum(not text.isascii() for text in first) >= 20
