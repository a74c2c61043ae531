"""The project's own data, for the claims about estimators."""

from pathlib import Path

import pytest

from advisor.knowledge.library import Library


@pytest.fixture(scope="session")
def library() -> Library:
    """What stands in the checkout, without any overlay."""
    return Library([Path(__file__).resolve().parents[2]])
