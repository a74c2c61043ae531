"""Offers: one price list of one provider in one place on one day, with its rows.

No row is a quote and no currency is ever converted. A row's price is for the whole row (all its cards) and one period.
Only a list of kind `server` prices something that can be used as it stands: an `accelerator` lacks its host, a `lead`
is a price that nobody can order as written (a region without stock, a budget, a doubtful reading), and both are kept
out of every band.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import Day, Id, Items, Record, Words

Confidence = Literal["high", "medium", "low"]
Currency = Literal["CNY", "HKD", "USD", "SGD", "JPY", "KRW", "EUR", "GBP", "TWD"]
Kind = Literal["server", "accelerator", "card", "line", "storage", "lead", "other"]
Location = Literal[
    "hong_kong", "mainland", "singapore", "japan", "korea", "taiwan", "us", "europe", "asia", "global", "several"
]
Term = Literal[
    "on_demand",
    "spot",
    "marketplace_on_demand",
    "community",
    "starting_at",
    "lowest_listed",
    "list",
    "subscription",
    "subscription_1y",
    "reserved_1y",
    "reserved_3y",
    "dws_defined_duration",
    "capacity_block",
    "pay_as_you_go",
    "tariff",
    "budget",
    "purchase",
]
# What an hourly price without commitment may stand under.
WITHOUT_COMMITMENT: tuple[Term, ...] = (
    "on_demand",
    "marketplace_on_demand",
    "community",
    "starting_at",
    "lowest_listed",
    "list",
    "subscription",
    "pay_as_you_go",
)


class Price(Record):
    """From low to high in the list's currency; an open end repeats the figure that is there, and the note says so."""

    low: float = Field(ge=0)
    high: float = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Price:
        if self.low > self.high:
            raise ValueError(f"the price runs from {self.low:g} to {self.high:g}")
        return self


class OfferRow(Record):
    """One line of a price list for servers, cards, network, storage or space."""

    gpu: Id | None = None
    """Card of one form. Where the list does not say the form, the lesser one, and `form_stated` is false."""
    label: Words | None = None
    """The card's name without its form, as in the contract: "A100 80GB"."""
    gpu_as_written: Words | None = None
    form_stated: bool = True
    gpu_count: int | None = Field(default=None, ge=0)
    instance: Words | None = None
    zone: Words | None = None
    vcpu: float | None = Field(default=None, ge=0)
    ram: float | None = Field(default=None, ge=0)
    disk: Words | None = None
    bandwidth: Words | None = None
    line: Words | None = None
    route: Id | None = None
    """The kind of line in knowledge/routes."""
    tier: Words | None = None
    price: float | Price
    period: Literal["hour", "day", "week", "month", "year", "once", "usage"]
    unit: Words
    note: Words | None = None
    confidence: Confidence

    @property
    def low_high(self) -> tuple[float, float]:
        """The price as a pair, equal where the list gives one figure."""
        return (self.price.low, self.price.high) if isinstance(self.price, Price) else (self.price, self.price)


class Offer(Record):
    """One price list."""

    id: Id
    kind: Kind = "server"
    provider: Words
    place: Words
    location: Location
    in_hong_kong: bool
    date: Day | None = None
    """As exact as the source; a list of cards to rent always has one."""
    term: Term
    currency: Currency
    source: Id
    rows: Items[OfferRow] = Field(min_length=1)
    note: Words | None = None

    @model_validator(mode="after")
    def _whole(self) -> Offer:
        if self.date is None and (self.kind == "server" or self.note is None):
            raise ValueError("a list without a date says in `note` why, and none with servers to rent may lack one")
        if self.in_hong_kong != (self.location == "hong_kong") and self.location != "several":
            raise ValueError(f"in_hong_kong is {self.in_hong_kong}, but the location is {self.location}")
        return self

    @property
    def is_spot(self) -> bool:
        """Whether the provider may take the machine back."""
        return self.term == "spot"

    @property
    def without_commitment(self) -> bool:
        """Whether one may leave after a period of the list, other than spot."""
        return self.term in WITHOUT_COMMITMENT
