"""Names under which Slack's things stand in our database: `TEAM:CHANNEL:TS`, and a person as `slack:TEAM:USER`.

A key says of each message who it is, wherever it is delivered and how often.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from typing import Any

_ID = re.compile(r"[A-Z0-9]{2,40}")
_TS = re.compile(r"\d{9,11}\.\d{1,6}")


def room(team: str, channel: str) -> str:
    """A channel."""
    return f"{team}:{channel}"


def thread(team: str, channel: str, root: str) -> str:
    """A thread: its root's timestamp names it."""
    return f"{team}:{channel}:{root}"


def person(team: str, user: str) -> str:
    """Who speaks."""
    return f"slack:{team}:{user}"


def click(team: str, channel: str, ts: str, action: Mapping[str, Any], user: str) -> str:
    """A button of a message: pressed twice within moments it is the same."""
    said = (
        f"{action.get('action_id')}|{action.get('value')}|{(action.get('selected_option') or {}).get('value')}|{user}"
    )
    when = int(float(action.get("action_ts") or 0)) // 2**3
    return f"{team}:{channel}:{ts}:{hashlib.sha256(said.encode()).hexdigest()[: 2**4]}:{when}"


def is_id(text: object) -> bool:
    """Whether this may be an id of Slack's."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def is_ts(text: object) -> bool:
    """Whether this may be a timestamp of Slack's."""
    return isinstance(text, str) and _TS.fullmatch(text) is not None


def short(key: str) -> str:
    """A number that a person can name to the operator, who finds it in the logs."""
    return hashlib.sha256(key.encode()).hexdigest()[: 2**3]


def now() -> str:
    """The present moment as Slack writes one, a little early: clocks differ."""
    return f"{time.time() - 2:.6f}"
