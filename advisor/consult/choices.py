"""What to recommend: the chosen plan, the other options under the labels they deserve, the levers of a "no".

It picks among plans that the rules have judged; it never lets one stand that they refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.consult.desk import Desk
from advisor.consult.trial import PLANS_A_TURN, judge, with_defaults
from advisor.core.answer import Judged, Lever, Option
from advisor.core.facts import Facts
from advisor.knowledge.records.gpus import Gpu
from advisor.plan import figures
from advisor.plan.levers import Change, changes
from advisor.plan.options import every, ranked
from advisor.plan.search import Candidate
from advisor.plan.task import Task

LEVERS = 2 + 2
TRIES = 2


_METHODS = {"full_ft": "full"}


def ruled_out(desk: Desk) -> frozenset[str]:
    """The methods that the message denies: neither sized nor proposed."""
    denied = [row for row in desk.asked.rejected if row.get("slot") == "task" and row.get("reason") == "negated"]
    if not denied:
        return frozenset()
    from advisor.dialogue.understand import understand

    found: list[object] = []
    for row in denied:
        task = understand(str(row.get("value", "")), desk.library).slots.get("task")
        found += task if isinstance(task, list) else [task]
    return frozenset(_METHODS.get(str(task), str(task)) for task in found if task)


def chosen_of(rows: Sequence[Judged]) -> Judged | None:
    """The plan to recommend: the best verdict that is no refusal, among equals the one with the least hardware."""
    good = [row for row in rows if row.option is not None and row.verdict in ("yes", "yes_if")]
    order = {"yes": 0, "yes_if": 1}
    return min(good, key=lambda row: (order[row.verdict], row.option.hardware.cards if row.option else 0), default=None)


def levers_for(desk: Desk, rows: Sequence[Judged], tasks: Mapping[int, tuple[Task, Gpu]]) -> tuple[Lever, ...]:
    """For each row that is a "no": the smallest changes after which the rules no longer refuse."""
    levers: list[Lever] = []
    out = ruled_out(desk)
    for row in rows:
        if row.verdict != "no" or row.option is None or id(row) not in tasks:
            continue
        task, card = tasks[id(row)]
        facts = with_defaults(desk, _said(desk), task.method)
        for change in _in_turn(changes(task, row.option, card, desk.market, desk.library)):
            if len(levers) >= LEVERS or desk.judged >= PLANS_A_TURN:
                break
            if change.candidate.task.method in out:
                continue
            after = judge(desk, facts, task, change.candidate, hardware_stated=True, method_stated=True)
            if after.verdict in ("yes", "yes_if"):
                levers.append(_lever(change, after))
    return tuple(levers)


def _said(desk: Desk) -> Facts:
    """What was said, with what it means for the transfer: a changed plan has the same data and the same line."""
    answers = desk.asked.answers[0]
    return answers.plus(*figures.transfer_facts(answers, desk.library))


def _in_turn(found: Iterable[Change]) -> list[Change]:
    """Single changes first, with one place kept for a pair: it often keeps the job that single changes give up."""
    every = list(found)
    single = [change for change in every if len(change.steps) == 1]
    pairs = [change for change in every if len(change.steps) > 1]
    return [*single[: LEVERS - 1], *pairs[:1], *single[LEVERS - 1 :], *pairs[1:]]


def _lever(change: Change, after: Judged) -> Lever:
    first, *rest = ((step.kind, step.before, step.after) for step in change.steps)
    return Lever(*first, after, tuple(rest), change.speed_factor)


def other_options(desk: Desk, chosen: Judged, tasks: Mapping[int, tuple[Task, Gpu]]) -> tuple[tuple[str, Judged], ...]:
    """Other ways for the chosen method, each under the label that it deserves; a plan stands under its first label."""
    if chosen.option is None or id(chosen) not in tasks:
        return ()
    task, card = tasks[id(chosen)]
    facts = with_defaults(desk, _said(desk), task.method)
    here = Candidate(task, chosen.option, card)
    price = chosen.option.price
    currency = task.currency or (price.currency if price is not None else None)
    judged: dict[tuple[object, ...], Judged] = {_key(chosen.option): chosen}
    best: dict[int, tuple[str, Judged]] = {}
    desk.beside[id(chosen)] = every(task, desk.market, desk.library, here)
    for label, found in ranked(desk.beside[id(chosen)], currency):
        for candidate in found[:TRIES]:
            key = _key(candidate.option)
            if key not in judged:
                if desk.judged >= PLANS_A_TURN:
                    break
                judged[key] = judge(desk, facts, task, candidate, hardware_stated=False, method_stated=True)
            if judged[key].verdict in ("yes", "yes_if"):
                best.setdefault(id(judged[key]), (label, judged[key]))
                break
    return tuple(best.values())


def _key(option: Option) -> tuple[object, ...]:
    """What makes two options one plan."""
    return (
        option.hardware, option.sharding, option.micro_batch, option.grad_ckpt, option.optimizer, option.offload,
        option.precision,
    )  # fmt: skip
