"""The desk of chat threads: one message of a thread in, the parts of its answer out.

Its functions are top-level and take and give plain values, so that a pool of processes can run them; each process opens
the database once. A message is named by its key and answered once, so a call may be repeated. It holds no advice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from advisor.consult import answer
from advisor.consult.here import called, read_here
from advisor.consult.sessions import Beside, Sessions
from advisor.core.errors import BadInput, Declined
from advisor.core.text import Lang
from advisor.knowledge.library import open_library
from advisor.report import chat_words
from advisor.report.message import message
from advisor.report.talk import TALK
from advisor.report.wording import Wording
from advisor.store.chats import Chats

Json = dict[str, Any]
MAX_TEXT = answer.MAX_TEXT


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a thread: its words, or what a button or a form set in place of words."""

    thread: str
    key: str
    person: str
    text: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    room: str = ""
    tongue: Lang | None = None
    config: str = ""


@lru_cache(maxsize=2)
def desk() -> tuple[Sessions, Chats]:
    """The conversations and chats of this process, opened once."""
    sessions = Sessions.open()
    return sessions, Chats(sessions.store)


def ready() -> int:
    """This process's id, once it has read everything and opened the database."""
    desk()
    return os.getpid()


def answered(said: Said) -> Json:
    """The parts of the answer (`advisor.report.message`), with the files that the turn asks for.

    `files` are (name, text); `error` takes the place of everything where the message is too long to read.
    """
    if len(said.text) > MAX_TEXT:
        wording = Wording(open_library(), said.tongue or "en")
        words = {"count": f"{len(said.text):,}", "most": f"{MAX_TEXT:,}"}
        return {"lang": wording.lang, "error": wording.fixed(chat_words.CHAT, "too_long", **words)}
    sessions, chats = desk()
    session = chats.session(said.thread)
    here = tuple((str(one["gpu"]), int(one["count"]), int(one["nodes"])) for one in chats.here(said.room))
    beside = Beside(said.given, here if _known(here) else (), said.config, said.tongue)
    try:
        reply = sessions.say(session, said.text, key=said.key, person=said.person, beside=beside)
    except BadInput:
        # Forgotten in the same moment: the thread begins anew.
        session = chats.session(said.thread)
        reply = sessions.say(session, said.text, key=said.key, person=said.person, beside=beside)
    parts = message(dict(reply.json), Wording(open_library(), reply.lang))
    parts["files"] = _files(reply, parts)
    if parts["title"] and parts["verdict"]:
        chats.note(said.thread, {"title": parts["title"], "plan": parts["plan"], "lang": reply.lang})
    return parts


def _known(here: tuple[tuple[str, int, int], ...]) -> bool:
    """Whether all the cards of a room are still in the catalogue."""
    return all(gpu in open_library().gpus for gpu, _, _ in here)


def _files(reply: answer.Reply, parts: Json) -> list[tuple[str, str]]:
    """The files of a turn: the checklist where it was exported, the whole answer where it was asked for."""
    if reply.json["act"] == "export" and reply.json.get("checklist_markdown"):
        return [(f"checklist-{parts['plan']}.md", str(reply.json["checklist_markdown"]))]
    if reply.json["act"] == "show" and reply.json["by_method"]:
        return [(f"plan-{parts['plan']}.md", answer.render(reply, "markdown"))]
    return []


def packed(thread: str, lang: Lang | None = None) -> Json:
    """The order pack of a thread's plan as an archive, and a line about it; `error` where there is no plan to pack."""
    from advisor.consult import pack

    sessions, chats = desk()
    session = chats.session(thread)
    try:
        spoken = lang or sessions.show(session).lang
        made = pack.kit(None, session=session, lang=spoken)
    except (BadInput, Declined):
        wording = Wording(open_library(), lang or "en")
        return {"lang": wording.lang, "error": wording.text(TALK["nothing_to_export"])}
    wording = Wording(open_library(), spoken)
    line = wording.fixed(chat_words.CHAT, "kit_done", plan=str(made.plan["plan"]), count=str(len(made.files)))
    return {"lang": spoken, "head": line, "files": [(f"{made.folder}.zip", made.zip())]}


def tells_language(text: str) -> bool:
    """Whether a text shows in which language its writer thinks."""
    from advisor.consult.conversation import tells_language as tells

    return tells(text, open_library())


def words(lang: Lang) -> Mapping[str, str]:
    """The names of a chat program's own parts, with their placeholders."""
    return _words(lang)


@lru_cache(maxsize=4)
def _words(lang: Lang) -> dict[str, str]:
    wording = Wording(open_library(), lang)
    return {key: wording.text(text) for key, text in chat_words.CHAT.items()}


def here_of(text: str) -> list[Json]:
    """The servers that a text names, as `set_here` keeps them. Raises `BadInput`."""
    return [{"gpu": gpu, "count": count, "nodes": nodes} for gpu, count, nodes in read_here(text, open_library())]


def here_called(servers: list[Json]) -> str:
    """What to call the servers of a room."""
    here = tuple((str(one["gpu"]), int(one["count"]), int(one["nodes"])) for one in servers)
    return called(here, open_library()).en if _known(here) else ""
