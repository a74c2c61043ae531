"""Cards: what a card can do, and how each figure is known.

Throughputs are dense (no sparsity) with fp32 accumulation. `memory` is the nominal size, `memory_reported` what
nvidia-smi shows, `memory_usable` what a plan may count on. An absent feature and an unknown figure are different.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.knowledge.records.common import BiText, Figure, Id, Items, Note, Record, Said, Status, Words

Form = Literal["consumer", "workstation", "datacenter"]
Architecture = Literal[
    "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell", "cdna2", "cdna3", "cdna4", "ascend"
]
ExportLead = Literal["controlled_a", "controlled_b", "below", "carve_out", "unknown"]
Ecc = Literal["always", "on_by_default", "optional", "none", "unknown"]


class Export(Record):
    """A lead for the lawyer, never a classification: our arithmetic on the card's figures and what it points to."""

    tpp: Figure
    perf_density: Figure
    lead: ExportLead
    status: Status
    source: Id = Field(alias="from")
    note: BiText | None = None


class EccState(Record):
    """How the card's memory protects itself against bit errors."""

    value: Ecc
    status: Status
    source: Id = Field(alias="from")
    note: Words | None = None


class Gpu(Record):
    """One card of one form."""

    id: Id
    name: Words
    label: Words
    vendor: Literal["NVIDIA", "AMD", "Huawei"]
    family: Words
    architecture: Architecture
    chip: Words | None = None
    form: Form
    aliases: Items[str] = ()
    memory_type: Words | None = None
    memory: Figure
    memory_reported: Figure
    memory_usable: Figure
    bandwidth: Figure
    bf16: Figure
    fp8: Figure
    fp4: Figure
    int8: Figure
    tf32: Figure
    fp32: Figure
    power: Figure
    nvlink: Figure
    nvlink_kind: Literal["none", "nvlink_bridge", "nvlink", "infinity_fabric", "hccs", "unknown"]
    pcie: Said
    slot: Words
    cooling: Words
    compute_capability: Said
    min_cuda: Said
    min_driver: Said
    bf16_tensor: bool
    mig_max: Figure
    ecc: EccState
    export: Export
    geforce_licence: bool
    modified: bool = False
    """Altered after it left the maker: judged where a user names it, never proposed by a search."""
    notes: Items[Note] = ()

    @property
    def capability(self) -> float | None:
        """CUDA's compute capability as a number, None for cards of other makers or where it is unknown."""
        text = self.compute_capability.value
        return float(text) if text is not None and text.replace(".", "").isdigit() else None
