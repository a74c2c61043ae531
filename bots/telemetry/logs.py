"""Structured logs: one JSON object a line, with ids and durations and never a person's words.

What is logged is a name of an event and fields from a closed list; anything else is dropped, so that a message text, a
token or an address of a database cannot slip in by an f-string. Messages of libraries are kept to their logger, level
and the kind of the exception.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

# The only fields that reach a line; every one is an id, a closed word or a number.
FIELDS = (
    "face", "event", "key", "session", "act", "intent", "verdict", "lang", "seconds", "status", "method", "retry",
    "reason", "count", "port", "worker", "version", "exception",
)  # fmt: skip
# The attributes that every record has: what came by `extra=` is the rest.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class _Lines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "logger": record.name}
        extra = {key: value for key, value in vars(record).items() if key not in _OWN}
        if record.name.startswith(("hkgpu", "bots", "advisor")):
            line["event"] = str(record.msg)
        line.update({key: _plain(extra[key]) for key in FIELDS if key in extra})
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=True, allow_nan=False, default=str)


def _plain(value: object) -> object:
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float):
        return round(value, 2 * 2) if value == value and abs(value) != float("inf") else None
    return str(value)[: 2**7]


def start(face: str, stream: TextIO | None = None, level: int = logging.INFO) -> logging.Logger:
    """Send every record of this process to one stream as JSON lines; returns the face's logger."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Libraries say what they do in words, which may hold a person's: only what went wrong is worth a line.
    for name in ("slack_bolt", "slack_sdk", "gradio", "uvicorn", "httpx", "mcp", "aiohttp", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return logging.getLogger(f"hkgpu.{face}")
