"""Vendors' sentences get the verdict that published figures give, in English and both scripts of Chinese."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from advisor.claims.figures import Reader
from advisor.consult import claims as desk
from advisor.core.errors import BadInput
from advisor.dialogue.understand import understand
from advisor.knowledge.library import Library, open_library
from bots.cli.main import main
from tests.claims import told

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("text", "verdict", "id"), told.EVERY, ids=[row[0] for row in told.EVERY])
def test_a_sentence_gets_the_verdict_worked_out_by_hand(text: str, verdict: str, id: str) -> None:
    reply = desk.ask(text).json
    assert reply["verdict"] == verdict, reply["text"]
    assert reply["claims"][0]["id"].startswith(id), reply["claims"]


def test_every_recorded_claim_is_found_by_its_own_sentence_in_both_languages() -> None:
    library = open_library()
    lost = []
    for claim in library.claims.values():
        for text in (claim.said.en, claim.said.zh):
            ids = [each["id"] for each in desk.ask(text).json["claims"]]
            if claim.id not in ids:
                lost.append(f"{claim.id}: {text} -> {ids}")
    # Two statements that say the same of other builds may stand for each other.
    assert len(lost) <= len(library.claims) * 2 * 0.03, "\n".join(lost)


def test_the_recorded_answer_is_given_where_nothing_is_changed() -> None:
    library = open_library()
    other = []
    for claim in library.claims.values():
        for text in (claim.said.en, claim.said.zh):
            reply = desk.ask(text).json
            mine = [each for each in reply["claims"] if each["id"] == claim.id]
            if mine and mine[0]["verdict"] != claim.answer:
                other.append(f"{claim.id}: {claim.answer}, not {mine[0]['verdict']}: {text}")
    assert len(other) <= len(library.claims) * 2 * 0.05, "\n".join(other)


def test_an_answer_names_the_real_figure_and_its_sources() -> None:
    reply = desk.ask("H200 with 180 GB?").json
    claim = reply["claims"][0]
    assert claim["figure"] == "141 GB"
    assert "141 GB" in claim["text"]
    assert claim["sources"]
    assert {source["id"] for source in reply["sources"]} >= set(claim["sources"])


def test_the_answer_is_in_the_language_of_the_sentence_unless_another_is_asked_for() -> None:
    assert desk.ask("B200 有 144GB 显存").json["lang"] == "zh"
    assert desk.ask("B200 有 144GB 顯存嗎").json["lang"] == "zh-Hant"
    assert "顯存" in desk.ask("B200 有 144GB 顯存嗎").json["text"]
    assert desk.ask("B200 有 144GB 显存", lang="en").json["text"].isascii()


@pytest.mark.parametrize("text", ["the weather is nice", "你好", "????", "\ud800 \x00", "1e999 GB", "70B", "GB" * 500])
def test_a_sentence_that_states_nothing_is_unknown_and_raises_nothing(text: str) -> None:
    reply = desk.ask(text).json
    assert reply["verdict"] == "unknown"
    assert reply["claims"] == []
    assert reply["text"]


def test_an_empty_or_endless_text_is_refused_with_one_line() -> None:
    with pytest.raises(BadInput, match="empty"):
        desk.ask("  ")
    with pytest.raises(BadInput, match="characters"):
        desk.ask("x" * (desk.MAX_TEXT + 1))


def test_each_sentence_of_a_text_is_judged_and_the_worst_verdict_stands_for_all() -> None:
    reply = desk.ask("The H200 has 141 GB. The B200 has 144 GB.").json
    assert [claim["verdict"] for claim in reply["claims"]] == ["yes", "no"]
    assert reply["verdict"] == "no"


def test_a_quoted_vendor_gives_the_claims_of_an_answer() -> None:
    library = open_library()
    text = "供应商说单卡 A100 80G 能全参训练 70B，可信吗？"
    claims = desk.claims_in(understand(text, library), text, library, "zh")
    assert [claim["verdict"] for claim in claims] == ["no"]
    assert desk.verdict_of(claims) == "no"
    asked = "Is it true that the B200 has 144 GB?"
    assert desk.claims_in(understand(asked, library), asked, library, "en")[0]["verdict"] == "no"
    plain = "我们想在 A100 80G 上训练 70B"
    assert desk.claims_in(understand(plain, library), plain, library, "zh") == []


def test_no_string_of_pieces_of_sentences_breaks_the_desk() -> None:
    pieces = ["70B", "A100", "80GB", "1e9", "不能", "CN2 GIA", "0 ms", "-5 GB", "×", "RAID 10", "4x7.68TB",
              "$0", "。", "?", "0.0.0", "H100 x 0", "999999999999 GB", "LoRA", "训练",
              "days", "2-1 天", "NaN", "\ud83d", "北京", "W"]  # fmt: skip
    random = Random(7)
    for _ in range(200):
        reply = desk.ask(" ".join(random.choices(pieces, k=random.randint(1, 9)))).json
        assert reply["verdict"] in ("yes", "yes_if", "no", "unknown")
        assert "NaN" not in json.dumps(reply, allow_nan=False).replace('"NaN', "")


def test_the_command_prints_the_contract_s_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "vendor says 70B trains on one A100 80G", "--format", "json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert {"lang", "verdict", "text", "claims", "sources"} <= reply.keys()
    assert reply["verdict"] == "yes_if"
    assert "QLoRA" in reply["text"]


def test_the_command_speaks_text_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "RTX 4090 支持 NVLink"]) == 0
    assert capsys.readouterr().out.startswith("不属实")
    assert main(["claims", "RTX 4090 supports NVLink", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("**Not true**")
    assert main(["claims", ""]) == 2


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(Library([ROOT]).words["claim_figures"].entries)  # type: ignore[arg-type]


Read = Callable[[str], list[tuple[float, float, str, str]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2-3 days", [(2, 3, "days", "equals")]),
        ("at least 80 gb", [(80, 80, "GB", "at_least")]),
        ("不超过 30ms", [(30, 30, "ms", "at_most")]),
        ("月租 15-20 万", [(150000, 200000, "CNY", "equals")]),
        ("half a million yuan", [(500000, 500000, "CNY", "equals")]),
        ("2x3200w", [(3200, 3200, "W", "equals")]),
        ("1 gbps", [(1000, 1000, "Mbps", "equals")]),
        ("3.35 tb/s", [(3350, 3350, "GB/s", "equals")]),
        ("2.6 pflops", [(2600, 2600, "TFLOPS", "equals")]),
        ("a100", []),
        ("$2 per hour", [(2, 2, "USD", "equals")]),
        ("两周", [(14, 14, "days", "equals")]),
    ],
)
def test_a_figure_is_read_with_unit_scale_and_relation(
    reader: Reader, text: str, expected: list[tuple[float, float, str, str]]
) -> None:
    assert [(f.value, f.high, f.unit, f.relation) for f in reader.read(text)] == expected


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("our line is 1000 Mbps, that is 1000 MB per second", "no"),  # a byte has eight bits: 125
        ("独享 100M 等于 12.5MB/s", "yes"),
        ("CN2 GIA guarantees zero packet loss", "no"),
        ("CN2 GIA guarantees latency under 30 ms from Shenzhen", "yes_if"),
        ("CN2 GIA 到深圳永远低于30ms", "yes_if"),
        ("CN2 GIA is under 30 ms from Shenzhen", "yes"),
        ("BGP 线路晚高峰保证不丢包", "no"),
        ("500 GB takes 12 hours over 100 Mbps", "yes"),  # 500 x 8 / 0.1 = 40,000 s
    ],
)
def test_bits_bytes_and_promises_of_a_line(text: str, verdict: str) -> None:
    assert desk.ask(text).json["verdict"] == verdict
