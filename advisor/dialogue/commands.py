"""What is said to the assistant itself: why, skip, back, start over, change X, compare A and B, explain, export, help.

A command is the whole message; a question about a server that happens to hold the word "change" is no command. The
words stand in `knowledge/words/commands.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from advisor.dialogue.text import normalised

ALONE = ("why", "skip", "unknown", "back", "restart", "explain", "export", "show", "help")
_EDGE = " \n.,;:!。、…~\"'()[]"
_BECOMES = "改成|改为|改做|换成|转做|设为|设成|变成|变为"
_TO = re.compile(rf"^(?P<what>.+?)\s*(?:\bto\b|\binto\b|=|{_BECOMES}|成|为)\s*(?P<value>[^=]+)$")
_TAKE = re.compile(rf"^(?:把|将|set |make )?(?P<what>[^\d=:]+?)\s*(?:=|:|{_BECOMES}| to )\s*(?P<value>[^=]+)$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the slot that it is about, and the rest of what was said with it."""

    name: str
    slot: str = ""
    value: str = ""


class Phrases:
    """The phrases of the commands, ready to be looked up."""

    def __init__(self, entries: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        self.alone = {key: name for name in ALONE for key in self._keys(entries[name])}
        prefixes = [(key, name) for name, words in entries["with"].items() for key in self._keys(words)]
        self.prefixes = sorted(prefixes, key=lambda pair: -len(pair[0]))
        self.polite = sorted(self._keys(entries["polite"]), key=len, reverse=True)
        self.filler = sorted(self._keys(entries["filler"]), key=len, reverse=True)
        self.leans = sorted(self._keys(entries["leans"]), key=len, reverse=True)
        self.yes, self.no = set(self._keys(entries["yes"])), set(self._keys(entries["no"]))
        self.no_begins, self.yes_begins = (tuple(map(str, entries[key])) for key in ("no_begins", "yes_begins"))
        self.ordinals = {key: int(place) for place, words in entries["ordinals"].items() for key in self._keys(words)}
        self.carriers: Mapping[str, str] = entries["carriers"]
        self.slots: dict[str, str] = {}
        for record in facts.values():
            if record.set_by == "said":
                slot = record.slot or record.id
                for name in (slot, record.id, record.name.text.en, record.name.text.zh, slot.replace("_", " ")):
                    self.slots.setdefault(core(name), slot)
        self.slots.update({key: slot for slot, words in entries["names"].items() for key in self._keys(words)})

    @staticmethod
    def _keys(words: Iterable[object]) -> list[str]:
        return [core(str(word)) or str(word) for word in words]

    def bare(self, text: str, words: Iterable[str]) -> str:
        """The text without any of these words at its ends."""
        while True:
            shorter = text
            for word in words:
                shorter = _without(shorter, word)
            if shorter == text:
                return text
            text = shorter

    def slot_named(self, text: str) -> str:
        """The slot that a name means, or an empty string."""
        return self.slots.get(core(text), "") or self.slots.get(core(text).removeprefix("the "), "")


def core(text: str) -> str:
    """A text as phrases are compared: normalised, single spaces, no punctuation at the ends."""
    return " ".join(normalised(text).split()).strip(_EDGE + "?")


def _without(text: str, word: str) -> str:
    latin = word[-1:].isascii()
    if text.startswith(word) and len(text) > len(word) and (not latin or not text[len(word)].isalnum()):
        text = text[len(word) :].strip(_EDGE + "?")
    if text.endswith(word) and len(text) > len(word) and (not latin or not text[-len(word) - 1].isalnum()):
        text = text[: -len(word)].strip(_EDGE + "?")
    return text


_KEPT: WeakKeyDictionary[Any, Phrases] = WeakKeyDictionary()


def phrases_of(library: Any) -> Phrases:
    """The commands of a library, built once."""
    if (known := _KEPT.get(library)) is None:
        known = _KEPT[library] = Phrases(library.words["commands"].entries, library.facts)
    return known


def command_of(text: str, library: Any) -> Command | None:
    """The command that a message is, or None. Never raises for any text."""
    phrases = phrases_of(library)
    said = core(text[: 2**8]) if len(text) <= 2**8 else ""
    if normalised(text).strip() in ("?",):
        return Command("help")
    if not said:
        return None
    for form in (said, phrases.bare(said, phrases.polite)):
        if form in phrases.alone:
            return Command(phrases.alone[form])
    return _with_object(phrases.bare(said, phrases.polite), phrases) or _assignment(said, phrases)


def _with_object(said: str, phrases: Phrases) -> Command | None:
    for prefix, name in phrases.prefixes:
        if not said.startswith(prefix) or len(said) == len(prefix):
            continue
        if prefix[-1].isascii() and said[len(prefix)].isalnum():
            continue
        rest = said[len(prefix) :].strip()
        if name == "compare":
            return Command("compare", value=rest)
        if (slot := phrases.slot_named(rest)) != "":
            return Command(name, slot)
        found = _TO.match(rest) if name == "change" else None
        if found is not None and (slot := phrases.slot_named(found["what"])) != "":
            return Command("change", slot, found["value"].strip())
    return None


def _assignment(said: str, phrases: Phrases) -> Command | None:
    """`gpu_count = 4`, `把卡数改成4`: a slot by name, and its value."""
    found = _TAKE.match(said)
    slot = phrases.slot_named(found["what"]) if found else ""
    return Command("change", slot, found["value"].strip()) if found and slot else None
