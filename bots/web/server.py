"""The web server: the pages under FastAPI and uvicorn, with a pool of processes that think.

It starts the pool first, so that workers warm up while the pages are built; it ends within seconds even while pages are
open. `/healthz` says that the process lives, `/readyz` that an answer can be given and remembered.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware

from advisor.consult.pool import Pool
from advisor.core.errors import BadInput
from advisor.core.text import LANGS, Lang
from bots.telemetry import logs
from bots.telemetry.metrics import Metrics
from bots.web import settings as settings_
from bots.web import work
from bots.web.download import router
from bots.web.gate import App, Gate
from bots.web.localised import Localised
from bots.web.settings import Settings

GRACE_S = 2
LOG = logging.getLogger("hkgpu.web")


def application(pool: Pool, settings: Settings, metrics: Metrics, langs: tuple[Lang, ...] = LANGS) -> App:
    """The whole application behind its gate."""
    from bots.web.pages import page
    from bots.web.theme import head, style, theme

    parent = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ready = asyncio.Event()

    @parent.get("/healthz")
    async def healthz() -> Response:
        return Response("ok", media_type="text/plain")

    @parent.get("/readyz")
    async def readyz() -> Response:
        if not ready.is_set():
            try:
                await asyncio.wait_for(pool.run(work.ready), 1)
            except Exception:
                return Response("not yet", 503, media_type="text/plain")
            ready.set()
        return Response("ready", media_type="text/plain")

    parent.include_router(router(pool))
    from bots.web.markup import gr

    for lang in langs:
        root = f"{settings.root_path}/{lang}" if settings.root_path else None
        gr.mount_gradio_app(
            parent, page(lang, pool, metrics), f"/{lang}", show_error=False, ssr_mode=False, theme=theme(), css=style(),
            head=head(lang), footer_links=[], max_file_size="8mb", enable_monitoring=False, pwa=False, root_path=root,
            mcp_server=False,
        )  # fmt: skip
    # The longest answers are pages of labels, which shrink to a tenth; streams of events are left alone.
    return Gate(GZipMiddleware(Localised(parent), minimum_size=2**10, compresslevel=2 + 2), settings)


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
    import os

    settings = settings_.read()
    logs.start("web")
    metrics = Metrics("web")
    gc.disable()
    with tempfile.TemporaryDirectory(prefix="hkgpu-web-") as folder, Pool.open(workers) as pool:
        os.environ.setdefault("GRADIO_TEMP_DIR", folder)
        app = application(pool, settings, metrics)
        gc.collect()
        gc.freeze()
        gc.enable()
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
