"""nvidia-smi nvlink -s (links and their rate a card), nvidia-smi -L (the list of cards) and dcgmi nvlink -s."""

from __future__ import annotations

import re

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, gapless, least, most, together

_CARD = re.compile(r"^[ \t]*GPU (?P<index>\d+): (?P<name>.+?) \(UUID: (?P<uuid>[^)]*)\)?", re.MULTILINE)
_LINK = re.compile(r"^[ \t]*Link (?P<link>\d*): (?P<state>.+?)\s*$", re.MULTILINE)
_NONE = re.compile(r"does not have or support Nvlink|not supported", re.IGNORECASE)
_MIG = re.compile(r"^\s+MIG (?P<profile>\S+)\s+Device", re.MULTILINE)


def read(text: str) -> Reading:
    """Links a card: how many there are, how many are inactive."""
    reading = Reading("nvidia-smi-nvlink")
    starts = list(_CARD.finditer(text))
    reading.cards = [start["name"] for start in starts]
    counts, rates, down, silent, steady = [], [], 0, 0, True
    for _, block in blocks(text, starts):
        links = [found["state"] for found in _LINK.finditer(block)]
        down += sum("GB/s" not in state for state in links)
        rates += [number(state) for state in links if "GB/s" in state]
        silent += bool(_NONE.search(block)) and not links
        counts.append(float(len(links)))
        numbers = [found["link"] for found in _LINK.finditer(block)]
        steady = steady and numbers == [str(number) for number in range(len(numbers))]
        # A card's heading with nothing below it: its links were cut away.
        steady = steady and (bool(links) or bool(_NONE.search(block)))
    # The last card lists fewer links than another: the end was cut away, and nothing says how many it has.
    steady = steady and (not counts or counts[-1] == max(counts))
    reading.complete = bool(starts) and steady and gapless(start["index"] for start in starts)
    reading.complete = reading.complete and (bool(rates) or down > 0 or silent == len(starts))
    reading.show(gpus=len(starts) or None, name=together(reading.cards), links=least(counts), link_gb_s=least(rates))
    reading.show(links_inactive=down if counts and most(counts) else None)
    reading.count(gpus=len(starts) or None)
    if most(counts):
        reading.count(nvlink_links=least(counts), nvlink_down=down)
        reading.say(links_differ=len(set(counts)) > 1)
    reading.say(no_nvlink=silent == len(starts) if starts else None)
    return reading


def read_list(text: str) -> Reading:
    """nvidia-smi -L: a line a card, with its MIG slices below it."""
    reading = Reading("nvidia-smi-L")
    reading.cards = [card["name"] for card in _CARD.finditer(text)]
    slices = [found["profile"] for found in _MIG.finditer(text)]
    whole = [card["uuid"] for card in _CARD.finditer(text)]
    lines = [line for line in text.split("\n") if line.strip()]
    strange = [line for line in lines if not re.match(r"\s*(?:GPU \d+:|MIG \S)|\S*[$#>] ?", line)]
    reading.complete = (
        bool(whole) and not strange and all(line.rstrip().endswith(")") for line in lines if "UUID" in line)
    )
    reading.complete = reading.complete and gapless(card["index"] for card in _CARD.finditer(text))
    reading.show(gpus=len(whole) or None, name=together(reading.cards), mig_slices=len(slices) or None)
    if whole:
        reading.count(gpus=len(whole))
        reading.say(
            mig=bool(slices),
            cards_differ=len(set(reading.cards)) > 1,
            contradictory_ids=True if len(set(whole)) < len(whole) else None,
        )
    return reading


_DCGM_CARD = re.compile(r"gpuId (?P<index>\d+):\s*(?:\(.*?\))?\s*\n\s*(?P<links>(?:[UDX_] ?)+)")


_LETTERS = re.compile(r"^[ \t]*(?:[UDX_] )*[UDX_][ \t]*$", re.MULTILINE)


def read_dcgmi(text: str) -> Reading:
    """dcgmi nvlink -s: U, D, X or _ for each link of each card."""
    reading = Reading("dcgmi-nvlink")
    links = [found["links"].split() for found in _DCGM_CARD.finditer(text)]
    asked = [one for row in links for one in row if one != "_"]
    up, down = asked.count("U"), asked.count("D")
    # The cards are numbered from 0, and each has its letters below its name.
    numbers = [found["index"] for found in _DCGM_CARD.finditer(text)]
    named, lettered = len(re.findall(r"gpuId \d+:", text)), len(_LETTERS.findall(text.partition("NvSwitches")[0]))
    reading.complete = bool(links) and ("Key:" in text or "NvSwitches" in text)
    reading.complete = reading.complete and numbers == [str(each) for each in range(len(links))]
    reading.complete = reading.complete and named == lettered == len(links)
    reading.show(gpus=len(links) or None, links_up=up if asked else None, links=len(asked) or None, links_down=down)
    if asked:
        reading.show(links_up_of=f"{up}/{len(asked)}")
        reading.count(nvlink_down=down)
        per_card = [float(sum(one == "U" for one in row)) for row in links]
        reading.count(nvlink_links=least(per_card))
    if links:
        reading.count(gpus=len(links))
        reading.say(no_nvlink=not asked)
    return reading
