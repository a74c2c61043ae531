"""Checks what a sentence says of several cards as one, and what it promises without a condition.

Memory of several cards is never the memory of one; and no estimate holds always. It judges nothing else.
"""

from __future__ import annotations

from typing import Any

from advisor.claims import sentences
from advisor.claims.checked import Checked, worded
from advisor.claims.phrases import any_of
from advisor.claims.sentence import Sentence, words_of
from advisor.core.findings import Verdict
from advisor.core.units import number

_RECORD = "seed_003.memory_does_not_add_up"


def pooled(sentence: Sentence, library: Any) -> Checked | None:
    """Is the memory of several cards said to be that of one? None where a model is named or no sum is given."""
    count, sizes = sentence.count, sentence.of("GB")
    if count is None or count < 2 or sentence.model or sentence.params or len(sizes) < 2:
        return None
    each = sizes[0].value
    whole = next((size.value for size in sizes[1:] if size.value == each * count), None)
    if whole is None or not any_of(sentence.text, words_of(library).figures["as_one"]):
        return None
    words = {"count": str(count), "each": f"{number(each)} GB", "whole": f"{number(whole)} GB"}
    record = library.claims.get(_RECORD)
    verdict: Verdict = "yes" if sentence.negative else "no"
    return Checked(
        "pooled", verdict, worded(sentences.POOLED, **words), words["each"], record.because if record else ()
    )


def absolute(sentence: Sentence, library: Any) -> bool:
    """Whether the sentence promises that something fits, always and for certain."""
    words = words_of(library).figures
    if sentence.negative or any_of(sentence.text, words["not_absolute"]):
        return False
    return any_of(sentence.text, words["absolute"])
