"""Puts figures on an option: memory for the search, everything else for the few that are judged.

It only calls the estimators. Where one refuses, the option keeps the reason in `problem` (memory) or stays without that
figure (time, price, disk): nothing is ever filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast, get_args

from advisor.core.answer import Hardware, Option
from advisor.core.errors import HkgpuError
from advisor.core.units import Range, convert
from advisor.estimate import power, speed, storage, time
from advisor.estimate.memory import MemoryEstimate, Workload, peak
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.host import host_ram
from advisor.estimate.memory.states import adapter_params, stored_bytes
from advisor.estimate.memory.workload import Offload, Sharding, Weights
from advisor.estimate.speed_plan import training_of_plan
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.plan.hardware import Market
from advisor.plan.price import price_of
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
_QUANTISED: Mapping[str, Weights] = {"bits_4": "int4", "bits_8": "int8"}
_SHARDINGS: Mapping[str, Sharding] = {"tp": "model_parallel", "pp": "device_map", "tp_pp": "model_parallel"}


def start(task: Task, hardware: Hardware, sharding: str, copies: int = 1) -> Option:
    """An option without figures."""
    return Option(
        copies=copies,
        method=task.method,
        stage=task.stage,
        hardware=hardware,
        sharding=sharding,
        micro_batch=int(task.micro_batch or 1),
        seq_len=int(task.seq_len or 0),
        grad_ckpt=task.grad_ckpt is not False,
        optimizer=task.optimizer or "adamw",
        precision=task.precision or _QUANTISED.get(task.quant or "", "bf16"),
        offload=task.offload,
    )


def weights_of(task: Task) -> Weights | None:
    """How the weights lie in memory, where the user's words or the model's publisher say it."""
    if task.method == "qlora":
        return "int8" if task.quant == "bits_8" else None
    if task.method == "inference" and task.quant is not None and task.quant in _QUANTISED:
        return _QUANTISED[task.quant]
    if task.method == "inference" and task.precision is None and task.quant is None and task.model is not None:
        return task.model.stored_as
    return _WEIGHTS.get(task.precision or "")


def workload(task: Task, option: Option, card: Gpu) -> Workload:
    """The option as the memory estimator takes it."""
    # A copy of a served model stands alone: the others change nothing for its cards but the users that are left to it.
    cards = option.hardware.cards // option.copies
    users = None if task.concurrency is None else float(-(-task.concurrency // option.copies))
    sharding: str | None = _SHARDINGS.get(option.sharding, option.sharding)
    if task.split_by_degree and option.sharding == "tp_pp":
        sharding = "zero1"  # what Megatron does with the copies that remain
    # ZeRO-2 and below hold the weights whole on each card: only the optimizer's states can move.
    whole = option.sharding in ("ddp", "zero1", "zero2")
    offload: Offload = "none" if not option.offload else "optimizer" if whole else "params+optimizer"
    split = option.sharding == "tp" and cards > 1
    return Workload(
        shape=task.shape,
        method=task.method,  # type: ignore[arg-type]  # ids of a closed list, checked against rules/facts
        stage=task.stage,  # type: ignore[arg-type]
        weights=weights_of(task),
        optimizer=task.optimizer,
        seq_len=task.seq_len,
        micro_batch=users if task.method == "inference" and users else task.micro_batch,
        grad_accum=task.grad_accum,
        grad_ckpt=None if task.grad_ckpt is None else ("yes" if task.grad_ckpt else "no"),
        lora_rank=task.lora_rank,
        sharding=cast(Sharding, sharding) if sharding in get_args(Sharding) else None,
        offload=offload,
        tp=cards if split and _in_one_server(option) else task.tp,
        pp=task.pp,
        ep=task.ep,
        n_gpus=cards,
        framework=task.framework,
        usable_gib=card.memory_usable.value,
        new_tokens=task.output_len,
    )


def _in_one_server(option: Option) -> bool:
    """Whether the cards of one copy stand in one server."""
    return option.hardware.cards // option.copies <= option.hardware.per_node


def with_memory(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    """The option with its peak a card; with the reason where there is no figure."""
    usable = card.memory_usable.value
    found = need(task, option, card, library)
    if isinstance(found, str):
        return replace(option, usable=usable, problem=found)
    return replace(option, peak=found.need, usable=usable, parts=found.parts, assumptions=found.assumptions)


def need(task: Task, option: Option, card: Gpu, library: Library) -> MemoryEstimate | str:
    """What one card of the option needs, the reason where there is no figure; worked out once for all kinds of card.

    What a job needs does not depend on the card: only how much of it an instrument would show does.
    """
    key = (
        task.method, task.stage, task.precision, task.quant, task.optimizer, task.seq_len, task.micro_batch,
        task.grad_accum, task.grad_ckpt, task.lora_rank, task.framework, task.concurrency, task.output_len,
        task.tp, task.pp, task.ep,
        option.offload, option.sharding, option.hardware.cards // option.copies, _in_one_server(option),
        option.copies if task.concurrency else 1,
    )  # fmt: skip
    found = task.sizes.get(key)
    if found is None:
        try:
            found = peak(replace(workload(task, option, card), usable_gib=None), library)
        except HkgpuError as error:
            found = error.what
        task.sizes[key] = found
    return found


def _whole(task: Task, found: MemoryEstimate, library: Library) -> dict[str, float]:
    """Beside the parts: full copies of the weights in GiB, stored and computed with, and the adapter's parameters."""
    job, c = found.job, constants(library)
    each = stored_bytes(job.weights, c)
    # What an engine gathers to compute with: 16 bits a weight, or the quantised one as it lies.
    gathered = each if job.quantised else stored_bytes("bf16", c)
    extra = {name: convert(size * task.shape.params, "B", "GiB")
             for name, size in (("weights_whole", each), ("weights_gathered", gathered))}  # fmt: skip
    if job.adapters:
        extra["adapter_params"] = adapter_params(task.shape, job.lora_targets, job.lora_rank)
    return extra


def with_all(task: Task, option: Option, card: Gpu, market: Market, library: Library) -> Option:
    """The option with host RAM, disk, speed, time, price and power, each where an estimator gives it."""
    option = _with_derivation(task, option, card, library)
    option = _with_host(task, option, card, library)
    option = _with_disk(task, option, library)
    option = _with_time(task, option, card, library)
    price = price_of(task, option, market, library)
    return replace(option, price=price, power=_power(option, card, library))


def _with_derivation(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    try:
        found = peak(workload(task, option, card), library)
    except HkgpuError:
        return option
    parts = found.parts | _whole(task, found, library)
    return replace(option, parts=parts, derivation=tuple(str(step) for step in found.derivation))


def host_holds(task: Task, option: Option, card: Gpu, library: Library) -> bool:
    """False where what is moved off the cards needs more RAM than servers on offer have, even at its lowest."""
    if not option.offload:
        return True
    found = _with_host(task, option, card, library).host_ram
    return found is None or found.to("GB").low <= library.heuristic("plan.largest_host_ram").to("GB").value


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
    option = with_pace(task, option, card, library)
    if option.tokens_per_s is None:
        return option
    return replace(option, time=hours_at(task, option.tokens_per_s, option.hardware.cards, library))


def with_pace(task: Task, option: Option, card: Gpu, library: Library) -> Option:
    """The option with its speed, where something is trained and the estimator has enough."""
    if not task.trains:
        return option
    try:
        rate = pace(task, option, card, library)
    except HkgpuError:
        return option
    return replace(option, tokens_per_s=rate.range, mfu=rate.mfu)


def hours_at(task: Task, rate: Range, cards: int, library: Library) -> Range | None:
    """Hours of the run at so many tokens a second a card, None where nobody said how much there is to train."""
    try:
        work = time.tokens_to_train(
            library, tokens=task.tokens, rows=task.rows, seq_len=task.seq_len, epochs=task.epochs
        )
        return time.hours(work.range, rate, cards, library).range
    except HkgpuError:
        return None


def pace(task: Task, option: Option, card: Gpu, library: Library) -> speed.Speed:
    """Tokens a second a card of an option; raises `BadInput` where the estimator has not enough."""
    return training_of_plan(
        library,
        shape=task.shape,
        method=task.method,
        gpu=card,
        cards=option.hardware.cards,
        per_server=option.hardware.per_node,
        precision=task.precision,
        seq_len=task.seq_len,
        micro_batch=task.micro_batch,
        grad_accum=task.grad_accum,
        grad_ckpt=option.grad_ckpt,
        sharding=option.sharding,
        offload=option.offload,
        framework=task.framework,
    )


def _power(option: Option, card: Gpu, library: Library) -> Range | None:
    if card.power.value is None:
        return None
    try:
        return power.node(card.power.value, option.hardware.per_node, library).range
    except HkgpuError:
        return None
