"""The desk of a face's chat: one message in, the parts of its answer out, with the conversation that it belongs to.

An unknown or forgotten conversation begins anew, and the answer says so. It holds no advice and keeps no words.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from advisor.consult import answer, form_taken
from advisor.consult.sessions import Beside, Sessions, told
from advisor.core.errors import BadInput, StoreError
from advisor.core.text import Lang
from advisor.knowledge.library import open_library
from advisor.report.message import message
from advisor.report.wording import Wording

Json = dict[str, Any]


@lru_cache(maxsize=1)
def desk() -> Sessions:
    """The conversations of this process."""
    return Sessions.open()


def say(session: str, text: str, key: str, person: str, lang: Lang) -> Json:
    """`{"session", "lost", "parts", "full"}`: the conversation, whether an earlier one is gone, the parts of the
    answer, and the whole answer as Markdown where it was asked for. Raises what `Sessions.say` raises.
    """
    lost = False
    try:
        session = session or desk().begin()
        reply = desk().say(session, text, key=key, person=person, lang=lang)
    except (BadInput, StoreError):
        if not session or _stands(session):
            raise
        session, lost = desk().begin(), True
        reply = desk().say(session, text, key=key, person=person, lang=lang)
    parts = message(dict(reply.json), Wording(open_library(), reply.lang))
    full = answer.render(reply, "markdown") if reply.json["act"] == "show" and reply.json["by_method"] else ""
    return {"session": session, "lost": lost, "parts": parts, "full": full}


def begin(given: Mapping[str, Any], config: str | None, key: str, person: str, lang: Lang) -> Json:
    """The same for a conversation that begins with a plan's answers in place of words."""
    session = desk().begin()
    beside = Beside(given=dict(given), config=config or "", tongue=lang)
    reply = desk().say(session, "", key=key, person=person, lang=lang, beside=beside)
    parts = message(dict(reply.json), Wording(open_library(), reply.lang))
    return {"session": session, "lost": False, "parts": parts, "full": ""}


def _stands(session: str) -> bool:
    """Whether a conversation can still be read."""
    try:
        desk().understood(session)
    except (BadInput, StoreError):
        return False
    return True


def established(session: str) -> dict[str, object]:
    """What a conversation has established, as a form shows it; nothing for one that is gone."""
    return form_taken.from_slots(desk().understood(session)) if _stands(session) else {}


def forget(session: str, person: str, lang: Lang) -> str:
    """Remove a person's turns from a conversation; says what is gone."""
    return told(desk().forget(person, session), lang) if _stands(session) else ""
