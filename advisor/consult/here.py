"""What "here" means in one conversation: servers that somebody named for a room, else what it means for the process.

The servers are facts of the conversation and stand in its entries, so that a replay finds the same place. Everything
else about a place (prices, the order of cards) is that of the library. It holds no advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from advisor.consult import answer
from advisor.consult.conversation import Here
from advisor.core.errors import BadInput, did_you_mean
from advisor.core.text import Text
from advisor.core.units import convert
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market, market

# Nobody names more kinds of servers for one room, or more cards of a kind.
MOST_KINDS = 2**3
MOST_CARDS = 2**14
_APART = re.compile(r"\s*(?:[+,;，；、]|\band\b|以及|和|與)\s*")


def market_of(here: Here, library: Library) -> Market:
    """The place of a conversation."""
    return _market(here, library.version) if here else answer.here(library)


@lru_cache(maxsize=64)
def _market(here: Here, version: str) -> Market:
    from advisor.knowledge.library import open_library

    library = open_library()
    everywhere = market(library)
    cards = tuple(library.gpus.require(gpu) for gpu, _, _ in here)
    limits: dict[str, int] = {}
    for gpu, count, nodes in here:
        limits[gpu] = limits.get(gpu, 0) + count * nodes
    return Market("own_cards", cards, everywhere.rows, limits, everywhere.index, called(here, library))


def called(here: Here, library: Library) -> Text:
    """`8 × A100 80GB + 2 × 8 × H100 80GB`, the same in both languages."""
    parts = [f"{f'{nodes} × ' if nodes > 1 else ''}{count} × {library.gpus[gpu].label}" for gpu, count, nodes in here]
    return Text(" + ".join(parts), " + ".join(parts))


def read_here(text: str, library: Library) -> Here:
    """The servers that a text names, e.g. `8xA100 80GB`, `2 nodes of 8x H100`. Raises `BadInput` for anything else."""
    found = [_server(part, library) for part in _APART.split(text.strip()) if part]
    if not found or len(found) > MOST_KINDS:
        raise BadInput("names no servers", where="here", expected="e.g. 8xA100 80GB")
    return tuple(found)


def _server(part: str, library: Library) -> tuple[str, int, int]:
    from advisor.consult.stated import forms
    from advisor.dialogue.cards import resolve_card
    from advisor.dialogue.servers import most_in_one_server, spread
    from advisor.dialogue.understand import understand

    seen = understand(part, library)
    if seen.rejected:
        said = ", ".join(str(row["text"]) for row in seen.rejected)
        raise BadInput(f'"{said}" cannot be counted', where="here", expected="e.g. 8xA100 80GB")
    slots: Mapping[str, Any] = seen.slots
    name, count, nodes = slots.get("gpu_model"), slots.get("gpu_count", 1), slots.get("nodes", 1)
    if not isinstance(name, str) or not isinstance(count, int | float) or not isinstance(nodes, int | float):
        names = [each for known in library.gpus.names().values() for each in known]
        raise BadInput("names no card that I know", where="here", expected="8xA100 80GB", do=did_you_mean(part, names))
    size = slots.get("gpu_mem_gb")
    ids = resolve_card(name, float(size) if isinstance(size, int | float) else None, library)
    cards = [library.gpus[id_] for id_ in _listed(ids)]
    if size is not None:
        cards = [each for each in cards if each.memory.value == convert(float(size), "GB", "GB")] or cards
    chosen = forms(cards, int(count))
    if "nodes" not in slots and int(count) == count:
        count, nodes = spread(int(count), most_in_one_server(library))
        if count * nodes != slots.get("gpu_count", 1):
            raise BadInput("cannot be spread over equal servers", where="here", expected="e.g. 2 nodes of 8xH800")
    if not chosen or not 1 <= count * nodes <= MOST_CARDS:
        raise BadInput("names no card that I know", where="here", expected="8xA100 80GB")
    # Where the name stands for several sizes, the smallest one promises least.
    card = min(chosen, key=lambda each: each.memory.value or 0)
    return card.id, int(count), int(nodes)


def _listed(ids: object) -> Iterable[str]:
    return (ids,) if isinstance(ids, str) else tuple(ids or ())  # type: ignore[arg-type]
