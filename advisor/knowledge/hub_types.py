"""What each model type of the hub has without saying so, read from `knowledge/words/hub_config.yaml`.

Adding a model type is one line in that file. A type that stands under `refused_types` is refused with the reason that
stands there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library
from advisor.knowledge.records.common import Items, Record

_LEXICON = "hub_config"


class TypeTraits(Record):
    """One model type: fixed fields of the architecture and how its keys are to be read."""

    like: str | None = None
    traits: dict[str, Any] = Field(default_factory=dict)
    keys: dict[str, Items[str]] = Field(default_factory=dict)
    output_bias_follows: bool | None = None
    bias_key: str | None = None
    moe_ffn_is_ffn: bool | None = None
    ffn_per_hidden: int | None = None
    ffn_share: float | None = None
    learned_positions: bool | None = None
    position_offset: int | None = None
    window_every: int | None = None
    falcon_heads: bool | None = None
    unknown: bool = False


class HubTypes(Record):
    """The lexicon of configurations: keys by field, and traits by model type."""

    keys: dict[str, Items[str]]
    moe_step: Items[str]
    dense_list: Items[str]
    window_pattern: Items[str]
    full_interval: Items[str]
    refused_keys: dict[str, str]
    refused_types: dict[str, str]
    types: dict[str, TypeTraits]

    @staticmethod
    def open() -> HubTypes:
        """The lexicon of the library of this process."""
        return HubTypes.model_validate(open_library().words.require(_LEXICON).entries)

    def traits(self, model_type: str, config: Mapping[Any, Any]) -> TypeTraits:
        """The traits of a model type with those of the types it is like; a type nobody knows gets the plain ones."""
        if model_type in self.refused_types:
            raise BadInput(f"describes {model_type}: {self.refused_types[model_type]}", where="config.json")
        for key, reason in self.refused_keys.items():
            if config.get(key):
                raise BadInput(f"has {key}: {reason}", where="config.json")
        if model_type not in self.types:
            return self._plain()
        return self._with_parents(self.types[model_type])

    def position_offset(self, traits: TypeTraits) -> int:
        """How many rows of a table of positions are never positions."""
        return traits.position_offset or 0

    def _with_parents(self, entry: TypeTraits) -> TypeTraits:
        if entry.like is None:
            return entry
        parent = self._with_parents(self.types[entry.like])
        own = {name: getattr(entry, name) for name in entry.model_fields_set if getattr(entry, name) is not None}
        own["traits"] = {**parent.traits, **entry.traits}
        own["keys"] = {**parent.keys, **entry.keys}
        return parent.model_copy(update=own)

    def _plain(self) -> TypeTraits:
        """A plain gated decoder, which must itself say whether its head is tied and its attention has biases."""
        return TypeTraits(traits={"gated_mlp": True, "norm": "rms"}, unknown=True)
