"""Metrics count answers by verdict, errors by kind, time and queue, and are served on the loopback address alone."""

from __future__ import annotations

import socket
import urllib.request

import pytest

from advisor.core.errors import BadInput
from bots.telemetry.metrics import PORT, Metrics, port_of


def value(metrics: Metrics, line: str) -> float:
    found = [row for row in metrics.text().splitlines() if row.startswith(line + " ")]
    assert len(found) == 1, metrics.text()
    return float(found[0].rsplit(" ", 1)[1])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_two_answers_and_an_error_are_counted_where_they_belong() -> None:
    metrics = Metrics("slack")
    for verdict in ("no", "no"):
        with metrics.message():
            metrics.answered(verdict)
    with pytest.raises(KeyError), metrics.message():
        raise KeyError("what a person said")
    assert value(metrics, 'hkgpu_answers_total{face="slack",verdict="no"}') == 2
    assert value(metrics, 'hkgpu_answers_total{face="slack",verdict="yes"}') == 0
    assert value(metrics, 'hkgpu_errors_total{face="slack",kind="KeyError"}') == 1
    assert value(metrics, 'hkgpu_answer_seconds_count{face="slack"}') == 3
    assert value(metrics, 'hkgpu_waiting{face="slack"}') == 0
    assert "what a person said" not in metrics.text()


def test_a_message_under_way_waits() -> None:
    metrics = Metrics("web")
    with metrics.message():
        assert value(metrics, 'hkgpu_waiting{face="web"}') == 1


def test_metrics_are_served_on_the_port_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PORT, str(free_port()))
    metrics = Metrics("web")
    port = metrics.serve()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        assert b"hkgpu_waiting" in answer.read()


def test_without_the_setting_nothing_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PORT, raising=False)
    assert Metrics("web").serve() == 0


@pytest.mark.parametrize("said", ["0", "65536", "-1", "http", "9090.5"])
def test_a_setting_that_is_no_port_is_refused_by_name(said: str) -> None:
    with pytest.raises(BadInput, match="HKGPU_METRICS_PORT"):
        port_of(said)
