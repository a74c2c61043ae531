"""A bare answer to the question that was asked: `2048`, `second one`, `没有`.

It reads a message as the value of one fact and of nothing else, and only where the message is no more than such a
value; anything longer is left to the grammar of whole messages. A value outside the fact's range is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from advisor.dialogue.commands import Phrases, core, phrases_of
from advisor.dialogue.numbers import han_value
from advisor.dialogue.understand import understand

# A choice is one of these; `NOTHING` is "there is none" where the fact has no such value: the question is settled.
NOTHING = "nothing"
_NUMBER = re.compile(r"^(?P<digits>\d[\d,]{0,14}(?:\.\d{1,6})?)\s*(?P<rest>[^\d]*)$")
_SHORT = 2**5  # characters of an answer that is more than one word and still no sentence of its own
_SIZE = re.compile(r"^\d[\d.,]*\s*[gt](?:i?b)?$")
_HAN = re.compile(r"^(?P<digits>[零一二两三四五六七八九十百千万亿半]+)(?P<rest>[^\d]*)$")


def bare_answer(text: str, fact: str, library: Any) -> dict[str, Any] | str | None:
    """The slots that a bare answer fills, `NOTHING`, or None where the message is no bare answer to this fact."""
    phrases = phrases_of(library)
    record = library.facts[fact]
    said = core(text) if len(text) <= 2**7 else ""
    if not said:
        return None
    slot = record.slot or record.id
    for form in dict.fromkeys((said, phrases.bare(said, phrases.polite), phrases.bare(said, phrases.filler))):
        found = _value(form, record, slot, phrases, library)
        if found is not None:
            return found
    return None


def leaning(text: str, slots: Mapping[str, Any], library: Any) -> dict[str, Any]:
    """What an elliptic figure (`and for 1 TB?`, `那1T呢`) changes: the slot of that unit which was said last."""
    phrases = phrases_of(library)
    said = core(text) if len(text) <= 2**6 else ""
    said = phrases.bare(phrases.bare(said, phrases.leans), phrases.filler)
    if not said or not _SIZE.match(said):
        return {}
    for slot in reversed(list(slots)):
        if slot.endswith("_gb") and (found := _carried(said, slot, phrases, library)) is not None:
            return {slot: found[slot]}
    return {}


def says_only_which(text: str, library: Any) -> bool:
    """Whether an answer makes sense for the question before it alone: yes, no, a number, `the second one`."""
    phrases = phrases_of(library)
    said = phrases.bare(core(text[: 2**7]), phrases.filler)
    return said in phrases.yes or said in phrases.no or said in phrases.ordinals or said[:1].isdigit()


def _value(said: str, record: Any, slot: str, phrases: Phrases, library: Any) -> dict[str, Any] | str | None:
    if record.kind == "boolean":
        return _boolean(said, slot, phrases)
    if record.kind == "choice":
        return _choice(said, record, slot, phrases, library) or _carried(said, slot, phrases, library)
    if record.kind in ("quantity", "number"):
        return NOTHING if said in phrases.no else _number(said, record, slot, phrases, library)
    return NOTHING if said in phrases.no else None


def _boolean(said: str, slot: str, phrases: Phrases) -> dict[str, Any] | None:
    if said in phrases.yes or phrases.ordinals.get(said) == 1:
        return {slot: True}
    if said in phrases.no or phrases.ordinals.get(said) == 2:
        return {slot: False}
    if len(said) <= _SHORT and not re.search(r"\d\s?%", said):
        if said.startswith(phrases.no_begins):
            return {slot: False}
        if said.startswith(phrases.yes_begins):
            return {slot: True}
    return None


def _choice(said: str, record: Any, slot: str, phrases: Phrases, library: Any) -> dict[str, Any] | str | None:
    labels = library.words["choices"].entries
    names: dict[str, str] = {}
    for choice in record.choices:
        label = labels.get(f"{record.id}.{choice}") or labels.get(choice) or {}
        for name in (choice, choice.replace("_", " "), *label.values()):
            names.setdefault(core(str(name)), choice)
    for spoken, choice in record.values.items():
        names.setdefault(core(str(spoken)), choice)
    place = phrases.ordinals.get(said) or (int(said) if re.fullmatch(r"[1-9]\d?", said) and said not in names else 0)
    if place and place <= len(record.choices):
        return _chosen(record.choices[place - 1 if place > 0 else place], record, slot)
    if said in names:
        return _chosen(names[said], record, slot)
    near = [choice for name, choice in names.items() if len(name) > 1 and name in said and len(said) <= 2 * len(name)]
    if len(set(near)) == 1:
        return _chosen(near[0], record, slot)
    return NOTHING if said in phrases.no else None


def _chosen(choice: str, record: Any, slot: str) -> dict[str, Any]:
    spoken = next((word for word, value in record.values.items() if value == choice), choice)
    if slot == "task":
        return {slot: [spoken]}
    return {slot: spoken}


def _number(said: str, record: Any, slot: str, phrases: Phrases, library: Any) -> dict[str, Any] | None:
    """A number, its scale and perhaps its unit, read in the sentence that such a number usually stands in."""
    found = _NUMBER.match(said) or _HAN.match(said)
    if found is None or len(found["rest"]) > 2**4:
        return None
    carried = _carried(said, slot, phrases, library)
    if carried is not None and _is_number(carried[slot]):
        return carried
    if found["rest"].strip():
        return None
    value = han_value(found["digits"]) if not found["digits"][0].isdigit() else float(found["digits"].replace(",", ""))
    if value is None or (record.range is not None and not record.range[0] <= value <= record.range[1]):
        return None
    return {slot: int(value) if value == int(value) else value}


def _carried(said: str, slot: str, phrases: Phrases, library: Any) -> dict[str, Any] | None:
    """What the grammar reads once the answer stands in the sentence that such an answer usually stands in."""
    carrier = phrases.carriers.get(slot)
    if carrier is None or len(said) > 2**4:
        return None
    # With the unit that a number may lack, then as it was written.
    for form in dict.fromkeys((carrier, re.sub(r"…\S*", "…", carrier))):
        slots = understand(form.replace("…", said), library).slots
        if slot in slots and not isinstance(slots[slot], list | dict):
            # "3万/月" says the period too; a carrier with a number of its own says nothing beyond the slot.
            family = slot.partition("_")[0] + "_" if re.search(r"\d", carrier) is None else slot
            return {key: value for key, value in slots.items() if key == slot or key.startswith(family)}
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
