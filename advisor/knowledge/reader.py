"""The strict YAML reader.

It takes YAML 1.2 scalars only (`no`, `on` and `20:00` are texts) and one plain document a file. It refuses duplicate
keys, anchors, aliases, merge keys, tags, directives, byte order marks, control and text-direction characters, numbers
that are not finite or too long, leading zeros and deep nesting: whatever it would have to guess about is a `BadData`
with file and line. Nothing else in the house parses YAML.

It works on libyaml's events, which is half the work of building nodes; the lines of a file are found when somebody
asks for one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from advisor.core.errors import BadData
from advisor.knowledge import kept

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_WORDS: dict[str, Any] = {"null": None, "~": None, "": None, "true": True, "false": False}
# What no file of ours needs: control characters, line separators, byte order marks inside, lone surrogates, and the
# marks that turn the direction of a text so that a reviewer sees something else than the program.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
_NUMERIC = frozenset("+-.0123456789")
# libyaml where PyYAML was built with it: ten times faster, same events.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Place = tuple[str | int, ...]
MAX_BYTES = 2**20
MAX_DEPTH = 2**5
MAX_DIGITS = 2**4


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file whose line is looked up only when somebody reads it: most places are never complained about."""

    document: Document
    place: Place

    def __str__(self) -> str:
        return self.document.at(*self.place)


@dataclass(frozen=True)
class Document:
    """One file: its plain data, and the line on which each value begins."""

    path: Path
    data: Any
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> dict[Place, int]:
        """Place -> line, counted from 1; found on first use, since most files are never complained about."""
        loader = _Loader(self.text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
        found: dict[Place, int] = {}
        if root is not None:
            _note_lines(root, (), found)
        return found

    def where(self, *place: str | int) -> Where:
        """The same as `at`, not looked up yet."""
        return Where(self, place)

    def at(self, *place: str | int) -> str:
        """`file:line` of a value; of the nearest enclosing one where it has no line of its own."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.path}:{self.lines.get(place, 1)}"


def read_file(path: Path) -> Document:
    """Read one YAML file; raises `BadData` with file and line."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device would never end
            raise BadData("is no file", where=str(path), do="put a plain file there")
        raw = path.read_bytes()
    except OSError as error:
        raise BadData(f"cannot be read ({error.strerror})", where=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise BadData(f"has {len(raw)} bytes", where=str(path), expected=f"at most {MAX_BYTES}")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadData("is not UTF-8", where=f"{path}:{line}", do="save the file as UTF-8") from None
    data = kept.find(raw)
    if data is not kept.MISSING:
        return Document(path, data, text)
    document = read_text(text, path)
    kept.note(raw, document.data)
    return document


def read_text(text: str, path: Path) -> Document:
    """Read YAML from a text; `path` only names it in messages."""
    if hidden := _HIDDEN.search(text):
        _refuse_hidden(hidden, text, path)
    loader = _Loader(text)
    try:
        data = _Builder(loader.get_event, str(path)).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
        raise BadData(f"is not YAML: {problem}", where=f"{path}:{line}") from None
    finally:
        loader.dispose()
    return Document(path, data, text)


class _Builder:
    """Plain data from a stream of events."""

    def __init__(self, take: Callable[[], Any], path: str) -> None:
        self.take = take
        self.path = path

    def document(self) -> Any:
        """The data of the only document, None for an empty file."""
        self.take()  # the start of the stream
        event = self.take()
        if type(event) is yaml.StreamEndEvent:
            return None
        if event.version or event.tags:
            raise self.bad(event, "begins with a directive (%)", "plain YAML without directives")
        data = self.value(self.take(), 0)
        self.take()  # the end of the document
        event = self.take()
        if type(event) is not yaml.StreamEndEvent:
            raise self.bad(event, "holds a second document", "one document a file", do="take the line --- away")
        return data

    def value(self, event: Any, depth: int) -> Any:
        """The value that begins with this event."""
        kind = type(event)
        if kind is yaml.AliasEvent:
            raise self.bad(event, f"uses the alias *{event.anchor}", "the value written out")
        if event.anchor is not None:
            raise self.bad(event, f"sets the anchor &{event.anchor}", "plain YAML without anchors")
        if event.tag is not None:
            raise self.bad(event, f"uses the tag {event.tag}", "plain YAML without tags")
        if kind is yaml.ScalarEvent:
            text = event.value
            if event.style:
                return self.quoted(event, text)
            # Most scalars are words; only what begins like a number is tried as one.
            if text in _WORDS:
                return _WORDS[text]
            return self.number(event, text) if text[0] in _NUMERIC else text
        if depth >= MAX_DEPTH:
            raise self.bad(event, "is nested too deep", f"at most {MAX_DEPTH} levels")
        return self.sequence(depth + 1) if kind is yaml.SequenceStartEvent else self.mapping(depth + 1)

    def sequence(self, depth: int) -> list[Any]:
        """The rest of a list."""
        found = []
        while type(event := self.take()) is not yaml.SequenceEndEvent:
            found.append(self.value(event, depth))
        return found

    def mapping(self, depth: int) -> dict[str, Any]:
        """The rest of a mapping."""
        found: dict[str, Any] = {}
        while type(event := self.take()) is not yaml.MappingEndEvent:
            if type(event) is not yaml.ScalarEvent or event.tag is not None or event.anchor is not None:
                raise self.bad(event, "a key is no plain word", "a word as key")
            key = event.value
            if key in found:
                raise self.bad(event, f'the key "{key}" stands twice', do="keep one of them")
            if key in ("", "<<"):
                raise self.bad(event, f'the key "{key}" means a merge or nothing', "a word as key")
            if event.style:
                self.quoted(event, key)
            found[key] = self.value(self.take(), depth)
        return found

    def quoted(self, event: Any, text: str) -> str:
        """A quoted or block text; an escape must not bring in what the file itself may not hold."""
        if event.style == '"' and (hidden := _HIDDEN.search(text)):
            raise self.bad(event, f"the escape for U+{ord(hidden[0]):04X} stands in a text", "readable characters")
        return text

    def number(self, event: Any, text: str) -> int | float | str:
        """A number, or the text itself where it only begins like one (a date, a version, a time)."""
        if _INT.fullmatch(text):
            if len(text) > MAX_DIGITS:
                raise self.bad(event, f"a number has {len(text)} digits", f"at most {MAX_DIGITS}, or a quoted text")
            if _LEADING_ZERO.fullmatch(text):
                raise self.bad(event, f"{text} has leading zeros", "a number without them, or a quoted text")
            return int(text)
        if _FLOAT.fullmatch(text):
            value = float(text)
            if math.isfinite(value):
                return value
            raise self.bad(event, f"{text} is too large for a number", "a finite number")
        if _NOT_FINITE.fullmatch(text):
            raise self.bad(event, f"{text} is no number that one can reckon with", "a finite number")
        return text

    def bad(self, event: Any, what: str, expected: str = "", do: str = "") -> BadData:
        """The error for an event, with its line."""
        return BadData(what, where=f"{self.path}:{event.start_mark.line + 1}", expected=expected, do=do)


def _refuse_hidden(hidden: re.Match[str], text: str, path: Path) -> None:
    line = text.count("\n", 0, hidden.start()) + 1
    if hidden[0] == "\ufeff" and hidden.start() == 0:
        raise BadData("begins with a byte order mark", where=f"{path}:1", do="save the file as UTF-8 without it")
    raise BadData(
        f"holds the character U+{ord(hidden[0]):04X}",
        where=f"{path}:{line}",
        expected="readable characters",
        do="take it away, or write what it stands for",
    )


def _note_lines(node: Any, place: Place, lines: dict[Place, int]) -> None:
    # A value's line is its key's where it has one: that is where a person looks.
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            _note_lines(child, (*place, index), lines)
    elif isinstance(node, yaml.MappingNode):
        for key, child in node.value:
            lines[(*place, key.value)] = key.start_mark.line + 1
            _note_lines(child, (*place, key.value), lines)
