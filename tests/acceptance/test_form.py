"""A person's results: a form that is filled in with name and day is evidence, an empty one and a bare tick are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.consult import judge as desk
from advisor.core.judged import ItemJudged

SITE = {"target": "203.0.113.10"}
LINE = "  - Result: ____  Checked by: ____  Date: ____"


def items(text: str, order: str = "") -> dict[str, ItemJudged]:
    ordered = desk.read_order(order, "order.yaml") if order else None
    return {one.item.removeprefix("acceptance."): one for one in desk.judge_text(text, ordered=ordered).items}


def form(**lines: str) -> str:
    text = desk.commands(site=SITE)["form.md"]
    for item, line in lines.items():
        begin = text.index(f"`acceptance.{item}`")
        at = text.index(LINE, begin)
        text = text[:at] + f"  - {line}" + text[at + len(LINE) :]
    return text


def test_an_empty_form_is_inconclusive_in_every_item() -> None:
    found = items(form())
    assert len(found) > 15
    assert {one.judgement for one in found.values()} == {"inconclusive"}


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("Result: yes, page 3 of the contract  Checked by: Li Lei  Date: 2026-12-01", "pass"),
        ("Result: ok  Checked by: 李雷  Date: 2026年12月1日", "pass"),
        ("Result: ok  Checked by: Li Lei, 2026/12/1  Date: ____", "pass"),
        ("Result: ok  Checked by: ____  Date: 2026-12-01", "inconclusive"),
        ("Result: ok  Checked by: Li Lei  Date: ____", "inconclusive"),
        ("Result: ____  Checked by: Li Lei  Date: 2026-12-01", "inconclusive"),
        ("Result: asked twice  Checked by: Li Lei  Date: 2026-12-01", "inconclusive"),
        ("Result: not met, they refuse  Checked by: Li Lei  Date: 2026-12-01", "fail"),
        ("Result: 不合格  Checked by: Li Lei  Date: 2026-12-01", "fail"),
    ],
)
def test_a_line_counts_with_result_name_and_day(line: str, verdict: str) -> None:
    assert items(form(contract_trial=line))["contract_trial"].judgement == verdict


def test_a_tick_makes_other_words_a_result_and_is_nothing_alone() -> None:
    line = "Result: 7 days, full refund  Checked by: Li Lei  Date: 2026-12-01"
    text = form(contract_trial=line).replace("- [ ] **Trial", "- [x] **Trial")
    found = items(text)["contract_trial"]
    assert (found.judgement, found.finding and found.finding.figure) == ("pass", "7 days, full refund")
    assert items(form().replace("- [ ] **Trial", "- [x] **Trial"))["contract_trial"].judgement == "inconclusive"


def test_the_form_in_yaml_is_read_too_and_a_broken_one_is_inconclusive() -> None:
    text = (
        "acceptance.contract_trial: {result: pass, found: 7 days, by: Li Lei, on: 2026-12-01}\nacceptance.exit_wipe:\n"
    )
    assert items(text.replace("acceptance.exit_wipe:\n", ""))["contract_trial"].judgement == "pass"
    broken = desk.judge_text("acceptance.contract_trial: {result: pass, by: [Li\n")
    assert {one.judgement for one in broken.files} == {"inconclusive"}


def test_what_a_command_measures_is_not_proved_by_a_tick() -> None:
    signed = "acceptance.gpu_identity: {result: pass, by: Li Lei, on: 2026-12-01}\n"
    assert items(signed)["gpu_identity"].judgement == "inconclusive"
    # Nobody reads the ECC counters of an MI300X: there a person's word is what there is.
    ecc = "acceptance.gpu_ecc: {result: pass, by: Li Lei, on: 2026-12-01}\n"
    assert items(ecc)["gpu_ecc"].judgement == "inconclusive"
    assert items(ecc, "gpu_model: MI300X\n")["gpu_ecc"].judgement == "pass"


def test_the_exported_checklist_is_a_form(tmp_path: Path) -> None:
    from bots.cli.main import main

    plan = ["--set", "params_b=7", "--set", "task=lora", "--set", "gpu_model=RTX 4090", "--set", "gpu_count=1"]
    path = tmp_path / "checklist.md"
    assert main(["checklist", *plan, "--lang", "zh", "-o", str(path)]) == 0
    text = path.read_text("utf-8")
    begin = text.index("`acceptance.contract_trial`")
    at = text.index("结果: ____  核对人: ____", begin)
    path.write_text(text[:at] + "结果: 合格，7 天可退  核对人: 李雷 2026-12-01" + text[at + 16 :], "utf-8")
    found = {one.item: one.judgement for one in desk.judge([path]).items}
    assert found["acceptance.contract_trial"] == "pass"
    assert set(found.values()) == {"pass", "inconclusive"}


def test_every_item_of_an_order_has_a_verdict_and_no_evidence_is_inconclusive() -> None:
    answer = {"recommended": {"gpu": "H100 80GB", "gpu_count": 8}, "checklist": [{"id": "acceptance.exit_wipe"}]}
    found = items("PING\n", json.dumps(answer))
    assert found["exit_wipe"].judgement == "inconclusive"


def test_the_kit_of_a_plan_holds_scripts_form_and_order() -> None:
    answer = {
        "recommended": {"gpu": "H100 80GB", "gpu_count": 8, "method": "inference", "network": {"bandwidth_mbps": 100}},
        "checklist": [{"id": "acceptance.requirements_written"}, {"id": "acceptance.gpu_identity"}],
    }
    kit = desk.commands(answer, "zh", site=SITE)
    assert set(kit) == {"server.sh", "office.sh", "source.sh", "office.ps1", "form.md", "order.yaml"}
    # The cards are measured, the sheet is signed, and a serving order is not asked about checkpoints.
    assert "requirements_written" in kit["form.md"]
    assert "gpu_identity" not in kit["form.md"]
    assert desk.read_order(kit["order.yaml"], "order.yaml").card == "H100 80GB"
