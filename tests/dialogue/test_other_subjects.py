"""Nonsense and other subjects are declined, greetings greeted, and terse questions of the trade still answered."""

from __future__ import annotations

import pytest

from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    "text",
    [
        "purple monkey dishwasher", "what's the weather", "asdf", "qwerty uiop", "how much does a banana cost",
        "what is the meaning of life", "can you sing me a song", "is a hot dog a sandwich", "紫色的猴子洗碗机",
        "香蕉皮月亮", "你能吃饭吗", "今天天气怎么样", "今日天氣點呀", "今晚食咩好", "紫色猴子洗碗機",
    ],
)  # fmt: skip
def test_another_subject_is_declined(text: str) -> None:
    assert understand(text, open_library()).intent == "out_of_scope"


@pytest.mark.parametrize(
    "text",
    ["hi", "hello there", "thanks!", "ok thanks", "good evening", "谢谢", "你好", "唔該", "多謝晒", "what can you do"],
)
def test_a_greeting_or_thanks_is_small_talk(text: str) -> None:
    assert understand(text, open_library()).intent == "smalltalk"


@pytest.mark.parametrize(
    "text",
    [
        "70B?", "4090?", "4090 够吗", "4090 夠唔夠", "够吗", "多少钱一个月", "how much per month", "vram?", "A100",
        "7B lora", "推理", "我想租GPU", "I want to rent a GPU server", "need help with training",
        "我们公司想上大模型", "想做个知识库", "Can I fine-tune?", "能跑吗",
    ],
)  # fmt: skip
def test_a_terse_question_of_the_trade_is_not_declined(text: str) -> None:
    assert understand(text, open_library()).intent not in ("out_of_scope", "smalltalk")


@pytest.mark.parametrize("text", ["昇腾 910B 微调 7B", "8 张昇腾 910B 够吗"])
def test_the_name_of_a_chip_does_not_make_a_message_traditional(text: str) -> None:
    assert understand(text, open_library()).lang == "zh"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7B LoRA on 2 A100, need 300 widgets", 300),
        ("70B 推理，首字延迟 2 秒以内，要几张 A100", 2000),
        ("7B lora, 4096 widgets", 4096),
    ],
)
def test_a_number_that_nothing_read_is_named(text: str, value: float) -> None:
    got = understand(text, open_library())
    assert (value, "unread") in [(row["value"], row["reason"]) for row in got.rejected]


@pytest.mark.parametrize("text", ["CUDA 12.4, 7B LoRA on A100", "一个 7B 的模型一张 4090 够吗", "ZeRO-3 70B 8x A100"])
def test_a_version_or_an_article_is_no_unread_number(text: str) -> None:
    assert not understand(text, open_library()).rejected
