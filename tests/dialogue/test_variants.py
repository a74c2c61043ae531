"""Variants of the grammar: whatever the order and the spelling, the same words say the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library

CARDS = {
    "4090": "RTX 4090",
    "A100": "A100",
    "a800": "A800",
    "H20": "H20",
    "L40s": "L40S",
    "A6000": "RTX A6000",
    "h100": "H100",
}
NUMERALS = {2: "两", 3: "三", 4: "四", 6: "六", 8: "八"}
ENGLISH = {2: "two", 3: "three", 4: "four", 6: "six", 8: "eight"}
METHODS = {"full_ft": ["全参", "full fine-tune", "全量微调"], "lora": ["lora", "LoRA"], "qlora": ["qlora", "QLoRA"]}

counts = st.sampled_from(sorted(NUMERALS))
cards = st.sampled_from(sorted(CARDS))
sizes = st.sampled_from([0.5, 1.5, 3, 7, 13, 14, 32, 34, 70, 72])
methods = st.sampled_from(sorted(METHODS))
lengths = st.sampled_from([1024, 2048, 4096, 8192, 16384])


def size(value: float) -> str:
    return f"{value:g}B"


@st.composite
def hardware(draw: st.DrawFn) -> tuple[str, str, int]:
    count, card = draw(counts), draw(cards)
    form = draw(
        st.sampled_from(
            [
                "{n}张{c}",
                "{h}张{c}",
                "{h}卡{c}",
                "{n}x{c}",
                "{n} x {c}",
                "{n}*{c}",
                "{c} x{n}",
                "{c}*{n}",
                "{n}卡 {c}",
                "{e} {c}s",
                "{n}块{c}",
            ]
        )
    )
    return form.format(n=count, h=NUMERALS[count], e=ENGLISH[count], c=card), CARDS[card], count


@settings(max_examples=150, deadline=None)
@given(hardware(), sizes, methods, st.data())
def test_card_count_size_and_method_are_read_in_any_order(
    metal: tuple[str, str, int], params: float, method: str, data: st.DataObject
) -> None:
    said = [metal[0], size(params), data.draw(st.sampled_from(METHODS[method]))]
    joint = data.draw(st.sampled_from(["，", ", ", " ， "]))
    text = joint.join(data.draw(st.permutations(said)))
    got = understand(text, open_library()).slots
    assert (got.get("gpu_model"), got.get("gpu_count"), got.get("params_b")) == (metal[1], metal[2], params), text
    assert got.get("task") == [method], text


@settings(max_examples=80, deadline=None)
@given(
    lengths,
    st.sampled_from(
        [
            "ctx {x}",
            "上下文{x}",
            "cutoff {x}",
            "max_len={x}",
            "{x} ctx",
            "seq {x}",
            "序列长度 {x}",
            "長度{x}",
            "{x} context",
        ]
    ),
    st.booleans(),
)
def test_a_length_is_read_after_and_before_its_cue(length: int, form: str, short: bool) -> None:
    said = f"{length // 1024}k" if short else str(length)
    text = "7B lora " + form.format(x=said)
    assert understand(text, open_library()).slots.get("seq_len") == length, text


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 99),
    st.sampled_from(
        ["预算{x}万/月", "每月{x}万", "预算 {x}w 每月", "預算每月{x}萬", "budget {y}k per month", "budget is {y}k/mo"]
    ),
)
def test_a_monthly_budget_is_read_in_every_spelling(tens: int, form: str) -> None:
    text = (
        form.format(x=tens, y=tens * 10) + "，7B lora"
        if "budget" not in form
        else form.format(x=tens, y=tens * 10) + ", 7B lora"
    )
    got = understand(text, open_library()).slots
    assert (got.get("budget_amount"), got.get("budget_period")) == (tens * 10000, "month"), text


@settings(max_examples=80, deadline=None)
@given(
    cards,
    cards,
    st.sampled_from(["不是{a}，是{b}", "唔係{a}，係{b}", "not {a}, {b}", "{b}，不是{a}", "no, I meant {b}, not {a}"]),
)
def test_the_denied_card_never_wins(one: str, two: str, form: str) -> None:
    if CARDS[one] == CARDS[two]:
        return
    text = form.format(a=one, b=two)
    assert understand(text, open_library()).slots.get("gpu_model") == CARDS[two], text
