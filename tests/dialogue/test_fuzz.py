"""Anything can be sent: no exception, no slot out of nothing, and an answer in bounded time."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.dialogue.answers import answers_of
from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library

OWN = Path(__file__).resolve().parents[1] / "data" / "questions"
SIGNS = [
    "1e309",
    "\ud800",
    "\u202e",
    "8",
    "x",
    "不",
    "G",
    "/",
    "。",
    "\x00",
    "K",
    "万",
    "*",
    "-",
    "(",
    "９",
    "½",
    "⑧",
    "𝟖",
]
LONG = [
    "8卡 ",
    "7b/",
    "80G ",
    "9",
    "一",
    "不",
    "/a",
    "[",
    " ",
    "\ud800",
    "a-",
    "1,",
    "1.1.",
    "x8 ",
    "8x",
    "改成 ",
    "供应商说",
    "`",
    "readme 8x",
]
# Nothing here is a letter, a digit or a numeral: no slot can come of it.
EMPTY = "的了着呀啊哦嗯喔~!@#%^&()_+|{}:\"<>?[];',./ \n\t\u0000\u200b\u202e\ud800☃€∑"


def sentences() -> list[str]:
    return [
        json.loads(line)["text"]
        for path in sorted(OWN.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def messages(count: int, seed: int) -> Iterator[str]:
    rng, known = random.Random(seed), sentences()
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            pools = ((0x20, 0x7F), (0x4E00, 0x9FFF), (0, 0x11000))
            yield "".join(chr(rng.randrange(*rng.choice(pools))) for _ in range(rng.randrange(80)))
        elif kind < 0.8:
            letters = list(rng.choice(known))
            for _ in range(rng.randrange(6)):
                letters.insert(rng.randrange(len(letters) + 1), rng.choice(SIGNS))
            yield "".join(letters)
        else:
            one, two = rng.choice(known), rng.choice(known)
            yield one[: rng.randrange(len(one))] + two[rng.randrange(len(two)) :]


def check(text: str) -> None:
    library = open_library()
    seen = understand(text, library)
    json.dumps([dict(seen.slots), [dict(row) for row in seen.rejected]], allow_nan=False)
    answers_of(seen, library)


def test_thousands_of_spoiled_messages_are_read_without_an_exception() -> None:
    for text in messages(2000, seed=1):
        check(text)


@pytest.mark.deep
def test_tens_of_thousands_of_spoiled_messages_are_read_without_an_exception() -> None:
    for text in messages(48_000, seed=2):
        check(text)


@pytest.mark.parametrize("piece", LONG)
def test_a_message_of_a_hundred_thousand_letters_takes_bounded_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    begun = time.process_time()
    check(text)
    assert time.process_time() - begun < 3


def test_noise_says_nothing() -> None:
    rng = random.Random(3)
    for _ in range(500):
        text = "".join(rng.choice(EMPTY) for _ in range(rng.randrange(60)))
        assert understand(text, open_library()).slots == {}, repr(text)


def test_a_sentence_takes_at_most_five_milliseconds() -> None:
    known = sentences()
    for text in known:
        understand(text, open_library())
    begun = time.process_time()
    for text in known:
        understand(text, open_library())
    assert (time.process_time() - begun) / len(known) < 0.005


def test_the_same_message_is_always_understood_the_same() -> None:
    for text in sentences()[:40]:
        assert understand(text, open_library()) == understand(text, open_library())
