"""The pages of each language, built once the server serves, or when somebody asks first; and what programs speak to.

The typed functions stand in an application of their own, which is small: a client reads the whole configuration of what
it connects to, and a page has two thousand parts.

Gradio builds a page by a global that is the page under construction, so one is built at a time, and no handler may
construct a component: handlers return `gr.update(...)`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI

from advisor.consult.brief import parsed_kept
from advisor.consult.pool import Pool
from advisor.core.text import Lang
from bots.telemetry.metrics import Metrics
from bots.web.gate import PROGRAMS, App, Receive, Scope, Send
from bots.web.settings import Settings


class Pages:
    """The pages by language, each alive in a task of its own until `close`."""

    def __init__(self, pool: Pool, settings: Settings, metrics: Metrics) -> None:
        self._pool, self._settings, self._metrics = pool, settings, metrics
        self._apps: dict[Lang, Any] = {}
        self._lives: list[asyncio.Task[None]] = []
        self._lock = asyncio.Lock()
        self._end = asyncio.Event()

    def mount_programs(self, parent: FastAPI) -> None:
        """Mount the typed functions."""
        from bots.web.api import functions

        self._mount(functions(self._pool, self._metrics), PROGRAMS, parent)

    def mount(self, lang: Lang, parent: FastAPI) -> None:
        """Build the pages of a language and mount them at its path."""
        from bots.web.pages import page
        from bots.web.theme import head, style, theme

        with parsed_kept():
            blocks = page(lang, self._pool, self._metrics)
        self._mount(blocks, f"/{lang}", parent, theme=theme(), css=style(), head=head(lang), footer_links=[])
        self._apps[lang] = parent

    def _mount(self, blocks: Any, path: str, parent: FastAPI, **look: Any) -> None:
        from bots.web.markup import gr

        root = f"{self._settings.root_path}{path}" if self._settings.root_path else None
        gr.mount_gradio_app(
            parent, blocks, path, show_error=False, ssr_mode=False, max_file_size="8mb", enable_monitoring=False,
            pwa=False, root_path=root, mcp_server=False,
            app_kwargs=dict.fromkeys(("docs_url", "redoc_url", "openapi_url")), **look,
        )  # fmt: skip

    async def built(self, lang: Lang) -> App:
        """The application of a language, built if it is not there yet."""
        async with self._lock:
            if lang not in self._apps:
                late = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
                await asyncio.to_thread(self.mount, lang, late)
                begun = asyncio.Event()
                self._lives.append(asyncio.create_task(self._live(late, begun)))
                await begun.wait()
            found: App = self._apps[lang]
            return found

    async def _live(self, app: FastAPI, begun: asyncio.Event) -> None:
        async with app.router.lifespan_context(app):
            begun.set()
            await self._end.wait()

    async def close(self) -> None:
        """End what was built late."""
        self._end.set()
        await asyncio.gather(*self._lives, return_exceptions=True)


class Later:
    """Stands at the path of a language until its pages are asked for."""

    def __init__(self, pages: Pages, lang: Lang) -> None:
        self._pages, self._lang = pages, lang

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with the path as the pages know it."""
        app = await self._pages.built(self._lang)
        # The parent took the language off the path; the application behind has it in its own mount.
        root = str(scope.get("root_path", "")).removesuffix(f"/{self._lang}")
        await app({**scope, "root_path": root, "app_root_path": root}, receive, send)
