"""What "here" means: the Hong Kong market, or the operator's own servers laid over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.errors import HkgpuError
from advisor.knowledge.library import Library, open_library
from advisor.knowledge.locate import data_roots
from advisor.plan.hardware import market
from advisor.rules.run import RuleBase
from tests.consult.desk import DAY, asked, base, billions

OWN = """\
id: place
name: {en: "our cluster", zh: "我们的集群"}
location: hong_kong
servers:
  - {gpu: a100_80gb_sxm, gpu_count: 8}
"""


def library_over(folder: Path, place: str) -> Library:
    (folder / "knowledge").mkdir()
    (folder / "rules").mkdir()
    (folder / "knowledge" / "place.yaml").write_text(place, encoding="utf-8")
    return Library([*data_roots(), folder])


def test_without_a_place_here_is_the_hong_kong_market() -> None:
    place = market(open_library())
    assert place.kind == "hong_kong_market"
    assert "A100 80GB" in {card.label for card in place.cards}
    assert not any(card.modified for card in place.cards)


def test_own_servers_are_the_only_cards_of_the_place(tmp_path: Path) -> None:
    place = market(library_over(tmp_path, OWN))
    assert place.kind == "own_cards"
    assert [card.id for card in place.cards] == ["a100_80gb_sxm"]
    assert place.limits == {"a100_80gb_sxm": 8}


def test_no_more_cards_are_proposed_than_stand_there(tmp_path: Path) -> None:
    from advisor.consult.consultation import consult

    library = library_over(tmp_path, OWN)
    with RuleBase.build(library) as rules:
        answer = consult(asked({"model.params": billions(70)}), DAY, library, rules, market(library))
    cards = [row.option.hardware.cards for row in answer.rows if row.option]
    assert cards
    assert max(cards) <= 8
    # Full AdamW states of 70B are 1,043 GiB and eight cards hold 640: that row has no hardware here.
    full = next(row for row in answer.rows if row.method == "full")
    assert full.verdict != "yes"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (OWN.replace("a100_80gb_sxm", "a100_80gb_smx"), "a100_80gb_smx"),
        (OWN.replace("gpu_count: 8", "gpu_count: 0"), "place.yaml:5"),
        (OWN.replace("servers:", "server:"), "did you mean"),
    ],
)
def test_a_wrong_place_is_refused_with_file_and_reason(place: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(HkgpuError, match=says):
        market(library_over(tmp_path, place))


def test_an_own_rule_speaks_beside_ours(tmp_path: Path) -> None:
    from advisor.consult.consultation import consult

    rule = tmp_path / "rules" / "operations" / "our_house.yaml"
    library = library_over(tmp_path, OWN)
    rule.parent.mkdir()
    rule.write_text(
        """\
id: operations.our_house
status: trial
since: 2026-12-01
because: [arithmetic]
when:
  all:
    - {fact: plan.method, is: lora}
then:
  advise: {level: note, say: {en: "Book the cluster in advance.", zh: "请提前预约集群。"}}
examples:
  - {name: "LoRA", given: {plan.method: lora}, fires: true}
  - {name: "full", given: {plan.method: full}, fires: false}
""",
        encoding="utf-8",
    )
    library = Library([*data_roots(), tmp_path])
    question = asked({"model.params": billions(7), "tuning.method": "lora"})
    with RuleBase.build(library) as rules:
        answer = consult(question, DAY, library, rules, market(library))
    said = {entry.rule for row in answer.rows for entry in row.outcome.advice}
    assert "operations.our_house" in said
    assert "operations.our_house" not in base().rules
