"""What only several outputs together can show: peak against off-peak, carriers, directions, loss against rate, ports.

Outputs of our own scripts are told apart by their names (place, carrier, window, direction and tool); an output whose
name says none of it is compared with nothing. Each comparison is a reading of its own, judged by rules like any other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from advisor.acceptance.numerals import percent
from advisor.acceptance.reading import Reading, least, most
from advisor.core.units import BITS_PER_BYTE, Quantity
from advisor.knowledge.library import Library

_NAME = re.compile(
    r"(?:^|[/#])(?P<place>[A-Za-z0-9]+)_(?P<carrier>[\w-]+?)_(?P<window>peak|off-peak)_(?:(?P<way>out|back)_)?(?P<what>[\w-]+)"
)
_LAB = "comparison"


@dataclass(frozen=True)
class Named:
    """An output of our scripts: where, for whom, when, which way, with what."""

    file: str
    place: str
    carrier: str
    window: str
    way: str
    what: str
    reading: Reading

    def figure(self, fact: str) -> float | None:
        """A fact's value in its unit."""
        value = self.reading.facts.get(fact)
        return value.value if isinstance(value, Quantity) else None


def compare(outputs: Iterable[tuple[str, Reading]], library: Library) -> Iterator[tuple[str, Reading]]:
    """A name and a reading for each comparison that the outputs allow."""
    every = list(outputs)
    named = [one for file, reading in every if reading.complete and (one := _named(file, reading))]
    yield from _windows(named)
    yield from _carriers(named)
    yield from _directions(named)
    yield from _bounds(named, library)
    yield from _container(every)


def _named(file: str, reading: Reading) -> Named | None:
    found = _NAME.search(file)
    if found is None:
        return None
    words = found.groupdict()
    return Named(file, words["place"], words["carrier"], words["window"], words["way"] or "", words["what"], reading)


def _grouped(
    named: Iterable[Named], key: Callable[[Named], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], list[Named]]]:
    groups: dict[tuple[str, ...], list[Named]] = {}
    for one in named:
        groups.setdefault(key(one), []).append(one)
    yield from groups.items()


def _ping(one: Named) -> bool:
    return (one.figure("rtt") or 0) > 0


def _windows(named: list[Named]) -> Iterator[tuple[str, Reading]]:
    """The same test at the evening peak and off it."""
    for (place, carrier, way, what), group in _grouped(named, lambda one: (one.place, one.carrier, one.way, one.what)):
        hours = {one.window: one for one in group}
        both = Reading(_LAB)
        both.show(place=place, carrier=carrier, what=f"{way}_{what}".strip("_"))
        if len(hours) < 2:
            continue
        peak, calm = hours["peak"], hours["off-peak"]
        if _ping(peak) and _ping(calm):
            ratio = (peak.figure("rtt") or 0) / (calm.figure("rtt") or 1)
            both.show(peak_rtt_ms=peak.figure("rtt"), off_peak_rtt_ms=calm.figure("rtt"), peak_ratio=round(ratio, 2))
            both.measure("", peak_ratio=ratio)
        if _ping(peak):
            both.show(peak_loss_pct=peak.figure("loss"))
            both.measure("%", peak_loss=peak.figure("loss"))
        fast, slow = calm.figure("rate"), peak.figure("rate")
        if fast and slow is not None:
            both.show(peak_mbps=round(slow, 1), off_peak_mbps=round(fast, 1))
            both.measure("%", peak_rate_share=percent(slow, fast))
        if len(both.facts) > 0:
            yield f"{peak.file} : {what}", both
    tested = [one for one in named if _ping(one) or one.figure("rate") is not None]
    for (place, carrier), group in _grouped(tested, lambda one: (one.place, one.carrier)):
        seen = {one.window for one in group}
        if len(seen) == 1:
            half = Reading(_LAB)
            half.show(place=place, carrier=carrier, window=next(iter(seen)))
            half.say(peak_only_half=True)
            yield f"{place}_{carrier} : {next(iter(seen))}", half


def _carriers(named: list[Named]) -> Iterator[tuple[str, Reading]]:
    """The same test over several carriers: slowest against fastest, and the worst loss."""
    tests = [one for one in named if _ping(one)]
    for (place, window, way, what), group in _grouped(tests, lambda one: (one.place, one.window, one.way, one.what)):
        lines = {one.carrier: one for one in group if one.carrier != "unknown"}
        if len(lines) < 2:
            continue
        times = {carrier: one.figure("rtt") or 0 for carrier, one in lines.items()}
        losses = {carrier: one.figure("loss") for carrier, one in lines.items()}
        low, high = min(times.values()), max(times.values())
        both = Reading(_LAB)
        both.show(
            place=place, window=window, what=f"{way}_{what}".strip("_"), slowest=max(times, key=lambda key: times[key])
        )
        both.show(fastest=min(times, key=lambda key: times[key]), carrier_ratio=round(high / low, 2))
        both.count(carriers=len(lines))
        both.measure("", carrier_ratio=high / low)
        both.measure("%", carrier_loss=most(losses.values()))
        yield f"{place}_{window} : {', '.join(sorted(lines))}", both


def _directions(named: list[Named]) -> Iterator[tuple[str, Reading]]:
    """The rate there and back."""
    tests = [one for one in named if one.way and one.figure("rate")]
    for (place, carrier, window, what), group in _grouped(
        tests, lambda one: (one.place, one.carrier, one.window, one.what)
    ):
        ways = {one.way: one.figure("rate") or 0 for one in group}
        both = Reading(_LAB)
        both.show(place=place, carrier=carrier, window=window, what=what)
        both.show(**{f"{way}_mbps": round(rate, 1) for way, rate in ways.items()})
        if len(ways) < 2:
            both.say(one_direction=True)
        else:
            both.measure("%", direction_share=percent(min(ways.values()), max(ways.values())))
        yield f"{place}_{carrier}_{window} : {what}", both


def _bounds(named: list[Named], library: Library) -> Iterator[tuple[str, Reading]]:
    """A stream carries at most (MSS / RTT) / sqrt(loss): is that less than the line, or far more than seen?"""
    segment = library.heuristic("transfer.segment").to("B").value
    for (place, carrier, window), group in _grouped(named, lambda one: (one.place, one.carrier, one.window)):
        paths = [one for one in group if _ping(one) and one.figure("probes") and "loss" in one.reading.facts]
        if not paths:
            continue
        path = max(paths, key=lambda one: one.figure("probes") or 0)
        lost, probes, rtt = path.figure("lost") or 0, path.figure("probes") or 1, path.figure("rtt") or 1
        if lost >= probes:
            continue
        # Of n probes without a loss, so many in n may still be lost.
        loss = (lost or library.heuristic("acceptance.unseen_losses").value) / probes
        for one in group:
            rate, streams = one.figure("rate"), one.figure("streams") or 1
            if rate is None or one.reading.tool != "iperf3" or one.figure("loss") is not None:
                continue
            bound = streams * segment * BITS_PER_BYTE / (rtt / 1000) / math.sqrt(loss) / 10**6
            share = 100 * rate / bound
            if not lost and share >= 100:
                # The bound is only what may still be lost: above it nothing is told.
                continue
            both = Reading(_LAB)
            both.show(place=place, carrier=carrier, window=window, streams=streams, rtt_ms=rtt, lost=lost)
            both.show(loss_pct=round(100 * loss, 3), mathis_mbps=round(bound, 1), mbps=round(rate, 1))
            both.measure("%", mathis_share=share)
            both.measure("Mbps", mathis_rate=bound)
            yield f"{one.file} : {path.what}", both


def hold_ports(readings: Iterable[Reading]) -> None:
    """Add to each measured RDMA rate its share of the slowest active port of the delivery, or that none is known."""
    every = list(readings)
    rates = [reading.facts["port_rate"] for reading in every if "port_rate" in reading.facts and reading.complete]
    port = least(rate.value for rate in rates if isinstance(rate, Quantity))
    for reading in every:
        measured = reading.facts.get("rdma_rate")
        if not isinstance(measured, Quantity):
            continue
        if port:
            reading.show(port_gbps=port)
            reading.measure("%", rdma_share=percent(measured.value, port))
        else:
            reading.say(rdma_unheld=True)


def _container(every: list[tuple[str, Reading]]) -> Iterator[tuple[str, Reading]]:
    """The list of cards inside a container against that of the host."""
    lists = [(file, reading) for file, reading in every if reading.tool == "nvidia-smi-L" and reading.complete]
    inside = [(file, reading) for file, reading in lists if re.search(r"container|docker", file)]
    hosts = [reading for file, reading in lists if not re.search(r"container|docker", file)]
    for file, reading in inside:
        for host in hosts[:1]:
            both = Reading(_LAB)
            both.show(cards_in_container=len(reading.cards), cards_on_host=len(host.cards))
            both.say(container_sees_cards=sorted(reading.cards) == sorted(host.cards))
            yield f"{file} : host", both
