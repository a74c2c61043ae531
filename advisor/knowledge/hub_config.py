"""A user's `config.json` from the model hub as an `Architecture`.

The file comes from a stranger: its size, depth, number of values and the range of every number are limited, and
everything that is wrong is one `BadInput` naming the key. What each model type has without saying so stands in
`knowledge/words/hub_config.yaml`. A model type we do not know is read like a plain decoder only if the file itself
states every key that matters; nothing is guessed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from advisor.core.errors import BadInput
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.hub_types import HubTypes, TypeTraits
from advisor.knowledge.parameter_count import count

# Technical bounds, far above any real file; they are no statement on models.
MAX_BYTES: Final = 2**20
MAX_DEPTH: Final = 2**4
MAX_VALUES: Final = 2**16
MAX_NUMBER: Final = 2**53
MAX_PARAMS: Final = 2**44
_WHERE: Final = "config.json"


@dataclass(frozen=True, slots=True)
class HubModel:
    """What a configuration says: the shape, the model type, whether a vision tower stands beside it, and remarks."""

    architecture: Architecture
    model_type: str
    vision: bool
    notes: tuple[str, ...]


def read_config(raw: bytes | str, types: HubTypes | None = None) -> HubModel:
    """Read the text of a config.json; raises `BadInput` for anything that is no readable configuration."""
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if len(data) > MAX_BYTES:
        raise BadInput(f"has {len(data)} bytes", where=_WHERE, expected=f"at most {MAX_BYTES}")
    try:
        found = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8", where=_WHERE) from None
    except RecursionError:
        raise BadInput("is nested too deep", where=_WHERE, expected=f"at most {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"is not JSON: {error.msg}", where=f"{_WHERE}:{error.lineno}") from None
    except ValueError:  # a whole number with thousands of digits
        raise BadInput("holds a number that is too large", where=_WHERE) from None
    return parse_config(found, types)


def parse_config(config: object, types: HubTypes | None = None) -> HubModel:
    """The same for data that are already parsed; the limits hold here too."""
    _check_limits(config)
    if not isinstance(config, Mapping):
        raise BadInput("is no JSON object", where=_WHERE, expected='a configuration as in {"model_type": ...}')
    known = types or HubTypes.open()
    inner = _text_part(config)
    model_type = _model_type(inner, config)
    traits = known.traits(model_type, {**config, **inner})
    reader = _Reader(inner, config, traits, known)
    fields = reader.fields()
    shape = _architecture(fields, reader)
    vision = any(key in config for key in ("vision_config", "visual"))
    return HubModel(shape, model_type, vision, tuple(reader.notes(vision)))


def _no_constant(text: str) -> object:
    raise BadInput(f"holds {text}", where=_WHERE, expected="finite numbers")


def _check_limits(config: object) -> None:
    seen = 0
    for place, value, depth in _walk(config):
        seen += 1
        if seen > MAX_VALUES:
            raise BadInput("holds too many values", where=_WHERE, expected=f"at most {MAX_VALUES}")
        if depth > MAX_DEPTH:
            raise BadInput("is nested too deep", where=_WHERE, expected=f"at most {MAX_DEPTH} levels")
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if not isinstance(value, int) and not math.isfinite(value):
            raise BadInput(f"{place} is no finite number", where=_WHERE)
        if abs(value) > MAX_NUMBER:
            raise BadInput(f"{place} is too large", where=_WHERE, expected=f"at most {MAX_NUMBER}")


def _walk(config: object) -> Iterator[tuple[str, object, int]]:
    stack: list[tuple[str, object, int]] = [("the file", config, 0)]
    while stack:
        place, value, depth = stack.pop()
        yield place, value, depth
        if isinstance(value, Mapping):
            stack += [(str(key)[: MAX_DEPTH * 2], item, depth + 1) for key, item in value.items()]
        elif isinstance(value, list | tuple):
            stack += [(place, item, depth + 1) for item in value]


def _text_part(config: Mapping[Any, Any]) -> Mapping[Any, Any]:
    for key in ("text_config", "llm_config", "language_config"):
        if isinstance(config.get(key), Mapping):
            part: Mapping[Any, Any] = config[key]
            return part
    return config


def _model_type(inner: Mapping[Any, Any], outer: Mapping[Any, Any]) -> str:
    for part in (inner, outer):
        name = part.get("model_type")
        if isinstance(name, str) and 0 < len(name) <= MAX_DEPTH**2:
            return name.lower().replace("-", "_").replace(".", "_")
        if name is not None:
            raise BadInput("model_type is no short text", where=_WHERE)
    return ""


def _architecture(fields: dict[str, Any], reader: _Reader) -> Architecture:
    try:
        shape = Architecture.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        raise BadInput(f"{reader.key_of(field)}: {first['msg'].lower()}", where=_WHERE) from None
    if missing := shape.missing():
        names = ", ".join(reader.key_of(field) for field in missing)
        raise BadInput(f"lacks {names}", where=_WHERE, do="take the file of the model itself, not of an adapter")
    if (total := count(shape).total) > MAX_PARAMS:
        raise BadInput(f"describes a model of {total} parameters", where=_WHERE, expected=f"at most {MAX_PARAMS}")
    return shape


class _Reader:
    """Reads one configuration with the traits of its type."""

    def __init__(self, inner: Mapping[Any, Any], outer: Mapping[Any, Any], traits: TypeTraits, types: HubTypes) -> None:
        self.inner, self.outer, self.traits, self.types = inner, outer, traits, types
        self.keys = {**types.keys, **traits.keys}
        self.remarks: list[str] = []

    def get(self, field: str) -> Any:
        """The value of a field under the first of its keys that is there and not null."""
        for part in (self.inner, self.outer):
            for key in self.keys.get(field, ()):
                if part.get(key) is not None:
                    return part[key]
        return None

    def whole(self, field: str, keys: tuple[str, ...] = ()) -> int | None:
        """A whole number of at least 0, or None; other types are refused by the key's name."""
        found = [self.inner[key] for key in keys if self.inner.get(key) is not None]
        value = self.get(field) if not keys else (found[0] if found else None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"{self.key_of(field)} is no whole number of at least 0", where=_WHERE)
        return value

    def key_of(self, field: str) -> str:
        """The key that a person knows for a field."""
        keys = self.keys.get(field) or (field,)
        there = [key for key in keys if key in self.inner or key in self.outer]
        return (there or list(keys))[0]

    def fields(self) -> dict[str, Any]:
        """Everything an `Architecture` needs, as far as the file says it."""
        found: dict[str, Any] = dict(self.traits.traits)
        for field in self.keys:
            value = self._boolean(field) if field in ("tied_embeddings", "qkv_bias") else self.whole(field)
            if value is not None and not (field == "first_dense_layers" and value == 0):
                found[field] = value
        for required in ("layers", "hidden", "vocab", "heads"):
            if not found.get(required):
                raise BadInput(f"lacks {self.key_of(required)}", where=_WHERE, expected="a whole number above 0")
        self._biases(found)
        self._mlp(found)
        self._experts(found)
        self._attention(found)
        self._window(found)
        return found

    def _boolean(self, field: str) -> bool | None:
        value = self.get(field)
        if value is not None and not isinstance(value, bool):
            raise BadInput(f"{self.key_of(field)} is neither true nor false", where=_WHERE)
        return value

    def _flag(self, key: str) -> bool | None:
        value = self.inner.get(key)
        return value if isinstance(value, bool) else None

    def _biases(self, found: dict[str, Any]) -> None:
        if self.traits.output_bias_follows and found.get("qkv_bias"):
            found["output_bias"] = True
        if self.traits.bias_key and self._flag(self.traits.bias_key):
            found["mlp_bias"] = True
        if self.traits.falcon_heads and self._flag("bias"):
            found.update(qkv_bias=True, output_bias=True, mlp_bias=True)
        if self._flag("use_qk_norm") and found.get("qk_norm") is None:
            found["qk_norm"] = "per_head"
        if self.traits.learned_positions and found.get("max_context"):
            found["learned_positions"] = found["max_context"] + self.types.position_offset(self.traits)
        types = self.whole("token_types", ("type_vocab_size",))
        if self.traits.learned_positions and types:
            found["token_types"] = types

    def _mlp(self, found: dict[str, Any]) -> None:
        if found.get("ffn") is None and self.traits.ffn_per_hidden:
            found["ffn"] = self.traits.ffn_per_hidden * found["hidden"]
        if self.traits.ffn_share is not None and found.get("ffn"):
            found["ffn"] = max(int(found["ffn"] * self.traits.ffn_share), 1)

    def _experts(self, found: dict[str, Any]) -> None:
        if not found.get("experts"):
            for field in ("experts", "experts_per_token", "moe_ffn", "shared_experts", "shared_expert_ffn"):
                found.pop(field, None)
            found.pop("first_dense_layers", None)
            return
        if self.traits.moe_ffn_is_ffn and found.get("moe_ffn") is None:
            found["moe_ffn"] = found.pop("ffn", None)
        shared = found.get("shared_experts")
        if shared and found.get("shared_expert_ffn") is None:
            found["shared_expert_ffn"] = shared * (found.get("moe_ffn") or 0)
        if not shared and not found.get("shared_expert_ffn"):
            found.pop("shared_experts", None)
            found.pop("shared_expert_ffn", None)
        if not found.get("experts_per_token"):
            raise BadInput(f"lacks {self.key_of('experts_per_token')}", where=_WHERE)
        if found["experts_per_token"] > found["experts"]:
            raise BadInput(f"{self.key_of('experts_per_token')} is more than there are experts", where=_WHERE)
        if found.get("first_dense_layers", 0) > found["layers"]:
            raise BadInput(f"{self.key_of('first_dense_layers')} is more than there are layers", where=_WHERE)
        self._expert_layers(found)

    def _expert_layers(self, found: dict[str, Any]) -> None:
        by_layer = next(
            (self.inner[k] for k in self.types.moe_step if isinstance(self.inner.get(k), list | tuple)), None
        )
        if by_layer is not None:
            found.pop("first_dense_layers", None)
            found["moe_layers"] = sum(item == 1 for item in by_layer)
            return
        step = self.whole("moe_step", self.types.moe_step)
        listed: object = next((self.inner[key] for key in self.types.dense_list if self.inner.get(key)), [])
        dense = {n for n in listed if isinstance(n, int)} if isinstance(listed, list | tuple) else set()
        if (step is None or step <= 1) and not dense:
            return
        first, every = found.pop("first_dense_layers", 0), max(step or 1, 1)
        layers = range(min(found["layers"], MAX_VALUES))
        found["moe_layers"] = sum((n + 1) % every == 0 and n >= first and n not in dense for n in layers)

    def _attention(self, found: dict[str, Any]) -> None:
        heads, kv = found["heads"], found.get("kv_heads")
        if found.get("mla_kv_lora_rank"):
            found.pop("kv_heads", None)
            found.pop("head_dim", None)
            found["attention"] = "mla"
            return
        if self.traits.falcon_heads:
            kv = self._falcon(found)
        if self.inner.get("multi_query_attention") is False:
            kv = None
        found["kv_heads"] = kv = kv or heads
        if kv > heads:
            raise BadInput(f"{self.key_of('kv_heads')} is more than there are heads", where=_WHERE)
        if not found.get("head_dim"):
            if found["hidden"] % heads:
                raise BadInput(
                    f"lacks {self.key_of('head_dim')}, and the width is no multiple of the heads", where=_WHERE
                )
            found["head_dim"] = found["hidden"] // heads
        found["attention"] = "full" if kv == heads else "mqa" if kv == 1 else "gqa"
        self._linear(found)

    def _falcon(self, found: dict[str, Any]) -> int | None:
        if self._flag("new_decoder_architecture"):
            if self.whole("norms", ("num_ln_in_parallel_attn",)) == 1:
                found["norms_per_layer"] = 1
            return found.get("kv_heads")
        if self._flag("parallel_attn") is not False:
            found["norms_per_layer"] = 1
        return 1 if self._flag("multi_query") is not False else None

    def _linear(self, found: dict[str, Any]) -> None:
        if not found.get("linear_kind"):
            for field in ("linear_key_heads", "linear_value_heads", "linear_head_dim", "linear_conv_width"):
                found.pop(field, None)
            return
        every = self.whole("full_interval", self.types.full_interval)
        linear = self._layer_types("linear_attention")
        if linear is None and not every:
            raise BadInput(f"lacks layer_types or {self.types.full_interval[0]}", where=_WHERE)
        found["linear_layers"] = linear if linear is not None else found["layers"] - found["layers"] // (every or 1)
        found["attention"] = "hybrid"

    def _layer_types(self, kind: str) -> int | None:
        listed = self.inner.get("layer_types")
        return sum(item == kind for item in listed) if isinstance(listed, list | tuple) else None

    def _window(self, found: dict[str, Any]) -> None:
        used = self._flag("use_sliding_window") is not False and found.get("sliding_window")
        if not used or found["attention"] in ("mla", "hybrid"):
            found.pop("sliding_window", None)
            return
        sliding = self._layer_types("sliding_attention")
        every = self.whole("window_pattern", self.types.window_pattern) or self.traits.window_every
        if sliding is None and every:
            sliding = found["layers"] - found["layers"] // every
        if sliding == 0:
            found.pop("sliding_window", None)
            return
        found["attention"] = "sliding"
        if sliding is not None:
            found["sliding_layers"] = sliding

    def notes(self, vision: bool) -> Iterator[str]:
        """Remarks on what was read with less certainty, for the assumptions of an answer."""
        if self.traits.unknown:
            yield "the model type is not known here; it was read as a plain decoder with the keys that it states"
        if vision:
            yield "a vision tower stands beside the text model and is not counted"
        if self.inner.get("num_nextn_predict_layers"):
            yield "layers for predicting several tokens are not counted"
