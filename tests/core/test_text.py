"""Bilingual text and its strict placeholders."""

import pytest

from advisor.core.errors import BadData
from advisor.core.text import Text, fill, placeholders


def test_a_placeholder_without_a_value_is_refused() -> None:
    with pytest.raises(BadData, match=r"nothing is known to put in \{memory\.peak\}"):
        fill("needs {memory.peak}", {})


def test_format_syntax_is_left_alone_and_never_evaluated() -> None:
    assert fill("{x!r} {memory.peak:>9} {memory.peak}", {"memory.peak": "{x}"}) == "{x!r} {memory.peak:>9} {x}"


def test_an_attribute_in_braces_is_a_name_without_a_value() -> None:
    with pytest.raises(BadData, match="nothing is known"):
        fill("{0.__class__}", {"0": "zero"})


def test_placeholders_are_listed_once_in_order() -> None:
    assert placeholders("{b.c} {a} {b.c}") == ("b.c", "a")


def test_simplified_stands_in_for_traditional_where_none_is_written() -> None:
    assert Text("memory", "显存").in_lang("zh-Hant") == "显存"
    assert Text("memory", "显存", "顯存").in_lang("zh-Hant") == "顯存"
