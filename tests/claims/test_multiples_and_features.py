"""Multiples of two cards and what a card has at all are held against the specifications, worked out by hand below."""

from __future__ import annotations

import pytest

from advisor.consult import answer, claims

# Dense BF16 TFLOPS: H100 SXM 989, PCIe 756, A100 312, RTX 4090 165, RTX 3090 71; H20 148. FP8: H100 SXM 1,979.
# Memory bandwidth, GB/s: H200 4,800 (NVL 4,890), A100 80GB 1,935 to 2,039. Memory: H200 141, H100 80 (NVL 94).


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("H100 is 9 times faster than A100", "no"),  # 1,979 / 312 = 6.3 at most
        ("H100 训练速度是 A100 的 9 倍", "no"),
        ("H100 training is 3x faster than A100", "yes_if"),  # 989 / 312 = 3.2 of compute, 2.5 of bandwidth at most
        ("H100 is 6 times faster than A100", "yes_if"),  # FP8 against BF16 only
        ("B200 推理比 H100 快 15 倍", "no"),
        ("H200 的显存带宽是 A100 80GB 的 2.4 倍", "yes"),  # 4,800 / 2,039 = 2.35; 4,800 / 1,935 = 2.48
        ("H200 has twice the memory of H100", "no"),  # 141 / 80 = 1.76
        ("H200 does not have twice the memory of H100", "yes"),
        ("4090 的算力是 3090 的 10 倍", "no"),  # 165 / 71 = 2.3
        ("H20 is 3 times slower than H100 in BF16", "no"),  # 989 / 148 = 6.7; 756 / 148 = 5.1
        ("H20 is 6 times slower than H100 in BF16", "yes"),
    ],
)
def test_a_multiple_is_held_against_the_specifications(text: str, verdict: str) -> None:
    assert claims.ask(text).json["verdict"] == verdict


@pytest.mark.parametrize(
    "text", ["INT8 is 2-4 times faster than FP32", "binary formats read 3 times faster", "RAID 10 is twice as fast"]
)
def test_a_multiple_without_two_cards_is_left_to_what_is_recorded(text: str) -> None:
    assert "computed" not in str(claims.ask(text).json["claims"])


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("BF16 works on V100", "no"),
        ("4090 has ECC memory", "yes"),
        ("MIG is available on RTX 4090", "no"),
        ("A100 支持 MIG", "yes"),
        ("H100 does not support MIG", "no"),
        ("the 4090 cannot use NVLink", "yes"),
    ],
)
def test_what_a_card_has_at_all_is_read_from_its_record(text: str, verdict: str) -> None:
    assert claims.ask(text).json["verdict"] == verdict


def test_a_count_that_is_not_the_recorded_one_is_no_wrong_claim() -> None:
    # The recorded claim, half of the cores, is wrong; what we say instead is 2 to 8 a card.
    assert claims.ask("DataLoader workers should be 4 per GPU").json["verdict"] == "yes_if"
    assert claims.ask("set num_workers to half the cpu cores").json["verdict"] == "no"


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("is it true that the A100 80GB has 90 GB of memory?", "Wrong."),
        ("A100 有 90GB 显存，真的吗？", "不对。"),
        ("H200 有 141GB，係咪真？", "對"),
        ("Is it correct that H100 is 9 times faster than A100", "Wrong."),
    ],
)
def test_a_sentence_whose_truth_is_asked_is_judged_in_the_answer(text: str, begins: str) -> None:
    reply = answer.ask(text).json
    assert reply["summary"].startswith(begins)
    assert reply["claims"]
