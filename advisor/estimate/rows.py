"""Rows of a table, read by meaning: the columns of the contract's `estimate` to workloads, and answers to columns.

A blank is "not stated". A value that means nothing here is named in `error` with what was expected, and treated as not
stated, so that the figure is still given; where a number cannot be (a negative length, no cards) the verdict stays
`unknown`, since it would be about another job. The results that such a table may hold (`measured_gib`, `outcome`,
`tokens_per_s_total`) and its notes (`quality`, `source`, `where`, `remarks`) are never read; `id` is only carried
through. A row never raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, cast

from advisor.core.errors import HkgpuError, UnitError
from advisor.core.units import convert
from advisor.estimate.gpu_names import find_gpu
from advisor.estimate.memory.cards import usable_memory
from advisor.estimate.memory.constants import Constants, constants
from advisor.estimate.memory.lookup import shape_of
from advisor.estimate.memory.peak import MemoryEstimate, peak_with
from advisor.estimate.memory.workload import Method, Stage, Workload

COLUMNS = ("id", "low_gib", "likely_gib", "high_gib", "verdict", "tokens_per_s_total", "error")
BEYOND = "a figure is out of any plausible range"
BLANK = frozenset({"", "-", "n/a", "na", "null", "nan", "?", "unknown", "not stated", "unstated"})
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)

# What people write, by pattern and in order, and what it means. The patterns are tried on the lower-case text.
_METHODS = (
    (r"q-?lora|4-?bit lora|8-?bit lora", "qlora"),
    (r"lora|dora|adapter|peft", "lora"),
    (r"infer|serv|generat|predict|decode", "inference"),
    (r"pre-?train", "pretrain"),
    (r"full|sft|fine-?tun|finetun|train|dpo|kto|orpo|simpo|ppo|grpo|rlhf|reward|embed|rerank", "full"),
)
_STAGES = (
    (r"grpo", "grpo"),
    (r"ppo|rlhf", "ppo"),
    (r"dpo|kto|orpo|simpo", "dpo"),
    (r"reward|\brm\b", "reward"),
    (r"embed", "embedding"),
    (r"rerank", "rerank"),
    (r"pre-?train", "pretrain"),
    (r"", "sft"),
)
_WEIGHTS = (
    (r"nf4.*(double|dq)|double.*nf4", "nf4_double"),
    (r"nf4|bnb.*4|4.*bnb", "nf4"),
    (r"mx?fp4|nvfp4|fp4", "fp4"),
    (r"fp8|e4m3|float8", "fp8"),
    (r"mixed|amp|autocast|tf32", "mixed"),
    (r"int8|8-?bit|w8", "int8"),
    (r"int4|4-?bit|gptq|awq|w4|q4", "int4"),
    (r"bf16|bfloat16", "bf16"),
    (r"fp16|float16|half|f16", "fp16"),
    (r"fp32|float32|f32|single", "fp32"),
)
_OPTIMIZERS = (
    (r"8-?bit", "adamw_8bit"),
    (r"4-?bit", "adamw_4bit"),
    (r"paged", "paged_adamw"),
    (r"fused", "adamw_fused"),
    (r"distributed", "adamw"),
    (r"adafactor", "adafactor"),
    (r"lomo", "lomo"),
    (r"galore", "galore"),
    (r"muon", "muon"),
    (r"lion", "lion"),
    (r"adam", "adamw"),
    (r"sgd.*moment|moment.*sgd", "sgd_momentum"),
    (r"sgd", "sgd"),
)
_CHECKPOINTING = (
    (r"select|partial|attn|attention|op\b", "selective"),
    (r"^(no|none|false|off|0|disabled?)\b", "no"),
    (r"^(yes|true|on|1|full|all|every|unsloth|enabled?)\b", "yes"),
)
_ATTENTION = (
    (r"flash|fa-?\d|fa$|triton|te\b", "flash"),
    (r"sdpa|xformers|memory|efficient|flex", "sdpa"),
    (r"eager|math|naive|none|no\b", "eager"),
)
_FUSED = (
    (r"^(no|none|false|off|0)\b", False),
    (r"^(yes|true|on|1)\b|fused|liger|cut|chunk", True),
)
_SHARDING = (
    (r"zero-?\s*_?3|stage\s*_?3|z3", "zero3"),
    (r"zero-?\s*_?2|stage\s*_?2|z2", "zero2"),
    (r"zero-?\s*_?1|stage\s*_?1|z1|distributed.?optim", "zero1"),
    (r"fsdp|hsdp|full.?shard|fully", "fsdp"),
    (r"ddp|data.?parallel|multi.?gpu|accelerate", "ddp"),
    (r"device.?map|naive|layer.?split|auto", "device_map"),
    (r"model.?parallel|tensor|pipeline|\btp|\bpp|megatron", "model_parallel"),
    (r"none|no\b|single", "none"),
)
_OFFLOAD = (
    (r"param|weights|all|full|nvme", "params+optimizer"),
    (r"optim|cpu|yes|true|offload|on\b|host", "optimizer"),
    (r"no|none|false|off", "none"),
)
_INSTRUMENTS = (
    (r"smi|nvml|device|process", "nvidia-smi"),
    (r"reserv", "reserved"),
    (r"alloc", "allocated"),
)
_TARGETS = (
    (r"all|linear|mlp|gate|up|down", "all"),
    (r"q.*k.*v.*o|attn|attention|c_attn.*c_proj", "qkvo"),
    (r"q.*k.*v|c_attn|query_key_value|w_?pack", "qkv"),
    (r"q.*v", "qv"),
    (r"^q", "q"),
)


# The facts whose range bounds a column.
_FACTS = {
    "seq_len": "workload.seq_len", "micro_batch": "workload.micro_batch", "grad_accum": "workload.grad_accum",
    "lora_rank": "tuning.lora_rank", "n_gpus": "gpu.count_total", "gpu_gib": "gpu.memory",
    "tp": "tuning.tp", "pp": "tuning.pp", "ep": "tuning.ep",
}  # fmt: skip


@lru_cache(maxsize=8)
def largest(library: Any) -> Mapping[str, float]:
    """The largest number that a column may hold, where one is known."""
    ranges = {column: library.facts[fact].range for column, fact in _FACTS.items()}
    return {column: float(ends[1]) for column, ends in ranges.items() if ends is not None}


class _Reader:
    """Reads one row's cells and remembers what it could not read."""

    def __init__(self, row: Mapping[str, str | None], most: Mapping[str, float]) -> None:
        self._row, self._most = row, most
        self.errors: list[str] = []
        self.unusable: list[str] = []
        """Columns whose number cannot be."""

    def refuse(self, column: str, what: str, expected: str) -> None:
        """Name a cell that cannot be used."""
        self.errors.append(f'{column} "{self.text(column)}" {what} (expected {expected})')

    def text(self, column: str) -> str | None:
        """The cell, or None where it is blank."""
        value = (self._row.get(column) or "").strip()
        return None if value.casefold() in BLANK else value

    def number(self, column: str) -> float | None:
        """A finite number, or None; `8K` and `4,096` are numbers too."""
        text = self.text(column)
        if text is None:
            return None
        bare = text.replace(",", "").replace("_", "").strip()
        found = _NUMBER.match(bare)
        rest = bare[found.end() :].strip().casefold() if found else ""
        value = float(found[0]) * (2**10 if rest.startswith("k") else 1) if found else None
        if value is None or not isfinite(value) or value <= 0:
            self.refuse(column, "is no number" if value is None else "is not above 0", "a number above 0")
            self.unusable.append(column)
            return None
        if value > self._most.get(column, value):
            self.refuse(column, "is beyond anything known", f"at most {self._most[column]:,.0f}")
            self.unusable.append(column)
            return None
        return value

    def count(self, column: str) -> int | None:
        """A whole number, or None."""
        value = self.number(column)
        if value is None:
            return None
        if value != int(value):
            self.refuse(column, "is no whole number", "a whole number from 1")
            self.unusable.append(column)
            return None
        return int(value)

    def degree(self, name: str) -> int | None:
        """A degree of parallelism from its own column, else from what `sharding` says, as in `tp8 + pp2`."""
        if self.text(name) is not None:
            return self.count(name)
        found = re.search(rf"\b{name}\W?(\d+)", (self.text("sharding") or "").casefold())
        return int(found[1]) if found else None

    def word(self, column: str, meanings: Sequence[tuple[str, Any]]) -> Any:
        """What the cell means, or None."""
        text = self.text(column)
        if text is None:
            return None
        low = text.casefold()
        for pattern, meaning in meanings:
            if re.search(pattern, low):
                return meaning
        known = dict.fromkeys(_shown(meaning) for _, meaning in meanings)
        self.refuse(column, "is not understood", f"one of {', '.join(known)}")
        return None


def _shown(meaning: object) -> str:
    return {True: "yes", False: "no"}.get(meaning, str(meaning)) if isinstance(meaning, bool) else str(meaning)


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a row: usable GiB where it is known, and what could not be read."""

    usable: float | None
    errors: tuple[str, ...]
    unusable: tuple[str, ...]


def card_of(row: Mapping[str, str | None], library: Any, c: Constants) -> Card:
    """The memory that the row's card offers to a program."""
    read = _Reader(row, largest(library))
    name = read.text("gpu") or ""
    stated = read.number("gpu_gib")
    usable = usable_memory(name, stated, library, c)
    if name and usable is None and find_gpu(name, library) is not None:
        read.refuse("gpu", "comes in several sizes", "the size in gpu_gib")
    elif name and find_gpu(name, library) is None and usable_memory(name, None, library, c) is None:
        read.refuse("gpu", "is no known card", "a card of the catalogue")
    return Card(usable, tuple(read.errors), tuple(read.unusable))


@dataclass(frozen=True, slots=True)
class Read:
    """A row's job without its card, and what could not be read: in words, and the columns of numbers that cannot be."""

    workload: Workload
    errors: tuple[str, ...]
    unusable: tuple[str, ...]


def workload_of(row: Mapping[str, str | None], library: Any, c: Constants) -> tuple[Workload, float | None, list[str]]:
    """The workload of a row, the card's usable GiB where it is known, and what could not be read.

    Raises `HkgpuError` where nothing can be computed: no model and no size.
    """
    read, card = job_of(row, library, c), card_of(row, library, c)
    return replace(read.workload, usable_gib=card.usable), card.usable, [*read.errors, *card.errors]


def job_of(row: Mapping[str, str | None], library: Any, c: Constants) -> Read:
    """The job of a row, whatever its card. Raises `HkgpuError` for no model and no size."""
    read = _Reader(row, largest(library))
    params = read.number("params_b")
    if params is not None and params > convert(1, "Gparams", "params") / convert(1, "Gparams", "Mparams"):
        params = convert(params, "params", "Gparams")  # a plain count of parameters
    shape = shape_of(
        read.text("model") or "", None if params is None else convert(params, "Gparams", "params"), library, c
    )
    sharding, offload = _sharding_and_offload(read)
    method = cast(Method, read.word("method", _METHODS) or "full")
    workload = Workload(
        shape=shape,
        method=method,
        stage=_stage(read),
        weights=read.word("weights", _WEIGHTS),
        optimizer=read.word("optimizer", _OPTIMIZERS),
        seq_len=read.number("seq_len"),
        micro_batch=read.number("micro_batch"),
        grad_accum=read.number("grad_accum"),
        grad_ckpt=read.word("grad_ckpt", _CHECKPOINTING),
        attention=read.word("attn", _ATTENTION),
        fused_ce=read.word("fused_ce", _FUSED),
        lora_rank=read.number("lora_rank") if method in ("lora", "qlora") else None,
        lora_targets=read.word("lora_targets", _TARGETS),
        sharding=sharding,
        offload=offload,
        tp=read.degree("tp"),
        pp=read.degree("pp"),
        cp=read.degree("cp"),
        ep=read.degree("ep"),
        n_gpus=read.count("n_gpus"),
        framework=read.text("framework"),
        instrument=read.word("instrument", _INSTRUMENTS) or "reserved",
    )
    return Read(workload, tuple(read.errors), tuple(read.unusable))


def _stage(read: _Reader) -> Stage:
    """What the training is for, where the method says it."""
    said = (read.text("method") or "").casefold()
    return cast(Stage, next(stage for pattern, stage in _STAGES if re.search(pattern, said)))


def _sharding_and_offload(read: _Reader) -> tuple[Any, Any]:
    """Both, also where one cell says both: `zero3 + offload`, `none (DDP)`."""
    said = (read.text("sharding") or "").casefold()
    if re.fullmatch(r"deep.?speed|zero", said):  # the stage was not said
        adapters = "lora" in (read.text("method") or "").casefold()
        sharding: Any = "zero2" if adapters else "zero3"
    else:
        sharding = read.word("sharding", _SHARDING)
    offload = read.word("offload", _OFFLOAD)
    if offload is None and "offload" in said and not re.search(r"ref\w*[ _-]offload", said):
        offload = "params+optimizer" if sharding in ("zero3", "fsdp") else "optimizer"
    if "none" in said and "ddp" in said and (read.count("n_gpus") or 1) > 1:
        sharding = "ddp"
    return sharding, offload


@dataclass(frozen=True, slots=True)
class RowEstimate:
    """The estimate of one row where there is one, the card, and what went wrong."""

    estimate: MemoryEstimate | None
    card: Card
    errors: tuple[str, ...]
    unusable: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """`fits`, `tight`, `oom`; `unknown` too where a number of the row cannot be."""
        if self.estimate is None or self.unusable:
            return "unknown"
        return self.estimate.fits(self.card.usable)


def estimate_row(row: Mapping[str, str | None], library: Any) -> RowEstimate:
    """The estimate of one row; never raises for a bad row."""
    c = constants(library)
    card = card_of(row, library, c)
    errors, unusable = card.errors, card.unusable
    try:
        read = job_of(row, library, c)
        errors, unusable = (*read.errors, *errors), (*read.unusable, *unusable)
        found = peak_with(replace(read.workload, usable_gib=card.usable), library, c)
        return RowEstimate(found, card, errors, unusable)
    except (OverflowError, ZeroDivisionError, UnitError):
        return RowEstimate(None, card, (*errors, BEYOND), unusable)
    except HkgpuError as error:
        return RowEstimate(None, card, (*errors, error.line()), unusable)


def estimate_rows(
    rows: Iterable[Mapping[str, str | None]],
    library: Any,
    speed: Callable[[Mapping[str, str | None]], float | None] | None = None,
) -> Iterator[dict[str, str]]:
    """The contract's output columns for each row, in order; `speed` gives tokens a second where somebody can."""
    for row in rows:
        said = estimate_row(row, library)
        answer = dict.fromkeys(COLUMNS, "")
        answer["id"] = row.get("id") or ""
        answer["verdict"] = said.verdict
        if said.estimate is not None:
            found = said.estimate.range
            answer |= {
                "low_gib": f"{found.low:.2f}",
                "likely_gib": f"{found.likely:.2f}",
                "high_gib": f"{found.high:.2f}",
            }
        tokens = speed({**row, **dict.fromkeys(said.unusable, "")}) if speed else None
        if tokens is not None:
            answer["tokens_per_s_total"] = f"{tokens:.0f}"
        answer["error"] = "; ".join(said.errors)
        yield answer
