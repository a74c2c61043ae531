"""How fast and how surely the Slack bot answers when many speak at once: `python -m tests.bench.slack`.

Conversations begin within seconds in threads of their own against the fake workspace, each call to Slack takes 50
ms, and every event comes twice. Printed: how long each message waited for its answer, and how many were answered not at
all or more than once. Bot, database and fake share the machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from tests.slack.bot import workplace
from tests.slack.fake_slack import FakeSlack

LATENCY_S = 0.05
QUESTIONS = (
    "can I fine-tune 70B here?",
    "LoRA on Qwen2.5-72B with 4x A100 80GB, 4k sequences?",
    "用8张H100全参微调Qwen2.5-32B，行吗？",
    "how many L40S to serve an 8B model to 20 users at once?",
    "QLoRA of Llama 3.3 70B on two RTX 4090?",
    "what should I order to pretrain 7B?",
)


def measure(conversations: int, within_s: float, folder: Path, *, http: bool = True, database: str = "") -> dict:
    """Run it once; seconds from a message to its answer, and what went wrong."""
    with workplace(
        folder, http=http, database=database, base_latency=LATENCY_S, echo_bot_messages=True
    ) as (fake, _):  # fmt: skip
        fake.base_latency = LATENCY_S
        rooms = [fake.add_channel(f"C{100 + place}", f"room{place}", ["U1", "U2", "UBOT"]) for place in range(20)]
        # The first answers of a process read what later ones find read.
        warm = [fake.say("U1", rooms[0], f"<@UBOT> {text}") for text in QUESTIONS]
        for sent in warm:
            fake.wait_reply(rooms[0], sent.root, timeout=60)
        times = _watch(fake)
        sent_at: dict[str, float] = {}
        began = time.monotonic()
        for place in range(conversations):
            due = began + place * within_s / conversations
            time.sleep(max(0.0, due - time.monotonic()))
            text = QUESTIONS[place % len(QUESTIONS)]
            sent = fake.say(f"U{1 + place % 2}", rooms[place % 20], f"<@UBOT> {text}", wait=False)
            sent_at[sent.ts] = time.monotonic()
        spoken = time.monotonic() - began
        end = time.monotonic() + 60
        while time.monotonic() < end and not all(ts in times for ts in sent_at):
            time.sleep(0.05)
        fake.settle(quiet=1.5, timeout=60)
        counts = dict.fromkeys(sent_at, 0)
        for messages in fake.messages.values():
            for message in messages:
                if message.get("bot_id") and not message.get("deleted") and message.get("thread_ts") in counts:
                    counts[message["thread_ts"]] += 1
        waited = sorted(times[ts] - at for ts, at in sent_at.items() if ts in times)
        late = [delivery for delivery in fake.deliveries if not delivery.ok]
        return {
            "conversations": conversations,
            "spoken_within_s": round(spoken, 2),
            "unanswered": sum(count == 0 for count in counts.values()),
            "answered_more_than_once": sum(count > 1 for count in counts.values()),
            "p50_s": round(statistics.median(waited), 2),
            "p95_s": round(waited[int(len(waited) * 0.95) - 1], 2),
            "max_s": round(waited[-1], 2),
            "events_not_acknowledged": len(late),
            "slowest_acknowledgement_ms": fake.summary()["ack_ms_max"],
            "refused": fake.summary()["refused"],
        }


def _watch(fake: FakeSlack) -> dict[str, float]:
    """When the first answer of each thread stood there."""
    times: dict[str, float] = {}
    store = fake._store

    def stored(channel: dict, team: str, body: dict) -> dict:
        message = store(channel, team, body)
        times.setdefault(str(body.get("thread_ts")), time.monotonic())
        return message

    fake._store = stored  # type: ignore[method-assign]
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--within", type=float, default=20.0, help="seconds in which they begin")
    parser.add_argument("--socket", action="store_true", help="Socket Mode instead of HTTP")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hkgpu_bench_") as folder:
        found = measure(given.conversations, given.within, Path(folder), http=not given.socket)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
