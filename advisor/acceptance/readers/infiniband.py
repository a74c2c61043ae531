"""RDMA ports: ibstat, ibstatus. A port that is up at the wrong rate drags a job like one that is down."""

from __future__ import annotations

import re

from advisor.acceptance.blocks import blocks
from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, least, most, together

_PORT = re.compile(
    r"^(?P<ca>CA '[^']+')\s*$|^[ \t]*Infiniband device '(?P<device>[^']+)' port \d+ status:", re.MULTILINE
)
_STATE = re.compile(r"^[ \t]*state:\s*(?:\d+:\s*)?(?P<state>\w+)", re.IGNORECASE | re.MULTILINE)
_RATE = re.compile(r"^[ \t]*rate:\s*(?P<rate>[\d.]+)(?: (?P<unit>Gb/sec))?", re.IGNORECASE | re.MULTILINE)
_LAYER = re.compile(r"^[ \t]*link.layer:\s*(?P<layer>\w+)", re.IGNORECASE | re.MULTILINE)


def read(text: str) -> Reading:
    """How many ports are active, and the slowest rate of these in Gbit/s."""
    reading = Reading("ibstat")
    states: list[str] = []
    rates: list[float | None] = []
    steady = True
    for _, block in blocks(text, list(_PORT.finditer(text))):
        found = [one["state"].lower() for one in _STATE.finditer(block)]
        speeds = [number(one["rate"]) for one in _RATE.finditer(block)]
        steady = steady and bool(found) and len(found) == len(speeds)
        states += found
        rates += [speed for state, speed in zip(found, speeds, strict=False) if state == "active"]
    up = states.count("active")
    reading.complete = steady and bool(states)
    reading.show(ports=len(states) or None, ports_up=up if states else None, rate_gbps=least(rates))
    reading.show(layer=together(one["layer"] for one in _LAYER.finditer(text)) or None)
    if states:
        reading.count(ports_up=up, ports_down=len(states) - up)
        reading.measure("Gbps", port_rate=least(rates))
        reading.say(port_rates_differ=least(rates) != most(rates) if len(rates) > 1 else None)
    if re.search(r"ibstat: (?:command )?not found|ibpanic|No such file", text) and not states:
        reading.ran = False
    return reading
