"""Compatibility: which generation of card runs with which driver, toolkit, wheel and kernels.

A row holds the facts for one compute capability; a table that rules can read one row at a time.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.core.errors import BadData, did_you_mean
from advisor.knowledge.reader import Document
from advisor.knowledge.records.common import BiText, Day, Id, Items, Note, Record, Said, Status, Words
from advisor.knowledge.records.gpus import Architecture
from advisor.knowledge.records.stacks import BY_KIND, StackRecord

Support = Literal["yes", "no", "source_build", "other_kernel", "partly", "unknown"]


class Judged(Record):
    """Whether something is supported, and how that is known."""

    value: Support
    status: Status
    source: Id = Field(alias="from")
    note: Words | None = None


class Generation(Record):
    """One generation of cards and the oldest and the advised software for it."""

    kind: Literal["generation"]
    id: Id
    name: BiText
    architecture: Architecture
    capabilities: Items[str] = Field(min_length=1)
    min_cuda: Said
    max_cuda: Said
    advised_driver: Said
    wheel: Said
    bf16: Judged
    fp8: Judged
    fp4: Judged
    flash_attention_2: Judged
    flash_attention_3: Judged
    flash_attention_4: Judged
    bitsandbytes: Judged
    attention: BiText
    notes: Items[Note] = ()


class Torch(Record):
    """One minor version of PyTorch: its Python versions and the CUDA versions of its wheels."""

    kind: Literal["torch"]
    id: Id
    version: Words
    released: Day
    python: Words
    stable_cuda: Items[str]
    experimental_cuda: Items[str] = ()
    capabilities: dict[str, Items[str]] = Field(default_factory=dict)
    source: Id = Field(alias="from")
    status: Status
    note: Words | None = None


class DriverFloor(Record):
    """One CUDA toolkit release and the lowest Linux driver that runs it."""

    kind: Literal["driver_floor"]
    id: Id
    cuda: Words
    update: Words
    driver: Words
    source: Id = Field(alias="from")
    status: Status
    note: Words | None = None


class Package(Record):
    """What a package of kernels needs: Python, torch, CUDA, cards."""

    kind: Literal["package"]
    id: Id
    name: Words
    version: Words
    min_python: Said
    min_torch: Said
    min_cuda: Said
    capabilities: Items[str] = ()
    needs: BiText
    source: Id = Field(alias="from")
    status: Status
    note: Words | None = None


Compatibility = Generation | Torch | DriverFloor | Package | StackRecord
_BY_KIND: dict[str, type[Compatibility]] = {
    **BY_KIND,
    "generation": Generation,
    "torch": Torch,
    "driver_floor": DriverFloor,
    "package": Package,
}


def record_for(document: Document) -> type[Compatibility]:
    """The record that a file's `kind` names; raises `BadData` for an unknown one."""
    kind = document.data.get("kind") if isinstance(document.data, dict) else None
    if kind not in _BY_KIND:
        raise BadData(
            f"kind is {kind!r}",
            where=document.at("kind"),
            expected=f"one of {', '.join(_BY_KIND)}",
            do=did_you_mean(str(kind), _BY_KIND),
        )
    return _BY_KIND[kind]
