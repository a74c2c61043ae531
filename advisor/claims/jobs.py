"""Checks whether a model trains or serves on hardware, and what memory a method is said to need.

Computed by the memory estimator with the kindest usual settings (gradient checkpointing, a batch of one, the default
length unless one is said), sharded over the cards named. Where no method is said each usual one is tried and the answer
names those that hold. Refuses to speak of a job without a model or its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.claims import sentences, sizes
from advisor.claims.cards import candidates
from advisor.claims.checked import Checked, merged, shown, worded
from advisor.claims.figures import Figure
from advisor.claims.sentence import Sentence
from advisor.core.errors import BadInput
from advisor.core.findings import Verdict, opposite
from advisor.core.text import Text
from advisor.core.units import Range, convert, number
from advisor.estimate.constants import Figure as Constant
from advisor.estimate.constants import load
from advisor.estimate.memory import Shape, Workload, peak
from advisor.estimate.memory.constants import constants as memory_constants
from advisor.estimate.memory.lookup import shape_of

TRAINED = ("full", "lora", "qlora")
SERVED = ("inference", "inference_8", "inference_4")
SOURCES = ("stas_performance", "memory_calibration_2026_11")
_WEIGHTS: dict[str, Any] = {"inference": "bf16", "inference_8": "int8", "inference_4": "int4"}
_BITS = {2**2: "inference_4", 2**3: "inference_8", 2**4: "inference"}


@dataclass(frozen=True, slots=True)
class JobConstants:
    """How far a vendor's round figure may be off."""

    estimate_near: Constant
    generous_need: Constant


@dataclass(frozen=True, slots=True)
class Place:
    """The cards of a sentence: usable GiB of each, how many, and how people call them."""

    usable: float
    count: int
    name: str
    sources: tuple[str, ...]


def model_of(sentence: Sentence, library: Any) -> tuple[Shape, str] | None:
    """The shape of the model a sentence names, and its name; None where neither model nor size is said."""
    if sentence.model is None and sentence.params is None:
        return None
    name = sentence.model or ""
    params = convert(sentence.params, "Gparams", "params") if sentence.params is not None else None
    try:
        shape = shape_of(name, params, library, memory_constants(library))
    except BadInput:
        return None
    record = library.models.get(name)
    return shape, record.name if record else f"{number(sentence.params)}B" if sentence.params else name


def places(sentence: Sentence, library: Any) -> list[Place]:
    """The hardware of a sentence: each form of the card that is meant, or a card of the size said."""
    count = sentence.count or 1
    cards = candidates(sentence, library)
    found: dict[float, Place] = {}
    for card in cards:
        usable = card.memory_usable.get()
        if usable is not None and usable.value not in found:
            source = (card.memory_usable.source or "",)
            found[usable.value] = Place(usable.value, count, f"{count} × {card.label}", source)
    size = sentence.gpu_memory
    if size is None and sentence.of("GB"):
        size = sentence.of("GB")[0].value
    if not cards and size is not None:
        share = memory_constants(library).usable_share
        usable_gib = size * share
        found[usable_gib] = Place(usable_gib, count, f"{count} × {number(size)} GB", ("arithmetic",))
    return list(found.values())


def methods_of(sentence: Sentence) -> tuple[str, ...]:
    """The methods a sentence means: those said, else all of training or of serving."""
    if sentence.methods:
        served = _BITS.get(sentence.bits or 0, "inference")
        said = tuple(served if method == "inference" else method for method in sentence.methods)
        if "trains" in sentence.cues and set(said) <= set(SERVED):
            said = (*said, *TRAINED)
        return said
    if sentence.bits in _BITS and ("serves" in sentence.cues or "trains" not in sentence.cues):
        return (_BITS[sentence.bits],)
    return SERVED if "serves" in sentence.cues and "trains" not in sentence.cues else TRAINED


def need(shape: Shape, method: str, place: Place | None, sentence: Sentence, library: Any) -> Range:
    """GiB a card that the job cannot do without; on one card of any size where no place is given."""
    count = place.count if place else 1
    serves = method in SERVED
    return peak(
        Workload(
            shape=shape,
            method="inference" if serves else method,  # type: ignore[arg-type]
            stage="serve" if serves else "pretrain" if method == "pretrain" else "sft",
            weights=_WEIGHTS.get(method),
            seq_len=_length(sentence),
            micro_batch=1,
            grad_ckpt=None if serves else "yes",
            sharding=None if count == 1 else "model_parallel" if serves else "fsdp",
            n_gpus=count,
            usable_gib=place.usable if place else None,
        ),
        library,
    ).need


def _length(sentence: Sentence) -> float | None:
    said = sentence.slots.get("seq_len")
    return float(said) if isinstance(said, int | float) else None


@dataclass(frozen=True, slots=True)
class Tried:
    """One method on one place."""

    method: str
    place: Place
    need: Range
    verdict: Verdict


def tried(sentence: Sentence, library: Any) -> tuple[str, list[Tried]] | None:
    """Each method on each place a sentence may mean, with the name of the model."""
    model, hardware = model_of(sentence, library), places(sentence, library)
    if model is None or not hardware:
        return None
    shape, name = model
    out: list[Tried] = []
    for place in hardware:
        for method in methods_of(sentence):
            try:
                each = need(shape, method, place, sentence, library)
            except BadInput:
                continue
            verdict: Verdict = "yes" if each.high <= place.usable else "no" if each.low > place.usable else "yes_if"
            out.append(Tried(method, place, each, verdict))
    return (name, out) if out else None


def fits(sentence: Sentence, library: Any) -> Checked | None:
    """Does the job fit on the cards named? A sentence that denies it is judged the other way round."""
    found = tried(sentence, library)
    if found is None:
        return None
    name, every = found
    verdict, text, figure = _fit_answer(name, every)
    if sentence.negative:
        verdict = opposite(verdict)
    sources = dict.fromkeys((*SOURCES, *(source for each in every for source in each.place.sources)))
    return Checked("fits", verdict, text, figure, tuple(source for source in sources if source))


def _fit_answer(name: str, every: list[Tried]) -> tuple[Verdict, Text, str]:
    if len(every) == 1:
        one = every[0]
        table = {"yes": sentences.FITS_YES, "no": sentences.FITS_NO, "yes_if": sentences.FITS_TIGHT}
        return one.verdict, worded(table[one.verdict], **_words(name, one)), shown(one.need)
    verdict = merged(each.verdict for each in every)
    least = min(every, key=lambda each: each.need.likely)
    if verdict == "no":
        return "no", worded(sentences.FITS_NO, **_words(name, least)), shown(least.need)
    if verdict == "yes":
        most = max(every, key=lambda each: each.need.likely)
        return "yes", worded(sentences.FITS_YES, **_words(name, most)), shown(most.need)
    good = [each for each in every if each.verdict != "no"]
    words: dict[str, Any] = {} if len(good) == len(every) else {"methods": _listed(good)}
    text = worded(
        sentences.FITS_IF if words else sentences.FITS_NEAR,
        **words,
        model=name,
        cards=" / ".join(dict.fromkeys(each.place.name for each in every)),
        usable=" / ".join(dict.fromkeys(number(each.place.usable) for each in every)),
        needs=_needs([(each.method, each.need) for each in every]),
    )
    return "yes_if", text, "; ".join(f"{each.method} {shown(each.need)}" for each in every)


def _words(name: str, one: Tried) -> dict[str, Any]:
    label = sentences.METHOD[one.method]
    return {"model": name, "method": (label.en, label.zh), "need": shown(one.need), "cards": one.place.name,
            "usable": number(one.place.usable)}  # fmt: skip


def _listed(good: list[Tried]) -> tuple[str, str]:
    labels = [sentences.METHOD[method] for method in dict.fromkeys(each.method for each in good)]
    return " or ".join(label.en for label in labels), "或".join(label.zh for label in labels)


def _needs(pairs: list[tuple[str, Range]]) -> tuple[str, str]:
    en = [f"{sentences.METHOD[method].en} {shown(range_)}" for method, range_ in dict(pairs).items()]
    zh = [f"{sentences.METHOD[method].zh} {shown(range_)}" for method, range_ in dict(pairs).items()]
    return ", ".join(en), "，".join(zh)


def needed(sentence: Sentence, library: Any) -> Checked | None:
    """Is the memory that a method is said to need right? None without model or figure."""
    model, said = model_of(sentence, library), sentence.of("GB")
    if model is None or not said:
        return None
    shape, name = model
    c = load(JobConstants, "claims", library)
    if "weights_size" in sentence.subjects and not sentence.methods:
        return sizes.weights(shape, name, sentence, said[-1], library)
    if "checkpoint" in sentence.subjects and not set(sentence.methods) & {"lora", "qlora"}:
        return sizes.checkpoint(
            shape, name, said[-1], load(JobConstants, "claims", library).estimate_near.value, library
        )
    c = load(JobConstants, "claims", library)
    pairs = [(method, need(shape, method, None, sentence, library).to("GB")) for method in methods_of(sentence)]
    judged = [(method, range_, _amount(said[-1], range_, c)) for method, range_ in pairs]
    ways = {way for _, _, way in judged}
    figure = _needs(pairs)[0]
    if len(ways) > 1:
        text = worded(sentences.NEED_IF, model=name, needs=_needs(pairs))
        return Checked("memory_needed", "yes_if", text, figure, SOURCES)
    way, (method, range_, _) = ways.pop(), judged[-1]
    table = {"right": sentences.NEED_YES, "low": sentences.NEED_LOW, "high": sentences.NEED_HIGH}
    label = sentences.METHOD[method]
    words: dict[str, Any] = {"model": name, "method": (label.en, label.zh), "need": shown(range_)}
    words["said"] = f"{number(said[-1].value)} GB"
    return Checked("memory_needed", "yes" if way == "right" else "no", worded(table[way], **words), figure, SOURCES)


def _amount(said: Figure, range_: Range, c: JobConstants) -> str:
    """`right`, `low` or `high`: a vendor's figure against the range, with room for rounding."""
    share = c.estimate_near.value
    if said.high < range_.low * (1 - share / 2):
        return "low"
    if said.relation == "at_most":
        return "right" if range_.low <= said.high else "low"
    return "right" if said.value <= range_.high * c.generous_need.value else "high"
