"""The small base of this folder, live for one test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.knowledge.library import Library
from advisor.rules import RuleBase


@pytest.fixture
def small() -> Iterator[RuleBase]:
    with RuleBase.build(Library([Path(__file__).parent / "small"])) as base:
        yield base
