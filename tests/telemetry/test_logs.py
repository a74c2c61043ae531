"""Logs hold ids and numbers, one JSON object a line, and nothing that a person said."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from bots.telemetry import logs

SECRET = "our unannounced 900B model for ACME, token xoxb-1"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    opened = io.StringIO()
    yield opened
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_line_with_its_fields(stream: io.StringIO) -> None:
    logs.start("slack", stream).info("answered", extra={"key": "C1-17", "verdict": "no", "seconds": 0.25})
    (line,) = lines(stream)
    assert line["event"] == "answered"
    assert (line["key"], line["verdict"], line["seconds"]) == ("C1-17", "no", 0.25)
    assert line["level"] == "info"


def test_a_field_outside_the_list_never_reaches_a_line(stream: io.StringIO) -> None:
    logs.start("web", stream).info("answered", extra={"text": SECRET, "key": "k"})
    assert SECRET not in stream.getvalue()
    assert lines(stream)[0]["key"] == "k"


def test_an_exception_is_told_by_its_kind_and_a_library_by_its_name(stream: io.StringIO) -> None:
    logger = logs.start("web", stream)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception("failed")
        logging.getLogger("slack_sdk.web").error("could not post %s", SECRET)
    assert SECRET not in stream.getvalue()
    own, theirs = lines(stream)
    assert own["exception"] == "ValueError"
    assert theirs["logger"] == "slack_sdk.web"
    assert "event" not in theirs


def test_a_number_that_is_none_becomes_null(stream: io.StringIO) -> None:
    logs.start("web", stream).info("answered", extra={"seconds": float("nan")})
    assert lines(stream)[0]["seconds"] is None
