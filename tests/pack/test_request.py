"""The request to vendors: exact lines, each with its proof, in three languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.knowledge.library import open_library
from advisor.knowledge.reader import read_file
from advisor.pack.request import files
from advisor.pack.requirements import requirements

PLANS: Any = read_file(Path(__file__).parent / "offers" / "plans.yaml").data
LIBRARY = open_library()


def test_every_line_has_a_proof_a_source_and_no_open_placeholder() -> None:
    for plan in PLANS.values():
        for line in requirements(plan, LIBRARY):
            assert line.item in LIBRARY.items
            assert line.because
            assert "{" not in line.ask.en + line.ask.zh


def test_figures_come_from_the_plan() -> None:
    lines = {line.id: line for line in requirements(PLANS["a100"], LIBRARY)}
    assert lines["card"].wanted == "A100 80GB"
    assert (lines["ram"].wanted, lines["cpu_cores"].wanted, lines["bandwidth"].wanted) == (512.0, 64.0, 100.0)
    # 3,000 GB usable under RAID 10 are 6,000 GB of disks
    assert lines["data_disk"].wanted == 6000.0
    assert lines["line"].wanted == ("cn2_gia",)
    assert lines["nvlink"].wanted is True


def test_a_card_without_nvlink_is_not_asked_for_it_and_a_plan_without_a_line_asks_openly() -> None:
    ids = [line.id for line in requirements(PLANS["rtx4090"], LIBRARY)]
    assert "nvlink" not in ids
    assert "line" not in ids
    assert "line_stated" in ids
    assert "remote" not in ids


def test_a_plan_without_a_card_asks_for_nothing() -> None:
    assert requirements({"recommended": None, "understood": {}}, LIBRARY) == []
    assert files({"recommended": None, "understood": {}}, LIBRARY, "en") == {}


def test_the_message_stands_in_both_languages_and_traditional_where_asked() -> None:
    found = files(PLANS["a100"], LIBRARY, "zh-Hant")
    assert {"request.en.md", "request.zh.md", "request.zh-Hant.md", "comparison.csv", "comparison.xlsx"} == set(found)
    assert "A100 80GB" in found["request.en.md"].decode()
    assert "服务器" in found["request.zh.md"].decode()
    assert "伺服器" in found["request.zh-Hant.md"].decode()
    assert "request.zh-Hant.md" not in files(PLANS["a100"], LIBRARY, "en")


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert files(PLANS["a100"], LIBRARY, "zh") == files(PLANS["a100"], LIBRARY, "zh")
