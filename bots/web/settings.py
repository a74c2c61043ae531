"""What an operator sets for the web face, read once at the start; a wrong setting ends the start with its name.

`HKGPU_WEB_LOGIN`: `name:password`, several separated by line breaks or commas; without it nobody has to log in.
`HKGPU_WEB_USER_HEADER`: the header in which a single sign-on in front names the user; it is believed only from the
addresses in `HKGPU_TRUSTED_PROXIES` (addresses or networks, separated by commas), from which X-Forwarded-Proto and
X-Forwarded-Host are believed too. `HKGPU_WEB_ROOT_PATH`: the path under which a proxy shows the pages.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.core.errors import BadInput

LOGIN, HEADER, PROXIES, ROOT_PATH = (
    "HKGPU_WEB_LOGIN", "HKGPU_WEB_USER_HEADER", "HKGPU_TRUSTED_PROXIES", "HKGPU_WEB_ROOT_PATH",
)  # fmt: skip
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_ROOT = re.compile(r"(/[A-Za-z0-9._~-]+)*")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Settings:
    """The settings of one server. `logins` are name and password."""

    logins: Mapping[str, str] = field(default_factory=dict)
    user_header: str = ""
    proxies: tuple[Network, ...] = ()
    root_path: str = ""

    @property
    def closed(self) -> bool:
        """Whether somebody has to be known to get in."""
        return bool(self.logins or self.user_header)

    def trusts(self, address: str) -> bool:
        """Whether headers that speak for somebody else are believed from this address."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.proxies)


def read(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of the environment. Raises `BadInput` naming the variable; passwords are never in a message."""
    said = os.environ if environment is None else environment
    header = said.get(HEADER, "").strip()
    proxies = _proxies(said.get(PROXIES, ""))
    if header and not _HEADER.fullmatch(header):
        raise BadInput("is no name of a header", where=HEADER, expected="a name like X-Forwarded-User")
    if header and not proxies:
        raise BadInput(
            "a user header is believed only from known proxies", where=HEADER, do=f"set {PROXIES} to their addresses"
        )
    root = said.get(ROOT_PATH, "").strip().rstrip("/")
    if not _ROOT.fullmatch(root):
        raise BadInput("is no path", where=ROOT_PATH, expected="a path like /gpu")
    return Settings(_logins(said.get(LOGIN, "")), header.lower(), proxies, root)


def _logins(text: str) -> dict[str, str]:
    found = {}
    for place, pair in enumerate((part.strip() for part in re.split(r"[\n,]", text) if part.strip()), 1):
        name, colon, password = pair.partition(":")
        if not (name and colon and password):
            raise BadInput(f"entry {place} is no login", where=LOGIN, expected="name:password")
        found[name] = password
    return found


def _proxies(text: str) -> tuple[Network, ...]:
    found = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        try:
            found.append(ipaddress.ip_network(part, strict=False))
        except ValueError:
            raise BadInput(f'"{part}" is no address', where=PROXIES, expected="an address or a network") from None
    return tuple(found)
