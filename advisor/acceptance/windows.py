"""Peak against off-peak: outputs of one place, carrier and tool, told apart by the names that our scripts give.

An output whose name says no hour is compared with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.acceptance.reading import Reading
from advisor.core.units import Quantity

_NAME = re.compile(r"(?:^|[/#])(?P<place>[A-Za-z0-9]+)_(?P<carrier>[\w-]+?)_(?P<window>peak|off-peak)_(?P<what>[\w-]+)")


def compare(outputs: Iterable[tuple[str, Reading]]) -> Iterator[tuple[str, Reading]]:
    """A reading of tool `comparison` for each place, carrier and command seen at both hours."""
    seen: dict[tuple[str, str, str], dict[str, tuple[str, float]]] = {}
    for file, reading in outputs:
        found, rtt = _NAME.search(file), reading.facts.get("rtt")
        if found and isinstance(rtt, Quantity) and rtt.value > 0 and reading.complete:
            key = (found["place"], found["carrier"], found["what"])
            seen.setdefault(key, {})[found["window"]] = (file, rtt.value)
    for (place, carrier, what), hours in seen.items():
        if len(hours) < 2:
            continue
        (peak, at_peak), (_, off_peak) = hours["peak"], hours["off-peak"]
        both = Reading("comparison")
        both.show(place=place, carrier=carrier, what=what, peak_rtt_ms=at_peak, off_peak_rtt_ms=off_peak)
        both.show(peak_ratio=round(at_peak / off_peak, 2))
        both.measure("", peak_ratio=at_peak / off_peak)
        yield f"{peak} : {what}", both
