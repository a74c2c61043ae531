"""A bot under test as a process of its own, exactly as an operator starts it, against the fake workspace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.slack.fake_slack import FakeSlack

ROOT = Path(__file__).resolve().parents[2]
_START = "from bots.cli.main import run; run()"
READY_S = 90.0


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Bot:
    """One process of `hkgpu slack`."""

    def __init__(self, env: Mapping[str, str], database: str, log: Path, *, http: bool, port: int) -> None:
        self.port, self.log = port, log
        self.database = database.removeprefix("sqlite:///")
        self._args = [sys.executable, "-c", _START, "slack", "--port", str(port), *(["--http"] if http else [])]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "HKGPU_"))}
        self._env = {**kept, **env, "HKGPU_DATABASE_URL": database, "PYTHONPATH": str(ROOT)}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait: bool = True) -> Bot:
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(self._args, env=self._env, stdout=out, stderr=out, cwd=ROOT)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self, seconds: float = READY_S) -> None:
        end = time.monotonic() + seconds
        while self.health("/readyz")[0] != 200:
            assert self._process is not None
            assert self._process.poll() is None, self.logged()[-2000:]
            assert time.monotonic() < end, f"not ready: {self.health('/readyz')}\n{self.logged()[-2000:]}"
            time.sleep(0.1)

    def health(self, path: str) -> tuple[int, str]:
        """Status and body of a page of health; 0 where nobody listens."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def kill(self) -> None:
        """kill -9, of the process and what it started."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(10)

    def stop(self) -> int:
        """End as a supervisor ends it; the exit code."""
        if self._process is None or self._process.poll() is not None:
            return self._process.returncode if self._process else 0
        self._process.terminate()
        return self._process.wait(30)

    def logged(self) -> str:
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""


@contextmanager
def workplace(
    folder: Path,
    *,
    http: bool,
    database: str = "",
    bots: int = 1,
    env: Mapping[str, str] | None = None,
    **options: object,
) -> Iterator[tuple[FakeSlack, list[Bot]]]:
    """A fake workspace and bots that serve it; with several over HTTP, Slack's events go to the first."""
    ports = [free_port() for _ in range(bots)]
    url = f"http://127.0.0.1:{ports[0]}/slack/events" if http else None
    database = database or f"sqlite:///{folder / 'talks.sqlite3'}"
    fake = FakeSlack(events_url=url, **options)  # type: ignore[arg-type]
    with fake:
        made = [
            Bot({**fake.env, **(env or {})}, database, folder / f"bot{place}.log", http=http, port=port)
            for place, port in enumerate(ports)
        ]
        try:
            for bot in made:
                bot.start(wait=False)
            for bot in made:
                bot.wait_ready()
            yield fake, made
        finally:
            for bot in made:
                bot.stop()


def answers(fake: FakeSlack, channel: str, root: str) -> list[dict]:
    """What the bot said in a thread and left there."""
    return fake.replies(channel, root, include_ephemeral=False)


def settled(fake: FakeSlack, quiet: float = 1.0) -> None:
    """Until nothing moves any more."""
    fake.settle(quiet=quiet, timeout=40)
