"""Checks sizes that are plain arithmetic on parameters: bytes a weight, weights, a checkpoint that can be resumed."""

from __future__ import annotations

from typing import Any

from advisor.claims import sentences
from advisor.claims.checked import Checked, shown, worded
from advisor.claims.figures import Figure
from advisor.claims.find import FindConstants
from advisor.claims.sentence import Sentence
from advisor.core.units import BITS_PER_BYTE, convert, number
from advisor.estimate.constants import load
from advisor.estimate.memory import Shape
from advisor.estimate.storage import checkpoint_size

_HALF = 2**4  # bits of BF16 and FP16


def each(sentence: Sentence, library: Any) -> Checked | None:
    """Is the number of bytes a parameter right for the precision said (BF16 where none is)?"""
    said = sentence.of("B/param")
    if not said or "training_memory" in sentence.subjects:
        return None
    bits = sentence.bits or _HALF
    real = bits / BITS_PER_BYTE
    right = said[-1].value == real
    text = worded(sentences.BYTES, bits=str(bits), real=number(real))
    return Checked("bytes_per_parameter", "yes" if right else "no", text, f"{number(real)} B", ("arithmetic",))


def weights(shape: Shape, name: str, sentence: Sentence, said: Figure, library: Any) -> Checked:
    """The weights alone: parameters times bits."""
    bits = sentence.bits or _HALF
    size = convert(shape.params * bits / BITS_PER_BYTE, "B", "GB")
    near = load(FindConstants, "claims", library).figure_near.value
    right = said.near(size, 2 * near)
    text = sentences.WEIGHTS_YES if right else sentences.WEIGHTS_NO
    words = {"model": name, "bits": str(bits), "need": f"{number(size)} GB"}
    if not right:
        words["said"] = f"{number(said.value)} GB"
    return Checked("weights", "yes" if right else "no", worded(text, **words), words["need"], ("arithmetic",))


def checkpoint(shape: Shape, name: str, said: Figure, share: float, library: Any) -> Checked:
    """A checkpoint with weights, their master copy and both optimizer states."""
    estimate = checkpoint_size(library, params_b=convert(shape.params, "params", "Gparams")).range
    right = estimate.low * (1 - share) <= said.high and said.value <= estimate.high * (1 + share)
    text = worded(sentences.CHECKPOINT, model=name, real=shown(estimate))
    return Checked("checkpoint", "yes" if right else "no", text, shown(estimate), ("arithmetic",))
