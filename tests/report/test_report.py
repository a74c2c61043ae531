"""How answers are worded: escaping, tables, task lists, units in each language."""

from __future__ import annotations

import re

import pytest

from advisor.core.answer import Hardware
from advisor.core.text import Text
from advisor.core.units import Quantity, Range
from advisor.knowledge.library import open_library
from advisor.report import markdown, plain, sentences
from advisor.report.compose import without_opening
from advisor.report.wording import Wording, youngest
from tests.consult.desk import DAY, billions, count, reply, tokens

EN, ZH, HANT = (Wording(open_library(), lang) for lang in ("en", "zh", "zh-Hant"))
TABLES = {
    name: table for name, table in vars(sentences).items() if isinstance(table, dict) and name.isupper()
}  # fmt: skip


@pytest.mark.parametrize(("table", "key"), [(t, k) for t, table in TABLES.items() for k in table if t != "OPENINGS"])
def test_a_fixed_sentence_has_both_languages_with_the_same_placeholders(table: str, key: str) -> None:
    text: Text = TABLES[table][key]
    assert text.en
    assert text.zh
    assert sorted(re.findall(r"{(\w+)}", text.en)) == sorted(re.findall(r"{(\w+)}", text.zh))


def test_what_a_person_typed_cannot_become_markup() -> None:
    assert markdown.escape("a|b\n# [x](y) <script>") == r"a\|b \# \[x\](y) \<script\>"


def test_units_are_written_as_people_of_the_language_write_them() -> None:
    assert EN.quantity(Quantity(14, "days")) == "14 days"
    assert ZH.quantity(Quantity(14, "days")) == "14 天"
    assert EN.quantity(Quantity(8, "count")) == "8"
    assert EN.quantity(Quantity(70.6, "Gparams")) == "70.6B"
    assert ZH.range(Range(6.5, 8, 10, "h")) == "8（6.5–10）小时"


def test_hardware_names_its_servers_only_where_there_are_several() -> None:
    assert EN.hardware(Hardware("a100_80gb_sxm", "A100 80GB", 8)) == "8 × A100 80GB"
    assert EN.hardware(Hardware("a100_80gb_sxm", "A100 80GB", 8, 4)) == "4 servers × 8 × A100 80GB"


def test_traditional_chinese_uses_the_words_of_hong_kong() -> None:
    assert HANT.text(Text("server memory", "服务器内存")) == "伺服器記憶體"
    assert HANT.text(Text("hard disk", "硬盘带宽")) == "硬碟頻寬"


def test_the_verdict_is_not_said_twice() -> None:
    assert without_opening("No: even the low estimate is too much.", "no") == "Even the low estimate is too much."
    assert without_opening("不行：最低也要 125 GiB。", "no") == "最低也要 125 GiB。"
    assert without_opening("Nothing fits.", "no") == "Nothing fits."


@pytest.mark.parametrize(
    ("dates", "day"),
    [(["2026", "2025-12-30"], "2026-01-01"), (["2026-08-13", "2026-08"], "2026-08-13"), ([], "2026-12-01")],
)
def test_the_youngest_date_counts(dates: list[str], day: str) -> None:
    assert youngest(dates, DAY) == day


QUESTION = {
    "model.params": billions(70), "tuning.method": "lora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1),
    "workload.seq_len": tokens(4096),
}  # fmt: skip


@pytest.mark.parametrize("wording", [EN, ZH, HANT], ids=["en", "zh", "zh-Hant"])
def test_every_row_of_a_table_is_as_long_as_its_head(wording: Wording) -> None:
    page = markdown.render(reply(QUESTION, lang=wording.lang), wording)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}


@pytest.mark.parametrize("wording", [EN, ZH, HANT], ids=["en", "zh", "zh-Hant"])
def test_no_placeholder_is_left_open_in_an_answer(wording: Wording) -> None:
    answer = reply(QUESTION, lang=wording.lang)
    for text in (markdown.render(answer, wording), plain.render(answer, wording)):
        assert not re.findall(r"(?<!%)\{[a-z_]+\.[a-z_.]+\}", text)


def test_a_checklist_is_grouped_by_moment_in_the_order_of_a_purchase() -> None:
    page = markdown.checklist_document(reply(QUESTION), EN)
    moments = [line for line in page.splitlines() if line.startswith("### ")]
    assert moments == ["### Before the order", "### On delivery", "### First run", "### In operation"]
    assert page.count("- [ ] **") == page.count("Checked by: ____") == page.count("Passes if: ")


def test_traditional_chinese_has_no_mainland_terms() -> None:
    page = markdown.render(reply(QUESTION, lang="zh-Hant"), HANT)
    terms = open_library().words["hant_terms"].entries
    assert isinstance(terms, dict)
    # A term whose characters are the same in both scripts is no mainland term.
    offenders = [term for term, local in terms.items() if term != local and term in page]
    assert offenders == []


def test_the_answer_says_what_here_was_taken_for_only_where_it_matters() -> None:
    assert "Hong Kong rental market" in reply({"model.params": billions(70)})["here"]
    assert reply(QUESTION)["here"] is None


def test_an_answer_is_as_of_the_youngest_source_that_it_used() -> None:
    answer = reply(QUESTION)
    assert answer["as_of"] == youngest([source["date"] for source in answer["sources"]], DAY)
