"""One plan before the rules: every figure put on an option, every default said, and what the rules make of it."""

from __future__ import annotations

from advisor.consult.desk import Desk
from advisor.core.answer import Assumption, Judged
from advisor.core.facts import Fact, Facts, Value
from advisor.core.findings import VERDICTS
from advisor.core.text import Text
from advisor.core.units import Quantity
from advisor.plan import figures
from advisor.plan.measure import with_all
from advisor.plan.search import Candidate, tuned
from advisor.plan.task import Task, usual_of_framework

# How many plans the rules may judge a turn (the budget of one turn's time).
PLANS_A_TURN = 2 * 2 * 2 * 2 + 2


def with_defaults(desk: Desk, facts: Facts, method: str) -> Facts:
    """The facts, with the declared default of each fact that nobody stated and that matters for the method.

    Without a method only the defaults that hold for every question are taken, and they are not worth telling.
    """
    added = [] if not method else _of_framework(desk, facts, method)
    usual = {fact.id for fact in added}
    for key, record in desk.library.facts.items():
        default = record.default
        if default is None or key in facts or key in usual or (default.methods and method not in default.methods):
            continue
        value: Value = default.value
        if record.kind == "quantity" and not isinstance(default.value, str | bool):
            value = Quantity(float(default.value), record.unit or "")
        added.append(Fact(key, value, "default", "default"))
        if method:
            desk.assumed[key] = Assumption(key, record.slot or key, default.value, default.why.text)
    return facts.plus(*added)


def _of_framework(desk: Desk, facts: Facts, method: str) -> list[Fact]:
    """What the framework that the user named does where the user said nothing; told as an assumption."""
    framework = facts.value("tuning.framework")
    if not isinstance(framework, str):
        return []
    found = []
    for key, value in usual_of_framework(framework, method, desk.library).items():
        if key not in facts:
            record = desk.library.facts[key]
            shown = value.value if isinstance(value, Quantity) else value
            desk.assumed[key] = Assumption(key, record.slot or key, shown, _habit(framework, desk))
            found.append(Fact(key, value, "assumed", framework))
    return found


def _habit(framework: str, desk: Desk) -> Text:
    """What the framework does when it is told nothing, in its own file's words."""
    record = desk.library.frameworks[framework]
    note = record.note.text if record.note else Text("", "")
    return Text(f"{record.name}: {note.en}", f"{record.name}：{note.zh}")


def as_run(facts: Facts, base: Task, task: Task) -> Facts:
    """The user's facts with what a plan fills in or a lever changes, so that no rule judges another plan."""
    pairs: dict[str, tuple[Value | None, Value | None]] = {
        fact: (_value(getattr(base, name), unit), _value(getattr(task, name), unit))
        for name, (fact, unit) in _RUN.items()
    }
    moved = {fact: after for fact, (before, after) in pairs.items() if before != after}
    if not moved:
        return facts
    kept = Facts({key: fact for key, fact in facts.items() if key not in moved})
    return kept.plus(*(Fact(key, value, "assumed", "plan") for key, value in moved.items() if value is not None))


# The parts of a job that a plan may change, with their facts and units.
_RUN = {
    "method": ("tuning.method", ""),
    "sharding": ("tuning.sharding", ""),
    "optimizer": ("tuning.optimizer", ""),
    "precision": ("tuning.precision", ""),
    "grad_ckpt": ("tuning.grad_ckpt", ""),
    "offload": ("tuning.offload", ""),
    "quant": ("quant.bits", ""),
    "seq_len": ("workload.seq_len", "tokens"),
    "micro_batch": ("workload.micro_batch", "count"),
}


def _value(value: Value | None, unit: str) -> Value | None:
    return Quantity(value, unit) if isinstance(value, float) and unit else value


def judge(
    desk: Desk, facts: Facts, base: Task, candidate: Candidate, *, hardware_stated: bool, method_stated: bool
) -> Judged:
    """Put every figure on a candidate and let the rules judge it; `base` is the job as the user's facts have it."""
    desk.judged += 1
    task, card, said = candidate.task, candidate.card, facts
    facts = as_run(facts, base, task)
    option = with_all(task, candidate.option, card, desk.market, desk.library)
    plan = figures.plan_facts(
        task, option, card, facts,
        hardware_stated=hardware_stated, method_stated=method_stated, place=desk.market.kind,
    )  # fmt: skip
    found = facts.plus(
        Fact("gpu.id", card.id, "said" if hardware_stated else "assumed"),
        *figures.card_facts(card, desk.library),
        *figures.model_facts(task),
        *plan,
        *figures.memory_facts(option),
        *figures.work_facts(task, option, facts, desk.library),
        *figures.serving_facts(task, option, card, facts, desk.library),
        *figures.offer_facts(option.price, desk.day),
        *figures.said_differs(card, facts),
    )
    judged = Judged(option, desk.base.run(found), task.method, task.stage, stated=hardware_stated)
    desk.tried[id(judged)] = (said, base, candidate)
    return judged


def at_speed(desk: Desk, chosen: Judged) -> Judged:
    """The chosen plan at the micro-batch that gains speed, where the rules like it no less."""
    if id(chosen) not in desk.tried:
        return chosen
    facts, base, candidate = desk.tried[id(chosen)]
    faster = tuned(candidate.task, candidate.option, candidate.card, desk.library)
    if faster.option.micro_batch == candidate.option.micro_batch:
        return chosen
    named = chosen.outcome.facts.value("plan.method_stated") is True
    again = judge(desk, facts, base, faster, hardware_stated=chosen.stated, method_stated=named)
    return again if VERDICTS.index(again.verdict) >= VERDICTS.index(chosen.verdict) else chosen
