"""From a card's name as its driver prints it to its record, and what follows for the figures that were read.

The name must fit whole: a name that a narrow column cut, or a model that knowledge does not hold, gives nothing to
compare with. Memory is compared with what the driver reports for the model, in whichever ECC state it may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.acceptance.limits import hold
from advisor.acceptance.naming import find_card
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu

# Families of one class for the bus bandwidth of NCCL.
_CLASSES = {
    "a100": "a100",
    "a800": "a800",
    "h100": "h100",
    "h200": "h100",
    "h20": "h100",
    "h800": "h800",
    "b200": "b200",
}


def compare(reading: Reading, library: Library) -> None:
    """Add what the models of the cards imply: memory short or over, class for NCCL, PCIe generation."""
    cards = [card for card in (find_card(name, library) for name in dict.fromkeys(reading.cards)) if card]
    if not cards or len(cards) < len(set(reading.cards)):
        return
    card = cards[0]
    reading.show(card=card.id)
    _memory(reading, card, library)
    generation = number(card.pcie.value) if card.pcie.value else None
    reading.count(card_pcie_gen=generation)
    if card.nvlink_kind == "none":
        reading.say(card_class="pcie")
    elif card.nvlink_kind == "nvlink":
        reading.say(card_class=_CLASSES.get(card.family.lower()))
    hold(reading, card, library)


def _memory(reading: Reading, card: Gpu, library: Library) -> None:
    shown, reported = reading.facts.get("memory_total"), card.memory_reported.get()
    if not isinstance(shown, Quantity) or reported is None or reading.facts.get("mig") is True:
        return
    low = high = reported.to("MiB").value
    if card.ecc.value in ("optional", "on_by_default"):
        share = library.heuristic("acceptance.memory_ecc_share").value / 100
        nominal = card.memory.quantity.value * 1024
        low, high = min(low, nominal * (1 - share)), max(high, nominal)
    reading.measure("%", memory_short=max(0.0, 100 * (low - shown.value) / low))
    reading.measure("%", memory_over=max(0.0, 100 * (shown.value - high) / high))


def same_card(names: Iterable[str], ordered: str, library: Library) -> bool | None:
    """Whether the cards are the ordered model, the form where it is said; None where a name is cut or unknown."""
    cards = [find_card(name, library) for name in dict.fromkeys(names)]
    want = library.gpus[ordered] if ordered in library.gpus else find_card(ordered, library)
    if not cards or want is None:
        return None
    if any(card is None for card in cards):
        return None
    if re.search(r"sxm|pcie|nvl|_d\b", ordered.lower()):
        return all(card is not None and card.id == want.id for card in cards)
    return all(card is not None and card.label == want.label for card in cards)
