"""Claims: what vendors' articles say, in our words, what the evidence says, and what we say instead.

`parts` are the machine-readable half: subject, figure, unit and relation, so that a sentence with another figure finds
the same claim. `answer` is the verdict in the words of an answer (`yes_if` = true under the condition that `instead`
names). `ends_in` says what a statement led to: rules, checklist items, facts, heuristics, cards, lines, price lists.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record, Status, Unit, Words

ClaimVerdict = Literal["correct", "approximately", "misleading", "wrong", "contradicted_by_other_seed", "unverifiable"]
Answer = Literal["yes", "yes_if", "no", "unknown"]
ClaimKind = Literal[
    "sizing", "cost", "network", "process", "gpu_spec", "price", "ops", "software", "storage", "compliance", "checklist"
]
Relation = Literal["equals", "at_least", "at_most"]
Measure = Literal[
    "memory",
    "memory_needed",
    "memory_per_billion",
    "bytes_per_parameter",
    "bandwidth_memory",
    "bf16",
    "cpu_rate",
    "nvlink",
    "pcie",
    "power",
    "supply",
    "temperature",
    "pue",
    "fits",
    "duration",
    "cost",
    "rent",
    "purchase",
    "budget",
    "rtt",
    "transfer",
    "bandwidth",
    "network",
    "disk",
    "raid",
    "disk_rate",
    "iops",
    "fio",
    "ram",
    "ram_ratio",
    "ram_speed",
    "cores",
    "cards",
    "packets",
    "streams",
    "utilisation",
    "share",
    "ratio",
]


class Parts(Record):
    """What a sentence must name to be this claim: subjects of `knowledge/words/claim_subjects`, hardware, a figure."""

    subject: Items[Id] = Field(min_length=1)
    gpus: Items[Words] = ()
    """Families or names of cards."""
    counts: Items[int] = ()
    params: float | None = Field(default=None, gt=0)
    """Billions of parameters."""
    methods: Items[Literal["full", "lora", "qlora", "inference", "pretrain"]] = ()
    line: Id | None = None
    place: Id | None = None
    data: float | None = Field(default=None, gt=0)
    """GB that are moved or stored."""
    mbps: float | None = Field(default=None, gt=0)
    measure: Measure | None = None
    relation: Relation | None = None
    figure: float | None = None
    figure_high: float | None = None
    unit: Unit | None = None
    period: Literal["hour", "day", "month", "year"] | None = None
    real: Items[float] | None = Field(default=None, min_length=2, max_length=2)
    """Lowest and highest of the right figure, where no estimator computes it."""
    denies: bool = False
    """The statement denies something, so that a sentence which affirms it is judged the other way round."""
    over: Items[Words] | None = Field(default=None, min_length=2, max_length=2)
    """The better and the worse of a comparison."""

    @model_validator(mode="after")
    def _figure_is_whole(self) -> Parts:
        named = [part is not None for part in (self.figure, self.unit, self.relation)]
        if any(named) and not all(named):
            raise ValueError("a figure has `figure`, `unit` and `relation` together")
        if self.figure is not None and self.measure is None:
            raise ValueError("a figure says what it measures (`measure`)")
        if self.figure_high is not None and (self.figure is None or self.figure_high < self.figure):
            raise ValueError("`figure_high` is the upper end of a range that begins at `figure`")
        if self.real is not None and (self.figure is None or self.real[0] > self.real[1]):
            raise ValueError("`real` is [low, high] of the figure that the statement gives")
        return self


class Claim(Record):
    """One statement, in our words, with its verdict."""

    id: Id
    seed: str | None = Field(default=None, pattern=r"^S\d-\d{3}$")
    kind: ClaimKind
    said: BiText
    said_in: Items[Id] = Field(min_length=1)
    paragraph: int | None = Field(default=None, ge=1)
    """Line of the document where the statement stands or its paragraph begins."""
    parts: Parts
    verdict: ClaimVerdict
    answer: Answer
    because: Items[Id] = Field(min_length=1)
    status: Status
    confidence: Literal["high", "medium", "low"]
    instead: BiText
    ends_in: Items[Id] = ()

    @model_validator(mode="after")
    def _answer_of_the_verdict(self) -> Claim:
        allowed = _ANSWERS[self.verdict]
        if self.answer not in allowed:
            raise ValueError(
                f"a statement that is {self.verdict} is answered {' or '.join(allowed)}, not {self.answer}"
            )
        return self


_ANSWERS: dict[str, tuple[Answer, ...]] = {
    "correct": ("yes",),
    "approximately": ("yes", "yes_if"),
    "misleading": ("yes_if", "no"),
    "wrong": ("no",),
    "contradicted_by_other_seed": ("no", "yes_if"),
    "unverifiable": ("unknown",),
}
