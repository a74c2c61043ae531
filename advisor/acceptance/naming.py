"""From a card's name as its driver prints it to its record.

The name must fit whole: a name that a narrow column cut, or a model that knowledge does not hold, gives nothing.
"""

from __future__ import annotations

import re

from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu

_IDLE = re.compile(r"\b(?:nvidia|geforce|tesla|quadro|hbm\d?e?)\b|[^a-z0-9]")


def find_card(name: str, library: Library) -> Gpu | None:
    """The record whose name, label or alias this is; None where it is cut or unknown."""
    if "..." in name:
        return None
    asked = _plain(name)
    found = [key for key, names in library.gpus.names().items() if any(_plain(one) == asked for one in names)]
    if not found:
        return None
    cards = [library.gpus[key] for key in found]
    # "H100 80GB HBM3" is how the driver names the SXM form; the other forms carry their own in the name.
    return next((card for card in cards if card.nvlink_kind == "nvlink"), cards[0])


def _plain(name: str) -> str:
    return _IDLE.sub("", name.lower())
