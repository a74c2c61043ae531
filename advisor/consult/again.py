"""Answers given a moment ago: a consultation is a pure function, so an equal one need not be thought through anew.

A team asks the same question in many threads, a correction is compared with the answer before it, a checklist is worded
in three languages. What is kept is bounded and belongs to one process; the key holds all that an answer rests on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from threading import Lock
from typing import Generic, TypeVar

from advisor.consult.desk import Asked
from advisor.knowledge.library import Library
from advisor.plan.hardware import Market

T = TypeVar("T")
# Answers kept; one takes some hundred kilobytes.
MOST = 2**6


class Again(Generic[T]):
    """The last values by what they rest on. Safe to share between threads; a value must not be changed."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def key_of(asked: Asked, day: date, library: Library, market: Market, *beside: object) -> str:
    """All that an answer rests on, as text: what was said, the day, the data, the place, and what the caller adds."""
    said = [sorted(repr(fact) for fact in each.values()) for each in asked.answers]
    rest = (asked.intent, sorted(asked.understood.items(), key=str), asked.rejected, asked.problems, asked.config)
    place = (market.kind, market.name, sorted(market.limits.items()), len(market.rows))
    return repr((said, rest, day, library.version, library.roots, place, beside))
