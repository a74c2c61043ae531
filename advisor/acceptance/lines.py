"""Which backbone the hops of a trace belong to: by address prefix, else by AS number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_AS = re.compile(r"\bAS(\d+)\b")


def line_of(hosts: Iterable[str], prefixes: Mapping[str, str], numbers: Mapping[str, str]) -> str | None:
    """The names of the backbones on the way in order, joined by a slash; None where none is known."""
    found: dict[str, None] = {}
    for host in hosts:
        for number in _AS.findall(host):
            if number in numbers:
                found[numbers[number]] = None
        for address in _ADDRESS.findall(host):
            name = next((name for prefix, name in prefixes.items() if address.startswith(prefix)), None)
            if name:
                found[name] = None
    return "/".join(found) or None
