"""Puts figures on an option: memory for the search, everything else for the few that are judged.

It only calls the estimators. Where one refuses, the option keeps the reason in `problem` (memory) or stays without that
figure (time, price, disk): nothing is ever filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

from advisor.core.answer import Hardware, Option, Price
from advisor.core.errors import HkgpuError
from advisor.core.units import Range, convert
from advisor.estimate import cost, power, speed, storage, time
from advisor.estimate.memory import MemoryEstimate, Workload, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.host import host_ram
from advisor.estimate.memory.states import adapter_params, stored_bytes
from advisor.estimate.memory.workload import Offload, Sharding, Weights
from advisor.estimate.speed_machine import machine
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.hardware import Market
from advisor.plan.task import Task

_WEIGHTS: Mapping[str, Weights] = {
    "bf16": "bf16",
    "fp16": "fp16",
    "fp32": "fp32",
    "mixed": "mixed",
    "fp8": "fp8",
    "fp4": "fp4",
    "int8": "int8",
    "int4": "int4",
}
_PACES: Mapping[str, speed.Method] = {"full": "full", "pretrain": "pretrain", "lora": "lora", "qlora": "qlora"}
_QUANTISED: Mapping[str, Weights] = {"bits_4": "int4", "bits_8": "int8"}
_SHARDINGS: Mapping[str, Sharding] = {"tp": "model_parallel", "pp": "model_parallel", "tp_pp": "model_parallel"}


def start(task: Task, hardware: Hardware, sharding: str) -> Option:
    """An option without figures."""
    return Option(
        method=task.method,
        stage=task.stage,
        hardware=hardware,
        sharding=sharding,
        micro_batch=int(task.micro_batch or 1),
        seq_len=int(task.seq_len or 0),
        grad_ckpt=task.grad_ckpt is not False,
        optimizer=task.optimizer or "adamw",
        precision=task.precision or "bf16",
        offload=task.offload,
    )


def weights_of(task: Task) -> Weights | None:
    """How the weights lie in memory, where the user's words say it."""
    if task.method == "qlora":
        return "int8" if task.quant == "bits_8" else None
    if task.method == "inference" and task.quant is not None and task.quant in _QUANTISED:
        return _QUANTISED[task.quant]
    return _WEIGHTS.get(task.precision or "")


def workload(task: Task, option: Option, card: Gpu) -> Workload:
    """The option as the memory estimator takes it."""
    cards = option.hardware.cards
    sharding = _SHARDINGS.get(option.sharding, option.sharding)
    offload: Offload = "params+optimizer" if option.offload else "none"
    split = option.sharding == "tp" and cards > 1
    return Workload(
        shape=task.shape,
        method=task.method,  # type: ignore[arg-type]  # ids of a closed list, checked against rules/facts
        stage=task.stage,  # type: ignore[arg-type]
        weights=weights_of(task),
        optimizer=task.optimizer,
        seq_len=task.seq_len,
        micro_batch=task.concurrency if task.method == "inference" and task.concurrency else task.micro_batch,
        grad_accum=task.grad_accum,
        grad_ckpt=None if task.grad_ckpt is None else ("yes" if task.grad_ckpt else "no"),
        lora_rank=task.lora_rank,
        sharding=cast(Sharding, sharding) if sharding in get_args(Sharding) else None,
        offload=offload,
        tp=cards if split and option.hardware.nodes == 1 else None,
        n_gpus=cards,
        framework=task.framework,
        usable_gib=card.memory_usable.value,
        new_tokens=task.output_len,
    )


def with_memory(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    """The option with its peak a card; with the reason where there is no figure."""
    usable = card.memory_usable.value
    try:
        found = peak(workload(task, option, card), library)
    except HkgpuError as error:
        return replace(option, usable=usable, problem=error.what)
    return replace(
        option,
        peak=found.need,
        usable=usable,
        parts=found.parts | _whole(task, found, library),
        derivation=tuple(str(step) for step in found.derivation),
        assumptions=tuple(found.assumptions),
    )


def _whole(task: Task, found: MemoryEstimate, library: Library) -> dict[str, float]:
    """Beside the parts: one full copy of the weights in GiB, and the adapter's parameters."""
    job = found.job
    copy = stored_bytes(job.weights, constants(library)) * task.shape.params
    extra = {"weights_whole": convert(copy, "B", "GiB")}
    if job.adapters:
        extra["adapter_params"] = adapter_params(task.shape, job.lora_targets, job.lora_rank)
    return extra


def with_all(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Option:
    """The option with host RAM, disk, speed, time, price and power, each where an estimator gives it."""
    option = _with_host(task, option, card, library)
    option = _with_disk(task, option, library)
    option = _with_time(task, option, card, library)
    return replace(option, price=price_of(option.hardware, market, library), power=_power(option, card, library))


def _with_host(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    try:
        found = host_ram(workload(task, option, card), library, option.hardware.per_node)
    except HkgpuError:
        return option
    return replace(option, host_ram=found.range)


def _with_disk(task: Task, option: Option, library: Library) -> Option:
    if not task.trains:
        return option
    params_b = convert(task.shape.params, "params", "Gparams")
    adapters = task.method in ("lora", "qlora")
    adapter_b = convert(option.parts.get("adapter_params", 0.0), "params", "Gparams") or None
    try:
        kind = "adapter" if adapters else "full_state"
        checkpoint = storage.checkpoint_size(library, params_b=params_b, kind=kind, adapter_params_b=adapter_b)
        weights = storage.checkpoint_size(library, params_b=params_b, kind="weights")
        disk = storage.disk(
            library,
            dataset_gb=task.dataset_gb,
            tokens=task.tokens,
            checkpoint=checkpoint.range,
            checkpoints_kept=task.checkpoints_kept,
            model_files=weights.range,
        )
    except HkgpuError:
        return option
    return replace(option, checkpoint=checkpoint.range, storage=tuple(disk.parts.items()))


def _with_time(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    if not task.trains:
        return option
    try:
        rate = pace(task, option, card, library)
    except HkgpuError:
        return option
    option = replace(option, tokens_per_s=rate.range, mfu=rate.mfu)
    try:
        work = time.tokens_to_train(
            library, tokens=task.tokens, rows=task.rows, seq_len=task.seq_len, epochs=task.epochs
        )
        hours = time.hours(work.range, rate.range, option.hardware.cards, library)
    except HkgpuError:
        return option
    return replace(option, time=hours.range)


def pace(task: Task, option: Option, card: Gpu, library: Library) -> speed.Speed:
    """Tokens a second a card of an option; raises `BadInput` where the estimator has not enough."""
    hardware = option.hardware
    job = speed.Job(
        widths=speed.widths_of(task.shape, library),
        method=_PACES.get(task.method, "full"),
        precision="fp8" if task.precision == "fp8" else "bf16",
        seq_len=task.seq_len,
        micro_batch=task.micro_batch,
        accumulation=task.grad_accum,
        recompute="full" if option.grad_ckpt else "none",
        split=speed.Split(
            shards=option.sharding in ("zero3", "fsdp"),
            offload=option.offload,
            tensor=hardware.per_node if option.sharding == "tp" else 1,
        ),
    )
    on = machine(card, hardware.cards, library, per_server=hardware.per_node)
    return speed.training(job, on, library)


def _power(option: Option, card: Gpu, library: Library) -> Range | None:
    if card.power.value is None:
        return None
    try:
        return power.node(card.power.value, option.hardware.per_node, library).range
    except HkgpuError:
        return None


def effort(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> float:
    """What a token costs, in index dollars: an order among options. Cards without a price come last."""
    index = market.index.get(card.label)
    if index is None:
        return float("inf")
    if not task.trains:
        return index * option.hardware.cards
    try:
        return index / pace(task, option, card, library).range.likely
    except HkgpuError:
        return float("inf")


def price_of(hardware: Hardware, market: Market, library: Library) -> Price | None:
    """The band of offers in the place for this card, a month for all cards; None where no list has the card."""
    own = market.kind == "own_offers"
    here = [row for row in market.rows if row.gpu == hardware.label and (row.in_hong_kong or own)]
    for currency in dict.fromkeys(row.currency for row in here):
        try:
            band = cost.band(here, hardware.label, currency, library)
            month = cost.per_period(band, hardware.cards, "month", library)
        except HkgpuError:
            continue
        source = band.sources[0] if band.sources else ""
        return Price(month.range, currency, "month", band.youngest, source, here[0].place)
    return None
