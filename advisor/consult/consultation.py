"""One consultation: a pure function of (answers, day, knowledge, rules), replayed from the start on every turn.

The rules say what to size, the planner searches, the rules judge one plan at a time, and a blocker sends the planner to
the next. The order of work stands here; advice stands in the rules and figures in the estimators.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from advisor.consult.choices import chosen_of, levers_for, other_options, ruled_out
from advisor.consult.desk import Asked, Desk
from advisor.consult.stated import cards_meant, forms, searched, stated_hardware, with_named_card
from advisor.consult.trial import at_speed, judge, with_defaults
from advisor.core.answer import Consultation, Hardware, Judged, Question
from advisor.core.facts import Fact, Facts, Value
from advisor.core.findings import Outcome, Verdict
from advisor.core.units import Quantity, convert
from advisor.estimate.memory import from_size
from advisor.estimate.memory.constants import constants
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan import figures
from advisor.plan.hardware import Market
from advisor.plan.largest import largest
from advisor.plan.price import rent_of
from advisor.plan.search import Candidate, least, on_hardware
from advisor.plan.task import Task, model_of, task_of, word
from advisor.rules.run import RuleBase

PLANS_A_METHOD = 2
# Questions for which "how large a model" is worth answering where no model was named.
_ABOUT_SIZE = ("ask_feasibility", "ask_recommendation", "ask_vram")


def consult(asked: Asked, day: date, library: Library, base: RuleBase, market: Market) -> Consultation:
    """Answer what was asked as of a day."""
    return consult_at(Desk(library, base, market, asked, day))


def consult_at(desk: Desk) -> Consultation:
    """The same at a desk of the caller's, on which the plans that were tried are left lying."""
    asked = desk.asked
    rows: list[Judged] = []
    tasks: dict[int, tuple[Task, Gpu]] = {}
    for answers in asked.answers:
        for row, work in _rows(desk, answers):
            rows.append(row)
            if work is not None:
                tasks[id(row)] = work
    verdict = merged([row.verdict for row in rows], several=len(rows) > 1)
    chosen = chosen_of(rows)
    if chosen is not None:
        faster = at_speed(desk, chosen)
        tasks[id(faster)] = tasks[id(chosen)]
        chosen = faster
    levers = levers_for(desk, rows, tasks)
    if chosen is None and levers:
        chosen = min(levers, key=lambda lever: lever.judged.verdict != "yes").judged
    options = other_options(desk, chosen, tasks) if chosen is not None else ()
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
        place=desk.market.name,
        as_of=desk.day.isoformat(),
        data_version=desk.library.version,
        plan=plan_id(asked.answers, desk.library.version, desk.day, _beside(desk)),
    )


def judged_rows(asked: Asked, day: date, library: Library, base: RuleBase, market: Market) -> tuple[Judged, ...]:
    """The judged plans alone, without levers and options: enough to see whether another answer would matter."""
    desk = Desk(library, base, market, asked, day)
    return tuple(row for answers in asked.answers for row, _ in _rows(desk, answers))


def plan_id(answers: Sequence[Facts], version: str, day: date, beside: Sequence[str] = ()) -> str:
    """Twelve hex digits of answers, data version and day, and of what else it rests on: equal question, equal plan."""
    said = [sorted((fact.id, str(fact.value)) for fact in each.values()) for each in answers]
    return hashlib.sha256(json.dumps([said, version, day.isoformat(), *beside]).encode()).hexdigest()[:12]


def _beside(desk: Desk) -> list[str]:
    """What a plan rests on beside answers, data and day: a place of the conversation's own, a model's own shape."""
    market, place = desk.market, desk.library.place
    own = market.name is not None and (place is None or market.name != place.name.text)
    found = [repr((market.name, sorted(market.limits.items())))] if own else []
    return found + ([repr(desk.asked.config)] if desk.asked.config is not None else [])


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
    asks = [Fact("asks.intent", desk.asked.intent, "said"), Fact("place.kind", desk.market.kind, "known")]
    if "gpu_model" in desk.asked.understood:
        asks.append(Fact("gpu.known", _sizeable(desk, answers), "known"))
    known = answers.plus(*asks, *figures.transfer_facts(answers, desk.library))
    base_facts = with_named_card(desk, known)
    first = desk.base.run(with_defaults(desk, base_facts, ""))
    stated = word(answers, "tuning.method")
    out = ruled_out(desk)
    methods = (stated,) if stated else tuple(m for m in _many(first.facts.value("size.methods")) if m not in out)
    seen = model_of(answers, desk.library, desk.asked.config)
    if (
        seen is None
        and methods
        and desk.asked.intent in _ABOUT_SIZE
        and len(stated_hardware(desk, known)) == 1
        and "model.id" not in answers
        and "model.closed" not in answers
    ):
        yield from ((row, None) for row in _largest(desk, base_facts, methods))
        return
    unheard = "gpu_model" in desk.asked.understood and not _sizeable(desk, answers)
    if seen is None or not methods or unheard:
        for unsized in _unsized(desk, known, first):
            yield Judged(None, unsized, stated or "", word(answers, "tuning.stage") or "", stated=True), None
        return
    for method in methods:
        facts = with_defaults(desk, base_facts, method)
        task = task_of(facts, method, desk.library, seen=seen)
        hardware = stated_hardware(desk, known)
        for one in hardware:
            card = desk.library.gpus[one.gpu]
            found = Candidate(task, on_hardware(task, one, card, desk.library), card)
            yield _first_good(desk, facts, task, [found], hardware_stated=True, method_stated=stated is not None)
        if not hardware:
            options = searched(desk, known, task)
            yield _first_good(desk, facts, task, options, hardware_stated=False, method_stated=stated is not None)


def _sizeable(desk: Desk, answers: Facts) -> bool:
    """Whether the card that was named is known here with the memory that a job can use."""
    return any(card.memory_usable.value is not None for card in cards_meant(desk, answers))


def _largest(desk: Desk, facts: Facts, methods: Sequence[str]) -> Iterator[Judged]:
    """Hardware without a model: the largest size that each method holds on it."""
    hardware = stated_hardware(desk, facts)[0]
    card = desk.library.gpus[hardware.gpu]
    for method in methods:
        known = with_defaults(desk, facts, method)
        small = from_size(convert(1, "Gparams", "params"), constants(desk.library))
        task = task_of(known, method, desk.library, seen=(small, "", None))
        size = largest(task, hardware, desk.library)
        found = Fact("capacity.nothing", size is None, "estimated")
        held = () if size is None else (Fact("capacity.largest", size, "estimated"),)
        method_fact = Fact("plan.method", method, "estimated")
        run = known.plus(method_fact, found, *held, *figures.hardware_facts(hardware, card, known))
        yield Judged(None, desk.base.run(run), method, task.stage, stated=True)


def _unsized(desk: Desk, known: Facts, first: Outcome) -> Iterator[Outcome]:
    """What the rules say where no job can be sized: of each hardware that was named, else of the question alone."""
    cards = forms(cards_meant(desk, known), 1)
    hardware = stated_hardware(desk, known) or [Hardware(card.id, card.label, 1) for card in cards]
    if not hardware:
        yield first
    for one in hardware:
        card = desk.library.gpus[one.gpu]
        asked = word(known, "budget.currency")
        price = rent_of(one, asked, desk.market, desk.library)
        facts = known.plus(
            Fact("gpu.id", card.id, "said"),
            *figures.hardware_facts(one, card, known),
            *figures.rent_facts(price, asked, desk.library),
            *figures.offer_facts(price, desk.day),
        )
        yield desk.base.run(with_defaults(desk, with_named_card(desk, facts), ""))


def _many(value: Value | None) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, tuple) else ()


def _first_good(
    desk: Desk, facts: Facts, task: Task, options: Iterable[Candidate], *, hardware_stated: bool, method_stated: bool
) -> tuple[Judged, tuple[Task, Gpu] | None]:
    """The first option that the rules do not refuse; the first one where they refuse all."""
    first: tuple[Judged, tuple[Task, Gpu]] | None = None
    for count, option in enumerate(options):
        if count >= PLANS_A_METHOD:
            break
        judged = judge(
            desk, facts, task, least(option, desk.library), hardware_stated=hardware_stated, method_stated=method_stated
        )
        first = first or (judged, (task, option.card))
        if judged.verdict != "no":
            return judged, (task, option.card)
    if first is not None:
        return first
    nothing = facts.plus(
        *figures.model_facts(task), Fact("plan.method", task.method, "said"),
        Fact("options.count", Quantity(0, "count"), "estimated"),
    )  # fmt: skip
    return Judged(None, desk.base.run(nothing), task.method, task.stage), None


def _questions(desk: Desk, rows: Sequence[Judged]) -> tuple[Question, ...]:
    """What to ask next, the most important first."""
    from advisor.dialogue.questions import missing

    conclusions: Facts = rows[0].outcome.facts if rows else Facts()
    return tuple(missing(desk.asked.answers[0], conclusions, desk.asked.intent, desk.library))
