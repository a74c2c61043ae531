"""One bot for each transport, shared by the tests that leave it alive; a fresh thread for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slack.bot import Bot, workplace
from tests.slack.fake_slack import FakeSlack
from tests.store.databases import postgres, postgres_url

__all__ = ["postgres", "postgres_url"]


@pytest.fixture(scope="session")
def over_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FakeSlack, Bot]]:
    with workplace(tmp_path_factory.mktemp("http"), http=True) as (fake, bots):
        yield fake, bots[0]


@pytest.fixture(scope="session")
def over_socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FakeSlack, Bot]]:
    with workplace(tmp_path_factory.mktemp("socket"), http=False) as (fake, bots):
        yield fake, bots[0]


@pytest.fixture(params=["http", "socket"])
def slack(request: pytest.FixtureRequest) -> Iterator[FakeSlack]:
    """The workspace, once over HTTP and once over Socket Mode; nothing refused and no lint when the test is over."""
    fake, _ = request.getfixturevalue(f"over_{request.param}")
    yield from _clean(fake)


@pytest.fixture
def web(over_http: tuple[FakeSlack, Bot]) -> Iterator[FakeSlack]:
    """The workspace over HTTP alone."""
    yield from _clean(over_http[0])


def _clean(fake: FakeSlack) -> Iterator[FakeSlack]:
    fake.settle(quiet=0.2, timeout=40)
    fake.faults.clear()
    calls = len(fake.calls)
    yield fake
    fake.settle(quiet=0.2, timeout=40)
    fake.faults.clear()
    new = fake.calls[calls:]
    refused = [(call.method, call.response) for call in new if not call.response.get("ok") and not call.fault]
    assert not refused, refused
    lints = [(call.method, call.lints, call.args) for call in new if call.lints]
    assert not lints, lints


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
