"""Posting exactly once, over an API that answers when it likes.

A message carries its key in `metadata`. After a post whose fate is unknown (a dropped connection, a time-out, a server
error, an answer that is none) the thread is read for that key before anything is posted again, and read again a little
later: a first copy that arrives late is removed. Blocks that Slack refuses are replaced by simpler ones, then by text,
so that an answer is never lost; what Slack refuses for good is given up with its reason.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bots.slack.client import TOO_MANY, Failures, code_of, quiet, retry_after
from bots.slack.render import Message

EVENT = "hkgpu_answer"
# Attempts in one go, and how long to wait between them, in seconds; then the message goes back to the inbox.
ATTEMPTS = 5
# How often a rate limit is waited for in one go.
WAITS = 2**3
PAUSE_S = 0.3
# When to look for a late double after an uncertain post.
LOOKS_S = (1.0, 4.0, 15.0, 60.0)
PAGE, PAGES = 100, 10
_BLOCKS_REFUSED = {
    "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments", "msg_too_long",
    "markdown_text_conflict", "only_one_table_allowed", "block_mismatch",
}  # fmt: skip
_PASSING = {
    "", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "rate_limited",
    "team_added_to_org", "accesslimited", "org_login_required",
}  # fmt: skip

log = logging.getLogger("hkgpu.slack")


class Refused(Exception):
    """Slack will not take this message, however often it is tried; `reason` is Slack's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Later(Exception):
    """Slack does not take messages just now."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an answer goes: a thread, or with an empty `root` the channel itself (a direct message)."""

    channel: str
    root: str
    since: str
    """Nothing older than this message can be the answer."""


class Outbox:
    """Posts of one process."""

    def __init__(self) -> None:
        self._looking: set[asyncio.Task[None]] = set()

    async def post(self, client: AsyncWebClient, target: Target, key: str, message: Message, *, doubtful: bool) -> str:
        """Post a message; returns its `ts`. `doubtful`: it may have been posted before. Raises `Refused`, `Later`."""
        forms: list[Sequence[dict[str, Any]] | None] = [*(form or None for form in message.forms), None]

        async def once(form: int) -> str:
            sent = await client.chat_postMessage(
                channel=target.channel, text=message.text, unfurl_links=False, unfurl_media=False, parse="none",
                metadata={"event_type": EVENT, "event_payload": {"key": key}}, thread_ts=target.root or None,
                blocks=forms[form],
            )  # fmt: skip
            return str(sent["ts"])

        async def found() -> list[str]:
            return await self.find(client, target, key)

        ts, uncertain = await self._exactly(once, found, len(forms), doubtful)
        if uncertain:
            self._look(client, target, key)
        return ts

    async def upload(
        self, client: AsyncWebClient, target: Target, comment: str, files: Sequence[tuple[str, bytes]],
        begun: str, begin: Callable[[str], Awaitable[None]],
    ) -> str:  # fmt: skip
        """Share files in a thread as one message. `begun` names a file of an earlier try, `begin` hears of this one's.

        Returns the file's id. Raises `Refused`, `Later`.
        """
        if begun and await self._shared(client, target, begun):
            return begun
        ids = [await self._uploaded(client, name, body) for name, body in files]
        await begin(ids[0])

        async def once(_form: int) -> str:
            listed: list[dict[str, str | None]] = [
                {"id": id_, "title": name} for id_, (name, _) in zip(ids, files, strict=True)
            ]
            await client.files_completeUploadExternal(
                files=listed, channel_id=target.channel, initial_comment=comment, thread_ts=target.root or None
            )
            return ids[0]

        async def found() -> list[str]:
            return [ids[0]] if await self._shared(client, target, ids[0]) else []

        return (await self._exactly(once, found, 1, False))[0]

    async def _exactly(
        self,
        once: Callable[[int], Awaitable[str]],
        found: Callable[[], Awaitable[list[str]]],
        forms: int,
        doubtful: bool,
    ) -> tuple[str, bool]:
        """Do something once: what it gave, and whether it may have been done twice."""
        form, uncertain, attempt, waits = 0, doubtful, 0, 0
        while attempt < ATTEMPTS and waits < WAITS:
            try:
                if uncertain and (known := await _readable(found)):
                    return known[0], True
                return await once(form), uncertain
            except Failures as error:
                code, status = code_of(error)
                slack = isinstance(error, SlackApiError) and status < TOO_MANY
                log.warning("not posted", extra={"reason": code or type(error).__name__, "status": status})
                if slack and code in _BLOCKS_REFUSED and form + 1 < forms:
                    form += 1
                    continue
                if slack and code not in _PASSING:
                    raise Refused(code) from None
                if status == TOO_MANY:
                    # Slack did nothing and says when to come again.
                    waits += 1
                    await asyncio.sleep(retry_after(error))
                    continue
                uncertain, attempt = True, attempt + 1
                await asyncio.sleep(PAUSE_S * 2**attempt)
        raise Later

    async def find(self, client: AsyncWebClient, target: Target, key: str) -> list[str]:
        """The messages of a thread that carry a key, the oldest first."""
        return [
            str(each["ts"])
            async for each in self._messages(client, target)
            if (each.get("metadata") or {}).get("event_type") == EVENT
            and (each["metadata"].get("event_payload") or {}).get("key") == key
        ]

    async def _shared(self, client: AsyncWebClient, target: Target, file: str) -> bool:
        async for each in self._messages(client, target):
            if any(one.get("id") == file for one in each.get("files") or ()):
                return True
        return False

    async def _messages(self, client: AsyncWebClient, target: Target) -> Any:
        """What was said in the target since the message that is answered."""
        cursor = ""
        for _ in range(PAGES):
            span: dict[str, Any] = {
                "limit": PAGE,
                "include_all_metadata": True,
                "oldest": target.since,
                "inclusive": True,
            }
            span |= {"cursor": cursor} if cursor else {}
            if target.root:
                page = await client.conversations_replies(channel=target.channel, ts=target.root, **span)
            else:
                page = await client.conversations_history(channel=target.channel, **span)
            found = sorted(page.get("messages") or (), key=lambda each: str(each.get("ts")))
            for each in found:
                if not each.get("deleted"):
                    yield each
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return

    def _look(self, client: AsyncWebClient, target: Target, key: str) -> None:
        task = asyncio.create_task(self._remove_doubles(client, target, key))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _remove_doubles(self, client: AsyncWebClient, target: Target, key: str) -> None:
        """Delete every copy but the first, now and a little later."""
        for pause in LOOKS_S:
            await asyncio.sleep(pause)
            for ts in (await quiet(self.find(client, target, key)) or [])[1:]:
                await quiet(client.chat_delete(channel=target.channel, ts=ts))
                log.info("double removed", extra={"key": key})

    async def _uploaded(self, client: AsyncWebClient, name: str, body: bytes) -> str:
        """Bring a file to Slack without showing it anywhere; safe to repeat."""
        for attempt in range(ATTEMPTS):
            try:
                place = await client.files_getUploadURLExternal(filename=name, length=len(body))
                pool = client.session
                assert pool is not None, "clients share a pool of connections"
                async with pool.post(str(place["upload_url"]), data=body, allow_redirects=False) as answer:
                    if answer.ok:
                        return str(place["file_id"])
            except Failures as error:
                code, status = code_of(error)
                if isinstance(error, SlackApiError) and status < TOO_MANY and code not in _PASSING:
                    raise Refused(code) from None
                await asyncio.sleep(retry_after(error) if status == TOO_MANY else PAUSE_S * 2**attempt)
        raise Later


async def _readable(found: Callable[[], Awaitable[list[str]]]) -> list[str]:
    """What was found; nothing where Slack does not let us read there, so that the answer is at least given."""
    try:
        return await found()
    except SlackApiError as error:
        code, status = code_of(error)
        if status < TOO_MANY and code not in _PASSING:
            return []
        raise
