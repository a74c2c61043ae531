"""Ports and services of the daily work, as people paste them: nc, telnet, tcping, ssh, git, a registry, object storage.

A service that asks who one is has answered: the line is good, whatever the key. What a tool could not try (no name, no
credentials) is no proof in either direction.
"""

from __future__ import annotations

import re

from advisor.acceptance.numerals import number
from advisor.acceptance.reading import Reading

_OPEN = re.compile(
    r"port \[tcp/\S+\] succeeded|\bport \d+ \[tcp/\S+\] succeeded|Ncat: Connected to|\(\S+:\d+\) open"
    r"|\) open\s*$|\b\d{1,5} \([\w-]+\) open"
    r"|^Connected to \S+?\.\s*$|Port is open|^\d+/tcp\s+open\b|tcp port \d+ open",
    re.MULTILINE,
)
_CLOSED = re.compile(
    r"Connection refused|timed out|TIMEOUT|No route to host|Network is unreachable|Unable to connect to remote host"
    r"|无法打开到主机的连接|連線失敗|连接失败|Port is closed|No response"
    r"|^\d+/tcp\s+(?:closed|filtered)\b|Connection reset",
    re.IGNORECASE | re.MULTILINE,
)
_UNNAMED = re.compile(
    r"Could not resolve|Name or service not known|nodename nor servname|getaddrinfo"
    r"|Unknown host|bad address",
    re.IGNORECASE,
)
_AIM = re.compile(r"(?P<host>[\w.-]+\.[\w.-]+|localhost)[\]) ]*(?:port |:|\s)\s*(?P<port>\d{1,5})\b")
_PROBED = re.compile(r"^[ \t]*(?P<ok>\d+) successful, (?P<failed>\d+) failed", re.MULTILINE)


def read_port(text: str) -> Reading:
    """One port, or several tries of it; tcping counts them."""
    reading = Reading("port-check")
    aim, probed = _AIM.search(text), _PROBED.search(text)
    reading.show(target=aim["host"] if aim else None, port=number(aim["port"]) if aim else None)
    opened, closed = len(_OPEN.findall(text)), len(_CLOSED.findall(text))
    if probed:
        opened, closed = int(probed["ok"]), int(probed["failed"])
    if _UNNAMED.search(text) and not opened:
        reading.ran = False
        reading.show(error="the name is unknown")
        return reading
    # tcping ends with its count; without it the run was stopped or cut.
    reading.complete = bool(opened or closed) and (probed is not None or "Probing " not in text)
    reading.show(open=opened, closed=closed)
    if opened + closed:
        # Another port in the same text that is closed must not hide behind one that is open.
        reading.say(port_open=closed == 0 if not probed else opened > 0)
    if probed and opened + closed > 2:
        reading.count(tries=opened + closed)
        reading.measure("%", tries_failed=100 * closed / (opened + closed))
    return reading


_SSH_ANSWER = re.compile(
    r"Permission denied \(|Host key verification failed|Connection established|Authenticated to|authenticity of host"
    r"|Last login:|debug1: Remote protocol version|Too many authentication failures"
)
_SSH_CUT = re.compile(
    r"kex_exchange_identification|Connection (?:closed|reset) by (?:remote host|\S+ port)|Broken pipe|banner exchange",
    re.IGNORECASE,
)


def read_ssh(text: str) -> Reading:
    """ssh's own words: refused and timed out are closed, a refused key is an open port, a cut handshake is a fault."""
    reading = Reading("ssh")
    aim = re.search(r"connect to host (?P<host>\S+) port (?P<port>\d+)", text)
    reading.show(target=aim["host"] if aim else None, port=number(aim["port"]) if aim else None)
    if _UNNAMED.search(text):
        reading.ran = False
        return reading
    cut, closed = bool(_SSH_CUT.search(text)), bool(_CLOSED.search(text))
    answered = bool(_SSH_ANSWER.search(text))
    reading.complete = cut or closed or answered
    if reading.complete:
        reading.say(port_open=answered and not closed and not cut, handshake_cut=cut and not answered)
    return reading


_REF = re.compile(r"^[0-9a-f]{40}\t(?:HEAD|refs/\S+)", re.MULTILINE)
_CLONED = re.compile(r"Receiving objects: 100% \(\d+/\d+\)[^\n]*done\.|Resolving deltas: 100%|Already up to date")
_GIT_ANSWER = re.compile(
    r"repository '[^']*' not found|Authentication failed|could not read Username"
    r"|Permission denied|HTTP Basic: Access denied"
)
_GIT_ERROR = re.compile(r"^(?:fatal|error): (?P<text>[^\n]*)", re.MULTILINE)
_RATE = re.compile(r"\|\s*(?P<rate>[\d.]+) (?P<unit>[KMG])iB/s")


def read_git(text: str) -> Reading:
    """git ls-remote, clone, fetch: refs or all objects received, or the error."""
    reading = Reading("git")
    refs, error, rates = len(_REF.findall(text)), _GIT_ERROR.search(text), list(_RATE.finditer(text))
    done = bool(refs or _CLONED.search(text))
    if rates:
        reading.show(rate=f"{rates[-1]['rate']} {rates[-1]['unit']}iB/s")
    reading.show(refs=refs or None, error=error["text"] if error else None)
    refused = bool(_GIT_ANSWER.search(text))
    broken = error is not None and not refused
    if _UNNAMED.search(text) and not done:
        reading.ran = False
        return reading
    reading.complete = done or broken or refused
    if reading.complete:
        reading.say(service_answers=not broken)
    return reading


_PULLED = re.compile(r"Status: (?:Downloaded newer image|Image is up to date) for (?P<image>\S+)")
_PULL_ERROR = re.compile(
    r"Error response from daemon: (?P<text>[^\n]*)|^Error: (?P<other>[^\n]*pull[^\n]*)", re.MULTILINE
)
_PULL_ANSWER = re.compile(
    r"manifest unknown|pull access denied|unauthorized|denied: requested|toomanyrequests|not found: manifest"
)


def read_pull(text: str) -> Reading:
    """docker pull: the image is there, or the registry said why not."""
    reading = Reading("docker-pull")
    pulled, error = _PULLED.search(text), _PULL_ERROR.search(text)
    answered = bool(_PULL_ANSWER.search(text))
    reading.show(image=pulled["image"] if pulled else None)
    reading.show(error=(error["text"] or error["other"]) if error else None)
    reading.complete = bool(pulled or error)
    if reading.complete:
        reading.say(service_answers=bool(pulled) or answered)
    return reading


_HEAD = re.compile(r"^HTTP/(?P<version>[\d.]+) (?P<code>\d{3})", re.MULTILINE)


def read_head(text: str) -> Reading:
    """The head of an answer over HTTP: a registry says 401 to a stranger, an object storage 403; both are at home."""
    reading = Reading("http-head")
    codes = [found["code"] for found in _HEAD.finditer(text)]
    registry = bool(
        re.search(r"^docker-distribution-api-version|^www-authenticate: bearer", text, re.IGNORECASE | re.MULTILINE)
    )
    reading.show(code=codes[-1] if codes else None, registry="yes" if registry else None)
    value = number(codes[-1]) if codes else None
    reading.complete = value is not None
    reading.measure("", http_code=value if value is not None and not registry else None)
    if value is not None:
        storage = bool(re.search(r"^(?:x-amz-|x-oss-|x-cos-|x-obs-)", text, re.IGNORECASE | re.MULTILINE))
        reading.say(service_answers=True if registry or storage else None)
    return reading


_BUCKET = re.compile(r"^[ \t]*(?:-1 )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s+(?:-?\d+ )?\s*\S+$", re.MULTILINE)
_NO_KEY = re.compile(
    r"Unable to locate credentials|didn't find section in config|NoCredentialProviders"
    r"|InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied"
)
_STORE_ERROR = re.compile(
    r"Could not connect to the endpoint|Failed to (?:lsd|ls|create file system|list)"
    r"|connect: connection|i/o timeout|RequestTimeout"
)


def read_storage(text: str) -> Reading:
    """A list of buckets or objects from rclone, aws or ossutil, or what stood in its place."""
    reading = Reading("object-storage")
    rows = len(_BUCKET.findall(text))
    broken, keyless = bool(_STORE_ERROR.search(text)), bool(_NO_KEY.search(text))
    reading.show(rows=rows or None, error="no credentials" if keyless else "no connection" if broken else None)
    if keyless:
        reading.ran = False
        return reading
    reading.complete = bool(rows or broken)
    if reading.complete:
        reading.say(service_answers=not broken)
    return reading
