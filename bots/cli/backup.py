"""`hkgpu backup` and `hkgpu restore`: the operator's side of the conversations that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def backup(output: Annotated[Path, typer.Option("--output", "-o", help="A new file, e.g. hkgpu.jsonl.gz.")]) -> None:
    """Write all conversations to one file, while faces go on."""
    from advisor.consult import backups

    print(f"{backups.backup(output)} rows in {output}")


def restore(file: Annotated[Path, typer.Argument(help="A file that hkgpu backup wrote.")]) -> None:
    """Fill an empty database (HKGPU_DATABASE_URL) from a backup."""
    from advisor.consult import backups

    print(f"{backups.restore(file)} rows restored")
