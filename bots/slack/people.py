"""What is asked of Slack about people: their language and their direct-message channel, kept for a while."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from advisor.core.text import Lang
from bots.slack.client import quiet
from bots.slack.tokens import Tokens

KEEP_S = 3600.0
# How long an answer waits for a person's language, in seconds; English stands in for it.
WAIT_S = 1.0
MOST = 2**12


class People:
    """The people of the workspaces."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._langs: dict[tuple[str, str], tuple[float, Lang]] = {}
        self._dms: dict[tuple[str, str], str] = {}
        self._asking: dict[tuple[str, str], asyncio.Task[Lang]] = {}

    async def lang(self, team: str, user: str) -> Lang:
        """A person's language, by the locale of their Slack."""
        at, known = self._langs.get((team, user), (0.0, "en"))
        if at > time.monotonic() - KEEP_S and at:
            return known
        task = self._asking.get((team, user)) or asyncio.create_task(self._ask(team, user))
        self._asking[team, user] = task
        task.add_done_callback(lambda _: self._asking.pop((team, user), None))
        return await task

    async def _ask(self, team: str, user: str) -> Lang:
        client = await self._tokens.client(team, repeats=False)
        said: Any = await quiet(client.users_info(user=user, include_locale=True), WAIT_S) if client else None
        if said is None:
            return "en"
        found = of_locale(str((said.get("user") or {}).get("locale") or ""))
        if len(self._langs) > MOST:
            self._langs.clear()
        self._langs[team, user] = (time.monotonic(), found)
        return found

    async def dm(self, client: AsyncWebClient, team: str, user: str) -> str:
        """The channel of direct messages with a person."""
        if (team, user) not in self._dms:
            opened = await client.conversations_open(users=user)
            if len(self._dms) > MOST:
                self._dms.clear()
            self._dms[team, user] = str(opened["channel"]["id"])
        return self._dms[team, user]


def of_locale(locale: str) -> Lang:
    """`zh-TW`, `zh_Hant_HK` and their like are Traditional, other Chinese is Simplified, the rest English."""
    name = locale.replace("_", "-").lower()
    if not name.startswith("zh") and not name.startswith("yue"):
        return "en"
    return "zh-Hant" if any(part in name for part in ("tw", "hk", "mo", "hant", "yue")) else "zh"
