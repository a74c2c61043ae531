"""A shelf: the files of one kind, read one by one when somebody asks for them.

Looking at the names of a shelf reads no file; asking for one record reads one file; going through the values reads
all. A file whose `id` is not its path is refused, since path = id = name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from advisor.core.errors import BadData, did_you_mean
from advisor.knowledge.plausible import check
from advisor.knowledge.reader import Document, read_file, read_text
from advisor.knowledge.typed import typed

R = TypeVar("R", bound=BaseModel)
# The keys that name a thing, each with its continuation lines: enough to recognise it without reading the record.
_NAMES = re.compile(r"^(?:name|label|family|hub|aliases):.*\n(?:(?:[ \-#].*)?\n)*", re.MULTILINE)


class Shelf(Mapping[str, R], Generic[R]):
    """The records of one kind by id. Safe from threads: reading a file twice gives equal records."""

    def __init__(
        self, kind: str, files: Callable[[], Mapping[str, Path]], record: Callable[[Document], type[R]]
    ) -> None:
        self.kind = kind
        self._files = files
        self._record = record
        self._records: dict[str, R] = {}
        self._documents: dict[str, Document] = {}
        self._names: dict[str, tuple[str, ...]] | None = None

    def __getitem__(self, key: str) -> R:
        found = self._records.get(key)
        if found is None:
            if key not in self._files():
                raise KeyError(key)
            document = self.document(key)
            found = self._records[key] = self._read(key, document)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def __contains__(self, key: object) -> bool:
        return key in self._files()

    def require(self, key: str, where: str = "") -> R:
        """The record; raises `BadData` with the nearest known id where there is none."""
        if key not in self:
            raise BadData(f'there is no {self.kind} "{key}"', where=where, do=did_you_mean(key, self))
        return self[key]

    def document(self, key: str) -> Document:
        """The file as plain data with its line numbers; kept, since whoever asks once asks again."""
        found = self._documents.get(key)
        if found is None:
            found = self._documents[key] = read_file(self._files()[key])
        return found

    def path(self, key: str) -> Path:
        """The file of a record."""
        return self._files()[key]

    def where(self, key: str, *place: str | int) -> str:
        """`file:line` of a value in the file of a record."""
        return self.document(key).at(*place)

    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Id -> name, label, family, hub and aliases, as written, without reading the records themselves."""
        if self._names is None:
            self._names = {key: _names(path) for key, path in self._files().items()}
        return self._names

    def record_of(self, document: Document) -> type[R]:
        """The class that a file of this shelf is checked against."""
        return self._record(document)

    def _read(self, key: str, document: Document) -> R:
        said = document.data.get("id") if isinstance(document.data, dict) else None
        if said is not None and said != key:
            raise BadData(f"the id is {said!r}", where=document.at("id"), expected=f'"{key}", as the path says')
        found = typed(document, self._record(document))
        check(self.kind, document)
        return found


def _names(path: Path) -> tuple[str, ...]:
    text = path.read_text("utf-8")
    head = "".join(_NAMES.findall(text if text.endswith("\n") else text + "\n"))
    data = read_text(head, path).data or {}
    found = [data.get(key) for key in ("name", "label", "family", "hub")]
    found += data.get("aliases") or []
    return tuple(dict.fromkeys(name for name in found if isinstance(name, str)))
