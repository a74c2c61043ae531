"""From a card's name, as people write it, to its record.

`A100-SXM4-80GB`, `H100 (DGX-H100)` and `nvidia a100 80G` are read without case, punctuation, maker and remarks in
brackets. A name that fits several forms (PCIe and SXM) takes the form with the fastest links, then the larger memory,
since that is what training reports mean. Gives None for a name that the catalogue does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from advisor.estimate.memory.names import plain_key
from advisor.knowledge.records.gpus import Gpu

_IDLE = re.compile(r"\b(nvidia|geforce|tesla|amd|instinct|quadro|per gpu|hgx|server)\b")
_SIZE = re.compile(r"(\d+)\s*g(?:i?b)?\b")


@lru_cache(maxsize=1024)
def find_gpu(text: str, library: Any) -> Gpu | None:
    """The record of the card that `text` names, or None."""
    index = _index(library)
    for key in _keys(text):
        if key in index:
            forms: list[Gpu] = [library.gpus[id] for id in index[key]]
            return max(forms, key=_rank)
    return None


def _rank(card: Gpu) -> tuple[bool, float, float]:
    return card.nvlink_kind == "nvlink", card.nvlink.value or 0.0, card.memory.value or 0.0


def _keys(text: str) -> tuple[str, ...]:
    low = re.sub(r"^\s*\d+\s*[x*×]\s*", "", text.casefold())
    outside = re.sub(r"\(.*?\)", " ", low)
    words = _IDLE.sub(" ", outside)
    sized = _SIZE.sub(r"\1gb", words)
    bare = _SIZE.sub(" ", words)
    form = re.sub(r"\b(sxm\d?|pcie|oam)\b", " ", sized)
    keys = (low, outside, words, sized, form, bare, re.sub(r"\b(sxm\d?|pcie|oam)\b", " ", bare))
    return tuple(dict.fromkeys(key for each in keys if (key := plain_key(each))))


@lru_cache(maxsize=8)
def _index(library: Any) -> Mapping[str, tuple[str, ...]]:
    """Every way to write a card's name, label or alias, plain, to the ids that carry it; a family to all its forms."""
    index: dict[str, tuple[str, ...]] = {}
    for id, names in library.gpus.names().items():
        for key in dict.fromkeys(key for name in (id, *names) for key in _keys(name)[:-2] or _keys(name)):
            index[key] = (*index.get(key, ()), id)
    return index
