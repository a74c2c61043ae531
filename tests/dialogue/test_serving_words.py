"""Loads of a service as people say them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("输入4k输出1k，每秒5个请求", {"seq_len": 4096, "output_len": 1024, "qps": 5}),
        ("4k输入 1k输出 70B", {"seq_len": 4096, "output_len": 1024, "params_b": 70}),
        ("500 in 200 out, 50 rps", {"seq_len": 500, "output_len": 200, "qps": 50}),
        ("每秒约20次请求，8B", {"qps": 20, "params_b": 8}),
        ("高峰每秒 100 次调用", {"qps": 100}),
        ("prompt 1k, output 300, 30 concurrent users", {"seq_len": 1024, "output_len": 300, "concurrency": 30}),
    ],
)
def test_a_load_is_read_with_each_number_in_its_place(text: str, meant: dict[str, Any]) -> None:
    slots = understand(text, open_library()).slots
    assert {key: slots.get(key) for key in meant} == meant


@pytest.mark.parametrize(
    "text", ["run Llama 3.1 8B on a 4090", "can a single H100 run Qwen3-32B?", "跑得动 70B 吗，4张4090"]
)
def test_a_model_that_is_run_is_served(text: str) -> None:
    assert understand(text, open_library()).slots["task"] == ["inference"]


@pytest.mark.parametrize(
    ("text", "task"), [("I want to run LoRA on 7B", ["lora"]), ("run a full fine-tune of 7B, 3 epochs", ["full_ft"])]
)
def test_a_training_that_is_run_stays_a_training(text: str, task: list[str]) -> None:
    assert understand(text, open_library()).slots["task"] == task
