"""traceroute (UDP, ICMP, TCP), tcptraceroute, besttrace, and Windows' pathping.

A path is whole when its last line is the target. A TCP trace that reaches the target says nothing about the port unless
the tool prints [open]: a closed port answers too.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, most, whole

_HEADER = re.compile(
    r"(?:traceroute6? to|Tracing the path to|TCP traceroute to"
    r"|traceroute to) (?P<name>\S+?),? ?(?:\((?P<address>[^)]+)\))?(?:,| on|\s|$)"
)
_TRACERT = re.compile(r"(?:Tracing route to|到) (?P<name>[^\s\[]+)(?: \[(?P<address>[\d.a-fA-F:]+)\])?(?=\s)")
_HOP = re.compile(r"^[ \t]*(?P<hop>\d+)\s+(?P<rest>\S.*)$", re.MULTILINE)
_TIME = re.compile(r"(?P<time>\d+\.?\d*)\s*ms")
_MAXIMUM = re.compile(r"(?P<hops>\d+) hops max")
_FAILED = re.compile(
    r"Name or service not known|unknown host|Cannot handle|not found|Operation not permitted", re.IGNORECASE
)


def read(text: str) -> Reading:
    """Hops, whether the last of them is the target, and its round trip."""
    reading = Reading("traceroute")
    header = _HEADER.search(text) or _TRACERT.search(text)
    below = text[header.end() :].partition("\n")[2] if header else text
    hops = [hop for hop in _HOP.finditer(below) if _looks_like_hop(hop["rest"])]
    reading.hosts = [line for line in below.split("\n") if line.strip()]
    if _FAILED.search(text) and not hops:
        reading.ran = False
        reading.show(error="did not run")
        return reading
    targets = [one for one in (header["address"], header["name"]) if one] if header else []
    reading.show(target=targets[0] if targets else None, hops=len(hops) or None)
    answered = [hop for hop in hops if _TIME.search(hop["rest"])]
    last = hops[-1] if hops else None
    reached = bool(last and targets and any(_names(last["rest"], target) for target in targets))
    limit = _MAXIMUM.search(header.string) if header else None
    ended = reached or bool(_DONE.search(text)) or bool(last and limit and int(last["hop"]) >= int(limit["hops"]))
    reading.complete = bool(header and hops) and (
        ended or bool(last and last["rest"].split()[:2] == ["*", "*"] and len(last["rest"].split()) > 2)
    )
    reading.say(path_seen=bool(answered), reached=reached)
    if last and reached:
        times = [float(one) for one in _TIME.findall(last["rest"])]
        reading.show(rtt_ms=min(times) if times else None)
        reading.measure("ms", rtt=min(times) if times else None)
    if "[open]" in text or "[closed]" in text:
        reading.show(port_state="open" if "[open]" in text else "closed")
        reading.say(port_open="[open]" in text)
    return reading


def _looks_like_hop(rest: str) -> bool:
    return rest.startswith("*") or bool(_TIME.search(rest))


def _names(rest: str, target: str) -> bool:
    return bool(re.search(rf"(?<![\w.:-]){re.escape(target)}(?![\w.:-])", rest))


_NODE = re.compile(
    r"^[ \t]*(?P<hop>\d+)\s+(?P<rtt>\d+ms"
    r"|---)\s+(?P<lost>\d+)/\s*(?P<sent>\d+)\s*=\s*(?P<loss>\d+)%"
    r"\s+(?P<nlost>\d+)/\s*(?P<nsent>\d+)\s*=\s*(?P<nloss>\d+)%\s+(?P<host>\S.*)$",
    re.MULTILINE,
)
_PERCENT = re.compile(r"^[^\n%]*/[^\n]*%", re.MULTILINE)
_LINK = re.compile(r"^[ \t]*(?P<lost>\d+)/\s*(?P<sent>\d+)\s*=\s*(?P<loss>\d+)%\s*\|\s*$", re.MULTILINE)
_TRACED = re.compile(r"^[ \t]*(?P<hop>\d+)\s+(?P<host>\S.*?)\s*$", re.MULTILINE)
_DONE = re.compile(r"Trace complete|跟踪完成|追蹤完成")
_PATHPING_TO = re.compile(
    r"(?:Tracing route to|到) (?P<name>[^\s\[]+)(?:\s+\[(?P<address>[\d.a-fA-F:]+)\])?(?: 的路由|\s*$)", re.MULTILINE
)


def read_pathping(text: str) -> Reading:
    """Loss from the source to each hop; a node's own loss is local to that router."""
    reading = Reading("pathping")
    nodes = list(_NODE.finditer(text))
    links = list(_LINK.finditer(text))
    to = _PATHPING_TO.search(text)
    target = (to["address"] or to["name"]) if to else None
    reading.hosts = [node["host"] for node in nodes]
    begun = len(_PERCENT.findall(text))
    reading.complete = bool(nodes and to) and bool(_DONE.search(text)) and begun == len(nodes) + len(links)
    reading.show(hops=len(nodes) or None, target=target)
    if not nodes:
        reading.say(path_seen=bool(_TRACED.search(text)))
        return reading
    last = nodes[-1]
    loss, sent = float(last["loss"]), float(last["sent"])
    worst = most(float(link["loss"]) for link in links)
    reading.show(
        last_hop_loss_pct=whole(loss),
        last_hop_rtt_ms=number(last["rtt"]),
        link_loss_pct=whole(worst) if worst is not None else None,
    )
    at = next((index for index, link in enumerate(links) if float(link["loss"]) == worst), None)
    if worst and at is not None:
        reading.show(link_loss_at=f"{at}-{at + 1}")
    reading.count(probes=sent, lost=float(last["lost"]))
    reading.measure("%", loss=loss)
    reading.measure("ms", rtt=number(last["rtt"]))
    reached = target is None or _names(last["host"], target)
    reading.say(path_seen=True, reached=reached and loss < 100)
    return reading
