"""A mutant that passes its examples meets the conversations in which its rule fired, and those alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.consult import answer
from advisor.consult.witness import Scripts
from advisor.knowledge.library import open_library
from advisor.rules.language import RuleSpec
from advisor.rules.mutants import Mutant
from advisor.rules.run import read

SCRIPT = """\
- id: one_large_card
  why: 7e9 x 2 B = 13 GiB of weights leave most of 80 free.
  turns:
    - say: LoRA 7B bf16 on one A100 80GB, 1024 tokens, batch 1
      expect: {verdict_in: ["yes"]}
- id: smalltalk
  why: nothing is judged
  turns:
    - say: hello
      expect: {act: chat}
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Scripts:
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "few.yaml").write_text(SCRIPT, "utf-8")
    library = open_library()
    specs, language, _ = read(library, checked=True)
    return Scripts(folder, library, specs, language)


def rule(id: str) -> RuleSpec:
    return next(spec for spec in read(open_library(), checked=True)[0] if spec.id == id)


def test_a_rule_is_witnessed_where_it_fires(scripts: Scripts) -> None:
    assert scripts.by_rule["sizing.verdict_yes"] == ["few.one_large_card"]


def test_a_turned_verdict_is_noticed(scripts: Scripts) -> None:
    base = answer.rules()
    spoiled = replace(rule("sizing.verdict_yes"), verdict="no")
    assert scripts(Mutant(spoiled, "verdict", "")) == "few.one_large_card"
    assert answer.rules() is base


def test_a_rule_that_fires_in_no_script_meets_none(scripts: Scripts) -> None:
    spoiled = replace(rule("operations.cure_disk"), verdict="yes")
    assert scripts(Mutant(spoiled, "verdict", "")) == ""


def test_without_a_folder_there_are_no_witnesses(tmp_path: Path) -> None:
    specs, language, _ = read(open_library(), checked=True)
    assert Scripts(tmp_path / "none", open_library(), specs, language).by_rule == {}
