"""The pool of processes: it answers, brings exceptions back, survives a killed worker, and ends cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from advisor.consult import answer
from advisor.consult.pool import Pool
from advisor.core.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool.open(1) as opened:
        opened.wait_ready()
        yield opened


def verdict(text: str) -> str:
    return str(answer.ask(text).json["verdict"])


def die_the_first_time(mark: str) -> str:
    """Kill this worker, unless somebody was killed for the mark before."""
    path = Path(mark)
    if not path.exists():
        path.write_text("died", "utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def test_a_worker_answers_as_this_process_does(pool: Pool) -> None:
    text = "full fine-tuning of 70B on one A100 80GB"
    assert pool.call(verdict, text) == verdict(text) == "no"


def test_what_a_call_raises_comes_back_with_its_message(pool: Pool) -> None:
    with pytest.raises(BadInput, match="the question is empty"):
        pool.call(verdict, "  ")


def test_a_killed_worker_is_replaced_and_the_call_repeated(pool: Pool, tmp_path: Path) -> None:
    assert pool.call(die_the_first_time, str(tmp_path / "one")) == "lived"
    with ThreadPoolExecutor(1) as thread:  # a browser test before this one may have left its loop in this thread
        again = thread.submit(lambda: asyncio.run(pool.run(die_the_first_time, str(tmp_path / "two"))))
        assert again.result() == "lived"


def test_a_renewed_pool_has_new_workers(pool: Pool) -> None:
    before = pool.call(os.getpid)
    pool.renew()
    assert pool.call(os.getpid) != before


def test_workers_end_with_a_parent_that_was_killed() -> None:
    program = (
        "import os, sys\n"
        "from advisor.consult.pool import Pool\n"
        "if __name__ == '__main__':\n"
        "    pool = Pool(1)\n"
        "    print(pool.call(os.getpid), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    worker.wait(10)
    assert not worker.is_running()


def test_a_pool_that_is_closed_while_its_first_worker_begins_ends() -> None:
    program = "from advisor.consult.pool import Pool\nif __name__ == '__main__':\n    Pool.open(2).close()\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 0
