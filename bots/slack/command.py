"""`/hkgpu`: the form, help, what "here" means in a channel, and forgetting.

Everything but the form is answered to the person alone. Free text is a question, answered in direct messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from advisor.consult import threads
from advisor.consult.inbox import Arrival
from advisor.core.errors import BadInput, HkgpuError
from advisor.core.text import Lang
from bots.slack import names
from bots.slack.people import People
from bots.slack.receive import MOST_TEXT, Receive
from bots.slack.safe import cut, harmless, incoming, mrkdwn
from bots.slack.work import Work

NAME = "/hkgpu"
_NOTHING = ("none", "off", "reset", "clear", "无", "無", "取消", "清除", "没有")
_HELP = ("help", "?", "帮助", "幫助", "说明", "說明")
_HERE = ("here", "这里", "這裡", "这儿")
_FORGET = ("forget", "忘记", "忘記", "删除", "刪除")

Say = Callable[[str], Awaitable[Any]]


class Command:
    """The slash command."""

    def __init__(self, work: Work, receive: Receive, people: People) -> None:
        self._work = work
        self._receive = receive
        self._people = people

    async def answered(self, body: Mapping[str, Any], words: Mapping[str, str], lang: Lang) -> tuple[str, str]:
        """What to say to the person who typed it, and the key of a message to work on; an empty text opens the form."""
        text = str(body.get("text") or "").strip()
        first, _, rest = text.partition(" ")
        if not text:
            return "", ""
        if first.lower() in _HELP and not rest:
            return words["help"], ""
        if first.lower() in _HERE and (first.lower() != text.lower() or not rest):
            return await self._here(body, rest.strip(), words), ""
        if first.lower() in _FORGET and not rest:
            person = names.person(str(body.get("team_id")), str(body.get("user_id")))
            return mrkdwn(await self._work.beside(self._work.inbox.forget_person, person, lang)), ""
        return words["in_dm"], await self.question(body, text, str(body.get("trigger_id") or text))

    async def _here(self, body: Mapping[str, Any], said: str, words: Mapping[str, str]) -> str:
        room = names.room(str(body.get("team_id")), str(body.get("channel_id")))
        inbox = self._work.inbox
        if not said:
            servers = await self._work.beside(inbox.here, room)
            return self._place("here_is", servers, words) if servers else words["here_none"]
        if said.lower() in _NOTHING:
            await self._work.beside(inbox.set_here, room, [])
            return words["here_none"]
        try:
            servers = threads.here_of(cut(harmless(incoming(said, "")), 2**8))
        except HkgpuError as error:
            if not isinstance(error, BadInput):
                raise
            return words["here_unread"]
        await self._work.beside(inbox.set_here, room, servers)
        return self._place("here_set", servers, words)

    @staticmethod
    def _place(key: str, servers: list[dict[str, Any]], words: Mapping[str, str]) -> str:
        return words[key].replace("{place}", mrkdwn(threads.here_called(servers)))

    async def question(self, body: Mapping[str, Any], text: str, id_: str) -> str:
        """Take a question that is answered in direct messages; its key. Raises `NotStored`."""
        team = str(body.get("team_id") or (body.get("team") or {}).get("id") or "")
        user = str(body.get("user_id") or (body.get("user") or {}).get("id") or "")
        return await dm_message(
            self._receive, team, user, {"kind": "text", "text": incoming(text[:MOST_TEXT], "")}, id_
        )


async def dm_message(receive: Receive, team: str, user: str, said: Mapping[str, Any], id_: str) -> str:
    """Take something that begins a conversation in a person's direct messages; its key. Raises `NotStored`."""
    if not (names.is_id(team) and names.is_id(user)):
        return ""
    stamp = names.now()
    key = f"{team}:dm:{names.short(user + id_)}:{names.short(id_)}"
    payload = {**said, "team": team, "user": user, "dm": True, "ts": stamp, "room": names.room(team, user)}
    await receive.store(Arrival(key, key, names.person(team, user), stamp, payload))
    return key
