"""Reads the words of one offer: numbers with units, yes and no, choices, times, each with the words that say it.

It reads what is written and completes nothing: a name without a value is no value, a denied name is a "no", and what
the vendor leaves open stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from advisor.core.units import convert
from advisor.knowledge.library import Library
from advisor.pack import offer_money
from advisor.pack.offer import Offer, Paste, Said
from advisor.pack.offer_cards import Named, counted, mentions
from advisor.pack.offer_disks import disks
from advisor.pack.offer_rebates import rebates
from advisor.pack.offer_words import Reading, Words, searched, words_of

# What ends a clause; a comma inside a figure does not.
_CLAUSE = re.compile(r"[，。;；、|!！?？\t]|,(?!\d{3})|\s/\s|\n|\.\s|(?<![a-z])but(?![a-z])|但是?")
# How far around a name a denial is looked for, and how much of a line is quoted.
_NEAR, _SHOWN, _QUOTED = 2**4, 2**5, 2**7
# How many times one name counts in one line.
_MOST = 2**3
Span = tuple[int, int]
# Begins the word for a place where it is not.
NOT = "not_"


def read(offer: Offer, text: Paste, library: Library) -> Offer:
    """Fill an offer with what its text says."""
    words = words_of(library)
    named: list[Named] = []
    for line in text.lines():
        found = list(mentions(line.plain, words, library))
        named += found
        offer.add(counted(line, words, library))
        offer.add(_card_memory(found, line))
        taken = [(one.start, one.end) for one in found]
        memory: list[Span] = []
        for reading in words.readings:
            offer.add(_read(reading, line, words, taken, memory))
        offer.add(disks(line, words, memory + taken))
        offer.add(offer_money.terms(line, words))
        offer.add(offer_money.below_zero(line, words))
        offer.amounts += offer_money.amounts(line, words, taken)
        offer.rebates += rebates(line, words)
    offer.add(offer_money.ahead(text, words, "prepay_months" in offer.said))
    _choose(offer, named)
    return offer


def _card_memory(found: Sequence[Named], line: Paste) -> Iterator[Said]:
    for one in found[:1]:
        if one.memory is not None:
            yield Said("card_memory", one.memory, line.raw[one.start : one.end])
        if one.form:
            yield Said("card_form", one.form, line.raw[one.start : one.end])


def _choose(offer: Offer, named: Sequence[Named]) -> None:
    """The card that is offered: the first one with a count, else the first; its own memory and form narrow it."""
    offered = [one for one in named if one.count] or list(named)
    if not offered:
        return
    family = offered[0].family
    same = [one for one in named if one.family == family]
    sets = [set(one.ids) for one in same]
    common = set.intersection(*sets)
    best = min(sets, key=len)
    offer.cards = tuple(sorted(common or best))
    offer.cards_named = tuple(dict.fromkeys(one.family for one in offered if one.family != family and one.count))


def _read(reading: Reading, line: Paste, words: Words, taken: Sequence[Span], memory: list[Span]) -> Iterator[Said]:
    """What one reading finds in a line; sizes that it takes go into `memory`, so that no disk is read there."""
    text = line.plain
    skipped = [found.span() for pattern in reading.skip for found in pattern.finditer(text)]
    memory += skipped if reading.kind == "size" else []
    if reading.kind in ("choice", "several"):
        yield from _choices(reading, line, words, skipped)
        return
    if found := searched(reading.no, text):
        yield Said(reading.name, False, clause(line, found.span()))
        return
    counts = reading.kind in ("size", "rate", "number", "days", "hours", "months")
    for pattern in reading.patterns:
        for found in islice(pattern.finditer(text), _MOST):
            if _inside(found.span(), skipped) or (counts and _inside(found.span(), taken)):
                continue
            value = _value(reading, found, words)
            if value is not None:
                memory += [found.span()] if reading.kind == "size" else []
                yield from _said(reading, value, line, found, words)
                if counts and reading.kind != "rate" and not words.open.search(_around(text, found.span())):
                    return
    if found := searched(reading.now, text):
        yield from _said(reading, 0.0, line, found, words)


def _said(
    reading: Reading, value: float | bool | str, line: Paste, found: re.Match[str], words: Words
) -> Iterator[Said]:
    quote = clause(line, found.span())
    around = _around(line.plain, found.span())
    mark = "open" if words.open.search(around) else "extra" if words.extra.search(around) else ""
    if reading.denies and denied(line.plain, found.span(), words):
        value = False
    yield Said(reading.name, value, quote, mark)


def _value(reading: Reading, found: re.Match[str], words: Words) -> float | bool | str | None:
    kind = reading.kind
    if kind == "flag":
        return True
    if kind == "text":
        return found[0]
    if kind in ("days", "hours"):
        return _time(found, words, "days" if kind == "days" else "h")
    if kind == "months":
        months = words.number(found)
        return months and months * (words.entries["money"]["ahead_months"]["year"] if found["t"][0] in "y年" else 1)
    value = words.number(found)
    if value is None and found.groupdict().get("prefix"):
        return float(2 ** (_ADDRESS_BITS - int(found["prefix"])))
    if value is None:
        return None
    groups = found.groupdict()
    if kind == "size":
        value = value * float(groups["size2"]) if groups.get("size2") else value
        return value * (1024 if groups["u"].startswith("t") else 1)
    if kind == "rate":
        return value * (convert(1, "Gbps", "Mbps") if (groups.get("u") or "").startswith("g") else 1)
    value *= float(groups["m"]) if groups.get("m") else 1
    return value if value <= reading.most else None


# Bits of an IPv4 address: what a prefix leaves of them counts the addresses.
_ADDRESS_BITS = 2**5
_UNITS = {"小": "h", "h": "h", "分": "min", "m": "min", "周": "week", "w": "week"}


def _time(found: re.Match[str], words: Words, unit: str) -> float | None:
    """The longest time of a match; working days count as days."""
    value = words.value(found["high"]) if found.groupdict().get("high") else words.number(found)
    if value is None:
        return None
    said = found["t"]
    kind = "days" if said.startswith(("work", "工")) else _UNITS.get(said[0], "days")
    return (
        convert(value * float(words.entries["days_a_week"]), "days", unit)
        if kind == "week"
        else convert(value, kind, unit)
    )


def _choices(reading: Reading, line: Paste, words: Words, skipped: Sequence[Span]) -> Iterator[Said]:
    for value, patterns in reading.values.items():
        denial: Said | None = None
        for pattern in patterns:
            found = next((one for one in pattern.finditer(line.plain) if not _inside(one.span(), skipped)), None)
            if found is None:
                continue
            if denied(line.plain, found.span(), words) and value != "single":
                denial = denial or Said(reading.name, f"{NOT}{value}", clause(line, found.span()))
                continue
            around = _around(line.plain, found.span())
            if reading.name == "raid" and searched(words.any_of("disks", "system"), around):
                continue  # a mirrored system disk says nothing of the data disks
            yield Said(reading.name, value, clause(line, found.span()), "open" if words.open.search(around) else "")
            break
        else:
            if denial is not None and reading.name == "location":
                yield denial  # "not in Hong Kong" says where it is not


def denied(text: str, span: Span, words: Words) -> bool:
    """Whether the words right before or right behind deny it."""
    before, behind = words.denied
    start, end = span
    return bool(before.search(text[max(0, start - _NEAR) : start]) or behind.search(text[end : end + _NEAR]))


def clause(line: Paste, span: Span) -> str:
    """The words that say it: the clause that holds a span, or what stands around it where the clause is long."""
    start, end = _clause(line.plain, span)
    if end - start > _SHOWN:
        start, end = max(start, span[0] - _NEAR // 2), min(end, span[1] + _NEAR // 2)
        while start > 0 and line.raw[start - 1 : start + 1].isalnum() and line.raw[start - 1].isascii():
            start -= 1
        while end < len(line.raw) and line.raw[end - 1 : end + 1].isalnum() and line.raw[end].isascii():
            end += 1
    return " ".join(line.raw[start:end].split())[:_QUOTED]


def _around(text: str, span: Span) -> str:
    start, end = _clause(text, span)
    return text[start:end]


def _clause(text: str, span: Span) -> Span:
    start = max((found.end() for found in _CLAUSE.finditer(text, 0, span[0])), default=0)
    stop = _CLAUSE.search(text, span[1])
    return start, stop.start() if stop else len(text)


def _inside(span: Span, spans: Iterable[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def hinted(reading_name: str, cell: Paste, words: Words) -> Said | None:
    """A cell of a table whose row or column is known, where the cell alone says it: a bare number, yes, no, words."""
    text = cell.plain.strip()
    entries = words.entries
    if not text or text in {str(word) for word in entries["words_blank"]}:
        return None
    quote = " ".join(cell.raw.split())[:_QUOTED]
    if words.open.search(text):
        return Said(reading_name, text, quote, "open")
    reading = next((one for one in words.readings if one.name == reading_name), None)
    kind = reading.kind if reading else "number" if reading_name in ("gpu_count", "nodes") else "choice"
    head = re.split(r"[\s,，。;:(]", text, maxsplit=1)[0]
    if head in {str(word) for word in entries["words_no"]}:
        return Said(reading_name, 0.0 if kind == "deposit" else False, quote)
    if head in {str(word) for word in entries["words_yes"]}:
        return Said(reading_name, True, quote)
    if kind == "flag":
        return None
    if kind == "text":
        return Said(reading_name, text, quote)
    found = words.pattern(r"^\D{0,4}{n}\s*(?P<u>tib|tb|t|gib|gb|g|gbps|mbps|m|%)?(?![\d.]|\s*[x*])").search(text)
    value = words.number(found)
    if found is None or value is None or kind in ("choice", "several", "deposit", "prepay"):
        return None
    unit = found["u"] or ""
    if kind == "size":
        return Said(reading_name, value * (1024 if unit.startswith("t") else 1), quote)
    if kind == "rate":
        return Said(reading_name, value * (convert(1, "Gbps", "Mbps") if unit.startswith("g") else 1), quote)
    return Said(reading_name, value, quote)


def unread(text: Paste) -> bool:
    """Whether a text holds nothing that a person could read."""
    return searched([re.compile(r"[a-z\u4e00-\u9fff]{2}")], text.plain) is None
