"""One consultation: a pure function of (answers, day, knowledge, rules), replayed from the start on every turn.

The rules say what to size, the planner searches, the rules judge one plan at a time, and a blocker sends the planner to
the next. The order of work stands here; advice stands in the rules and figures in the estimators.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from advisor.core.answer import Assumption, Consultation, Hardware, Judged, Lever, Option, Question
from advisor.core.facts import Fact, Facts, Value
from advisor.core.findings import Outcome, Verdict
from advisor.core.text import Text
from advisor.core.units import Quantity
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan import figures
from advisor.plan.hardware import Market
from advisor.plan.levers import changes
from advisor.plan.measure import effort, with_all
from advisor.plan.search import candidates, on_hardware
from advisor.plan.task import Task, amount, model_of, task_of, word
from advisor.rules.run import RuleBase

# How many plans the rules may judge a turn, and how many of them for one method and for levers.
PLANS_A_TURN = 2 * 2 * 2 * 2 + 2
PLANS_A_METHOD = 2
LEVERS = 2 + 2
_TRAINING = ("full", "lora", "qlora", "pretrain")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one message asks, understood: one set of facts for each alternative named."""

    answers: tuple[Facts, ...]
    intent: str
    understood: Mapping[str, object]
    rejected: tuple[Mapping[str, str], ...] = ()
    problems: tuple[Text, ...] = ()
    config: Architecture | None = None


@dataclass
class Desk:
    """What stands on the desk during one consultation, and how many plans were judged."""

    library: Library
    base: RuleBase
    market: Market
    asked: Asked
    day: date
    judged: int = 0
    assumed: dict[str, Assumption] = field(default_factory=dict)


def consult(asked: Asked, day: date, library: Library, base: RuleBase, market: Market) -> Consultation:
    """Answer what was asked as of a day."""
    desk = Desk(library, base, market, asked, day)
    rows: list[Judged] = []
    tasks: dict[int, tuple[Task, Gpu]] = {}
    for answers in asked.answers:
        for row, work in _rows(desk, answers):
            rows.append(row)
            if work is not None:
                tasks[id(row)] = work
    verdict = merged([row.verdict for row in rows], several=len(rows) > 1)
    chosen = _chosen(rows)
    levers = _levers(desk, rows, tasks)
    if chosen is None and levers:
        chosen = levers[0].judged
    options = _options(desk, chosen, rows, tasks) if chosen is not None else ()
    return Consultation(
        intent=asked.intent,
        understood=asked.understood,
        answers=asked.answers[0],
        rejected=asked.rejected,
        assumptions=tuple(desk.assumed.values()),
        verdict=verdict,
        rows=tuple(rows),
        chosen=chosen,
        options=options,
        levers=levers,
        questions=_questions(desk, rows),
        problems=asked.problems,
        as_of=day.isoformat(),
        data_version=library.version,
        plan=plan_id(asked.answers, library.version, day),
    )


def plan_id(answers: Sequence[Facts], version: str, day: date) -> str:
    """Twelve hex digits of answers, data version and day: equal question, equal plan."""
    said = [sorted((fact.id, str(fact.value)) for fact in each.values()) for each in answers]
    return hashlib.sha256(json.dumps([said, version, day.isoformat()]).encode()).hexdigest()[:12]


def merged(verdicts: Sequence[Verdict], *, several: bool) -> Verdict:
    """The verdict over the rows: their own where they agree; "it depends" where some way works and another doesn't."""
    kinds = set(verdicts)
    if not kinds:
        return "unknown"
    if len(kinds) == 1:
        return verdicts[0]
    if several and kinds & {"yes", "yes_if"}:
        return "yes_if"
    return "unknown" if "unknown" in kinds else "no"


def _rows(desk: Desk, answers: Facts) -> Iterator[tuple[Judged, tuple[Task, Gpu] | None]]:
    """One judged plan for each method to size; one run without a plan where nothing is to be sized."""
    asks = (Fact("asks.intent", desk.asked.intent, "said"), Fact("place.kind", desk.market.kind, "known"))
    known = answers.plus(*asks, *figures.transfer_facts(answers, desk.library))
    base_facts = _with_named_card(desk, known)
    first = desk.base.run(_with_defaults(desk, base_facts, ""))
    stated = word(answers, "tuning.method")
    methods = (stated,) if stated else _many(first.facts.value("size.methods"))
    seen = model_of(answers, desk.library, desk.asked.config)
    if seen is None or not methods:
        unsized = _unsized(desk, known, first)
        yield Judged(None, unsized, stated or "", word(answers, "tuning.stage") or "", stated=True), None
        return
    for method in methods:
        facts = _with_defaults(desk, base_facts, method)
        task = task_of(facts, method, desk.library, seen=seen)
        hardware = _stated_hardware(desk, known)
        for one in hardware:
            option = on_hardware(task, one, desk.library.gpus[one.gpu], desk.library)
            yield _first_good(desk, facts, task, [option], hardware_stated=True, method_stated=stated is not None)
        if not hardware:
            options = _searched(desk, known, task)
            yield _first_good(desk, facts, task, options, hardware_stated=False, method_stated=stated is not None)


def _unsized(desk: Desk, known: Facts, first: Outcome) -> Outcome:
    """What the rules say where no job can be sized: of the hardware, if it was named, else of the question alone."""
    hardware = _stated_hardware(desk, known)
    if len(hardware) != 1:
        return first
    facts = known.plus(*figures.hardware_facts(hardware[0], desk.library.gpus[hardware[0].gpu], known))
    return desk.base.run(_with_defaults(desk, _with_named_card(desk, facts), ""))


def _with_named_card(desk: Desk, facts: Facts) -> Facts:
    """The facts, with what we know of the card that was named; one form stands for all forms of one name."""
    cards = forms(_cards(desk, facts), int(amount(facts, "gpu.count") or 1))
    plain = Facts({key: fact for key, fact in facts.items() if key != "gpu.id"})
    if len(cards) != 1:
        return plain
    card = cards[0]
    named = Fact("gpu.id", card.id, facts["gpu.id"].provenance if "gpu.id" in facts else "assumed")
    return plain.plus(named, *figures.card_facts(card), *figures.said_differs(card, facts))


def forms(cards: Sequence[Gpu], per_node: int) -> list[Gpu]:
    """One card for each name: boards with a switched link where several stand in a server, else the plug-in form."""
    chosen: dict[str, Gpu] = {}
    for card in cards:
        switched = card.nvlink_kind == "nvlink"
        if card.label not in chosen or switched == (per_node > 2):
            chosen[card.label] = card
    return list(chosen.values())


def _many(value: Value | None) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _with_defaults(desk: Desk, facts: Facts, method: str) -> Facts:
    """The facts, with the declared default of each fact that nobody stated and that matters for the method.

    Without a method only the defaults that hold for every question are taken, and they are not worth telling.
    """
    added = []
    for key, record in desk.library.facts.items():
        default = record.default
        if default is None or key in facts or (default.methods and method not in default.methods):
            continue
        value: Value = default.value
        if record.kind == "quantity" and not isinstance(default.value, str | bool):
            value = Quantity(float(default.value), record.unit or "")
        added.append(Fact(key, value, "default", "default"))
        if method:
            desk.assumed[key] = Assumption(key, record.slot or key, default.value, default.why.text)
    return facts.plus(*added)


def _first_good(
    desk: Desk, facts: Facts, task: Task, options: Iterable[Option], *, hardware_stated: bool, method_stated: bool
) -> tuple[Judged, tuple[Task, Gpu] | None]:
    """The first option that the rules do not refuse; the first one where they refuse all."""
    first: tuple[Judged, tuple[Task, Gpu]] | None = None
    for count, option in enumerate(options):
        if count >= PLANS_A_METHOD:
            break
        card = desk.library.gpus[option.hardware.gpu]
        judged = judge(desk, facts, task, option, card, hardware_stated=hardware_stated, method_stated=method_stated)
        first = first or (judged, (task, card))
        if judged.verdict != "no":
            return judged, (task, card)
    if first is not None:
        return first
    nothing = facts.plus(
        *figures.model_facts(task), Fact("plan.method", task.method, "said"),
        Fact("options.count", Quantity(0, "count"), "estimated"),
    )  # fmt: skip
    return Judged(None, desk.base.run(nothing), task.method, task.stage), None


def judge(
    desk: Desk, facts: Facts, task: Task, option: Option, card: Gpu, *, hardware_stated: bool, method_stated: bool
) -> Judged:
    """Put every figure on an option and let the rules judge it."""
    desk.judged += 1
    option = with_all(task, option, card, desk.market, desk.library)
    plan = figures.plan_facts(
        task, option, card, facts,
        hardware_stated=hardware_stated, method_stated=method_stated, place=desk.market.kind,
    )  # fmt: skip
    found = facts.plus(
        Fact("gpu.id", card.id, "said" if hardware_stated else "assumed"),
        *figures.card_facts(card),
        *figures.model_facts(task),
        *plan,
        *figures.memory_facts(option),
        *figures.work_facts(task, option, facts, desk.library),
        *figures.serving_facts(task, option, card, facts, desk.library),
        *figures.offer_facts(option, desk.day),
        *figures.said_differs(card, facts),
    )
    return Judged(option, desk.base.run(found), task.method, task.stage, stated=hardware_stated)


def _stated_hardware(desk: Desk, facts: Facts) -> list[Hardware]:
    """The hardware that the user named: card and count."""
    cards = _cards(desk, facts)
    count = amount(facts, "gpu.count")
    total = amount(facts, "gpu.count_total")
    nodes = int(amount(facts, "gpu.nodes") or 1)
    if count is None and total is not None:
        count = total / nodes
    if not cards or not count:
        return []
    return [Hardware(card.id, card.label, int(count), nodes) for card in forms(cards, int(count))]


def _cards(desk: Desk, facts: Facts) -> list[Gpu]:
    """The cards that the user's words may mean: one id, or several forms of one name."""
    value = facts.value("gpu.id")
    ids = value if isinstance(value, tuple) else (value,)
    named = [desk.library.gpus[id_] for id_ in ids if isinstance(id_, str) and id_ in desk.library.gpus]
    size = amount(facts, "gpu.memory", "GB")
    if named or size is None:
        return named
    return [card for card in desk.market.cards if card.memory.value == size]


def _searched(desk: Desk, facts: Facts, task: Task) -> Iterator[Option]:
    """What the search finds, where card or count is open."""
    count, nodes = amount(facts, "gpu.count"), facts.get("gpu.nodes")
    stated_nodes = int(amount(facts, "gpu.nodes") or 1) if nodes and nodes.provenance == "said" else None
    cards = tuple(forms(_cards(desk, facts), int(count or 1))) or desk.market.cards
    found = candidates(
        task, desk.market, desk.library, cards=cards, per_node=int(count) if count else None, nodes=stated_nodes
    )
    return iter(sorted(found, key=lambda option: _effort(desk, task, option)))


def _effort(desk: Desk, task: Task, option: Option) -> tuple[int, bool, float, int]:
    """Fewer servers first, then whole models before split ones, then the cheapest a token, then the fewest cards."""
    card = desk.library.gpus[option.hardware.gpu]
    split = option.sharding not in ("none", "ddp")
    a_token = effort(task, option, card, desk.market, desk.library)
    return option.hardware.nodes, split, a_token, option.hardware.cards


def _chosen(rows: Sequence[Judged]) -> Judged | None:
    """The plan to recommend: the best verdict that is no refusal, among equals the one with the least hardware."""
    good = [row for row in rows if row.option is not None and row.verdict in ("yes", "yes_if")]
    order = {"yes": 0, "yes_if": 1}
    return min(good, key=lambda row: (order[row.verdict], row.option.hardware.cards if row.option else 0), default=None)


def _levers(desk: Desk, rows: Sequence[Judged], tasks: Mapping[int, tuple[Task, Gpu]]) -> tuple[Lever, ...]:
    """For each row that is a "no": the smallest changes after which the rules no longer refuse."""
    levers: list[Lever] = []
    for row in rows:
        if row.verdict != "no" or row.option is None or id(row) not in tasks:
            continue
        task, card = tasks[id(row)]
        facts = _with_defaults(desk, desk.asked.answers[0], task.method)
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


def _options(
    desk: Desk, chosen: Judged, rows: Sequence[Judged], tasks: Mapping[int, tuple[Task, Gpu]]
) -> tuple[tuple[str, Judged], ...]:
    """Other hardware for the chosen method, each under the label that it deserves."""
    if chosen.option is None or id(chosen) not in tasks:
        return ()
    task, _ = tasks[id(chosen)]
    facts = _with_defaults(desk, desk.asked.answers[0], task.method)
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


def _questions(desk: Desk, rows: Sequence[Judged]) -> tuple[Question, ...]:
    """What to ask next, the most important first."""
    from advisor.dialogue.questions import missing

    conclusions: Facts = rows[0].outcome.facts if rows else Facts()
    return tuple(missing(desk.asked.answers[0], conclusions, desk.asked.intent, desk.library))
