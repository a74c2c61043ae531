"""What a person adds for the files of the pack: the server's address, folders, the data set, the names of things.

Everything here is checked: a host is a host, a user a user, a folder an absolute path of printable characters. What
could not be written safely into a shell script, YAML, JSON or Markdown is refused with the reason, never repaired.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from advisor.core.errors import BadInput, did_you_mean

_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:]{2,45}")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,14}")
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}:[A-Za-z0-9][A-Za-z0-9._/-]{0,1023}")
_HUB = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
# Control characters, half characters, and the marks that turn a text's direction.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
LONGEST = 2**10
PORTS = 2**16


@dataclass(frozen=True)
class Site:
    """Where things are. Paths are absolute; `model` is a hub's `owner/name` or an absolute path."""

    target: str = ""
    """The server, as SSH reaches it."""
    user: str = "root"
    port: int = 22
    data_dir: str = "/data"
    """The folder on the training disk."""
    source_dir: str = ""
    """Where the data lies now: an absolute path at the office or the data source."""
    dataset: str = ""
    """The training data on the server; default: datasets/train.jsonl in the data folder."""
    model: str = ""
    bucket: str = ""
    """An rclone remote with its path, for backups: `remote:bucket/folder`."""
    interface: str = ""
    """The network interface between several servers."""
    project: str = "run"
    """A short name of the run."""
    carrier: str = "unknown"


def site_of(given: Mapping[str, Any] | None) -> Site:
    """The site with every value checked; raises `BadInput` naming the value that will not do."""
    known = {field.name for field in fields(Site)}
    said = {key: value for key, value in (given or {}).items() if value not in (None, "")}
    for key in said:
        if key not in known:
            raise BadInput(f'a site has no "{key}"', expected=", ".join(sorted(known)), do=did_you_mean(key, known))
    port = said.get("port", Site.port)
    if isinstance(port, bool) or not str(port).isascii() or not str(port).isdigit() or not 0 < int(port) < PORTS:
        raise BadInput(f"{str(port)[:LONGEST]!r} is no port", where="port", expected=f"1 to {PORTS - 1}")
    words = {key: str(value) for key, value in said.items() if key != "port"}
    site = Site(**words, port=int(port))
    _matched("target", site.target, _HOST, "a host name or an address")
    _matched("user", site.user, _USER, "a user's name: small letters, digits, _ and -")
    _matched("project", site.project, _NAME, "letters, digits, dot, _ and -")
    _matched("carrier", site.carrier, _NAME, "letters, digits, dot, _ and -")
    _matched("interface", site.interface, _INTERFACE, "the name of a network interface")
    _matched("bucket", site.bucket, _REMOTE, "an rclone remote with a path, remote:bucket/folder")
    for name in ("data_dir", "source_dir", "dataset"):
        if value := getattr(site, name):
            _path(name, value)
    if site.model and not _HUB.fullmatch(site.model):
        _path("model", site.model)
    return site


def _matched(name: str, value: str, shape: re.Pattern[str], expected: str) -> None:
    if value and not (shape.fullmatch(value) and ".." not in value):
        raise BadInput(f"{value[:LONGEST]!r} will not do", where=name, expected=expected)


def _path(name: str, value: str) -> None:
    expected = "an absolute path without line breaks or control characters"
    if not value.startswith("/") or value.startswith("//"):
        raise BadInput(f"{value[:LONGEST]!r} is no absolute path", where=name, expected=expected)
    if _HIDDEN.search(value) or len(value) > LONGEST:
        raise BadInput(f"{value[:LONGEST]!r} will not do", where=name, expected=expected)
    if ".." in value.split("/") or value != value.strip():
        raise BadInput(f"{value!r} will not do", where=name, expected="a path without .. and blanks at its ends")
    if "{" in value or "}" in value:
        # A tool's file could take a brace for a name of its own (OmegaConf's ${...}).
        raise BadInput(f"{value!r} will not do", where=name, expected="a path without braces")
