"""Holds an offer against the lines of a request: met, missing, contradicts, or not stated.

Met means that the offer says so in words that can be quoted. Missing means that the vendor says it is not there,
contradicts that he offers something else or says two things; what he does not say, or leaves open, is not stated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.knowledge.library import Library
from advisor.pack.offer import Offer, Said
from advisor.pack.offer_read import NOT
from advisor.pack.requirements import Requirement

Status = Literal["met", "missing", "contradicts", "not_stated"]
STATUSES: tuple[Status, ...] = ("contradicts", "missing", "not_stated", "met")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the request beside what the offer says of it; `note` is a key of the fixed texts, or empty."""

    requirement: Requirement
    status: Status
    said: tuple[Said, ...] = ()
    note: str = ""


def lines(offer: Offer, asked: Sequence[Requirement], clashes: Sequence[str], library: Library) -> list[Line]:
    """Every line of the request, in its order; `clashes` are the rules that found the offer to contradict itself."""
    found = [_line(offer, each, library) for each in asked]
    return [_spoiled(line) if set(line.requirement.record.spoiled_by) & set(clashes) else line for line in found]


def _spoiled(line: Line) -> Line:
    """What cannot be is not met by being said."""
    return Line(line.requirement, "contradicts", line.said, "impossible") if line.status == "met" else line


def _line(offer: Offer, asked: Requirement, library: Library) -> Line:
    if asked.relation == "card":
        return _card(offer, asked, library)
    if asked.id == "price":
        return _price(offer, asked)
    special = _SPECIAL.get(asked.id)
    said = [one for name in asked.reads for one in offer.said.get(name, ())]
    if special is not None and (found := special(offer, asked)) is not None:
        return found
    settled = [one for one in said if one.mark != "open"]
    if not settled:
        return Line(asked, "not_stated", tuple(said[:1]), "open" if said else "")
    return _RELATIONS[asked.relation](asked, settled)


def _card(offer: Offer, asked: Requirement, library: Library) -> Line:
    wanted = {key for key, card in library.gpus.items() if card.label == asked.wanted}
    offered = set(offer.cards)
    names = " / ".join(dict.fromkeys(library.gpus[key].label for key in offer.cards))
    said = (Said("card", names, names),) if offered else tuple(offer.said.get("card", ())[:1])
    if not offered and said and said[0].value is True:
        return Line(asked, "met", said, "confirmed")
    if not offered:
        return Line(asked, "not_stated")
    if offer.cards_named:
        return Line(asked, "contradicts", said, "several_cards")
    if offered <= wanted:
        return Line(asked, "met", said)
    return (
        Line(asked, "not_stated", said, "which_card")
        if offered & wanted
        else Line(asked, "contradicts", said, "other_card")
    )


def _price(offer: Offer, asked: Requirement) -> Line:
    rents = [one for one in offer.amounts if one.role == "rent" and one.high > 0]
    if not rents and (below := offer.said.get("price_below_zero")):
        return Line(asked, "contradicts", tuple(below), "below_zero")
    if not rents:
        return Line(asked, "not_stated", tuple(offer.said.get("price", ())[:1]))
    said = (Said("price", rents[0].quote, rents[0].quote),)
    note = "no_currency" if rents[0].currency in ("", "dollar") else "no_period" if not rents[0].period else ""
    return Line(asked, "not_stated" if note else "met", said, note)


def _setup(offer: Offer, asked: Requirement) -> Line | None:
    fees = [one for one in offer.amounts if one.role == "setup"]
    if fees:
        return Line(asked, "met", (Said("setup_fee", fees[0].quote, fees[0].quote),))
    free = offer.first("setup_free")
    return Line(asked, "met", (free,)) if free is not None and free.mark != "open" and free.value is True else None


def _deposit(offer: Offer, asked: Requirement) -> Line | None:
    sums = [one for one in offer.amounts if one.role == "deposit"]
    months = [one for one in offer.said.get("deposit", ()) if isinstance(one.value, float)]
    if months:
        return _several(asked, months) or Line(asked, "met", tuple(months[:1]))
    return Line(asked, "met", (Said("deposit", sums[0].quote, sums[0].quote),)) if sums else None


def _payment(offer: Offer, asked: Requirement) -> Line | None:
    ahead = [one for one in offer.amounts if one.role == "rent" and (one.ahead > 1 or one.period == "month")]
    if not offer.said.get("prepay_months") and ahead and ahead[0].ahead > 1:
        return Line(asked, "met", (Said("prepay_months", ahead[0].quote, ahead[0].quote),))
    return None


def _disks(offer: Offer, asked: Requirement) -> Line | None:
    if offer.said.get("disk_nvme"):
        return None
    other, unclear = offer.said.get("disk_other"), offer.said.get("disk_any")
    if other:
        return Line(asked, "contradicts", tuple(other[:1]), "other_disk")
    return Line(asked, "not_stated", tuple(unclear[:1]), "which_disk") if unclear else None


def _cores(offer: Offer, asked: Requirement) -> Line | None:
    """Two threads share a core: so many vCPU are half as many cores."""
    cores = offer.first("cpu_cores")
    if offer.flag("cpu_virtual") is not True or cores is None or not isinstance(cores.value, float):
        return None
    enough = isinstance(asked.wanted, float | int) and cores.value / 2 >= asked.wanted
    return Line(asked, "met" if enough else "contradicts", (cores,), "threads")


def _bandwidth(offer: Offer, asked: Requirement) -> Line | None:
    """Of several lines in a bundle the fastest counts, and the note says that there are several."""
    found = [one for one in offer.said.get("bandwidth", ()) if one.mark != "open" and isinstance(one.value, float)]
    if len(found) < 2 or asked.relation == "stated":
        return None
    best = max(found, key=lambda one: float(str(one.value)))
    line = _at_least(asked, [best])
    return Line(asked, line.status, tuple(found), "several_lines")


_SPECIAL: dict[str, Callable[[Offer, Requirement], Line | None]] = {
    "setup_fee": _setup,
    "deposit": _deposit,
    "payment": _payment,
    "data_disk": _disks,
    "data_disk_stated": _disks,
    "cpu_cores": _cores,
    "bandwidth": _bandwidth,
}


def _several(asked: Requirement, said: Sequence[Said]) -> Line | None:
    """Two different figures for one thing contradict each other."""
    figures = {one.value for one in said if isinstance(one.value, float) and not isinstance(one.value, bool)}
    return Line(asked, "contradicts", tuple(said), "twice") if len(figures) > 1 else None


def _at_least(asked: Requirement, said: Sequence[Said]) -> Line:
    if any(one.value is False for one in said):
        return Line(asked, "missing", tuple(said[:1]))
    if (twice := _several(asked, said)) is not None:
        return twice
    value, wanted = said[0].value, asked.wanted
    if value is True:
        return Line(asked, "met", tuple(said[:1]), "confirmed")
    if isinstance(value, bool | str | tuple) or not isinstance(wanted, float | int):
        return Line(asked, "not_stated", tuple(said[:1]), "no_figure")
    met = value <= wanted if asked.relation == "at_most" else value >= wanted
    return Line(asked, "met" if met else "contradicts", tuple(said[:1]), "" if met else "less")


def _is(asked: Requirement, said: Sequence[Said]) -> Line:
    values = {bool(one.value) for one in said}
    if len(values) > 1:
        return Line(asked, "contradicts", tuple(said), "twice")
    if values == {asked.wanted}:
        return Line(asked, "met", tuple(said[:1]), said[0].mark)
    return Line(asked, "missing" if asked.wanted else "contradicts", tuple(said[:1]))


def _among(asked: Requirement, said: Sequence[Said]) -> Line:
    record = asked.record
    wanted = {*(asked.wanted if isinstance(asked.wanted, tuple) else ()), *record.also}
    shown = tuple(said)
    if any(isinstance(one.value, bool) for one in said):
        agreed = all(one.value is not False for one in said)
        return Line(asked, "met" if agreed else "missing", shown, "confirmed" if agreed else "")
    words = [str(one.value) for one in said]
    placed = [word for word in words if not word.startswith(NOT)]
    if not placed and not wanted & {word.removeprefix(NOT) for word in words}:
        return Line(asked, "not_stated", shown, "vague")
    # Where it is not matters only as long as nobody says where it is.
    words = placed or words
    right = [word for word in words if word in wanted]
    wrong = [word for word in words if word not in wanted and word not in record.vague]
    if right and not wrong:
        return Line(asked, "met", shown)
    if right:
        return Line(asked, record.mixed, shown, "both")
    return Line(asked, "contradicts", shown, "other") if wrong else Line(asked, "not_stated", shown, "vague")


def _stated(asked: Requirement, said: Sequence[Said]) -> Line:
    if all(one.value is False for one in said):
        return Line(asked, "missing", tuple(said[:1]))
    answers = tuple(one for one in said if one.value is not False)
    return Line(asked, "met", answers, answers[0].mark)


_RELATIONS: dict[str, Callable[[Requirement, Sequence[Said]], Line]] = {
    "at_least": _at_least,
    "at_most": _at_least,
    "is": _is,
    "among": _among,
    "stated": _stated,
}
