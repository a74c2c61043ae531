"""The command line as an outsider uses it: exit codes, one line for an error, the contract's JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.cli.main import main

KEYS = {
    "lang", "session", "plan", "data_version", "as_of", "intent", "understood", "assumptions", "verdict", "summary",
    "by_method", "recommended", "options", "levers", "changes", "risks", "checklist", "claims", "questions",
    "explanation", "sources",
}  # fmt: skip
VERDICTS = {"yes", "yes_if", "no", "unknown"}


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> dict:
    assert main([*argv, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("can I fine-tune 70B here?", "en"),
        ("能不能在这里微调70B？", "zh"),
        ("can I fine-tune 70B on one A100 80GB with QLoRA?", "en"),
    ],
)
def test_the_first_questions_get_a_sourced_verdict_for_each_method(
    text: str, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = answered(capsys, "ask", text)
    assert answer.keys() >= KEYS
    assert answer["lang"] == lang
    assert answer["understood"]["params_b"] == 70
    assert answer["verdict"] in VERDICTS
    assert answer["by_method"]
    assert answer["sources"]
    assert answer["explanation"]
    for row in answer["by_method"]:
        assert row["peak_gib"]["low"] <= row["peak_gib"]["likely"] <= row["peak_gib"]["high"]


def test_qlora_of_70b_runs_on_one_a100_80gb(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, "ask", "can I fine-tune 70B on one A100 80GB with QLoRA?")
    row = answer["by_method"][0]
    assert (row["method"], row["gpu"], row["gpu_count"], row["nodes"]) == ("qlora", "A100 80GB", 1, 1)
    # Published runs took 57 to 65 GiB.
    assert 38 <= row["peak_gib"]["likely"] <= 78
    assert answer["verdict"] in ("yes", "yes_if")


def test_text_begins_with_the_verdict_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    question = "LoRA of 70B on one A100 80GB?"
    assert main(["ask", question]) == 0
    assert capsys.readouterr().out.startswith("No")
    assert main(["ask", question, "--lang", "zh"]) == 0
    assert capsys.readouterr().out.startswith("不行")


def test_the_checklist_is_a_markdown_task_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "checklist.md"
    pairs = ["params_b=7", "task=lora", "gpu_model=RTX 4090", "gpu_count=1"]
    assert main(["checklist", *[part for pair in pairs for part in ("--set", pair)], "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith("# Acceptance checklist")
    assert text.count("- [ ] **") >= 10
    assert "Result: ____" in text
    assert capsys.readouterr().out == ""


def test_facts_from_a_file_and_from_the_command_line_give_the_same_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.yaml"
    file.write_text("params_b: 7\ntask: lora\ngpu_model: RTX 4090\ngpu_count: 1\n", encoding="utf-8")
    one = answered(capsys, "advise", "--input", str(file))
    two = answered(
        capsys, "advise", "--set", "params_b=7", "--set", "task=lora", "--set", "gpu_model=RTX 4090",
        "--set", "gpu_count=1",
    )  # fmt: skip
    assert one["plan"] == two["plan"]
    assert one["by_method"] == two["by_method"]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["ask", ""], "the question is empty"),
        (["ask", "70B?", "--lang", "fr"], 'unknown language "fr"'),
        (["ask", "70B?", "--format", "jsn"], 'did you mean "json"'),
        (["advise", "--set", "parms_b=7"], "params_b"),
        (["advise", "--set", "params_b"], "sets nothing"),
        (["advise", "--set", "params_b=seven"], "params_b"),
        (["advise", "--set", "params_b=-7"], "params_b"),
        (["advise", "--set", "gpu_model=A9000"], "A9000"),
        (["advise", "--set", "task=finetun"], "finetun"),
        (["advise", "--input", "no_such_file.yaml"], "no_such_file.yaml"),
        (["rules", "explain", "sizing.nonsense"], "sizing.nonsense"),
        (["rules", "new", "../../x"], "no rule id"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_gives_one_clear_line_and_exit_2(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert "Traceback" not in captured.err


def test_a_model_config_is_sized_by_its_own_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.json"
    # The shape of Llama 3 8B: 8.03e9 parameters.
    config.write_text(
        json.dumps(
            {
                "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
                "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
            }
        ),
        encoding="utf-8",
    )  # fmt: skip
    answer = answered(
        capsys, "ask", "full fine-tune on 8 A100 80GB, zero3, micro-batch 1", "--model-config", str(config)
    )
    # 8.03e9 parameters x 16 B / 8 cards are 15 GiB of states; activations and buffers come on top.
    assert 15 <= answer["by_method"][0]["peak_gib"]["likely"] <= 40


def test_an_unknown_model_is_asked_about_and_never_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, "ask", "can I LoRA fine-tune FooBarGPT on one A100 80GB?")
    assert answer["verdict"] in ("unknown", "yes_if")
    assert all(row["peak_gib"] is None for row in answer["by_method"])
    assert answer["recommended"] is None
    assert answer["questions"][0]["fact"] in ("params_b", "model")


def test_numbers_in_json_are_finite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "能不能在这里微调70B？", "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert "NaN" not in out
    assert "Infinity" not in out


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("hkgpu ")


def test_a_question_may_begin_with_a_minus_and_a_misspelt_option_is_still_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ask", "-- LoRA of a 7B model on one A100 80GB?", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["understood"]["task"] == ["lora"]
    assert main(["ask", "LoRA of 7B", "--fromat", "json"]) == 2
