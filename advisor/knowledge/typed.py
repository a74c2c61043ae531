"""From a document to a typed record, with errors that a person can act on.

pydantic checks; this module turns what it found into `BadData` with file, line, what was expected and, for an unknown
key, the nearest known one. Nothing of pydantic's own wording about classes reaches the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from advisor.core.errors import BadData, did_you_mean
from advisor.knowledge.reader import Document

R = TypeVar("R", bound=BaseModel)
_SHOWN = 60


def typed(document: Document, record: type[R]) -> R:
    """The document as a record; raises `BadData` for the first thing that is wrong, and says how many others are."""
    try:
        return record.model_validate(document.data)
    except ValidationError as error:
        found = problems(document, record, error)
    first, others = found[0], len(found) - 1
    more = f" (and {others} more in this file)" if others else ""
    raise BadData(first.what + more, where=first.where, expected=first.expected, do=first.do)


def problems(document: Document, record: type[BaseModel], error: ValidationError) -> list[BadData]:
    """Everything that pydantic found, one `BadData` each, in the order of the file's lines."""
    # A misspelt key is also a missing one: the unknown key comes first, since its message says what was meant.
    every = sorted(map(dict, error.errors(include_url=False)), key=lambda one: one["type"] != "extra_forbidden")
    found = [_problem(document, record, one) for one in every if not _follows(one, every)]
    return sorted(found, key=lambda bad: int(bad.where.rpartition(":")[2]))


def _follows(error: dict[str, Any], every: list[dict[str, Any]]) -> bool:
    """Whether pydantic calls a list too short only because its items are wrong."""
    place = error["loc"]
    return error["type"] == "too_short" and any(
        len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in every
    )


def _problem(document: Document, record: type[BaseModel], error: dict[str, Any]) -> BadData:
    place = tuple(error["loc"])
    where = document.at(*place)
    name = ".".join(str(step) for step in place) or "the file"
    kind, message = error["type"], str(error["msg"])
    if kind == "missing":
        return BadData(f"the key `{name}` is missing", where=where, do="add it")
    if kind == "extra_forbidden":
        known = sorted(_keys(record, place[:-1]))
        hint = did_you_mean(str(place[-1]), known)
        return BadData(f"unknown key `{name}`", where=where, expected=f"one of {', '.join(known)}", do=hint)
    if kind == "value_error":
        return BadData(f"{name}: {message.removeprefix('Value error, ')}", where=where)
    expected = message.removeprefix("Input should be ").removeprefix("a valid ")
    if kind in ("model_type", "dict_type"):
        expected = "a mapping of keys and values"
    if kind in ("too_short", "too_long"):
        expected = " ".join(["at least" if kind == "too_short" else "at most", str(_limit(error["ctx"])), "items"])
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."
    hint = ""
    if kind == "literal_error" and isinstance(error.get("input"), str):
        hint = did_you_mean(error["input"], str(error["ctx"]["expected"]).replace("'", "").split(" or ")[0].split(", "))
    return BadData(f"{name} is {shown}", where=where, expected=expected, do=hint)


def _limit(context: dict[str, Any]) -> object:
    return context.get("min_length", context.get("max_length"))


def _keys(record: type[BaseModel], place: tuple[str | int, ...]) -> set[str]:
    """The keys that a mapping at this place may have, written as in the file (`from`, not `source`)."""
    models = [record]
    for step in place:
        inner: list[type[BaseModel]] = []
        for model in models:
            for key, info in model.model_fields.items():
                if step in (key, info.alias):
                    inner += _models(info.annotation)
        # A step that is no field is an index, a key of a free mapping or a branch of a union: stay where we are.
        models = inner or models
    return {info.alias or key for model in models for key, info in model.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
