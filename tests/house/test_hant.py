"""Traditional texts: no term of the mainland is left in any sentence that a customer in Hong Kong can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from advisor.core.text import Text
from advisor.knowledge.hant import mainland_terms, to_hant
from advisor.knowledge.library import open_library
from advisor.report import sentences

LIBRARY = open_library()
TERMS = mainland_terms(LIBRARY)
# Longer words of the table in which such a term is right (a mirror site is 鏡像站 in Hong Kong too).
RIGHT = sorted({str(word) for word in dict(LIBRARY.words["hant_terms"].entries).values()}, key=len, reverse=True)


def chinese(data: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every Chinese wording inside plain data, as written in Hong Kong: the file's own, else the converted one."""
    if isinstance(data, dict):
        if isinstance(data.get("zh"), str):
            yield where, data.get("zh_hant") or to_hant(data["zh"], LIBRARY)
        for value in data.values():
            yield from chinese(value, where)
    elif isinstance(data, list):
        for value in data:
            yield from chinese(value, where)


def left(text: str) -> list[str]:
    """The mainland terms of a text, outside the words in which they are right."""
    for word in RIGHT:
        text = text.replace(word, "·")
    return [f"{term} -> {TERMS[term]}" for term in TERMS if term in text]


def fixed() -> Iterator[tuple[str, str]]:
    for name, table in vars(sentences).items():
        if name.isupper() and isinstance(table, dict):
            for key, text in table.items():
                if isinstance(text, Text):
                    yield f"sentences.{name}[{key}]", text.zh_hant or to_hant(text.zh, LIBRARY)


@pytest.mark.parametrize(
    "kind",
    ["rules", "items", "facts", "heuristics", "routes", "compatibility", "claims", "judging", "quoting", "requests"],
)
def test_no_mainland_term_is_left_in_a_traditional_text(kind: str) -> None:
    shelf = LIBRARY.shelf(kind)
    texts = [pair for key in shelf for pair in chinese(shelf.document(key).data, key)]
    wrong = [f"{where}: {term}: {text}" for where, text in texts for term in left(text)]
    assert not wrong, "write the term of Hong Kong, or add it to knowledge/words/hant_terms.yaml:\n" + "\n".join(wrong)


def test_no_mainland_term_is_left_in_a_fixed_sentence() -> None:
    wrong = [f"{where}: {term}" for where, text in fixed() for term in left(text)]
    assert not wrong, "\n".join(wrong)


def test_the_check_would_see_one() -> None:
    assert TERMS["服務器"] == "伺服器"
    assert left("這台服務器") == ["服務器 -> 伺服器"]
    assert "服務器" not in to_hant("服务器", LIBRARY)
