"""The operator's place: what "here" means. One file, `knowledge/place.yaml`, usually in the overlay."""

from __future__ import annotations

from pydantic import Field, model_validator

from advisor.knowledge.records.common import BiText, Id, Items, Record


class OwnServers(Record):
    """Servers of one kind that stand there: cards a server, and how many servers."""

    gpu: Id
    gpu_count: int = Field(ge=1)
    nodes: int = Field(default=1, ge=1)
    interconnect: str | None = None
    ram: float | None = Field(default=None, gt=0)
    cpu_cores: int | None = Field(default=None, ge=1)


class Place(Record):
    """Own cards, or the ids of the offers that count as "here"."""

    id: Id
    name: BiText
    location: str
    servers: Items[OwnServers] = ()
    offers: Items[Id] = ()

    @model_validator(mode="after")
    def _something_stands_there(self) -> Place:
        if not self.servers and not self.offers:
            raise ValueError("a place has servers or offers")
        return self
