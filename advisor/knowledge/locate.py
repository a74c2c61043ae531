"""Where rules/ and knowledge/ are.

The setting `HKGPU_DATA` names a folder that holds both; else the checkout's top level; else the data packed into the
wheel (`advisor/_data`). `HKGPU_OVERLAY` lays one more folder over them. A folder that is named but is not there is an
error, never skipped: an operator's price list that silently does not count would be worse.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from advisor.core.errors import BadInput

ROOMS = ("rules", "knowledge")
_PACKAGE = Path(__file__).resolve().parent.parent


def data_roots(environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """The folders that hold rules/ and knowledge/, the overlay last; raises `BadInput` where one is missing."""
    environment = os.environ if environment is None else environment
    roots = [_base(environment.get("HKGPU_DATA", ""))]
    overlay = environment.get("HKGPU_OVERLAY", "")
    if overlay:
        roots.append(_overlay(Path(overlay)))
    return tuple(roots)


def _base(setting: str) -> Path:
    if setting:
        root = Path(setting)
        lacking = [room for room in ROOMS if not (root / room).is_dir()]
        if lacking:
            raise BadInput(
                f"HKGPU_DATA is {setting}, which has no folder {' and no folder '.join(lacking)}",
                expected="a folder that holds rules/ and knowledge/",
            )
        return root
    for root in (_PACKAGE.parent, _PACKAGE / "_data"):
        if all((root / room).is_dir() for room in ROOMS):
            return root
    raise BadInput(
        "rules/ and knowledge/ are found neither beside the package nor in it",
        do="install hkgpu again, or set HKGPU_DATA to the folder that holds them",
    )


def _overlay(root: Path) -> Path:
    if not root.is_dir():
        raise BadInput(f"HKGPU_OVERLAY is {root}, which is no folder", do="create it or unset HKGPU_OVERLAY")
    if not any((root / room).is_dir() for room in ROOMS):
        raise BadInput(
            f"HKGPU_OVERLAY is {root}, which holds neither rules/ nor knowledge/", do="put one of them there"
        )
    return root
