"""Routes: lines between Hong Kong and where users or data are, with priors of delay and loss."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.knowledge.records.common import BiText, Figure, Id, Items, Record, Words


class Route(Record):
    """One kind of line on one path; a prior, to be replaced by the customer's own measurement."""

    id: Id
    name: BiText
    kind: Literal["line", "path"]
    places: Items[str] = ()
    aliases: Items[str] = ()
    as_numbers: Items[int] = ()
    rtt_low: Figure | None = None
    rtt_high: Figure | None = None
    loss_low: Figure | None = None
    loss_high: Figure | None = None
    jitter: Figure | None = None
    note: BiText | None = None
    sources: Items[Id] = Field(default=())
    confidence: Words | None = None
