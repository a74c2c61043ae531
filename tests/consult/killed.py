"""Kills conversations in the middle of a turn and looks at what is left; two writers on one conversation.

`python -m tests.consult.killed kill URL COUNT SEED` forks a child that talks, kills it with SIGKILL at a random moment,
and checks the store; `... together URL COUNT` lets two children talk in one conversation. Prints one JSON line.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from advisor.consult.conversation import replayed
from advisor.consult.sessions import Sessions
from advisor.store.store import Store

MESSAGES = (
    "QLoRA 7B on one A100 80GB, 2048 tokens", "and 13B?", "长度 4096", "why", "batch 2", "那70B呢", "skip",
    "no, I meant 7B", "导出清单", "compare A100 and H100", "back", "4张卡",
)  # fmt: skip
KILLS_A_SESSION = 8
# A turn takes about a tenth of a second here; the kill falls anywhere in the first one or two.
LONGEST_S = 0.16


class Telling(Store):
    """A store that tells when a message is accepted, so that the test knows what may not be lost."""

    tell: Callable[[str], None]

    def take(self, session: str, key: str, person: str, text: str) -> Any:
        state = super().take(session, key, person, text)
        self.tell(f"taken {key}")
        return state


def talk(url: str, session: str, first: int, pipe: int) -> None:
    """Say one message after the other, telling of each answer."""
    store = Telling.open(url)
    store.tell = lambda line: os.write(pipe, f"{line}\n".encode()) and None  # type: ignore[attr-defined]
    sessions = Sessions(store)
    for number in range(first, first + 1000):
        sessions.say(session, MESSAGES[number % len(MESSAGES)], key=f"m{number}")
        store.tell(f"answered m{number}")  # type: ignore[attr-defined]


def killed_once(url: str, session: str, first: int, wait_s: float) -> list[list[str]]:
    """Fork, let the child talk for so long, kill it; returns what it had told."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            talk(url, session, first, writing)
        finally:
            os._exit(1)
    os.close(writing)
    time.sleep(wait_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, "r") as told:
        return [line.split() for line in told.read().splitlines()]


def check(store: Store, session: str, told: list[list[str]]) -> dict[str, int]:
    """No accepted message lost, no half turn; counts what was found."""
    history = store.history(session)
    numbers = [turn.number for turn in history.turns]
    answered = {turn.key for turn in history.turns}
    waiting = {each.key for each in store.waiting(session)}
    assert numbers == list(range(1, len(numbers) + 1)), numbers
    assert history.version == len(numbers), "a version without its turn"
    assert not answered & waiting, f"answered and still waiting: {answered & waiting}"
    for state, key in told:
        assert key in answered or (state == "taken" and key in waiting), f"{state} {key} is lost"
    for turn in history.turns:
        assert {"act", "lang", "asked", "day", "versions", "answers"} <= set(turn.entry), turn.entry
    replayed(turn.entry for turn in history.turns)
    return {"turns": len(numbers), "waiting": len(waiting)}


def kill(url: str, count: int, seed: int) -> dict[str, int]:
    """Kill so many times; half-way messages are answered at the next start, as after a crash."""
    rng = random.Random(seed)
    warm = Sessions.open(url)
    warm.say(warm.begin(), MESSAGES[0])
    warm.close()
    totals = {"kills": 0, "turns": 0, "in_the_middle": 0, "resumed": 0}
    session, first = "", 0
    for number in range(count):
        store = Store.open(url)
        if number % KILLS_A_SESSION == 0:
            session, first = store.create(), 0
        store.close()
        told = killed_once(url, session, first, rng.uniform(0, LONGEST_S))
        first += len({key for _, key in told}) + 1
        store = Store.open(url)
        found = check(store, session, told)
        totals["kills"] += 1
        totals["in_the_middle"] += bool(found["waiting"])
        totals["resumed"] += len(Sessions(store).resume(session))
        after = check(store, session, told)
        assert after["waiting"] == 0
        totals["turns"] += after["turns"] if number % KILLS_A_SESSION == KILLS_A_SESSION - 1 else 0
        store.close()
    return totals


def together(url: str, count: int) -> dict[str, Any]:
    """Two processes talk in one conversation, each about its own slot."""
    sessions = Sessions.open(url)
    session = sessions.begin()
    sessions.say(session, MESSAGES[0])
    sessions.close()
    children = []
    for name, text in (("a", "长度 {}"), ("b", "batch {}")):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                own = Sessions.open(url)
                for number in range(1, count + 1):
                    own.say(session, text.format(number * 1024 if name == "a" else number), key=f"{name}{number}")
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    store = Store.open(url)
    history = store.history(session)
    state = replayed(turn.entry for turn in history.turns)
    keys = [turn.key for turn in history.turns[1:]]
    return {"codes": codes, "keys": keys, "version": history.version, "slots": dict(state.slots)}


if __name__ == "__main__":
    what, url = sys.argv[1:3]
    if what == "kill":
        print(json.dumps(kill(url, int(sys.argv[3]), int(sys.argv[4]))))
    else:
        print(json.dumps(together(url, int(sys.argv[3]))))
