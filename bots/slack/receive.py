"""What happens before an event is acknowledged: is it for us, and is it safely in the inbox.

At most one row is written. Where that takes longer than a second, or the database does not answer, nothing is
acknowledged and Slack delivers the event again. Messages that nobody addressed to us are never kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from advisor.consult.inbox import Arrival
from advisor.core.errors import HkgpuError
from bots.slack import files, names
from bots.slack.safe import addressed_to_another, incoming
from bots.slack.tokens import Tokens
from bots.slack.work import Work

# How long an event may wait for its row, in seconds.
INSERT_S = 1.0
# Longer texts are answered by a line that says so; no more than this is kept to count them.
MOST_TEXT = 2**16
SUBTYPES = (None, "file_share", "thread_broadcast")
MOST_THREADS = 2**14

log = logging.getLogger("hkgpu.slack")


class NotStored(Exception):
    """The event is not safe yet: it must not be acknowledged."""


class Receive:
    """Events on their way into the inbox."""

    def __init__(self, work: Work, tokens: Tokens) -> None:
        self._work = work
        self._tokens = tokens
        self._ours: set[str] = set()

    async def event(self, body: Mapping[str, Any]) -> str | None:
        """Take an event; the key of the message to work on, None where there is nothing to do. Raises `NotStored`."""
        event = body.get("event") or {}
        if event.get("type") not in ("message", "app_mention"):
            return None
        team = str(body.get("team_id") or event.get("team") or "")
        bot = self._bot(body)
        subtype = event.get("subtype")
        if subtype in ("message_changed", "message_deleted"):
            await self._changed(team, event, bot)
            return None
        arrival = await self._arrival(body, event, team, bot)
        if arrival is None:
            return None
        await self.store(arrival)
        self._ours.add(arrival.thread)
        return arrival.key

    async def store(self, arrival: Arrival) -> bool:
        """Put a message into the inbox within the time an event may take; whether it is new. Raises `NotStored`."""
        return bool(await self._soon(self._work.inbox.arrive, arrival))

    def _bot(self, body: Mapping[str, Any]) -> str:
        """Our user in the workspace of an event: Slack names it in each, so that nobody need be asked."""
        for each in body.get("authorizations") or ():
            if each.get("is_bot", True) and each.get("user_id"):
                return str(each["user_id"])
        return self._tokens.bot_user

    async def _arrival(self, body: Mapping[str, Any], event: Mapping[str, Any], team: str, bot: str) -> Arrival | None:
        """The message of an event, None where it is not for us."""
        user, channel, ts = event.get("user"), event.get("channel"), event.get("ts")
        if event.get("bot_id") or event.get("app_id") or user == bot or event.get("subtype") not in SUBTYPES:
            return None
        if not (names.is_id(team) and names.is_id(user) and names.is_id(channel) and names.is_ts(ts)):
            return None
        text = str(event.get("text") or "")
        root = event.get("thread_ts") if names.is_ts(event.get("thread_ts")) else ts
        thread = names.thread(team, str(channel), str(root))
        direct = event.get("channel_type") == "im" or str(channel).startswith("D")
        called = event["type"] == "app_mention" or bool(bot and f"<@{bot}" in text)
        if not (direct or called) and (root == ts or addressed_to_another(text, bot) or not await self._known(thread)):
            return None
        said = incoming(text[:MOST_TEXT], bot)
        shared = files.wanted(dict(event))
        payload = {
            "kind": "text", "team": team, "channel": channel, "root": root, "user": user, "ts": ts,
            "room": names.room(team, str(channel)), "text": said or ("" if shared else "help"), "files": shared,
        }  # fmt: skip
        key = names.thread(team, str(channel), str(ts))
        person = names.person(team, str(user))
        return Arrival(key, thread, person, str(ts), payload, _event_id(body))

    async def _known(self, thread: str) -> bool:
        """Whether a thread is ours already."""
        if thread in self._ours:
            return True
        known = bool(await self._soon(self._work.inbox.ours, thread))
        if known:
            if len(self._ours) > MOST_THREADS:
                self._ours.clear()
            self._ours.add(thread)
        return known

    async def _changed(self, team: str, event: Mapping[str, Any], bot: str) -> None:
        """An edit or a deletion reaches a message that still waits; an answer that was given stays."""
        channel = str(event.get("channel") or "")
        if event.get("subtype") == "message_deleted":
            ts, text = event.get("deleted_ts"), None
        else:
            message = event.get("message") or {}
            ts, text = message.get("ts"), incoming(str(message.get("text") or "")[:MOST_TEXT], bot)
        if names.is_id(channel) and names.is_ts(ts):
            key = names.thread(team, channel, str(ts))
            await self._soon(self._work.inbox.reword, key, text)

    async def _soon(self, function: Any, *given: Any) -> Any:
        try:
            return await asyncio.wait_for(self._work.beside(function, *given), INSERT_S)
        except (TimeoutError, HkgpuError) as error:
            log.warning("not stored", extra={"exception": type(error).__name__})
            raise NotStored from None


def _event_id(body: Mapping[str, Any]) -> str | None:
    said = body.get("event_id")
    return said if isinstance(said, str) and said.isalnum() and len(said) < 2**6 else None
