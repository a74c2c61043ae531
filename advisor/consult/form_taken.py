"""The answers of a form as typed, from a link or from a conversation: what can be taken, and why the rest cannot.

Every answer is checked by itself, so that each mistake is told at its own question. What a person typed appears in a
message as text only; nothing of it is evaluated. A link holds answers and nothing about a person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from advisor.consult import form_config
from advisor.consult.form import key_of
from advisor.core.errors import HkgpuError, did_you_mean
from advisor.core.facts import Value
from advisor.core.text import Lang
from advisor.core.units import Quantity, number
from advisor.dialogue.answers import answers_from
from advisor.dialogue.cards import resolve_card
from advisor.dialogue.names import resolve_model
from advisor.knowledge.library import Library, open_library
from advisor.knowledge.records.facts import FactRecord
from advisor.report.asking import FORM
from advisor.report.wording import Wording

Raw = Mapping[str, object]
# Nobody types an answer this long; a longer one is told to be too long.
LONGEST = 2**8
_AMOUNT = re.compile(r"([-+]?[\d.,]*\d[\d.,]*)\s*([a-zA-Z%/]*|[千万萬亿億]*)\s*([a-zA-Z]*)")
_SCALES = {
    "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "万亿": 1e12,
    "million": 1e6, "billion": 1e9,
}  # fmt: skip
# A length of so many "k" is counted in powers of two, as models' windows are.
_BINARY = {"k": 2.0**10}
# Words of a link that are no answers.
CONFIG = "config"
RESERVED = ("lang", "data", "tab", CONFIG)


@dataclass(frozen=True, slots=True)
class Taken:
    """Answers by slot, ready for a consultation; what each wrong one lacks by fact; parts of a link nobody knows."""

    given: dict[str, object] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


class _Wrong(Exception):
    """One answer that cannot be taken: a sentence of `FORM` and its words."""

    def __init__(self, key: str, near: str = "", **words: str) -> None:
        self.key, self.near, self.words = key, near, words


def taken(raw: Raw, lang: Lang) -> Taken:
    """Answers by fact id, as typed; empty ones are no answers."""
    library = open_library()
    wording = Wording(library, lang)
    result = Taken()
    for fact, value in raw.items():
        if value is None or value == "" or value == [] or fact not in library.facts:
            continue
        record = library.facts[fact]
        try:
            result.given[key_of(fact, library)] = _value(record, value, library, wording)
        except _Wrong as wrong:
            result.errors[fact] = _sentence(wrong, wording)
    return result


def _sentence(wrong: _Wrong, wording: Wording) -> str:
    said = wording.fixed(FORM, wrong.key, **wrong.words)
    joint = " " if wording.lang == "en" else ""
    return said + joint + wording.fixed(FORM, "near", near=wrong.near) if wrong.near else said


def _value(record: FactRecord, value: object, library: Library, wording: Wording) -> object:
    if isinstance(value, list | tuple):
        found = [_value(record, each, library, wording) for each in value[: len(record.choices or ()) or None]]
        return found if len(found) != 1 else found[0]
    words = " ".join(str(value).split())
    if len(words) > LONGEST:
        raise _Wrong("too_long")
    if record.kind in ("quantity", "number"):
        return _amount(record, words, wording)
    if record.kind == "boolean":
        if words.lower() not in ("true", "false"):
            raise _Wrong("no_choice", given=words)
        return words.lower() == "true"
    if record.ref == "models":
        if resolve_model(words, None, library) is None:
            names = [each for names in library.models.names().values() for each in names]
            raise _Wrong("no_model", _near(words, names), given=words)
        return words
    if record.ref == "gpus":
        if not resolve_card(words, None, library):
            names = [each for names in library.gpus.names().values() for each in names]
            raise _Wrong("no_card", _near(words, names), given=words)
        return words
    known = library.shelf(record.ref) if record.ref else record.choices or ()
    if words not in known:
        raise _Wrong("no_choice", given=words)
    return words


def _near(word: str, names: list[str]) -> str:
    """The nearest name, or nothing."""
    found = re.search(r'"(.+)"', did_you_mean(word, names))
    return found[1] if found else ""


def _amount(record: FactRecord, words: str, wording: Wording) -> float:
    """A number as people write it: separators, k, M, B, 万, 亿, and a unit of the same kind."""
    found = _AMOUNT.fullmatch(words)
    figure = _figure(found[1]) if found else None
    if found is None or figure is None:
        raise _Wrong("no_number", given=words)
    scale, unit = found[2], found[3]
    own = record.unit or ""
    amount = figure
    if own == "Gparams":
        amount = figure * _SCALES.get(scale.lower(), 1e9 if not scale else math.nan) / 1e9
    elif scale.lower() in _SCALES and (scale != scale.lower() or not _converts(scale, own)):
        window = record.id.startswith("workload.") and scale.lower() in _BINARY
        amount = figure * (_BINARY if window else _SCALES)[scale.lower()]
        unit = unit or own
    elif scale:
        unit, amount = scale + unit, figure
    if unit and own and own != "Gparams" and unit.lower() not in (own.lower(), wording.unit(own).lower()):
        amount = _converted(amount, unit, own, words, wording)
    if not math.isfinite(amount):
        raise _Wrong("no_unit", given=words, unit=wording.unit(own))
    if record.range is not None and not record.range[0] <= amount <= record.range[1]:
        low, high = (number(end) for end in record.range)
        raise _Wrong("outside", given=number(amount), low=low, high=high)
    return amount


def _figure(text: str) -> float | None:
    try:
        return float(re.sub(r",(?=\d{3}\b)", "", text).replace(",", "."))
    except ValueError:
        return None


def _converts(unit: str, own: str) -> bool:
    try:
        Quantity(1.0, unit).to(own)
    except HkgpuError:
        return False
    return bool(own)


def _converted(amount: float, unit: str, own: str, words: str, wording: Wording) -> float:
    try:
        return Quantity(amount, unit).to(own).value
    except HkgpuError:
        raise _Wrong("no_unit", given=words, unit=wording.unit(own)) from None


def link(given: Mapping[str, object], lang: Lang, config: str | None = None) -> str:
    """The answers as the readable part of an address after `?`, with the data that they were answered with."""
    pairs = [
        (key, ",".join(map(_word, value)) if isinstance(value, list) else _word(value)) for key, value in given.items()
    ]
    packed = [(CONFIG, form_config.packed(config))] if config else []
    return urlencode([*pairs, *packed, ("lang", lang), ("data", open_library().version)], safe=",/")


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def from_link(params: Mapping[str, str], lang: Lang) -> Taken:
    """The answers of an address; what is not understood is named and left out."""
    library = open_library()
    by_key = {key_of(fact, library): fact for fact, each in library.facts.items() if each.set_by == "said"}
    raw: dict[str, object] = {}
    unread = []
    for key, value in list(params.items())[: len(by_key)]:
        if key in RESERVED or key.startswith("__"):
            continue
        fact = by_key.get(key, key if key in by_key.values() else "")
        if not fact or len(value) > LONGEST:
            unread.append(key[:LONGEST])
            continue
        many = library.facts[fact].kind == "choice" and library.facts[fact].many
        raw[fact] = value.split(",") if many else value
    loose = _loose(raw, library)
    result = taken(loose, lang)
    return Taken(result.given, result.errors, tuple(unread))


def _loose(raw: dict[str, object], library: Library) -> dict[str, object]:
    """Outsiders' words for a choice ("full_ft") become the fact's own."""
    found = dict(raw)
    for fact, value in raw.items():
        values = library.facts[fact].values
        if isinstance(value, str) and value in values:
            found[fact] = str(values[value])
    return found


def told(given: Mapping[str, object], lang: Lang) -> dict[str, str]:
    """Answers by slot as people read them, by fact id."""
    library = open_library()
    wording = Wording(library, lang)
    return {fact: wording.value(fact, answer.value) for fact, answer in answers_from(given, library).answers[0].items()}


def from_slots(slots: Mapping[str, Any]) -> dict[str, object]:
    """What a conversation or a changed plan has established, as a form shows it: answers as text by fact id."""
    from advisor.consult.turns import asked_of

    library = open_library()
    facts = asked_of(slots, "ask_feasibility", library).answers[0]
    return {key: shown for key, fact in facts.items() for shown in _typed(key, fact.value, library)}


def given_facts(given: Mapping[str, object]) -> dict[str, object]:
    """The same for answers by slot, as a link or a plan has them."""
    library = open_library()
    facts = answers_from(given, library).answers[0]
    return {key: shown for key, fact in facts.items() for shown in _typed(key, fact.value, library)}


def _typed(key: str, value: Value, library: Library) -> Iterator[object]:
    record = library.facts.get(key)
    if record is None or record.question is None:
        return
    if isinstance(value, tuple):
        if record.ref is None:
            yield [str(each) for each in value]
        elif record.ref == "gpus":
            yield library.gpus[str(value[0])].label
    elif record.ref == "models":
        yield library.models[str(value)].name
    elif record.ref == "gpus":
        yield library.gpus[str(value)].name
    elif record.ref is not None:
        yield str(value)
    elif isinstance(value, Quantity | float | int) and not isinstance(value, bool):
        yield f"{value.value if isinstance(value, Quantity) else value:.15g}"
    else:
        yield _word(value)
