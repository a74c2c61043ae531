"""The interviews about idle cards and about memory: the next command, and with its output the cause."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from advisor.consult.sessions import Sessions
from tests.dialogue.test_outputs import DMON, IOSTAT, LOADER, MPSTAT, OOM, SMI, TOP

DAY = date(2026, 12, 1)
RESTING = IOSTAT.replace("97.20", "3.20").replace("43.10", "0.40").replace("18.00", "0.00").replace("77.00", "95.00")


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    found = Sessions.open(f"sqlite:///{tmp_path / 'talk.db'}")
    yield found
    found.close()


def talk(sessions: Sessions, *messages: str) -> list[dict[str, Any]]:
    session = sessions.begin()
    return [dict(sessions.say(session, message, day=DAY).json) for message in messages]


@pytest.mark.parametrize(
    ("says", "commands"),
    [("my GPU utilisation is 40 %", "iostat -xm 5 3"), ("我的显卡利用率只有40%", "iostat -xm 5 3")],
)
def test_a_low_figure_leads_to_the_first_command(sessions: Sessions, says: str, commands: str) -> None:
    reply = talk(sessions, says)[0]
    assert reply["intent"] == "troubleshoot"
    assert commands in reply["summary"]
    assert "nvidia-smi dmon" in reply["summary"]
    assert [question["fact"] for question in reply["questions"]] == ["observed.disk_wait"]


@pytest.mark.parametrize(
    ("messages", "cause"),
    [
        (("my GPU utilisation is 40 %", IOSTAT), "The disk holds up"),
        (("my GPU utilisation is 40 %", "yes"), "The disk holds up"),
        (("my GPU utilisation is 40 %", RESTING, MPSTAT), "The CPU holds up"),
        (("my GPU utilisation is 40 %", "no", "CPU is at 97 %"), "The CPU holds up"),
        (("my GPU utilisation is 40 %", RESTING, TOP, LOADER), "Data loading holds up"),
        (("my GPU utilisation is 40 %", RESTING, SMI), "The steps are too small"),
        (("my GPU utilisation is 40 %", "no", "no", "all-reduce or another collective"), "Communication holds up"),
        (("GPU util 30%, NCCL all_reduce takes 55% of the step",), "Communication holds up"),
        (("利用率只有40%", "没有升高", "CPU 没满", "在等 DataLoader worker"), "瓶颈在数据加载"),
        (("利用率只有40%", DMON + IOSTAT), "瓶颈在磁盘"),
        (("利用率只有40%", "磁盘util 3%，CPU 12%", "显存只用了 30%"), "每步太小"),
        ((DMON + IOSTAT,), "The disk holds up"),
        (("it died while training", OOM), "It died at the first optimizer step"),
        (("训练OOM了", "评测时"), "评测时 OOM"),
        (("my training ran out of memory", "while saving"), "Out of memory while saving"),
    ],
)
def test_with_the_output_or_the_figure_the_cause_is_named(
    sessions: Sessions, messages: tuple[str, ...], cause: str
) -> None:
    assert cause in talk(sessions, *messages)[-1]["summary"]


def test_a_quarter_of_unused_memory_is_fragmentation(sessions: Sessions) -> None:
    assert "25 %" in talk(sessions, "it died", OOM)[-1]["summary"]


def test_pasting_an_output_keeps_the_language(sessions: Sessions) -> None:
    assert [reply["lang"] for reply in talk(sessions, "利用率只有40%", RESTING, TOP)] == ["zh", "zh", "zh"]


def test_nothing_about_the_model_is_asked_of_who_wants_idle_cards_explained(sessions: Sessions) -> None:
    for reply in talk(sessions, "my GPU utilisation is 40 %", "no", "no"):
        assert {question["fact"] for question in reply["questions"]} <= {
            "observed.disk_wait", "observed.cpu_busy", "observed.stack"}  # fmt: skip
