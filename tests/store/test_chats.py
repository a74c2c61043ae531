"""What the store promises to chat programs, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine, text

from advisor.core.errors import BadInput
from advisor.store.chats import Arrival, Chats
from advisor.store.installed import Installed
from advisor.store.store import Store


def arrival(key: str = "T1:C1:1.1", stamp: str = "1.1", **more: str) -> Arrival:
    values = {"thread": "T1:C1:1.0", "person": "slack:T1:U1", "event": None, **more}
    return Arrival(key, values["thread"], values["person"], stamp, {"text": "hello"}, values["event"])


@pytest.fixture
def chats(store: Store) -> Chats:
    return Chats(store)


def test_a_message_arrives_once_by_its_key_and_by_its_event(chats: Chats) -> None:
    assert chats.arrive(arrival(event="Ev1"))
    assert not chats.arrive(arrival(event="Ev2"))
    assert not chats.arrive(arrival(key="T1:C1:9.9", event="Ev1"))
    assert chats.unclaimed() == ("T1:C1:1.1",)


def test_of_many_who_bring_or_claim_a_message_at_once_one_does(chats: Chats) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: chats.arrive(arrival()), range(8))) == 1
        claims = list(pool.map(lambda n: chats.claim("T1:C1:1.1", f"owner{n}", 60), range(8)))
    assert sum(claim is not None for claim in claims) == 1


def test_messages_of_a_thread_are_claimed_in_their_order_and_those_of_another_beside(chats: Chats) -> None:
    chats.arrive(arrival("T1:C1:1.2", "1.2"))
    chats.arrive(arrival("T1:C1:1.1", "1.1"))
    chats.arrive(arrival("T1:C1:2.1", "2.1", thread="T1:C1:2.0"))
    assert chats.claim("T1:C1:1.2", "me", 60) is None
    first = chats.claim("T1:C1:1.1", "me", 60)
    assert first is not None
    assert (first.tries, first.payload) == (1, {"text": "hello"})
    assert chats.claim("T1:C1:2.1", "me", 60) is not None
    chats.finish("T1:C1:1.1", "1.15")
    assert chats.unclaimed("T1:C1:1.0") == ("T1:C1:1.2",)
    assert chats.claim("T1:C1:1.2", "me", 60) is not None
    assert chats.posted("T1:C1:1.1") == "1.15"


def test_who_died_over_a_message_gives_it_up_when_his_time_is_over(chats: Chats, url: str) -> None:
    chats.arrive(arrival())
    assert chats.claim("T1:C1:1.1", "dead", 60) is not None
    assert chats.unclaimed() == ()
    chats.beat("dead", 60)
    assert chats.owners() == ("dead",)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE arrivals SET until = until - 61"))
    engine.dispose()
    again = chats.claim("T1:C1:1.1", "alive", 60)
    assert again is not None
    assert again.tries == 2
    chats.release_all(["alive"])
    assert chats.unclaimed() == ("T1:C1:1.1",)


def test_an_answered_message_keeps_no_text_and_is_known_for_a_day(chats: Chats, url: str) -> None:
    chats.arrive(arrival())
    chats.claim("T1:C1:1.1", "me", 60)
    chats.finish("T1:C1:1.1", "1.2")
    engine = create_engine(url)
    with engine.begin() as connection:
        assert "hello" not in str(connection.execute(text("SELECT * FROM arrivals")).all())
        connection.execute(text("UPDATE arrivals SET at = at - 86000"))
    chats.tidy()
    with engine.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM arrivals")).scalar() == 1
    assert not chats.arrive(arrival())
    with engine.begin() as connection:
        connection.execute(text("UPDATE arrivals SET at = at - 1000"))
    chats.tidy()
    assert chats.arrive(arrival())
    engine.dispose()


def test_a_message_that_waited_an_hour_loses_its_text(chats: Chats, url: str) -> None:
    chats.arrive(arrival())
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE arrivals SET at = at - 3601"))
    engine.dispose()
    chats.tidy()
    assert chats.waiting() == 0
    assert chats.claim("T1:C1:1.1", "me", 60) is None


def test_a_waiting_message_can_be_reworded_or_withdrawn_and_one_under_way_cannot(chats: Chats) -> None:
    chats.arrive(arrival())
    chats.reword("T1:C1:1.1", "hello again")
    claimed = chats.claim("T1:C1:1.1", "me", 60)
    assert claimed is not None
    assert claimed.payload["text"] == "hello again"
    chats.reword("T1:C1:1.1", None)
    assert chats.waiting() == 1
    chats.release("T1:C1:1.1")
    chats.reword("T1:C1:1.1", None)
    assert chats.waiting() == 0


def test_a_thread_is_one_conversation_whoever_begins_it_and_goes_with_it(chats: Chats, store: Store) -> None:
    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(lambda _: chats.session("T1:C1:1.0"), range(6)))
    (session,) = found
    assert chats.ours("T1:C1:1.0")
    store.take(session, "k", "slack:T1:U1", "a text")
    store.answer(session, "k", 0, {"act": "said"})
    chats.note("T1:C1:1.0", {"title": "70B"})
    assert [each.title for each in chats.recent("slack:T1:U1", 5)] == [{"title": "70B"}]
    assert chats.recent("slack:T1:U2", 5) == ()
    chats.rename("T1:C1:1.0", "T1:D1:1.5")
    assert chats.session("T1:D1:1.5") == session
    store.forget("slack:T1:U1")
    assert chats.recent("slack:T1:U1", 5) == ()
    assert chats.session("T1:D1:1.5") != session


def test_what_here_means_in_a_room_is_said_changed_and_taken_back(chats: Chats) -> None:
    servers = [{"gpu": "a100_80gb_sxm", "count": 8, "nodes": 1}]
    assert chats.here("T1:C1") == []
    chats.set_here("T1:C1", servers)
    chats.set_here("T1:C1", servers * 2)
    assert chats.here("T1:C1") == servers * 2
    chats.set_here("T1:C1", [])
    assert chats.here("T1:C1") == []


def test_a_vote_names_nobody_and_can_be_changed(chats: Chats, url: str) -> None:
    chats.vote("f" * 64, "abcdefabcdef", 1)
    chats.vote("f" * 64, "abcdefabcdef", -1)
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT id, plan, vote FROM votes")).all()
    engine.dispose()
    assert [tuple(row) for row in rows] == [("f" * 64, "abcdefabcdef", -1)]


def test_a_team_that_leaves_takes_everything_with_it_and_no_other_teams(chats: Chats) -> None:
    for team in ("T1", "T12"):
        chats.arrive(Arrival(f"{team}:C1:1.1", f"{team}:C1:1.0", f"slack:{team}:U1", "1.1", {}))
        chats.session(f"{team}:C1:1.0")
        chats.set_here(f"{team}:C1", [{"gpu": "x", "count": 1, "nodes": 1}])
    chats.close_team("T1:")
    assert not chats.ours("T1:C1:1.0")
    assert chats.ours("T12:C1:1.0")
    assert chats.here("T1:C1") == []
    assert chats.here("T12:C1") != []


def test_a_person_who_is_forgotten_waits_for_nothing(chats: Chats) -> None:
    chats.arrive(arrival())
    chats.arrive(arrival("T1:C1:3.1", "3.1", person="slack:T1:U2", thread="T1:C1:3.0"))
    chats.forget("slack:T1:U1")
    assert chats.unclaimed() == ("T1:C1:3.1",)


def test_an_installation_is_kept_as_it_was_given_and_a_state_is_good_once(store: Store) -> None:
    installed = Installed(store)
    installed.put("slack:T1", "sealed")
    installed.put("slack:T1", json.dumps(["sealed anew"]))
    assert installed.get("slack:T1") == '["sealed anew"]'
    installed.remove("slack:T1")
    assert installed.get("slack:T1") is None
    installed.begin("state", 60)
    installed.begin("old", -1)
    assert installed.end("state")
    assert not installed.end("state")
    assert not installed.end("old")


@pytest.mark.parametrize("name", ["", "two words", "x" * 201, "a\nb"])
def test_names_that_could_be_anything_are_refused(chats: Chats, name: str) -> None:
    with pytest.raises(BadInput):
        chats.arrive(arrival(key=name))
    with pytest.raises(BadInput):
        chats.session(name)
