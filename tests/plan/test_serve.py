"""A service is laid out as copies, and sized by its load."""

from __future__ import annotations

import pytest

from advisor.core.answer import Hardware
from advisor.estimate import serving
from advisor.estimate.memory import from_model
from advisor.knowledge.library import Library, open_library
from advisor.plan.measure import start, with_memory
from advisor.plan.search import on_hardware, smallest
from advisor.plan.serve import Capacity, capacity, layouts, too_little
from advisor.plan.task import Task


@pytest.fixture(scope="module")
def library() -> Library:
    return open_library()


def service(library: Library, model: str, **stated: float) -> Task:
    record = library.models[model]
    return Task("inference", "serve", from_model(record), record.name, record, **stated)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("per_node", "nodes", "expected"),
    [
        (1, 1, [("none", 1)]),
        (8, 1, [("none", 8), ("tp", 4), ("tp", 2), ("tp", 1)]),
        (8, 2, [("none", 16), ("tp", 8), ("tp", 4), ("tp", 2), ("tp_pp", 1)]),
        # Three cards share no 32 attention heads: three copies, and no split.
        (3, 1, [("none", 3)]),
    ],
)
def test_the_cards_divide_evenly_among_the_copies(
    library: Library, per_node: int, nodes: int, expected: list[tuple[str, int]]
) -> None:
    task = service(library, "llama_3_1_8b")
    assert list(layouts(task, Hardware("h100_80gb_sxm", "H100 80GB", per_node, nodes))) == expected


def test_eight_small_copies_serve_more_than_one_model_over_eight_cards(library: Library) -> None:
    task = service(library, "llama_3_1_8b", seq_len=1000, output_len=300)
    card = library.gpus["rtx_4090"]
    found = on_hardware(task, Hardware(card.id, card.label, 8), card, library)
    assert (found.sharding, found.copies) == ("none", 8)


def test_what_copies_give_is_what_one_gives_times_their_number(library: Library) -> None:
    task = service(library, "llama_3_1_8b", seq_len=1000, output_len=300)
    card = library.gpus["h100_80gb_sxm"]
    one = capacity(task, with_memory(task, start(task, Hardware(card.id, "", 1), "none"), card, library), card, library)
    four = with_memory(task, start(task, Hardware(card.id, "", 4), "none", 4), card, library)
    found = capacity(task, four, card, library)
    assert isinstance(one, Capacity)
    assert found == Capacity(one.at_once * 4, pytest.approx(one.tokens * 4), one.user_rate)


def test_a_request_waits_for_its_prompt_and_its_answer(library: Library) -> None:
    model, on = serving.Served(8.03, 8.03, 2, 131_072), serving.Hardware(1, 3350, 989, 79.6)
    # 500 prompt tokens at 989e12 x 0.5 / (2 x 8.03e9) = 30,790 a second, 200 of an answer in a batch of 256: weights of
    # 16.06 GB and 256 x 700 x 131,072 B = 23.5 GB of cache over 3,350 GB/s at 60 %, and 2 ms: 21.7 ms a step.
    seconds = 500 / 30_790 + 200 / (256 / 0.0217)
    found = serving.requests(model, on, 500, 200, 10_000, library).range
    assert found.likely == pytest.approx(1 / seconds, rel=0.01)
    assert found.low <= found.likely <= found.high


def test_the_smallest_hardware_of_a_service_carries_the_stated_load(library: Library) -> None:
    card = library.gpus["h100_80gb_sxm"]
    light = service(library, "llama_3_1_70b", seq_len=500, output_len=200, qps=1)
    heavy = service(library, "llama_3_1_70b", seq_len=500, output_len=200, qps=50)
    few, many = smallest(light, card, library), smallest(heavy, card, library)
    assert few is not None
    assert many is not None
    assert few.hardware.cards < many.hardware.cards
    assert not too_little(heavy, many, card, library)
    found = capacity(heavy, many, card, library)
    assert found is not None
    # 50 requests of 200 tokens.
    assert found.tokens >= 10_000


def test_users_at_once_are_shared_among_the_copies(library: Library) -> None:
    card = library.gpus["h100_80gb_sxm"]
    task = service(library, "llama_3_1_8b", seq_len=1000, output_len=300, concurrency=64)
    one = with_memory(task, start(task, Hardware(card.id, "", 1), "none"), card, library)
    four = with_memory(task, start(task, Hardware(card.id, "", 4), "none", 4), card, library)
    sixteen = service(library, "llama_3_1_8b", seq_len=1000, output_len=300, concurrency=16)
    alone = with_memory(sixteen, start(sixteen, Hardware(card.id, "", 1), "none"), card, library)
    assert four.peak == alone.peak
    assert one.peak is not None
    assert four.peak is not None
    assert four.peak.likely < one.peak.likely


def test_training_has_no_load_to_carry(library: Library) -> None:
    record = library.models["llama_3_1_8b"]
    task = Task("lora", "sft", from_model(record), record.name, record, qps=50)
    card = library.gpus["h100_80gb_sxm"]
    option = with_memory(task, start(task, Hardware(card.id, "", 1), "none"), card, library)
    assert not too_little(task, option, card, library)


def test_a_split_needs_cards_that_divide_the_attention_heads(library: Library) -> None:
    # 28 heads: 1, 2, 4 and 7 cards divide them, 8 do not.
    task = service(library, "qwen2_5_7b")
    assert task.shape.heads == 28
    found = list(layouts(task, Hardware("rtx_4090", "RTX 4090", 8)))
    assert found == [("none", 8), ("tp", 4), ("tp", 2)]
    assert ("tp", 1) in list(layouts(task, Hardware("rtx_4090", "RTX 4090", 7)))
