"""Offers: one price list of one provider on one day, with its rows.

No row is a quote and no currency is ever converted. A row's price is for the whole row (all its cards).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.knowledge.records.common import Day, Id, Items, Record, Words

Confidence = Literal["high", "medium", "low"]
Currency = Literal["CNY", "HKD", "USD", "SGD", "JPY", "KRW", "EUR", "GBP", "TWD"]


class Price(Record):
    """From low to high in the list's currency; both equal where the list gives one price."""

    low: float = Field(ge=0)
    high: float = Field(ge=0)


class OfferRow(Record):
    """One line of a price list for servers, cards, network, storage or space."""

    gpu: Id | None = None
    gpu_count: int | None = Field(default=None, ge=0)
    vcpu: float | None = Field(default=None, ge=0)
    ram: float | None = Field(default=None, ge=0)
    disk: Words | None = None
    bandwidth: Words | None = None
    line: Words | None = None
    tier: Words | None = None
    price: float | Price
    period: Literal["hour", "day", "week", "month", "year", "once"]
    unit: Words
    note: Words | None = None
    confidence: Confidence


class Offer(Record):
    """One price list."""

    id: Id
    kind: Literal["server", "line", "storage", "card", "other"] = "server"
    provider: Words
    place: Words
    in_hong_kong: bool
    date: Day
    term: Words
    currency: Currency
    source: Id
    rows: Items[OfferRow]
    note: Words | None = None
