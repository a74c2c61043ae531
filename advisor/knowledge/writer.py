"""The YAML writer: plain data to a file that YAML 1.1 and 1.2 read alike.

Tools read our files with YAML 1.1, where `no`, `on`, `1_000` and `12:30` are not texts and `1e-4` is one. So every text
that is not plainly a word is quoted, floats are written with a point, and nothing but mappings, lists, texts, numbers,
booleans and null is taken. It refuses what YAML cannot hold: lone surrogates, numbers that are not finite, keys that
are no texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from advisor.core.errors import BadData

_SURROGATE = re.compile("[\ud800-\udfff]")
# A word that no YAML takes for a number, a boolean, a date or null.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"])
WIDTH = 2**16


class _Dumper(yaml.SafeDumper):
    """The safe dumper without aliases: two equal lists are written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


def _float(dumper: yaml.SafeDumper, value: float) -> yaml.Node:
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    if exponent:
        # YAML 1.1 wants a point and a sign: 1e-05 would be a text.
        text = f"{mantissa}{'' if '.' in mantissa else '.0'}e{power if power[0] in '+-' else '+' + power}"
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _float)


def write_text(data: Mapping[str, Any], comment: str = "") -> str:
    """The data as one YAML document, keys in their own order; `comment` lines stand above it, each behind `#`."""
    body: str = yaml.dump(
        _checked(data, ""), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False
    )
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    return "\n".join([*lines, body])


def _checked(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise BadData(f"the key {odd[0]!r} is no text", where=place)
        return {_checked(key, place): _checked(each, f"{place}.{key}") for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_checked(each, place) for each in value]
    if isinstance(value, str):
        if found := _SURROGATE.search(value):
            raise BadData(f"holds half a character (U+{ord(found[0]):04X})", where=place)
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise BadData(f"{value} is no number that a file can hold", where=place)
    if value is None or isinstance(value, bool | int | float):
        return value
    raise BadData(f"a {type(value).__name__} cannot be written as YAML", where=place)
