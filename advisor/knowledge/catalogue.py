"""The catalogue: which file holds which id, over all roots, without reading the files.

Path = id: `rules/sizing/margin.yaml` is the rule `sizing.margin`, `knowledge/heuristics/memory/context.yaml` the
heuristic `memory.context`, `rules/facts/model/id.yaml` (or `model.id.yaml`) the fact `model.id`. A file in an unknown
folder, of another type than .yaml, or with a name that is no id is refused rather than passed over.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from advisor.core.errors import BadData, did_you_mean

_ID = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
# Under rules/acceptance both checklist items and rules may stand; the line tells them apart.
_ITEM = re.compile(rb"^kind:[ \t]*item[ \t]*(#.*)?\r?$", re.MULTILINE)
KNOWLEDGE = (
    "gpus",
    "models",
    "frameworks",
    "compatibility",
    "faults",
    "offers",
    "requests",
    "routes",
    "heuristics",
    "claims",
    "sources",
    "words",
)
# Folders of rules/facts that are read off something, and folders of rules that judge what was read.
READ = ("read", "quote")
JUDGES = ("judging", "quoting")
PLACE = Path("knowledge") / "place.yaml"


class Catalogue:
    """The files of the given roots; a file of a later root replaces the one with the same id."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self.roots = roots

    def files(self, kind: str) -> Mapping[str, Path]:
        """Id -> file of one kind (`gpus`, ..., `facts`, `readings`, `rules`, `judging`, `quoting`, `items`), by id."""
        return self._by_kind.get(kind, {})

    @property
    def place(self) -> Path | None:
        """The file that says what "here" is, if there is one."""
        for root in reversed(self.roots):
            if (root / PLACE).is_file():
                return root / PLACE
        return None

    @cached_property
    def version(self) -> str:
        """Twelve hex digits of what all files say; the same on every machine that holds the same data."""
        digest = hashlib.sha256()
        every = [
            (f"{kind}/{key}", path) for kind, files in sorted(self._by_kind.items()) for key, path in files.items()
        ]
        every += [("place", self.place)] if self.place else []
        for name, path in every:
            digest.update(f"{name}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()[:12]

    @cached_property
    def _by_kind(self) -> dict[str, dict[str, Path]]:
        found: dict[str, dict[str, Path]] = {}
        for root in self.roots:
            if root != self.roots[0]:
                _within(root)
            for kind, files in _scan(root).items():
                found.setdefault(kind, {}).update(files)
        # An overlay may replace a rule by an item of the same id and the other way round: the later root wins.
        for key in found.get("rules", {}).keys() & found.get("items", {}).keys():
            loser = "rules" if _is_item(_last(self.roots, key)) else "items"
            del found[loser][key]
        return {kind: dict(sorted(files.items())) for kind, files in found.items()}


def _within(root: Path) -> None:
    """Refuse links of an overlay that lead out of it: its folder is what was checked and handed over."""
    home = root.resolve()
    for directory, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(directory, name)
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                raise BadData(
                    f"is a link that leads out of the folder, to {path.resolve()}",
                    where=str(path),
                    expected="files of the overlay's own",
                    do="copy what it points to",
                )
            if path.is_symlink() and path.is_dir():
                raise BadData("is a link to a folder", where=str(path), do="put the files there themselves")


def _scan(root: Path) -> dict[str, dict[str, Path]]:
    found: dict[str, dict[str, Path]] = {}
    for path, parts in _yaml_files(root / "knowledge"):
        if len(parts) == 1 and path.name == PLACE.name:
            continue
        if len(parts) == 1 or parts[0] not in KNOWLEDGE:
            raise BadData(
                f"stands in no known folder of knowledge/ ({parts[0]})",
                where=str(path),
                expected=f"one of {', '.join(KNOWLEDGE)}",
                do=did_you_mean(parts[0], KNOWLEDGE),
            )
        _add(found.setdefault(parts[0], {}), ".".join(parts[1:]), path)
    for path, parts in _yaml_files(root / "rules"):
        if len(parts) == 1:
            raise BadData("stands in no folder of rules/", where=str(path), expected="rules/FOLDER/NAME.yaml")
        if parts[0] == "facts":
            # What is read off outputs and offers, and the rules on it, are shelves of their own: asking needs none.
            kind = "readings" if parts[1] in READ else "facts"
            _add(found.setdefault(kind, {}), ".".join(parts[1:]), path)
        elif parts[0] in JUDGES:
            _add(found.setdefault(parts[0], {}), ".".join(parts), path)
        else:
            kind = "items" if parts[0] == "acceptance" and _is_item(path) else "rules"
            _add(found.setdefault(kind, {}), ".".join(parts), path)
    return found


def _add(files: dict[str, Path], key: str, path: Path) -> None:
    if not _ID.fullmatch(key):
        raise BadData(f'the path gives the id "{key}"', where=str(path), expected="lower case letters, digits, _ and .")
    if key in files:
        raise BadData(f'the id "{key}" stands in two files', where=str(path), do=f"the other is {files[key]}")
    files[key] = path


def _yaml_files(folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Each YAML file with its path's parts, the last without .yaml; refuses what looks like data and is not."""
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        above = Path(directory).relative_to(folder).parts
        for name in sorted(names):
            if name.startswith(".") or name.endswith(".md"):
                continue
            path = Path(directory, name)
            if not name.endswith(".yaml"):
                raise BadData("is no .yaml file", where=str(path), do="rename it or take it away")
            yield path, (*above, name.removesuffix(".yaml"))


def _is_item(path: Path) -> bool:
    return bool(_ITEM.search(path.read_bytes()))


def _last(roots: tuple[Path, ...], key: str) -> Path:
    parts = key.split(".")
    for root in reversed(roots):
        path = root.joinpath("rules", *parts).with_suffix(".yaml")
        if path.is_file():
            return path
    raise BadData(f'the id "{key}" is a rule and an item', do="rename one of the two")
