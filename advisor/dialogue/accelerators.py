"""Accelerators outside the catalogue: series that the words name, and a name where only a card's name can stand.

They become the name of a card, so that an answer can say that it is not known here; nothing is sized for them and no
other card is put in their place. A word that no file holds is a name only where a count of cards touches it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.dialogue.tokens import Message, Token

if TYPE_CHECKING:
    from advisor.dialogue.lexicon import Lexicon

# The number of a model behind the series: v5e, 3, 370, P800; never a count (x8, 8 cards).
_NUMBER = re.compile(
    r"[ -]?(?P<number>[a-z]{0,2}\d{1,4}[a-z]{0,2})(?![a-z0-9.])|[ -]?(?P<glued>[a-z]?\d{1,4}[a-z]?)(?=x\d)"
)
_SERIES = re.compile(r" ?(?P<series>[a-z]+)(?=\d)")
_BARE = re.compile(r"\d+$")
_COUNTED = re.compile(r"\s?(?:nvidia |amd |intel |华为|国产)?(?P<name>[a-z]{1,9}[ -]?\d{1,4}[a-z]{0,3})(?![a-z0-9.%])")
_MEASURES = ("张", "块", "片", "颗", "卡", "枚")
_HAN = re.compile(r"[\u3400-\u9fff]$")


def series_at(text: str, place: int, lexicon: Lexicon) -> Token | None:
    """A token of kind `card` for an accelerator of a series, with the number that follows its name, or None."""
    hit = lexicon.accelerators.at(text, place, plural=True)
    if hit is None:
        glued = re.compile(r"[a-z]+").match(text, place)
        if glued is None or not text[glued.end() : glued.end() + 1].isdigit():
            return None
        hit = lexicon.accelerators.at(text[: glued.end()] + " ", place)
        if hit is None:
            return None
    end = min(hit.end, len(text))
    # 寒武纪 MLU370, 海光 DCU K100: the maker and the series are one name.
    again = lexicon.accelerators.at(text, end + (text[end : end + 1] == " "), plural=True)
    if again is None and (glued := _SERIES.match(text, end)) is not None:
        again = lexicon.accelerators.at(glued["series"] + " ", 0)
        again = None if again is None else replace(again, end=glued.end())
    if again is not None and again.tags == hit.tags:
        end = min(again.end, len(text))
    name, short = sorted(hit.tags)[0], text[place:end].strip()
    number = _NUMBER.match(text, end)
    if number is not None and not _counts(text, number, lexicon):
        said = number["number"] or number["glued"]
        end = number.end()
        name = f"{name} {said if said.startswith('v') else said.upper()}"
    elif short in ("inf", "trn", "npu", "lpu", "天数", "atlas", "radeon", "trillium"):
        return None  # words of their own without a number
    return Token("card", place, end, text[place:end], name=name)


def _counts(text: str, number: re.Match[str], lexicon: Lexicon) -> bool:
    """Whether the digits count cards or servers: `TPU 8卡`, `gaudi 4 nodes`."""
    said = number["number"] or number["glued"]
    if not _BARE.match(said):
        return False
    at = number.end() + (text[number.end() : number.end() + 1] == " ")
    unit = lexicon.units.at(text, at)
    return unit is not None and not unit.tags.isdisjoint({"cards", "nodes", "GB"})


def counted_name(message: Message) -> Token | None:
    """`8x XPU900`, `4 张 Z100L`: a name that no file holds, where a count of cards touches it; None elsewhere."""
    if any(token.kind == "card" for token in message.tokens):
        return None
    for token in message.tokens:
        counts = token.kind == "number" and (
            token.unit == "times" or (token.unit == "cards" and token.text.endswith(_MEASURES))
        )
        found = _COUNTED.match(message.text, token.end) if counts and token.free else None
        if found is None or _known(message, found.start("name"), found.end("name")):
            continue
        name = message.raw[found.start("name") : found.end("name")]
        return Token(
            "card", found.start("name"), found.end("name"), name.lower(), name=name,
            clause=token.clause, sentence=token.sentence,
        )  # fmt: skip
    return None


def _known(message: Message, start: int, end: int) -> bool:
    """Whether the grammar knows a piece of the span: then it is no name of its own."""
    return any(token.start < end and token.end > start for token in message.tokens)
