"""The container engine: docker info, the versions of NVIDIA's toolkit, and what docker says where cards are missing.

An engine that may not be asked (no right to its socket) is no proof of anything; one that doesn't answer is down.
"""

from __future__ import annotations

import re

from advisor.acceptance.reading import Reading
from advisor.acceptance.structured import dig, json_span

_RUNTIMES = re.compile(r"^[ \t]*Runtimes:\s*(?P<names>\S[^\n]*)$", re.MULTILINE)
_VERSION = re.compile(r"^[ \t]*Server Version:\s*(?P<version>\S+)", re.MULTILINE)
_DEVICES = re.compile(r"nvidia\.com/gpu|^[ \t]*cdi: nvidia", re.MULTILINE)
_DOWN = re.compile(
    r"Cannot connect to the Docker daemon|Is the docker daemon running|connection refused", re.IGNORECASE
)
_DENIED = re.compile(r"permission denied while trying to connect|permission denied.*docker\.sock", re.IGNORECASE)
_MISSING = re.compile(r"docker: command not found|docker: not found", re.IGNORECASE)


def read_docker(text: str) -> Reading:
    """Whether the engine runs and lists NVIDIA's runtime, or knows the cards as CDI devices."""
    reading = Reading("docker-info")
    span = json_span(text)
    data = span[0] if span else None
    listed = dig(data, "Runtimes")
    names = list(listed) if isinstance(listed, dict) else []
    found, version = _RUNTIMES.search(text), _VERSION.search(text)
    if found:
        names = found["names"].split()
    reading.version = version["version"] if version else str(dig(data, "ServerVersion") or "")
    if _DENIED.search(text):
        reading.ran = False
        reading.show(error="no right to ask the engine")
        return reading
    down = bool(_DOWN.search(text) or _MISSING.search(text)) and not names
    reading.show(runtimes=",".join(names) or None, engine="down" if down else "up" if names else None)
    reading.complete = bool(names) or down
    if down:
        reading.say(engine_up=False)
    elif names:
        reading.say(engine_up=True, nvidia_runtime="nvidia" in names or bool(_DEVICES.search(text)))
    return reading


_TOOLKIT = re.compile(
    r"(?:NVIDIA Container (?:Toolkit CLI|Runtime Hook|Runtime) version|cli-version:)"
    r"\s*(?P<version>\d+\.\d+\.\d+\S*)"
)


def read_toolkit(text: str) -> Reading:
    """nvidia-ctk --version, nvidia-container-cli -V: that it is there, and which."""
    reading = Reading("nvidia-ctk")
    found = _TOOLKIT.search(text)
    reading.version = found["version"] if found else ""
    missing = re.search(r"(?:nvidia-ctk|nvidia-container-cli): (?:command )?not found", text)
    reading.complete = found is not None or missing is not None
    reading.show(toolkit=found["version"] if found else "missing" if missing else None)
    if reading.complete:
        reading.say(toolkit_there=found is not None)
    return reading


_NO_CARD = re.compile(
    r"could not select device driver|nvidia-container-cli: |unknown or invalid runtime name: nvidia"
    r"|failed to discover GPU|unresolvable CDI devices|libnvidia-ml\.so|Failed to initialize NVML: Unknown Error"
)


def read_run(text: str) -> Reading:
    """What docker run prints in place of the list of cards."""
    reading = Reading("docker-run")
    found = _NO_CARD.search(text)
    reading.show(error=text.strip().split("\n")[0][: 2**7])
    reading.complete = found is not None
    if found:
        reading.say(container_sees_cards=False)
    else:
        reading.ran = False
    return reading
