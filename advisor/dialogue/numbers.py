"""Numbers as written: Arabic, Chinese and English numerals with scale (k, w, 万, 亿, B) and the unit behind them.

Chinese numerals go through `cn2an` on the span that this grammar found and on nothing else: 四川 and 一样 are words of
the lexicon. A number that is not finite, or written with an exponent, is no number here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from advisor.dialogue.lexicon import Lexicon, Matcher
from advisor.dialogue.tokens import Token

_ARABIC = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d])|\d{1,15}(?:\.\d{1,6})?(?!\d)|\.\d{1,6}")
_EXPONENT = re.compile(r"\d+(?:\.\d+)?e[-+]?\d+")
_HAN = re.compile(r"[零〇一二两三四五六七八九十廿卅百千万亿半双俩单]{1,16}")
_TENS = str.maketrans({"廿": "二十", "卅": "三十"})
_DIGITS = "一二三四五六七八九"
# 七八张, 两三千条, 十五六个, 三五万: two neighbouring digits are a guess between both.
_ABOUT = re.compile(
    r"(?P<head>[一二三四五六七八九百千万亿十]*[十百千万亿])?(?P<pair>[一二两三四五六七八九]{2})(?P<tail>[十百千万亿]*)$"
)
# 一万五一个月: the numeral behind belongs to the span of time.
_THEN_SPAN = re.compile(r"[一二两三四五六七八九十半](?:个)?(?:半)?(?:月|星期|礼拜|周|年|天|日|小时|钟)")
_PLAIN_HAN = {
    "双": 2,
    "俩": 2,
    "单": 1,
    "两": 2,
    "半": 0.5,
    "千": 1000,
    "百": 100,
    "万": 10000,
    "亿": 100000000,
    "十": 10,
}
_SCALE = re.compile(
    r"(?P<scale>万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千|百(?!川)|billion|million|trillion|thousand|grand|bn|mn|mil|k|w|m|b|t|g)(?P<more>多|余|来|几)?"
)
_SCALES = {
    "万亿": 1e12,
    "千亿": 1e11,
    "百亿": 1e10,
    "十亿": 1e9,
    "亿": 1e8,
    "千万": 1e7,
    "百万": 1e6,
    "十万": 1e5,
    "万": 1e4,
    "千": 1e3,
    "百": 1e2,
    "k": 1e3,
    "w": 1e4,
    "m": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "million": 1e6,
    "mn": 1e6,
    "mil": 1e6,
    "trillion": 1e12,
    "thousand": 1e3,
    "grand": 1e3,
    "t": 1e12,
    "g": 1e9,
}
_LETTERS = {
    "thousand": "k",
    "grand": "k",
    "billion": "b",
    "bn": "b",
    "million": "m",
    "mn": "m",
    "mil": "m",
    "trillion": "t",
}
# What may follow a scale letter as a noun: a letter that measures bytes or parameters takes no measure word.
_NOUNS = {
    "b": {"tokens", "params"},
    "g": set[str](),
    "t": {"tokens", "params"},
    "m": {"tokens", "params", "rows", "files", "USD", "HKD", "CNY", "chars"},
}
_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "sixteen": 16,
    "thirty two": 32,
    "single": 1,
    "dual": 2,
    "double": 2,
    "quad": 4,
    "a couple of": 2,
    "a pair of": 2,
    "half a dozen": 6,
    "a dozen": 12,
    "a hundred": 100,
    "half a million": 1000000 / 2,
    "a million": 1000000,
    "octa": 8,
    "both": 2,
}
_ENGLISH = re.compile(
    r"(?:a couple of|a pair of|half a dozen|a dozen|a hundred|half a million|a million|thirty[ -]two|[a-z]+)(?![a-z])"
)
_OF_CARDS = re.compile(
    r"[ -]\d{1,2}\s?(?:x\s?\w[\w ]{1,24}|-?gpu|-?card)s?[ -](?:nodes?|servers?|machines?|boxes|hosts?)\b"
)
# 两万到三万: the word between two numerals.
_HAN_RANGE = re.compile(r"\s?(?:到|至|-|~)\s?(?=[一二两三四五六七八九十百])")
# 一块五一小时, 两块八每小时: a price.
_YUAN = re.compile(r"块([一二三四五六七八九])(?=一?个?(?:小时|钟)|每|/|钱)")
# 三个半月, 3个半小时: a half more of what is counted.
_AND_A_HALF = re.compile(r"个半(?=个?(?:月|小时|钟|星期|礼拜|年))")
_A_SPAN = re.compile(r"a (week|month|day)(?![a-z])")
_SPAN_CUE = re.compile(r"(?:\b(?:in|within|have|got) \||\|\s?enough)")
_TIMES = re.compile(
    r"(?!\sx\d{1,2}(?![\dgb]))\s?[x*](?=\s?[\da-z\u4e00-\u9fff])(?!\s?(?:slower|faster|more|less|慢|快))"
)
_SLOWER = re.compile(r"\s?(?:x|times|倍)\s?(?:slower|faster|more|less|慢|快)?")
_THEN_NUMBER = re.compile(r"\s?[=:]?\s?\d")
# "between 20 and 25 thousand"
_BETWEEN, _AND = re.compile(r"\bbetween (?:hk|us)?\$?$"), re.compile(r"\s?and (?:hk|us)?\$?(?=\d)")
_RANGE = re.compile(r"\s?(?:-|~|到|至|to)\s?(?=\d)")


@dataclass(frozen=True, slots=True)
class _Unit:
    end: int
    scale: str
    factor: float
    unit: str


@cache
def _cn2an() -> Any:
    # Imported with the first Chinese numeral; it brings a tagger that no English question needs.
    from cn2an import cn2an

    return cn2an


@cache
def han_value(span: str) -> float | None:
    """The value of a Chinese numeral, or None where it is none."""
    if span in _PLAIN_HAN:
        return float(_PLAIN_HAN[span])
    span = span.translate(_TENS)
    if any(char in span for char in "双俩单半"):
        return None
    try:
        return float(_cn2an()(span, "smart"))
    except (ValueError, KeyError, IndexError, TypeError, OverflowError):
        return None


@cache
def about(span: str) -> tuple[float, float] | None:
    """The two values between which `七八` or `两三千` leaves it open, or None where a numeral is exact."""
    found = _ABOUT.match(span)
    if found is None:
        return None
    pair = found["pair"].replace("两", "二")
    low, high = pair[0], pair[1]
    apart = _DIGITS.index(high) - _DIGITS.index(low)
    if apart != 1 and found["pair"] != "三五":
        return None
    head, tail = found["head"] or "", found["tail"]
    values = [han_value(head + digit + tail) for digit in (low, high)]
    return (values[0], values[1]) if values[0] is not None and values[1] is not None else None


class Numbers:
    """Finds the number that begins at a place."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._units: Matcher = lexicon.units
        self._words: Matcher = lexicon.words
        self._cards: Matcher = lexicon.cards

    def at(self, text: str, start: int) -> Token | None:
        """A number token, or None. `8x` gets the unit `times`, `x8` the unit `by`."""
        char = text[start]
        if char in "x*" and start + 1 < len(text):
            return self._by(text, start)
        if char.isdigit() or char == ".":
            return self._arabic(text, start)
        if char.isascii():
            return self._english(text, start)
        return self._han(text, start)

    def _by(self, text: str, start: int) -> Token | None:
        place = start + 1
        if text[place] == " ":
            place += 1
        found = re.compile(r"\d{1,4}").match(text, place)
        if not found or re.compile(r"\s?(?:slower|faster|more|less)|\.\d|[\da-z]").match(text, found.end()):
            return None
        counted = self._noun(text, found.end())
        if counted is not None and counted[1] == "nodes":  # 8卡*2机
            return Token("number", start, counted[0], text[start : counted[0]], value=float(found[0]), unit="nodes")
        return Token("number", start, found.end(), text[start : found.end()], value=float(found[0]), unit="by")

    def _arabic(self, text: str, start: int) -> Token | None:
        if (odd := _EXPONENT.match(text, start)) is not None:
            return Token("text", start, odd.end(), odd[0])
        found = _ARABIC.match(text, start)
        if not found:
            digits = re.compile(r"[\d.]+").match(text, start)
            return Token("text", start, digits.end(), digits[0]) if digits else None
        value = float(found[0].replace(",", ""))
        place = found.end()
        if text[place : place + 1] in ("多", "余", "来", "几", "+"):
            place += 1
        if (half := _AND_A_HALF.match(text, place)) is not None:
            value, place = value + _PLAIN_HAN["半"], half.end()
        high = None
        unit = self._unit(text, place)
        if unit.scale in ("万", "w") and (tail := re.compile(r"(\d)(?![\d.a-z万千百亿])").match(text, unit.end)):
            value += float(tail[1]) / 10
            unit = _Unit(tail.end(), unit.scale, unit.factor, unit.unit)
        joint = _RANGE.match(text, unit.end) or (_BETWEEN.search(text[:start]) and _AND.match(text, unit.end)) or None
        if joint is not None and not (text[start - 1 : start].isascii() and text[start - 1 : start].isalpha()):
            second = _ARABIC.match(text, joint.end())
            if second and not text[joint.end() :].startswith("0"):
                upper = self._unit(text, second.end())
                bound = float(second[0].replace(",", "")) * upper.factor
                low = value * (unit.factor if unit.scale or unit.unit else upper.factor)
                if bound > low and (not unit.scale or unit.scale == upper.scale) and upper.unit != "times":
                    whole = text[start : upper.end]
                    return Token(
                        "number", start, upper.end, whole, value=low, high=bound, scale=upper.scale, unit=upper.unit
                    )
        return Token(
            "number",
            start,
            unit.end,
            text[start : unit.end],
            value=value * unit.factor,
            high=high,
            scale=unit.scale,
            unit=unit.unit,
        )

    def _unit(self, text: str, place: int) -> _Unit:
        if (slower := re.compile(r"\s?(?:x|times)\s?(?:slower|faster)").match(text, place)) is not None:
            return _Unit(slower.end(), "", 1.0, "slower")
        if (times := _TIMES.match(text, place)) is not None:
            return _Unit(times.end(), "", 1.0, "times")
        if (hit := self._noun(text, place)) is not None:
            return _Unit(hit[0], "", 1.0, hit[1])
        for gap in (place, place + 1):
            if gap != place and text[place : place + 1] not in (" ", "-"):
                break
            found = _SCALE.match(text, gap)
            if found and self._ends(text, found, gap != place):
                scale = _LETTERS.get(found["scale"], found["scale"])
                hit = self._noun(text, found.end())
                if hit and scale in _NOUNS and hit[1] not in _NOUNS[scale]:
                    hit = None
                return _Unit(hit[0] if hit else found.end(), scale, _SCALES[found["scale"]], hit[1] if hit else "")
        return _Unit(place, "", 1.0, "")

    def _ends(self, text: str, found: re.Match[str], spaced: bool) -> bool:
        end, scale = found.end(), found["scale"]
        if not scale.isascii():
            return not ((word := self._words.at(text, found.start())) and word.end > end)
        following = text[end : end + 1]
        if spaced and scale in ("w", "m", "t", "k") and len(scale) == 1:
            return False
        if not following or not (following.isascii() and following.isalnum()):
            return True
        if following == "x" and text[end + 1 : end + 2].isdigit():
            return True
        if following == "s" and scale == "b" and not spaced and not text[end + 1 : end + 2].isalnum():
            return True
        # "7blora", "24gvram": a known word glued to the letter.
        return (word := self._words.at(text, end)) is not None and word.end - end > 2

    def _noun(self, text: str, place: int) -> tuple[int, str] | None:
        """The word behind a number that says what it counts, and where it ends."""
        for gap in (place, place + 1):
            if gap != place and text[place : place + 1] not in (" ", "-"):
                break
            hit = self._units.at(text, gap)
            if hit is None:
                continue
            word = self._words.at(text, gap)
            if word is not None and word.end > hit.end:
                continue
            # "bs=1 ctx 8k": the word belongs to the number behind it.
            if "length" in hit.tags and _THEN_NUMBER.match(text, hit.end):
                continue
            return hit.end, sorted(hit.tags)[0]
        return None

    def _han(self, text: str, start: int) -> Token | None:
        found = _HAN.match(text, start)
        if not found:
            return None
        if text[start - 1 : start] in ("几", "数") and found[0][0] in "十百千万亿":
            return Token("text", start, found.end(), found[0])  # 几十万: some, and no number
        for end in range(found.end(), start, -1):
            guess = about(text[start:end])
            value = guess[0] if guess else han_value(text[start:end])
            if value is None or (value >= _SCALES["千"] and _THEN_SPAN.match(text, end - 1)):
                continue
            place = end + (text[end : end + 1] in ("多", "余", "来") and end == found.end())
            if (half := _AND_A_HALF.match(text, end)) is not None and value != _PLAIN_HAN["半"]:
                value, place = value + _PLAIN_HAN["半"], half.end()
            unit = self._unit(text, place)
            if (tenths := _YUAN.match(text, end)) is not None and value < _PLAIN_HAN["百"]:
                value, unit = (
                    value + (han_value(tenths[1]) or 0.0) / _PLAIN_HAN["十"],
                    _Unit(tenths.end(), "", 1.0, "money"),
                )
            alone = unit.unit == "" and unit.scale == "" and end < found.end()
            if alone and not (value >= _SCALES["千"] and _THEN_SPAN.match(text, end)):
                continue
            if not unit.unit and not guess and (joint := _HAN_RANGE.match(text, unit.end)) is not None:
                upper = self._han(text, joint.end())
                if upper is not None and upper.high is None and upper.value > value * unit.factor:
                    upper.start, upper.text = start, text[start : upper.end]
                    upper.value, upper.high = value * unit.factor, upper.value
                    return upper
            if unit.scale in ("k", "w", "t") or (unit.unit == "times" and end - start == 1):
                unit = _Unit(end, "", 1.0, "")
            scale = unit.scale or ("万" if "万" in text[start:end] and "亿" not in text[start:end] else "")
            if "亿" in text[start:end]:
                scale = "亿"
            return Token(
                "number",
                start,
                unit.end,
                text[start : unit.end],
                value=value * unit.factor,
                high=guess[1] * unit.factor if guess else None,
                scale=scale,
                unit=unit.unit,
                spelled=True,
            )
        return None

    def _english(self, text: str, start: int) -> Token | None:
        if (span := _A_SPAN.match(text, start)) is not None and _SPAN_CUE.search(
            text[:start] + "|" + text[span.end() :]
        ):
            return Token("number", start, span.end(), span[0], value=1.0, unit=f"{span[1]}s", spelled=True)
        found = _ENGLISH.match(text, start)
        if not found or (value := _WORDS.get(found[0].replace("-", " "))) is None:
            return None
        unit = self._noun(text, found.end()) or self._servers(text, found.end())
        if unit is None and not self._before_card(text, found.end()):
            return None
        end, name = unit if unit else (found.end(), "")
        return Token("number", start, end, text[start:end], value=float(value), unit=name, spelled=True)

    def _servers(self, text: str, place: int) -> tuple[int, str] | None:
        """`two 8xA100 nodes`, `two 8-gpu servers`: the word counts the servers, the figure their cards."""
        each = _OF_CARDS.match(text, place)
        return (place, "nodes") if each is not None else None

    def _before_card(self, text: str, place: int) -> bool:
        near = text[place : place + 40]
        if (sized := re.compile(r"[ -]?\d{1,3}\s?(?:g|gb|gig)?[ -]").match(near)) is not None:
            place += sized.end()
        for brand in ("", "nvidia ", "geforce "):
            at = place + (1 if text[place : place + 1] in (" ", "-") else 0)
            if text.startswith(brand, at) and self._cards.at(text, at + len(brand), plural=True):
                return True
        card = self._units.at(text, place + (1 if text[place : place + 1] in (" ", "-") else 0))
        return card is not None and "cards" in card.tags
