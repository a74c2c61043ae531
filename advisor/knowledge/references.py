"""The check of everything: each file read, each reference followed. Returns all problems, for a person to mend.

A look-up stops at the first thing that is wrong; this goes on, so that one run shows all there is to mend. What the
conditions of rules mean is not its business: `advisor.rules` checks those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from advisor.core.errors import BadData, did_you_mean
from advisor.core.text import placeholders
from advisor.knowledge.reader import Document, Place
from advisor.knowledge.typed import problems

if TYPE_CHECKING:
    from advisor.knowledge.library import Library
    from advisor.knowledge.shelves import Shelf

# Key in a file -> the shelves that its value, or each value of its list, points to.
_POINTERS: dict[str, tuple[str, ...]] = {
    "from": ("sources",),
    "also_from": ("sources",),
    "count_from": ("sources",),
    "source": ("sources",),
    "sources": ("sources",),
    "said_in": ("sources",),
    "because": ("sources", "claims"),
}
_MORE_POINTERS: dict[str, dict[str, tuple[str, ...]]] = {
    "offers": {"gpu": ("gpus",)},
    "rules": {"fact": ("facts",), "heuristic": ("heuristics",), "check": ("items",)},
    "judging": {"fact": ("facts", "readings"), "heuristic": ("heuristics",), "check": ("items",)},
    "quoting": {"fact": ("facts", "readings"), "heuristic": ("heuristics",), "check": ("items",)},
    "requests": {"proven_by": ("items",), "heuristic": ("heuristics",), "spoiled_by": ("quoting",)},
    "items": {"fact": ("facts",), "heuristic": ("heuristics",)},
    "claims": {
        "ends_in": ("rules", "items", "facts", "heuristics", "gpus", "models", "routes", "offers", "compatibility"),
        "line": ("routes",),
    },
}
# A lexicon's keys are its reader's business; `from` may be a word of the language there.
_WITHOUT_POINTERS = {"words"}
_LANGUAGES = {"en", "zh", "zh_hant"}
# What stands under these keys are another program's own keys.
_FOREIGN = {"compatibility": {"set"}}


def everything_wrong(library: Library) -> list[BadData]:
    """All problems with file and line, by kind and id."""
    from advisor.knowledge.library import KINDS

    found: list[BadData] = []
    try:
        shelves = {kind: library.shelf(kind) for kind in KINDS}
        for kind, shelf in shelves.items():
            for key in shelf:
                found += _of_file(shelves, kind, shelf, key)
        _ = library.place
    except BadData as error:
        found.append(error)
    return found


def _of_file(shelves: Mapping[str, Shelf[Any]], kind: str, shelf: Shelf[Any], key: str) -> Iterator[BadData]:
    try:
        document = shelf.document(key)
        _ = shelf[key]
    except BadData as error:
        yield from _all_of(shelf, key, error)
        return
    pointers = {} if kind in _WITHOUT_POINTERS else {**_POINTERS, **_MORE_POINTERS.get(kind, {})}
    foreign = _FOREIGN.get(kind, set())
    for place, value in _walk(document.data, ()):
        if not foreign.isdisjoint(place):
            continue
        if place and place[-1] in pointers:
            yield from _unresolved(shelves, document, place, value, pointers[str(place[-1])])
        if isinstance(value, dict) and value.keys() & {"en", "zh"} and value.keys() <= _LANGUAGES:
            yield from _one_sided(document, place, value)


def _all_of(shelf: Shelf[Any], key: str, first: BadData) -> list[BadData]:
    """Every problem of a file of which we know the first."""
    try:
        document = shelf.document(key)
        shelf.record_of(document).model_validate(document.data)
    except ValidationError as error:
        return problems(document, shelf.record_of(document), error)
    except BadData:
        pass
    return [first]


def _walk(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    yield place, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from _walk(child, (*place, step))


def _unresolved(
    shelves: Mapping[str, Shelf[Any]], document: Document, place: Place, value: Any, kinds: tuple[str, ...]
) -> Iterator[BadData]:
    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str) and not any(name in shelves[kind] for kind in kinds):
            known = [key for kind in kinds for key in shelves[kind]]
            yield BadData(
                f'"{name}" is no {" and no ".join(kind.removesuffix("s") for kind in kinds)}',
                where=document.at(*place),
                do=did_you_mean(name, known),
            )


def _one_sided(document: Document, place: Place, texts: Mapping[str, Any]) -> Iterator[BadData]:
    """Texts of plain data (a rule's sentences), which no record has looked at."""
    if not all(isinstance(text, str) for text in texts.values()):
        return
    where = document.at(*place)
    if lacking := {"en", "zh"} - texts.keys():
        yield BadData(f"the text lacks {lacking.pop()}", where=where, expected="both en and zh")
    elif len({frozenset(placeholders(text)) for text in texts.values()}) > 1:
        yield BadData("the languages have different placeholders", where=where, do="use the same in each")
