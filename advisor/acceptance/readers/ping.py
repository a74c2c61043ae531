"""ping of iputils, busybox, macOS and Windows, in any language that keeps the digits.

Windows is read by position (three counts, three times), so that a language nobody listed and a text shown in the wrong
encoding are read like English. Counts that do not add up make the output contradictory.
"""

from __future__ import annotations

import re
from statistics import pstdev

from advisor.acceptance.numerals import number, percent, with_points
from advisor.acceptance.reading import Reading, whole

_UNIX = re.compile(
    r"(?P<sent>\d+) packets transmitted, (?P<recv>\d+) (?:packets )?received,"
    r"(?: \+?(?P<dup>\d+) duplicates,)?(?: \+(?P<errors>\d+) errors,)? (?P<loss>\d+\.?\d*)% packet loss"
)
_TIMES = re.compile(
    r"(?:rtt|round-trip) min/avg/max(?P<dev>/(?:mdev"
    r"|stddev))? = (?P<min>\d+\.?\d*)/(?P<avg>\d+\.?\d*)/(?P<max>\d+\.?\d*)(?:/(?P<mdev>\d+\.?\d*))? ms"
)
_REPLY = re.compile(r"(?:[=<≤]\s?|時間|时间)(?P<time>\d+(?:\.\d+)?)\s*(?:ms|мсек|мс|毫秒)(?![a-z])")
_LESS = re.compile(r"<\s?1\s*ms")
_WINDOWS = re.compile(
    r"^[^\n]*?=\s*(?P<sent>\d+)[^\n=\d]*=\s*(?P<recv>\d+)[^\n=\d]*=\s*(?P<lost>\d+)[^\d%]*?(?P<loss>\d+)\s*%",
    re.MULTILINE,
)
_WINDOWS_TIMES = re.compile(
    r"^[^\n]*?=\s*(?P<min>\d+)\s*(?:ms|мсек|мс)[^\n]*?=\s*(?P<max>\d+)\s*(?:ms|мсек|мс)[^\n]*?=\s*(?P<avg>\d+)\s*(?:ms|мсек|мс)",
    re.MULTILINE,
)
_UNREACHABLE = re.compile(
    r"Unreachable|unreachable|无法访问|無法連線|TTL expired|expired in transit|General failure|一般故障"
)
_TARGET = re.compile(
    r"(?:PING|Pinging|正在 Ping|Ping wird ausgeführt für|'Ping'|Ping) (?P<target>[^\s(\[{]*[.:][^\s(\[{]*)"
)
_FAILED = re.compile(
    r"unknown host|Name or service not known|could not find host|找不到主机|bad address|Operation not permitted"
    r"|not found",
    re.IGNORECASE,
)


def read(text: str) -> Reading:
    """Probes sent, lost and the round trip."""
    reading = Reading("ping")
    text = with_points(text)
    target = _TARGET.search(text)
    reading.show(target=target["target"] if target else None)
    unix = _UNIX.search(text)
    windows = None if unix else _WINDOWS.search(text)
    if _FAILED.search(text) and not (unix or windows):
        reading.ran = False
        reading.show(error="did not run")
        return reading
    if not unix and not windows:
        reading.complete = False
        return reading
    found = unix or windows
    assert found is not None
    sent, recv, loss = float(found["sent"]), float(found["recv"]), float(found["loss"])
    reading.show(sent=whole(sent), recv=whole(recv), loss_pct=whole(loss))
    _counts(reading, found.groupdict(), sent, recv, loss, text)
    _times(reading, text, unix is not None, recv)
    return reading


def _counts(reading: Reading, found: dict[str, str | None], sent: float, recv: float, loss: float, text: str) -> None:
    lost = sent - recv
    computed = percent(lost, sent)
    if found.get("lost") is not None and float(found["lost"] or 0) != lost:
        reading.contradictory = True
    if recv > sent or computed is None or abs(computed - loss) > 1:
        reading.contradictory = True
    replies = len(re.findall(r"icmp_seq=\d+ .*time|[^-\w]seq=\d+ .*time", text))
    if replies > recv and not found.get("dup"):
        reading.contradictory = True
    if found.get("errors"):
        reading.show(errors=number(found["errors"]))
    reading.count(probes=sent, lost=lost)
    reading.measure("%", loss=loss)
    said = bool(found.get("errors")) or bool(_UNREACHABLE.search(text))
    reading.say(unreachable=said, silent=recv == 0 and not said)


def _times(reading: Reading, text: str, unix: bool, recv: float) -> None:
    found = (_TIMES if unix else _WINDOWS_TIMES).search(text)
    times = [0.0 if _LESS.fullmatch(one[0].strip()) else float(one["time"]) for one in _REPLY.finditer(text)]
    statistics = 0 if found is None or unix else 2 + 1
    replies = times[: len(times) - statistics] if statistics else times
    if found is None:
        # Windows counts "unreachable" as an answer; without one time no probe came back.
        reading.complete = recv == 0 or bool(reading.facts.get("unreachable"))
        if reading.facts.get("unreachable"):
            reading.measure("%", loss=100.0)
        return
    low, avg, high = float(found["min"]), float(found["avg"]), float(found["max"])
    reading.show(min_ms=whole(low), avg_ms=whole(avg), max_ms=whole(high))
    if not low <= avg <= high:
        reading.contradictory = True
    spread = number(found.groupdict().get("mdev"))
    if spread is None and 1 < len(replies) == recv:
        spread = pstdev(replies)
    reading.show(mdev_ms=round(spread, 2) if spread is not None else None)
    reading.measure("ms", rtt=avg, jitter=spread, swing=high - low)
