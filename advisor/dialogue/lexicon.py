"""The lexicon: phrases of knowledge/words, and a matcher that finds the longest one at a place.

A space in a phrase stands for a space, a hyphen, an underscore or nothing. A phrase that begins or ends with a letter
or digit matches whole words only. Nothing is guessed: a spelling that no file holds is no phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from advisor.core.errors import BadData
from advisor.dialogue.text import is_cjk, normalised

_SOFT = " -_"
_END = ""
_GLUED = frozenset({"cue:batch", "cue:accum", "cue:rank", "cue:ctx", "cue:xid", "cue:gen", "cue:epochs"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found: where it ends, and the tags (`category:key`) it stands for."""

    end: int
    tags: frozenset[str]


def _ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


class Matcher:
    """Longest match of many phrases at one place of a normalised text."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}

    def add(self, phrase: str, tag: str) -> None:
        """Let `phrase` stand for `tag` too."""
        node = self._root
        for char in " ".join(normalised(phrase).replace("-", " ").replace("_", " ").split()):
            node = node.setdefault(char, {})
        node.setdefault(_END, set()).add(tag)

    def freeze(self) -> Matcher:
        """Make the sets of tags constant; call once when all phrases are in."""
        todo = [self._root]
        while todo:
            node = todo.pop()
            for key, child in node.items():
                if key == _END:
                    node[_END] = frozenset(child)
                else:
                    todo.append(child)
        return self

    def at(self, text: str, start: int, *, plural: bool = False) -> Hit | None:
        """The longest phrase that begins at `start`, or None."""
        best: Hit | None = None
        longest = start
        todo = [(self._root, start)]
        while todo:
            node, place = todo.pop()
            if _END in node and place == longest and best is not None:
                best = Hit(best.end, best.tags | node[_END])
            elif _END in node and place > longest:
                end = self._whole(text, place, plural) or self._glued(text, place, node[_END])
                if end is not None:
                    best, longest = Hit(end, node[_END]), place
            if place < len(text) and (child := node.get(text[place])) is not None and text[place] != " ":
                todo.append((child, place + 1))
            if (gap := node.get(" ")) is not None:
                while place < len(text) and text[place] in _SOFT:
                    place += 1
                todo.append((gap, place))
        return best

    @staticmethod
    def _glued(text: str, end: int, tags: frozenset[str]) -> int | None:
        """`bs4`, `ctx8k`, `rank64`: a cue may have its number glued on."""
        if tags.isdisjoint(_GLUED) or not text[end].isdigit() or text[end - 1].isdigit():
            return None
        # "r1" is part of a model's name far more often than a rank of one.
        return None if text[end - 1 : end + 2].rstrip("., ") in ("r1",) else end

    @staticmethod
    def _whole(text: str, end: int, plural: bool) -> int | None:
        if end >= len(text) or not _ascii_word(text[end]) or not _ascii_word(text[end - 1]):
            if plural and text[end : end + 2] == "'s":
                return end + 2
            return end
        rest = text[end : end + 2]
        after = text[end + 1 : end + 2]
        if plural and rest[0] == "s" and not _ascii_word(after or " "):
            return end + 1
        # "A100x8", "80gx4": the x belongs to what follows.
        if rest[0] == "x" and after.isdigit():
            return end
        return None


@dataclass(slots=True)
class Family:
    """A family of models: how its names are written."""

    name: str
    joint: str
    size_in_name: bool
    kind: str


@dataclass(slots=True)
class Lexicon:
    """All phrases, by use."""

    words: Matcher
    units: Matcher
    cards: Matcher
    accelerators: Matcher
    closed: Matcher
    families: Matcher
    nicknames: Matcher
    family: dict[str, Family]
    family_aliases: tuple[str, ...]
    parts: dict[str, tuple[str, str]]
    intents: Mapping[str, Any]
    ranges: Mapping[str, Any]
    said_facts: Mapping[str, Any]
    observations: Mapping[str, Any]
    ordinary: frozenset[str] = field(default_factory=frozenset)


# Which file gives which category of tags, where phrases are a plain mapping key -> phrases.
_PLAIN = {
    "tasks": "task",
    "rl_algos": "rl",
    "precision": "precision",
    "quantisation": "quant",
    "optimizers": "optimizer",
    "sharding": "sharding",
    "places": "place",
    "lines": "line",
    "cues": "cue",
    "scopes": "scope",
    "card_forms": "form",
}


def _entries(library: Any, key: str) -> Any:
    record = library.words.get(key)
    if record is None:
        raise BadData(f'the list of words "{key}" is missing', where=f"knowledge/words/{key}.yaml")
    return record["entries"] if isinstance(record, Mapping) else record.entries


def _phrases(entries: Mapping[str, Iterable[object]]) -> Iterable[tuple[str, str]]:
    for key, phrases in entries.items():
        for phrase in phrases:
            yield str(key), str(phrase)


def _model_parts(entries: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, str]]:
    return {str(word).lower(): (group, str(word)) for group, words in entries.items() for word in words}


def _catalogue_cards(library: Any, cards: Matcher) -> None:
    """Cards that only the catalogue (or an overlay) names: understood by the names in their own file."""
    unheard = []
    for id_, names in library.gpus.names().items():
        for name in names:
            text = normalised(name)
            begins = (place for place in range(len(text)) if place == 0 or not text[place - 1].isalnum())
            if not any(cards.at(text, place, plural=True) for place in begins):
                unheard.append((id_, name))
    for id_, name in unheard:
        cards.add(name, library.gpus[id_].family)


def _nicknames(library: Any) -> Matcher:
    """Chinese names of models (千问72B, 满血版V3), which the grammar of families cannot take apart."""
    found = Matcher()
    for names in library.models.names().values():
        for alias in names:
            if any(map(is_cjk, alias)):
                found.add(alias, names[0])
    return found.freeze()


def _build(library: Any) -> Lexicon:
    words, units, cards, families = Matcher(), Matcher(), Matcher(), Matcher()
    for file, category in _PLAIN.items():
        for key, phrase in _phrases(_entries(library, file)):
            words.add(phrase, f"{category}:{key}")
    frameworks = {record.id: record.said for record in library.frameworks.values() if record.said}
    for _, phrase in _phrases(frameworks):
        words.add(phrase, "cue:framework")
    for key, phrase in _phrases(_entries(library, "units")):
        units.add(phrase, key)
    for key, phrase in _phrases(_entries(library, "cards")):
        cards.add(phrase, key)
    _catalogue_cards(library, cards)
    accelerators, closed = Matcher(), Matcher()
    for key, phrase in _phrases(_entries(library, "accelerators")):
        accelerators.add(phrase, key)
    for name, entry in _entries(library, "closed_models").items():
        for phrase in entry["said"]:
            closed.add(phrase, name)
    family: dict[str, Family] = {}
    aliases: list[str] = []
    for name, entry in _entries(library, "families").items():
        family[name] = Family(name, entry["joint"], entry.get("size_in_name", True), entry.get("kind", ""))
        for alias in entry["aliases"]:
            families.add(alias, name)
            aliases.append(alias)
    return Lexicon(
        words.freeze(),
        units.freeze(),
        cards.freeze(),
        accelerators.freeze(),
        closed.freeze(),
        families.freeze(),
        _nicknames(library),
        family,
        tuple(aliases),
        _model_parts(_entries(library, "model_parts")),
        _entries(library, "intents"),
        _entries(library, "ranges"),
        {**_entries(library, "said_facts"), "tuning.framework": frameworks},
        _entries(library, "observations"),
        frozenset(str(word) for word in _entries(library, "ordinary")),
    )


_KEPT: WeakKeyDictionary[Any, Lexicon] = WeakKeyDictionary()


def lexicon_of(library: Any) -> Lexicon:
    """The lexicon of a library, built once."""
    if (known := _KEPT.get(library)) is None:
        known = _KEPT[library] = _build(library)
    return known
