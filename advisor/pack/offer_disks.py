"""The disks of an offer: how many of which size and kind, added up by kind.

`2*960G SSD+4*3.84T NVMe` is 1.92 TB of SSD and 15.36 TB of NVMe. A size without a word for a disk beside it is no disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.core.units import convert
from advisor.pack.offer import Paste, Said
from advisor.pack.offer_words import Words, searched

_SIZE = re.compile(
    r"(?<![\d.])(?:(?P<k>\d{1,2}|[一二两三四六八双单])\s*(?:[x*]|块|个|张)\s*)?"
    r"(?P<n>\d{1,5}(?:\.\d{1,3})?)\s*(?P<u>tb|gb|t|g)(?![a-z/])"
    r"(?:\s*(?:nvme|ssd|hdd|u\.?2|固态|sata)*(?:\s+(?:nvme|ssd|hdd|u\.?2|sata))*\s*[x*]\s*(?P<l>\d{1,2})(?![\d.]|\s*g))?"
)
_BETWEEN = re.compile(r"[+，,。;；、|\n]|\s/\s")
_NAMES = {"nvme": "disk_nvme", "any": "disk_any"}
_KINDS = ("nvme", "ssd", "hdd", "network", "any")
# How far behind a size the word for its disk may stand, in characters.
_NEAR = 2**5


def disks(line: Paste, words: Words, taken: Sequence[tuple[int, int]]) -> Iterator[Said]:
    """What a line says of disks: `disk_nvme`, `disk_other`, `disk_any` (kind not said), `disk_system`, in GB."""
    totals: dict[str, float] = {}
    quotes: dict[str, list[str]] = {}
    found = [one for one in _SIZE.finditer(line.plain) if not any(a <= one.start("n") < b for a, b in taken)]
    for place, one in enumerate(found):
        head, tail = _beside(line.plain, one, found[place - 1].end() if place else 0)
        kind = _kind(one[0], words) or _kind(tail, words) or _kind(head, words)
        if kind is None:
            continue
        count = (words.value(one["k"]) if one["k"] else None) or (words.value(one["l"]) if one["l"] else None) or 1.0
        size = float(one["n"]) * (convert(1, "TB", "GB") if one["u"].startswith("t") else 1) * count
        system = searched(words.any_of("disks", "system"), head + " " + tail) is not None
        name = "disk_system" if system else _NAMES.get(kind, "disk_other")
        totals[name] = totals.get(name, 0.0) + size
        word = searched(words.any_of("disks", kind), tail)
        start = one.start() if word else one.start() - len(head[-_NEAR:].lstrip())
        end = one.end() + (word.end() if word else 0)
        quotes.setdefault(name, []).append(" ".join(line.raw[start:end].split()))
    for name, total in totals.items():
        yield Said(name, total, " + ".join(dict.fromkeys(quotes[name])))


def _beside(text: str, found: re.Match[str], floor: int) -> tuple[str, str]:
    """The text before a size back to the last separator, and behind it up to the next one."""
    start = max((cut.end() for cut in _BETWEEN.finditer(text, 0, found.start())), default=0)
    stop = _BETWEEN.search(text, found.end())
    end = min(stop.start() if stop else len(text), found.end() + _NEAR)
    behind = _SIZE.search(text, found.end(), end)
    return text[max(start, floor) : found.start()], text[found.end() : behind.start() if behind else end]


def _kind(text: str, words: Words) -> str | None:
    return next((kind for kind in _KINDS if searched(words.any_of("disks", kind), text)), None)
