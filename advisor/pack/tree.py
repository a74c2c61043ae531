"""A tool's file, filled in: parts laid over one another for a plan, and names of the plan replaced by its values.

A text that is nothing but `{name}` becomes the value itself, with its type; a key whose value nobody knows is left
out. Nothing is evaluated: a name that the plan does not have is an error in the file, never an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from advisor.core.errors import BadData, did_you_mean
from advisor.knowledge.records.stacks import Part

Scalar = str | int | float | bool
Scene = Mapping[str, Scalar | None]

_WHOLE = re.compile(r"\{([a-z0-9_]+)\}")
_MISSING = object()


def holds(when: Mapping[str, Iterable[Scalar]], scene: Scene, where: str) -> bool:
    """True where every name has one of its values. `True` and `1` are different values."""
    for name, values in when.items():
        value = named(name, scene, where)
        if not any(type(one) is type(value) and one == value for one in values):
            return False
    return True


def named(name: str, scene: Scene, where: str) -> Scalar | None:
    """The plan's value of a name, None where nobody knows it; raises `BadData` for a name that no plan has."""
    if name not in scene:
        raise BadData(
            f'a plan has no "{name}"',
            where=where,
            expected="a name of advisor.pack.scene",
            do=did_you_mean(name, scene),
        )
    return scene[name]


def laid(parts: Iterable[Part], scene: Scene, where: str) -> dict[str, Any]:
    """The tree of the parts that hold for this plan, later ones over earlier ones."""
    tree: dict[str, Any] = {}
    for part in parts:
        if holds(part.when, scene, where):
            _lay(tree, _filled(part.set, scene, where))
    return tree


def filled(text: str, scene: Scene, where: str) -> str | None:
    """A text with the plan's values put in; None where one of them is unknown."""
    values = {name: named(name, scene, where) for name in _WHOLE.findall(text)}
    if any(value is None for value in values.values()):
        return None
    return _WHOLE.sub(lambda match: _word(values[match[1]]), text)


def _word(value: Scalar | None) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lay(tree: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            _lay(tree[key], value)
        else:
            tree[key] = value


def _filled(value: Any, scene: Scene, where: str) -> Any:
    if isinstance(value, dict):
        pairs = ((key, _filled(each, scene, where)) for key, each in value.items())
        return {key: each for key, each in pairs if each is not _MISSING}
    if isinstance(value, list):
        return [each for each in (_filled(one, scene, where) for one in value) if each is not _MISSING]
    if not isinstance(value, str):
        return value
    whole = _WHOLE.fullmatch(value)
    found = named(whole[1], scene, where) if whole else filled(value, scene, where)
    return _MISSING if found is None else found
