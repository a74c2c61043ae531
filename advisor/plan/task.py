"""What is to be run, read off the facts: the model's shape and everything the user stated or a default filled in.

A value that nobody gave is None, and the estimators then take what the framework would. This module resolves the
model (a record, a `config.json`, or a size alone) and refuses to size a job whose model has no size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.core.facts import Facts, Value
from advisor.core.units import Quantity, convert
from advisor.estimate.memory import MemoryEstimate, Shape, from_architecture, from_model, from_size
from advisor.estimate.memory.constants import constants
from advisor.estimate.memory.frameworks import find
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.library import Library
from advisor.knowledge.records.models import Model

ADAPTERS = ("lora", "qlora")


@dataclass(frozen=True, slots=True)
class Task:
    """One job. Lengths are tokens, sizes GB, counts plain; None = nobody said."""

    method: str
    stage: str
    shape: Shape
    name: str
    model: Model | None = None
    precision: str | None = None
    quant: str | None = None
    optimizer: str | None = None
    seq_len: float | None = None
    micro_batch: float | None = None
    grad_accum: float | None = None
    grad_ckpt: bool | None = None
    lora_rank: float | None = None
    sharding: str | None = None
    tp: int | None = None
    pp: int | None = None
    ep: int | None = None
    offload: bool = False
    framework: str | None = None
    usual_sharding: str | None = None
    """How the named framework shares adapters over several cards, where it offers nothing else."""
    tokens: float | None = None
    rows: float | None = None
    epochs: float = 1
    dataset_gb: float | None = None
    checkpoints_kept: int | None = None
    concurrency: float | None = None
    output_len: float | None = None
    qps: float | None = None
    deadline_h: float | None = None
    currency: str | None = None
    """The currency that the user thinks in, where a budget names one."""
    open: frozenset[str] = frozenset()
    """Fields that nobody stated: what a search may vary."""
    sizes: dict[tuple[object, ...], MemoryEstimate | str] = field(default_factory=dict, compare=False, repr=False)
    """Memory figures worked out so far; carried along when the job is varied, so that none is worked out twice."""

    @property
    def split_by_degree(self) -> bool:
        """True where the user said how many cards hold one copy: the way of Megatron."""
        return self.trains and any(degree is not None for degree in (self.tp, self.pp, self.ep))

    @property
    def trains(self) -> bool:
        """True for everything but inference."""
        return self.method != "inference"


def amount(facts: Facts, fact: str, unit: str | None = None) -> float | None:
    """A fact's number in a unit, None where it is unknown; a tuple gives its largest, the safe side."""
    value = facts.value(fact)
    if isinstance(value, tuple):
        numbers = [item for item in (_number(entry, unit) for entry in value) if item is not None]
        return max(numbers, default=None)
    return _number(value, unit)


def _number(value: object, unit: str | None) -> float | None:
    if isinstance(value, Quantity):
        return value.to(unit).value if unit else value.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return None


def word(facts: Facts, fact: str) -> str | None:
    """A fact's choice, None where it is unknown or not applicable."""
    value = facts.value(fact)
    return value if isinstance(value, str) else None


def flag(facts: Facts, fact: str) -> bool | None:
    """A fact's yes or no, None where it is unknown."""
    value = facts.value(fact)
    return value if isinstance(value, bool) else None


def model_of(
    facts: Facts, library: Library, config: Architecture | None = None
) -> tuple[Shape, str, Model | None] | None:
    """The shape to size and what to call it: the config's, the named model's, or a generic one of the stated size."""
    if config is not None:
        return from_architecture(config), word(facts, "model.id") or "config.json", None
    name = word(facts, "model.id")
    size = amount(facts, "model.params", "Gparams")
    active = amount(facts, "model.active_params", "Gparams")
    if name is not None and name in library.models:
        model = library.models[name]
        if model.countable:
            return from_model(model), model.name, model
        size, active = size or model.params, active or model.params_active
    if size is None:
        return None
    unit = convert(1, "Gparams", "params")
    shape = from_size(size * unit, constants(library), active * unit if active else None)
    return shape, f"{size:g}B", None


def task_of(
    facts: Facts, method: str, library: Library, *, seen: tuple[Shape, str, Model | None], stage: str | None = None
) -> Task:
    """The job for one method; `seen` is what `model_of` found."""
    shape, name, model = seen
    kept = amount(facts, "checkpoint.kept")
    return Task(
        method=method,
        stage=stage or _stage(facts, method),
        shape=shape,
        name=name,
        model=model,
        precision=word(facts, "tuning.precision"),
        quant=word(facts, "quant.bits"),
        optimizer=word(facts, "tuning.optimizer"),
        seq_len=amount(facts, "workload.seq_len"),
        micro_batch=amount(facts, "workload.micro_batch"),
        grad_accum=amount(facts, "workload.grad_accum"),
        grad_ckpt=_checkpointing(facts, library),
        lora_rank=amount(facts, "tuning.lora_rank"),
        sharding=word(facts, "tuning.sharding"),
        tp=_degree(facts, "tuning.tp"),
        pp=_degree(facts, "tuning.pp"),
        ep=_degree(facts, "tuning.ep"),
        offload=bool(flag(facts, "tuning.offload")),
        framework=word(facts, "tuning.framework"),
        usual_sharding=_usual_sharding(word(facts, "tuning.framework"), method, library),
        tokens=amount(facts, "data.tokens", "tokens"),
        rows=amount(facts, "data.rows"),
        epochs=_epochs(facts),
        dataset_gb=amount(facts, "data.size", "GB"),
        checkpoints_kept=None if kept is None else int(kept),
        concurrency=amount(facts, "serving.concurrency"),
        output_len=amount(facts, "serving.output_len"),
        qps=amount(facts, "serving.qps"),
        deadline_h=amount(facts, "schedule.deadline", "h"),
        currency=word(facts, "budget.currency"),
        open=frozenset(name for name, fact in _VARIED.items() if _left_open(facts, fact)),
    )


def usual_of_framework(framework: str, method: str, library: Library) -> dict[str, Value]:
    """What a framework takes for a training job where nobody said: fact id to value; empty for serving."""
    if method == "inference" or framework not in library.frameworks:
        return {}
    habits = find(framework, library)
    batch = habits.batch(adapters=method in ADAPTERS)
    found: dict[str, Value] = {}
    if habits.seq_len is not None:
        found["workload.seq_len"] = Quantity(habits.seq_len, "tokens")
    if batch is not None:
        found["workload.micro_batch"] = Quantity(batch, "count")
    if habits.grad_ckpt == "no":
        found["tuning.grad_ckpt"] = False
    return found


def _checkpointing(facts: Facts, library: Library) -> bool | None:
    """Whether activations are checkpointed; None where nobody said it and the framework was seen both ways."""
    framework = word(facts, "tuning.framework")
    known = framework in library.frameworks and _left_open(facts, "tuning.grad_ckpt")
    return None if known and find(framework, library).checkpointing_in_doubt else flag(facts, "tuning.grad_ckpt")


def _usual_sharding(framework: str | None, method: str, library: Library) -> str | None:
    """How the named framework shares the job, where it does it one way only.

    Trainers keep a whole copy of a quantised base on each card unless they are told otherwise.
    """
    if framework is None or framework not in library.frameworks or method not in ADAPTERS:
        return None
    habits = find(framework, library)
    whole = habits.sharding_many if habits.sharding_many in ("ddp", "zero2") else None
    return habits.adapter_sharding or (whole if method == "qlora" else None)


# What a search may vary where nobody stated it: the job's field and its fact.
_VARIED = {
    "micro_batch": "workload.micro_batch",
    "grad_ckpt": "tuning.grad_ckpt",
    "optimizer": "tuning.optimizer",
    "offload": "tuning.offload",
    "sharding": "tuning.sharding",
    "precision": "tuning.precision",
    "quant": "quant.bits",
}


def _left_open(facts: Facts, fact: str) -> bool:
    found = facts.get(fact)
    return found is None or found.provenance == "default"


def _degree(facts: Facts, fact: str) -> int | None:
    value = amount(facts, fact)
    return None if value is None else int(value)


def _epochs(facts: Facts) -> float:
    """Times the data is gone through; stated tokens are the whole run unless epochs were stated too."""
    epochs = facts.get("data.epochs")
    if epochs is None or ("data.tokens" in facts and epochs.provenance != "said"):
        return 1
    return amount(facts, "data.epochs") or 1


def _stage(facts: Facts, method: str) -> str:
    stated = word(facts, "tuning.stage")
    if stated == "ppo":
        stated = word(facts, "tuning.rl_algo") or stated
    if method == "inference":
        return "serve"
    if method == "pretrain":
        return "pretrain"
    return "sft" if stated is None or stated == "serve" else stated
