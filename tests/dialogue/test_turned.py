"""A later message takes back what an earlier one said: a number by its old value, a limit that no longer holds."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.dialogue.merge import merged
from advisor.dialogue.understand import understand
from advisor.knowledge.library import open_library

BEFORE: dict[str, Any] = {
    "params_b": 7,
    "gpu_count": 4,
    "dataset_rows": 5000,
    "budget_amount": 8000,
    "budget_currency": "HKD",
    "budget_period": "month",
    "deadline_days": 3,
}


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("我说的是8万不是8千", "budget_amount", 80000),
        ("不是8千，是8万", "budget_amount", 80000),
        ("not 5000, 50000", "dataset_rows", 50000),
        ("let's say 6000 rows instead of 5000", "dataset_rows", 6000),
    ],
)
def test_a_bare_number_takes_the_slot_of_the_one_it_denies(text: str, slot: str, value: float) -> None:
    assert merged(BEFORE, understand(text, open_library(), BEFORE).slots)[slot] == value


def test_the_currency_and_the_period_of_a_corrected_budget_stay() -> None:
    after = merged(BEFORE, understand("我说的是8万不是8千", open_library(), BEFORE).slots)
    assert (after["budget_currency"], after["budget_period"]) == ("HKD", "month")


def test_a_number_that_denies_nothing_known_takes_no_slot() -> None:
    assert understand("我说的是8万不是9千", open_library(), BEFORE).slots == {}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("预算不限了", "budget_amount"),
        ("remove the budget limit", "budget_amount"),
        ("forget the deadline", "deadline_days"),
        ("不考虑工期了", "deadline_days"),
    ],
)
def test_a_limit_that_is_lifted_is_forgotten(text: str, gone: str) -> None:
    got = understand(text, open_library(), BEFORE)
    assert gone not in merged(BEFORE, got.slots, got.notes)


@pytest.mark.parametrize("text", ["预算不限了", "remove the budget limit", "forget the deadline"])
def test_lifting_a_limit_is_a_correction(text: str) -> None:
    assert understand(text, open_library(), BEFORE).intent == "correct_slot"


def test_a_budget_that_is_named_stays() -> None:
    got = understand("预算3万一个月", open_library(), BEFORE)
    assert merged(BEFORE, got.slots, got.notes)["budget_amount"] == 30000
