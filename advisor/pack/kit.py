"""The order pack as files: the same plan and day give the same bytes, as a folder or as one archive.

A folder is written whole or not at all, and only where nothing else stands: a folder that is not empty and is no
earlier pack is refused.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from advisor.core.errors import BadInput

# The list of a pack's own files with their hashes: what makes a folder known as a pack.
MANIFEST = "MANIFEST.sha256"
# The oldest time that an archive can hold: the same bytes on every day.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_FILE, _SCRIPT = 0o644, 0o755


@dataclass(frozen=True)
class Kit:
    """The files of a pack by path, in order, and the answer that they were made from."""

    files: Mapping[str, bytes]
    plan: Mapping[str, Any]

    def zip(self) -> bytes:
        """One archive, the same bytes for the same files; all below a folder named after the plan."""
        out = BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, body in self.files.items():
                info = zipfile.ZipInfo(f"{self.folder}/{path}", _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.create_system = _UNIX
                info.external_attr = mode(path) << _MODE_BITS
                archive.writestr(info, body)
        return out.getvalue()

    @property
    def folder(self) -> str:
        """What the folder of this pack is called."""
        return f"hkgpu-{self.plan['plan']}"


# A ZIP keeps Unix permissions in the upper half of 32 bits, for entries made by system 3.
_MODE_BITS = 2**4
_UNIX = 2 + 1


def sealed(files: Mapping[str, bytes], plan: Mapping[str, Any]) -> Kit:
    """A kit of these files, sorted, with the list of their hashes."""
    for path in files:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or str(pure) != path:
            raise BadInput(f'"{path}" is no path inside a pack')
    lines = [f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files)]
    whole = {**files, MANIFEST: "".join(lines).encode()}
    return Kit({path: whole[path] for path in sorted(whole)}, plan)


def mode(path: str) -> int:
    """Permissions of a file: scripts may be run."""
    return _SCRIPT if path.endswith(".sh") else _FILE


def write(kit: Kit, directory: Path) -> None:
    """Write a kit into a folder, all of it or nothing; an earlier pack there is replaced.

    Raises `BadInput` where the folder holds anything else, or cannot be written.
    """
    _refuse_foreign(directory)
    parent = directory.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=parent))
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", where=str(directory)) from None
    try:
        for path, body in kit.files.items():
            target = beside / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
            target.chmod(mode(path))
        beside.chmod(_SCRIPT)
        _swap(beside, directory)
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", where=str(directory)) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _swap(beside: Path, directory: Path) -> None:
    """Put the new folder in the place of the old one."""
    if directory.is_dir():
        old = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=beside.parent))
        os.rename(directory, old)
        try:
            os.rename(beside, directory)
        except OSError:
            os.rename(old, directory)
            raise
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(beside, directory)


def _refuse_foreign(directory: Path) -> None:
    """Raises `BadInput` for a folder that holds what no pack has put there, or what somebody has changed since."""
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise BadInput("is no folder", where=str(directory), do="name a new folder")
    if not directory.exists() or not any(directory.iterdir()):
        return
    hashes = _hashes(directory)
    if hashes is None:
        raise BadInput("is not empty and no earlier pack", where=str(directory), do="name a new folder")
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        if name != MANIFEST and name not in hashes:
            raise BadInput(f"holds {name}, which no pack put there", where=str(directory), do="name a new folder")
        if name != MANIFEST and hashlib.sha256(path.read_bytes()).hexdigest() != hashes[name]:
            raise BadInput(f"{name} was changed since it was written", where=str(directory), do="name a new folder")


def _hashes(directory: Path) -> dict[str, str] | None:
    """The files that the pack in a folder put there, with their hashes; None where it is no pack."""
    try:
        lines = (directory / MANIFEST).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    pairs = [line.partition("  ") for line in lines]
    width = len(hashlib.sha256().hexdigest())
    if not pairs or any(len(digest) != width or not name for digest, _, name in pairs):
        return None
    return {name: digest for digest, _, name in pairs}
