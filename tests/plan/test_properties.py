"""What must hold for every job: properties of the planner under Hypothesis.

The knowledge is the shipped one; sizes, lengths, methods, cards and places are drawn.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.answer import Hardware
from advisor.knowledge.library import open_library
from advisor.plan.hardware import Market
from advisor.plan.hardware import market as market_of
from advisor.plan.levers import changes
from advisor.plan.options import every, ranked
from advisor.plan.search import candidates, holds, on_hardware, smallest, tuned
from advisor.plan.task import Task
from tests.bench.planner import METHODS, tasks

LIBRARY = open_library()
MARKET = market_of(LIBRARY)
CARDS = sorted(card.id for card in MARKET.cards)

sizes = st.sampled_from((0.5, 1.5, 3, 7, 8, 13, 14, 32, 70, 123, 405))
lengths = st.sampled_from((512, 1024, 2048, 4096, 8192, 32768))
methods = st.sampled_from((*METHODS, "inference"))
cards = st.sampled_from(CARDS)
counts = st.sampled_from((1, 2, 4, 8))
RUNS = settings(max_examples=40, deadline=None)


@st.composite
def jobs(draw: st.DrawFn) -> Task:
    """A job with defaults where a consultation has them, of any method, size and length."""
    method = draw(methods)
    base = tasks(LIBRARY, draw(sizes))[METHODS.index(method) if method in METHODS else 0]
    job = replace(base, method=method, seq_len=float(draw(lengths)))
    return job if job.trains else replace(job, stage="serve", optimizer=None, grad_ckpt=None, micro_batch=None)


def own_place(card: str, cards: int, servers: int) -> Market:
    """A place with its own cards of one kind."""
    return Market("own_cards", (LIBRARY.gpus[card],), MARKET.rows, {card: cards * servers}, MARKET.index)


@RUNS
@given(jobs(), cards, st.sampled_from((2, 4)), st.sampled_from((1, 2, 4)))
def test_more_cards_of_the_same_kind_never_turn_a_fitting_option_into_one_that_does_not_fit(
    job: Task, card: str, per_node: int, times: int
) -> None:
    record = LIBRARY.gpus[card]
    few = on_hardware(job, Hardware(card, record.label, per_node), record, LIBRARY)
    more = on_hardware(job, Hardware(card, record.label, per_node * 2, times), record, LIBRARY)
    if holds(few, surely=True):
        assert holds(more, surely=True)


@RUNS
@given(jobs(), cards, counts)
def test_what_one_card_surely_holds_several_at_least_likely_hold(job: Task, card: str, count: int) -> None:
    # The step from one card to several brings reduction buckets and the communication library: at the very edge of a
    # card that is the difference between "surely" and "likely", and no more.
    record = LIBRARY.gpus[card]
    one = on_hardware(job, Hardware(card, record.label, 1), record, LIBRARY)
    several = on_hardware(job, Hardware(card, record.label, count), record, LIBRARY)
    if holds(one, surely=True):
        assert holds(several, surely=False)


@RUNS
@given(jobs(), st.sampled_from((None, 2, 8)))
def test_every_proposed_option_likely_fits_the_usable_memory(job: Task, per_node: int | None) -> None:
    for found in candidates(job, MARKET, LIBRARY, cards=MARKET.cards, per_node=per_node, nodes=None):
        assert found.option.peak is not None
        assert found.option.usable is not None
        assert found.option.peak.likely <= found.option.usable
        for label, options in ranked(every(job, MARKET, LIBRARY, found), None):
            for each in options:
                assert each.option.peak is not None, label
                assert each.option.peak.likely <= (each.option.usable or 0), label
        break


@RUNS
@given(jobs(), cards, counts, st.sampled_from((1, 2, 4)))
def test_a_place_with_own_cards_never_proposes_more_cards_than_stand_there(
    job: Task, card: str, per_node: int, servers: int
) -> None:
    place = own_place(card, per_node, servers)
    limit, record = per_node * servers, LIBRARY.gpus[card]
    found = list(candidates(job, place, LIBRARY, cards=place.cards, per_node=None, nodes=None))
    for base in found:
        assert base.option.hardware.cards <= limit
        for each in every(job, place, LIBRARY, base):
            assert each.option.hardware.cards <= limit
            assert each.option.price is None
    stated = on_hardware(job, Hardware(card, record.label, 1), record, LIBRARY)
    for change in changes(job, stated, record, place, LIBRARY):
        assert change.candidate.option.hardware.cards <= limit


@RUNS
@given(jobs(), cards, counts)
def test_a_lever_is_a_change_after_which_the_job_likely_fits_and_moves_what_it_names(
    job: Task, card: str, count: int
) -> None:
    record = LIBRARY.gpus[card]
    stated = on_hardware(job, Hardware(card, record.label, count), record, LIBRARY)
    if holds(stated, surely=False):
        return
    singles = set()
    for change in changes(job, stated, record, MARKET, LIBRARY):
        assert holds(change.candidate.option, surely=False)
        assert all(step.before != step.after for step in change.steps)
        assert 1 <= len(change.steps) <= 2
        kinds = {(step.kind, step.after) for step in change.steps}
        if len(change.steps) == 1:
            singles |= kinds
        else:
            # No part of a pair would do alone.
            assert not kinds & {each for each in singles if each[0] not in ("cards", "card")}


@RUNS
@given(jobs())
def test_the_same_job_gives_the_same_options_in_the_same_order(job: Task) -> None:
    def once() -> list[object]:
        fresh = replace(job, sizes={})
        found = candidates(fresh, MARKET, LIBRARY, cards=MARKET.cards, per_node=None, nodes=None)
        return [each.option for each in found]

    assert once() == once()


@RUNS
@given(jobs(), cards, counts)
def test_a_raised_micro_batch_surely_fits_is_a_power_of_two_and_never_slows_the_job(
    job: Task, card: str, count: int
) -> None:
    record = LIBRARY.gpus[card]
    option = on_hardware(job, Hardware(card, record.label, count), record, LIBRARY)
    found = tuned(job, option, record, LIBRARY)
    size = found.option.micro_batch
    assert size & (size - 1) == 0
    if size > 1:
        assert holds(found.option, surely=True)
        before = tuned(replace(job, open=frozenset()), option, record, LIBRARY).option
        assert found.option.tokens_per_s is not None
        assert before.tokens_per_s is not None
        assert found.option.tokens_per_s.likely > before.tokens_per_s.likely
        assert found.task.micro_batch == size


@RUNS
@given(jobs(), cards)
def test_a_stated_micro_batch_stays(job: Task, card: str) -> None:
    record = LIBRARY.gpus[card]
    stated = replace(job, micro_batch=3.0, open=job.open - {"micro_batch"})
    found = smallest(stated, record, LIBRARY)
    if found is not None:
        assert tuned(stated, found, record, LIBRARY).option.micro_batch == 3
