"""Answers after a change: a slider moved, a lever pulled, an option taken.

A change is a change of answers and nothing else: the plan after it is that of a full consultation over the new answers.
What a plan filled in by itself (cards, method, a lighter optimizer) becomes an answer when it has to stay as it is
while something else moves. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.consult.desk import Desk
from advisor.consult.form import key_of
from advisor.consult.stated import forms
from advisor.consult.trial import as_run
from advisor.core.answer import Hardware, Judged, Lever
from advisor.core.facts import Facts, Value
from advisor.core.units import Quantity
from advisor.dialogue.cards import resolve_card
from advisor.knowledge.library import Library

Given = dict[str, object]
LENGTH, BATCH, AT_ONCE, CARDS = "workload.seq_len", "workload.micro_batch", "serving.concurrency", "gpu.count"
METHOD = "tuning.method"
# What says how much hardware there is, beside the card and its count.
_BESIDE = ("gpu.memory", "gpu.memory_total", "gpu.count_total")
_JOB = ("model.id", "model.params", "model.active_params")


def changed(given: Mapping[str, object], facts: Mapping[str, object], library: Library) -> Given:
    """The answers with these facts changed, by fact id; None takes an answer back."""
    found = dict(given)
    for fact, value in facts.items():
        key = key_of(fact, library)
        if fact == METHOD:
            found = _with_method(found, str(value), library)
            continue
        for name in (key, fact):
            found.pop(name, None)
        if value is not None:
            found[key] = value
    return found


def _with_method(given: Given, method: str, library: Library) -> Given:
    """The answers with another method; what else the task says (preference training, reranking) stays."""
    record = library.facts[METHOD]
    outside = {inside: outside for outside, inside in record.values.items()}
    methods = {*record.values, *map(str, record.values.values()), *(record.choices or ())}
    task = given.get(key_of(METHOD, library), [])
    words = task if isinstance(task, list) else [word.strip() for word in str(task).split(",")]
    kept = [str(word) for word in words if word and word not in methods]
    found = {key: value for key, value in given.items() if key not in (METHOD, key_of(METHOD, library))}
    named = str(outside.get(method, method))
    return {**found, key_of(METHOD, library): [named, *kept] if kept else named}


def pinned(given: Mapping[str, object], desk: Desk, plan: Judged, *, batch: bool = False) -> Given:
    """The answers with what the plan filled in by itself, so that only what moves next can change it.

    The micro-batch stays open unless `batch`, since it follows from what else is set; where time or money is limited it
    is part of the plan, because a smaller one is slower.
    """
    if plan.option is None or id(plan) not in desk.tried:
        return dict(given)
    said, base, candidate = desk.tried[id(plan)]
    library = desk.library
    run = as_run(said, base, candidate.task)
    filled: dict[str, object] = {key: _typed(fact.value) for key, fact in run.items() if fact.why == "plan"}
    filled |= {key: None for key in said if key not in run}
    filled.pop(METHOD, None)
    limited = candidate.task.deadline_h is not None or candidate.task.currency is not None
    if limited and "micro_batch" in base.open and plan.option.micro_batch > 1:
        filled[BATCH] = plan.option.micro_batch
    elif not batch:
        filled.pop(BATCH, None)
    filled |= dict(_job(given, said, library))
    named = _method_named(given, library)
    now = changed(given, filled, library)
    if named != [candidate.task.method]:
        now = changed(now, {METHOD: candidate.task.method}, library)
    return _with_hardware(now, plan.option.hardware, library)


def after_lever(given: Mapping[str, object], desk: Desk, lever: Lever) -> Given:
    """The answers after a lever."""
    kinds = {lever.kind, *(kind for kind, _, _ in lever.also)}
    return pinned(given, desk, lever.judged, batch="micro_batch" in kinds)


def _typed(value: Value) -> object:
    """A value as a form gives it."""
    if isinstance(value, Quantity):
        return int(value.value) if value.value == int(value.value) else value.value
    return list(value) if isinstance(value, tuple) else value


def _job(given: Mapping[str, object], said: Facts, library: Library) -> Iterator[tuple[str, object]]:
    """Of several models named together, the one that the plan is for."""
    for fact in _JOB:
        value = said.value(fact)
        if isinstance(given.get(key_of(fact, library)), list | dict) and value is not None:
            model = library.models.get(str(value)) if fact == "model.id" else None
            yield fact, model.name if model is not None else _typed(value)


def _method_named(given: Mapping[str, object], library: Library) -> list[str]:
    """The methods that the answers name, as the facts call them."""
    record = library.facts[METHOD]
    task = given.get(METHOD, given.get(key_of(METHOD, library), []))
    words = task if isinstance(task, list) else [word.strip() for word in str(task).split(",")]
    inside = (str(record.values.get(str(word), word)) for word in words)
    return [word for word in inside if word in (record.choices or ())]


def _with_hardware(given: Given, hardware: Hardware, library: Library) -> Given:
    """The answers with a plan's hardware; a card that the answers name in other words keeps its name."""
    facts: dict[str, object] = {CARDS: hardware.per_node, **dict.fromkeys(_BESIDE)}
    if hardware.nodes > 1 or any(name in given for name in ("nodes", "gpu.nodes")):
        facts["gpu.nodes"] = hardware.nodes
    said = given.get(key_of("gpu.id", library), given.get("gpu.id"))
    size = given.get(key_of("gpu.memory", library), given.get("gpu.memory"))
    if not isinstance(said, str) or size is not None or not _means(said, hardware, library):
        names = (hardware.label, library.gpus[hardware.gpu].name)
        name = next((name for name in names if _means(name, hardware, library)), None)
        facts["gpu.id"] = name
        if name is None:  # a name that other cards bear too: then the card goes by its id
            return {**changed(given, facts, library), "gpu.id": hardware.gpu}
    return changed(given, facts, library)


def _means(name: str, hardware: Hardware, library: Library) -> bool:
    """Whether a name stands for the card of this hardware, in this number."""
    ids = [name] if name in library.gpus else resolve_card(name, None, library)
    found = forms([library.gpus[each] for each in ids], hardware.per_node)
    return [card.id for card in found] == [hardware.gpu]
