"""What the pictures of a plan show, worked out with the same estimators as the plan itself.

Memory by part, the lengths and batches that fit the plan's hardware, and time against money of the plans worth
comparing. Nothing is judged here but by the rules, and nothing is drawn: `advisor.report.charts` does that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from advisor.consult.desk import Desk
from advisor.consult.trial import PLANS_A_TURN, judge
from advisor.core.answer import Consultation, Judged, Option
from advisor.plan.measure import hours_at
from advisor.plan.options import every
from advisor.plan.price import price_of
from advisor.plan.search import Candidate, on_hardware
from advisor.plan.serve import throughput
from advisor.plan.task import Task
from advisor.report import sentences
from advisor.report.charts.frontier import Frontier, Kind, Point
from advisor.report.charts.layout import layout
from advisor.report.charts.lengths import Field, Fit, Lengths
from advisor.report.charts.memory import Bar
from advisor.report.charts.words import PICTURE
from advisor.report.wording import Wording

Key = tuple[object, ...]
# Parts of the option that are no memory of a card.
_NO_PART = ("weights_whole", "weights_gathered", "adapter_params")
_ORDER = ("weights", "gradients", "optimizer", "adapters", "kv_cache", "activations", "logits", "buffers", "overhead")
# The set amount of a run whose own amount nobody said, and what a served token's time is told for.
AMOUNT = 10.0**9
SERVED = 10.0**3
MOST_POINTS = 2 * 2 + 2


def bar(option: Option, label: str) -> Bar | None:
    """The option's memory by part; what allocator and context keep beyond the parts comes last."""
    if option.peak is None:
        return None
    known = {name: gib for name, gib in option.parts.items() if name not in _NO_PART}
    names = [*(name for name in _ORDER if name in known), *(name for name in known if name not in _ORDER)]
    parts = [(name, known[name]) for name in names if known[name] > 0]
    rest = option.peak.likely - sum(gib for _, gib in parts)
    if rest > 0:
        parts.append(("reserve", rest))
    return Bar(label, tuple(parts), option.peak.low, option.peak.likely, option.peak.high, option.usable)


def bars(consultation: Consultation, plan: Judged, wording: Wording) -> list[Bar]:
    """The plan shown first, then the other ways that were asked about."""
    seen: dict[Key, Bar] = {}
    for judged in (plan, *consultation.rows):
        option = judged.option
        if option is None:
            continue
        label = f"{wording.fixed(sentences.METHOD, option.method)} · {wording.hardware(option.hardware)}"
        drawn = bar(option, label)
        key = (option.method, option.hardware)
        if drawn is not None and key not in seen:
            seen[key] = drawn
    return list(seen.values())


def lengths(desk: Desk, plan: Judged, wording: Wording) -> Lengths | None:
    """Which lengths and batches fit on the plan's hardware; None where the card's usable memory is unknown."""
    option = plan.option
    if option is None or option.usable is None or option.peak is None or id(plan) not in desk.tried:
        return None
    task = desk.tried[id(plan)][2].task
    serving = not task.trains
    now = (int(task.seq_len or 0), int((task.concurrency if serving else option.micro_batch) or 1))
    most = task.model.max_context if task.model is not None else None
    axes = layout("wide")
    usual = [length for length in axes.lengths if most is None or length <= most]
    rows = tuple(sorted({*usual, *(() if now[0] == 0 else (now[0],))}))
    columns = tuple(sorted({*axes.batches, now[1]}))
    fields = tuple(tuple(_field(desk, task, option, row, column) for column in columns) for row in rows)
    place = (rows.index(now[0]), columns.index(now[1])) if now[0] in rows else None
    return Lengths(rows, columns, fields, place, wording.hardware(option.hardware), option.usable, serving)


def _field(desk: Desk, task: Task, option: Option, length: int, batch: int) -> Field:
    tried = replace(task, seq_len=float(length))
    tried = replace(tried, micro_batch=float(batch)) if task.trains else replace(tried, concurrency=float(batch))
    found = on_hardware(tried, option.hardware, desk.library.gpus[option.hardware.gpu], desk.library)
    if found.peak is None or found.usable is None:
        return Field(None, "unknown")
    fit: Fit = "fits" if found.peak.high <= found.usable else "over"
    if fit == "over" and found.peak.low <= found.usable:
        fit = "tight"
    return Field(found.peak.likely, fit, found.sharding)


def frontier(desk: Desk, consultation: Consultation, plan: Judged, wording: Wording) -> Frontier | None:
    """Time against money of the plan, its options, and what else the rules let pass, priced in one currency."""
    if plan.option is None or id(plan) not in desk.tried:
        return None
    facts, base, here = desk.tried[id(plan)]
    labelled: list[tuple[str, Judged]] = [("", plan), *consultation.options]
    labels = {id(judged): label for label, judged in reversed(labelled) if label}
    named = {_key(judged.option): judged for _, judged in reversed(labelled) if judged.option is not None}
    currency = _currency(base, [judged.option for _, judged in labelled if judged.option is not None])
    if currency is None:
        return None
    kind: Kind = "serving" if not base.trains else "run" if plan.option.time is not None else "amount"
    beside = Candidate(here.task, plan.option, here.card)
    others = desk.beside.get(id(plan)) or every(base, desk.market, desk.library, beside)
    found = {_key(one.option): one for one in (beside, *others)}
    placed = {key: figures for key, one in found.items() if (figures := _figures(desk, one, kind, currency))}
    points: list[Point] = []
    for key in _best_first(placed, list(named)):
        judged = named.get(key)
        if judged is None and len(points) < MOST_POINTS and desk.judged < 2 * PLANS_A_TURN:
            judged = judge(desk, facts, base, found[key], hardware_stated=False, method_stated=True)
        if judged is None or judged.option is None or judged.verdict in ("no", "unknown"):
            continue
        label = labels.get(id(judged), "")
        words = [wording.fixed(PICTURE, "plan_now")] if judged is plan else []
        words += [wording.fixed(sentences.LABEL, label)] if label else []
        word = (", " if wording.lang == "en" else "，").join(words)
        time, cost = placed[key]
        points.append(Point(word, _called(judged.option, here, wording), time, cost, False, judged is plan))
    return Frontier(tuple(with_front(points)), currency, kind)


def _called(option: Option, here: Candidate, wording: Wording) -> str:
    """The hardware, and what distinguishes the way to run it from the plan's own."""
    name = wording.hardware(option.hardware)
    if option.hardware == here.option.hardware and option.grad_ckpt != here.option.grad_ckpt:
        state = wording.fixed(sentences.WORD, "on" if option.grad_ckpt else "off")
        name = f"{name}, {wording.fixed(sentences.WORD, 'grad_ckpt')} {state}"
    if option.optimizer != here.option.optimizer:
        name = f"{name}, {wording.value('plan.optimizer', option.optimizer)}"
    return name


def _best_first(placed: Mapping[Key, tuple[float, float]], named: Sequence[Key]) -> list[Key]:
    """The plans that stand in the answer, then those that nothing beats, the cheapest first."""
    front = [key for key in placed if key not in named and not beaten(placed[key], placed.values())]
    return [*(key for key in named if key in placed), *sorted(front, key=lambda key: placed[key][1])]


def beaten(one: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    """Whether some other is no worse in both figures and better in one: lower is better."""
    return any(time <= one[0] and cost <= one[1] and (time, cost) != one for time, cost in others)


def with_front(points: Sequence[Point]) -> list[Point]:
    """The points, cheapest first, those that none of the others beats marked."""
    pairs = [(point.time, point.cost) for point in points]
    marked = [replace(p, front=not beaten(pair, pairs)) for p, pair in zip(points, pairs, strict=True)]
    return sorted(marked, key=lambda point: (point.cost, point.time))


def _currency(task: Task, options: Sequence[Option]) -> str | None:
    """The user's currency where something is priced in it, else the plan's, else that of most options."""
    named = [option.price.currency for option in options if option.price is not None]
    if task.currency in named:
        return task.currency
    first = options[0].price if options else None
    if first is not None:
        return first.currency
    return max(sorted(set(named)), key=named.count) if named else None


def _figures(desk: Desk, candidate: Candidate, kind: Kind, currency: str) -> tuple[float, float] | None:
    """Likely time and money of a candidate, None where either is unknown or in another currency."""
    task, option, card = candidate.task, candidate.option, candidate.card
    if kind == "serving":
        rate = throughput(task, option, card, desk.library)
        price = price_of(task, option, desk.market, desk.library)
        if not rate or price is None or price.currency != currency:
            return None
        return SERVED / rate, price.range.likely
    run = replace(task, tokens=AMOUNT, rows=None, epochs=1.0) if kind == "amount" else task
    if option.tokens_per_s is None:
        return None
    timed = replace(option, time=hours_at(run, option.tokens_per_s, option.hardware.cards, desk.library))
    price = price_of(run, timed, desk.market, desk.library)
    if timed.time is None or price is None or price.run is None or price.currency != currency:
        return None
    return timed.time.likely, price.run.likely


def _key(option: Option) -> Key:
    """What makes two options one plan."""
    return (
        option.hardware, option.sharding, option.micro_batch, option.grad_ckpt, option.optimizer, option.offload,
        option.precision,
    )  # fmt: skip


def length_most(task: Task, now: int) -> int:
    """The longest length worth a slider: four times the present one or the usual ones, within the model's window."""
    window = task.model.max_context if task.model is not None else None
    usual = layout("wide").lengths
    most = max(now * 2 * 2, usual[len(usual) // 2 + 1])
    return int(max(now, min(window or usual[-1], most)))


def batch_most() -> int:
    """The largest batch of the picture."""
    return layout("wide").batches[-1]
