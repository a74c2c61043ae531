"""The work behind the acknowledgement: claims a message, consults in the pool, posts, and marks it done.

Whatever happens in between, the message is still in the inbox: another process, or this one after a restart, takes it
again and finds by its key what was posted already. Messages of one thread are answered in their order.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from slack_sdk.web.async_client import AsyncWebClient

from advisor.consult import threads
from advisor.consult.inbox import Arrival, Inbox
from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.slack import files, modal, names, render
from bots.slack.blocks import TEXT
from bots.slack.client import Failures, quiet
from bots.slack.outbox import Later, Outbox, Refused, Target
from bots.slack.people import People
from bots.slack.safe import cut, mrkdwn
from bots.slack.tokens import Tokens
from bots.telemetry.metrics import Metrics

T = TypeVar("T")
# A claim lasts so long and is renewed so often; the inbox is looked through so often; all in seconds.
LEASE_S, BEAT_S, SWEEP_S, TIDY_S = 8, 2.0, 1.0, 60.0
# A message that failed so often gets an apology in place of an answer, and waits so long in between, in seconds.
TRIES, PAUSE_S = 3, 2
# Messages worked on at once by one process, and threads that wait for the database.
AT_ONCE, WAITERS = 2**6, 2**4

log = logging.getLogger("hkgpu.slack")
Json = dict[str, Any]


class Work:
    """What one process works on."""

    def __init__(self, inbox: Inbox, pool: Pool, tokens: Tokens, people: People, metrics: Metrics) -> None:
        self.inbox = inbox
        self.pool = pool
        self.tokens = tokens
        self.people = people
        self.metrics = metrics
        self.outbox = Outbox()
        self._database = ThreadPoolExecutor(WAITERS, thread_name_prefix="inbox")
        self._room = asyncio.Semaphore(AT_ONCE)
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._decorations: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to look after messages that others left."""
        self._loops = [asyncio.create_task(each) for each in (self._beating(), self._sweeping(), self._tidying())]

    async def stop(self, patience_s: float) -> None:
        """End: what is under way may finish for so long, the rest stays in the inbox."""
        for loop in self._loops[1:]:
            loop.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way.values(), timeout=patience_s)
        for task in (*self._loops, *self._under_way.values()):
            task.cancel()
        self._database.shutdown(wait=False)

    async def beside(self, function: Callable[..., T], *given: Any) -> T:
        """Call what waits for the database beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._database, lambda: function(*given))

    def wake(self, key: str) -> None:
        """Work on a message now, if nobody does."""
        if key not in self._under_way:
            task = asyncio.create_task(self._one(key))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))

    async def _one(self, key: str) -> None:
        async with self._room:
            try:
                arrival = await self.beside(self.inbox.claim, key, self.inbox.owner, LEASE_S)
                if arrival is not None:
                    await self._claimed(arrival)
                    for later in await self.beside(self.inbox.unclaimed, arrival.thread):
                        asyncio.get_running_loop().call_soon(self.wake, later)
            except HkgpuError as error:
                log.warning("inbox unreachable", extra={"key": key, "exception": type(error).__name__})

    async def _claimed(self, arrival: Arrival) -> None:
        try:
            with self.metrics.message():
                posted = await self._done(arrival)
            await self.beside(self.inbox.finish, arrival.key, posted)
        except Refused as refused:
            log.warning("refused", extra={"key": arrival.key, "reason": refused.reason})
            await self.beside(self.inbox.finish, arrival.key, None)
        except Later:
            await self.beside(self.inbox.release, arrival.key, PAUSE_S)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            log.warning("failed", extra={"key": arrival.key, "exception": type(error).__name__, "retry": arrival.tries})
            await self._again_or_sorry(arrival)

    async def _again_or_sorry(self, arrival: Arrival) -> None:
        if arrival.tries < TRIES:
            await self.beside(self.inbox.release, arrival.key, PAUSE_S)
            return
        lang = await self.people.lang(str(arrival.payload.get("team")), str(arrival.payload.get("user")))
        text = threads.words(lang)["failed"].replace("{id}", names.short(arrival.key))
        with suppress(Refused, Later, *Failures):
            client, target = await self._where(arrival)
            await self.outbox.post(client, target, arrival.key, render.note(text), doubtful=True)
        await self.beside(self.inbox.finish, arrival.key, None)

    async def _done(self, arrival: Arrival) -> str:
        """Answer a message; returns the answer's `ts` or file."""
        client, target = await self._where(arrival)
        payload = arrival.payload
        if target.root and target.channel.startswith("D"):
            self._status(client, target, str(payload.get("team")), str(payload.get("user")))
        parts = await self._parts(arrival)
        if payload.get("view"):
            self._shown(str(payload["team"]), str(payload["view"]), parts)
        words = threads.words(parts["lang"])
        if parts.get("verdict"):
            self.metrics.answered(str(parts["verdict"]))
        if parts.get("files"):
            return await self._with_files(client, target, arrival, parts, words)
        if parts.get("error"):
            message = render.note(str(parts["error"]))
        else:
            message = render.answer(parts, words, label=str(payload.get("label") or ""))
        ts = await self.outbox.post(client, target, arrival.key, message, doubtful=arrival.tries > 1)
        if not target.root:
            # The conversation began before its thread had a name.
            root = names.thread(str(payload["team"]), target.channel, ts)
            await self.beside(self.inbox.rename, arrival.thread, root)
        return ts

    async def _where(self, arrival: Arrival) -> tuple[AsyncWebClient, Target]:
        payload = arrival.payload
        client = await self.tokens.client(str(payload["team"]), repeats=False)
        if client is None:
            raise Refused("not_installed")
        channel, root = str(payload.get("channel") or ""), str(payload.get("root") or "")
        if payload.get("dm"):
            reading = await self.tokens.client(str(payload["team"]))
            assert reading is not None
            channel = await self.people.dm(reading, str(payload["team"]), str(payload["user"]))
            root = ""
        return client, Target(channel, root, str(payload.get("ts") or arrival.stamp))

    async def _parts(self, arrival: Arrival) -> Json:
        payload = arrival.payload
        if payload["kind"] == "kit":
            return await self.pool.run(threads.packed, arrival.thread)
        if payload.get("files"):
            return await files.answered(self, arrival)
        return await self.pool.run(threads.answered, await self.said(arrival))

    async def said(self, arrival: Arrival) -> threads.Said:
        """The message as a consultation takes it."""
        payload = arrival.payload
        text = str(payload.get("text") or "")
        return threads.Said(
            arrival.thread,
            arrival.key,
            arrival.person,
            text,
            dict(payload.get("given") or {}),
            str(payload.get("room") or ""),
            await self._tongue(payload, text),
        )

    async def _tongue(self, payload: Mapping[str, Any], text: str) -> Lang | None:
        """The person's language, asked of Slack only where the words do not show it."""
        if payload.get("lang"):
            return payload["lang"]  # type: ignore[no-any-return]
        if text and threads.tells_language(text):
            return None
        return await self.people.lang(str(payload.get("team")), str(payload.get("user")))

    async def _with_files(
        self, client: AsyncWebClient, target: Target, arrival: Arrival, parts: Json, words: Mapping[str, str]
    ) -> str:
        attached = [(name, body if isinstance(body, bytes) else body.encode()) for name, body in parts["files"]]
        comment = cut(mrkdwn(_comment(parts, words)), TEXT)
        before = await self.beside(self.inbox.posted, arrival.key) if arrival.tries > 1 else None

        async def begin(file: str) -> None:
            await self.beside(self.inbox.mark, arrival.key, file)

        try:
            return await self.outbox.upload(client, target, comment, attached, before or "", begin)
        except Refused as refused:
            # Nobody is left without an answer because a file may not be shared here.
            log.warning("no upload", extra={"key": arrival.key, "reason": refused.reason})
            message = render.note(f"{_comment(parts, words)}\n{words['no_upload']}")
            return await self.outbox.post(client, target, arrival.key, message, doubtful=arrival.tries > 1)

    def _shown(self, team: str, view: str, parts: Json) -> None:
        """The plan in the form that asked for it; whoever closed the form finds it in the direct messages."""

        async def shown() -> None:
            client = await self.tokens.client(team)
            if client is not None:
                await quiet(client.views_update(view_id=view, view=modal.plan(parts)), LEASE_S)

        self._by_the_way(shown())

    def _status(self, client: AsyncWebClient, target: Target, team: str, user: str) -> None:
        async def shown() -> None:
            words = threads.words(await self.people.lang(team, user))
            await quiet(
                client.assistant_threads_setStatus(
                    channel_id=target.channel, thread_ts=target.root, status=words["thinking"]
                )
            )

        self._by_the_way(shown())

    def _by_the_way(self, doing: Coroutine[Any, Any, None]) -> None:
        """A decoration: nobody waits for it, and nobody hears of its failure."""
        task = asyncio.create_task(doing)
        self._decorations.add(task)
        task.add_done_callback(self._decorations.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _beating(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if self._under_way:
                with suppress(HkgpuError):
                    await self.beside(self.inbox.beat, self.inbox.owner, LEASE_S)

    async def _sweeping(self) -> None:
        while True:
            with suppress(HkgpuError):
                for key in await self.beside(self.inbox.unclaimed):
                    self.wake(key)
            await asyncio.sleep(SWEEP_S)

    async def _tidying(self) -> None:
        while True:
            with suppress(HkgpuError):
                await self.beside(self.inbox.tidy)
            await asyncio.sleep(TIDY_S)


def _comment(parts: Json, words: Mapping[str, str]) -> str:
    """What stands beside a file: the verdict first, then what the file is."""
    filled = {"plan": str(parts.get("plan") or ""), "count": str(parts.get("checklist") or "")}
    about = words.get({"export": "exported", "show": "shown"}.get(str(parts.get("act")), ""), "")
    for name, value in filled.items():
        about = about.replace(f"{{{name}}}", value)
    return "\n".join(line for line in (str(parts["head"]), *parts.get("lines", ()), about) if line)
