"""gpu-burn: per-card results, errors, dead workers, rate and temperature. Its exit code is always 0 and proves nothing.

It prints OK at 0 Gflop/s when the cards were never reached; a result without a rate is no result.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number, percent
from advisor.acceptance.reading import Reading, least, most

_LINE = re.compile(r"(?P<share>\d+\.?\d*)%\s+proc'd:(?P<done>.*?)errors:(?P<errors>.*?)temps:(?P<temps>[^\n]*)")
_RATE = re.compile(r"\((?P<rate>-?[\d.]+)\s*Gflop/s\)")
_RESULT = re.compile(r"^[ \t]*GPU (?P<gpu>\d+): (?P<word>OK|FAULTY)\s*$", re.MULTILINE)
_TESTED = re.compile(r"Tested (?P<count>\d+) GPUs?:")
_TEMP = re.compile(r"(-?\d+) C")
_DEAD = re.compile(
    r"No clients are alive|Couldn't init a GPU test|Could not find|No CUDA devices|Error in \"", re.IGNORECASE
)


def read(text: str) -> Reading:
    """Results, and the rate of the slowest card over the run."""
    reading = Reading("gpu-burn")
    lines = list(_LINE.finditer(text))
    results = [found["word"] for found in _RESULT.finditer(text)]
    tested = _TESTED.search(text)
    lines.sort(key=lambda line: number(line["share"]) or 0)
    last = lines[-1] if lines else None
    rates = _rates(last)
    died = last["errors"].count("DIED") if last else 0
    errors = _errors(lines)
    temps = [float(one) for line in lines for one in _TEMP.findall(line["temps"])]
    reading.show(
        gpus=len(results) or len(rates) or None,
        faulty=results.count("FAULTY") if results else None,
        ok=results.count("OK") if results else None,
        died=died or None,
        errors=errors,
        gflops_low=least(rates),
        temp_c=most(temps),
        done_pct=number(last["share"]) if last else None,
    )
    whole = tested is not None and len(results) == int(tested["count"])
    # A temperature that lost its digits must not hide that a card was hot.
    read = all(line["temps"].count(" C") == len(_TEMP.findall(line["temps"])) for line in lines)
    reading.complete = whole and bool(results) and read
    reading.ran = not (_DEAD.search(text) or (died and died == len(rates)))
    if results:
        reading.count(burn_faulty=results.count("FAULTY"), burn_ok=results.count("OK"))
    reading.count(burn_errors=errors, cards_tested=len(results) or None)
    if rates:
        reading.measure("", burn_rate=least(rates))
    if temps and reading.ran:
        reading.measure("C", temperature=most(temps))
    _drift(reading, lines, rates)
    return reading


def _rates(line: re.Match[str] | None) -> list[float]:
    return [float(one) for one in _RATE.findall(line["done"])] if line else []


def _errors(lines: list[re.Match[str]]) -> float | None:
    """The worst count of a card; a negative one is an overflow and counts as errors."""
    found = [number(one) for line in lines for one in re.split(r" - (?=-?\d)", line["errors"])]
    return most(abs(one) for one in found if one is not None)


def _drift(reading: Reading, lines: list[re.Match[str]], rates: list[float]) -> None:
    if len(rates) > 1 and max(rates) > 0:
        reading.measure("%", card_spread=percent(max(rates) - min(rates), max(rates)))
    # The first lines are warming up; the share done shows when they are over.
    early = next((line for line in lines if (number(line["share"]) or 0) >= 2 * 2), None)
    if early and len(lines) > 8:
        first = _rates(early)
        if len(first) == len(rates) and first and min(first) > 0:
            falls = [percent(before - after, before) or 0 for before, after in zip(first, rates, strict=True)]
            reading.measure("%", burn_drift=max([0.0, *falls]))
