"""Many at once: every message is answered exactly once, on two cores shared with the fake workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.slack import measure


def test_forty_conversations_that_begin_within_four_seconds_are_answered_once_each_over_a_socket(
    tmp_path: Path,
) -> None:
    found = measure(40, 4.0, tmp_path, http=False)
    assert (found["unanswered"], found["answered_more_than_once"], found["refused"]) == (0, 0, []), found
    assert found["events_not_acknowledged"] == 0, found


def test_two_hundred_conversations_within_twenty_seconds_are_answered_once_each(tmp_path: Path) -> None:
    found = measure(200, 20.0, tmp_path)
    assert (found["unanswered"], found["answered_more_than_once"], found["refused"]) == (0, 0, []), found


@pytest.mark.deep
def test_two_hundred_conversations_within_twenty_seconds_wait_less_than_three_seconds(tmp_path: Path) -> None:
    found = measure(200, 20.0, tmp_path)
    assert (found["unanswered"], found["answered_more_than_once"], found["refused"]) == (0, 0, []), found
    assert found["p95_s"] < 3.0, found
