"""Checks a figure or a feature of a card against its specification: memory, bandwidth, compute, power, NVLink.

A family name stands for all its forms (A100 PCIe and SXM, 40 and 80 GB): what holds for some of them only is answered
with "it depends". Refuses to speak of a card that the catalogue does not hold.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.claims import sentences
from advisor.claims.checked import Checked, merged, worded
from advisor.claims.figures import Figure
from advisor.claims.sentence import Sentence
from advisor.core.findings import Verdict, opposite
from advisor.core.text import Text
from advisor.core.units import number
from advisor.estimate.gpu_names import find_gpu
from advisor.estimate.memory.names import plain_key
from advisor.knowledge.records.common import Figure as Known
from advisor.knowledge.records.gpus import Gpu

# What a sentence measures -> units it is said in, and the record's field.
_FIELDS = {"memory": "memory", "bandwidth_memory": "bandwidth", "power": "power", "nvlink": "nvlink"}
_UNITS = {"memory": ("GB",), "bandwidth_memory": ("GB/s",), "nvlink": ("GB/s",), "power": ("W",),
          "bf16": ("TFLOPS", "TOPS")}  # fmt: skip
_RATES = ("fp8", "fp4", "int8", "tf32", "fp32")
_COUNTED = ("memory", "bf16", "power")


def candidates(sentence: Sentence, library: Any, *, by_memory: bool = True) -> list[Gpu]:
    """The records that the cards of a sentence may be, narrowed by form and by the memory said."""
    found: list[Gpu] = []
    for name in sentence.gpus:
        found += [card for card in map(library.gpus.get, _ids(name, library)) if card and card not in found]
    found = [card for card in found if not card.modified] or found
    formed = [card for card in found if any(form in card.id for form in sentence.forms)]
    found = formed or found
    size = sentence.gpu_memory
    if by_memory and size is not None:
        sized = [card for card in found if card.memory.value and abs(card.memory.value / size - 1) < 0.1]
        found = sized or found
    return found


def _ids(name: str, library: Any) -> list[str]:
    key = plain_key(name)
    ids = [id for id, names in library.gpus.names().items() if any(plain_key(name) == key for name in (id, *names))]
    families = {library.gpus[id].family for id in ids}
    if not ids:
        known = find_gpu(name, library)
        return [known.id] if known else []
    exact = [id for id in ids if key in (plain_key(library.gpus[id].name), plain_key(library.gpus[id].label))]
    whole = [id for id in library.gpus if library.gpus[id].family in families] if not exact else []
    return list(dict.fromkeys((*exact, *whole, *ids)))


def rate_of(sentence: Sentence) -> str:
    """Which rate of compute is meant."""
    return next((rate for rate in _RATES if rate in sentence.text), "bf16")


def spec(sentence: Sentence, measure: str, library: Any, near: float) -> Checked | None:
    """Is the figure of the card right? None where no card or no figure is named."""
    said = sentence.of(*_UNITS[measure])
    cards = candidates(sentence, library, by_memory=measure != "memory")
    if measure == "memory" and sentence.gpu_memory is not None and not said:
        return None
    if not said or not cards:
        return None
    figure = said[-1]
    field = _FIELDS.get(measure, rate_of(sentence) if measure == "bf16" else measure)
    count = sentence.count if measure in _COUNTED and sentence.count else 1
    if measure == "memory" and count > 1 and figure.value < 2 * max(card.memory.value or 0 for card in cards) / 2 + 1:
        count = 1  # "8x A100 80GB" speaks of one card
    judged = [(card, *_judge(figure, getattr(card, field), count, near)) for card in cards]
    judged = [each for each in judged if each[2]]
    return _answer(judged, figure, field, count, cards, near) if judged else None


def _judge(figure: Figure, known: Known, count: int, near: float) -> tuple[Verdict, str]:
    """The verdict for one form, and its real figure as text."""
    if known.absent:
        return "no", "0"
    real = known.get()
    if real is None:
        return "unknown", ""
    value = real.value * count
    if figure.relation == "at_least":
        right = value >= figure.value * (1 - near)
    elif figure.relation == "at_most":
        right = value <= figure.high * (1 + near)
    else:
        right = figure.near(value, near)
    return ("yes" if right else "no"), f"{number(value)} {real.unit}"


def _answer(
    judged: list[tuple[Gpu, Verdict, str]], figure: Figure, field: str, count: int, cards: list[Gpu], near: float
) -> Checked:
    verdict = merged(each[1] for each in judged)
    reals = list(dict.fromkeys(each[2] for each in judged))
    name = judged[0][0].name if len(judged) == 1 else _common(cards)
    listed = ", ".join(f"{each[0].name} {each[2]}" for each in judged)
    real = reals[0] if len(reals) == 1 else listed
    text = sentences.SPEC_YES if verdict == "yes" else sentences.SPEC_SOME if verdict == "yes_if" else sentences.SPEC_NO
    if verdict == "no" and field not in ("memory", "power", "nvlink", "bandwidth"):
        text, verdict = _odd_rate(judged, figure, field, count, near)
    words: dict[str, Any] = {
        "card": f"{count} x {name}" if count > 1 else name,
        "measure": (sentences.MEASURE[field].en, sentences.MEASURE[field].zh),
        "real": listed if text is sentences.SPEC_SOME else real,
        "said": _shown(figure),
    }
    measure = "bandwidth_memory" if field == "bandwidth" else field
    if verdict == "no" and field == "nvlink" and not any(getattr(card, field).value for card in cards):
        text, words = sentences.HAS_NOT, {"card": words["card"], "measure": "NVLink"}
    return Checked(measure, verdict, worded(text, **words), real, _sources(cards, field))


def _odd_rate(
    judged: list[tuple[Gpu, Verdict, str]], figure: Figure, field: str, count: int, near: float
) -> tuple[Text, Verdict]:
    """Rates that are right by another way of counting: sparse, without tensor cores, or of one card."""
    for card, _, _ in judged:
        real = getattr(card, field).value
        if real is None:
            continue
        if figure.near(2 * real * count, near):
            return sentences.SPEC_SPARSE, "yes_if"
        if count > 1 and (figure.near(real, near) or figure.near(2 * real, near)):
            return sentences.SPEC_ONE_CARD, "no"
        if field == "bf16" and card.fp32.value and figure.near(card.fp32.value * count, near):
            return sentences.SPEC_SHADER, "yes_if"
    return sentences.SPEC_NO, "no"


_FEATURES = ("fp8", "fp4", "nvlink", "bf16", "mig", "ecc")
_LABELS = {"nvlink": "NVLink"}
_HAS: dict[Verdict, Text] = {
    "yes": sentences.HAS, "no": sentences.HAS_NOT, "yes_if": sentences.HAS_SOME, "unknown": sentences.HAS_UNKNOWN,
}  # fmt: skip
# What a card has where it is not always on.
_SOME = {"optional": ("can be switched on", "可开启"), "on_by_default": ("on by default", "默认开启")}


def feature(sentence: Sentence, library: Any) -> Checked | None:
    """Does the card have FP8, FP4, BF16, NVLink, MIG or ECC at all? None where nothing of the kind is said."""
    words = re.findall(r"[a-z0-9]+", sentence.text)
    wanted = [key for key in _FEATURES if key in words]
    cards = candidates(sentence, library)
    if not wanted or not cards or not ({"supports"} & sentence.cues or sentence.negative):
        return None
    key = wanted[0]
    judged = [(card, *_has(card, key)) for card in cards]
    verdict = merged(each[1] for each in judged)
    every = tuple(", ".join(f"{card.name}: {shown[place]}" for card, _, shown in judged) for place in (0, 1))
    shown = judged[0][2] if len({shown for _, _, shown in judged}) == 1 else (every[0], every[1])
    text = worded(_HAS[verdict], card=_common(cards), measure=_LABELS.get(key, key.upper()), real=shown)
    if sentence.negative:
        verdict = opposite(verdict)
    field = "mig_max" if key == "mig" else key
    return Checked(key, verdict, text, shown[0], _sources(cards, field))


def _has(card: Gpu, key: str) -> tuple[Verdict, tuple[str, str]]:
    """Whether a card has a feature, and what of it, in both languages."""
    if key == "ecc":
        if card.ecc.value == "unknown":
            return "unknown", ("?", "?")
        return "no" if card.ecc.value == "none" else "yes", _SOME.get(card.ecc.value, ("always on", "始终开启"))
    if key == "bf16":
        known, has = card.bf16, card.bf16_tensor
    else:
        known = card.mig_max if key == "mig" else getattr(card, key)
        if key == "mig" and known.value is None:
            return "unknown", ("?", "?")
        has = not known.absent and known.value != 0
    real = f"{number(known.value)} {known.unit}".removesuffix(" count") if has and known.value else "-"
    return ("yes" if has else "no"), (real, real)


def _sources(cards: list[Gpu], field: str) -> tuple[str, ...]:
    found = (getattr(card, field).source for card in cards)
    return tuple(dict.fromkeys(source for source in found if source))


def _common(cards: list[Gpu]) -> str:
    names = list(dict.fromkeys(card.label if len(cards) > 1 else card.name for card in cards))
    return " / ".join(names)


def _shown(figure: Figure) -> str:
    low, high = number(figure.value), number(figure.high)
    return f"{low} {figure.unit}" if low == high else f"{low}-{high} {figure.unit}"
