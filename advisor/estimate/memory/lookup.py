"""From a model's name, as people write it, to a shape.

A name is matched against the names, hub addresses and aliases of `knowledge/models` without case, punctuation, owner
and the words that change no shape (instruct, chat, awq, dates). Where that fails the nearest of the family is taken at
the stated size, else a generic decoder of that size; both say that the shape is not known. Nothing is matched by a
table of its own. Raises `BadInput` where neither the name nor a size says how large the model is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from math import exp, log
from typing import Any

from advisor.core.errors import BadInput
from advisor.core.units import convert
from advisor.estimate.memory.arch import Shape, from_model, from_size
from advisor.estimate.memory.constants import Constants
from advisor.estimate.memory.names import plain_key

_WORD = re.compile(r"\d+(?:\.\d+)?[bm]\b|[a-z]+|\d+(?:\.\d+)*")
_SIZE = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([bm])(?![a-z0-9])")
_ACTIVE = re.compile(r"(?<![a-z0-9])a(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
# Words that name a tuning, a storage format or a publisher's date, never another shape.
_TUNINGS = "instruct chat base hf it pt gptq awq int int4 int8 fp8 fp16 bf16 gguf bnb bit exl mlx dpo sft rlhf preview"
_OTHERS = "thinking reduced inferred config custom arch the model seq cls hybrid dense"
_NO_SHAPE = frozenset((*_TUNINGS.split(), *_OTHERS.split()))
# Words that say what a model is for, or that it has a tower beside the decoder.
_TASKS = "embedding emb rerank reranker reward classification cls classifier encoder"
_NO_LOGITS = frozenset(_TASKS.split())
_TOWERS = frozenset(["vl", "vision", "omni", "ocr", "audio", "video", "image", "multimodal", "vlm"])


def shape_of(name: str, params: float | None, library: Any, c: Constants) -> Shape:
    """The shape of the model called `name`; `params` is the stated count, which wins where the two are far apart."""
    words = frozenset(_WORD.findall(name.casefold()))
    shape = _any_shape(name, params, library, c)
    return shape.named(not words & _NO_LOGITS, bool(words & _TOWERS))


def _any_shape(name: str, params: float | None, library: Any, c: Constants) -> Shape:
    found = _match(name, library)
    if found is not None:
        record_shape = _shape(library, found)
        if record_shape is not None:
            return record_shape if params is None else _agreed(record_shape, params, c)
    size = params if params is not None else _size_in(name)
    if size is None:
        raise BadInput(
            f'the model "{name}" is not known' if name else "no model and no size is stated",
            expected="a model of the catalogue or its number of parameters",
        )
    active = _active_in(name)
    relative = _relative(name, size, library)
    if relative is not None and (active is None or relative[0].moe):
        shape = _agreed(relative[0], size, c)
        return shape if relative[1] and shape is relative[0] else shape.guessed()
    return from_size(size, c, min(active, size) if active is not None else None)


def _agreed(shape: Shape, params: float, c: Constants) -> Shape:
    """A size near the record's is its label; one far away is another model of these proportions; between, a blend."""
    away = log(params / shape.params)
    near, far = c.same_size_near, c.same_size_far
    weight = min(max((abs(away) - near) / (far - near), 0.0), 1.0)
    return shape if weight == 0 else shape.resized(shape.params * exp(away * weight))


@lru_cache(maxsize=8)
def _index(library: Any) -> Mapping[str, str]:
    """Every way to write a name of the catalogue, plain, to its id; the shorter id wins where two claim a name."""
    index: dict[str, str] = {}
    for id in sorted(library.models, key=len):
        names = (*library.models.names()[id], id)
        for name in names:
            for key in _keys(name):
                index.setdefault(key, id)
    return index


def _keys(name: str) -> tuple[str, ...]:
    text = name.casefold()
    tail = text.rsplit("/", 1)[-1]
    words = [word for word in re.split(r"[^a-z0-9.]+", re.sub(r"\(.*?\)", " ", tail)) if word]
    bare = [word for word in words if not _idle(word)]
    keys = [plain_key(text), plain_key(tail), plain_key("".join(words)), plain_key("".join(bare))]
    return tuple(dict.fromkeys(key for key in keys if key))


def _idle(word: str) -> bool:
    """A word that changes no shape: a tuning, a format, a date of four digits or more, a version like v0.1."""
    return word in _NO_SHAPE or bool(re.fullmatch(r"\d{4,}|v\d+(\.\d+)*|\d+k|\d+bit|w\da\d+", word))


@lru_cache(maxsize=4096)
def _match(name: str, library: Any) -> str | None:
    if not name:
        return None
    index = _index(library)
    return next((index[key] for key in _keys(name) if key in index), None)


@lru_cache(maxsize=1024)
def _shape(library: Any, id: str) -> Shape | None:
    try:
        return from_model(library.models[id])
    except BadInput:
        return None


def _active_in(name: str) -> float | None:
    """The active size that a name states, as in 30B-A3B, as a count."""
    found = _ACTIVE.search(name.casefold())
    return convert(float(found[1]), "Gparams" if found[2] == "b" else "Mparams", "params") if found else None


def _size_in(name: str) -> float | None:
    """The size that a name states, as a count; experts times size for names like 8x7B."""
    found = _SIZE.findall(name.casefold().replace("_", "-"))
    if not found:
        return None
    times, number, unit = max(found, key=lambda each: float(each[1]) * float(each[0] or 1))
    return convert(float(number) * float(times or 1), "Gparams" if unit == "b" else "Mparams", "params")


@lru_cache(maxsize=4096)
def _relative(name: str, size: float, library: Any) -> tuple[Shape, bool] | None:
    """The shape nearest in size in the family that the name begins with, and whether the names differ in size only."""
    own = _family(name)
    best: tuple[int, float, str] | None = None
    for id, names in library.models.names().items():
        fitting = [found for known in names if (found := _family(known)) and own[: len(found)] == found]
        shape = _shape(library, id) if fitting else None
        if shape is None:
            continue
        score = (max(map(len, fitting)), -abs(log(size / shape.params)), id)
        if best is None or score > best:
            best = score
    nearest = _shape(library, best[2]) if best else None
    return None if best is None or nearest is None else (nearest, best[0] == len(own))


@lru_cache(maxsize=8192)
def _family(name: str) -> tuple[str, ...]:
    """The words of a name that say which family it is: no owner, size, tuning or date."""
    tail = re.sub(r"\(.*?\)", " ", name.casefold().rsplit("/", 1)[-1])
    words = [word for word in _WORD.findall(tail) if not _idle(word)]
    kept = [word for word in words if not re.fullmatch(r"\d+(\.\d+)?[bm]|a|x|b|m", word)]
    return tuple(kept) if kept and kept[0].isalpha() else ()
