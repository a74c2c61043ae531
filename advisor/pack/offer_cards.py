"""The cards of an offer: which record a name means with the memory and form beside it, how many, in how many servers.

A name that several cards bear stands for all of them until the offer says more. A figure that could be a price or a
size is never taken for a card's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.knowledge.library import Library
from advisor.knowledge.records.gpus import Gpu
from advisor.pack.offer import Paste, Said
from advisor.pack.offer_words import Words, searched

_SIZE = re.compile(r"^[\s\-_/(\[]*(?:sxm\d?|pci-?e|nvl(?!ink)|oam)?[\s\-_/(\[]*(\d{2,3})\s*g(?:b|ib)?(?![a-z]|/s)")
_FORM = re.compile(
    r"(sxm)\d?|(pci-?e)(?!\s*(?:gen)?\s*\d\b|\s*\d\.\d|\s*x|\s*ssd|\s*固态|\s*总线|\s*lane|\s*slot)|(nvl)(?!ink|\w)|(oam)"
)
_IDLE = re.compile(r"\b(?:nvidia|geforce|tesla|amd|instinct|quadro|huawei|atlas|hgx|dgx)\b")
_GIVEN = re.compile(r"\d+\s*gb\b|\b(?:sxm\d?|pcie|oam|nvl\d*)\b|\(.*?\)")
_BEFORE = r"(?<![a-wyz\d.,¥$￥])(?<![a-z]x)"
_BEHIND = r"(?!\s*(?:元|块钱|rmb|cny|usd|hkd|港|美)|[.,]?\d)(?![a-wyz]|x(?!\d))"


@dataclass(frozen=True, slots=True)
class Named:
    """One mention of a card in a line: where, which records, and the memory, form and count said beside it."""

    start: int
    end: int
    ids: tuple[str, ...]
    family: str
    memory: float | None
    form: str
    count: float | None


class Names:
    """The names of all cards as one pattern."""

    def __init__(self, library: Library) -> None:
        self.gpus = library.gpus
        self.by_name: dict[str, list[str]] = {}
        for key, names in library.gpus.names().items():
            for name in dict.fromkeys(_bare(name) for name in names):
                if len(name) > 1 and not re.fullmatch(r"\d{1,3}|\d{2}gb?", name):
                    self.by_name.setdefault(name, []).append(key)
        every = sorted(self.by_name, key=len, reverse=True)
        shown = "|".join(
            r"[\s\-_]*".join(map(re.escape, re.findall(r"[a-z]+|\d+|[^\sa-z\d]+", name))) for name in every
        )
        form = r"(?:[\s\-_]*(?:sxm\d?|pci-?e|nvl|oam))?"
        self.pattern = re.compile(rf"{_BEFORE}(?P<name>{shown})(?={form}(?:\d+gb?)?{_BEHIND}|sxm|pci|nvl)")

    def ids(self, name: str) -> list[str]:
        """The records that bear a name."""
        return self.by_name[re.sub(r"[\s\-_]+", "", name)]


def _bare(name: str) -> str:
    """A card's name without maker, size and form, and without gaps."""
    return re.sub(r"[\s\-_]+", "", _GIVEN.sub(" ", _IDLE.sub(" ", name.lower().replace("-", " "))))


_NAMES: WeakKeyDictionary[Library, Names] = WeakKeyDictionary()


def names_of(library: Library) -> Names:
    """The names of a library's cards, built once."""
    found = _NAMES.get(library)
    if found is None:
        found = _NAMES[library] = Names(library)
    return found


def mentions(line: str, words: Words, library: Library) -> Iterator[Named]:
    """The cards that a line names, from left to right."""
    names = names_of(library)
    for found in names.pattern.finditer(line):
        ids = names.ids(found["name"])
        behind = line[found.end() :]
        size = _SIZE.match(behind)
        memory = float(size[1]) if size else None
        form = _form(behind, line)
        yield Named(
            found.start(), found.end() + (size.end() if size else 0), tuple(_narrowed(ids, memory, form, library)),
            library.gpus[ids[0]].family, memory, form, _count(line, found, words),
        )  # fmt: skip


def _form(behind: str, line: str) -> str:
    for text in (re.split(r"[,，。;/+]", behind, maxsplit=1)[0], line):
        if found := _FORM.search(text):
            return next(
                kind for kind, group in zip(("sxm", "pcie", "nvl", "oam"), found.groups(), strict=True) if group
            )
    return ""


def _narrowed(ids: list[str], memory: float | None, form: str, library: Library) -> list[str]:
    """The records that agree with what was said; what agrees with none narrows nothing."""
    cards = [library.gpus[key] for key in ids]
    sized = [card for card in cards if memory is not None and card.memory.value == memory]
    cards = sized or [card for card in cards if not card.modified] or cards
    formed = [card for card in cards if form and form in form_of(card)]
    return [card.id for card in formed or cards]


def form_of(card: Gpu) -> str:
    """The form of a card's board: sxm, pcie, nvl or oam."""
    name = f"{card.id} {card.slot}".lower()
    if "nvl" in card.id:
        return "nvl pcie"
    if "oam" in name:
        return "oam"
    return "sxm" if card.nvlink_kind == "nvlink" or "sxm" in name else "pcie"


def _count(line: str, found: re.Match[str], words: Words) -> float | None:
    before = searched(words.any_of("counts", "before"), line[: found.start()][-_NEAR:])
    behind = searched(words.any_of("counts", "behind"), line[found.end() :])
    return words.number(before or behind)


# How far before a card's name its count may stand, in characters.
_NEAR = 2**5


def _beside(line: Paste, named: Named) -> str:
    """A card's name with what stands right beside it, where its count is."""
    start, end = max(0, named.start - _CLOSE), min(len(line.raw), named.end + _CLOSE)
    head = re.split(r"[\s:：,，。;；、|]", line.raw[start : named.start].rstrip())[-1]
    tail = re.split(
        r"[,，。;；、|]|\s(?![*x×]|\d{1,2}\s*(?:卡|张|块|x|cards?|gpus?))", line.raw[named.end : end], maxsplit=1
    )[0]
    gap = line.raw[: named.start][len(line.raw[: named.start].rstrip()) :]
    return f"{head}{gap}{line.raw[named.start : named.end]}{tail}".strip()


# How far from a card's name its count is shown, in characters.
_CLOSE = 2**4


def counted(line: Paste, words: Words, library: Library) -> Iterator[Said]:
    """Cards a server and servers, as a line says them."""
    for named in mentions(line.plain, words, library):
        if named.count is not None and named.count == int(named.count) and named.count > 0:
            yield Said("gpu_count", named.count, _beside(line, named))
            break
    else:
        found = searched(words.any_of("counts", "line"), line.plain)
        value = words.number(found)
        if value is not None and found is not None and not found[0].startswith("单"):
            yield Said("gpu_count", value, line.raw[found.start() : found.end()])
    if (found := searched(words.any_of("counts", "nodes"), line.plain)) is not None:
        value = words.number(found)
        if value is not None and value >= 1:
            yield Said("nodes", value, line.raw[found.start() : found.end()])
