"""What was read off an offer: each thing said, with the words that say it. No judgement, and nothing that is not there.

A reading that the vendor left open ("negotiable", 待定) is kept as open and never counts as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

# Longer lines are read piece by piece, so that time stays bounded.
LONGEST_LINE = 2**11
SaidValue = float | bool | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One thing said: `value` in the unit of its reading, `quote` as the vendor wrote it; `mark` is "", "open" or
    "extra" (to be paid for on top)."""

    name: str
    value: SaidValue
    quote: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """One sum of money: what it is for, from low to high, the currency ("dollar" where a bare $ stood, "" where none),
    the period ("" where none was said), and whether it is for one card or one server ("" where not said)."""

    role: str
    low: float
    high: float
    currency: str
    period: str
    basis: str
    ahead: int
    quote: str
    unit: str = ""
    bare: bool = False
    """Whether nothing calls it money: `18k` in a clause by itself."""


@dataclass(frozen=True, slots=True)
class Rebate:
    """What comes off the rent: `percent` of it, months `free` within the term, or `extra` months on top of the `of`
    that are paid. `only_if` names the months to be paid ahead for it, infinite for another condition."""

    kind: str
    value: float
    of: float | None
    only_if: float
    quote: str


@dataclass(slots=True)
class Offer:
    """One offer of one file or paste."""

    name: str
    file: str
    text: str
    said: dict[str, list[Said]] = field(default_factory=dict)
    amounts: list[Amount] = field(default_factory=list)
    rebates: list[Rebate] = field(default_factory=list)
    cards: tuple[str, ...] = ()
    """Ids of knowledge/gpus that the name may mean, with the memory and the form said."""
    cards_named: tuple[str, ...] = ()
    """Other cards that the offer counts too."""
    lang: str = "en"
    problem: str = ""

    def add(self, found: Iterable[Said]) -> None:
        """Keep what was read; the same value said again is kept once."""
        for one in found:
            known = self.said.setdefault(one.name, [])
            if all(each.value != one.value for each in known):
                known.append(one)

    def first(self, *names: str) -> Said | None:
        """The first answer to any of these readings; an open one only where there is no other."""
        found = [one for name in names for one in self.said.get(name, ())]
        return next((one for one in found if one.mark != "open"), found[0] if found else None)

    def number(self, name: str) -> float | None:
        """A reading as a number, None where it was not said or left open."""
        one = self.first(name)
        if one is None or one.mark == "open" or isinstance(one.value, bool) or not isinstance(one.value, float):
            return None
        return one.value

    def flag(self, name: str) -> bool | None:
        """A reading as yes or no, None where it was not said or left open."""
        one = self.first(name)
        return one.value if one is not None and one.mark != "open" and isinstance(one.value, bool) else None

    def words(self, name: str) -> tuple[str, ...]:
        """Every word of a reading of choices."""
        return tuple(str(one.value) for one in self.said.get(name, ()) if one.mark != "open")

    @property
    def readable(self) -> bool:
        """Whether anything of an offer was found in it: a card, a sum, or two things that only an offer says."""
        return bool(self.cards or self.amounts or self.rebates) or len(self.said) >= 2


@dataclass(frozen=True, slots=True)
class Paste:
    """A piece of text and the same as the grammar reads it, character for character."""

    raw: str
    plain: str

    def lines(self) -> Iterable[Paste]:
        """The lines that hold anything."""
        start = 0
        for line in self.plain.split("\n"):
            for place in range(0, len(line), LONGEST_LINE):
                part = line[place : place + LONGEST_LINE]
                if part.strip():
                    yield Paste(self.raw[start + place : start + place + len(part)], part)
            start += len(line) + 1

    def part(self, start: int, end: int) -> Paste:
        """A piece of the piece."""
        return Paste(self.raw[start:end], self.plain[start:end])


def joined(pieces: Iterable[Paste]) -> Paste:
    """Pieces as lines of one text."""
    every = list(pieces)
    return Paste("\n".join(one.raw for one in every), "\n".join(one.plain for one in every))
