"""What the checklist's two lines of PyTorch print: the matrix rate of each card, and which cards the framework can use.

The rate of the slowest card counts. A card that PyTorch lists and cannot compute on prints a warning or another sum.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number, percent
from advisor.acceptance.reading import Reading, gapless, least, most, together

_RATE = re.compile(r"^(?P<index>\d+) (?P<name>\S.*?) (?P<rate>\d+(?:\.\d+)?) TFLOPS\s*$", re.MULTILINE)
_FAILED = re.compile(
    r"(?:OutOfMemoryError|CUDA error|HIP error|No module named|AssertionError|RuntimeError|AcceleratorError)[^\n]*"
)


def read_matmul(text: str) -> Reading:
    """TFLOPS of each card, and how far the slowest lies behind the fastest."""
    reading = Reading("matmul")
    rows = list(_RATE.finditer(text))
    rates = [number(row["rate"]) for row in rows]
    failed = _FAILED.search(text)
    reading.cards = [row["name"] for row in rows]
    low, high = least(rates), most(rates)
    reading.show(gpus=len(rows) or None, name=together(reading.cards), tflops_low=low, tflops_high=high)
    reading.show(error=failed[0][: 2**7] if failed else None)
    reading.complete = bool(rows) and gapless(row["index"] for row in rows) and failed is None
    # A line that lost its figure is a card that was not read.
    reading.complete = reading.complete and text.count("TFLOPS") == len(rows)
    reading.ran = bool(rows) or failed is None
    if low is not None:
        reading.measure("TFLOPS", matmul_rate=low)
        reading.count(cards_tested=len(rows))
    if len(rows) > 1 and low is not None and high:
        reading.measure("%", card_spread=percent(high - low, high))
    return reading


_HEAD = re.compile(r"^(?P<torch>\d+\.\d+\S*) (?P<cuda>\d+\.\d+|None) \[[^\]]*\]", re.MULTILINE)
_CARD = re.compile(
    r"^(?P<index>\d+) (?P<name>\S.*?) \(\d+, \d+\) (?:True|False) (?P<sum>[-\w.]+)\s*$",
    re.MULTILINE,
)
_UNFIT = re.compile(r"is not compatible with the current PyTorch|no kernel image|not compiled with|driver .*too old")


def read_cards(text: str) -> Reading:
    """Each card that PyTorch names, with the sum of eight twos: 16."""
    reading = Reading("torch-cards")
    head, rows = _HEAD.search(text), list(_CARD.finditer(text))
    reading.version = head["torch"] if head else ""
    reading.cards = [row["name"] for row in rows]
    failed = _FAILED.search(text) or _UNFIT.search(text)
    reading.show(torch=reading.version, cuda=head["cuda"] if head else None, gpus=len(rows) or None)
    reading.show(name=together(reading.cards), error=failed[0][: 2**7] if failed else None)
    reading.complete = bool(head) and (bool(rows) or bool(failed)) and gapless(row["index"] for row in rows)
    reading.complete = reading.complete and len(re.findall(r"\) (?:True|False)\b", text)) == len(rows)
    wrong = any(row["sum"] != "16.0" for row in rows)
    if rows or failed:
        reading.say(torch_computes=bool(rows) and not wrong and failed is None)
        reading.count(cards_tested=len(rows))
    return reading
