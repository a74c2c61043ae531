"""Claims: what vendors' articles say, what the evidence says, and what we say instead."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.knowledge.records.common import BiText, Id, Items, Record, Status

ClaimVerdict = Literal["correct", "approximately", "misleading", "wrong", "contradicted", "unverifiable"]


class Claim(Record):
    """One statement, in our words, with its verdict."""

    id: Id
    said: BiText
    said_in: Items[Id] = Field(min_length=1)
    verdict: ClaimVerdict
    evidence: BiText | None = None
    instead: BiText | None = None
    because: Items[Id] = ()
    status: Status
