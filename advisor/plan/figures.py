"""An option as facts: what the rules judge a plan by.

One place turns figures into the facts of `rules/facts` (set_by: plan). It never asserts a figure that no estimator
gave; an unknown figure is an unknown fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from advisor.core.answer import Hardware, Option, Price
from advisor.core.errors import HkgpuError
from advisor.core.facts import Fact, Facts, Value
from advisor.core.units import BITS_PER_BYTE, Quantity, Range
from advisor.estimate import cost, serving, storage, time, transfer
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.serve import capacity, one_copy, served
from advisor.plan.task import Task, amount, flag, word

_MEMORY_PARTS = ("weights", "gradients", "optimizer", "adapters", "activations", "logits", "kv_cache", "overhead")
_STATES = ("weights", "gradients", "optimizer", "adapters")


def _known(pairs: dict[str, Value | None], provenance: str) -> Iterator[Fact]:
    for name, value in pairs.items():
        if value is not None:
            yield Fact(name, value, "known" if provenance == "known" else "estimated")


def _q(value: float | None, unit: str) -> Quantity | None:
    return None if value is None else Quantity(value, unit)


def card_facts(card: Gpu, library: Library) -> Iterator[Fact]:
    """What we know of the card; its family only where a rule may name it."""
    named = family(card)
    ecc = {"always": True, "on_by_default": True, "none": False}.get(card.ecc.value)
    yield from _known(
        {
            "plan.gpu": card.id,
            "card.family": named if named in (library.facts["card.family"].choices or ()) else None,
            "card.form": card.form,
            "card.architecture": card.architecture,
            "card.memory": _q(card.memory.value, "GB"),
            "card.memory_usable": _q(card.memory_usable.value, "GiB"),
            "card.bf16": _q(card.bf16.value, "TFLOPS"),
            "card.bandwidth": _q(card.bandwidth.value, "GB/s"),
            "card.has_bf16": card.bf16_tensor,
            "card.has_fp8": _has(card.fp8.value, card.fp8.absent),
            "card.has_fp4": _has(card.fp4.value, card.fp4.absent),
            "card.has_nvlink": None if card.nvlink.value is None else card.nvlink.value > 0,
            "card.nvlink_bandwidth": _q(card.nvlink.value, "GB/s"),
            "card.power": _q(card.power.value, "W"),
            "card.ecc": ecc,
            "card.geforce": card.geforce_licence,
            "card.export_lead": card.export.lead,
            "card.compute_capability": card.capability,
        },
        "known",
    )


def family(card: Gpu) -> str:
    """The card's family as the facts name it: "RTX 4090 D" is `rtx_4090d`, "RTX PRO 6000" `rtx_pro_6000`."""
    words = card.family.lower().split()
    joined = "_".join(words[:-1]) + words[-1] if len(words[-1]) == 1 else "_".join(words)
    return joined.replace("-", "_")


def _has(value: float | None, absent: bool) -> bool | None:
    return False if absent else (True if value is not None else None)


def model_facts(task: Task) -> Iterator[Fact]:
    """What we know of the model."""
    shape, model = task.shape, task.model
    yield from _known(
        {
            "model.known": True,
            "model.total": Quantity(shape.params, "params").to("Gparams"),
            "model.active": Quantity(shape.active, "params").to("Gparams"),
            "model.moe": shape.moe,
            "model.multimodal": shape.multimodal,
            "model.vocab": Quantity(float(round(shape.vocab)), "count"),
            "model.hidden": Quantity(float(round(shape.hidden)), "count"),
            "model.max_context": _q(model.max_context if model else None, "tokens"),
        },
        "known",
    )


def interconnect(hardware: Hardware, card: Gpu, nvlink: bool | None) -> str | None:
    """How the cards talk: a bridge only where the user has one; between servers unknown until somebody says it."""
    if hardware.cards == 1:
        return "none"
    if hardware.nodes > 1:
        return None
    if nvlink is False or card.nvlink_kind == "none":
        return "pcie"
    return {"nvlink": "nvlink", "nvlink_bridge": "nvlink_bridge" if nvlink else "pcie"}.get(card.nvlink_kind)


def in_step(option: Option) -> Hardware:
    """The cards that work on one step together: all of them, or those of one copy of a served model."""
    hardware = option.hardware
    cards = hardware.cards // option.copies
    each = min(cards, hardware.per_node)
    return Hardware(hardware.gpu, hardware.label, each, cards // each)


def hardware_facts(hardware: Hardware, card: Gpu, answers: Facts, together: Hardware | None = None) -> Iterator[Fact]:
    """The servers of a plan: how many cards, where, and how those talk that work on one step `together`."""
    together = together or hardware
    yield from _known(
        {
            "plan.cards": Quantity(hardware.cards, "count"),
            "plan.per_node": Quantity(hardware.per_node, "count"),
            "plan.nodes": Quantity(hardware.nodes, "count"),
            "plan.nodes_in_step": Quantity(together.nodes, "count"),
            "plan.interconnect": interconnect(together, card, flag(answers, "gpu.nvlink")),
        },
        "estimated",
    )


def plan_facts(
    task: Task, option: Option, card: Gpu, answers: Facts, *, hardware_stated: bool, method_stated: bool, place: str
) -> Iterator[Fact]:
    """The choices of the plan itself."""
    yield from hardware_facts(option.hardware, card, answers, in_step(option))
    yield from _known(
        {
            "plan.method": option.method,
            "plan.stage": option.stage,
            "plan.sharding": option.sharding,
            "plan.micro_batch": Quantity(option.micro_batch, "count"),
            "plan.grad_ckpt": option.grad_ckpt if task.trains else None,
            "plan.optimizer": option.optimizer if task.trains else None,
            "plan.offload": option.offload,
            "plan.framework": task.framework,
            "plan.seq_len": Quantity(option.seq_len, "tokens") if option.seq_len else None,
            "plan.hardware_stated": hardware_stated,
            "plan.method_stated": method_stated,
            "plan.length_stated": _said(answers, "workload.seq_len"),
            "place.kind": place,
        },
        "estimated",
    )


def memory_facts(option: Option) -> Iterator[Fact]:
    """The peak a card by part, and how far it lies below what is usable; GiB."""
    if option.peak is None or option.usable is None:
        return
    parts = {name: option.parts.get(name, 0.0) for name in _MEMORY_PARTS}
    # The estimator's buffers are the cache of a serving job and the communication buffers of a training job.
    parts["kv_cache" if option.method == "inference" else "overhead"] += option.parts.get("buffers", 0.0)
    margin = option.usable - option.peak.likely
    share = 100 * parts["weights"] / option.usable
    figures = {
        **parts,
        "states": sum(parts[name] for name in _STATES),
        "peak_low": option.peak.low,
        "peak": option.peak.likely,
        "peak_high": option.peak.high,
        "margin": margin,
        "weights_all_cards": option.parts.get("weights_whole"),
        "weights_gathered": option.parts.get("weights_gathered"),
    }
    yield from _known({f"memory.{name}": _q(value, "GiB") for name, value in figures.items()}, "estimated")
    yield Fact("memory.weights_share", Quantity(share, "%"), "estimated")
    yield Fact("memory.margin_share", Quantity(100 * margin / option.usable, "%"), "estimated")


def work_facts(task: Task, option: Option, answers: Facts, library: Library) -> Iterator[Fact]:
    """Host, disk, time and money of the plan."""
    checkpoint, hours, price = option.checkpoint, option.time, option.price
    cores = library.heuristic("host.cores_per_card").value * option.hardware.per_node
    pairs: dict[str, Value | None] = {
        "host.cpu_cores_needed": Quantity(cores, "count"),
        "host.ram_needed_low": None if option.host_ram is None else Quantity(option.host_ram.to("GB").low, "GB"),
        "host.ram_needed": _likely(option.host_ram, "GB"),
        "checkpoint.size": _likely(checkpoint, "GB"),
        "power.total": _likely(option.power.scaled(option.hardware.nodes) if option.power else None, "kW"),
        "speed.tokens": _likely(option.tokens_per_s, "tokens/s"),
        "speed.mfu": _likely(option.mfu, "%"),
        "time.known": hours is not None,
        "cost.known": price is not None,
    }
    if checkpoint is not None:
        kind = {"sata_ssd": "sata_ssd", "hdd": "hdd", "network": "network"}.get(word(answers, "storage.kind") or "")
        pairs["checkpoint.write_time"] = _likely(
            storage.write_time(checkpoint, library, kind=kind or "nvme").range, "s"
        )
    if hours is not None:
        pairs |= {f"time.{end}": Quantity(getattr(hours, end), "h") for end in ("low", "likely", "high")}
        deadline = amount(answers, "schedule.deadline", "days")
        if deadline:
            pairs["time.deadline_share"] = _likely(time.deadline_share(hours, deadline), "%")
    if price is not None:
        money = _compared(price, answers)
        pairs |= {"cost.low": money.low, "cost.likely": money.likely, "cost.high": money.high}
        pairs["cost.currency"] = price.currency
        budget = _budget(price, answers, library)
        pairs["cost.budget_share"] = budget_share(price, answers, library)
        if budget is not None and word(answers, "budget.currency") != price.currency:
            pairs["budget.converted"] = budget
    yield from _known(pairs, "estimated")
    yield from _disk_facts(option, answers)


def _likely(range_: Range | None, unit: str) -> Quantity | None:
    return None if range_ is None else Quantity(range_.to(unit).likely, unit)


def _said(answers: Facts, key: str) -> bool:
    """Whether the user said it, rather than a default."""
    return key in answers and answers[key].provenance not in ("default", "assumed")


def _compared(price: Price, answers: Facts) -> Range:
    """The figure that a budget is held against: the run's for a budget for once, else the period's."""
    once = word(answers, "budget.period") == "once"
    return price.run if once and price.run is not None else price.range


def _budget(price: Price, answers: Facts, library: Library) -> float | None:
    """The budget in the currency of the price, at the likely rate where it was given in another one."""
    budget, currency = amount(answers, "budget.amount"), word(answers, "budget.currency")
    found = cost.rate(currency, price.currency, library) if budget and currency else None
    return None if budget is None or found is None else budget * found[0].likely


def budget_share(price: Price | None, answers: Facts, library: Library) -> Quantity | None:
    """The price's share of a budget for the same time; unknown where either is, or where the times differ."""
    budget = None if price is None else _budget(price, answers, library)
    if price is None or not budget:
        return None
    money = _compared(price, answers)
    if word(answers, "budget.period") != price.period and money is not price.run:
        return None
    return Quantity(100 * money.likely / budget, "%")


def _disk_facts(option: Option, answers: Facts) -> Iterator[Fact]:
    if not option.storage:
        return
    needs = dict(option.storage)
    total = sum(need.likely for need in needs.values())
    groups = {"dataset": ("raw data", "cleaned data"), "cache": ("token cache",), "checkpoints": ("checkpoints",)}
    named = {key: sum(needs[part].likely for part in parts if part in needs) for key, parts in groups.items()}
    named["other"] = total - sum(named.values())
    yield from _known({f"storage.{key}": Quantity(value, "GB") for key, value in named.items()}, "estimated")
    yield Fact("storage.needed", Quantity(total, "GB"), "estimated")
    size = amount(answers, "storage.size", "GB")
    if size:
        used = [need for part, need in needs.items() if part != "kept free"]
        for name, amounts in (("used_share_low", [n.low for n in used]), ("used_share", [n.likely for n in used])):
            yield Fact(f"storage.{name}", Quantity(100 * sum(amounts) / size, "%"), "estimated")


def transfer_facts(answers: Facts, library: Library) -> Iterator[Fact]:
    """How long the data takes over the line, and what line a deadline needs: asked even where nothing is trained."""
    gb = amount(answers, "transfer.size", "GB") or amount(answers, "data.size", "GB")
    mbps = amount(answers, "line.bandwidth", "Mbps") or amount(answers, "observed.throughput", "Mbps")
    days = amount(answers, "schedule.deadline", "days")
    line = answers.value("line.type")
    private = "iplc" in line if isinstance(line, tuple) else line == "iplc"
    if mbps:
        yield Fact("line.megabytes", Quantity(mbps / BITS_PER_BYTE, "MB/s"), "estimated")
    try:
        if gb and mbps:
            hours = transfer.duration(gb, transfer.Line(mbps, private=private), library).range
            yield Fact("transfer.time", Quantity(hours.likely, "h"), "estimated")
            if days:
                yield Fact("transfer.deadline_share", Quantity(_of_days(hours.likely, days), "%"), "estimated")
        if gb and days:
            needed = transfer.bandwidth_needed(gb, days, library, private=private).range
            yield Fact("line.needed", Quantity(needed.likely, "Mbps"), "estimated")
    except HkgpuError:
        return


def _of_days(hours: float, days: float) -> float:
    return 100 * Quantity(hours, "h").to("days").value / days


def serving_facts(task: Task, option: Option, card: Gpu, answers: Facts, library: Library) -> Iterator[Fact]:
    """Tokens a second and sequences at once: what the stated traffic needs, and what the cards give."""
    if task.trains:
        return
    yield Fact("plan.copies", Quantity(option.copies, "count"), "estimated")
    qps, length = amount(answers, "serving.qps"), amount(answers, "serving.output_len")
    if qps and length:
        yield Fact("serving.tokens_needed", Quantity(serving.tokens_needed(qps, length), "tokens/s"), "estimated")
    found = capacity(task, option, card, library)
    if found is not None:
        yield Fact("serving.concurrency_possible", Quantity(found.at_once, "count"), "estimated")
        yield Fact("serving.tokens_possible", Quantity(found.tokens, "tokens/s"), "estimated")
        yield Fact("serving.user_rate", Quantity(found.user_rate, "tokens/s"), "estimated")


def decode_rate(task: Task, option: Option, card: Gpu, library: Library) -> float | None:
    """Tokens/s of all stated sequences together (one where nobody said), whether or not the model fits."""
    on = one_copy(option, card)
    if on is None:
        return None
    length = (task.seq_len or 0.0) + (task.output_len or 0.0)
    users = max(1, int(-(-(task.concurrency or 1) // option.copies)))
    copies = min(option.copies, int(task.concurrency or 1))
    return copies * serving.decode(served(task, option), on, users, length, library).range.likely


def rent_facts(price: Price | None, asked: str | None, library: Library) -> Iterator[Fact]:
    """What named cards cost a month, where no job was named that they are for; in the currency that was asked for."""
    yield Fact("plan.card_alone", True, "known")
    yield Fact("cost.known", price is not None, "estimated")
    if price is None:
        return
    found = cost.rate(price.currency, asked, library) if asked else None
    rate, currency = (found[0], asked) if found is not None else (Range(1.0, 1.0, 1.0, ""), price.currency)
    pairs: dict[str, Value | None] = {
        f"cost.{end}": getattr(price.range, end) * getattr(rate, end) for end in ("low", "likely", "high")
    }
    if currency != price.currency:
        pairs["cost.listed_currency"] = price.currency
    yield from _known({**pairs, "cost.currency": currency}, "estimated")


def offer_facts(price: Price | None, day: date) -> Iterator[Fact]:
    """How old the price is; a year or a month counts from its first day, rather too old than too young."""
    if price is None:
        return
    year, month, day_of_month = (*map(int, price.as_of.split("-")), 1, 1)[: 1 + 2]
    dated = date(year, month, day_of_month)
    yield Fact("offers.age", Quantity(float(max((day - dated).days, 0)), "days"), "known")
    yield Fact("offers.spot_price", False, "known")
    yield Fact("offers.estimated", price.estimated, "known")
    if price.confidence:
        yield Fact("offers.confidence", price.confidence, "known")


def said_differs(card: Gpu, answers: Facts) -> Iterator[Fact]:
    """Whether the memory that the user named is another than the card's."""
    size = amount(answers, "gpu.memory", "GB")
    if size is not None and card.memory.value is not None:
        yield Fact("card.memory_as_said_differs", size != card.memory.value, "known")
