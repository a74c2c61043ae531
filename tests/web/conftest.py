"""The server as its users have it: its own process, its own database, a port that is free; and a real browser."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), "")
BEGIN = "import sys; from bots.cli.main import main; sys.exit(main(sys.argv[1:]))"
LOCALES = {"en": "en-US", "zh": "zh-CN", "zh-Hant": "zh-TW"}
PATIENCE_MS = 60_000
# Gradio's own stand-in for the browser's event stream warns so whenever an upload ends; nothing is wrong then.
HARMLESS = ("Method not implemented.",)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Served:
    """A running `hkgpu web`."""

    def __init__(self, folder: Path, port: int, **environment: str) -> None:
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        self.began = time.monotonic()
        self.log = folder / "web.log"
        env = {**os.environ, "HKGPU_DATABASE_URL": f"sqlite:///{folder}/web.sqlite", "HKGPU_METRICS_PORT": ""}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", BEGIN, "web", "--port", str(port), "--workers", "2"],
                stdout=log, stderr=log, env={**env, **environment}, cwd=Path(__file__).parents[2],
            )  # fmt: skip

    def wait(self, path: str = "/readyz", seconds: float = 90) -> float:
        """Wait for an address to answer; returns the seconds since the start."""
        while time.monotonic() - self.began < seconds:
            assert self.process.poll() is None, self.log.read_text("utf-8", "replace")
            try:
                urllib.request.urlopen(self.url + path, timeout=5).read()
                return time.monotonic() - self.began
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"{path} did not answer in {seconds} s: " + self.log.read_text("utf-8", "replace"))

    def stop(self) -> tuple[int, float]:
        """SIGTERM; returns the exit code and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        finally:
            self.process.kill()
        return code, time.monotonic() - began


@contextmanager
def serving(folder: Path, port: int | None = None, **environment: str) -> Iterator[Served]:
    served = Served(folder, port or free_port(), **environment)
    try:
        served.wait()
        yield served
    finally:
        if served.process.poll() is None:
            served.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web")) as served:
        yield served


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Where pictures of the pages are left to look at."""
    folder = Path(os.environ.get("HKGPU_ARTEFACTS", Path(__file__).parents[2] / "build" / "artefacts" / "web"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if not CHROMIUM:
        if os.environ.get("CI"):
            pytest.fail("these tests need Debian's chromium, and CI requires them", pytrace=False)
        pytest.skip("chromium is not installed on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def until(page: Any, expression: str) -> None:
    """Wait until an expression holds. Playwright's own waiting evaluates in the page, which the policy forbids."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"still not so: {expression}"
        time.sleep(0.05)


class Visitor:
    """A browser of its own: what it keeps, one page, and what went wrong on it."""

    def __init__(self, browser: Any, url: str, lang: str, width: int) -> None:
        self.url = url
        height = 900 if width > 500 else 844
        self.context = browser.new_context(
            locale=LOCALES[lang], viewport={"width": width, "height": height}, accept_downloads=True
        )
        self.context.set_default_timeout(PATIENCE_MS)
        self.wrong: list[str] = []
        self.foreign: list[str] = []
        self.bytes = 0
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning") and message.text not in HARMLESS:
            self.wrong.append(message.text)

    def _request(self, request: Any) -> None:
        asked, own = urlsplit(request.url), urlsplit(self.url)
        if asked.scheme in ("http", "https", "ws", "wss") and asked.netloc != own.netloc:
            self.foreign.append(request.url)

    def open(self, query: str = "") -> Any:
        self.page.goto(self.url + "/" + query)
        self.opened()
        return self.page

    def reload(self) -> None:
        self.page.reload()
        self.opened()

    def opened(self) -> None:
        """Wait until what the browser keeps or the address says is filled in: one call when the page opens."""
        self.page.wait_for_selector("#opened [data-opened]", state="attached")

    def next(self, step: str, then: str) -> None:
        self.page.click(f"#next-{step}")
        self.page.wait_for_selector(f"#head-{then}", state="visible")

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def visit(chromium: Any, server: Served) -> Iterator[Callable[..., Visitor]]:
    opened: list[Visitor] = []

    def begin(lang: str = "en", width: int = 1280, url: str = "") -> Visitor:
        opened.append(Visitor(chromium, url or server.url, lang, width))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()
