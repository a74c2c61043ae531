"""Faces and a database under a puller of plugs: nothing accepted is lost, nothing is answered twice."""

from __future__ import annotations

import pytest

from tests.reliability.run import run


@pytest.mark.deep
def test_fifty_conversations_survive_kills_a_restart_and_a_full_disk() -> None:
    report = run(50)
    assert report.accepted > 0
    assert report.restarts == 1
    assert sum(report.kills.values()) > 0
    assert (report.lost, report.twice) == ([], [])
    assert report.answered_once == report.accepted
    assert report.web_answered == report.web_calls
