"""A reload: what is right is in use from the next question on, what is wrong changes nothing, nothing old stays."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from advisor.consult import answer
from advisor.consult.pool import Pool
from advisor.consult.reload import forget, reload
from advisor.consult.sessions import Sessions
from advisor.core.errors import BadData
from advisor.knowledge.library import open_library

DAY = date(2026, 12, 1)
RULE = """\
id: suitability.ask_our_engineer
status: trial
since: 2026-12-01
because: [general_knowledge]
when:
  all:
    - {fact: plan.method, is: qlora}
then:
  advise:
    level: note
    say: {en: "Ask engineer NAME first.", zh: "先问工程师 NAME。"}
examples:
  - {name: fires on QLoRA, given: {plan.method: qlora}, fires: true}
  - {name: silent on LoRA, given: {plan.method: lora}, fires: false}
"""
QUESTION = "QLoRA of 7B on one RTX 4090?"


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("overlay")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HKGPU_OVERLAY", str(folder))
        yield folder


@pytest.fixture
def rule(overlay: Path) -> Path:
    return overlay / "rules" / "suitability" / "ask_our_engineer.yaml"


def names(path: Path, name: str, old: str = "", new: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(RULE.replace("NAME", name).replace(old, new) if old else RULE.replace("NAME", name), "utf-8")


def said() -> str:
    return str(answer.ask(QUESTION, day=DAY).json["advice"])


def test_the_next_question_and_the_next_message_see_what_was_changed(rule: Path, tmp_path: Path) -> None:
    names(rule, "K-1")
    sessions = Sessions.open(f"sqlite:///{tmp_path / 'talk.db'}")
    session = sessions.begin()
    assert "K-1" in str(sessions.say(session, QUESTION, day=DAY).json)
    names(rule, "K-2")
    assert "K-1" in said()  # not before the reload
    found = reload()
    assert found.changed
    assert "K-2" in said()
    assert "K-2" in str(sessions.say(session, "2048 tokens", day=DAY).json)
    assert answer.ask(QUESTION, day=DAY).json["data_version"] == found.after
    sessions.close()


def test_nothing_changed_is_no_reload(rule: Path) -> None:
    library = open_library()
    assert not reload().changed
    assert open_library() is library


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("is: qlora", "is: qlorra", "ask_our_engineer.yaml:7"),
        ("general_knowledge", "no_such_source", "ask_our_engineer.yaml:4"),
    ],
)
def test_a_wrong_file_is_named_and_everything_stays_as_it_was(rule: Path, old: str, new: str, line: str) -> None:
    before = (said(), open_library())
    names(rule, "K-3", old, new)
    with pytest.raises(BadData, match=line):
        reload()
    assert (said(), open_library()) == before


def test_reloads_amid_questions_mix_nothing_up_and_leave_nothing_behind(rule: Path) -> None:
    found: list[str] = []
    failed: list[BaseException] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.wait(0.1):
            try:
                found.append(said())
            except BaseException as error:
                failed.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    old = [weakref.ref(answer.rules()), weakref.ref(open_library())]
    names(rule, "K-5")
    reload()
    stop.set()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(sum(name in each for name in ("K-2", "K-5")) == 1 for each in found)
    assert "K-5" in said()
    forget()  # what the questions under way remembered; the next reload would do it
    assert [each() for each in old] == [None, None]


def test_the_workers_of_a_pool_read_the_new_data_too(rule: Path) -> None:
    with Pool.open(1) as pool:
        assert "K-5" in pool.call(said)
        names(rule, "K-6")
        reload(pool)
        assert "K-6" in pool.call(said)
