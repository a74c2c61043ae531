"""Rows of speeds: what cannot be is named, and the figure is given where it can be."""

from __future__ import annotations

import pytest

from advisor.estimate.speed_rows import speed_rows
from advisor.knowledge.library import open_library

ROW = {
    "id": "r", "model": "Llama 2 7B", "params_b": "6.74", "method": "full", "gpu_model": "H100 80GB", "n_gpus": "8",
    "seq_len": "4096", "global_batch": "64", "precision": "bf16",
}  # fmt: skip


def answer(**changes: str) -> dict[str, str]:
    return next(iter(speed_rows([{**ROW, **changes}], open_library())))


@pytest.mark.parametrize(
    ("column", "text"),
    [("seq_len", "-4096"), ("seq_len", "0"), ("n_gpus", "0"), ("params_b", "-7"), ("global_batch", "-1")],
)
def test_an_amount_that_cannot_be_is_named_and_the_figure_is_that_of_a_row_without_it(column: str, text: str) -> None:
    found, without = answer(**{column: text}), answer(**{column: ""})
    assert f'{column} "{text}" is not above 0 (expected a number above 0)' in found["error"]
    assert found["tokens_per_s_per_gpu"] == without["tokens_per_s_per_gpu"] != ""


def test_a_word_where_an_amount_belongs_is_named_and_a_blank_is_not() -> None:
    assert answer(global_batch="some")["error"] == 'global_batch "some" is no number (expected a number above 0)'
    assert answer(global_batch="n/a")["error"] == ""


def test_an_amount_below_one_is_an_amount() -> None:
    assert answer(params_b="0.5", model="")["error"] == ""


def test_a_card_that_nobody_knows_is_named() -> None:
    assert 'the card "FOO" is not known' in answer(gpu_model="FOO")["error"]
