"""Plans to play with: a moved slider is the full answer, a lever keeps its promise, nothing on the front is beaten."""

from __future__ import annotations

import itertools
import json
import time
from datetime import date
from typing import Any
from xml.etree import ElementTree

import pytest

from advisor.consult import answer, moves, pictures, whatif
from advisor.consult.consultation import consult_at
from advisor.consult.desk import Asked, Desk
from advisor.core.errors import BadInput
from advisor.core.text import LANGS
from advisor.dialogue.answers import answers_from
from advisor.knowledge.library import open_library
from advisor.report.wording import Wording

LIBRARY = open_library()
DAY = date(2026, 12, 1)
TUNED: dict[str, Any] = {
    "model": "Qwen2.5-14B", "task": "full_ft", "gpu_model": "A100 80GB", "gpu_count": 8, "seq_len": 4096,
    "dataset_tokens": 5e8, "dataset_gb": 500, "bandwidth_mbps": 100,
}  # fmt: skip
REFUSED: dict[str, Any] = {"model": "Llama-3.1-70B", "task": "full_ft", "gpu_model": "A100 80GB", "gpu_count": 8}
SERVED: dict[str, Any] = {"model": "Qwen2.5-7B", "task": "inference", "qps": 5}
OPEN: dict[str, Any] = {"model": "Qwen2.5-7B", "task": "lora"}
LATE: dict[str, Any] = {
    "model": "Mixtral-8x7B-v0.1", "task": "lora", "gpu_model": "H100 80GB", "gpu_count": 1, "deadline_days": 7,
    "dataset_tokens": 2e9, "dataset_gb": 800, "bandwidth_mbps": 20,
}  # fmt: skip


def desk_of(given: dict[str, Any]) -> Desk:
    sets = answers_from(given, LIBRARY)
    asked = Asked(tuple(sets.answers), "ask_feasibility", given, problems=tuple(sets.problems))
    return Desk(LIBRARY, answer.rules(), answer.here(), asked, DAY)


def shown(given: dict[str, Any], lang: Any = "en") -> dict[str, Any]:
    return whatif.show(given, lang, day=DAY)


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        (TUNED, {moves.LENGTH: 8192}),
        (TUNED, {moves.BATCH: 4}),
        (TUNED, {moves.CARDS: 4}),
        (REFUSED, {moves.LENGTH: 512}),
        (OPEN, {moves.LENGTH: 16384}),
        (OPEN, {moves.CARDS: 2}),
        (SERVED, {moves.AT_ONCE: 32}),
    ],
)
def test_a_moved_slider_gives_the_full_answer_to_the_changed_answers(
    given: dict[str, Any], changes: dict[str, Any]
) -> None:
    base = shown(given)
    after = whatif.moved(base["pinned"], changes)
    full = answer.advise(after, day=DAY).json
    assert shown(after)["reply"] == full
    (fact, value) = next(iter(changes.items()))
    slider = next(each for each in shown(after)["sliders"] if each["fact"] == fact)
    assert slider["value"] == value


@pytest.mark.parametrize("given", [TUNED, OPEN, SERVED, {"model": "Qwen2.5-32B"}, {"params_b": 70, "task": "qlora"}])
def test_what_is_held_fast_is_the_plan_that_was_shown(given: dict[str, Any]) -> None:
    before = shown(given)
    after = shown(before["pinned"])
    keys = ("method", "gpu", "gpu_count", "nodes", "sharding", "micro_batch", "optimizer", "offload", "peak_gib")
    for key in keys:
        assert after["reply"]["recommended"][key] == before["reply"]["recommended"][key], key
    assert shown(after["pinned"])["reply"]["plan"] == after["reply"]["plan"], "held fast twice is held fast once"


@pytest.mark.parametrize("given", [TUNED, OPEN, SERVED, REFUSED])
def test_a_field_of_the_grid_is_what_the_full_answer_says_of_that_length_and_batch(given: dict[str, Any]) -> None:
    desk = desk_of(given)
    consultation = consult_at(desk)
    plan = whatif.plan_shown(consultation)
    assert plan is not None
    grid = pictures.lengths(desk, plan, Wording(LIBRARY, "en"))
    assert grid is not None
    base = moves.pinned(given, desk, plan)
    batch = moves.AT_ONCE if grid.serving else moves.BATCH
    assert grid.now is not None
    length, users = grid.lengths[grid.now[0]], grid.batches[grid.now[1]]
    assert length == (plan.option.seq_len if plan.option else None)
    seen = set()
    for row, column in itertools.product((0, 2, 4, 6), (0, 2, 4)):
        field = grid.fields[row][column]
        asked = whatif.moved(base, {moves.LENGTH: grid.lengths[row], batch: grid.batches[column]})
        (line,) = answer.advise(asked, day=DAY).json["by_method"]
        assert field.likely is not None
        assert line["peak_gib"]["likely"] == round(field.likely, 1)
        fits = line["peak_gib"]["high"] <= line["usable_gib"]
        tight = line["peak_gib"]["low"] <= line["usable_gib"]
        assert field.fit == ("fits" if fits else "tight" if tight else "over")
        seen.add(field.fit)
    assert users >= 1
    assert seen <= {"fits", "tight", "over"}


GIVEN = [
    REFUSED,
    LATE,
    {"model": "Qwen2.5-32B", "task": "full_ft", "gpu_model": "RTX 4090", "gpu_count": 2},
    {"model": "Llama-3.1-8B", "task": "lora", "gpu_model": "A10", "gpu_count": 1, "seq_len": 8192, "micro_batch": 8},
    {"model": "Llama-3.1-70B", "task": "inference", "gpu_model": "A100 80GB", "gpu_count": 1},
    {"model": "Llama-3.1-8B", "task": "qlora", "gpu_model": "A10", "gpu_count": 2, "deadline_days": 7,
     "dataset_tokens": 2e9, "dataset_gb": 800, "bandwidth_mbps": 20},
    {"model": "Qwen2.5-32B", "task": "pretrain", "gpu_model": "H100 80GB", "gpu_count": 2, "deadline_days": 7,
     "dataset_tokens": 2e9, "dataset_gb": 800, "bandwidth_mbps": 20},
]  # fmt: skip


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: f"{given['model']} {given['task']} {given['gpu_model']}")
def test_a_pulled_lever_gives_the_verdict_that_it_promised(given: dict[str, Any]) -> None:
    found = shown(given)
    assert "no" in [row["verdict"] for row in found["reply"]["by_method"]]
    assert found["levers"], "a no without a way out"
    for lever in found["levers"]:
        assert shown(lever["given"])["reply"]["verdict"] == lever["verdict_after"], lever["change"]


def test_a_lever_leaves_what_it_does_not_change() -> None:
    given = {**REFUSED, "task": "full_ft,dpo", "seq_len": 1024, "line_type": "iplc"}
    for lever in shown(given)["levers"]:
        after = lever["given"]
        assert after["line_type"] == "iplc"
        task = after["task"] if isinstance(after["task"], list) else after["task"].split(",")
        assert "dpo" in task, "another method is still preference training"


def test_a_lighter_method_drops_what_only_the_heavier_one_needed() -> None:
    given = {**REFUSED, "optimizer": "adafactor", "sharding": "zero2"}
    lora = next(each for each in shown(given)["levers"] if "QLoRA" in each["change"] or "LoRA" in each["change"])
    assert "optimizer" not in lora["given"]
    assert "sharding" not in lora["given"]


@pytest.mark.parametrize("given", [TUNED, OPEN, SERVED, {**OPEN, "dataset_tokens": 5e7}])
def test_no_point_on_the_front_is_beaten_and_every_other_one_is(given: dict[str, Any]) -> None:
    desk = desk_of(given)
    consultation = consult_at(desk)
    plan = whatif.plan_shown(consultation)
    assert plan is not None
    front = pictures.frontier(desk, consultation, plan, Wording(LIBRARY, "en"))
    assert front is not None
    assert len(front.points) > 1
    assert sum(point.now for point in front.points) <= 1
    for one in front.points:
        beaten_by = [
            other for other in front.points
            if other.time <= one.time and other.cost <= one.cost and (other.time, other.cost) != (one.time, one.cost)
        ]  # fmt: skip
        assert bool(beaten_by) == (not one.front), one
    assert [point.cost for point in front.points] == sorted(point.cost for point in front.points)


def test_a_refused_plan_is_no_point_of_the_front() -> None:
    desk = desk_of(REFUSED)
    consultation = consult_at(desk)
    plan = whatif.plan_shown(consultation)
    assert plan is not None
    assert plan.verdict == "no"
    front = pictures.frontier(desk, consultation, plan, Wording(LIBRARY, "en"))
    assert front is None or not any(point.now for point in front.points)


def test_the_bar_adds_up_to_the_likely_peak() -> None:
    desk = desk_of(TUNED)
    plan = consult_at(desk).chosen
    assert plan is not None
    assert plan.option is not None
    assert plan.option.peak is not None
    drawn = pictures.bar(plan.option, "x")
    assert drawn is not None
    assert sum(gib for _, gib in drawn.parts) == pytest.approx(plan.option.peak.likely)
    assert drawn.parts[-1][0] == "reserve", "what allocator and context keep comes last"


def test_being_beaten_takes_one_better_figure_and_no_worse_one() -> None:
    assert pictures.beaten((2, 2), [(2, 1)])
    assert pictures.beaten((2, 2), [(1, 1)])
    assert not pictures.beaten((2, 2), [(2, 2)]), "an equal one beats nobody"
    assert not pictures.beaten((2, 2), [(1, 3), (3, 1)])


def test_a_change_takes_the_place_of_the_answer_by_either_name() -> None:
    assert whatif.moved({"seq_len": 1, "workload.seq_len": 2}, {moves.LENGTH: 3}) == {"seq_len": 3}
    assert whatif.moved({"seq_len": 1, "model": "x"}, {moves.LENGTH: None}) == {"model": "x"}
    assert whatif.moved({"task": "full_ft"}, {moves.METHOD: "lora"}) == {"task": "lora"}
    assert whatif.moved({"task": ["full_ft", "dpo"]}, {moves.METHOD: "lora"}) == {"task": ["lora", "dpo"]}
    assert whatif.moved({"tuning.method": "full"}, {moves.METHOD: "full"}) == {"task": "full_ft"}


def test_of_alternatives_named_together_the_plan_shown_is_held_fast() -> None:
    given = {"model": ["Qwen2.5-7B", "Qwen2.5-14B"], "task": "lora"}
    pinned = shown(given)["pinned"]
    assert pinned["model"] in ("Qwen2.5 7B", "Qwen2.5 14B")
    assert len(shown(pinned)["reply"]["by_method"]) == 1


def test_a_card_whose_name_others_bear_goes_by_its_id() -> None:
    given = {"model": "Llama-3.1-8B", "task": "qlora", "gpu.id": "a10g", "gpu_count": 8}
    assert shown(given)["pinned"]["gpu.id"] == "a10g"


@pytest.mark.parametrize("lang", LANGS)
def test_the_figures_are_well_formed_and_in_the_language(lang: Any) -> None:
    found = shown(TUNED, lang)
    assert list(found["figures"]) == ["memory", "lengths", "frontier"]
    for html in found["figures"].values():
        root = ElementTree.fromstring(html)
        assert {each.get("lang") for each in root.iter("{http://www.w3.org/2000/svg}svg")} == {lang}
    heading = {"en": "Memory of one card", "zh": "单卡显存", "zh-Hant": "單卡顯存"}[lang]
    assert heading in found["figures"]["memory"]


def test_everything_a_page_is_given_is_plain_data() -> None:
    for given in (TUNED, REFUSED, SERVED, {}, {"model": "Qwen2.5-32B"}):
        json.dumps(shown(given), allow_nan=False)


def test_without_a_plan_there_are_no_pictures_and_no_sliders() -> None:
    found = shown({})
    assert found["figures"] == {}
    assert found["sliders"] == []
    assert found["reply"]["questions"]


def test_transfer_and_disk_stand_with_what_the_rules_say() -> None:
    found = shown(TUNED)
    assert found["disk"]["total"] == sum(size for _, size in found["disk"]["rows"])
    assert any("100 Mbps" in line for line in found["transfer"]["advice"])
    assert ("Transfer time", "13.9 h") in found["transfer"]["rows"]


def test_reasons_begin_with_what_decided_and_name_their_sources() -> None:
    reasons = shown(REFUSED)["reasons"]
    assert reasons[0]["decides"]
    assert all(each["sources"] for each in reasons)
    ranks = [not each["decides"] for each in reasons]
    assert ranks == sorted(ranks)


def test_a_wrong_answer_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="gpu_count"):
        shown({**TUNED, "gpu_count": "many"})


def test_a_slider_moves_within_a_tenth_and_a_half_of_a_second_of_work() -> None:
    base = shown(TUNED)["pinned"]
    times = []
    for length in (1024, 2048, 8192, 16384, 4096):
        began = time.process_time()
        shown(whatif.moved(base, {moves.LENGTH: length}))
        times.append(time.process_time() - began)
    assert sorted(times)[len(times) // 2] < 0.150


@pytest.mark.parametrize(("length", "step"), [(4096, 256), (3000, 8), (1, 1), (7, 1), (100_000, 32)])
def test_the_present_length_stands_on_a_step_of_its_slider(length: int, step: int) -> None:
    slider = shown({**TUNED, "seq_len": length})["sliders"][0]
    assert (slider["value"], slider["step"]) == (length, step)
    assert (slider["value"] - slider["least"]) % slider["step"] == 0
    assert slider["least"] <= length <= slider["most"]


def test_nothing_is_sized_or_drawn_for_a_card_whose_usable_memory_nobody_knows() -> None:
    given = {"model": "Llama 3.1 70B", "task": "qlora", "gpu_model": "Ascend 910B", "gpu_count": 1, "micro_batch": 100}
    reply = answer.advise(given, day=DAY)
    assert reply.json["verdict"] == "unknown"
    assert reply.json["recommended"] is None
    assert reply.json["questions"] == []
    for format in ("markdown", "text", "json"):
        assert "None" not in answer.render(reply, format)
    assert "lengths" not in shown(given).get("figures", {}), "what fits on an unknown card is not drawn"
