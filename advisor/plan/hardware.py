"""Which hardware a search may use: the operator's own place, or what the Hong Kong price lists offer.

Cards come out in the order of what they cost a card-hour where anybody publishes a price in one currency, so that a
search meets the cheap ones first. No rate is applied and no availability is promised: a row in a list is not a quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from advisor.core.answer import Hardware
from advisor.core.text import Text
from advisor.estimate import cost
from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.knowledge.records.offers import WITHOUT_COMMITMENT, Offer

INDEX_CURRENCY = "USD"
PER_NODE = tuple(2**power for power in range(2 + 2))
NODES = PER_NODE
# Copies of a served model need no even split: any number of servers will do.
SERVING_NODES = tuple(range(1, 2**5 + 1))


@dataclass(frozen=True)
class Market:
    """The cards of a place with their price rows, the cheapest a card-hour first."""

    kind: str
    cards: tuple[Gpu, ...]
    rows: tuple[cost.PriceRow, ...]
    limits: dict[str, int]
    """Most cards of a kind that stand there; empty for a market."""
    index: dict[str, float]
    """Dollars a card-hour by the card's label: an order of cards, not a price."""
    name: Text | None = None
    """What to call an own place; None = the Hong Kong rental market."""

    @cached_property
    def by_label(self) -> dict[str, list[cost.PriceRow]]:
        """The price rows of each card."""
        found: dict[str, list[cost.PriceRow]] = {}
        for row in self.rows:
            found.setdefault(row.gpu, []).append(row)
        return found


def market(library: Library) -> Market:
    """The place that "here" means."""
    rows = tuple(_by_label(library.offers.values(), library))
    index = price_index(rows, library)
    place = library.place
    if place is not None and place.servers:
        cards = tuple(library.gpus.require(server.gpu) for server in place.servers)
        limits: dict[str, int] = {}
        for server in place.servers:
            limits[server.gpu] = limits.get(server.gpu, 0) + server.gpu_count * server.nodes
        return Market("own_cards", cards, rows, limits, index, place.name.text)
    if place is not None:
        wanted = set(place.offers)
        offers = [offer for key, offer in library.offers.items() if key in wanted]
        own = tuple(_by_label(offers, library))
        return Market("own_offers", _ranked(_ids(offers), index, library), own, {}, index, place.name.text)
    here = [offer for offer in library.offers.values() if offer.in_hong_kong]
    return Market("hong_kong_market", _ranked(_ids(here), index, library), rows, {}, index)


def _ids(offers: Iterable[Offer]) -> set[str]:
    """The cards that can be ordered from these lists."""
    return {row.gpu for offer in offers if offer.kind == "server" for row in offer.rows if row.gpu and row.gpu_count}


def _by_label(offers: Iterable[Offer], library: Library) -> Iterator[cost.PriceRow]:
    """The rows without commitment, by the card's name without its form: lists seldom say which form they mean."""
    for row in cost.rows_from(offers, terms=tuple(WITHOUT_COMMITMENT)):
        card = library.gpus.get(row.gpu)
        if card is not None:
            yield replace(row, gpu=card.label)


def _ranked(ids: Iterable[str], index: dict[str, float], library: Library) -> tuple[Gpu, ...]:
    cards = [library.gpus[id_] for id_ in ids if id_ in library.gpus]
    known = [card for card in cards if card.memory_usable.known and card.bf16.known and card.bandwidth.known]
    usable = [card for card in known if card.vendor == "NVIDIA" and not card.modified]
    return tuple(
        sorted(usable, key=lambda card: (index.get(card.label, float("inf")), card.memory.value or 0, card.id))
    )


def price_index(rows: Iterable[cost.PriceRow], library: Library) -> dict[str, float]:
    """Median dollars a card-hour by card, over every place: good for an order of cards, not as a price."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.currency == INDEX_CURRENCY and row.cards and row.period in ("hour", "month"):
            low, high = cost.card_hour(row, library)
            found.setdefault(row.gpu, []).append((low + high) / 2)
    return {gpu: sorted(prices)[len(prices) // 2] for gpu, prices in found.items()}


def shapes(
    card: Gpu, limit: int | None, *, per_node: int | None = None, nodes: int | None = None,
    servers: tuple[int, ...] = NODES,
) -> Iterator[Hardware]:  # fmt: skip
    """Hardware of one card from few to many: counts a server, then servers; `limit` bounds all cards together."""
    counts = (per_node,) if per_node else PER_NODE
    for several in (nodes,) if nodes else servers:
        for count in counts:
            if several > 1 and not per_node and count < PER_NODE[-1]:
                continue
            if limit is None or several * count <= limit:
                yield Hardware(card.id, card.label, count, several)
