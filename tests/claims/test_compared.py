"""Comparisons of cards, sums of memory and promises are judged by figures, and what was not checked is named."""

from __future__ import annotations

import pytest

from advisor.consult import answer
from advisor.consult import claims as desk


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("H800 has the same NVLink bandwidth as H100", "no"),
        ("A100 80GB is faster than H100 for training", "no"),
        ("H100 比 A100 快", "yes"),
        ("7B LoRA 微调在 4090 上一定不会爆显存", "yes_if"),
        ("8×24GB 显存可以当 192GB 用", "no"),
        ("8x24GB memory can be used as 192GB", "no"),
    ],
)
def test_a_comparison_a_sum_or_a_promise_gets_the_verdict_of_its_figures(text: str, verdict: str) -> None:
    assert desk.ask(text).json["verdict"] == verdict


def test_a_figure_that_was_not_checked_is_named() -> None:
    assert "Not checked: 80 GB." in desk.ask("H100 has 80 GB and a delay of 3 ms to Shenzhen").json["text"]


def test_a_method_that_is_ruled_out_is_neither_sized_nor_proposed() -> None:
    reply = answer.ask("can I fine-tune 70B on one A100 80GB without QLoRA?").json
    assert reply["verdict"] == "no"
    assert [row["method"] for row in reply["by_method"]] == ["full", "lora"]
    assert reply["recommended"]["method"] == "lora"
    assert not [lever for lever in reply["levers"] if lever["set"].get("task") == "qlora"]
