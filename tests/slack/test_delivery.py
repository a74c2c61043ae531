"""Exactly one answer to each message, whatever Slack, the network, the database or a killed process does meanwhile."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest

from tests.slack.bot import Bot, answers, settled, workplace
from tests.slack.fake_slack import FakeSlack
from tests.slack.test_threads import ASK, asked


def test_retries_and_late_redeliveries_of_an_event_are_known(slack: FakeSlack) -> None:
    sent = slack.say("U1", "C1", ASK)
    for delivery in sent.deliveries:
        for number in (1, 2, 3):
            assert slack.redeliver(delivery, number).ok
    slack.wait_reply("C1", sent.root)
    for delivery in sent.deliveries:
        assert slack.redeliver(delivery, 3).ok
    settled(slack)
    assert len(answers(slack, "C1", sent.root)) == 1


def test_the_same_message_under_eleven_event_ids_is_answered_once(web: FakeSlack) -> None:
    sent = web.say("U1", "C1", ASK, wait=False)
    event = {"type": "app_mention", "user": "U1", "text": ASK, "ts": sent.ts, "channel": "C1", "event_ts": sent.ts}
    for _ in range(11):
        assert web.event(event).ok
    settled(web)
    assert len(answers(web, "C1", sent.root)) == 1


def test_an_event_that_comes_again_after_a_reconnect_is_known(over_socket: tuple[FakeSlack, Bot]) -> None:
    fake, _ = over_socket
    sent = fake.say("U1", "C1", ASK)
    fake.disconnect_sockets()
    fake.wait_reply("C1", sent.root)
    fake.wait_socket()
    assert fake.redeliver(sent.deliveries[0], 1).ok
    settled(fake)
    assert len(answers(fake, "C1", sent.root)) == 1
    fake.disconnect_sockets(hard=True)
    time.sleep(0.5)
    fake.wait(lambda: fake.sockets, 30, "a new connection")
    again = asked(fake)
    settled(fake)
    assert len(answers(fake, "C1", again)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "drop"},
        {"kind": "drop", "apply_first": True},
        {"kind": "drop", "apply_first": True, "times": 2},
        {"kind": "http", "status": 500},
        {"kind": "http", "status": 502, "apply_first": True},
        {"kind": "http", "status": 503, "times": 3},
        {"kind": "garbage"},
        {"kind": "garbage", "apply_first": True},
        {"kind": "error", "error": "internal_error"},
        {"kind": "error", "error": "fatal_error", "apply_first": True},
        {"kind": "ratelimited", "retry_after": 1},
        {"kind": "ratelimited", "retry_after": 1, "times": 2},
    ],
    ids=lambda fault: "-".join(str(value) for value in fault.values()),
)
def test_a_post_whose_fate_is_unknown_stands_once_in_the_thread(slack: FakeSlack, fault: dict) -> None:
    slack.add_fault("chat.postMessage", **fault)
    sent = slack.say("U1", "C1", ASK)
    slack.wait_reply("C1", sent.root, timeout=30)
    settled(slack, quiet=1.6)
    assert len(answers(slack, "C1", sent.root)) == 1


def test_a_dropped_answer_is_found_although_the_thread_cannot_be_read_at_first(web: FakeSlack) -> None:
    web.add_fault("chat.postMessage", "drop", apply_first=True)
    web.add_fault("conversations.replies", "http", status=503, times=2)
    root = asked(web)
    settled(web, quiet=2)
    assert len(answers(web, "C1", root)) == 1


def test_a_post_that_arrives_after_its_caller_gave_up_is_removed_as_a_double(folder: Path) -> None:
    with workplace(folder, http=True, env={"HKGPU_SLACK_TIMEOUT_S": "1"}) as (fake, _):
        fake.add_fault("chat.postMessage", "latency", delay=4.0)
        sent = fake.say("U1", "C1", ASK)
        fake.wait_reply("C1", sent.root, timeout=30)
        time.sleep(9)
        settled(fake)
        assert len(answers(fake, "C1", sent.root)) == 1
        deleted = [message for message in fake.messages["C1"] if message.get("deleted")]
        assert len(deleted) == 1, "the late copy was there, and is gone"


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_blocks_too_long"])
def test_blocks_that_slack_refuses_become_simpler_ones_and_then_text(slack: FakeSlack, error: str) -> None:
    slack.add_fault("chat.postMessage", "error", error=error, times=1)
    simple = answers(slack, "C1", asked(slack))[0]
    assert {block["type"] for block in simple["blocks"]} <= {"section", "context", "actions"}
    slack.add_fault("chat.postMessage", "error", error=error, times=2)
    (plain,) = answers(slack, "C1", asked(slack))
    assert "blocks" not in plain
    assert plain["text"].startswith("It depends: full fine-tuning")
    assert "QLoRA: It depends · 1 × A100 80GB" in plain["text"]


def test_a_decoration_that_fails_or_hangs_holds_up_nothing(web: FakeSlack) -> None:
    web.add_fault("assistant.threads.setStatus", "latency", delay=20.0, times=-1)
    web.add_fault("users.info", "latency", delay=20.0, times=-1)
    began = time.monotonic()
    sent = web.dm("U2", "can I LoRA fine-tune an 8B model on one RTX 4090?")
    web.wait_reply(web.dm_channel("U2"), sent.root)
    assert time.monotonic() - began < 6


def test_a_file_whose_sharing_is_uncertain_stands_once(slack: FakeSlack) -> None:
    root = asked(slack)
    slack.add_fault("files.completeUploadExternal", "drop", apply_first=True)
    slack.add_fault("upload", "http", status=503)
    slack.add_fault("files.getUploadURLExternal", "ratelimited", retry_after=1)
    slack.say("U1", "C1", "export the checklist", thread_ts=root)
    slack.wait(lambda: len(answers(slack, "C1", root)) > 1, 30, "the file")
    settled(slack, quiet=1.6)
    exported = answers(slack, "C1", root)[1:]
    assert [len(message.get("files", ())) for message in exported] == [1]


def test_where_no_file_may_be_shared_the_answer_comes_as_text(web: FakeSlack) -> None:
    root = asked(web)
    web.add_fault("files.getUploadURLExternal", "error", error="missing_scope", times=-1)
    web.say("U1", "C1", "export the checklist", thread_ts=root)
    web.wait(lambda: len(answers(web, "C1", root)) > 1, 30, "an answer")
    settled(web)
    (told,) = answers(web, "C1", root)[1:]
    assert "did not take the file" in told["text"]


@pytest.mark.parametrize("wrong", [{"sign": "bad"}, {"sign": "none"}, {"skew": -301.0}, {"skew": 400.0}])
def test_requests_that_slack_did_not_sign_now_are_refused_and_change_nothing(web: FakeSlack, wrong: dict) -> None:
    sent = web.say("U1", "C1", ASK, retries=False, **wrong)
    assert all(delivery.attempts[0].status == 401 for delivery in sent.deliveries)
    refused = web.slash("U1", "/hkgpu", "here 8xA100 80GB", **wrong)
    assert refused.attempts[0].status == 401
    settled(web)
    assert not answers(web, "C1", sent.root)


def test_slacks_question_for_the_address_is_answered(web: FakeSlack) -> None:
    delivery = web.url_verification()
    assert delivery.ok
    assert delivery.payload["challenge"] in json.dumps(delivery.body)


@pytest.mark.parametrize("http", [True, False], ids=["http", "socket"])
def test_a_message_acknowledged_before_kill_9_is_answered_after_the_restart(folder: Path, http: bool) -> None:
    with workplace(folder, http=http) as (fake, (bot,)):
        fake.add_fault("chat.postMessage", "latency", delay=3.0)
        sent = fake.say("U1", "C1", ASK)
        assert all(delivery.ok for delivery in sent.deliveries)
        time.sleep(0.3)
        bot.kill()
        assert not answers(fake, "C1", sent.root)
        fake.faults.clear()
        bot.start()
        fake.wait_reply("C1", sent.root, timeout=30)
        time.sleep(3)
        settled(fake)
        assert len(answers(fake, "C1", sent.root)) == 1
        # The conversation goes on where it stood.
        fake.say("U1", "C1", "QLoRA on one A100 80GB", thread_ts=sent.root)
        fake.wait(lambda: len(answers(fake, "C1", sent.root)) == 2, 20, "a second answer")
        assert "QLoRA on 1 × A100 80GB" in answers(fake, "C1", sent.root)[1]["text"]


def test_a_process_killed_after_slack_took_the_answer_does_not_answer_again(folder: Path) -> None:
    with workplace(folder, http=True) as (fake, (bot,)):
        # The answer is posted, its acknowledgement never arrives, and the process dies waiting for it.
        fake.add_fault("chat.postMessage", "latency", delay=0.0, times=0)
        fake.base_latency = 0.0
        sent = fake.say("U1", "C1", ASK)
        fake.wait_reply("C1", sent.root)
        bot.kill()
        with sqlite3.connect(folder / "talks.sqlite3") as database:
            where = {"team": "T1", "channel": "C1", "root": sent.root, "user": "U1", "ts": sent.ts, "room": "T1:C1"}
            said = json.dumps({"kind": "text", **where, "text": "can I fine-tune 70B here?", "files": []})
            # As it stood a moment before the process was told that Slack had taken the answer.
            database.execute(
                "UPDATE arrivals SET payload = ?, owner = 'gone:1:x', until = 0, tries = 1, posted = NULL", (said,)
            )
        bot.start()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with sqlite3.connect(folder / "talks.sqlite3") as database:
                if database.execute("SELECT count(*) FROM arrivals WHERE payload IS NOT NULL").fetchone() == (0,):
                    break
            time.sleep(0.2)
        settled(fake)
        assert len(answers(fake, "C1", sent.root)) == 1


def test_two_processes_on_one_postgresql_answer_each_message_once_and_share_the_thread(
    folder: Path, postgres_url: str
) -> None:
    with workplace(folder, http=True, database=postgres_url, bots=2) as (fake, (one, two)):
        other = f"http://127.0.0.1:{two.port}/slack/events"
        sent = fake.say("U1", "C1", ASK)
        first = fake.events_url
        fake.events_url = other
        for delivery in sent.deliveries:
            assert fake.redeliver(delivery, 1).ok
        fake.wait_reply("C1", sent.root)
        fake.say("U1", "C1", "LoRA on 8xH100", thread_ts=sent.root)
        fake.events_url = first
        fake.say("U1", "C1", "no, four cards", thread_ts=sent.root)
        fake.wait(lambda: len(answers(fake, "C1", sent.root)) >= 3, 30, "three answers")
        settled(fake)
        said = [message["text"].split("\n")[0] for message in answers(fake, "C1", sent.root)]
        assert len(said) == 3
        assert "8 × H100" in said[1]
        assert "4 × H100" in said[2]
        # Whoever is left does the work of the one that dies.
        fake.add_fault("chat.postMessage", "latency", delay=4.0)
        last = fake.say("U1", "C1", "<@UBOT> QLoRA of 70B on one A100 80GB?")
        assert last.ok
        one.kill()
        fake.faults.clear()
        fake.wait_reply("C1", last.root, timeout=40)
        time.sleep(5)
        settled(fake)
        assert len(answers(fake, "C1", last.root)) == 1


def test_while_the_database_takes_nothing_nothing_is_acknowledged_and_slack_comes_again(
    over_http: tuple[FakeSlack, Bot],
) -> None:
    fake, bot = over_http
    blocker = sqlite3.connect(bot.database, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    sent = fake.say("U1", "C1", ASK, retries=False)
    blocker.execute("ROLLBACK")
    blocker.close()
    assert all(delivery.attempts[0].status == 503 for delivery in sent.deliveries), sent.as_dict()
    assert all(900 < delivery.attempts[0].ms < 2500 for delivery in sent.deliveries)
    for delivery in sent.deliveries:
        assert fake.redeliver(delivery, 1).ok
    fake.wait_reply("C1", sent.root)
    settled(fake)
    assert len(answers(fake, "C1", sent.root)) == 1


def test_a_text_is_gone_from_the_database_once_its_message_is_answered(over_http: tuple[FakeSlack, Bot]) -> None:
    fake, bot = over_http
    root = asked(fake, "<@UBOT> can I fine-tune 70B here for the Zanzibar merger?")
    settled(fake)
    assert len(answers(fake, "C1", root)) == 1
    with sqlite3.connect(bot.database) as database:
        dump = "\n".join(database.iterdump())
    assert root in dump
    assert "Zanzibar" not in dump
    assert "Zanzibar" not in bot.logged()
    assert fake.bot_token not in bot.logged()
    assert fake.signing_secret not in bot.logged()
