"""curl -w with the names that the checklist's command asks for, and PowerShell's Test-NetConnection.

A page that says 404 has a speed too. Test-NetConnection with a port skips the ping and still says PingSucceeded False:
that is "not tested".
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading, whole

_PAIR = re.compile(
    r"\b(?P<key>dns|connect|tls|ttfb|total|size|speed|code|http[_ ]code|status|time_\w+|(?:size|speed)_download)"
    r"\s*[:=]\s*(?P<value>[\d.,]+)",
    re.IGNORECASE,
)
_ALIAS = {
    "time_namelookup": "dns",
    "time_connect": "connect",
    "time_appconnect": "tls",
    "time_starttransfer": "ttfb",
    "time_total": "total",
    "http_code": "code",
    "http code": "code",
    "status": "code",
    "size_download": "size",
    "speed_download": "speed",
}
_UNITS = {"dns": "s", "connect": "s", "tls": "s", "ttfb": "s", "total": "s", "size": "b", "speed": "b_s"}
_ERROR = re.compile(r"curl: \((?P<code>\d+)\) (?P<text>[^\n]*)")


def read_curl(text: str) -> Reading:
    """Times in seconds, size in bytes, speed in bytes a second, and the status."""
    reading = Reading("curl")
    found: dict[str, str] = {}
    for pair in _PAIR.finditer(text):
        key = pair["key"].lower()
        found[_ALIAS.get(key, key)] = pair["value"].replace(",", ".")
    for key, unit in _UNITS.items():
        value = number(found.get(key))
        reading.show(**{f"{key}_{unit}": whole(value) if value is not None and key in ("size", "speed") else value})
    error = _ERROR.search(text)
    if error:
        reading.show(error=error["text"], exit_code=number(error["code"]))
    code = found.get("code")
    reading.show(code=code)
    answered = number(code)
    reading.complete = code is not None or error is not None
    if answered:
        reading.measure("", http_code=answered)
    reading.say(no_connection=error is not None or answered == 0 if reading.complete else None)
    if error and error["code"] == "6":
        reading.say(unresolved=True)
    reading.measure("s", first_byte=number(found.get("ttfb")) if answered else None)
    speed = number(found.get("speed"))
    if answered and speed is not None:
        reading.measure("Mbps", web_rate=speed * 8 / 10**6)
    return reading


_FIELD = re.compile(r"^[ \t]*(?P<key>[A-Z][A-Za-z]+(?: \(RTT\))?)\s*:\s?(?P<value>[^\n]*)$", re.MULTILINE)


def read_tnc(text: str) -> Reading:
    """TCP and ping of Test-NetConnection."""
    reading = Reading("test-netconnection")
    fields = {found["key"]: found["value"].strip() for found in _FIELD.finditer(text)}
    tcp, ping = fields.get("TcpTestSucceeded"), fields.get("PingSucceeded")
    rtt = number(fields.get("PingReplyDetails (RTT)"))
    reading.show(target=fields.get("ComputerName"), port=_port(fields.get("RemotePort")), tcp=tcp, rtt_ms=rtt)
    asked_port = "RemotePort" in fields
    reading.complete = tcp in ("True", "False") or (ping in ("True", "False") and not asked_port)
    if tcp in ("True", "False"):
        reading.say(port_open=tcp == "True")
        reading.show(ping="not tested" if ping is None else ping)
    elif ping in ("True", "False"):
        reading.show(ping=ping)
        reading.say(ping_answered=ping == "True")
    reading.measure("ms", rtt=rtt)
    return reading


def _port(text: str | None) -> float | int | str | None:
    value = number(text)
    return None if value is None else whole(value)
