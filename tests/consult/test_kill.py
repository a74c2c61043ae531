"""`kill -9` in the middle of a turn, and two writers at once: nothing accepted is lost, and there is no half turn.

The normal run kills some dozens of times on each database; `make deep` kills 200 times on each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def driven(*argv: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "tests.consult.killed", *argv],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def kills(url: str, count: int) -> None:
    found = driven("kill", url, str(count), "7")
    assert found["kills"] == count
    # The kills must hit turns, not the gaps between them, for this test to say anything.
    assert found["in_the_middle"] > count / 4
    assert found["resumed"] >= found["in_the_middle"]


def test_a_killed_process_loses_no_accepted_message_on_sqlite(sqlite_url: str) -> None:
    kills(sqlite_url, 48)


def test_a_killed_process_loses_no_accepted_message_on_postgresql(postgres_url: str) -> None:
    kills(postgres_url, 24)


@pytest.mark.deep
def test_two_hundred_kills_lose_no_accepted_message(url: str) -> None:
    kills(url, 200)


def test_two_processes_in_one_conversation_lose_no_update(url: str) -> None:
    found = driven("together", url, "6")
    assert found["codes"] == [0, 0]
    assert sorted(found["keys"]) == sorted(f"{name}{number}" for name in "ab" for number in range(1, 7))
    assert found["version"] == 13
    # Each process's last word holds, beside the other's.
    assert found["slots"]["seq_len"] == 6 * 1024
    assert found["slots"]["micro_batch"] == 6
    assert found["slots"]["params_b"] == 7
