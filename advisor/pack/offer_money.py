"""Sums of money and terms of payment in a line: what each is for, which currency, which period, for what.

A bare `$` is kept as such, since in Hong Kong it may mean two currencies. A number that nobody calls money is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from advisor.pack.offer import Amount, Paste, Said
from advisor.pack.offer_words import Words, searched

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,9}(?:\.\d+)?"
_SCALES = {"万": 10_000, "w": 10_000, "千": 1_000, "k": 1_000, "m": 1_000_000}
_CLAUSE = re.compile(r"[，。;；、|!！\n]|,(?!\d{3})|(?<![a-z])(?:and|plus)(?![a-z])|\.\s|[()]")
# How far before and behind a sum its words may stand, in characters.
_HEAD, _TAIL = 2**5, 2**5
_PERIODS = ("hour", "day", "week", "month", "quarter", "year")
_QUOTED = 2**7


class _Money:
    """The patterns of money, built once a lexicon."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.signs = {str(key): str(value) for key, value in words.entries["money"]["signs"].items()}
        sign = "|".join(sorted(self.signs, key=len, reverse=True))
        self.amount = re.compile(
            rf"(?P<pre>{sign})?\s*(?P<n>{_NUMBER})\s*(?P<scale>万|千|[kw](?![a-z\d])|m(?:n|illion)?(?![a-z\d/]))?"
            rf"(?:\s*[-~]\s*(?:{sign})?\s*(?P<high>{_NUMBER})\s*(?P<scale2>万|千|[kw](?![a-z\d]))?)?\s*(?P<post>(?:{sign})(?![a-z]))?"
        )
        self.sign = re.compile(sign)
        self.cue = re.compile(
            r"(?:价格?|报价|租金|月付|月租|月费|年付|季付|时租|日租|单价|费用|price|rent|cost|rate|fee|quote|monthly|hourly|mrc|total)"
            r"(?:\s*(?:only|just|仅|只要|低至|为|是|of|at|per month|per hour|/月|含税|未税))?[\s:=|]*$"
        )

    def currency(self, found: re.Match[str], tail: str) -> str:
        """The currency of a sum: the sign behind where both stand, since `$5 USD` is in US dollars."""
        behind = re.search(r"(?<![a-z])(usd|hkd|cny|rmb|sgd)(?![a-z]|\s*\d)", tail)
        for text in (found["post"], found["pre"], behind[1] if behind and found["pre"] else None):
            if text:
                key = next((name for name in sorted(self.signs, key=len, reverse=True) if re.fullmatch(name, text)), "")
                if key and self.signs[key] != "dollar":
                    return self.signs[key]
        return "dollar" if found["post"] or found["pre"] else ""


_BUILT: WeakKeyDictionary[Words, _Money] = WeakKeyDictionary()


def _of(words: Words) -> _Money:
    found = _BUILT.get(words)
    if found is None:
        found = _BUILT[words] = _Money(words)
    return found


def amounts(line: Paste, words: Words, taken: Sequence[tuple[int, int]]) -> list[Amount]:
    """Every sum of a line."""
    money = _of(words)
    text, out, floor = line.plain, [], 0
    for found in money.amount.finditer(text):
        if any(a <= found.start("n") < b for a, b in taken) or _glued(text, found):
            continue
        if (found["scale"] or "").startswith("m") and not found["pre"]:
            continue  # "100M" without a sign of money is a line
        head, tail = _beside(text, found, floor)
        signed = bool(found["pre"] or found["post"])
        period = _period(head, tail, words)
        if not signed and not (money.cue.search(head) or (period and _starts_period(tail, words))):
            continue
        if (
            not signed
            and re.match(r"\s*(?:g|t|m|核|c|卡|块|张|台|个|%|小时|天|工作日|hours?|days?|ms|w)(?![a-z])", tail)
            and not _starts_period(tail, words)
        ):
            continue
        floor = found.end()
        low = _figure(found["n"], found["scale"] or (found["scale2"] if found["high"] else None), words)
        high = _figure(found["high"], found["scale2"], words) if found["high"] else low
        basis = (
            "card"
            if _near(words, ("money", "per_card"), head, tail)
            else "server"
            if _near(words, ("money", "per_server"), head, tail)
            else ""
        )
        out.append(Amount(
            _role(head, tail, words), min(low, high), max(low, high), money.currency(found, tail), period, basis,
            _ahead(head, tail, words), _quote(line, found), _unit(tail),
        ))  # fmt: skip
    return out


def _glued(text: str, found: re.Match[str]) -> bool:
    """A number inside a word or a version (`cn2`, `7x24`, `ddr5`) is no sum."""
    start = found.start("n")
    before = text[start - 1 : start]
    if before == "-" and not text[max(0, start - 2) : start - 1].strip():
        return True  # a sum below zero is no price
    return not found["pre"] and ((before.isalpha() and before.isascii()) or before in (".", "*"))


def _figure(text: str, scale: str | None, words: Words) -> float:
    return (words.value(text) or 0.0) * _SCALES.get((scale or " ")[0], 1)


def _beside(text: str, found: re.Match[str], floor: int) -> tuple[str, str]:
    start = max((cut.end() for cut in _CLAUSE.finditer(text, 0, found.start())), default=0)
    stop = _CLAUSE.search(text, found.end())
    end = min(stop.start() if stop else len(text), found.end() + _TAIL)
    return text[max(start, floor, found.start() - _HEAD) : found.start()], text[found.end() : end]


def _starts_period(tail: str, words: Words) -> bool:
    """Whether a period begins right behind a sum."""
    return any(
        (found := pattern.search(tail)) is not None and not tail[: found.start()].strip(" /每a")
        for name in _PERIODS
        for pattern in words.any_of("money", "periods", name)
    )


def _period(head: str, tail: str, words: Words) -> str:
    """The period nearest behind the sum, else the last one before it."""
    behind = [(found.start(), name) for name in _PERIODS for pattern in words.any_of("money", "periods", name)
              if (found := pattern.search(tail))]  # fmt: skip
    if behind:
        return min(behind)[1]
    before = [(found.end(), name) for name in _PERIODS for pattern in words.any_of("money", "periods", name)
              for found in pattern.finditer(head)]  # fmt: skip
    return max(before)[1] if before else ""


def _ahead(head: str, tail: str, words: Words) -> int:
    """How many months are paid at once for this price; 1 where nothing is said."""
    months = words.entries["money"]["ahead_months"]
    for name in months:
        if _near(words, ("money", "ahead", name), head, tail):
            return int(months[name])
    return 1


def _near(words: Words, path: tuple[str, ...], head: str, tail: str) -> bool:
    return searched(words.any_of(*path), head) is not None or searched(words.any_of(*path), tail) is not None


def _role(head: str, tail: str, words: Words) -> str:
    """What a sum is for, by the nearest word; rent where none says otherwise."""
    roles: list[str] = list(words.entries["money"]["roles"])
    before = [(found.end(), role) for role in roles for pattern in words.any_of("money", "roles", role)
              for found in pattern.finditer(head)]  # fmt: skip
    if before:
        return max(before)[1]
    unit = re.split(r"[\s,，]", tail.strip(), maxsplit=1)[0]
    return next((role for role in roles if searched(words.any_of("money", "roles", role), unit)), "rent")


def _unit(tail: str) -> str:
    """What a sum of traffic or line is for: a Mbps, a GB, a TB; empty for all of it."""
    found = re.match(r"\s*(?:元|块)?\s*(?:/|每|per |a |一)?\s*(m|mbps|兆|gb|g|tb|t|个|ip)(?![a-z])", tail)
    return (
        {"m": "Mbps", "mbps": "Mbps", "兆": "Mbps", "gb": "GB", "g": "GB", "tb": "TB", "t": "TB"}.get(found[1], "piece")
        if found
        else ""
    )


def _quote(line: Paste, found: re.Match[str]) -> str:
    """A sum with the words before and behind it, back to the last mark and on to the next."""
    head = re.split(r"[，。;；、|\n]|, ", line.raw[max(0, found.start() - _HEAD) : found.start()])[-1]
    tail = re.split(r"[，。;；、|\n]|, |\. ", line.raw[found.end() : found.end() + _TAIL], maxsplit=1)[0]
    if found.start() > _HEAD and len(head) == _HEAD:
        head = head.partition(" ")[2] or head
    return " ".join(f"{head}{line.raw[found.start() : found.end()]}{tail}".split())[:_QUOTED]


def terms(line: Paste, words: Words) -> Iterator[Said]:
    """Deposit in months and how many months are paid ahead."""
    text = line.plain
    if found := searched(words.any_of("deposit", "none"), text):
        yield Said("deposit", 0.0, line.raw[found.start() : found.end()])
    elif (found := searched(words.any_of("deposit", "months"), text)) and (value := words.number(found)) is not None:
        yield Said("deposit", value, line.raw[found.start() : found.end()])
    if (found := searched(words.any_of("prepay", "months"), text)) and (value := words.number(found)) is not None:
        yield Said("prepay_months", value, line.raw[found.start() : found.end()])


def ahead(text: Paste, words: Words, said: bool) -> Iterator[Said]:
    """Months paid at once, where the text names one way of paying only: two ways are a choice, not a term."""
    names = dict(words.entries["money"]["ahead_months"])
    found = {name: match for name in names if (match := searched(words.any_of("prepay", "ways", name), text.plain))}
    if len(found) == 1 and not said:
        name, match = found.popitem()
        yield Said("prepay_months", float(names[name]), text.raw[match.start() : match.end()])
