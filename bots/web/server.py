"""The web server: the pages under FastAPI and uvicorn, with a pool of processes that think.

It starts the pool first, so that workers warm up while the pages are built; it ends within seconds even while pages are
open. `/healthz` says that the process lives, `/readyz` that an answer can be given and remembered.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus

import uvicorn
from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware

from advisor.consult.brief import begun
from advisor.consult.pool import Pool
from advisor.core.errors import BadInput
from advisor.core.text import LANGS
from bots.telemetry import logs
from bots.telemetry.metrics import Metrics
from bots.web import settings as settings_
from bots.web import work
from bots.web.download import router
from bots.web.gate import App, Gate
from bots.web.kept import Kept
from bots.web.languages import Later, Pages
from bots.web.localised import Localised
from bots.web.settings import Settings

GRACE_S = 2
LOG = logging.getLogger("hkgpu.web")


def application(pool: Pool, settings: Settings, metrics: Metrics) -> App:
    """The whole application behind its gate. What programs speak to is built now, the pages once it serves."""
    ready = asyncio.Event()
    pages = Pages(pool, settings, metrics)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warmed(pool, ready, pages))
        yield
        warming.cancel()
        await pages.close()

    parent = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=alive)

    @parent.get("/healthz")
    async def healthz() -> Response:
        return Response("ok", media_type="text/plain")

    @parent.get("/readyz")
    async def readyz() -> Response:
        status, word = (HTTPStatus.OK, "ready") if ready.is_set() else (HTTPStatus.SERVICE_UNAVAILABLE, "not yet")
        return Response(word, status, media_type="text/plain")

    parent.include_router(router(pool))
    pages.mount_programs(parent)
    for lang in LANGS:
        parent.mount(f"/{lang}", Later(pages, lang))
    # The longest answers are pages of labels, which shrink to a tenth; streams of events are left alone.
    return Gate(Kept(GZipMiddleware(Localised(parent), minimum_size=2**10, compresslevel=2 + 2)), settings)


async def _warmed(pool: Pool, ready: asyncio.Event, pages: Pages) -> None:
    """Say that the server is ready once a worker can answer and remember; then build what is still to come."""
    while not ready.is_set():
        try:
            await pool.run(work.ready)
            ready.set()
        except Exception as error:
            LOG.error("not ready", extra={"exception": type(error).__name__})
            await asyncio.sleep(GRACE_S)
    await asyncio.sleep(GRACE_S)  # whoever is there already comes first; a page that is asked for is built at once
    for lang in LANGS:
        await pages.built(lang)
    gc.freeze()  # thousands of parts that stay: the collector need not look at them with every visitor


class _Server(uvicorn.Server):
    """uvicorn's server, ending with exit code 0 on a signal, and reading the knowledge anew on SIGHUP."""

    pool: Pool

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals while serving."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        if hasattr(signal, "SIGHUP"):
            loop.add_signal_handler(signal.SIGHUP, self._reload)
        yield

    def _reload(self) -> None:
        LOG.info("reload")
        self.pool.renew()


def serve(host: str, port: int, workers: int | None = None) -> None:
    """Serve until a signal comes. Raises `BadInput` for a wrong setting or an address that cannot be used."""
    settings = settings_.read()
    logs.start("web")
    metrics = Metrics("web")
    with tempfile.TemporaryDirectory(prefix="hkgpu-web-") as folder, Pool.open(workers, work.ready) as pool:
        os.environ.setdefault("GRADIO_TEMP_DIR", folder)
        with begun():
            app = application(pool, settings, metrics)
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, proxy_headers=False, server_header=False,
            timeout_graceful_shutdown=GRACE_S, lifespan="on",
        )  # fmt: skip
        server = _Server(config)
        server.pool = pool
        metrics.serve()
        _bind(config)
        print(f"hkgpu web: http://{host}:{port}", flush=True)
        server.run()


def _bind(config: uvicorn.Config) -> None:
    """Try the address before serving, so that a taken port is one clear line."""
    import socket

    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((config.host, config.port))
        except OSError as error:
            raise BadInput(f"cannot be used ({error.strerror})", where=f"{config.host}:{config.port}") from None
