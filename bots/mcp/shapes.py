"""The shapes that tools give back, as their output schemas: what a language model may rely on.

They follow the answer of `hkgpu ask --format json`: the verdict first, figures as ranges with their unit in the name,
sources by id. Keys that a shape does not name are left out of the structured result, never made up.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal["yes", "yes_if", "no", "unknown"]


class Shape(BaseModel):
    """Base: unknown keys of an answer are dropped."""

    model_config = ConfigDict(extra="ignore")


class Span(Shape):
    """A figure as low, likely and high."""

    low: float
    likely: float
    high: float


class Cost(Span):
    """Money a period, as of a day."""

    currency: str
    period: str
    as_of: str
    source: str
    place: str = ""
    confidence: str = ""


class Way(Shape):
    """One method, judged. `peak_gib` is a card's peak, `usable_gib` what it can use."""

    method: str
    stage: str
    verdict: Verdict
    gpu: str | None
    gpu_count: int | None
    nodes: int | None
    sharding: str | None
    copies: int | None = None
    peak_gib: Span | None
    usable_gib: float | None
    why: str


class Configuration(Shape):
    """What to order."""

    method: str
    gpu: str
    gpu_count: int
    nodes: int
    sharding: str
    copies: int = 1
    micro_batch: int
    seq_len: int
    cpu_cores: float | None
    ram_gib: float | None
    peak_gib: Span | None
    usable_gib: float | None
    time_h: Span | None
    cost: Cost | None
    label: str | None = None


class Lever(Shape):
    """A change, and the verdict after it."""

    change: str
    effect: str
    verdict_after: Verdict


class Risk(Shape):
    """What can go wrong, and what to do about it."""

    id: str
    severity: str
    likelihood: str
    text: str
    mitigation: str
    sources: list[Any] = Field(default_factory=list)


class Question(Shape):
    """What to ask the user next."""

    fact: str
    text: str
    why: str = ""
    choices: list[Any] = Field(default_factory=list)


class Assumption(Shape):
    """What was taken because nobody said it."""

    fact: str
    value: Any
    why: str


class SourceRef(Shape):
    """Where a figure or a sentence comes from."""

    id: str
    title: str
    date: str


class Told(Shape):
    """What is worth of a quoted sentence."""

    id: str
    verdict: Verdict
    text: str


class Answer(Shape):
    """An answer: verdict, figures, order, risks, what to ask next, sources."""

    lang: str
    plan: str
    as_of: str
    data_version: str
    verdict: Verdict
    summary: str
    understood: dict[str, Any] = Field(default_factory=dict)
    assumptions: list[Assumption] = Field(default_factory=list)
    by_method: list[Way] = Field(default_factory=list)
    recommended: Configuration | None = None
    options: list[Configuration] = Field(default_factory=list)
    levers: list[Lever] = Field(default_factory=list)
    risks: list[Risk] = Field(default_factory=list)
    questions: list[Question] = Field(default_factory=list)
    claims: list[Told] = Field(default_factory=list)
    sources: list[SourceRef] = Field(default_factory=list)


class Estimated(Shape):
    """Memory a card and verdict for each row, in the order given; `error` says why a figure is missing."""

    class Row(Shape):
        """One row."""

        id: str
        low_gib: float | None
        likely_gib: float | None
        high_gib: float | None
        verdict: str
        tokens_per_s_total: float | None
        error: str

    rows: list[Row]


class Delivery(Shape):
    """A judged delivery: `files` as read, `items` the checklist's verdicts, `message` what to write to the vendor."""

    failed: bool
    files: list[dict[str, Any]]
    items: list[dict[str, Any]]
    message: dict[str, str]


class Quoted(Shape):
    """Offers held against a plan, in the shape of docs/quote.md."""

    contradicts: bool
    offers: list[dict[str, Any]]
    page: str


class Claimed(Shape):
    """What a vendor's sentence is worth."""

    verdict: Verdict
    summary: str
    claims: list[dict[str, Any]]
    sources: list[dict[str, Any]] = Field(default_factory=list)


class Checklist(Shape):
    """The acceptance checklist as GitHub-flavoured Markdown."""

    markdown: str
