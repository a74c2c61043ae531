"""The desk of forms: every question, what can be taken as an answer, which questions matter, links, a config.json."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import pytest

from advisor.consult import answer, form, form_config, form_open, form_taken
from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library

FIELDS = {each.fact: each for each in form.fields("en")}
FACTS = list(FIELDS)


def test_every_question_stands_at_a_step_but_those_about_a_running_machine() -> None:
    asked = {key for key, record in open_library().facts.items() if record.question is not None}
    left = {key for key in asked if key.startswith("observed.")}
    assert set(FIELDS) == asked - left
    assert {each.step for each in FIELDS.values()} == set(form.steps())


def test_a_field_has_name_question_reason_and_choices_in_each_language() -> None:
    for lang in ("en", "zh", "zh-Hant"):
        for each in form.fields(lang):
            assert each.name, each.fact
            assert each.question, each.fact
            assert each.why, each.fact
            assert each.choices or each.kind in ("quantity", "number"), each.fact
    assert dict(form.fields("zh-Hant")[0].choices)["inference"] == "推理"


def test_a_card_to_be_had_here_stands_before_the_others() -> None:
    names = [value for value, _ in FIELDS["gpu.id"].choices]
    here = {card.label for card in answer.here().cards}
    assert names[0] in here
    assert names.index("RTX 4090") < names.index("Titan RTX")


@pytest.mark.parametrize(
    ("fact", "typed", "value"),
    [
        ("model.params", "70", 70.0),
        ("model.params", "70B", 70.0),
        ("model.params", "0.5b", 0.5),
        ("model.params", "500M", 0.5),
        ("data.tokens", "1.5亿", 1.5e8),
        ("data.tokens", "2 billion", 2e9),
        ("data.tokens", "50M", 5e7),
        ("data.rows", "50万", 5e5),
        ("data.rows", "50萬", 5e5),
        ("workload.seq_len", "8k", 8192.0),
        ("workload.seq_len", "4,096", 4096.0),
        ("workload.seq_len", " 4096 ", 4096.0),
        ("data.size", "2 TB", 2000.0),
        ("data.size", "2.5", 2.5),
        ("data.size", "500 MB", 0.5),
        ("host.ram", "512GB", 512.0),
        ("budget.amount", "30,000", 30000.0),
        ("budget.amount", "3万", 30000.0),
        ("line.bandwidth", "1 Gbps", 1000.0),
        ("gpu.count", "8", 8.0),
        ("schedule.deadline", "14", 14.0),
        ("data.epochs", "0.5", 0.5),
        ("data.personal", "true", True),
        ("users.location", ["mainland", "hong_kong"], ["mainland", "hong_kong"]),
        ("model.id", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("gpu.id", "a100", "a100"),
        ("tuning.method", "lora", "lora"),
    ],
)
def test_an_answer_is_read_as_people_write_it(fact: str, typed: object, value: object) -> None:
    found = form_taken.taken({fact: typed}, "en")
    assert found.errors == {}
    assert found.given == {form.key_of(fact): value}
    answer.advise(found.given)


@pytest.mark.parametrize(
    ("fact", "typed", "told"),
    [
        ("gpu.count", "abc", "no number"),
        ("gpu.count", "-3", "outside 1 to 64"),
        ("gpu.count", "8 GB", "no amount"),
        ("data.tokens", "1e400", "no number"),
        ("data.tokens", "--5", "no number"),
        ("model.id", "Qwen9-7B", "not in the catalogue"),
        ("gpu.id", "RTX 4091", "Do you mean"),
        ("tuning.method", "magic", "none of the choices"),
        ("data.personal", "perhaps", "none of the choices"),
        ("users.location", ["mainland", "moon"], "moon"),
        ("model.id", "x" * 1000, "too long"),
        ("data.size", "{memory.peak}", "no number"),
    ],
)
def test_a_wrong_answer_is_told_in_one_sentence_at_its_fact(fact: str, typed: object, told: str) -> None:
    found = form_taken.taken({fact: typed}, "en")
    assert found.given == {}
    assert list(found.errors) == [fact]
    assert told in found.errors[fact]
    assert "\n" not in found.errors[fact]


def test_one_wrong_answer_spoils_no_other() -> None:
    found = form_taken.taken({"gpu.count": "x", "model.params": "7", "data.tokens": ""}, "zh")
    assert found.given == {"params_b": 7.0}
    assert found.errors == {"gpu.count": "“x”不是数字。"}


def shown(given: dict[str, object]) -> set[str]:
    return set(form_open.open_facts(given, FACTS))


def test_a_question_of_another_kind_of_job_is_not_asked() -> None:
    serving = {"serving.qps", "serving.concurrency", "serving.output_len"}
    assert serving <= shown({"task": "inference", "model": "Qwen2.5-7B"})
    training = shown({"task": "lora", "model": "Qwen2.5-7B"})
    assert not serving & training
    assert "tuning.lora_rank" in training
    assert not {"tuning.lora_rank", "tuning.optimizer", "data.epochs"} & shown({"task": "inference", "params_b": 7})


def test_a_question_that_an_answer_makes_needless_is_not_asked() -> None:
    assert "model.params" not in shown({"model": "Qwen2.5-7B"})
    assert "model.id" not in shown({"params_b": 7})
    assert "model.id" in shown({"model": "Qwen2.5-7B", "params_b": 7})
    assert "budget.currency" not in shown({})
    assert "budget.currency" in shown({"budget_amount": 1000})
    assert "gpu.memory" not in shown({"gpu_model": "RTX 4090"})
    assert "gpu.memory" in shown({"gpu_model": "A100"})


def test_what_is_hidden_changes_neither_plan_nor_advice() -> None:
    """Proved on three numbers that no rule reads: the whole answer is the same at values far apart."""
    given = {"model": "Qwen2.5-7B", "task": "lora", "gpu_model": "RTX 4090", "gpu_count": 1}
    for fact, values in {"checkpoint.kept": (1, 40), "serving.qps": (1, 200)}.items():
        if fact in shown(given):
            continue
        one, other = (answer.advise({**given, form.key_of(fact): value}).json for value in values)
        for part in ("verdict", "recommended", "risks", "options"):
            assert one[part] == other[part], fact


def test_questions_that_matter_stay() -> None:
    given = {"model": "Qwen2.5-72B", "task": "lora", "gpu_model": "A100 80GB", "gpu_count": 8}
    assert {"workload.seq_len", "data.tokens", "data.location", "gpu.nodes", "tuning.optimizer"} <= shown(given)


def test_a_link_brings_the_same_answers_back_and_says_nothing_about_a_person() -> None:
    raw = {
        "model.id": "Qwen2.5-7B", "tuning.method": "lora", "gpu.id": "RTX 4090", "gpu.count": "2",
        "data.personal": "true", "users.location": ["mainland", "hong_kong"], "data.size": "1.5 TB",
        "tuning.stage": "grpo",
    }  # fmt: skip
    given = form_taken.taken(raw, "en").given
    query = form_taken.link(given, "en")
    assert "model=Qwen2.5-7B" in query
    assert "task=lora" in query
    found = form_taken.from_link(dict(parse_qsl(query)), "en")
    assert found.given == given
    assert found.errors == {}
    assert found.unread == ()
    assert answer.advise(found.given).json["plan"] == answer.advise(given).json["plan"]


def test_outsiders_words_in_a_link_are_understood_and_nonsense_is_named() -> None:
    found = form_taken.from_link(
        {"task": "full_ft", "gpu_count": "abc", "size": "13", "__theme": "dark", "tab": "x"}, "en"
    )
    assert found.given == {"task": "full"}
    assert list(found.errors) == ["gpu.count"]
    assert found.unread == ("size",)


def test_what_a_conversation_established_fills_the_form() -> None:
    found = form_taken.from_slots({"task": ["qlora", "dpo"], "params_b": 70, "gpu_model": "A100 80GB", "gpu_count": 2})
    assert found["tuning.method"] == "qlora"
    assert found["tuning.stage"] == "dpo"
    assert found["model.params"] == "70"
    assert found["gpu.count"] == "2"
    assert form_taken.taken(found, "en").errors == {}


SHAPE = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "tie_word_embeddings": False,
    "max_position_embeddings": 4096,
}  # fmt: skip


def test_a_config_json_is_kept_without_names_and_travels_in_a_link() -> None:
    text = json.dumps({**SHAPE, "_name_or_path": "/srv/anna/model", "author": "A Person", "torch_dtype": "bfloat16"})
    found = form_config.config_of(text)
    # Llama-2-7B: 6,738,415,616 parameters by its published shape.
    assert found.params_b == pytest.approx(6.738415616)
    assert "anna" not in found.kept
    assert "Person" not in found.kept
    assert form_config.unpacked(form_config.packed(found.kept)) == found.kept
    assert "6.74" in form_config.told(found, "en")
    query = form_taken.link({"task": "lora"}, "en", found.kept)
    assert form_config.unpacked(dict(parse_qsl(query))["config"]) == found.kept


@pytest.mark.parametrize("text", ["", "[]", "{not json", '{"model_type": "llama"}', '{"hidden_size": 1e999}'])
def test_what_is_no_config_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadInput) as error:
        form_config.config_of(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("word", ["", "!!!!", "AAAA", "x" * 100_000, form_config.packed("{}")])
def test_a_config_in_a_link_that_is_none_is_none(word: str) -> None:
    assert form_config.unpacked(word) is None
