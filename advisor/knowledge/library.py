"""The library: everything that stands under rules/ and knowledge/, by kind and id, read when it is needed.

`open_library()` gives the one of this process. Nothing is written, and nothing that is wrong is skipped: the first
file that does not hold what its kind promises raises `BadData` with file and line. `check_all` reads everything.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.core.errors import BadData, did_you_mean
from advisor.core.units import Quantity, Range
from advisor.knowledge.catalogue import Catalogue
from advisor.knowledge.locate import data_roots
from advisor.knowledge.plausible import check
from advisor.knowledge.reader import Document, read_file
from advisor.knowledge.shelves import Shelf
from advisor.knowledge.typed import typed

if TYPE_CHECKING:
    from advisor.knowledge.records.claims import Claim
    from advisor.knowledge.records.compatibility import Compatibility, Generation
    from advisor.knowledge.records.facts import FactRecord
    from advisor.knowledge.records.faults import Fault
    from advisor.knowledge.records.frameworks import Framework
    from advisor.knowledge.records.gpus import Gpu
    from advisor.knowledge.records.heuristics import Heuristic
    from advisor.knowledge.records.items import Item
    from advisor.knowledge.records.models import Model
    from advisor.knowledge.records.offers import Offer
    from advisor.knowledge.records.place import Place
    from advisor.knowledge.records.requests import Request
    from advisor.knowledge.records.routes import Route
    from advisor.knowledge.records.rules import RuleRecord
    from advisor.knowledge.records.sources import Source
    from advisor.knowledge.records.words import Lexicon

# kind -> module and class of its record; imported with the first record of the kind.
# A module that holds several records has a function that chooses by what the file says.
_RECORDS = {
    "sources": "sources.Source",
    "gpus": "gpus.Gpu",
    "models": "models.Model",
    "offers": "offers.Offer",
    "requests": "requests.Request",
    "routes": "routes.Route",
    "heuristics": "heuristics.Heuristic",
    "frameworks": "frameworks.Framework",
    "claims": "claims.Claim",
    "words": "words.Lexicon",
    "facts": "facts.FactRecord",
    "readings": "facts.FactRecord",
    "rules": "rules.RuleRecord",
    "judging": "rules.RuleRecord",
    "quoting": "rules.RuleRecord",
    "items": "items.Item",
    "faults": "faults.record_for",
    "compatibility": "compatibility.record_for",
}
KINDS = tuple(_RECORDS)


def _record(kind: str, document: Document) -> type[Any]:
    module, _, name = _RECORDS[kind].partition(".")
    found: Any = getattr(importlib.import_module(f"advisor.knowledge.records.{module}"), name)
    record: type[Any] = found if isinstance(found, type) else found(document)
    return record


class Library:
    """Look-ups by kind; each is a `Shelf`, a mapping from id to record."""

    gpus: Shelf[Gpu]
    models: Shelf[Model]
    offers: Shelf[Offer]
    requests: Shelf[Request]
    routes: Shelf[Route]
    heuristics: Shelf[Heuristic]
    frameworks: Shelf[Framework]
    sources: Shelf[Source]
    claims: Shelf[Claim]
    words: Shelf[Lexicon]
    facts: Shelf[FactRecord]
    readings: Shelf[FactRecord]
    rules: Shelf[RuleRecord]
    judging: Shelf[RuleRecord]
    quoting: Shelf[RuleRecord]
    items: Shelf[Item]
    faults: Shelf[Fault]
    compatibility: Shelf[Compatibility]

    def __init__(self, roots: Sequence[Path] | None = None) -> None:
        """`roots` hold rules/ and knowledge/, later ones laid over earlier ones; default: where `locate` finds them."""
        self.catalogue = Catalogue(tuple(data_roots() if roots is None else roots))
        self.kept: dict[str, Any] = {}
        """What other rooms built from this library, by name: it goes with it."""
        for kind in KINDS:
            setattr(self, kind, self._shelf(kind))

    def _shelf(self, kind: str) -> Shelf[Any]:
        return Shelf(kind, partial(self.catalogue.files, kind), partial(_record, kind))

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that hold rules/ and knowledge/, the overlay last."""
        return self.catalogue.roots

    @property
    def version(self) -> str:
        """Twelve hex digits of all the data: equal data, equal version, on every machine."""
        return self.catalogue.version

    @cached_property
    def place(self) -> Place | None:
        """What "here" means: the operator's own place, or None for the Hong Kong rental market."""
        from advisor.knowledge.records.place import Place

        path = self.catalogue.place
        if path is None:
            return None
        document = read_file(path)
        found = typed(document, Place)
        check("place", document)
        return found

    def heuristic_record(self, key: str) -> Heuristic:
        """The heuristic with its rivals; raises `BadData` for an unknown id, with the nearest known one."""
        return self.heuristics.require(key)

    def heuristic(self, key: str) -> Quantity:
        """The accepted value of a heuristic, with its unit."""
        return self.heuristic_record(key).quantity

    def heuristic_range(self, key: str) -> Range:
        """Low, accepted and high of a heuristic."""
        return self.heuristic_record(key).range

    def source(self, key: str) -> Source:
        """A source; raises `BadData` for an unknown id."""
        return self.sources.require(key)

    def generation(self, gpu: Gpu) -> Generation | None:
        """Which software runs on a card: its generation's row of the compatibility table, None where there is none."""
        from advisor.knowledge.records.compatibility import Generation

        for key in self.compatibility:
            if key.startswith("generations."):
                row = self.compatibility[key]
                if not isinstance(row, Generation) or row.architecture != gpu.architecture:
                    continue
                if gpu.compute_capability.value is None or gpu.compute_capability.value in row.capabilities:
                    return row
        return None

    def shelf(self, kind: str) -> Shelf[Any]:
        """The shelf of a kind by its name, e.g. for what a fact of kind `ref` may point to."""
        if kind not in KINDS:
            raise BadData(f'there is no kind "{kind}"', expected=", ".join(KINDS), do=did_you_mean(kind, KINDS))
        found: Shelf[Any] = getattr(self, kind)
        return found

    def check_all(self) -> list[BadData]:
        """Read everything, resolve every reference, and return all that is wrong, each with file and line."""
        from advisor.knowledge.references import everything_wrong

        return everything_wrong(self)


_OPEN: dict[tuple[Path, ...], Library] = {}
# Folders whose library is kept: one in a service, a few where a test changes the settings.
_MOST_OPEN = 2**3


def open_library() -> Library:
    """The library of this process for the folders that the settings name now; read once, then shared."""
    roots = data_roots()
    found = _OPEN.get(roots)
    if found is None:
        found = exchange(Library(roots), only_if_new=True)
    return found


def exchange(library: Library, *, only_if_new: bool = False) -> Library:
    """Let `open_library` give this one from now on; who holds the old one goes on with it. Returns what stands."""
    with _EXCHANGE:
        if only_if_new and library.roots in _OPEN:
            return _OPEN[library.roots]
        _OPEN[library.roots] = library
        while len(_OPEN) > _MOST_OPEN:
            del _OPEN[next(iter(_OPEN))]
    return library


_EXCHANGE = threading.Lock()
