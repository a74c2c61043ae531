"""A sentence taken apart: hardware, model, method, line, figures, and what a figure measures.

The slots come from the dialogue room (the desk carries them over); the rest is read here from the normalised text.
What is not said stays None: nothing is guessed, and several cards or sizes stay several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from advisor.claims.figures import Figure, Reader
from advisor.claims.phrases import any_of, keys_in
from advisor.core.units import convert

_METHODS = {"full_ft": "full", "lora": "lora", "qlora": "qlora", "inference": "inference", "pretrain": "pretrain"}
_LINES = {"cn2_gia": "cn2_gia", "cn2_gt": "cn2_gt", "cn2": "cn2", "cmi": "cmi", "as9929": "cug", "bgp": "bgp",
          "iplc": "iplc", "iepl": "iplc", "dedicated": "iplc", "163": "ordinary", "as4837": "ordinary",
          "public": "ordinary", "international": "ordinary"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one sentence says. Sizes in billions of parameters, data in GB, lines in Mbps."""

    text: str
    lang: str
    slots: Mapping[str, Any]
    figures: tuple[Figure, ...]
    subjects: frozenset[str]
    gpus: tuple[str, ...]
    count: int | None
    params: float | None
    model: str | None
    methods: tuple[str, ...]
    bits: int | None
    line: str | None
    city: str | None
    negative: bool
    cues: frozenset[str]
    forms: tuple[str, ...]
    period: str | None

    def of(self, *units: str) -> tuple[Figure, ...]:
        """The figures of some units."""
        return tuple(figure for figure in self.figures if figure.unit in units)

    @property
    def gpu_memory(self) -> float | None:
        """GB of one card, as said."""
        return _number(self.slots.get("gpu_mem_gb"))

    @property
    def data(self) -> float | None:
        """GB to be moved."""
        said = _number(self.slots.get("transfer_gb")) or _number(self.slots.get("dataset_gb"))
        sizes = self.of("GB")
        return sizes[0].value if said is None and sizes and self.mbps is not None and not self.gpus else said

    @property
    def tokens(self) -> float | None:
        """Tokens to train on."""
        said = _number(self.slots.get("dataset_tokens"))
        if said is None and (found := self.of("tokens")):
            return found[0].value
        return said

    @property
    def mbps(self) -> float | None:
        """Width of the line."""
        said = _number(self.slots.get("bandwidth_mbps"))
        return said if said is not None else next((figure.value for figure in self.of("Mbps")), None)


class Words:
    """The lexicon of this room, read once a library."""

    def __init__(self, library: Any) -> None:
        self.figures: Mapping[str, Any] = library.words["claim_figures"].entries
        self.subjects: Mapping[str, Sequence[str]] = library.words["claim_subjects"].entries
        self.reader = Reader(self.figures)


_WORDS: WeakKeyDictionary[Any, Words] = WeakKeyDictionary()


def words_of(library: Any) -> Words:
    """The lexicon of a library."""
    found = _WORDS.get(library)
    if found is None:
        found = _WORDS[library] = Words(library)
    return found


def take_apart(text: str, lang: str, slots: Mapping[str, Any], library: Any) -> Sentence:
    """`text` is normalised (small letters, Simplified); `slots` are the dialogue's."""
    words = words_of(library)
    table = words.figures
    names = slots.get("gpu_model")
    counts = _list(slots.get("gpu_count"))
    methods = tuple(_METHODS[task] for task in _list(slots.get("task")) if task in _METHODS)
    if any_of(text, table["ordinary"]) and not methods:
        methods = ("full",)
    cues = frozenset(key for key in ("needs", "trains", "serves", "supports") if any_of(text, table[key]))
    return Sentence(
        text=text,
        lang=lang,
        slots=slots,
        figures=words.reader.read(text),
        subjects=frozenset(keys_in(text, words.subjects)),
        gpus=tuple(str(name) for name in _list(names)),
        count=int(counts[0]) if counts and isinstance(counts[0], int | float) else None,
        params=_number(_first(slots.get("params_b"))),
        model=str(_first(slots["model"])) if slots.get("model") else None,
        methods=methods,
        bits=_bits(text, table["bits"]),
        line=_LINES.get(str(_first(slots.get("line_type")))),
        city=next(iter(keys_in(text, table["cities"])), None),
        negative=any_of(_without(text, table["asked"]), table["negations"]),
        cues=cues,
        forms=keys_in(text, table["forms"]),
        period=next(iter(keys_in(text, table["periods"])), None),
    )


def _without(text: str, phrases: Sequence[str]) -> str:
    """The text without phrases that only look like a denial (能不能)."""
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return text


def _bits(text: str, table: Mapping[object, Any]) -> int | None:
    found = keys_in(text, table)
    return int(found[0]) if found else None


def _list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _number(value: Any) -> float | None:
    if isinstance(value, dict):
        value = value.get("min", value.get("max"))
    value = _first(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def gigabytes(figure: Figure) -> float:
    """A size in GB."""
    return convert(figure.value, figure.unit, "GB")
