"""Training speed: hand-worked terms, published runs, what must never happen, and rows read by meaning."""

from __future__ import annotations

import csv
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadInput
from advisor.estimate import speed
from advisor.estimate.memory import from_model
from advisor.estimate.speed import Job, Split
from advisor.estimate.speed_job import attention_operations
from advisor.estimate.speed_machine import Machine, machine
from advisor.estimate.speed_plan import split_of, training_of_plan
from advisor.estimate.speed_rows import COLUMNS, speed_rows
from advisor.estimate.speed_totals import total_tokens
from advisor.knowledge.library import Library

TABLE = Path(__file__).parent.parent / "data" / "measured" / "throughput.csv"
QUIET = settings(max_examples=40, deadline=None)


def on(library: Library, gpu: str = "a100_80gb_sxm", cards: int = 8, **more: object) -> Machine:
    return machine(library.gpus[gpu], cards, library, **more)  # type: ignore[arg-type]


def job(library: Library, billions: float = 7, **more: object) -> Job:
    given = {"seq_len": 4096.0, "micro_batch": 2.0, "recompute": "full", **more}
    return Job(speed.widths_of_size(billions * 1e9, library), **given)  # type: ignore[arg-type]


def tokens(library: Library, work: Job, hardware: Machine) -> float:
    found = speed.training(work, hardware, library).range
    assert 0 < found.low <= found.likely <= found.high
    return found.likely


def test_a_full_step_counts_six_operations_a_parameter_lora_four_and_recomputation_two(library: Library) -> None:
    c = speed.constants(library)
    for method, again, count in (("full", "none", 6), ("full", "full", 8), ("lora", "none", 4), ("qlora", "full", 6)):
        work = job(library, method=method, recompute=again)
        attention = attention_operations(work, c.attention_passes.value + (again == "full"), 4096)
        assert (speed.operations(work, c, recomputed=True) - attention) / 7e9 == pytest.approx(count)


def test_causal_attention_costs_half_of_full_attention(library: Library) -> None:
    one, other = job(library, causal=True), job(library, causal=False)
    assert attention_operations(one, 1, 4096) * 2 == attention_operations(other, 1, 4096)


def test_a_pipeline_of_four_with_eight_micro_batches_waits_three_eighths(library: Library) -> None:
    work = job(library, split=Split(pipeline=4), accumulation=8.0)
    terms, _ = speed.terms_of(work, on(library), speed.constants(library))
    assert terms.bubble == pytest.approx(3 / 8)


def test_full_shards_of_7b_fetch_and_scatter_three_times_two_bytes_a_parameter(library: Library) -> None:
    terms, _ = speed.terms_of(job(library, split=Split(shards=True)), on(library), speed.constants(library))
    assert terms.shards_near == pytest.approx(7e9 * 2 * 3 * 7 / 8 / 300e9)


def test_an_a100_has_half_of_its_nvlink_in_one_direction_and_a_4090_only_pcie(library: Library) -> None:
    assert on(library).near == pytest.approx(300e9)
    consumer = on(library, "rtx_4090")
    assert consumer.by_pcie
    assert consumer.near == pytest.approx(31.5e9, rel=0.01)


def test_a_network_stated_in_bits_or_bytes_is_read_as_such(library: Library) -> None:
    assert on(library, cards=16, interconnect="1600 Gbps RoCE").far == pytest.approx(25e9)
    assert on(library, cards=16, interconnect="NVLink4 + IB 8x50GB/s").far == pytest.approx(50e9)


@pytest.mark.parametrize(
    ("model", "gpu", "cards", "measured", "more"),
    [
        # Llama 2 7B: 184,320 A100-hours for 2T tokens.
        ("llama_2_7b", "a100_80gb_sxm", 1024, 2e12 / 184_320 / 3600, {"method": "pretrain", "sharding": "fsdp"}),
        # Llama 3.1 405B on 16,384 H100: 400 TFLOPS a card (its paper, table 4), 8 x 16 x 128.
        ("llama_3_1_405b", "h100_80gb_sxm", 1024, 400e12 / (6 * 405e9 + 6 * 126 * 8192 * 16384), {"method": "pretrain",
         "sharding": "tp_pp", "grad_accum": 16, "seq_len": 8192, "per_server": 8}),
    ],
)  # fmt: skip
def test_published_pretrainings_lie_inside_the_range(
    library: Library, model: str, gpu: str, cards: int, measured: float, more: dict[str, object]
) -> None:
    given = {"seq_len": 4096.0, "micro_batch": 1.0, "grad_ckpt": False, **more}
    if model == "llama_3_1_405b":
        given["sharding"] = "fsdp"  # pipeline stages of 128 servers would be more than it had layers
    shape = from_model(library.models[model])
    found = training_of_plan(library, shape=shape, gpu=library.gpus[gpu], cards=cards, **given).range  # type: ignore[arg-type]
    assert found.low <= measured <= found.high


def test_qlora_of_7b_on_one_4090_makes_one_to_four_thousand_tokens_a_second(library: Library) -> None:
    shape = from_model(library.models["qwen2_5_7b"])
    found = training_of_plan(
        library, shape=shape, method="qlora", gpu=library.gpus["rtx_4090"], cards=1, seq_len=2048, micro_batch=2
    )
    assert 1000 < found.range.likely < 4000


@QUIET
@given(billions=st.floats(0.5, 400), factor=st.floats(1.01, 4))
def test_more_parameters_never_run_faster(library: Library, billions: float, factor: float) -> None:
    hardware = on(library)
    more = tokens(library, job(library, billions * factor), hardware)
    assert more <= tokens(library, job(library, billions), hardware) * (1 + 1e-9)


@QUIET
@given(billions=st.floats(0.5, 100), micro=st.integers(1, 16), shards=st.booleans())
def test_recomputing_slower_links_and_full_updates_never_run_faster(
    library: Library, billions: float, micro: int, shards: bool
) -> None:
    work = job(library, billions, recompute="none", micro_batch=float(micro), split=Split(shards=shards))
    base = tokens(library, work, on(library))
    assert tokens(library, replace(work, recompute="full"), on(library)) <= base
    assert tokens(library, work, on(library, interconnect="pcie")) <= base
    assert base <= tokens(library, replace(work, method="lora"), on(library))
    assert tokens(library, replace(work, split=Split(shards=shards, offload=True)), on(library)) <= base


@QUIET
@given(micro=st.integers(1, 32))
def test_a_larger_micro_batch_never_runs_slower(library: Library, micro: int) -> None:
    one = job(library, micro_batch=float(micro), split=Split(shards=True))
    assert tokens(library, replace(one, micro_batch=micro + 1.0), on(library)) >= tokens(library, one, on(library))


@QUIET
@given(billions=st.floats(0.2, 500), cards=st.sampled_from([1, 2, 8, 64]))
def test_no_job_exceeds_the_peak(library: Library, billions: float, cards: int) -> None:
    found = speed.training(job(library, billions), on(library, cards=cards), library)
    assert 0 < found.mfu.likely < 100


def test_what_nobody_stated_is_named_and_widens_the_range(library: Library) -> None:
    shape = speed.widths_of_size(7e9, library)
    stated = speed.training(job(library), on(library), library)
    silent = speed.training(Job(shape), on(library), library)
    assert stated.assumptions == ()
    assert set(silent.assumptions) == {"tuning.grad_ckpt", "workload.seq_len", "workload.micro_batch"}
    assert silent.range.high / silent.range.low > stated.range.high / stated.range.low


def test_a_job_split_over_more_cards_than_there_are_is_refused(library: Library) -> None:
    with pytest.raises(BadInput, match="split over 16 cards, there are 8"):
        speed.training(job(library, split=Split(tensor=8, pipeline=2)), on(library), library)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_micro_batch_or_length_is_refused(library: Library, bad: float) -> None:
    with pytest.raises(BadInput):
        speed.training(job(library, micro_batch=bad), on(library), library)
    with pytest.raises(BadInput):
        speed.training(job(library, seq_len=bad), on(library), library)


def test_a_card_without_a_known_peak_has_no_speed(library: Library) -> None:
    with pytest.raises(BadInput, match="bf16 peak"):
        on(library, "ascend_910b")


def test_the_derivation_names_its_heuristics_and_ends_in_the_figure(library: Library) -> None:
    found = speed.training(job(library), on(library), library)
    assert found.steps[-2].value == found.range.likely
    assert all(source in library.heuristics for step in found.steps for source in step.sources)


def test_tensor_parallel_stays_inside_a_server() -> None:
    assert split_of("tp_pp", 32, 8) == Split(tensor=8, pipeline=4)
    assert split_of("fsdp", 16, 8) == Split(shards=True)
    assert split_of("zero2", 8, 8) == Split()


ROW = {
    "id": "x", "model": "LLAMA3-8B", "params_b": "8.03", "method": "pretrain", "gpu_model": "H100", "n_gpus": "8",
    "interconnect": "", "seq_len": "8192", "global_batch": "128", "precision": "FP8",
    "parallelism": "TP1,PP1,CP2,MBS1", "remarks": "",
}  # fmt: skip


def answer(library: Library, **changed: str) -> dict[str, str]:
    return next(iter(speed_rows([{**ROW, **changed}], library)))


def test_a_published_llama_3_run_in_fp8_lies_inside_the_row_s_range(library: Library) -> None:
    found = answer(library)
    assert tuple(found) == COLUMNS
    assert float(found["low"]) <= 13_812 <= float(found["high"])


def test_results_source_and_quotation_are_never_read_and_the_id_is_carried(library: Library) -> None:
    poison = {"tokens_per_s_per_gpu": "1", "tflops_per_gpu": "2", "mfu": "3", "gpu_hours": "4", "source": "a",
              "quote_location": "b", "id": "other"}  # fmt: skip
    assert {**answer(library, **poison), "id": "x"} == answer(library)


@pytest.mark.parametrize("name", ["H100", "H100 80GB", "nvidia h100 80G", "H100 (DGX-H100)", "8x H100-SXM5-80GB"])
def test_one_card_written_in_five_ways_is_one_card(library: Library, name: str) -> None:
    assert answer(library, gpu_model=name) == answer(library)


def test_a_row_that_cannot_be_computed_says_why_and_stops_nothing(library: Library) -> None:
    rows = [{**ROW, "gpu_model": "Voodoo 2"}, {**ROW, "model": "nobody knows", "params_b": ""}, ROW, {}]
    found = list(speed_rows(rows, library))
    assert 'the card "Voodoo 2" is not known' in found[0]["error"]
    assert "is not known" in found[1]["error"]
    assert found[2]["error"] == ""
    assert [bool(each["tokens_per_s_per_gpu"]) for each in found] == [False, False, True, False]


def test_every_measured_row_with_a_known_model_is_answered_with_finite_figures(library: Library) -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = list(speed_rows(rows, library))
    assert [each["id"] for each in found] == [row["id"] for row in rows]
    assert sum(bool(each["tokens_per_s_per_gpu"]) for each in found) / len(rows) > 0.95
    assert not any(word in "".join(each.values()).lower() for each in found for word in ("nan", "inf,"))


def test_an_estimate_takes_less_than_a_tenth_of_a_millisecond(library: Library) -> None:
    work, hardware = job(library), on(library)
    speed.training(work, hardware, library)
    best = min(_timed(work, hardware, library) for _ in range(5))
    assert best < 1e-4


def _timed(work: Job, hardware: Machine, library: Library) -> float:
    start, times = time.perf_counter(), 50
    for _ in range(times):
        speed.training(work, hardware, library)
    return (time.perf_counter() - start) / times


@pytest.mark.parametrize(
    ("column", "one", "other"),
    [
        ("seq_len", "8k", "8192"),
        ("n_gpus", "2x8", "16"),
        ("n_gpus", "8-16", "16"),
        ("global_batch", "1M tokens", "122"),
        ("params_b", "8.03B", "8.03"),
        ("method", "pre-training", "pretrain"),
        ("precision", "float8 tensorwise", "FP8"),
    ],
)
def test_a_cell_is_read_by_meaning(library: Library, column: str, one: str, other: str) -> None:
    first, second = answer(library, **{column: one}), answer(library, **{column: other})
    assert float(first["tokens_per_s_per_gpu"]) == pytest.approx(float(second["tokens_per_s_per_gpu"]), rel=0.002)


def test_a_word_that_means_nothing_is_named_and_the_figure_still_given(library: Library) -> None:
    found = answer(library, precision="posit16", method="alchemy")
    assert 'precision "posit16" is not understood' in found["error"]
    assert 'method "alchemy" is not understood' in found["error"]
    assert float(found["tokens_per_s_per_gpu"]) > 0


def test_a_row_of_the_memory_table_gives_the_tokens_of_all_cards_and_inference_none(library: Library) -> None:
    row = {"model": "Llama-2-7b", "params_b": "6.74", "method": "qlora", "weights": "nf4", "seq_len": "4096",
           "micro_batch": "1", "grad_accum": "4", "grad_ckpt": "yes", "sharding": "none", "n_gpus": "1",
           "gpu": "A100", "gpu_gib": "80"}  # fmt: skip
    found = total_tokens(row, library)
    assert found == pytest.approx(2926, rel=0.35)  # LLaMA-Factory's own table
    assert total_tokens({**row, "method": "inference"}, library) is None
    assert total_tokens({**row, "gpu": "", "gpu_gib": ""}, library) is None
