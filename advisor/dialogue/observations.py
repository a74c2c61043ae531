"""Figures that somebody reads off a screen and says: `disk util 98 %`, `iowait 30%`, `CPU 才 10%`, `await 45 ms`.

The words stand in `knowledge/words/observations.yaml`, a fact each; what stands nearest before a number in its clause
says whose it is, else what stands right after. A number beside the cards' own words is left to the grammar of slots.
What was taken is blanked, so that no other part reads it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from advisor.dialogue.lexicon import Matcher
from advisor.dialogue.text import normalised

_FIGURE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s?(%|ms\b|毫秒)")
_STOP = re.compile(r"[,，;；。!！?？\n]|\. ")
# Words of the cards themselves: their figure is a slot, not an observation of something else.
OTHER = "other"


class Observations:
    """Finds such figures in a message."""

    def __init__(self, entries: Mapping[str, Iterable[object]], reach: int) -> None:
        self._matcher = Matcher()
        for fact, phrases in entries.items():
            for phrase in phrases:
                self._matcher.add(str(phrase), fact)
        self._matcher.freeze()
        self._reach = reach

    def read(self, raw: str) -> tuple[str, dict[str, float]]:
        """The message with what was taken blanked, length unchanged, and the figures by fact."""
        text = normalised(raw)
        found: dict[str, float] = {}
        kept = list(raw)
        for figure in _FIGURE.finditer(text):
            fact, start = self._whose(text, figure)
            if fact in ("", OTHER) or fact in found or (figure[2] == "%") == fact.endswith("await"):
                continue
            found[fact] = float(figure[1])
            kept[min(start, figure.start()) : figure.end()] = " " * (figure.end() - min(start, figure.start()))
        return "".join(kept), found

    def _whose(self, text: str, figure: re.Match[str]) -> tuple[str, int]:
        begin = max(figure.start() - self._reach, 0)
        head = text[begin : figure.start()]
        stops = [stop.end() for stop in _STOP.finditer(head)] + [m.end() for m in _FIGURE.finditer(head)]
        begin += max(stops, default=0)
        nearest = self._last(text, begin, figure.start())
        if nearest is not None:
            return nearest
        after = re.compile(r"\s?(?:of |的)?").match(text, figure.end())
        hit = self._matcher.at(text, after.end() if after else figure.end())
        return (sorted(hit.tags)[0], figure.start()) if hit else ("", figure.start())

    def _last(self, text: str, begin: int, end: int) -> tuple[str, int] | None:
        best: tuple[int, int, str] | None = None
        for place in range(begin, end):
            inside = place and text[place].isascii() and text[place].isalnum() and text[place - 1].isalnum()
            if inside and text[place - 1].isascii():
                continue
            hit = self._matcher.at(text, place)
            if hit is not None and hit.end <= end:
                # The phrase that ends last is the nearest; of two that end together the longer one.
                key = (hit.end, -place, sorted(hit.tags)[0])
                best = key if best is None or key[:2] > best[:2] else best
        return None if best is None else (best[2], -best[1])
