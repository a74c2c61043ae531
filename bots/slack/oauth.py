"""Installing the app in several workspaces: two pages, and what Slack hands over kept encrypted in the database.

The state of an installation under way stands in the same database, is good once and for ten minutes. Pages say whether
it worked and nothing else.
"""

from __future__ import annotations

import json
import logging
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from bots.slack.client import Failures, client
from bots.slack.settings import Settings
from bots.slack.tokens import Tokens, aside, document_of

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
STATE_S = 600
_COOKIE = "hkgpu-install"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hkgpu</title>
<meta name="viewport" content="width=device-width">
<body style="font:1.1rem/1.5 system-ui;margin:3rem auto;max-width:36rem">
<h1>{head}</h1><p>{text}</p></body></html>"""

log = logging.getLogger("hkgpu.slack")


def manifest() -> dict[str, Any]:
    """The app's manifest."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "manifest.json").read_text("utf-8"))
    return found


class OAuth:
    """The two pages."""

    def __init__(self, settings: Settings, tokens: Tokens, pool: Any) -> None:
        self._settings = settings
        self._tokens = tokens
        self._pool = pool

    def add_to(self, application: web.Application) -> None:
        """Serve the pages."""
        application.router.add_get(INSTALL, self._install)
        application.router.add_get(REDIRECT, self._redirect)

    async def _install(self, _request: web.Request) -> web.StreamResponse:
        state = secrets.token_urlsafe(2**5)
        await aside(self._tokens.installed.begin, state, STATE_S)
        asked = {
            "client_id": self._settings.client_id,
            "scope": ",".join(manifest()["oauth_config"]["scopes"]["bot"]),
            "state": state,
        }
        answer = web.HTTPFound(f"{self._settings.authorize_url}?{urlencode(asked)}")
        # The browser that began is the one that ends: a link sent to somebody else installs nothing.
        answer.set_cookie(_COOKIE, state, max_age=STATE_S, httponly=True, samesite="Lax", path=REDIRECT)
        return answer

    async def _redirect(self, request: web.Request) -> web.StreamResponse:
        state, code = request.query.get("state", ""), request.query.get("code", "")
        ours = bool(state) and secrets.compare_digest(request.cookies.get(_COOKIE, "").encode(), state.encode())
        if not code or len(state) > 2**7 or not ours or not await aside(self._tokens.installed.end, state):
            return _page(400, "Not installed", "The request was cancelled or is too old. Please begin again.")
        slack = client(self._settings.api_url, None, self._pool, repeats=False)
        try:
            said = await slack.oauth_v2_access(
                client_id=self._settings.client_id, client_secret=self._settings.client_secret, code=code
            )
        except Failures as error:
            log.warning("not installed", extra={"exception": type(error).__name__})
            return _page(502, "Not installed", "Slack did not confirm the installation. Please begin again.")
        team = str((said.get("team") or {}).get("id") or "")
        document = document_of(dict(said.data))  # type: ignore[arg-type]
        if not team or not document.get("bot_token"):
            return _page(400, "Not installed", "Slack named no workspace or no bot. Please begin again.")
        await self._tokens.install(team, document)
        log.info("installed", extra={"key": team})
        return _page(200, "Installed", "Mention the app in a channel, or write to it directly.")


def _page(status: int, head: str, text: str) -> web.Response:
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "X-Frame-Options": "DENY"}
    return web.Response(
        status=status, text=_PAGE.format(head=head, text=text), content_type="text/html", headers=headers
    )
