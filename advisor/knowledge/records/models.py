"""Models: the shape from which memory is computed, and how the parameter count is known.

Counts are in thousand millions (Gparams), sizes in elements. A field that a shape does not have is left out; nothing
is guessed from the name. `count_status` says whether the published count has a source of its own (`verified`) or is a
rounded label, the count of a model of the same shape or of a copy (`unverified`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.core.errors import BadInput
from advisor.core.units import convert
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.parameter_count import ParameterCount, count
from advisor.knowledge.records.common import Day, Id, Items, Words

Kind = Literal["decoder", "vlm", "encoder", "embedding", "rerank"]


class Model(Architecture):
    """One model as published; later re-trainings of the same shape stand among its aliases."""

    id: Id
    name: Words
    family: Words
    hub: Words | None = None
    aliases: Items[str] = ()
    kind: Kind
    params: float = Field(gt=0)
    """Published count in Gparams, with a vision tower and whatever else `note` says is counted."""
    params_active: float | None = Field(default=None, gt=0)
    """Published count that one token uses, in Gparams; vendors differ on whether embeddings belong to it."""
    vision_params: float | None = Field(default=None, ge=0)
    release: Day | None = None
    licence: Words | None = None
    stored_as: Literal["fp8", "fp4"] | None = None
    """How the weights are published where that is less than 16 bits: what an engine loads unless told otherwise."""
    source: Id = Field(alias="from")
    """Where the shape comes from; `also_from` names what else was compared."""
    also_from: Items[Id] = ()
    count_from: Id
    count_status: Literal["verified", "unverified"]
    note: Words | None = None

    @property
    def countable(self) -> bool:
        """False where the shape is not fully known: estimators then refuse what depends on it."""
        return self.unmodelled is None and not self.missing()

    def parameters(self) -> ParameterCount:
        """Parameters by part, computed from the shape; raises `BadInput` naming the model and what is missing."""
        vision = round(convert(self.vision_params or 0, "Gparams", "params"))
        try:
            return count(self, vision)
        except BadInput as error:
            raise BadInput(error.what, where=self.id) from None
