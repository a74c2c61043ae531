"""The desk of conversations: takes a message, answers it, remembers what was understood.

A message is safe once it is taken; a turn is stored whole or not at all; a message that comes twice is answered once.
Somebody else's turn in the same conversation is read first, never overwritten. Only people's answers are kept: a text
goes when it is answered, and everything goes when its person asks for that or after the days of retention.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

from advisor.consult import answer
from advisor.consult.answer import MAX_TEXT, Reply
from advisor.consult.claims import claims_in
from advisor.consult.conversation import Here, State, chosen, heard, replayed, tells_language
from advisor.consult.turns import answered, turn
from advisor.core.errors import BadInput, Conflict, HkgpuError, StoreError
from advisor.core.text import LANGS, Lang
from advisor.core.version import version
from advisor.dialogue.understand import Understanding
from advisor.knowledge.library import Library, open_library
from advisor.report import talk
from advisor.report.wording import Wording
from advisor.store.records import Forgotten, History, Waiting
from advisor.store.store import Store

RETENTION = "HKGPU_RETENTION_DAYS"
# Kept for so many days after the last turn, where nobody says otherwise.
RETENTION_DAYS = 100.0
# How often a turn is thought through anew because somebody else was faster.
TRIES = 2**6
LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Beside:
    """What comes with a message beside its words: the face knows it, the person need not say it.

    `given` are slots from a button or a form, in place of words; `here` the servers of the room; `config` a model's
    config.json; `tongue` the person's language, where the first message does not show one.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    here: Here = ()
    config: str = ""
    tongue: Lang | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """A frozen checklist, and what has changed since."""

    text: str
    lang: Lang
    notes: tuple[str, ...] = ()


class Sessions:
    """The conversations of one database. Safe to share between threads."""

    def __init__(self, store: Store, library: Library | None = None) -> None:
        self._store = store
        self._own = library

    @property
    def _library(self) -> Library:
        """The knowledge as it stands now: a reload shows in the next message."""
        return self._own or open_library()

    @classmethod
    def open(cls, url: str | None = None) -> Sessions:
        """Open the database of the conversations and remove what is past its days."""
        store = Store.open(url)
        store.sweep(retention_days())
        return cls(store)

    def close(self) -> None:
        """Give the database back."""
        self._store.close()

    @property
    def store(self) -> Store:
        """The database of these conversations, for the desks that keep something beside them."""
        return self._store

    def begin(self) -> str:
        """Begin a conversation; returns its id, 128 random bits."""
        return self._store.create()

    def say(
        self, session: str, text: str, *, key: str = "", person: str = LOCAL, lang: Lang | None = None,
        day: date | None = None, beside: Beside | None = None,
    ) -> Reply:  # fmt: skip
        """Take a message and answer it. `key` names the message: the same key is answered once.

        Raises `BadInput` for an empty or endless text, `StoreError` where the conversation could not be written; it is
        then as it was.
        """
        given = beside is not None and bool(beside.given)
        if not text.strip() and not given:
            raise BadInput("the message is empty")
        if len(text) > MAX_TEXT:
            raise BadInput(f"the message has {len(text)} characters", expected=f"at most {MAX_TEXT}")
        key = key or uuid4().hex
        self._store.take(session, key, person, text)
        return self._answer(session, key, text, lang, day, beside or Beside())

    def resume(self, session: str | None = None) -> tuple[tuple[Waiting, Reply], ...]:
        """Answer the messages that were taken and not answered, as after a crash."""
        waiting = self._store.waiting(session)
        return tuple((each, self._answer(each.session, each.key, each.text, None, None, Beside())) for each in waiting)

    def show(self, session: str, *, lang: Lang | None = None) -> Reply:
        """The last answer of a conversation, worded again; nothing is written."""
        history = self._store.history(session)
        return self._again(history, len(history.turns), lang)

    def understood(self, session: str) -> Mapping[str, Any]:
        """What the conversation has established so far, by slot."""
        return _state(self._store.history(session)).slots

    def state(self, session: str) -> State:
        """What holds in a conversation: its slots, its own servers, its own model."""
        return _state(self._store.history(session))

    def forget(self, person: str = LOCAL, session: str | None = None) -> Forgotten:
        """Remove what a person said, in one conversation or in all; plans that rest on it go too."""
        return self._store.forget(person, session)

    def checklist(self, session: str, format: str = "markdown", *, lang: Lang | None = None) -> Exported:
        """The frozen checklist; the present plan is frozen first where none was exported.

        Raises `BadInput` where there is no plan to check.
        """
        frozen = self._store.frozen(session)
        history = self._store.history(session)
        if frozen is None:
            self._freeze(history, _day(None))
            frozen = self._store.frozen(session)
        assert frozen is not None, "freezing either succeeds or raises"
        spoken: Lang = lang or frozen.document["lang"]
        document = frozen.document["by_lang"][spoken]
        notes = self._since(history, frozen.document, frozen.turn, spoken)
        return Exported(document["json" if format == "json" else "markdown"], spoken, notes)

    def _answer(self, session: str, key: str, text: str, lang: Lang | None, day: date | None, beside: Beside) -> Reply:
        on = _day(day)
        for _ in range(TRIES):
            history = self._store.history(session)
            place = next((place for place, each in enumerate(history.turns, 1) if each.key == key), 0)
            if place:
                return self._again(history, place, lang)
            try:
                return self._append(history, key, text, lang, on, beside)
            except Conflict:
                # At once, without a pause: whoever waits here loses to the faster one again and again.
                continue
            except HkgpuError:
                self._withdraw(session, key)
                raise
        raise Conflict("too many write to this conversation at once", do="say it again")

    def _append(self, history: History, key: str, text: str, lang: Lang | None, day: date, beside: Beside) -> Reply:
        state = _state(history)
        entry, seen = self._heard(text, state, beside)
        if lang:
            entry["lang"] = lang
        if seen is not None and seen.claims and entry["act"] == "said":
            # What the sentence is worth, in our words; the sentence itself is not kept.
            entry["claims"] = claims_in(seen, text, self._library, entry["lang"])
        reply = turn(state, entry, day, self._library, live=seen)
        reply["session"] = history.session
        if entry["act"] == "export" and reply["checklist"]:
            self._exported(history, reply, day)
        entry["asked"] = reply["questions"][0]["fact"] if reply["questions"] else ""
        entry["open"] = [question["fact"] for question in reply["questions"]]
        entry["day"] = day.isoformat()
        entry["versions"] = {"data": self._library.version, "program": version()}
        self._store.answer(history.session, key, history.version, entry)
        return Reply(reply, reply["lang"])

    def _heard(self, text: str, state: State, beside: Beside) -> tuple[dict[str, Any], Understanding | None]:
        if beside.given:
            entry, seen = chosen(beside.given, state, beside.tongue or "en", self._library), None
        else:
            entry, seen = heard(text, state, self._library)
            if beside.tongue and state.lang is None and not tells_language(text, self._library):
                entry["lang"] = beside.tongue
        if beside.here:
            entry["here"] = [list(each) for each in beside.here]
        if beside.config:
            entry["config"] = beside.config
        return entry, seen

    def _again(self, history: History, place: int, lang: Lang | None) -> Reply:
        """The answer of an earlier turn, from the entries up to it."""
        if not place:
            raise BadInput("nothing was said in this conversation yet", where="session")
        entries = [each.entry for each in history.turns[:place]]
        entry = entries[-1]
        day = date.fromisoformat(str(entry["day"]))
        reply = turn(replayed(entries[:-1]), entry, day, self._library, lang=lang)
        reply["session"] = history.session
        if entry["act"] == "export" and reply["checklist"]:
            self._tell_export(reply, history.session)
        return Reply(reply, reply["lang"])

    def _exported(self, history: History, reply: dict[str, Any], day: date) -> None:
        self._freeze(history, day, lang=reply["lang"])
        self._tell_export(reply, history.session)

    def _tell_export(self, reply: dict[str, Any], session: str) -> None:
        frozen = self._store.frozen(session)
        if frozen is not None:
            wording = Wording(self._library, reply["lang"])
            reply["message"] = talk.filled("exported", wording, plan=frozen.plan, session=session)
            reply["checklist_markdown"] = frozen.document["by_lang"][reply["lang"]]["markdown"]

    def _freeze(self, history: History, day: date, lang: Lang | None = None) -> None:
        state = _state(history)
        document = self._document(state, day)
        last = history.turns[-1].number if history.turns else 0
        document["lang"] = lang or state.lang or "en"
        self._store.freeze(history.session, document["plan"], last, document)

    def _document(self, state: State, day: date) -> dict[str, Any]:
        """The checklist in every language and format, as bytes that stay the same whatever comes later."""
        by_lang: dict[str, dict[str, str]] = {}
        reply: dict[str, Any] = {}
        for lang in LANGS:
            reply = answered(state, day, self._library, Wording(self._library, lang))
            wrapped = Reply(reply, lang)
            by_lang[lang] = {format: answer.render_checklist(wrapped, format) for format in ("markdown", "json")}
        return {"plan": reply["plan"], "data": reply["data_version"], "by_lang": by_lang}

    def _since(self, history: History, document: Mapping[str, Any], last: int, lang: Lang) -> tuple[str, ...]:
        """What would be another checklist now: because of newer data, or of what was said later."""
        before = [each.entry for each in history.turns if each.number <= last]
        wording = Wording(self._library, lang)
        notes = []
        if document["data"] != self._library.version:
            now = self._document(replayed(before), _day(None))
            if _items(now, lang) != _items(document, lang):
                notes.append(talk.filled("newer", wording))
        if replayed(before).slots != _state(history).slots:
            notes.append(talk.filled("moved_on", wording))
        return tuple(notes)

    def _withdraw(self, session: str, key: str) -> None:
        """Take back a message that could not be answered; the person is told and says it again."""
        try:
            self._store.drop(session, key)
        except StoreError:
            return


def render(reply: Reply, format: str) -> str:
    """A turn as `text` for a terminal, `markdown`, or `json` on one line."""
    if format == "json":
        return json.dumps(reply.json, ensure_ascii=False, allow_nan=False)
    if format == "markdown":
        return answer.render(reply, format)
    return talk.render(dict(reply.json), Wording(open_library(), reply.lang))


def told(gone: Forgotten, lang: Lang) -> str:
    """What was forgotten, in words."""
    words = {name: str(getattr(gone, name)) for name in ("turns", "waiting", "plans", "closed")}
    return talk.filled("forgotten", Wording(open_library(), lang), **words)


def retention_days() -> float:
    """How long a conversation is kept after its last turn: HKGPU_RETENTION_DAYS, else 100."""
    said = os.environ.get(RETENTION)
    if not said:
        return RETENTION_DAYS
    try:
        days = float(said)
    except ValueError:
        days = -1.0
    if not 0 < days <= 10**6:
        raise BadInput(f'"{said}" is no number of days', where=RETENTION, expected="a number above 0")
    return days


def _state(history: History) -> State:
    return replayed(each.entry for each in history.turns)


def _items(document: Mapping[str, Any], lang: Lang) -> object:
    return json.loads(document["by_lang"][lang]["json"])["checklist"]


def _day(day: date | None) -> date:
    return day or datetime.now(UTC).date()
