"""The desk of the catalogue: every row has a source and a date, and a search finds what it says."""

from __future__ import annotations

import pytest

from advisor.consult import catalogue
from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library


@pytest.mark.parametrize("lang", ["en", "zh", "zh-Hant"])
@pytest.mark.parametrize("kind", catalogue.KINDS)
def test_a_list_has_source_and_date_in_every_row(kind: str, lang: str) -> None:
    found = catalogue.listed(kind, "", lang)
    assert found["count"] >= len(found["rows"]) > 0
    assert all(len(row) == len(found["columns"]) for row in found["rows"])
    assert all(row[-2] for row in found["rows"])
    assert all(cell for row in found["rows"] for cell in row)


def test_the_cards_are_all_there_with_their_figures() -> None:
    found = catalogue.listed("cards")
    assert found["count"] == len(open_library().gpus)
    row = next(row for row in catalogue.listed("cards", "h100 nvl")["rows"] if row[0] == "H100 NVL")
    assert row[1] == "94 GB"


def test_every_word_of_a_search_counts_and_case_does_not() -> None:
    both = catalogue.listed("models", "QWEN2.5 7b")
    assert both["count"] >= 1
    assert all("qwen" in " ".join(row).lower() for row in both["rows"])
    assert catalogue.listed("models", "no such model at all")["count"] == 0
    assert catalogue.listed("offers", "x" * 10_000)["count"] == 0


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BadInput):
        catalogue.listed("people")
