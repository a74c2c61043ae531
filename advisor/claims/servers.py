"""Checks what a server around the cards is said to have: power supplies, host memory, and the rent asked for it.

Prices are set against the dated offers in the same currency, nowhere converted; a price is never wrong, only inside or
outside of what is published. Refuses to judge without a card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from advisor.claims import sentences
from advisor.claims.cards import candidates
from advisor.claims.checked import Checked, worded
from advisor.claims.jobs import JobConstants
from advisor.claims.phrases import any_of
from advisor.claims.sentence import Sentence, words_of
from advisor.core.errors import BadInput
from advisor.core.findings import Verdict
from advisor.core.text import Text
from advisor.core.units import convert, number
from advisor.estimate import cost, power
from advisor.estimate.constants import load
from advisor.knowledge.records.gpus import Gpu
from advisor.knowledge.records.offers import WITHOUT_COMMITMENT

_TIMES = re.compile(r"(\d+)\s*[x*]\s*\d[\d.]*\s*k?w")
_DISKS = r"\s*(?:[x*]|块|个|disks? of|drives? of|nvme of)\s*(\d+(?:\.\d+)?)\s*tb?"
_LEVELS = ("10", "0", "1", "5")
_SAME = 1 / 100
_PAIR = re.compile(r"双路|双电源|两个|two|dual|1\s*\+\s*1|n\s*\+\s*1|redundant|冗余")
_MONEY = ("CNY", "USD", "HKD")


def supply(sentence: Sentence, library: Any) -> Checked | None:
    """Do the power supplies carry the server with one of them gone?"""
    watts, cards = sentence.of("W"), candidates(sentence, library)
    if not watts or not cards or cards[0].power.value is None:
        return None
    each = watts[-1].value
    supplies = _supplies(sentence, words_of(library).figures)
    if supplies is None:
        return None
    card = max(cards, key=lambda one: one.power.value or 0)
    need = power.node(card.power.value or 0, sentence.count or 1, library).range
    rest = convert(each * (supplies - 1), "W", "kW")
    verdict: Verdict = "yes" if rest >= need.high else "no" if rest < need.likely else "yes_if"
    text = sentences.SUPPLY_NO if verdict == "no" else sentences.SUPPLY_YES
    real = f"{number(need.likely)}-{number(need.high)} kW"
    source = tuple(filter(None, (card.power.source, "arithmetic")))
    return Checked("supply", verdict, worded(text, real=real, rest=f"{number(rest)} kW"), real, source)


def node_power(sentence: Sentence, library: Any) -> Checked | None:
    """Is the power of the whole server right? Only where a server is spoken of, not a card."""
    watts, cards = sentence.of("W"), candidates(sentence, library)
    whole = any_of(sentence.text, words_of(library).figures["whole_server"])
    if not watts or not cards or not whole or sentence.count is None or "power_supplies" in sentence.subjects:
        return None
    card = max(cards, key=lambda one: one.power.value or 0)
    need = power.node(card.power.value or 0, sentence.count, library).range
    share = load(JobConstants, "claims", library).estimate_near.value
    value = convert(watts[-1].value, "W", "kW")
    right = need.likely * (1 - share) <= value <= need.high * (1 + share)
    real = f"{number(need.likely)}-{number(need.high)} kW"
    text = worded(sentences.NODE, cards=f"{sentence.count} × {card.label}", real=real)
    source = tuple(filter(None, (card.power.source, "arithmetic")))
    return Checked("node_power", "yes" if right else "no", text, real, source)


def _supplies(sentence: Sentence, table: Mapping[str, Any]) -> int | None:
    """How many supplies a sentence speaks of: `2x3200 W`, `six supplies`, `双路`."""
    found = [int(each) for each in _TIMES.findall(sentence.text)]
    if found:
        return found[-1]
    numerals = "|".join(map(re.escape, sorted(table["numerals"], key=len, reverse=True)))
    nouns = "|".join(map(re.escape, table["supply_nouns"]))
    spelled = re.search(rf"(?<![a-z\d])(\d+|{numerals})\s*(?:{nouns}|\d+\s*k?w)", sentence.text)
    if spelled:
        word = spelled[1]
        return int(word) if word.isdigit() else int(table["numerals"][word])
    return 2 if _PAIR.search(sentence.text) else None


def _disks(numerals: Mapping[str, Any]) -> re.Pattern[str]:
    spelled = "|".join(map(re.escape, sorted(numerals, key=len, reverse=True)))
    return re.compile(rf"(?<![a-z\d])(\d+|{spelled}){_DISKS}")


def raid(sentence: Sentence, library: Any) -> Checked | None:
    """Is the usable space of an array right? Needs the level, the disks and the space said."""
    numerals = words_of(library).figures["numerals"]
    level = next((each for each in _LEVELS if re.search(rf"raid[ -]?{each}(?!\d)", sentence.text)), None)
    disks, sizes = _disks(numerals).search(sentence.text), sentence.of("GB")
    if level is None or disks is None or len(sizes) < 2:
        return None
    count, size = int(disks[1]) if disks[1].isdigit() else int(numerals[disks[1]]), float(disks[2])
    total = convert(size, "TB", "GB")
    usable = {"0": count * total, "1": total, "5": (count - 1) * total, "10": count * total / 2}[level]
    others = [one for one in sizes if not one.near(total, _SAME)]
    if not others:
        return None
    right = others[-1].near(usable, _SAME)
    words = {"disks": f"{count} × {number(size)} TB", "level": level, "real": f"{number(usable)} GB"}
    text = worded(sentences.RAID, **words)
    return Checked("raid", "yes" if right else "no", text, words["real"], ("arithmetic",))


def host_memory(sentence: Sentence, library: Any) -> Checked | None:
    """Is the host's memory enough beside the cards' memory?"""
    cards, said = candidates(sentence, library, by_memory=False), sentence.of("GB")
    size = sentence.slots.get("host_ram_gb")
    amount = float(size) if isinstance(size, int | float) else max((one.value for one in said), default=None)
    if not cards or amount is None or sentence.count is None:
        return None
    total = sentence.count * max(card.memory.value or 0 for card in cards)
    if not total:
        return None
    ratio = amount / total
    demanded = "needs" in sentence.cues and ratio >= 2
    verdict: Verdict = "no" if ratio < 1 else "yes_if" if demanded else "yes"
    text: Text = sentences.RAM_LOW if ratio < 1 else sentences.RAM_NEEDED if demanded else sentences.RAM_YES
    words = {"said": f"{number(amount)} GB", "real": f"{number(total)} GB", "times": number(ratio)}
    used = {key: value for key, value in words.items() if f"{{{key}}}" in text.en}
    return Checked("ram", verdict, worded(text, **used), words["real"], ("stas_cpu_memory",))


def rent(sentence: Sentence, library: Any) -> Checked | None:
    """Where does the rent lie among the published prices?"""
    money, cards = sentence.of(*_MONEY), candidates(sentence, library)
    if not money or not cards or sentence.period is None:
        return None
    said = money[-1]
    rows = cost.rows_from(library.offers.values(), terms=tuple(WITHOUT_COMMITMENT))
    ids = {card.id for card in cards}
    # Lists seldom say which form they mean, and a vendor's own article is no witness for itself.
    mine = [row for row in rows if row.gpu in ids and not row.source.startswith("seed_")]
    quoted = cost.PriceRow(
        gpu=cards[0].id, cards=sentence.count or 1, low=said.value, high=said.high, currency=said.unit,
        period=sentence.period, date="",  # type: ignore[arg-type]
    )  # fmt: skip
    try:
        band = cost.band((_as(row, cards[0].id) for row in mine), cards[0].id, said.unit, library)
        place = cost.judge_quote(quoted, band, library)
    except BadInput:
        return _elsewhere(mine, cards[0], said.unit, library)
    text = {"inside": sentences.PRICE_IN, "below_half": sentences.PRICE_LOW, "above_twice": sentences.PRICE_HIGH}[place]
    low, high = cost.card_hour(quoted, library)
    asked = number(low) if low == high else f"{number(low)}-{number(high)}"
    words = {
        "card": cards[0].label,
        "band": f"{number(band.range.low)}-{number(band.range.high)} {said.unit}",
        "oldest": band.oldest,
        "youngest": band.youngest,
        "said": f"{asked} {said.unit}",
    }
    used = {key: value for key, value in words.items() if f"{{{key}}}" in text.en}
    verdict: Verdict = "yes" if place == "inside" else "yes_if"
    return Checked("rent", verdict, worded(text, **used), words["band"], band.sources)


def _elsewhere(rows: list[cost.PriceRow], card: Gpu, currency: str, library: Any) -> Checked | None:
    """What is published in dollars, where nothing is in the currency of the sentence."""
    try:
        band = cost.band((_as(row, card.id) for row in rows), card.id, "USD", library)
    except BadInput:
        return None
    ends = f"{number(band.range.low)}-{number(band.range.high)} USD"
    text = worded(
        sentences.PRICE_OTHER, card=card.label, currency=currency, band=ends, oldest=band.oldest, youngest=band.youngest
    )
    return Checked("rent", "unknown", text, ends, band.sources)


def _as(row: cost.PriceRow, gpu: str) -> cost.PriceRow:
    return replace(row, gpu=gpu)
