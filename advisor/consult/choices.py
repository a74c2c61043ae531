"""What to recommend: the chosen plan, the other options under the labels they deserve, the levers of a "no".

It picks among plans that the rules have judged; it never lets one stand that they refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.consult.desk import Desk
from advisor.consult.trial import PLANS_A_TURN, judge, with_defaults
from advisor.core.answer import Judged, Lever, Option
from advisor.core.facts import Fact, Facts, Value
from advisor.core.units import Quantity
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.levers import changes
from advisor.plan.search import candidates
from advisor.plan.task import Task

LEVERS = 2 + 2


def chosen_of(rows: Sequence[Judged]) -> Judged | None:
    """The plan to recommend: the best verdict that is no refusal, among equals the one with the least hardware."""
    good = [row for row in rows if row.option is not None and row.verdict in ("yes", "yes_if")]
    order = {"yes": 0, "yes_if": 1}
    return min(good, key=lambda row: (order[row.verdict], row.option.hardware.cards if row.option else 0), default=None)


def levers_for(desk: Desk, rows: Sequence[Judged], tasks: Mapping[int, tuple[Task, Gpu]]) -> tuple[Lever, ...]:
    """For each row that is a "no": the smallest changes after which the rules no longer refuse."""
    levers: list[Lever] = []
    for row in rows:
        if row.verdict != "no" or row.option is None or id(row) not in tasks:
            continue
        task, card = tasks[id(row)]
        facts = with_defaults(desk, desk.asked.answers[0], task.method)
        for change in changes(task, row.option, card, desk.market, desk.library):
            if len(levers) >= LEVERS or desk.judged >= PLANS_A_TURN:
                break
            after = judge(
                desk, _changed(facts, change.task), change.task, change.option, change.card,
                hardware_stated=True, method_stated=True,
            )  # fmt: skip
            if after.verdict in ("yes", "yes_if"):
                levers.append(Lever(change.kind, change.before, change.after, after))
    return tuple(levers)


def _changed(facts: Facts, task: Task) -> Facts:
    """The user's facts with what a lever changed, so that no rule judges the old plan."""
    pairs: dict[str, Value | None] = {
        "tuning.method": task.method,
        "tuning.sharding": task.sharding,
        "tuning.optimizer": task.optimizer,
        "tuning.precision": task.precision,
        "tuning.grad_ckpt": task.grad_ckpt,
        "tuning.offload": task.offload,
        "quant.bits": task.quant,
        "workload.seq_len": None if task.seq_len is None else Quantity(task.seq_len, "tokens"),
        "workload.micro_batch": None if task.micro_batch is None else Quantity(task.micro_batch, "count"),
    }
    kept = Facts({key: fact for key, fact in facts.items() if key not in pairs})
    return kept.plus(*(Fact(key, value, "assumed", "lever") for key, value in pairs.items() if value is not None))


def other_options(
    desk: Desk, chosen: Judged, rows: Sequence[Judged], tasks: Mapping[int, tuple[Task, Gpu]]
) -> tuple[tuple[str, Judged], ...]:
    """Other hardware for the chosen method, each under the label that it deserves."""
    if chosen.option is None or id(chosen) not in tasks:
        return ()
    task, _ = tasks[id(chosen)]
    facts = with_defaults(desk, desk.asked.answers[0], task.method)
    found: list[Judged] = [chosen]
    for option in candidates(task, desk.market, desk.library, cards=desk.market.cards, per_node=None, nodes=None):
        if desk.judged >= PLANS_A_TURN:
            break
        if option.hardware == chosen.option.hardware:
            continue
        card = desk.library.gpus[option.hardware.gpu]
        judged = judge(desk, facts, task, option, card, hardware_stated=False, method_stated=True)
        if judged.verdict in ("yes", "yes_if"):
            found.append(judged)
    return labelled(found)


def labelled(found: Sequence[Judged]) -> tuple[tuple[str, Judged], ...]:
    """The cheapest, fastest, safest and smallest of several plans; a plan stands once under its first label."""
    options = [(judged, judged.option) for judged in found if judged.option is not None]
    best: list[tuple[str, Judged]] = []
    priced = [(j, o) for j, o in options if o.price is not None and o.price.currency == _currency(options)]
    if priced:
        best.append(("cheapest", min(priced, key=lambda pair: pair[1].price.range.likely)[0]))  # type: ignore[union-attr]
    timed = [(j, o) for j, o in options if o.tokens_per_s is not None]
    if timed:
        best.append(("fastest", max(timed, key=lambda p: p[1].tokens_per_s.likely * p[1].hardware.cards)[0]))  # type: ignore[union-attr]
    measured = [(j, o) for j, o in options if o.peak is not None and o.usable]
    if measured:
        best.append(("safest", min(measured, key=lambda p: p[1].peak.high / (p[1].usable or 1))[0]))  # type: ignore[union-attr]
        best.append(("smallest", min(measured, key=lambda p: (p[1].hardware.cards, p[1].usable or 0))[0]))
    seen: dict[int, tuple[str, Judged]] = {}
    for label, judged in best:
        seen.setdefault(id(judged), (label, judged))
    return tuple(seen.values())


def _currency(options: Sequence[tuple[Judged, Option]]) -> str | None:
    """The currency that most of the priced plans share: prices in different currencies are never compared."""
    named = [option.price.currency for _, option in options if option.price is not None]
    return max(set(named), key=named.count) if named else None
