"""A card or a model that is not known here is named as such; nothing else is put in its place."""

from __future__ import annotations

import pytest

from advisor.consult.answer import ask
from advisor.core.text import Text
from advisor.dialogue.answers import answers_of
from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


def problems(text: str) -> tuple[Text, ...]:
    return answers_of(understand(text, open_library()), open_library()).problems


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Can I fine-tune 70B on TPU v5e?", "TPU v5e"),
        ("Gaudi 3 x8, QLoRA 70B", "Gaudi 3"),
        ("gaudi2 8卡 训 13B", "Gaudi 2"),
        ("8 张寒武纪 MLU370 微调 7B", "寒武纪 MLU 370"),
        ("海光 K100 微调 7B 够吗", "海光 DCU K100"),
        ("昇腾 310P 部署 7B", "Ascend 310P"),
        ("7B LoRA on trn1", "Trainium 1"),
        ("A100X 7B LoRA", "A100X"),
        ("V100S 微調 7B", "V100S"),
        ("8x XPU900, 70B LoRA", "XPU900"),
        ("4 张 Z100L 微调 13B", "Z100L"),
        ("7B qlora on mac studio", "Apple silicon"),
    ],
)
def test_an_accelerator_that_nobody_listed_is_named_and_not_replaced(text: str, card: str) -> None:
    assert understand(text, open_library()).slots["gpu_model"] == card
    assert any(f"{card} is not known to us" in problem.en and card in problem.zh for problem in problems(text))


@pytest.mark.parametrize("text", ["Can I LoRA a 7B on TPU v5e x8?", "8 张昇腾 910B 微调 7B LoRA 够吗", "V100S 7B LoRA"])
def test_nothing_is_sized_for_a_card_without_figures(text: str) -> None:
    reply = ask(text).json
    assert reply["verdict"] == "unknown"
    assert reply["recommended"] is None
    assert all(row["gpu"] is None for row in reply["by_method"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Can I self-host GPT-5 on 8 H100?", "GPT-5"),
        ("Fine-tune Claude Opus 4.1 on my data with 4 A100", "Claude Opus 4.1"),
        ("部署 Gemini 2.5 Pro 要几张卡", "Gemini 2.5 Pro"),
        ("微調 GPT-4o 要幾多顯存", "GPT-4o"),
        ("豆包能私有化部署吗", "豆包"),
        ("Qwen-Max 本地部署要几张 H20", "Qwen-Max"),
    ],
)
def test_a_model_whose_weights_nobody_can_have_is_answered_with_no(text: str, name: str) -> None:
    assert understand(text, open_library()).slots["model"] == name
    reply = ask(text).json
    assert reply["verdict"] == "no"
    assert reply["questions"] == []
    assert name in reply["problems"][0]


@pytest.mark.parametrize(
    "text",
    [
        "a chatbot like ChatGPT with Qwen2.5-7B on one 4090",
        "distilled from GPT-4, SFT 7B on 2x A100",
        "类似 ChatGPT 的服务，7B，一张 4090 够吗",
        "用 GPT-4 生成的数据微调 7B，4 张 A100",
    ],
)
def test_a_closed_model_named_for_comparison_is_not_the_model(text: str) -> None:
    got = understand(text, open_library())
    assert got.slots["params_b"] == 7
    assert "GPT" not in str(got.slots.get("model"))


def test_a_closed_model_beside_the_one_meant_is_set_aside_by_name() -> None:
    got = understand("Llama 3.1 70B or GPT-4 on 8 A100?", open_library())
    assert got.slots["model"] == "Llama-3.1-70B"
    assert [(row["value"], row["reason"]) for row in got.rejected] == [("GPT-4", "closed")]


@pytest.mark.parametrize("text", ["gpt-oss-120b on 2 H100", "GPT-2 full fine-tune on a 4090", "GPT-J LoRA 一张 3090"])
def test_a_model_with_published_weights_is_not_taken_for_a_closed_one(text: str) -> None:
    assert not any("published no weights" in problem.en for problem in problems(text))


@pytest.mark.parametrize("text", ["Foo-13B-Instruct LoRA on one 4090", "Foo-13B-Instruct LoRA 一张 4090"])
def test_an_unknown_model_is_sized_by_the_size_in_its_name_and_that_is_said(text: str) -> None:
    assert understand(text, open_library()).slots["params_b"] == 13
    assert any("not in the catalogue" in each.en and "config.json" in each.zh for each in problems(text))


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("A10G LoRA 7B", "A10G"), ("A10 LoRA 7B", "A10"), ("L40 7B", "L40"), ("L40S 7B", "L40S"), ("H20 70B", "H20"),
        ("H200 NVL 70B", "H200 NVL"), ("H200 70B", "H200"), ("RTX 6000 Ada 7B", "RTX 6000 Ada"),
        ("RTX PRO 6000 70B", "RTX PRO 6000"), ("A6000 7B", "RTX A6000"), ("Quadro RTX 6000 7B", "Quadro RTX 6000"),
        ("4090D 13B", "RTX 4090D"), ("3090 Ti 7B", "RTX 3090 Ti"), ("3090 7B", "RTX 3090"), ("V100 7B", "V100"),
        ("A800 70B", "A800"), ("H800 70B", "H800"), ("GB200 70B", "GB200"), ("B200 70B", "B200"),
        ("MI300X 70B", "MI300X"), ("MI300A 70B", "MI300A"), ("MI325X 70B", "MI325X"), ("4070 Ti 7B", "RTX 4070 Ti"),
        ("rtx 6000 pro 70B", "RTX PRO 6000"), ("5070 Ti 7B", "RTX 5070 Ti"), ("A30X 7B", "A30X"),
    ],
)  # fmt: skip
def test_names_that_look_alike_stay_apart(text: str, card: str) -> None:
    assert understand(text, open_library()).slots["gpu_model"] == card


def test_a_name_that_several_cards_bear_is_said_to_be_one() -> None:
    found = problems("RTX 6000 7B lora")
    assert any("RTX 6000 Ada" in each.en and "RTX PRO 6000" in each.zh for each in found)


@pytest.mark.parametrize(
    ("text", "form"), [("1 H100 70B qlora", "PCIe"), ("8x H100 70B full", "SXM"), ("4 张 A100 80G 70B lora", "SXM")]
)
def test_the_form_that_was_counted_is_among_the_assumptions(text: str, form: str) -> None:
    told = [row["value"] for row in ask(text).json["assumptions"] if row["fact"] == "gpu_model"]
    assert len(told) == 1
    assert form in str(told[0])


def test_a_card_whose_form_was_said_has_no_assumption_about_it() -> None:
    assert not [row for row in ask("8x H100 SXM 70B lora").json["assumptions"] if row["fact"] == "gpu_model"]
