"""The load of a service is read whole: requests, people at once, tokens a second; peak and average told apart."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.core.units import Quantity
from advisor.dialogue.answers import answers_of
from advisor.dialogue.understand import Understanding, understand
from advisor.knowledge.library import open_library


def seen(text: str) -> Understanding:
    return understand(text, open_library())


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (
            "We need to serve Llama 3.1 70B for 1000 users at 100 tokens/s each",
            {"concurrency": 1000, "user_tokens_per_s": 100},
        ),
        ("500 QPS with 2k prompts on Qwen2.5-7B", {"qps": 500, "seq_len": 2048}),
        (
            "500 QPS with 2k prompts and 500 token answers on Qwen2.5-7B",
            {"qps": 500, "seq_len": 2048, "output_len": 500},
        ),
        ("部署 Qwen2.5-72B，每秒 50 个请求", {"qps": 50}),
        ("部署 Qwen2.5-72B，每秒 50 個請求", {"qps": 50}),
        ("部署 32B，200 个用户同时用，每个用户至少 30 token/s", {"concurrency": 200, "user_tokens_per_s": 30}),
        ("部署 32B，總吞吐要 5000 tokens/s", {"total_tokens_per_s": 5000}),
        ("Serve a 32B model with a total throughput of 5000 tokens/s", {"total_tokens_per_s": 5000}),
        ("serve 7B at 3000 requests per minute", {"qps": 50}),
        ("7B 推理，每分钟 600 次请求", {"qps": 10}),
    ],
)
def test_a_load_fills_the_slots_that_it_states(text: str, slots: dict[str, Any]) -> None:
    got = seen(text).slots
    assert {key: got.get(key) for key in slots} == slots


@pytest.mark.parametrize(
    "text",
    [
        "Serve a 32B model, peak 200 concurrent, average 30",
        "Serve a 32B model, 200 concurrent at peak and 30 concurrent on average",
        "峰值200并发，平时30并发，部署 Qwen3-32B",
        "尖峰 200 並發，平均 30，要部署 Qwen3-32B",
        "部署 Qwen3-32B，平均 30 并发，高峰 200 并发",
    ],
)
def test_a_service_is_sized_for_its_peak_and_the_average_is_named(text: str) -> None:
    got = seen(text)
    assert got.slots["concurrency"] == 200
    assert [(row["value"], row["reason"]) for row in got.rejected] == [(30, "average")]


@pytest.mark.parametrize("text", ["serve a 7B model for 5000 registered users", "部署 7B 推理，5000 个注册用户"])
def test_people_are_no_requests_at_once_and_are_named(text: str) -> None:
    got = seen(text)
    assert "concurrency" not in got.slots
    assert [(row["value"], row["reason"]) for row in got.rejected] == [(5000, "people")]


def test_requests_a_day_are_an_average_and_said_to_be_one() -> None:
    got = seen("serve 7B, 864000 requests a day")
    assert got.slots["qps"] == 10  # 864,000 / 86,400 s
    assert [row["reason"] for row in got.rejected] == ["by day"]


def test_a_speed_that_was_measured_is_no_wish() -> None:
    got = seen("I only get 20 tokens/s with 70B on 2x A100")
    assert {"user_tokens_per_s", "total_tokens_per_s"}.isdisjoint(got.slots)


def test_a_speed_for_each_user_becomes_requests_of_the_answers_length() -> None:
    library = open_library()
    got = answers_of(seen("serve 8B for 100 users at 20 tokens/s each, output 500 tokens"), library).answers[0]
    assert got["serving.qps"].value == Quantity(4.0, "requests/s")  # 100 x 20 / 500
