"""Which model of the catalogue a name means. A name that is not there is unknown: never the nearest one."""

from __future__ import annotations

import re
from typing import Any
from weakref import WeakKeyDictionary

_TAIL = re.compile(
    r"[\s\-_]*(?:instruct|chat|it|hf|base|preview|awq|gptq|gguf|bnb|int4|int8|fp8|thinking|\d{4}|v0\.\d)$",
    re.IGNORECASE,
)
_KEPT: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()


def _key(name: str) -> str:
    return re.sub(r"[\s\-_/]", "", name.lower()).replace("metallama", "llama")


def _index(library: Any) -> dict[str, str]:
    if (known := _KEPT.get(library)) is None:
        known = {}
        for id_, names in library.models.names().items():
            for name in (id_.replace("_", "."), id_, *names):
                known.setdefault(_key(name), id_)
                if "/" in name:
                    known.setdefault(_key(name.split("/", 1)[1]), id_)
        _KEPT[library] = known
    return known


def resolve_model(name: str, size: float | None, library: Any) -> str | None:
    """The id of a model, or None. Endings that change no shape (Instruct, AWQ, a date) are left off one by one."""
    index = _index(library)
    tries = [name]
    while (short := _TAIL.sub("", tries[-1])) != tries[-1]:
        tries.append(short)
    if size is not None:
        tries += [f"{one}-{size:g}B" for one in list(tries)]
    families = set(library.models.names())
    for one in tries:
        found = index.get(_key(one))
        if found is not None and found in families and _fits(found, size, library):
            return found
    return None


def _fits(id_: str, size: float | None, library: Any) -> bool:
    """Whether the size said can be the model's: a family's name alone must not stand for another size."""
    if size is None:
        return True
    share = float(library.words["ranges"].entries["size_said_share"])
    params = float(library.models[id_].params)
    return bool(params * share <= size <= params / share)
