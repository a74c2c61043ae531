"""A number of cards above what a server holds is a total, unless somebody says that it is one server's."""

from __future__ import annotations

import pytest

from advisor.consult.answer import advise, ask
from advisor.consult.here import read_here
from advisor.core.errors import BadInput
from advisor.dialogue.servers import spread
from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    ("total", "each", "servers"),
    [(8, 8, 1), (16, 8, 2), (12, 4, 3), (10, 5, 2), (14, 7, 2), (18, 6, 3), (20, 4, 5), (100, 4, 25), (17, 8, 2)],
)
def test_a_total_is_spread_over_equal_servers(total: int, each: int, servers: int) -> None:
    assert spread(total, 8) == (each, servers)


@pytest.mark.parametrize("text", ["16 H100 full fine-tune 70B", "16 张 H100 全参微调 70B", "16xH800 70B full ft"])
def test_sixteen_cards_are_shown_as_two_servers_of_eight(text: str) -> None:
    reply = ask(text).json
    assert (reply["understood"]["gpu_count"], reply["understood"]["nodes"]) == (8, 2)
    assert [(row["gpu_count"], row["nodes"]) for row in reply["by_method"]] == [(8, 2)]


@pytest.mark.parametrize(
    "text",
    ["100 4090s pretrain 7B", "100张4090预训练7B", "100張4090預訓練7B", "17 A100 LoRA 70B", "17 张 A100 LoRA 70B"],
)
def test_a_total_that_fills_no_servers_evenly_says_what_is_counted(text: str) -> None:
    reply = ask(text).json
    assert all(row["gpu_count"] <= 8 for row in reply["by_method"])
    assert any("counted as" in line or "计算" in line or "計算" in line for line in reply["problems"])


@pytest.mark.parametrize(
    ("text", "each", "nodes"),
    [
        ("2 servers with 16 H100 per server, 70B full", 16, 2),
        ("16 V100 in one server, 7B LoRA", 16, 1),
        ("单机16卡 V100 微调 7B", 16, 1),
        ("每台16张 V100，两台，微调 7B", 16, 2),
        ("两台服务器，每台8张A100，70B", 8, 2),
        ("16张A100 40G两台机器，70B", 8, 2),
    ],
)
def test_a_count_of_one_server_stays_one(text: str, each: int, nodes: int) -> None:
    got = understand(text, open_library()).slots
    assert (got["gpu_count"], got["nodes"]) == (each, nodes)


def test_a_crowded_server_is_remarked_on() -> None:
    assert any("16 cards in one server" in line for line in ask("16 V100 in one server, 7B LoRA").json["problems"])


def test_facts_given_one_by_one_are_spread_the_same_way() -> None:
    reply = advise({"params_b": 70, "gpu_model": "H100", "gpu_count": 16, "task": "full_ft"}).json
    assert (reply["understood"]["gpu_count"], reply["understood"]["nodes"]) == (8, 2)


def test_a_place_of_sixteen_cards_is_two_servers_of_eight() -> None:
    library = open_library()
    assert [(count, nodes) for _, count, nodes in read_here("16xH800", library)] == [(8, 2)]
    with pytest.raises(BadInput):
        read_here("17xH800", library)
    with pytest.raises(BadInput):
        read_here("1.5xH800", library)


@pytest.mark.parametrize(
    "given",
    [
        {"model": {"id": "x"}},
        {"gpu_count": {"foo": 3}},
        {"gpu_count": [[1]]},
        {"params_b": float("nan")},
        {"params_b": []},
        {"seq_len": {"min": 1, "max": {"a": 1}}},
        {"gpu_count": 8, "gpu.count": 4},
        {"gpu_count": 1.5},
        {"model": 5},
        {"foo": 1},
    ],
)
def test_a_value_that_is_no_plain_one_is_refused_by_the_key(given: dict[str, object]) -> None:
    with pytest.raises(BadInput) as caught:
        advise(given)
    assert next(iter(reversed(given))) in str(caught.value)


def test_an_empty_field_says_nothing() -> None:
    assert "gpu_model" not in advise({"params_b": 7, "gpu_model": None}).json["understood"]
