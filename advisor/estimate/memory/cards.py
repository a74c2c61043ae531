"""From a card's name and its gigabytes, as people write them, to the memory that a program can use.

The catalogue's figure counts where the name is known and the stated size is not another card's; else the stated size
less what driver and ECC take. `None` where neither says anything: whether a job fits is then unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from advisor.core.units import convert
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.names import plain_key

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*g(?:i?b)?\b", re.IGNORECASE)
_MAKERS = ("nvidia", "geforce", "tesla", "amd", "instinct", "quadro")


def usable_memory(name: str, stated_gib: float | None, library: Any, c: Constants) -> float | None:
    """GiB that a program can use on one card; `stated_gib` is the nominal size as people give it."""
    known = _card(name, library) if name else None
    if known is not None:
        nominal, usable = known
        if stated_gib is None or abs(stated_gib / nominal - 1) <= 1 - c.usable_share + (1 - c.usable_share):
            return usable
    size = stated_gib
    if size is None and (found := _SIZE.search(name)):
        size = float(found[1])
    return None if size is None else size * c.usable_share


@lru_cache(maxsize=1024)
def _card(name: str, library: Any) -> tuple[float, float] | None:
    """Nominal GB and usable GiB of the card called `name`."""
    index = _index(library)
    text = re.sub(r"\(.*?\)|^\s*\d+\s*[x×*]\s*|\bhbm\d\w*", " ", name.casefold())
    text = re.sub(r"(\d)\s*g\b", r"\1gb", text)
    for maker in _MAKERS:
        text = text.replace(maker, " ")
    ids = index.get(plain_key(name)) or index.get(plain_key(text)) or ()
    sizes = sorted(size for size in (_memory(library, id) for id in ids) if size is not None)
    # A family name that stands for cards of several sizes says nothing about the size.
    return sizes[0] if sizes and sizes[-1][0] == sizes[0][0] else None


def _memory(library: Any, id: str) -> tuple[float, float] | None:
    card = library.gpus[id]
    nominal, usable = card.memory.get(), card.memory_usable.get()
    if nominal is None or usable is None:
        return None
    return convert(nominal.value, nominal.unit, "GB"), convert(usable.value, usable.unit, "GiB")


@lru_cache(maxsize=8)
def _index(library: Any) -> Mapping[str, tuple[str, ...]]:
    own: dict[str, tuple[str, ...]] = {}
    families: dict[str, tuple[str, ...]] = {}
    for id, names in library.gpus.names().items():
        card = library.gpus[id]
        for name in (id, *names):
            # The name of a card means that card, though a rarer form of it belongs to the family of that name.
            index = own if name != card.family or name in (card.name, card.label, *card.aliases) else families
            key = plain_key(name)
            if id not in index.get(key, ()):
                index[key] = (*index.get(key, ()), id)
    return {**families, **own}
