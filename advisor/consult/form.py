"""The desk of forms: which questions there are, which of them matter now, and whether an answer can be taken.

Questions, reasons, choices and defaults are those of `rules/facts`; the step at which one stands is that of
`knowledge/words/wizard.yaml`. A question is shown while some rule that reads its fact can still fire, or while trying
values far apart brings out another answer. It holds no advice. Answers go by slot, a fact's id where it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from advisor.core.facts import Facts
from advisor.core.text import Lang, Text
from advisor.core.units import number
from advisor.dialogue.questions import applies, question_for
from advisor.knowledge.library import Library, open_library
from advisor.knowledge.records.facts import FactRecord
from advisor.report import sentences
from advisor.report.wording import Wording

# Two facts share the slot "task"; this one goes by its id.
_BY_ID = ("tuning.stage",)


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a form in one language. `kind` is its fact's; a `ref` has the catalogue's names as choices."""

    fact: str
    key: str
    step: str
    kind: str
    many: bool
    name: str
    question: str
    why: str
    unit: str
    choices: tuple[tuple[str, str], ...]
    """(value, label), as `--set` takes the value."""
    main: bool
    """Asked in a conversation too; the others refine."""
    assumed: str
    assumed_why: str


def steps() -> tuple[str, ...]:
    """The steps of the form, in order."""
    return tuple(_entries(open_library())["steps"])


def version() -> str:
    """The version of the data that answers rest on."""
    return open_library().version


def key_of(fact: str, library: Library | None = None) -> str:
    """The name under which an answer goes: the slot, or the fact's id where it has none or shares it."""
    record = (library or open_library()).facts[fact]
    return fact if record.slot is None or fact in _BY_ID else record.slot


@lru_cache(maxsize=8)
def fields(lang: Lang) -> tuple[Field, ...]:
    """Every question that the form may ask, by step and in the order to ask."""
    library = open_library()
    wording = Wording(library, lang)
    asked = _asked(library)
    found = [(_place(fact, library), fact) for fact in library.facts if library.facts[fact].question is not None]
    placed = [(*place, fact) for place, fact in found if place is not None]
    order = sorted(placed, key=lambda each: (each[0], each[1], asked.get(each[2], len(asked)), each[2]))
    names = steps()
    return tuple(_field(fact, names[step], asked, library, wording) for step, _, fact in order)


def _entries(library: Library) -> Mapping[str, Any]:
    entries = library.words["wizard"].entries
    assert isinstance(entries, dict), "knowledge/words/wizard.yaml is a mapping"
    return entries


def _asked(library: Library) -> dict[str, int]:
    """The facts that a conversation asks for when a job is to be sized, and how early."""
    orders: Any = library.words["questions"].entries
    early: dict[str, int] = {}
    for intent, facts in orders.items():
        if intent != "troubleshoot":
            for place, fact in enumerate(facts):
                early[fact] = min(place, early.get(fact, place))
    return early


def _place(fact: str, library: Library) -> tuple[int, int] | None:
    """The step and the place within it, or None for a question of another face."""
    entries = _entries(library)
    if any(fact.startswith(start) for start in entries["left_out"]):
        return None
    fitting = [
        (len(start), step, place)
        for step, starts in enumerate(entries["steps"].values())
        for place, start in enumerate(starts)
        if fact.startswith(start)
    ]
    if not fitting:
        # A question under a new folder is asked last rather than never.
        return len(entries["steps"]) - 1, len(library.facts)
    _, step, place = max(fitting, key=lambda each: each[0])
    return step, place


def _field(fact: str, step: str, asked: Mapping[str, int], library: Library, wording: Wording) -> Field:
    record = library.facts[fact]
    question = question_for(fact, library)
    default = record.default
    return Field(
        fact=fact,
        key=key_of(fact, library),
        step=step,
        kind=record.kind,
        many=record.many and record.kind == "choice",
        name=wording.text(record.name.text),
        question=wording.text(question.text),
        why=wording.text(question.why),
        unit=_unit(record, wording),
        choices=tuple(_choices(record, question.choices, library, wording)),
        main=fact in asked,
        assumed=_shown(record, default.value, wording) if default else "",
        assumed_why=wording.text(default.why.text) if default else "",
    )


def _unit(record: FactRecord, wording: Wording) -> str:
    """The unit as the form shows it; a plain number has none."""
    if record.unit in (None, "count"):
        return ""
    return "B" if record.unit == "Gparams" else wording.unit(str(record.unit))


def _choices(
    record: FactRecord, choices: Iterable[tuple[str, Any]], library: Library, wording: Wording
) -> Iterable[tuple[str, str]]:
    if record.ref == "models":
        return sorted(((each.name, _model(each)) for each in library.models.values()), key=lambda one: one[0].lower())
    if record.ref == "gpus":
        labels = {each.label: each.label for each in library.gpus.values() if not each.modified}
        named = {each.name: each.name for each in library.gpus.values()}
        return sorted({**named, **labels}.items(), key=lambda one: (not _here(one[0], library), one[0]))
    if record.ref is not None:
        shelf = library.shelf(record.ref)
        return sorted(((key, str(getattr(shelf[key], "name", key))) for key in shelf), key=lambda one: one[1].lower())
    method = record.id == "tuning.method"
    return [
        (value, wording.fixed(sentences.METHOD, value) if method else wording.text(text)) for value, text in choices
    ]


def _model(model: Any) -> str:
    """Name, size and address on the hub: people search by any of them."""
    return " · ".join(part for part in (model.name, f"{number(model.params)}B", model.hub) if part)


def _here(name: str, library: Library) -> bool:
    """Whether a card is to be had in the place that the operator set: those stand first."""
    from advisor.consult.answer import here

    return any(name == card.label for card in here().cards)


def _shown(record: FactRecord, value: object, wording: Wording) -> str:
    return wording.said(record.slot or record.id, value)


def said(text: Text, lang: Lang) -> str:
    """A label of a face in a language; Traditional is made from Simplified where the label has none."""
    return Wording(open_library(), lang).text(text)


def at_first(facts: Iterable[str]) -> tuple[str, ...]:
    """Those of the facts that are asked before anything was said: quick, and more rather than fewer."""
    library = open_library()
    return tuple(fact for fact in facts if applies(fact, Facts(), library))
