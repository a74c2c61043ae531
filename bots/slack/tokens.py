"""Who we are in each workspace: one token from the environment, or an installation for each from the database.

Installations are encrypted with a key derived from the app's client secret, which stands in no database. Tokens that
expire are renewed when they are used, not while an event waits to be acknowledged.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import aiohttp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from advisor.consult.inbox import Inbox
from bots.slack.client import Failures, client, quiet
from bots.slack.settings import Settings

T = TypeVar("T")
# An installation is read again after so long, and its token renewed so long before it expires, in seconds.
FRESH_S = 60
RENEW_S = 2 * 3600

log = logging.getLogger("hkgpu.slack")


class Tokens:
    """The workspaces of this app."""

    def __init__(self, settings: Settings, inbox: Inbox, pool: aiohttp.ClientSession) -> None:
        self._settings = settings
        self._pool = pool
        self._known: dict[str, tuple[float, dict[str, Any]]] = {}
        self._clients: dict[tuple[str, bool], AsyncWebClient] = {}
        self._lock = asyncio.Lock()
        self.bot_user = ""
        self.origins = settings.origins
        self.installed = inbox.installed

    async def authorize(self, enterprise_id: str | None, team_id: str | None) -> AuthorizeResult | None:
        """Bolt's question before each event; asks Slack nothing."""
        found = await self._installation(team_id or "", enterprise_id)
        if found is None:
            return None
        return AuthorizeResult(
            enterprise_id=enterprise_id, team_id=team_id, bot_token=found["bot_token"],
            bot_user_id=found.get("bot_user") or None,
        )  # fmt: skip

    async def client(self, team: str, *, repeats: bool = True) -> AsyncWebClient | None:
        """A client of a workspace with a token that is good; None where the app is not installed there."""
        found = await self._installation(team, None)
        if found is None:
            return None
        if found.get("expires") and found["expires"] < time.time() + RENEW_S:
            found = await self._renewed(team, found)
        token = str(found["bot_token"])
        if (token, repeats) not in self._clients:
            self._clients[token, repeats] = client(self._settings.api_url, token, self._pool, repeats=repeats)
        return self._clients[token, repeats]

    async def hello(self) -> bool:
        """Whether Slack knows our token; learns who we are. Always true where each workspace has its own."""
        if self._settings.several:
            return True
        web = client(self._settings.api_url, self._settings.bot_token, self._pool, repeats=False)
        said = await quiet(web.auth_test(), FRESH_S / 2)
        if said is not None and said.get("ok"):
            self.bot_user = str(said.get("user_id") or "")
            return True
        return False

    async def install(self, team: str, document: dict[str, Any]) -> None:
        """Keep a workspace's installation."""
        sealed = self._fernet().encrypt(json.dumps(document).encode()).decode()
        await asyncio.to_thread(self.installed.put, f"slack:{team}", sealed)
        self._known.pop(team, None)

    async def remove(self, team: str) -> None:
        """The app was removed from a workspace, or its token revoked."""
        self._known.pop(team, None)
        await asyncio.to_thread(self.installed.remove, f"slack:{team}")

    async def _installation(self, team: str, enterprise: str | None) -> dict[str, Any] | None:
        if not self._settings.several:
            return {"bot_token": self._settings.bot_token, "bot_user": self.bot_user}
        at, known = self._known.get(team, (0.0, {}))
        if not known or at < time.monotonic() - FRESH_S:
            sealed = await asyncio.to_thread(self.installed.get, f"slack:{team}")
            if sealed is None:
                return None
            known = json.loads(self._fernet().decrypt(sealed.encode()))
            self._known[team] = (time.monotonic(), known)
        return known

    async def _renewed(self, team: str, found: dict[str, Any]) -> dict[str, Any]:
        """The installation with a new token; with the old one where Slack gives none just now."""
        async with self._lock:
            again = await self._installation(team, None)
            if again is not None and again.get("bot_token") != found.get("bot_token"):
                return again
            web = client(self._settings.api_url, None, self._pool, repeats=False)
            try:
                said = await web.oauth_v2_access(
                    client_id=self._settings.client_id, client_secret=self._settings.client_secret,
                    grant_type="refresh_token", refresh_token=found.get("refresh_token", ""),
                )  # fmt: skip
            except Failures:
                log.warning("token not renewed", extra={"key": team})
                return found
            document = {**found, **document_of(dict(said.data))}  # type: ignore[arg-type]
            await self.install(team, document)
            return document

    def _fernet(self) -> Any:
        from cryptography.fernet import Fernet

        key = hashlib.sha256(b"hkgpu slack installations\0" + self._settings.client_secret.encode()).digest()
        return Fernet(base64.urlsafe_b64encode(key))


def document_of(said: dict[str, Any]) -> dict[str, Any]:
    """What is kept of Slack's answer to an installation or a renewal."""
    lasts = said.get("expires_in")
    kept = {
        "bot_token": said.get("access_token"),
        "bot_user": said.get("bot_user_id"),
        "refresh_token": said.get("refresh_token"),
        "expires": int(time.time()) + int(lasts) if lasts else None,
    }
    return {name: value for name, value in kept.items() if value is not None}


async def aside(function: Callable[..., T], *given: Any) -> T:
    """Call what waits for a database beside the event loop."""
    return await asyncio.to_thread(function, *given)
