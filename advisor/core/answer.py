"""The shapes that a consultation brings out, free of language.

`advisor.consult` fills them, `advisor.report` words them. They hold facts, figures and findings, never a sentence that
no rule said, and they compute nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.core.facts import Facts
from advisor.core.findings import Outcome, Verdict
from advisor.core.text import Text
from advisor.core.units import Range


@dataclass(frozen=True, slots=True)
class Hardware:
    """Cards of one kind: `per_node` in each of `nodes` servers. `gpu` is an id of knowledge/gpus."""

    gpu: str
    label: str
    per_node: int
    nodes: int = 1

    @property
    def cards(self) -> int:
        """All cards together."""
        return self.per_node * self.nodes


@dataclass(frozen=True, slots=True)
class Price:
    """A dated band of offers: money a `period` for the whole option, in the currency of the offers.

    `estimated`: the offers stand in another place, named in `place`, and were raised by the usual `premium` (a factor;
    None where none is known). `confidence` is that of the weakest row; `run` the whole run's cost.
    """

    range: Range
    currency: str
    period: str
    as_of: str
    source: str
    place: str
    estimated: bool = False
    premium: float | None = None
    confidence: str = ""
    run: Range | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One way to do the job: method, hardware, how it is split, and what it takes. Memory is GiB a card."""

    method: str
    stage: str
    hardware: Hardware
    sharding: str
    micro_batch: int
    seq_len: int
    grad_ckpt: bool
    optimizer: str
    precision: str
    offload: bool = False
    copies: int = 1
    """Whole copies of the model served side by side; the cards are divided evenly among them."""
    peak: Range | None = None
    usable: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    host_ram: Range | None = None
    storage: tuple[tuple[str, Range], ...] = ()
    checkpoint: Range | None = None
    tokens_per_s: Range | None = None
    mfu: Range | None = None
    time: Range | None = None
    price: Price | None = None
    power: Range | None = None
    derivation: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    problem: str = ""

    def on(self, hardware: Hardware) -> Option:
        """The same job on other hardware, with nothing estimated yet."""
        return replace(self, hardware=hardware, peak=None)


@dataclass(frozen=True, slots=True)
class Judged:
    """An option, and what the rules say of it."""

    option: Option | None
    outcome: Outcome
    method: str
    stage: str
    stated: bool = False

    @property
    def verdict(self) -> Verdict:
        """The merged verdict of the rules."""
        return self.outcome.verdict


@dataclass(frozen=True, slots=True)
class Lever:
    """A smallest change that turns a "no": its kind, before and after, and the plan after it.

    `also` are changes that have to come with it; `speed_factor` is tokens/s of all cards after over before.
    """

    kind: str
    before: str
    after: str
    judged: Judged
    also: tuple[tuple[str, str, str], ...] = ()
    speed_factor: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask next; `fact` is the fact's id, `slot` the name that outsiders use."""

    fact: str
    slot: str
    text: Text
    why: Text
    choices: tuple[tuple[str, Text], ...] = ()


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value taken because nobody said it."""

    fact: str
    slot: str
    value: object
    why: Text


@dataclass(frozen=True, slots=True)
class Consultation:
    """One answered question, before anybody words it."""

    intent: str
    understood: Mapping[str, object]
    answers: Facts
    rejected: tuple[Mapping[str, str], ...]
    assumptions: tuple[Assumption, ...]
    verdict: Verdict
    rows: tuple[Judged, ...]
    chosen: Judged | None
    options: tuple[tuple[str, Judged], ...] = ()
    levers: tuple[Lever, ...] = ()
    questions: tuple[Question, ...] = ()
    problems: tuple[Text, ...] = ()
    place: Text | None = None
    """The operator's own place, where one is set; None = the Hong Kong rental market."""
    as_of: str = ""
    data_version: str = ""
    plan: str = ""
