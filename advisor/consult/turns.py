"""One turn of a conversation: from the state before and an entry to the answer.

The answer is that of a consultation over everything said so far; around it stand what the turn itself was about, what
it changed, and which questions are left. A turn can be worded again at any time from the entries alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from advisor.consult import answer
from advisor.consult.again import Again, key_of
from advisor.consult.consultation import consult
from advisor.consult.conversation import PASSING, State, advanced, fact_of, overlaid
from advisor.consult.desk import Asked
from advisor.consult.here import market_of
from advisor.consult.worth import first_worth_asking
from advisor.core.text import Lang
from advisor.dialogue.answers import answers_of
from advisor.dialogue.merge import replaced
from advisor.dialogue.questions import question_for
from advisor.dialogue.understand import Understanding
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market
from advisor.report import talk
from advisor.report.compose import compose
from advisor.report.wording import Wording

Json = dict[str, Any]
_ANSWERS: Again[Json] = Again()
_ORDERS: Again[list[str]] = Again()
_NO_PLAN = {"declined": "out_of_scope", "chat": "smalltalk"}


def turn(
    before: State, entry: Mapping[str, Any], day: date, library: Library, *, live: Understanding | None = None,
    lang: Lang | None = None,
) -> Json:  # fmt: skip
    """The answer to one entry. `live` is the message as understood: what it rejected is told once and never stored."""
    after = advanced(before, entry)
    wording = Wording(library, lang or after.lang or "en")
    act = str(entry["act"])
    intent = _NO_PLAN.get(act) or ("compare" if act == "compare" else after.intent or str(entry["intent"]))
    slots = {} if act in _NO_PLAN else overlaid(after, entry)
    asked = asked_of(slots, intent, library, live.rejected if live else (), after.config)
    market = market_of(after.here, library)
    reply = _composed(asked, day, library, wording, market)
    if entry.get("claims"):
        reply.update(answer.claimed(answer.Reply(reply, wording.lang), entry["claims"]).json)
    reply.update(intent=entry["intent"], act=act, turn=after.turns, message="", choices=[], full=not before.slots)
    _questions(reply, after, asked, day, library, wording, market)
    if act in ("said", "back", "restart") and replaced(before.slots, after.slots):
        earlier = answered(before, day, library, wording)
        reply["changes"] = talk.changes(earlier, reply, wording)
    _message(reply, before, entry, library, wording)
    return reply


def answered(state: State, day: date, library: Library, wording: Wording) -> Json:
    """The answer to what is known, in the contract's shape."""
    asked = asked_of(state.slots, state.intent, library, config=state.config)
    return _composed(asked, day, library, wording, market_of(state.here, library))


def asked_of(
    slots: Mapping[str, Any], intent: str, library: Library, rejected: tuple[Mapping[str, Any], ...] = (),
    config: str = "",
) -> Asked:  # fmt: skip
    """What is known, as a consultation takes it."""
    loose = {key: value for key, value in slots.items() if key in library.facts and library.facts[key].slot is None}
    named = {key: value for key, value in slots.items() if key not in loose}
    seen = Understanding("", intent or "provide_info", named, rejected, facts=loose)
    sets = answers_of(seen, library)
    understood = {key: value for key, value in {**loose, **sets.slots}.items() if not key.startswith(PASSING)}
    shape = _shape(config) if config else None
    return Asked(tuple(sets.answers), seen.intent, understood, tuple(rejected), tuple(sets.problems), shape)


@lru_cache(maxsize=16)
def _shape(config: str) -> Architecture:
    from advisor.knowledge.hub_config import read_config

    return read_config(config).architecture


def _composed(asked: Asked, day: date, library: Library, wording: Wording, market: Market) -> Json:
    def made() -> Json:
        return compose(consult(asked, day, library, answer.rules(library), market), library, wording)

    # The turn puts its own things beside the answer; what is kept stays as it is.
    return dict(_ANSWERS.get(key_of(asked, day, library, market, wording.lang), made))


def _questions(
    reply: Json, after: State, asked: Asked, day: date, library: Library, wording: Wording, market: Market
) -> None:
    """The questions left, none that was declined: first what is to be answered anew, then what matters most."""
    left: dict[str, Json] = {}
    for each in reply["questions"]:
        if each["fact"] not in after.declined:
            left.setdefault(fact_of(each["fact"], library, after.slots), each)
    fact = fact_of(after.changing, library)
    if fact and library.facts[fact].question is not None:
        first = talk.question_json(question_for(fact, library), wording)
        order = [fact, *(each for each in left if each != fact)]
        left[fact] = first
    else:
        key = key_of(asked, day, library, market, *left)
        order = _ORDERS.get(key, lambda: first_worth_asking(left, asked, day, library, market))
    reply["questions"] = [left[each] for each in order]
    reply["questions_left"] = len(order)


def _message(reply: Json, before: State, entry: Mapping[str, Any], library: Library, wording: Wording) -> None:
    act, about = str(entry["act"]), str(entry.get("about") or "")
    if act in ("skip", "unknown"):
        reply["message"] = _declined(about, reply, library, wording)
    elif act == "back":
        reply["message"] = talk.filled("back" if before.past else "nothing_back", wording)
    elif act == "why":
        reply["message"] = _why(about, library, wording) or talk.filled("no_question", wording)
    elif act == "explain":
        reply["message"] = _explained(about, reply, before, library, wording)
    elif act == "change":
        fact = fact_of(about, library)
        known = fact and library.facts[fact].question is not None
        reply["message"] = talk.filled("change" if known else "unchangeable", wording)
    elif act == "export" and not reply["checklist"]:
        reply["message"] = talk.filled("nothing_to_export", wording)
    elif act == "lost":
        twice = before.lost > 0
        reply["message"] = talk.filled("lost_choices" if twice else "lost", wording)
        question = reply["questions"][0] if before.slots and reply["questions"] else None
        reply["choices"] = talk.offers(question, wording) if twice else []
    elif act in ("help", "restart"):
        reply["message"] = talk.filled(act, wording)


def _declined(about: str, reply: Json, library: Library, wording: Wording) -> str:
    assumed = talk.assumption(about, reply)
    if assumed is None:
        return talk.filled("skipped", wording)
    record = library.facts[fact_of(about, library)]
    name = wording.text(record.name.text)
    return talk.filled("skipped_assumed", wording, name=name, value=str(assumed["value"]), why=assumed["why"])


def _why(about: str, library: Library, wording: Wording) -> str:
    record = library.facts.get(fact_of(about, library))
    if record is None:
        return ""
    return wording.text(record.why.text if record.why else record.name.text)


def _explained(about: str, reply: Json, before: State, library: Library, wording: Wording) -> str:
    if not before.slots:
        return talk.filled("nothing_yet", wording)
    facts = {fact_of(about, library)} if about else set()
    head = [reply["summary"]] if not about else [_why(about, library, wording)]
    return "\n".join(line for line in [*head, *talk.reasons(reply, facts, wording)] if line)
