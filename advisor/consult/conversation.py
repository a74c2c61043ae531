"""A conversation without its memory: from one message to an entry, and from the entries so far to a state.

An entry is plain JSON: what was understood, with provenance, intent and versions, and never the text. `heard` is the
only place that reads words; `replayed` reads entries alone, from the first one on, so that a changed answer leaves no
stale conclusion behind. Nothing here is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from advisor.core.text import Lang
from advisor.dialogue.bare import NOTHING, bare_answer, leaning, says_only_which
from advisor.dialogue.commands import Command, command_of
from advisor.dialogue.cues import Cues
from advisor.dialogue.lexicon import lexicon_of
from advisor.dialogue.merge import alternatives, merged, methods
from advisor.dialogue.text import normalised
from advisor.dialogue.understand import Understanding, understand
from advisor.knowledge.library import Library

Entry = dict[str, Any]
# Servers: a card's id, cards a server, servers.
Here = tuple[tuple[str, int, int], ...]
FORMAT = 1
# What only carries on what was asked before; everything else sets the topic of the conversation.
_CARRIES_ON = ("provide_info", "correct_slot", "smalltalk", "out_of_scope", "compare")
# Acts that change what holds, and can be taken back.
_MOVES = ("said", "skip", "unknown", "restart")
# Acts in which a person speaks rather than commands.
_SPOKEN = ("said", "compare", "lost", "chat", "declined")
# Facts about the message itself; they hold for its answer and no longer.
PASSING = "asks."
_PIECES = re.compile(r"[,，;；、]|\s+and\s+")
_SIDES = re.compile(
    r"^(?P<one>\d+)\s*(?:and|or|vs\.?|with|to|和|与|跟|同|同埋|还是)\s*(?P<other>\d+)(?P<unit>\s*[a-z张块卡台]+)$"
)
_WORD = re.compile(r"[a-z]{2}|[\u3400-\u9fff]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class State:
    """What holds after the entries so far: slots, topic, what was declined, what was asked last."""

    slots: Mapping[str, Any] = field(default_factory=dict)
    intent: str = ""
    lang: Lang | None = None
    declined: frozenset[str] = frozenset()
    asked: str = ""
    open: tuple[str, ...] = ()
    changing: str = ""
    lost: int = 0
    turns: int = 0
    past: tuple[State, ...] = ()
    here: Here = ()
    """The servers that "here" means in this conversation; empty: what it means for the process."""
    config: str = ""
    """The shape of the model, as a config.json that somebody gave; empty where nobody did."""


def replayed(entries: Iterable[Mapping[str, Any]]) -> State:
    """The state after these entries. Entries of a newer format are passed over in what they say anew."""
    state = State()
    for entry in entries:
        state = advanced(state, entry)
    return state


def advanced(state: State, entry: Mapping[str, Any]) -> State:
    """The state after one more entry."""
    act = str(entry["act"])
    moved = _moved(state, entry, act)
    asked = str(entry.get("asked") or "")
    changing = str(entry.get("about") or "") if act == "change" else state.changing
    return replace(
        moved,
        lang=cast("Lang", entry["lang"]),
        asked=asked,
        open=tuple(entry.get("open", ())),
        changing="" if act in (*_MOVES, "back") else changing,
        lost=state.lost + 1 if act == "lost" else 0,
        turns=state.turns + 1,
        past=(*state.past, replace(state, past=())) if act in _MOVES else moved.past,
        here=tuple((str(gpu), int(count), int(nodes)) for gpu, count, nodes in entry.get("here", ())),
        config=str(entry.get("config", moved.config)),
    )


def _moved(state: State, entry: Mapping[str, Any], act: str) -> State:
    if act == "said":
        new = answers(entry)
        slots = merged(state.slots, new, [f"forget:{slot}" for slot in entry.get("forgets", ())])
        intent = str(entry["intent"])
        topic = state.intent if state.intent and intent in _CARRIES_ON else intent
        return replace(state, slots=slots, intent=topic, declined=state.declined - set(new))
    if act in ("skip", "unknown"):
        return replace(state, declined=state.declined | {str(entry["about"])} - {""})
    if act == "restart":
        return State(turns=state.turns)
    if act == "back" and state.past:
        earlier = state.past[-1]
        return replace(earlier, past=state.past[:-1], turns=state.turns)
    if act == "change":
        return replace(state, declined=state.declined - {str(entry["about"])})
    return state


def answers(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The slots that an entry says."""
    return {answer["slot"]: answer["value"] for answer in entry.get("answers", ())}


def overlaid(state: State, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The slots that an answer speaks of: what holds, and what is said for this answer alone.

    The sides of a comparison, and what a message asks for (`asks.*`), are not the plan: they are gone with the answer.
    """
    slots = {**state.slots, **entry.get("passing", {})}
    if entry["act"] != "compare":
        return slots
    return merged(slots, alternatives(state.slots, answers(entry)))


def heard(text: str, state: State, library: Library) -> tuple[Entry, Understanding]:
    """What one message says in a conversation, and how it was understood. Never raises for any text."""
    seen = understand(text, library, dict(state.slots) or None)
    command = command_of(text, library)
    entry = _commanded(command, state, library) if command is not None else None
    if entry is None:
        entry = _bare(text, state, seen, library) or _spoken(text, state, seen, library)
    entry.setdefault("answers", [])
    entry.setdefault("intent", seen.intent)
    return {"format": FORMAT, **entry, "lang": _lang(seen.prose or text, entry, state, seen, library)}, seen


def _commanded(command: Command, state: State, library: Library) -> Entry | None:
    if command.name == "compare":
        return _compared(command, state, library)
    if command.name == "change" and command.value:
        return _changed(command, library)
    if command.name == "change":
        return {"act": "change", "about": command.slot, "intent": "correct_slot"}
    if command.name in ("skip", "unknown") and not state.asked:
        return None
    about = command.slot or (state.asked if command.name in ("why", "skip", "unknown") else "")
    name = "explain" if command.name == "why" and not about else command.name
    intents = {"why": "ask_explain", "explain": "ask_explain", "export": "ask_checklist"}
    if not state.slots and state.intent != "ask_checklist":
        del intents["export"]  # nothing was said that a checklist could be of
    return {"act": name, "about": about, "intent": intents.get(name, "provide_info")}


def _compared(command: Command, state: State, library: Library) -> Entry | None:
    # "4 and 8 cards": the first number borrows the unit of the second.
    sides = _SIDES.sub(r"\g<one>\g<unit> or \g<other>\g<unit>", command.value)
    seen = understand(sides, library)
    if not seen.slots:
        return None
    return {"act": "compare" if state.slots else "said", "answers": said(seen.slots), "intent": "compare"}


def _changed(command: Command, library: Library) -> Entry:
    """`change X to V`: V as an answer to the question about X; where that is no value, the question is asked again."""
    fact = fact_of(command.slot, library)
    found = bare_answer(command.value, fact, library) if fact else None
    if not isinstance(found, dict):
        slots = understand(command.value, library).slots
        found = dict(slots) if command.slot in slots else None
    if found is None:
        return {"act": "change", "about": command.slot, "intent": "correct_slot"}
    return {"act": "said", "answers": said(found), "intent": "correct_slot"}


def _bare(text: str, state: State, seen: Understanding, library: Library) -> Entry | None:
    """A message that is no more than the answer to the question asked."""
    fact = fact_of(state.asked, library, None if state.changing == state.asked else state.slots)
    if not fact or state.asked in seen.slots:
        return None
    found = bare_answer(text, fact, library)
    rest: Mapping[str, Any] = {}
    if found is None and seen.slots and seen.intent != "correct_slot":
        found = bare_answer(_PIECES.split(text, maxsplit=1)[0], fact, library)
        found = None if found == NOTHING else found
        rest = seen.slots
    elif isinstance(found, dict) and seen.slots and _WORD.search(text):
        # "8张" to a question about length: the message says what its number counts.
        return None
    if found is None and not seen.slots:
        found = _answer_to_another(text, state, library)
    if found is None:
        return None
    if found == NOTHING:
        return {"act": "skip", "about": state.asked, "intent": "provide_info"}
    return {"act": "said", "answers": said({**rest, **cast("dict[str, Any]", found)}), "intent": "provide_info"}


def _answer_to_another(text: str, state: State, library: Library) -> dict[str, Any] | None:
    """`港币` while something else is asked: the name of a choice says by itself which open question it answers."""
    if says_only_which(text, library):
        return None
    for slot in state.open:
        fact = fact_of(slot, library, state.slots)
        found = bare_answer(text, fact, library) if fact and library.facts[fact].kind == "choice" else None
        if isinstance(found, dict):
            return found
    return None


def _spoken(text: str, state: State, seen: Understanding, library: Library) -> Entry:
    passing = {key: value for key, value in seen.facts.items() if key.startswith(PASSING)}
    known = {**{key: value for key, value in seen.facts.items() if key not in passing}, **seen.slots}
    if not known and (changed := leaning(text, state.slots, library)):
        return {"act": "said", "answers": said(changed), "intent": "correct_slot"}
    cues = Cues(lexicon_of(library).intents).seen(normalised(text))
    if seen.intent == "out_of_scope":
        # In the middle of a conversation, words that mean nothing to us are more likely a slip than another subject.
        return {"act": "declined" if "out_of_scope" in cues or not state.slots else "lost"}
    if seen.intent == "compare" and seen.slots and state.slots:
        return {"act": "compare", "answers": said(seen.slots)}
    forgets = sorted(note.removeprefix("forget:") for note in seen.notes if note.startswith("forget:"))
    if not known and not passing and not seen.rejected and not seen.claims and not forgets:
        if seen.intent == "smalltalk" and ("smalltalk" in cues or not state.turns):
            return {"act": "chat"}
        if seen.intent in ("smalltalk", "provide_info", "correct_slot"):
            return {"act": "lost"}
        if seen.intent == "ask_explain" and state.slots:
            return {"act": "explain", "about": ""}
    return {
        "act": "said",
        "answers": said(known),
        "passing": passing,
        "forgets": forgets,
        "rejected": [{"slot": each.get("slot", ""), "reason": each.get("reason", "")} for each in seen.rejected],
    }


def chosen(given: Mapping[str, Any], state: State, lang: Lang, library: Library) -> Entry:
    """What a button or a form says in a conversation: values by slot or fact, and no words."""
    intent = "provide_info" if state.slots else "ask_feasibility"
    slots: dict[str, Any] = {}
    for key, value in given.items():
        slot, spoken = _spoken_value(key, value, library)
        slots[slot] = [*slots.get("task", ()), *spoken] if slot == "task" else spoken
    return {"format": FORMAT, "act": "said", "answers": said(slots), "intent": intent, "lang": state.lang or lang}


def _spoken_value(key: str, value: Any, library: Library) -> tuple[str, Any]:
    """A slot and its value as a sentence would have given them: "full" of the method is `full_ft` of the task."""
    fact = fact_of(key, library)
    record = library.facts.get(fact)
    if record is None:
        return key, value
    words = {known: word for word, known in reversed(record.values.items())}
    if record.slot == "task":
        stages = library.facts["tuning.stage"].values
        words = {**{known: word for word, known in reversed(stages.items())}, **words}
        return "task", [words.get(str(each), str(each)) for each in (value if isinstance(value, list) else [value])]
    if record.kind == "boolean" and isinstance(value, str):
        return record.slot or fact, value == "true"
    return record.slot or fact, words.get(value, value) if isinstance(value, str) else value


def said(slots: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Slots as the answers of an entry."""
    return [{"slot": slot, "value": value, "provenance": "said"} for slot, value in slots.items()]


def fact_of(slot: str, library: Library, slots: Mapping[str, Any] | None = None) -> str:
    """The fact that a slot's question is about, or an empty string.

    `task` is first a question about the method; where `slots` name one already, about the stage.
    """
    if slot == "task":
        return "tuning.stage" if slots and methods(slots.get("task", ())) else "tuning.method"
    if slot in library.facts:
        return slot
    return next((record.id for record in library.facts.values() if record.slot == slot), "")


def _lang(text: str, entry: Mapping[str, Any], state: State, seen: Understanding, library: Library) -> Lang:
    """The language to answer in: the message's, but a bare value, a term or a command keeps the conversation's."""
    spoken: Lang = "en" if seen.lang == "en" else ("zh-Hant" if seen.lang == "zh-Hant" else "zh")
    if state.lang is None:
        return spoken
    if spoken == "en" and not (entry["act"] in _SPOKEN and _english(text, library)):
        return state.lang
    if spoken == "zh" and state.lang == "zh-Hant" and not _only_simplified(text, library):
        return state.lang
    return spoken


def tells_language(text: str, library: Library) -> bool:
    """Whether a text shows in which language its writer thinks: "70B QLoRA 2x H100" does not."""
    return bool(re.search(r"[\u3400-\u9fff]", text)) or _english(text, library)


def _english(text: str, library: Library) -> bool:
    """Whether a text has an English word that is no term: Chinese writers say `QLoRA` and `2x H100` too."""
    return not lexicon_of(library).ordinary.isdisjoint(re.findall(r"[a-z']+", normalised(text)))


def _only_simplified(text: str, library: Library) -> bool:
    """Whether a text holds a character that Traditional writing does not use."""
    from advisor.knowledge.hant import to_hant

    return any(to_hant(char, library) != char for char in text)
