"""Remembers which data was found right, so that a brief command need not check the same files again.

The stamp is an empty file in the user's cache folder, named after the program's version and the hash of all the data:
any change of a rule, a card or an overlay is other data and is checked in full. Where the folder can't be read or
written there is no stamp, and everything is checked each time.
"""

from __future__ import annotations

import contextlib
import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def folder() -> Path:
    """The user's cache folder; raises `RuntimeError` where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "hkgpu"


def _file(data_version: str) -> Path:
    try:
        program = version("hkgpu")
    except PackageNotFoundError:
        program = "checkout"
    return folder() / "checked" / f"{program}-{data_version}"


def stands(data_version: str) -> bool:
    """True where this data was found right before."""
    with contextlib.suppress(OSError, RuntimeError):
        return _file(data_version).exists()
    return False


def put(data_version: str) -> None:
    """Remember that this data is right."""
    with contextlib.suppress(OSError, RuntimeError):
        file = _file(data_version)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
