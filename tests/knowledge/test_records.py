"""The records: figures, texts and dates keep their promises; a spoiled file of each kind gives its message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from advisor.core.errors import BadData
from advisor.core.text import Text
from advisor.core.units import Quantity
from advisor.knowledge.library import _record
from advisor.knowledge.reader import read_file
from advisor.knowledge.records.common import BiText, Figure
from advisor.knowledge.records.place import Place
from advisor.knowledge.typed import typed

SPOILED = sorted((Path(__file__).parents[1] / "broken" / "knowledge" / "records").glob("*/*.yaml"))


@pytest.mark.parametrize("path", SPOILED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_spoiled_file_gives_its_message_with_file_and_line(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    line, message = first.removeprefix("# expects: ").split(": ", 1)
    document = read_file(path)
    with pytest.raises(BadData) as caught:
        typed(document, Place if path.parent.name == "place" else _record(path.parent.name, document))
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def figure(**parts: Any) -> Figure:
    return Figure.model_validate({"unit": "GB", "from": "bench", "status": "verified", **parts})


def test_a_figure_is_a_quantity_and_zero_is_known() -> None:
    assert figure(value=80).quantity == Quantity(80.0, "GB")
    assert figure(value=0).known
    assert figure(value=0).get() == Quantity(0.0, "GB")


def test_an_absent_feature_and_an_unknown_figure_are_different() -> None:
    absent = Figure.model_validate({"value": None, "why": "not a feature"})
    unknown = Figure.model_validate({"value": None, "why": "not found"})
    assert absent.absent
    assert not unknown.absent
    assert absent.get() is None
    assert unknown.get() is None
    with pytest.raises(BadData, match="not found"):
        _ = unknown.quantity


def test_a_record_cannot_be_changed_after_it_was_read() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        figure(value=80).value = 81  # type: ignore[misc]


def test_a_bilingual_text_becomes_the_core_text_with_its_own_traditional_wording() -> None:
    text = BiText(en="{a.b} cards", zh="{a.b} 张卡", zh_hant="{a.b} 張卡")
    assert text.text == Text("{a.b} cards", "{a.b} 张卡", "{a.b} 張卡")
    assert text.placeholders == ("a.b",)
