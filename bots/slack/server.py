"""One process of the Slack face from start to end: events over HTTP or Socket Mode, and the pages of health.

It starts whether or not Slack is there, says so, and keeps trying. On a signal it takes no more events, finishes what
is under way for a few seconds, and leaves the rest in the inbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from concurrent.futures import Future
from typing import Any

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

from advisor.consult import form, threads
from advisor.consult.inbox import Inbox
from advisor.consult.pool import Pool
from advisor.core.errors import BadInput, HkgpuError
from advisor.core.text import LANGS
from bots.slack import client as clients
from bots.slack.app import App
from bots.slack.health import STALE_S, Health
from bots.slack.oauth import OAuth
from bots.slack.people import People
from bots.slack.settings import Settings
from bots.slack.tokens import Tokens
from bots.slack.work import Work
from bots.telemetry import logs
from bots.telemetry.metrics import Metrics

PORT = 3000
EVENTS_PATH = "/slack/events"
# Seconds: between tries to reach Slack, between looks at health, between pings, and to finish what is under way.
AGAIN_S, LOOK_S, PING_S, END_S = 2.0, 5.0, 3.0, 8.0
MOST_BODY = 2**21

log = logging.getLogger("hkgpu.slack")


def run(settings: Settings) -> None:
    """Serve until a signal comes. Raises `BadInput` where a port cannot be had, `StoreError` without a database."""
    logs.start("slack")
    metrics = Metrics("slack")
    metrics.serve()
    inbox = Inbox.open()
    with Pool.open() as pool:
        try:
            asyncio.run(Process(settings, inbox, pool, metrics).run())
        finally:
            inbox.close()


class Process:
    """One process."""

    def __init__(self, settings: Settings, inbox: Inbox, pool: Pool, metrics: Metrics) -> None:
        self._settings = settings
        self._inbox = inbox
        self._pool = pool
        self._metrics = metrics
        self.health = Health(socket_mode=not settings.http)
        self._ending = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """From start to signal."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, self._ending.set)
        if hasattr(signal, "SIGHUP"):
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(signal.SIGHUP, self._reload)
        async with clients.session(self._settings.call_s) as connections:
            self._tokens = Tokens(self._settings, self._inbox, connections)
            self._work = Work(self._inbox, self._pool, self._tokens, People(self._tokens), self._metrics)
            self.app = App(self._settings, self._work, self._tokens, self._work.people, connections)
            runner = await self._served(connections)
            # The names of buttons and the questions of the form are read once, before anybody waits for them.
            await asyncio.to_thread(_warm)
            self._work.start()
            self._tasks = [asyncio.create_task(each) for each in (self._greeting(), self._looking())]
            socket = asyncio.create_task(self._socket()) if not self._settings.http else None
            try:
                await self._ending.wait()
            finally:
                self.health.ending = True
                if socket is not None:
                    socket.cancel()
                    await asyncio.wait([socket])
                await self._work.stop(END_S)
                for task in self._tasks:
                    task.cancel()
                await runner.cleanup()

    def _reload(self) -> None:
        """Rules, prices and place are read anew by new workers; consultations under way end in the old ones."""
        log.info("reload")
        self._pool.renew()

    async def _served(self, connections: Any) -> web.AppRunner:
        application = web.Application(client_max_size=MOST_BODY)
        application.router.add_get("/healthz", self._healthz)
        application.router.add_get("/readyz", self._readyz)
        if self._settings.http:
            application.router.add_post(EVENTS_PATH, self._events)
        if self._settings.several:
            OAuth(self._settings, self._tokens, connections).add_to(application)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=2)
        await runner.setup()
        port = PORT if self._settings.port is None else self._settings.port
        try:
            await web.TCPSite(runner, self._settings.host, port).start()
        except OSError as error:
            # A second process in Socket Mode on one machine needs no port of its own.
            if self._settings.http or self._settings.port is not None:
                await runner.cleanup()
                raise BadInput(
                    f"{self._settings.host}:{port} cannot be used ({error.strerror})", where="--port"
                ) from None
            log.warning("no health page", extra={"port": port})
            return runner
        log.info("listening", extra={"port": runner.addresses[0][1] if runner.addresses else port})
        return runner

    async def _events(self, request: web.Request) -> web.Response:
        """Slack's requests: events, buttons, menus, commands. Bolt checks the signature before anything else."""
        try:
            asked = await to_bolt_request(request)
        except (ValueError, LookupError):
            # No text, or none that Slack would send: nothing is told about it.
            return web.Response(status=400)
        return await to_aiohttp_response(await self.app.dispatch(asked))

    async def _socket(self) -> None:
        """Socket Mode: connected again and again until the end."""
        web_client = clients.client(self._settings.api_url, None, None, repeats=False)  # type: ignore[arg-type]
        handler = AsyncSocketModeHandler(
            self.app.bolt, self._settings.app_token, web_client=web_client, ping_interval=PING_S
        )

        async def seen(_message: Any) -> None:
            self.health.frame()

        handler.client.on_message_listeners.append(seen)
        try:
            await handler.client.connect()  # type: ignore[no-untyped-call]
            while True:
                await asyncio.sleep(1)
                pinged = handler.client.last_ping_pong_time
                if pinged is not None and pinged != getattr(self, "_pinged", None):
                    self._pinged = pinged
                    self.health.frame()
                self.health.connected = await handler.client.is_connected()
                if self.health.stale() and self.health.silent_s() % STALE_S < 1:
                    log.warning("socket silent", extra={"seconds": self.health.silent_s()})
                    await clients.quiet(handler.client.connect_to_new_endpoint(force=True), STALE_S / 2)
        finally:
            await handler.client.close()  # type: ignore[no-untyped-call]

    async def _greeting(self) -> None:
        """Learn who we are; where Slack does not answer, say so and try again."""
        told = False
        while not await self._tokens.hello():
            if not told:
                log.warning("Slack not reachable, trying on")
                told = True
            await asyncio.sleep(AGAIN_S)
        self.health.slack = True
        log.info("Slack reached")

    async def _looking(self) -> None:
        """Keep an eye on the database and on the processes that consult."""
        ready: Future[int] = self._pool.submit(threads.ready)
        while True:
            self.health.pool = self.health.pool or ready.done()
            try:
                await asyncio.wait_for(self._work.beside(self._inbox.waiting), LOOK_S)
                self.health.database = True
            except (TimeoutError, HkgpuError):
                self.health.database = False
            await asyncio.sleep(LOOK_S if self.health.pool else 0.2)

    async def _healthz(self, _request: web.Request) -> web.Response:
        good = self.health.lives()
        return web.json_response({"ok": good, "silent_s": round(self.health.silent_s())}, status=200 if good else 503)

    async def _readyz(self, _request: web.Request) -> web.Response:
        lacks = self.health.lacks()
        return web.json_response({"ok": not lacks, "lacks": lacks}, status=503 if lacks else 200)


def _warm() -> None:
    for lang in LANGS:
        threads.words(lang)
        form.fields(lang)
    threads.tells_language("can I fine-tune 70B here?")
