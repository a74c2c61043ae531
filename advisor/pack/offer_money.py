"""Sums of money and terms of payment in a line: what each is for, which currency, which period, for what.

A bare `$` is kept as such, since in Hong Kong it may mean two currencies, and so is `元`, which in Traditional writing
may. A number that nobody calls money is none; a sum below zero is kept as what it is, and is never a price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from advisor.pack.offer import Amount, Paste, Said
from advisor.pack.offer_words import Words, searched

_FIGURES = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,9}(?:\.\d+)?"
# A number in characters is a sum where it counts hundreds or more, or where a sign of money follows.
_HAN = r"(?<![零〇一二两三四五六七八九十百千万第])[一二两三四五六七八九十][零〇一二两三四五六七八九十百千万]"
_NUMBER = (
    rf"{_FIGURES}|{_HAN}*[百千万][零〇一二两三四五六七八九十百千万]*"
    r"|[一二两三四五六七八九十]{1,3}(?=\s*(?:元|港[币元]|美[金元]|蚊|块钱))"
)
_SCALES = {"万": 10_000, "w": 10_000, "千": 1_000, "k": 1_000, "m": 1_000_000}
_CLAUSE = re.compile(r"[，。;；、|!！\n]|,(?!\d{3})|(?<![a-z])(?:and|plus)(?![a-z])|\.\s|[()]")
# A minus is right before its sum, and no dash of a range or of a word.
_MINUS = r"(?<![\w)%.])(?<![\d)%]\s)-"
# Signs that several currencies share: a dollar, and 元.
SHARED = ("dollar", "yuan")
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
            r"(?:(?<=万)(?P<rest>[1-9])千?(?![\d.,]|\s*(?:台|张|卡|块|个|年|月|天|核|[gt])))?"
            rf"(?:\s*[-~]\s*(?:{sign})?\s*(?P<high>{_NUMBER})\s*(?P<scale2>万|千|[kw](?![a-z\d]))?)?\s*(?P<post>(?:{sign})(?![a-z]))?"
        )
        self.sign = re.compile(sign)
        self.below = re.compile(
            rf"(?:{_MINUS}|(?<![a-z])(?:负|minus |negative ))(?P<pre>{sign})?\s*(?:{_FIGURES})"
            rf"|(?P<sign>{sign})\s?-(?:{_FIGURES})"
        )
        self.cue = re.compile(
            r"(?:价格?|报价|租金|月付|月租|月费|年付|季付|时租|日租|单价|费用|price|rent|cost|rate|fee|quote|monthly|hourly|mrc|total)"
            r"(?:\s*(?:only|just|仅|只要|低至|为|是|of|at|per month|per hour|/月|含税|未税))?[\s:=|]*$"
        )

    def currency(self, found: re.Match[str], tail: str) -> str:
        """The currency of a sum: the sign behind where both stand, since `$5 USD` is in US dollars."""
        behind = re.search(r"(?<![a-z])(usd|hkd|cny|rmb|sgd)(?![a-z]|\s*\d)", tail)
        named = [self._named(text) for text in (found["post"], found["pre"], behind[1] if behind else None) if text]
        # A sign that says which currency counts before one that several share.
        return next((each for each in named if each not in SHARED), named[0] if named else "")

    def _named(self, text: str) -> str:
        return next((self.signs[name] for name in sorted(self.signs, key=len, reverse=True)
                     if re.fullmatch(name.split("(?=")[0], text)), "")  # fmt: skip


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
        bare = not signed and not (money.cue.search(head) or (period and _starts_period(tail, words)))
        if bare and not (found["scale"] in ("万", "k", "w") and _stands_alone(text, found)):
            continue
        if (
            not signed
            and re.match(r"\s*(?:g|t|m|核|c|卡|块|张|台|个|%|小时|天|工作日|hours?|days?|ms|w)(?![a-z])", tail)
            and not _starts_period(tail, words)
        ):
            continue
        floor = found.end()
        low = _figure(found["n"], found["scale"] or (found["scale2"] if found["high"] else None), words)
        low += _figure(found["rest"] or "0", "千", words)
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
            _ahead(head, tail, words), _quote(line, found), _unit(tail), bare,
        ))  # fmt: skip
    return out


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether `18k` or `1.8万` makes up a clause by itself, as a price in a chat does."""
    before, behind = text[: found.start()].rstrip(), text[found.end() :]
    return (not before or before[-1] in "，,。;；:、/|(") and re.match(
        r"\s*(?:$|[，,。;；、/|)\n]|全包|包干|含税|不含税|未税|all[- ]in|net\b|起)", behind
    ) is not None


def settled(found: Sequence[Amount], lang: str) -> list[Amount]:
    """The sums of a whole offer: one that nothing calls money counts only where there is no other rent, and `元` is the
    mainland's but in Traditional writing, where nobody says whose it is."""
    called = [one for one in found if not one.bare]
    kept = called if any(one.role == "rent" for one in called) else found
    yuan = "" if lang == "zh-Hant" else "CNY"
    return [replace(one, currency=yuan) if one.currency == "yuan" else one for one in kept]


def below_zero(line: Paste, words: Words) -> Iterator[Said]:
    """A sum of zero money or less that is no discount: no price can be that."""
    money = _of(words)
    for found in money.below.finditer(line.plain):
        head, tail = _beside(line.plain, found, 0)
        called = found["pre"] or found["sign"] or money.cue.search(head) or _starts_period(tail, words)
        signed = called or money.sign.match(tail.lstrip(" kw万千"))
        if signed and _role(head, tail, words) not in ("discount", "refund"):
            yield Said("price_below_zero", True, _quote(line, found))


def _glued(text: str, found: re.Match[str]) -> bool:
    """A number inside a word or a version (`cn2`, `7x24`, `ddr5`) is no sum."""
    start = found.start("n")
    before = text[start - 1 : start]
    if re.search(rf"(?:{_MINUS}|负|minus |negative )$", text[: found.start("pre")] if found["pre"] else text[:start]):
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
