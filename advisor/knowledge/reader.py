"""The strict YAML reader.

It takes YAML 1.2 scalars only (`no`, `on` and `20:00` are texts), refuses duplicate keys, aliases, tags and more than
one document, and remembers the line of every value, so that a later check can say file and line. It refuses to guess:
whatever it does not know is a `BadData`. Nothing else in the house parses YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from advisor.core.errors import BadData

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"null": None, "~": None, "": None, "true": True, "false": False}
# libyaml where PyYAML was built with it: ten times faster, same events.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Place = tuple[str | int, ...]
MAX_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its plain data, and the line on which each value begins."""

    path: Path
    data: Any
    lines: dict[Place, int] = field(repr=False)

    def at(self, *place: str | int) -> str:
        """`file:line` of a value; of the nearest enclosing one where it has no line of its own."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.path}:{self.lines.get(place, 1)}"


def read_file(path: Path) -> Document:
    """Read one YAML file; raises `BadData` with file and line."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise BadData(f"cannot be read ({error.strerror})", where=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise BadData(f"has {len(raw)} bytes", where=str(path), expected=f"at most {MAX_BYTES}")
    try:
        return read_text(raw.decode("utf-8"), path)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadData("is not UTF-8", where=f"{path}:{line}", do="save the file as UTF-8") from None


def read_text(text: str, path: Path) -> Document:
    """Read YAML from a text; `path` only names it in messages."""
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
        raise BadData(f"is not YAML: {problem}", where=f"{path}:{line}") from None
    finally:
        loader.dispose()
    lines: dict[Place, int] = {}
    try:
        data = _plain(root, (), lines, path) if root is not None else None
    except RecursionError:
        raise BadData("is nested too deep or refers to itself", where=str(path)) from None
    return Document(path, data, lines)


def _plain(node: Any, place: Place, lines: dict[Place, int], path: Path) -> Any:
    if place not in lines:
        lines[place] = node.start_mark.line + 1
    where = f"{path}:{node.start_mark.line + 1}"
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, where)
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise BadData(f"uses the tag {node.tag}", where=where, expected="plain YAML without tags")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*place, i), lines, path) for i, child in enumerate(node.value)]
    data: dict[str, Any] = {}
    for key_node, child in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadData("a key is a list or a mapping", where=where, expected="a word as key")
        key, line = key_node.value, key_node.start_mark.line + 1
        if key in data:
            raise BadData(f'the key "{key}" stands twice', where=f"{path}:{line}", do="keep one of them")
        lines[(*place, key)] = line
        data[key] = _plain(child, (*place, key), lines, path)
    return data


def _scalar(node: Any, where: str) -> Any:
    text: str = node.value
    if node.style in ("'", '"', "|", ">"):
        return text
    if not node.tag.startswith("tag:yaml.org,2002:"):
        raise BadData(f"uses the tag {node.tag}", where=where, expected="plain YAML without tags")
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
