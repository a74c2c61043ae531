"""What a reader brings out of one output: the figures as printed, and the facts that rules may judge.

`values` are for people and scripts: flat, named with their unit, the printed figure kept. `facts` are for the rules:
declared under rules/readings, with units, in the order of their worst card or hop. A reader that could not see a figure
leaves it out; it says `complete = False` where the text ends before what decides, and `ran = False` where the tool
itself says that it measured nothing. Nothing here says pass or fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from advisor.core.facts import Value
from advisor.core.units import Quantity

Printed = float | int | str


@dataclass
class Reading:
    """One output of one tool. `facts` are keyed without the prefix `read.`."""

    tool: str
    version: str = ""
    values: dict[str, Printed] = field(default_factory=dict)
    facts: dict[str, Value] = field(default_factory=dict)
    complete: bool = True
    ran: bool = True
    contradictory: bool = False
    cards: list[str] = field(default_factory=list)
    """Names of the cards, for what depends on the model."""
    hosts: list[str] = field(default_factory=list)
    """What stands for each hop of a trace, for what depends on the network."""
    xids: tuple[int, ...] = ()
    """Xid numbers of a log, for what the catalogue says of them."""
    entries: tuple[Any, ...] = ()
    """Items of a form that a person filled in (`readers.form.Entry`)."""

    def show(self, **values: Printed | None) -> None:
        """Printed figures; None is left out, since nothing was seen."""
        for key, value in values.items():
            if value is not None and value != "":
                self.values[key] = whole(value) if isinstance(value, float) else value

    def say(self, **facts: bool | str | None) -> None:
        """Facts of yes, no or a word; None is left out."""
        self.facts.update({key: value for key, value in facts.items() if value is not None})

    def measure(self, unit: str, **figures: float | None) -> None:
        """Facts with one unit; None is left out."""
        self.facts.update({key: Quantity(float(one), unit) for key, one in figures.items() if one is not None})

    def count(self, **figures: float | None) -> None:
        """Facts that are counted."""
        self.measure("count", **figures)


def whole(value: float) -> Printed:
    """A number without a needless `.0`."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def least(numbers: Iterable[float | None]) -> float | None:
    """The smallest of the numbers that were seen, or None."""
    seen = [one for one in numbers if one is not None]
    return min(seen) if seen else None


def most(numbers: Iterable[float | None]) -> float | None:
    """The largest of the numbers that were seen, or None."""
    seen = [one for one in numbers if one is not None]
    return max(seen) if seen else None


def together(words: Iterable[str]) -> str:
    """The different words in order of appearance, as one short text."""
    return ",".join(dict.fromkeys(words))


def gapless(indices: Iterable[str]) -> bool:
    """Whether several cards are numbered 0, 1, 2 and so on: a number left out is a row that was cut away.

    One card alone may have any number, since it may have been asked for.
    """
    seen = [int(index) for index in indices if index.isdigit()]
    return len(seen) < 2 or seen == list(range(len(seen)))
