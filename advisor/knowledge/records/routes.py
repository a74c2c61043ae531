"""Routes: kinds of line between Hong Kong and where users or data are, and priors of delay on each path.

A `line` is what a vendor sells by name: whose network, what the name promises and what it does not. A `path` is the
prior for one pair of cities over one kind of line. Both are to be replaced by the customer's own measurement, in both
directions; no figure here is a promise of anybody.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Figure, Id, Items, Record

Confidence = Literal["high", "medium", "low"]
Place = Literal["hong_kong", "shenzhen", "guangzhou", "shanghai", "beijing", "mainland", "us_west", "overseas"]
Carrier = Literal["telecom", "unicom", "mobile", "several", "private"]


class Observation(Record):
    """One figure that somebody stated or measured on this path, kept beside the prior."""

    rtt: Figure | None = None
    loss: Figure | None = None
    jitter: Figure | None = None
    said: BiText


class Route(Record):
    """One kind of line, or one path over one kind of line."""

    id: Id
    name: BiText
    kind: Literal["line", "path"]
    places: Items[Place] = ()
    """Of a path: the two ends, Hong Kong first."""
    line: Id | None = None
    """Of a path: the kind of line."""
    aliases: Items[str] = ()
    carrier: Carrier | None = None
    as_numbers: Items[int] = ()
    """What a trace over this line shows; to be verified by one."""
    both_directions: Literal["yes", "no", "unstated"] | None = None
    promises: BiText | None = None
    does_not_promise: BiText | None = None
    fits: BiText | None = None
    ask: BiText | None = None
    distance: Figure | None = None
    floor: Figure | None = None
    """Round trip of light in fibre over the great circle: nothing is faster."""
    rtt_low: Figure | None = None
    rtt_high: Figure | None = None
    loss_low: Figure | None = None
    loss_high: Figure | None = None
    observed: Items[Observation] = ()
    note: BiText | None = None
    sources: Items[Id] = Field(min_length=1)
    confidence: Confidence

    @model_validator(mode="after")
    def _whole(self) -> Route:
        if self.kind == "path" and (len(self.places) != 2 or self.line is None):
            raise ValueError("a path has two `places` and the `line` it goes over")
        if self.kind == "line" and (self.promises is None or self.does_not_promise is None):
            raise ValueError("a line says what its name `promises` and what it `does_not_promise`")
        for low, high in ((self.rtt_low, self.rtt_high), (self.loss_low, self.loss_high)):
            if low and high and low.value is not None and high.value is not None and low.value > high.value:
                raise ValueError(f"{low.value:g} to {high.value:g} is no range")
        return self
