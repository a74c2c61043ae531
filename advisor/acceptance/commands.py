"""The commands of an acceptance as scripts: one for the server, one for the office (bash and PowerShell), one for the
data source.

The scripts stand beside this module as files; here a plan's targets are checked, quoted and put in. A value that could
mean anything else to a shell is refused, not escaped around. Lengths and counts come from heuristics.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from importlib.resources import files

from advisor.core.errors import BadInput
from advisor.knowledge.library import Library

_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:]{2,45}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_PATH = re.compile(r"/[\w./ +@-]*", re.ASCII)
_URL = re.compile(r"https?://[A-Za-z0-9][\w.:-]*(?:/[\w./%?=&+~:@,-]*)?", re.ASCII)
_GIT = re.compile(r"(?:https|ssh)://[A-Za-z0-9][\w.:@-]*/[\w./~-]+|[\w.-]+@[\w.-]+:[\w./~-]+", re.ASCII)
_PLACEHOLDER = re.compile(r"@([A-Z_]+)@")
PORTS = 2**16


@dataclass(frozen=True)
class Site:
    """What the scripts need to know: the server's address, the line tested, and the services of the daily work."""

    target: str = ""
    carrier: str = "unknown"
    ports: tuple[int, ...] = (22,)
    iperf_port: int = 5201
    data_dir: str = "/tmp"
    page: str = ""
    repository: str = ""
    registry: str = ""
    storage: str = ""
    office: str = ""
    """The office's public address, for the way back."""


def scripts(site: Site, library: Library) -> dict[str, str]:
    """File name -> script. Raises `BadInput` naming the value that is no address, path or name."""
    values = _values(_checked(site), library)
    bash = _text("common.sh")
    found = {"server.sh": _filled("#!/usr/bin/env bash\n" + bash + _text("server.sh"), {**values, "PLACE": "server"})}
    for place in ("office", "source"):
        text = "#!/usr/bin/env bash\n" + bash + _text("route.sh")
        found[f"{place}.sh"] = _filled(text, {**values, "PLACE": place})
    found["office.ps1"] = _filled(_text("office.ps1"), values)
    return found


def _text(name: str) -> str:
    return (files("advisor.acceptance") / "scripts" / name).read_text("utf-8")


def _filled(text: str, values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)


def _checked(site: Site) -> Site:
    """The same site, or `BadInput` for the first value that is not what its name says."""
    shapes = (
        ("target", site.target, _HOST, "a host name or an address"),
        ("carrier", site.carrier, _NAME, "a short name of letters and digits"),
        ("data_dir", site.data_dir, _PATH, "an absolute path without special characters"),
    )
    optional = (
        ("page", site.page, _URL, "an http or https address"),
        ("registry", site.registry, _URL, "an http or https address"),
        ("storage", site.storage, _URL, "an http or https address"),
        ("repository", site.repository, _GIT, "a Git address"),
        ("office", site.office, _HOST, "a host name or an address"),
    )
    for name, value, shape, expected in (*shapes, *(one for one in optional if one[1])):
        if not shape.fullmatch(value) or ".." in value or value.startswith("-"):
            raise BadInput(f'"{value}" will not do', where=name, expected=expected)
    for port in (*site.ports, site.iperf_port):
        if not 0 < port < PORTS:
            raise BadInput(f"{port} is no port", where="ports", expected=f"1 to {PORTS - 1}")
    return site


def _values(site: Site, library: Library) -> dict[str, str]:
    texts = {
        "TARGET": site.target,
        "CARRIER": site.carrier,
        "DATA_DIR": site.data_dir,
        "PAGE": site.page,
        "REPOSITORY": site.repository,
        "REGISTRY": site.registry,
        "STORAGE": site.storage,
        "OFFICE": site.office,
        "PORTS": " ".join(map(str, site.ports)),
    }
    numbers = {
        "IPERF_PORT": site.iperf_port,
        "PROBES": library.heuristic("acceptance.probes").value,
        "FIO_SECONDS": library.heuristic("acceptance.fio_length").value,
        "FIO_GIB": library.heuristic("acceptance.fio_file").value,
        "BURN_SECONDS": library.heuristic("acceptance.burn_length").to("s").value,
        "TRIES": library.heuristic("acceptance.tries_planned").value,
        "FEW": library.heuristic("acceptance.tries_few").value,
        "SECONDS": library.heuristic("acceptance.iperf_length").value,
    }
    shown = {key: shlex.quote(value) for key, value in texts.items()}
    shown |= {f"{key}_PS": "'" + value.replace("'", "''") + "'" for key, value in texts.items()}
    shown["PORTS_PS"] = "@(" + ", ".join(map(str, site.ports)) + ")"
    return shown | {key: str(int(value)) for key, value in numbers.items()}
