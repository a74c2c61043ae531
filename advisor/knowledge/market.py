"""Which price lists speak of a card in a place, and which neighbour does where Hong Kong has none.

Selection only: nothing is averaged, converted or scaled here. Lists that one cannot order from (leads, single cards,
accelerators without their host) are left out, spot and committed prices are asked for separately, and a neighbour's
price is never passed off as a Hong Kong one: the place is part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from advisor.knowledge.records.offers import Location, Offer, OfferRow

Commitment = Literal["none", "spot", "term"]
# Where to look next, the nearest market first; each has a heuristic cost.premium_over_... or none.
NEIGHBOURS: Final[tuple[Location, ...]] = ("singapore", "japan", "taiwan", "korea", "us", "global")
PREMIUM: Final[Mapping[str, str]] = {
    "singapore": "cost.premium_over_singapore",
    "japan": "cost.premium_over_tokyo",
    "us": "cost.premium_over_us",
    "mainland": "cost.premium_over_mainland",
}


@dataclass(frozen=True, slots=True)
class Priced:
    """A row with the list it stands in."""

    offer: Offer
    row: OfferRow


def rows_for(
    offers: Iterable[Offer], card: str, location: Location, *, commitment: Commitment = "none", label: bool = False
) -> list[Priced]:
    """The rows of a card in a place, the youngest list first.

    `card` is a card's id, or with `label` the name without its form ("A100 80GB"), which finds rows of every form.
    """
    found = [
        Priced(offer, row)
        for offer in offers
        if offer.kind == "server" and offer.location == location and _commitment(offer) == commitment
        for row in offer.rows
        if (row.label if label else row.gpu) == card and row.gpu_count
    ]
    return sorted(found, key=lambda each: each.offer.date or "", reverse=True)


def nearest(
    offers: Iterable[Offer], card: str, *, commitment: Commitment = "none", label: bool = False
) -> tuple[Location, list[Priced]] | None:
    """Hong Kong's rows, or those of the first neighbour that has any; None where nobody does."""
    every = tuple(offers)
    for location in ("hong_kong", *NEIGHBOURS):
        if rows := rows_for(every, card, location, commitment=commitment, label=label):
            return location, rows
    return None


def _commitment(offer: Offer) -> Commitment:
    return "spot" if offer.is_spot else "none" if offer.without_commitment else "term"
