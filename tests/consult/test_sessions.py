"""A conversation with its memory: what it keeps, what it forgets, what it answers twice, what it freezes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from advisor.consult import sessions as desk
from advisor.consult.answer import render_checklist
from advisor.consult.conversation import heard, replayed
from advisor.consult.sessions import Sessions, render, retention_days
from advisor.consult.turns import turn
from advisor.core.errors import BadInput, StoreError, Withdrawn
from advisor.knowledge.library import open_library
from advisor.store.store import Store

DAY = date(2026, 12, 1)
PLAN = "QLoRA 7B on one RTX 4090, 2048 tokens, batch 1"


@pytest.fixture
def sessions(store: Store) -> Sessions:
    return Sessions(store)


@pytest.fixture
def light(sqlite_url: str) -> Iterator[Sessions]:
    """Conversations on SQLite alone, where the database makes no difference."""
    opened = Sessions.open(sqlite_url)
    yield opened
    opened.close()


def test_a_conversation_goes_on_in_another_process(sessions: Sessions, url: str) -> None:
    session = sessions.begin()
    sessions.say(session, PLAN)
    other = Sessions.open(url)
    reply = other.say(session, "and 13B?")
    assert reply.json["understood"]["params_b"] == 13
    assert reply.json["understood"]["task"] == ["qlora"]
    assert reply.json["session"] == session
    assert reply.json["turn"] == 2
    other.close()


def test_a_turn_keeps_what_was_understood_and_nothing_of_the_text(light: Sessions, sqlite_url: str) -> None:
    session = light.begin()
    light.say(session, "our secret project Nightingale: vendor says 48G is needed, QLoRA 7B on one RTX 4090")
    light.say(session, "not Nightingale's budget, 不是8张，是2张")
    path = sqlite_url.removeprefix("sqlite:///")
    dump = "\n".join(sqlite3.connect(path).iterdump())
    for word in ("Nightingale", "secret", "vendor says", "不是8张", "\\u4e0d\\u662f8"):
        assert word not in dump
    entry = light._store.history(session).turns[0].entry
    assert {"slot": "params_b", "value": 7, "provenance": "said"} in entry["answers"]
    assert entry["versions"]["data"] == open_library().version
    assert entry["intent"]


def test_replaying_the_entries_never_reads_a_text(light: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    session = light.begin()
    said = light.say(session, PLAN, day=DAY).json

    def fail(*_: object) -> None:
        raise AssertionError("a text was read")

    for name in ("understand", "command_of", "bare_answer"):
        monkeypatch.setattr(f"advisor.consult.conversation.{name}", fail)
    shown = light.show(session).json
    assert {key: shown[key] for key in ("plan", "verdict", "understood", "summary")} == {
        key: said[key] for key in ("plan", "verdict", "understood", "summary")
    }


def test_the_same_message_delivered_twice_is_answered_once_and_alike(sessions: Sessions) -> None:
    session = sessions.begin()
    sessions.say(session, "QLoRA 7B on one RTX 4090")
    first = sessions.say(session, "make it 2 cards", key="slack-1")
    sessions.say(session, "make it 4 cards")
    again = sessions.say(session, "make it 2 cards", key="slack-1")
    assert again.json == first.json
    assert sessions.understood(session)["gpu_count"] == 4


def test_a_message_taken_before_a_crash_is_answered_at_the_next_start(sessions: Sessions, store: Store) -> None:
    session = sessions.begin()
    store.take(session, "lost", "ada", PLAN)
    ((waiting, reply),) = sessions.resume(session)
    assert waiting.person == "ada"
    assert reply.json["understood"]["params_b"] == 7
    assert sessions.resume(session) == ()
    assert sessions._store.history(session).turns[0].person == "ada"


def test_a_corrected_answer_leaves_no_stale_conclusion(light: Sessions) -> None:
    session = light.begin()
    light.say(session, "full fine-tune 7B with AdamW mixed precision on one A100 80GB, 1024 tokens, batch 1", day=DAY)
    corrected = light.say(session, "no, I meant 8 cards", day=DAY)
    fresh = light.say(
        light.begin(),
        "full fine-tune 7B with AdamW mixed precision on 8 A100 80GB, 1024 tokens, batch 1",
        day=DAY,
    )
    for key in ("verdict", "by_method", "recommended", "risks", "plan"):
        assert corrected.json[key] == fresh.json[key], key
    whats = {change["what"]: change for change in corrected.json["changes"]}
    assert whats["verdict"]["before"] == "no"
    assert whats["verdict"]["after"] in ("yes", "yes_if")
    assert whats["cards"] == {"what": "cards", "before": "1 × A100 80GB", "after": "8 × A100 80GB"}


def test_the_exported_checklist_is_the_one_of_the_session_byte_for_byte(sessions: Sessions) -> None:
    session = sessions.begin()
    said = sessions.say(session, PLAN)
    exported = sessions.say(session, "export the checklist")
    markdown = exported.json["checklist_markdown"]
    assert sessions.checklist(session).text == markdown
    assert markdown == render_checklist(said, "markdown")
    assert "- [ ]" in markdown
    assert sessions.checklist(session, lang="zh").text != markdown
    assert json.loads(sessions.checklist(session, "json").text)["plan"] == said.json["plan"]


def test_a_frozen_plan_stays_while_the_conversation_moves_on(light: Sessions) -> None:
    session = light.begin()
    light.say(session, PLAN)
    before = light.checklist(session)
    assert before.notes == ()
    light.say(session, "make it 2 cards")
    after = light.checklist(session)
    assert after.text == before.text
    assert any("moved on" in note for note in after.notes)
    light.say(session, "export")
    assert "2 × RTX 4090" in light.checklist(session).text
    light.say(session, "back")
    light.say(session, "export")
    assert light.checklist(session).text == before.text


def test_newer_data_that_would_change_a_frozen_checklist_is_told(light: Sessions, sqlite_url: str) -> None:
    session = light.begin()
    light.say(session, PLAN)
    before = light.checklist(session).text
    path = sqlite_url.removeprefix("sqlite:///")
    database = sqlite3.connect(path)
    document = json.loads(database.execute("SELECT document FROM plans").fetchone()[0])
    document["data"] = "older"
    items = json.loads(document["by_lang"]["en"]["json"])
    items["checklist"] = items["checklist"][1:]
    document["by_lang"]["en"]["json"] = json.dumps(items)
    database.execute("UPDATE plans SET document = ?", (json.dumps(document),))
    database.commit()
    exported = light.checklist(session)
    assert exported.text == before
    assert any("today's data" in note for note in exported.notes)


def test_nothing_to_check_is_said_and_freezes_nothing(light: Sessions) -> None:
    session = light.begin()
    light.say(session, "hello")
    with pytest.raises(BadInput, match="no plan to check"):
        light.checklist(session)


def test_forgetting_a_person_recomputes_the_plan_from_what_the_others_said(sessions: Sessions) -> None:
    session = sessions.begin()
    sessions.say(session, "QLoRA 7B on one RTX 4090", person="ada")
    sessions.say(session, "make it 4 cards", person="bob")
    sessions.say(session, "2048 tokens", person="ada")
    sessions.forget("bob")
    assert sessions.understood(session)["gpu_count"] == 1
    assert sessions.understood(session)["seq_len"] == 2048
    sessions.forget("ada")
    with pytest.raises(BadInput, match="no conversation"):
        sessions.understood(session)


def test_a_database_that_fails_leaves_the_conversation_as_it_was(
    light: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = light.begin()
    light.say(session, PLAN)
    before = light._store.history(session)

    def full(*_: object) -> None:
        raise StoreError("the disk is full", do="make room and say it again")

    monkeypatch.setattr(light._store, "answer", full)
    with pytest.raises(StoreError, match="disk is full"):
        light.say(session, "make it 2 cards")
    monkeypatch.undo()
    assert light._store.history(session) == before
    assert light.resume(session) == ()


def test_a_message_forgotten_meanwhile_is_not_answered(light: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    session = light.begin()
    light.say(session, PLAN, person="bob")
    heard_before = desk.heard

    def slow(*args: object) -> object:
        light.forget("ada")
        return heard_before(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(desk, "heard", slow)
    with pytest.raises(Withdrawn):
        light.say(session, "2048 tokens", person="ada")
    assert len(light._store.history(session).turns) == 1


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 100_000])
def test_an_empty_or_endless_message_is_refused_and_not_kept(light: Sessions, text: str) -> None:
    session = light.begin()
    with pytest.raises(BadInput):
        light.say(session, text)
    assert light.resume(session) == ()


def test_one_question_at_a_time_and_how_many_are_left(light: Sessions) -> None:
    session = light.begin()
    reply = light.say(session, "QLoRA 7B on one RTX 4090")
    left = reply.json["questions_left"]
    assert left == len(reply.json["questions"]) > 0
    text = render(reply, "text")
    assert text.count("?") - text.count("?)") >= 1
    assert reply.json["questions"][0]["text"] in text
    assert reply.json["questions"][1]["text"] not in text
    assert light.say(session, "skip").json["questions_left"] == left - 1


def test_the_days_of_retention_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKGPU_RETENTION_DAYS", "7")
    assert retention_days() == 7
    for wrong in ("soon", "-1", "0", "nan", "inf"):
        monkeypatch.setenv("HKGPU_RETENTION_DAYS", wrong)
        with pytest.raises(BadInput, match="HKGPU_RETENTION_DAYS"):
            retention_days()


def spoiled(count: int) -> Iterator[str]:
    from tests.dialogue.test_fuzz import messages

    yield from (
        "change the card to \ud800",
        "8" * 5000,
        "{{7*7}} ${x} {memory.peak}",
        "1e309 cards",
        "改成" * 900,
        "\x00\x1b[2J",
    )
    yield from messages(count, seed=11)


def talked(count: int) -> None:
    """Messages of all kinds in one long conversation: no exception, and every answer is JSON without NaN."""
    library, entries = open_library(), []
    state = replayed(entries)
    for text in spoiled(count):
        if not text.strip():
            continue
        entry, seen = heard(text, state, library)
        reply = turn(state, entry, DAY, library, live=seen)
        entry["asked"] = reply["questions"][0]["fact"] if reply["questions"] else ""
        json.dumps([reply, entry], allow_nan=False)
        entries.append(entry)
        state = replayed(entries[-40:])


def test_dozens_of_spoiled_messages_are_answered_without_an_exception() -> None:
    talked(40)


@pytest.mark.deep
def test_two_thousand_spoiled_messages_are_answered_without_an_exception() -> None:
    talked(2000)


def test_the_wheel_holds_the_migrations() -> None:
    folder = Path(desk.__file__).parents[1] / "store" / "migrations"
    assert (folder / "env.py").exists()
    assert list((folder / "versions").glob("*.py"))
