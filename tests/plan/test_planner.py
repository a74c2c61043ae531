"""What the planner does with single jobs; figures by hand or as the price lists have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.core.answer import Hardware, Option
from advisor.core.units import Quantity
from advisor.knowledge.library import Library, open_library
from advisor.plan.hardware import market
from advisor.plan.levers import Change, changes
from advisor.plan.options import every, ranked
from advisor.plan.price import price_of
from advisor.plan.search import candidates, holds, on_hardware, tuned
from advisor.plan.task import Task
from tests.bench.planner import tasks
from tests.consult.desk import billions, consulted, count, reply, tokens


@pytest.fixture(scope="module")
def library() -> Library:
    return open_library()


def on(job: Task, gpu: str, cards: int, library: Library) -> Option:
    card = library.gpus[gpu]
    return on_hardware(job, Hardware(gpu, card.label, cards), card, library)


def levers(job: Task, gpu: str, cards: int, library: Library) -> list[Change]:
    card = library.gpus[gpu]
    return list(changes(job, on(job, gpu, cards, library), card, market(library), library))


def kinds(change: Change) -> tuple[str, ...]:
    return tuple(step.kind for step in change.steps)


def test_full_tuning_of_7b_shards_as_little_as_it_must(library: Library) -> None:
    full = tasks(library, 7)[0]
    # ZeRO-2 keeps 7e9 x 2 B = 13 GiB of weights whole and an eighth of 14 B each of the rest: 24 GiB of 80.
    assert on(full, "a100_80gb_sxm", 8, library).sharding == "zero2"
    # Of 24 GiB it does not fit: only ZeRO-3 splits the weights too.
    assert on(full, "rtx_4090", 8, library).sharding == "zero3"


def test_zero3_with_an_8_bit_optimizer_is_found_where_neither_alone_is_enough(library: Library) -> None:
    # 20e9 parameters on 4 x 80 GB under DDP: 16 B each are 75 GiB a card under ZeRO-3, 10 B are 47 GiB.
    full = replace(tasks(library, 20)[0], sharding="ddp", open=frozenset({"optimizer"}))
    found = [kinds(change) for change in levers(full, "a100_80gb_sxm", 4, library)]
    assert ("sharding", "optimizer") in found
    assert ("sharding",) not in found
    assert ("optimizer",) not in found


def test_single_changes_come_before_pairs_and_settings_before_other_methods(library: Library) -> None:
    full = replace(tasks(library, 13)[0], sharding="ddp", open=frozenset({"optimizer"}))
    found = [kinds(change) for change in levers(full, "a100_80gb_sxm", 8, library)]
    sizes = [len(each) for each in found]
    assert sizes == sorted(sizes)
    assert found.index(("sharding",)) < found.index(("method",))


def test_offload_costs_speed_and_more_cards_gain_it(library: Library) -> None:
    factors = {
        kinds(change): change.speed_factor for change in levers(tasks(library, 70)[0], "a100_80gb_sxm", 8, library)
    }
    assert factors[("offload",)] is not None
    assert factors[("offload",)] < 1
    assert factors[("cards",)] is not None
    assert factors[("cards",)] > 1


def test_quantising_a_model_that_is_served_speeds_it_up_about_as_much_as_it_shrinks(library: Library) -> None:
    serve = replace(
        tasks(library, 70)[0], method="inference", stage="serve", optimizer=None, grad_ckpt=None, micro_batch=None,
        open=frozenset({"quant", "precision", "sharding"}),
    )  # fmt: skip
    factors = {
        change.steps[0].after: change.speed_factor
        for change in levers(serve, "a100_80gb_pcie", 1, library)
        if kinds(change) == ("quant",)
    }
    # Decoding reads every weight once a token: 4 bits instead of 16, less what is not quantised.
    assert factors["4"] is not None
    assert 2 < factors["4"] < 4.5


def test_what_the_user_has_already_is_no_lever(library: Library) -> None:
    job = replace(
        tasks(library, 70)[0], sharding="zero3", optimizer="adamw_8bit", grad_ckpt=True, micro_batch=1.0, offload=True,
        open=frozenset(),
    )  # fmt: skip
    touched = {step.kind for change in levers(job, "rtx_4090", 2, library) for step in change.steps}
    assert not touched & {"sharding", "optimizer", "grad_ckpt", "micro_batch", "offload"}


def test_the_micro_batch_grows_only_where_nobody_stated_one(library: Library) -> None:
    lora = tasks(library, 7)[1]
    card = library.gpus["a100_80gb_pcie"]
    option = on(lora, card.id, 1, library)
    assert tuned(lora, option, card, library).option.micro_batch > 1
    stated = replace(lora, open=lora.open - {"micro_batch"})
    assert tuned(stated, option, card, library).option.micro_batch == 1


def test_the_verdict_is_of_micro_batch_1_and_the_recommendation_takes_what_gains_speed() -> None:
    given = {"model.params": billions(7), "tuning.method": "lora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1)}
    answer = reply(given)
    taken = answer["recommended"]["micro_batch"]
    assert taken > 1
    (told,) = [entry for entry in answer["assumptions"] if entry["fact"] == "micro_batch"]
    assert told["value"] == 1
    assert answer["by_method"][0]["peak_gib"]["likely"] < answer["recommended"]["peak_gib"]["likely"]


def test_a_card_that_hong_kong_does_not_price_is_an_estimate_from_its_neighbour(library: Library) -> None:
    job = tasks(library, 70)[1]
    price = price_of(job, on(job, "h100_80gb_sxm", 8, library), market(library), library)
    assert price is not None
    assert price.estimated
    assert price.premium is not None
    assert "Tokyo" in price.place
    # AWS Tokyo: 68.8 USD an hour for eight, times 1.12, times 730 hours.
    assert price.currency == "USD"
    assert price.range.likely == pytest.approx(68.8 * 1.12 * 730, rel=0.01)


def test_a_vendors_article_is_said_to_be_one(library: Library) -> None:
    job = tasks(library, 7)[1]
    price = price_of(job, on(job, "a100_80gb_pcie", 1, library), market(library), library)
    assert price is not None
    assert (price.estimated, price.confidence, price.place) == (False, "low", "Hong Kong")


def test_a_price_stays_in_the_currency_that_the_user_thinks_in_where_a_list_has_it(library: Library) -> None:
    job = tasks(library, 7)[1]
    option = on(job, "t4", 1, library)
    for currency in ("CNY", "USD"):
        price = price_of(replace(job, currency=currency), option, market(library), library)
        assert price is not None
        assert price.currency == currency


def test_a_run_costs_its_hours_and_a_month_the_same_rate(library: Library) -> None:
    answer = reply(
        {
            "model.params": billions(7), "tuning.method": "lora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1),
            "data.tokens": tokens(1e8),
        }
    )  # fmt: skip
    plan = answer["recommended"]
    a_month, hours = plan["cost"]["likely"], plan["time_h"]["likely"]
    assert plan["cost"]["run"]["likely"] == pytest.approx(a_month / 730 * hours, rel=0.02)


def test_the_cheapest_is_the_cheapest_of_its_currency_only(library: Library) -> None:
    job, place = tasks(library, 13)[1], market(library)
    base = next(iter(candidates(job, place, library, cards=place.cards, per_node=None, nodes=None)))
    by_label = dict(ranked(every(job, place, library, base), "CNY"))
    for label in ("cheapest", "cheapest_in_usd"):
        currencies = {each.option.price.currency for each in by_label[label] if each.option.price}
        assert len(currencies) == 1, label


def test_a_deadline_asks_for_more_cards_than_memory_does() -> None:
    given = {"model.params": billions(13), "tuning.method": "lora", "data.tokens": tokens(1e9)}
    slow = consulted(given).chosen
    quick = consulted({**given, "schedule.deadline": Quantity(2.0, "days")}).chosen
    assert slow is not None
    assert quick is not None
    assert slow.option is not None
    assert quick.option is not None
    assert slow.option.time is not None
    assert quick.option.time is not None
    assert quick.option.time.likely <= 48 < slow.option.time.likely


def test_a_job_that_no_card_here_holds_is_sought_in_lighter_ways(library: Library) -> None:
    place = market(library)
    small = replace(place, cards=(library.gpus["rtx_4090"],), limits={"rtx_4090": 1}, kind="own_cards")
    full = tasks(library, 7)[0]
    found = list(candidates(full, small, library, cards=small.cards, per_node=None, nodes=None))
    assert found
    assert all(each.task.optimizer == "adamw_8bit" for each in found)
    assert all(holds(each.option, surely=False) for each in found)


def test_a_job_that_fits_but_comes_too_late_is_offered_hardware_that_is_in_time(library: Library) -> None:
    late = replace(tasks(library, 13)[1], tokens=1e9, epochs=1, deadline_h=48.0)
    card = library.gpus["a100_80gb_pcie"]
    option = on(late, card.id, 1, library)
    assert holds(option, surely=True)
    found = list(changes(late, option, card, market(library), library))
    more = next(change for change in found if kinds(change) == ("cards",))
    assert more.candidate.option.hardware.cards > 1
    assert more.speed_factor is not None
    assert more.speed_factor > 1
    assert {step.kind for change in found for step in change.steps} <= {"cards", "card", "method"}


def test_no_offload_is_proposed_that_no_server_on_offer_has_the_memory_for(library: Library) -> None:
    # 405e9 parameters x 12 B of states are 4.9 TB on one host.
    huge = tasks(library, 405)[0]
    assert "offload" not in {step.kind for change in levers(huge, "a100_80gb_sxm", 8, library) for step in change.steps}
    place = market(library)
    found = candidates(huge, place, library, cards=place.cards, per_node=8, nodes=1)
    assert not any(each.option.offload for each in found)


def test_levers_stand_in_the_answer_with_their_price_in_speed() -> None:
    answer = reply(
        {"model.params": billions(70), "tuning.method": "full", "gpu.id": "a100_80gb_sxm", "gpu.count": count(8)}
    )
    assert answer["verdict"] == "no"
    by_change = {lever["change"]: lever for lever in answer["levers"]}
    offload = next(lever for change, lever in by_change.items() if "offload" in change)
    assert offload["speed_factor"] < 1
    assert "tokens a second" in offload["effect"]


def test_zero2_moves_the_optimizer_to_the_host_and_keeps_the_weights(library: Library) -> None:
    # 6e9 x 2 B = 11.2 GiB of weights stay on each card; under ZeRO-3 they move too.
    lora = replace(tasks(library, 6)[1], sharding="zero2", offload=True)
    assert lora.method == "lora"
    assert on(lora, "rtx_4090", 2, library).parts["weights"] == pytest.approx(6e9 * 2 / 2**30, rel=0.02)
    assert on(replace(lora, sharding="zero3"), "rtx_4090", 2, library).parts["weights"] == 0


def test_a_framework_that_keeps_whole_copies_is_not_planned_to_split_them(library: Library) -> None:
    found = reply(
        {"model.params": billions(72), "tuning.method": "qlora", "gpu.id": "v100_32gb_sxm2", "gpu.count": count(8),
         "tuning.framework": "qwen_finetune"}
    )  # fmt: skip
    # 72e9 x 0.5 B = 34 GiB a card under ZeRO-2, and the card has 32.
    assert found["by_method"][0]["verdict"] == "no"
    assert found["by_method"][0]["sharding"] == "zero2"


def test_what_the_framework_takes_is_told_as_an_assumption(library: Library) -> None:
    found = reply(
        {"model.params": billions(13), "tuning.method": "lora", "gpu.id": "rtx_4090", "gpu.count": count(1),
         "tuning.framework": "alpaca_lora", "tuning.grad_ckpt": True}
    )  # fmt: skip
    told = {entry["fact"]: entry["value"] for entry in found["assumptions"]}
    assert (told["seq_len"], told["micro_batch"]) == (256, 4)
    assert found["verdict"] == "yes"


def test_scripts_seen_with_and_without_checkpointing_are_counted_both_ways(library: Library) -> None:
    # 7B in 8 bits with eager attention, 8 x 512 tokens: 34 x 512 x 8 x 4096 B and 5 x 32 x 512^2 x 8 B a layer are
    # 0.91 GB, 29 GB over 32 layers; with 7 GB of weights one thread saw 37 GB, others ran it on 24 GB.
    asked = {"model.params": billions(7), "tuning.method": "lora", "gpu.id": "a100_40gb_sxm", "gpu.count": count(1),
             "tuning.framework": "alpaca_lora", "workload.seq_len": tokens(512),
             "workload.micro_batch": count(8)}  # fmt: skip
    either, on = (reply(asked | more)["options"][0]["peak_gib"] for more in ({}, {"tuning.grad_ckpt": True}))
    assert either["high"] > 28
    assert on["high"] < 24
