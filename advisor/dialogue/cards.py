"""Which cards of the catalogue a name may mean: one, several forms of one name, or none.

A name without its memory stands for every size in which the maker sells it; a workshop's modified card is meant only
where its memory is said. Nothing is chosen for the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

# A reported size is a little below the nominal one (46 of 48 GB); anything farther off is another size.
_REPORTED_SHARE = "reported_memory_share"
_NOISE = re.compile(r"nvidia|geforce|tesla|quadro|rtx|gtx|[\s\-_()]|(?<=\d)gb?$|(?<=\d)gb?(?=[a-z])")
_FORMS = {"PCIe": "pcie", "SXM": "sxm", "NVL": "nvl"}


def _key(name: str) -> str:
    return _NOISE.sub("", name.lower())


class Cards:
    """The catalogue by name and by family."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self._names: dict[str, list[str]] = {}
        self._families: dict[str, list[str]] = {}
        self._meanings = library.words["card_meanings"].entries
        for id_, card in library.gpus.items():
            for name in (id_, card.name, card.label, *card.aliases):
                self._names.setdefault(_key(name), []).append(id_)
            self._families.setdefault(_key(card.family), []).append(id_)

    def meanings(self, name: str) -> list[str]:
        """The names that tell apart what a name given to several cards may mean; empty for any other name."""
        return [str(one) for one in self._meanings.get(name, ())]

    def family(self, name: str) -> list[str]:
        """Every card of the family that a name belongs to, of the form it names."""
        if several := self.meanings(name):
            return [id_ for one in several for id_ in self._families.get(_key(one), []) if _key(one) != _key(name)]
        form = next((tail for word, tail in _FORMS.items() if name.endswith(word)), "")
        bare = name.removesuffix(" PCIe").removesuffix(" SXM").removesuffix(" NVL")
        ids = self._families.get(_key(bare)) or self._families.get(_key(name)) or []
        formed = [id_ for id_ in ids if form and form in id_]
        plain = [id_ for id_ in ids if not id_.endswith("_nvl")]
        return formed or plain or list(ids)

    def exact(self, name: str) -> list[str]:
        """Cards that carry the name itself."""
        if self.meanings(name):
            return []
        return list(dict.fromkeys(self._names.get(_key(name), [])))

    def sizes(self, ids: Iterable[str]) -> list[float]:
        """The memory sizes of cards, in GB, small ones first."""
        return sorted(
            {self.library.gpus[id_].memory.value for id_ in ids if self.library.gpus[id_].memory.value is not None}
        )


_KEPT: WeakKeyDictionary[Any, Cards] = WeakKeyDictionary()


def cards_of(library: Any) -> Cards:
    """The card index of a library, built once."""
    if (known := _KEPT.get(library)) is None:
        known = _KEPT[library] = Cards(library)
    return known


def resolve_card(name: str, mem_gb: float | None, library: Any) -> list[str]:
    """Ids of the cards that a name may mean, with this memory where it is said; empty where there is none such.

    Where the memory fits no card of that name the list is empty: `answers` then names the contradiction.
    """
    index = cards_of(library)
    share = float(library.words["ranges"].entries[_REPORTED_SHARE])
    exact, family = index.exact(name), index.family(name)
    if mem_gb is None:
        named = exact if exact and not name.endswith(tuple(_FORMS)) else family or exact
        stock = [id_ for id_ in named if not library.gpus[id_].modified]
        return _sorted(stock or named, library)
    found = []
    for id_ in dict.fromkeys([*exact, *family]):
        size = library.gpus[id_].memory.value
        if size is not None and size * share <= mem_gb <= size:
            found.append(id_)
    same = [id_ for id_ in found if library.gpus[id_].memory.value == mem_gb]
    return _sorted(same or found, library)


def _sorted(ids: Iterable[str], library: Any) -> list[str]:
    """The largest first, and of one size the form with the better link first."""
    return sorted(ids, key=lambda id_: (-(library.gpus[id_].memory.value or 0), "pcie" in id_, id_))
