"""How much disk a job needs, by part, and how long a checkpoint takes to write.

A dataset's size is one of eight parts: raw data, cleaned data, token cache, logs, checkpoints, temporary files, system
with images, and the free share a disk should keep. The base model's files stand beside them as a ninth, since a
fine-tune cannot start without them. Refuses to invent the dataset: without its size, or tokens, there is no sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.core.units import Range, convert
from advisor.estimate.constants import Figure, Heuristics, load
from advisor.estimate.derivation import Estimate, Step, not_negative, over_ends, positive, whole


@dataclass(frozen=True, slots=True)
class StorageConstants:
    """The heuristics of this room (knowledge/heuristics/storage)."""

    text_bytes_per_token: Figure
    cleaned_share: Figure
    cache_bytes_per_token: Figure
    logs: Figure
    temporary_share: Figure
    system: Figure
    high_water: Figure
    full_state_bytes: Figure
    weight_bytes: Figure
    adapter_bytes: Figure
    checkpoints_kept: Figure
    nvme_write: Figure
    sata_ssd_write: Figure
    hdd_write: Figure
    network_write: Figure


@dataclass(frozen=True, slots=True)
class Disk:
    """The sum and its parts, all in GB, with the derivation."""

    total: Estimate
    parts: dict[str, Range]


def constants(library: Heuristics) -> StorageConstants:
    """This room's heuristics, read once."""
    return load(StorageConstants, "storage", library)


def checkpoint_size(
    library: Heuristics,
    *,
    params_b: float | None = None,
    kind: str = "full_state",
    adapter_params_b: float | None = None,
) -> Estimate:
    """GB of one checkpoint: `full_state` (weights and optimizer, to resume from), `weights`, or `adapter`.

    `params_b` and `adapter_params_b` are billions of parameters; an adapter needs only its own.
    """
    c = constants(library)
    each = {"full_state": c.full_state_bytes, "weights": c.weight_bytes, "adapter": c.adapter_bytes}[kind]
    name, count = ("adapter parameters", adapter_params_b) if kind == "adapter" else ("parameters", params_b)
    billions = positive(name, count)
    # A billion parameters of one byte each are one GB.
    size = Range(billions * each.low, billions * each.value, billions * each.high, "GB")
    return Estimate(
        size, (Step(f"checkpoint ({kind})", f"{billions:g}e9 x {each.value:g} B", size.likely, "GB", (each.id,)),)
    )


def write_time(size: Range, library: Heuristics, *, kind: str = "nvme") -> Estimate:
    """Seconds to write `size` to a disk of `kind`: nvme, sata_ssd, hdd or network."""
    c = constants(library)
    rate = {"nvme": c.nvme_write, "sata_ssd": c.sata_ssd_write, "hdd": c.hdd_write, "network": c.network_write}[kind]
    amount = size.to("GB")
    not_negative("checkpoint size", amount.low)
    time = Range(amount.low / rate.high, amount.likely / rate.value, amount.high / rate.low, "s")
    step = Step("checkpoint write", f"{amount.likely:g} GB / {rate.value:g} GB/s", time.likely, "s", (rate.id,))
    return Estimate(time, (step,))


def _tokens(c: StorageConstants, dataset_gb: float | None, tokens: float | None) -> tuple[Range, Range]:
    """(raw GB, tokens in billions), each from the other where only one is known."""
    each = c.text_bytes_per_token
    if dataset_gb is None:
        billions = convert(positive("dataset size or tokens", tokens), "tokens", "Gtokens")
        raw_range = Range(billions * each.low, billions * each.value, billions * each.high, "GB")
        return raw_range, _exactly(billions, "Gtokens")
    raw = positive("dataset size", dataset_gb)
    if tokens is not None:
        return _exactly(raw, "GB"), _exactly(convert(positive("tokens", tokens), "tokens", "Gtokens"), "Gtokens")
    return _exactly(raw, "GB"), Range(raw / each.high, raw / each.value, raw / each.low, "Gtokens")


def _ends(figure: Figure) -> tuple[float, float, float]:
    return figure.low, figure.value, figure.high


def _exactly(value: float, unit: str) -> Range:
    return Range(value, value, value, unit)


def _share(of: Range, share: Figure) -> Range:
    return Range(of.low * share.low, of.likely * share.value, of.high * share.high, "GB")


def disk(
    library: Heuristics,
    *,
    dataset_gb: float | None = None,
    tokens: float | None = None,
    checkpoint: Range | None = None,
    checkpoints_kept: int | None = None,
    model_files: Range | None = None,
) -> Disk:
    """The disk to order, in GB.

    `checkpoint` is one checkpoint (see `checkpoint_size`); one more than is kept must fit, since the new one is written
    before the oldest goes. `model_files` are the base model's files. Raises `BadInput` without dataset size and tokens.
    """
    c = constants(library)
    raw, billions = _tokens(c, dataset_gb, tokens)
    kept = whole(
        "checkpoints kept", checkpoints_kept if checkpoints_kept is not None else int(c.checkpoints_kept.value)
    )
    one = (checkpoint or _exactly(0, "GB")).to("GB")
    parts = {
        "raw data": raw,
        "cleaned data": _share(raw, c.cleaned_share),
        "token cache": _share(billions, c.cache_bytes_per_token),
        "logs": Range(c.logs.low, c.logs.value, c.logs.high, "GB"),
        "checkpoints": one.scaled(kept + 1),
        "temporary files": _share(raw, c.temporary_share),
        "system and images": Range(c.system.low, c.system.value, c.system.high, "GB"),
        "model files": (model_files or _exactly(0, "GB")).to("GB"),
    }
    used = over_ends(lambda end: sum(getattr(part, end) for part in parts.values()), "GB")
    least, usual, most = (convert(each, c.high_water.unit, "share") for each in _ends(c.high_water))
    total = Range(used.low / most, used.likely / usual, used.high / least, "GB")
    parts["kept free"] = Range(total.low - used.low, total.likely - used.likely, total.high - used.high, "GB")
    assumed = () if checkpoints_kept is not None else (c.checkpoints_kept.id,)
    return Disk(Estimate(total, _steps(c, parts, total, kept), assumed), parts)


def _steps(c: StorageConstants, parts: dict[str, Range], total: Range, kept: int) -> tuple[Step, ...]:
    formulas = {
        "raw data": ("as stated, or tokens x bytes a token", c.text_bytes_per_token.id),
        "cleaned data": (f"raw x {c.cleaned_share.value:g}", c.cleaned_share.id),
        "token cache": (f"tokens x {c.cache_bytes_per_token.value:g} B", c.cache_bytes_per_token.id),
        "logs": ("a fixed sum", c.logs.id),
        "checkpoints": (f"({kept} kept + 1 being written) x one", ""),
        "temporary files": (f"raw x {c.temporary_share.value:g}", c.temporary_share.id),
        "system and images": ("a fixed sum", c.system.id),
        "model files": ("the base model as downloaded", ""),
        "kept free": (f"so that at most {c.high_water.value:g} {c.high_water.unit} is used", c.high_water.id),
    }
    lines = [
        Step(name, formulas[name][0], part.likely, "GB", tuple(filter(None, formulas[name][1:])))
        for name, part in parts.items()
    ]
    return (*lines, Step("disk", "sum of the parts", total.likely, "GB"))


def used_share(needed: Range, disk_gb: float) -> Range:
    """Per cent of a disk of `disk_gb` that `needed` (without the free share) fills."""
    size = positive("disk", disk_gb)
    amount = needed.to("GB")
    return Range(amount.low / size, amount.likely / size, amount.high / size, "share").to("%")


def part_sum(parts: dict[str, Range]) -> Range:
    """What is really written: every part but the share that is kept free."""
    written = [part for name, part in parts.items() if name != "kept free"]
    return over_ends(lambda end: sum(getattr(part, end) for part in written), "GB")
