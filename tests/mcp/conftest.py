"""The server as agents meet it: a process over stdio, and a process over HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp import StdioServerParameters

ROOT = Path(__file__).resolve().parents[2]
START = "from bots.cli.main import run; run()"
TOKEN = "a-secret-of-this-test"


def stdio() -> StdioServerParameters:
    """How a client starts the server over stdio."""
    return StdioServerParameters(
        command=sys.executable, args=["-c", START, "mcp"], env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT
    )


@contextmanager
def served(*arguments: str, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """`hkgpu mcp --http` on a free port; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-c", START, "mcp", "--http", "--port", str(port), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/mcp", process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(url, timeout=2)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the server did not answer")


@pytest.fixture(scope="session")
def over_http() -> Iterator[str]:
    with served() as url:
        yield url
