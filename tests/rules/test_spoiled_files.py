"""Each spoiled file in tests/broken/rules gives the one message that its first line promises, with file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.core.errors import BadData
from advisor.knowledge.library import Library
from advisor.rules import RuleBase

HERE = Path(__file__).parent
SMALL = HERE / "small"
SPOILED = sorted((HERE.parent / "broken" / "rules").glob("*.yaml"))
EXPECTS = "# expects: "


def laid_over(tmp_path: Path, *files: Path) -> Library:
    """The small base with spoiled files beside its rules."""
    (tmp_path / "rules" / "spoiled").mkdir(parents=True)
    for file in files:
        shutil.copy(file, tmp_path / "rules" / "spoiled")
    return Library([SMALL, tmp_path])


@pytest.mark.parametrize("file", SPOILED, ids=lambda file: file.stem)
def test_a_spoiled_rule_gives_the_message_it_promises(file: Path, tmp_path: Path) -> None:
    first = file.read_text("utf-8").splitlines()[0]
    assert first.startswith(EXPECTS)
    problems = RuleBase.check(laid_over(tmp_path, file))
    prefix = f"{tmp_path / 'rules' / 'spoiled' / file.name}:"
    assert [str(one) for one in problems] == [prefix + first.removeprefix(EXPECTS)]


def test_building_a_base_with_one_mistake_raises_its_message(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"unknown_word\.yaml:8: \"at_leest\" is no condition word; .*did you mean"):
        RuleBase.build(laid_over(tmp_path, *[file for file in SPOILED if file.stem == "unknown_word"]))


def test_building_a_base_with_many_mistakes_names_them_all(tmp_path: Path) -> None:
    with pytest.raises(BadData) as caught:
        RuleBase.build(laid_over(tmp_path, *SPOILED))
    lines = str(caught.value).splitlines()
    assert len(lines) >= len(SPOILED)
    assert all(".yaml:" in line for line in lines)


def test_the_small_base_itself_is_right() -> None:
    assert RuleBase.check(Library([SMALL])) == []
