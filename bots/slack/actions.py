"""Buttons and menus under an answer: what a person presses is a message of the thread like any other.

It goes into the inbox, is answered once, and survives a restart. A vote is kept without name and text.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from typing import Any

from advisor.consult import threads
from advisor.consult.inbox import Arrival
from bots.slack import names
from bots.slack.client import quiet
from bots.slack.people import People
from bots.slack.receive import Receive
from bots.slack.safe import mrkdwn
from bots.slack.tokens import Tokens
from bots.slack.work import Work

MOST_VALUE = 2**11
MOST_SLOTS = 2**4

log = logging.getLogger("hkgpu.slack")


class Actions:
    """What is pressed in messages."""

    def __init__(self, work: Work, receive: Receive, tokens: Tokens, people: People) -> None:
        self._work = work
        self._receive = receive
        self._tokens = tokens
        self._people = people

    async def pressed(self, body: Mapping[str, Any]) -> str | None:
        """Take a press; the key to work on. Raises `NotStored`."""
        action = (body.get("actions") or [{}])[0]
        payload = self._said(str(action.get("action_id") or ""), _value(action))
        if payload is None:
            return None
        team, channel, user = _where(body)
        message = body.get("message") or {}
        container = body.get("container") or {}
        ts = str(message.get("ts") or container.get("message_ts") or "")
        root = str(message.get("thread_ts") or container.get("thread_ts") or ts)
        if not (names.is_id(team) and names.is_id(channel) and names.is_id(user) and names.is_ts(root)):
            return None
        payload |= {
            "team": team, "channel": channel, "root": root, "user": user, "ts": ts,
            "room": names.room(team, channel), "label": _label(action),
        }  # fmt: skip
        stamp = str(action.get("action_ts") or ts)
        key = names.click(team, channel, ts, action, user)
        thread = names.thread(team, channel, root)
        await self._receive.store(Arrival(key, thread, names.person(team, user), stamp[: 2**5], payload))
        return key

    @staticmethod
    def _said(action: str, value: str) -> dict[str, Any] | None:
        """What a button says: values for slots, words, or an order pack."""
        if action.startswith("hk.set."):
            given = _slots(value)
            return {"kind": "set", "given": given} if given else None
        if action.startswith("hk.say."):
            return {"kind": "text", "text": value} if value else None
        if action == "hk.change":
            # "change NAME" is a command in every language of the conversation.
            return (
                {"kind": "text", "text": f"change {value}"}
                if value.replace("_", "").replace(".", "").isalnum()
                else None
            )
        return {"kind": "kit"} if action == "hk.kit" else None

    async def voted(self, body: Mapping[str, Any]) -> None:
        """Keep a vote, and thank whoever gave it."""
        action = (body.get("actions") or [{}])[0]
        value = _value(action)
        team, channel, user = _where(body)
        plan = value[1:]
        if value[:1] not in ("+", "-") or not plan.isalnum() or len(plan) > 12:
            return
        ts = str((body.get("message") or {}).get("ts") or "")
        # The voter is told from others by a hash with the message, so that nobody can be found from it.
        id_ = hashlib.sha256(f"{team}|{channel}|{ts}|{user}".encode()).hexdigest()
        await self._work.beside(self._work.inbox.vote, id_, plan, 1 if value[0] == "+" else -1)
        client = await self._tokens.client(team)
        if client is not None:
            words = threads.words(await self._people.lang(team, user))
            root = str((body.get("message") or {}).get("thread_ts") or ts)
            thanks = mrkdwn(words["thanks"])
            await quiet(client.chat_postEphemeral(channel=channel, user=user, text=thanks, thread_ts=root))


def _where(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Team, channel and person of an interaction."""
    team = (body.get("team") or {}).get("id") or (body.get("user") or {}).get("team_id")
    channel = (body.get("channel") or {}).get("id") or (body.get("container") or {}).get("channel_id")
    return str(team or ""), str(channel or ""), str((body.get("user") or {}).get("id") or "")


def _value(action: Mapping[str, Any]) -> str:
    said = action.get("value") or (action.get("selected_option") or {}).get("value") or ""
    return str(said)[:MOST_VALUE]


def _label(action: Mapping[str, Any]) -> str:
    said = (action.get("selected_option") or {}).get("text") or action.get("text") or {}
    return str(said.get("text") or "")[: 2**6]


def _slots(value: str) -> dict[str, Any]:
    """The slots of a button: a flat object of short values."""
    try:
        given = json.loads(value)
    except ValueError:
        return {}
    if not isinstance(given, dict) or len(given) > MOST_SLOTS:
        return {}
    return {str(key): each for key, each in given.items() if isinstance(each, str | int | float | bool)}
