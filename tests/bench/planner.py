"""The planner's share of a turn, without any rule: every method of a bare question, the levers of a refusal."""

from __future__ import annotations

from advisor.core.answer import Hardware
from advisor.core.facts import Fact, Facts
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market
from advisor.plan.levers import changes
from advisor.plan.options import every, ranked
from advisor.plan.search import Candidate, candidates, on_hardware
from advisor.plan.task import Task, model_of, task_of

METHODS = ("full", "lora", "qlora")


def tasks(library: Library, params: float) -> list[Task]:
    """The job of each method with the defaults that a consultation takes."""
    given = {"model.params": Fact("model.params", Quantity(params, "Gparams"), "said")}
    facts = dict(given)
    for key, record in library.facts.items():
        if record.default is not None and key not in facts:
            value = record.default.value
            shown = Quantity(float(value), record.unit or "") if record.kind == "quantity" else value
            facts[key] = Fact(key, shown, "default")
    known = Facts(facts)
    seen = model_of(known, library)
    assert seen is not None
    return [task_of(known, method, library, seen=seen) for method in METHODS]


def search(library: Library, market: Market, params: float = 70) -> list[tuple[str, list[Candidate]]]:
    """What a bare question makes the planner do: candidates of each method, and all options of the chosen one."""
    found: list[Candidate] = []
    jobs = tasks(library, params)
    for task in jobs:
        found += candidates(task, market, library, cards=market.cards, per_node=None, nodes=None)
    chosen = min(found, key=lambda each: each.option.hardware.cards)
    job = next(task for task in jobs if task.method == chosen.task.method)
    return list(ranked(every(job, market, library, chosen), None))


def levers(library: Library, market: Market, params: float = 70) -> int:
    """All levers of full fine-tuning on eight cards that do not hold it."""
    task = tasks(library, params)[0]
    card = library.gpus["a100_80gb_sxm"]
    option = on_hardware(task, Hardware(card.id, card.label, 8), card, library)
    return len(list(changes(task, option, card, market, library)))
