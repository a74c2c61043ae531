"""What was asked for stands in the first sentences: a time in each row, a fault, what to check of any server."""

from __future__ import annotations

from typing import Any

from advisor.consult import answer


def said(text: str) -> dict[str, Any]:
    return dict(answer.ask(text).json)


def test_a_checklist_without_a_card_lists_what_holds_for_any_server() -> None:
    listed = {item["id"] for item in said("机器交付了，验收要跑哪些？给个清单")["checklist"]}
    assert {"acceptance.gpu_ecc", "acceptance.gpu_xid", "acceptance.disk_health"} <= listed


def test_a_checklist_without_a_card_says_what_to_name_for_the_limits() -> None:
    assert said("what should I check on delivery?")["summary"].startswith("It depends. The tests decide")


def test_a_transfer_in_time_is_answered_by_its_time() -> None:
    # 4,000 GB over 500 Mbps: 64,000 s are 17.8 h at the line's rate, and a line gives less than its rate.
    summary = said("4 TB dataset in AWS Tokyo, 500 Mbps, must be in HK within 5 days")["summary"]
    assert summary.startswith("Yes. The sync is in time: 22.2 h")


def test_a_fault_without_a_plan_is_answered_by_what_the_fault_says() -> None:
    assert said("xid 63 on GPU 3, replace it?")["summary"].startswith("Xid 63 says")


def test_each_row_of_several_has_the_time_that_was_asked_for() -> None:
    reply = said("两三千条数据微调14B要多久")
    assert reply["summary"].count("小时") == len(reply["by_method"])


def test_a_model_run_for_several_people_is_served_and_not_trained() -> None:
    rows = said("Kimi K2 on 16 H20, 128k context, 5 users")["by_method"]
    assert {row["method"] for row in rows} == {"inference"}
