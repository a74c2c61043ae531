"""The rules are the product: without them nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.answer import Consultation
from advisor.knowledge.locate import data_roots
from advisor.rules.run import RuleBase
from tests.consult.desk import base, billions, consulted, copied_without, count

QUESTIONS = [
    {"model.params": billions(70)},
    {"model.params": billions(7), "tuning.method": "full", "gpu.id": "a100_80gb_sxm", "gpu.count": count(8)},
    {"model.params": billions(70), "tuning.method": "qlora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1)},
    {"model.params": billions(13), "tuning.method": "lora", "gpu.id": "rtx_4090", "gpu.count": count(2)},
]
FOLDERS = sorted(path.name for path in (data_roots()[0] / "rules").iterdir() if path.is_dir())
ADVICE = [name for name in FOLDERS if name not in ("facts", "acceptance")]


def said(consultation: Consultation) -> set[str]:
    """The rules behind every sentence, risk and checklist item of a consultation."""
    runs = [row.outcome for row in consultation.rows]
    return {
        finding.rule
        for outcome in runs
        for findings in (outcome.advice, outcome.risks, outcome.checks)
        for finding in findings
    }


@pytest.mark.parametrize("question", QUESTIONS)
def test_without_rules_every_question_answers_unknown_and_recommends_nothing(question: dict, tmp_path: Path) -> None:
    library = copied_without(tmp_path, ("facts", "acceptance"))
    with RuleBase.build(library) as empty:
        answer = consulted(question, rules=empty)
    assert answer.verdict == "unknown"
    assert answer.chosen is None
    assert not answer.options
    assert not answer.levers
    assert said(answer) == set()


def rests_on(consultation: Consultation, folder: str) -> set[str]:
    """The rules of a folder, and those that matched a fact which they concluded, at any remove."""
    firings = [firing for row in consultation.rows for firing in row.outcome.firings]
    found = {firing.rule for firing in firings if firing.rule.startswith(f"{folder}.")}
    while True:
        facts = {fact for firing in firings if firing.rule in found for fact in firing.concluded}
        more = {firing.rule for firing in firings if facts & set(firing.facts)} - found
        if not more:
            return found
        found |= more


@pytest.mark.parametrize("folder", ADVICE)
def test_with_one_folder_emptied_exactly_its_advice_and_what_rests_on_it_is_missing(
    folder: str, tmp_path: Path
) -> None:
    library = copied_without(tmp_path, tuple(name for name in FOLDERS if name != folder))
    question = QUESTIONS[2]
    whole = consulted(question, rules=base())
    with RuleBase.build(library) as rest:
        part = consulted(question, rules=rest)
    assert said(whole) - said(part) <= rests_on(whole, folder)
    assert not any(rule.startswith(f"{folder}.") for rule in said(part))
