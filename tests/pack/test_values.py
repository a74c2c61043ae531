"""What a person gives is written so that the file reads it as a value, or refused with the reason."""

from __future__ import annotations

import json
import math
import re
import subprocess

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.consult.pack import kit
from advisor.core.errors import BadData, BadInput
from advisor.knowledge.reader import read_text
from advisor.knowledge.records.stacks import Part
from advisor.knowledge.writer import write_text
from advisor.pack import quoting
from advisor.pack.site import Site, site_of
from advisor.pack.tree import holds, laid
from tests.pack.plans import DAY, PLANS

# Texts that have broken shells, YAML, JSON, Markdown, spreadsheets and format strings before.
HOSTILE = [
    "; rm -rf /",
    "$(id)",
    "`id`",
    "a'b",
    'a"b',
    "a\\b",
    "a\nb",
    "a\rb",
    "a\tb",
    "a\x00b",
    "a\x1b[31mb",
    "$HOME",
    "${IFS}",
    "!!python/object/apply:os.system ['id']",
    "*x",
    "&x",
    "{a: b}",
    "[a]",
    "a: b",
    "a #b",
    "- a",
    "%YAML 1.1",
    "yes",
    "null",
    "1e3",
    "0x10",
    "1_000",
    "12:30",
    "~",
    "",
    " ",
    "=cmd|'/C calc'!A0",
    "+1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://a)",
    "| a | b |",
    "# a",
    "{plan.gpu}",
    "{model}",
    "%s%n",
    "{0.__class__}",
    "../../etc/passwd",
    "/a/../b",
    "~root",
    "-rf",
    "--exec=id",
    "a\u202eb",
    "a\u2028b",
    "\ud800",
    "\ufeff",
    "é漢字🙂",
    "@TARGET@",
    "a" * 5000,
    "\\\n",
    "'; exec /bin/sh; '",
    "a}b",
    '}"; id; : "${X:=',
]
ANY = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40))
PRINTABLE = ANY.filter(
    lambda text: not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", text)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PRINTABLE, min_size=1, max_size=4))
def test_a_shell_word_comes_back_from_the_shell_unchanged(words: list[str]) -> None:
    line = f"printf '%s\\0' {quoting.command(words)}"
    out = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout.decode()
    assert out.split("\0")[:-1] == words


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(ANY.filter(bool), st.one_of(ANY, st.integers(), st.booleans(), st.none(), st.floats()), max_size=4)
)
def test_yaml_comes_back_from_every_reader_unchanged_or_is_refused(data: dict[str, object]) -> None:
    try:
        text = write_text(data, "a comment")
    except BadData:
        texts = "".join(each for pair in data.items() for each in pair if isinstance(each, str))
        odd = [each for each in data.values() if isinstance(each, float) and not math.isfinite(each)]
        assert re.search("[\ud800-\udfff]", texts) or odd
        return
    assert yaml.safe_load(text) == data or (not data and yaml.safe_load(text) == {})


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.one_of(PRINTABLE, st.booleans(), st.integers(-(10**9), 10**9))
    )
)
def test_our_own_reader_reads_what_the_writer_writes(data: dict[str, object]) -> None:
    from pathlib import Path

    assert (read_text(write_text(data), Path("x.yaml")).data or {}) == data


@pytest.mark.parametrize(
    "value", ["no", "on", "1e-4", "1_000", "12:30", "0x1F", "2026-12-01", "null", "~", "", "=1+1", "yes"]
)
def test_a_text_that_yaml_takes_for_something_else_stays_a_text(value: str) -> None:
    assert yaml.safe_load(write_text({"key": value})) == {"key": value}


def test_a_small_rate_is_a_number_for_yaml_1_1() -> None:
    # PyYAML reads 1e-05 as a text; a trainer then fails on its first step.
    assert write_text({"rate": 1e-5}) == "rate: 1.0e-05\n"
    assert yaml.safe_load(write_text({"rate": 5e-7}))["rate"] == 5e-7


def test_yaml_refuses_what_is_no_plain_data() -> None:
    for odd in ({1: "a"}, {"a": {"b": object()}}, {"a": float("nan")}, {"a": "\ud800"}):
        with pytest.raises(BadData):
            write_text(odd)  # type: ignore[arg-type]


@given(ANY)
def test_markdown_keeps_no_markup_of_a_value(text: str) -> None:
    shown = quoting.markdown(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]()<>#!|]", shown)
    block = quoting.fenced(text)
    fence = block.split("\n", 1)[0]
    assert [line for line in block.splitlines()[1:-1] if line.startswith(fence)] == []


@given(ANY)
def test_inline_code_ends_where_it_should(text: str) -> None:
    shown = quoting.code(text)
    fence = re.match("`+", shown)
    assert fence is not None
    inside = shown[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)
    assert "\n" not in shown


@given(ANY)
def test_json_comes_back_unchanged(text: str) -> None:
    assert json.loads(quoting.json_bytes({"key": text})) == {"key": text}


FIELDS = [
    "target",
    "user",
    "port",
    "data_dir",
    "source_dir",
    "dataset",
    "model",
    "bucket",
    "interface",
    "project",
    "carrier",
]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(FIELDS), ANY)
def test_a_site_takes_a_value_as_it_is_or_refuses_it(field: str, value: str) -> None:
    try:
        site = site_of({field: value})
    except BadInput:
        return
    if value:
        assert str(getattr(site, field)) == value or field == "port"
        assert not re.search("[\x00-\x1f\x7f\u2028\u202e\ud800-\udfff]", value)


@pytest.mark.parametrize("value", ["-oProxyCommand=id", "a b", "a;b", "$(id)", "a..b", "user@host", "ho\nst", "[::1]"])
def test_a_host_that_ssh_could_misread_is_refused(value: str) -> None:
    with pytest.raises(BadInput, match="target"):
        site_of({"target": value})


def test_a_site_refuses_a_name_that_it_does_not_have() -> None:
    with pytest.raises(BadInput, match=r'a site has no "tagret"; .*did you mean "target"'):
        site_of({"tagret": "x"})


def shell_value(script: bytes, name: str) -> str:
    """A variable at the head of a script, as the shell reads it."""
    lines = [line for line in script.decode().splitlines() if line.startswith(f"{name}=")]
    assert len(lines) == 1
    found = subprocess.run(["bash", "-c", f'{lines[0]}\nprintf %s "${name}"'], capture_output=True, check=True)
    return found.stdout.decode()


ODD = '/data/it\'s a "test" $(touch X) `id` ; & | < > # * ? ~ \\ !x é漢字 @TARGET@'


def test_an_odd_folder_reaches_every_file_as_itself() -> None:
    site = {
        "data_dir": ODD,
        "source_dir": ODD,
        "dataset": f"{ODD}/train.jsonl",
        "model": f"{ODD}/model",
        "target": "203.0.113.7",
    }
    files = kit(PLANS["full_zero3"], day=DAY, site=site).files
    assert yaml.safe_load(files["training/llama_factory/train.yaml"])["model_name_or_path"] == f"{ODD}/model"
    assert yaml.safe_load(files["training/axolotl/train.yaml"])["datasets"][0]["path"] == f"{ODD}/train.jsonl"
    assert yaml.safe_load(files["training/torchtune/train.yaml"])["output_dir"] == f"{ODD}/output/run"
    assert json.loads(files["training/accelerate/job.json"])["dataset"] == f"{ODD}/train.jsonl"
    assert shell_value(files["transfer/sync.sh"], "source") == ODD
    assert shell_value(files["transfer/sync.sh"], "there") == f"{ODD}/datasets"
    assert shell_value(files["transfer/fetch_model.sh"], "model") == f"{ODD}/model"
    assert shell_value(files["transfer/backup.sh"], "output") == f"{ODD}/output/run"
    out = subprocess.run(
        ["bash", "-c", 'eval "$1"; printf %s "$HF_HOME"', "x", files["environment/env.sh"].decode()],
        capture_output=True, check=True, env={"PATH": "/usr/bin:/bin"},
    ).stdout  # fmt: skip
    assert out.decode() == f"{ODD}/hub"


@settings(max_examples=40, deadline=None)
@given(PRINTABLE.map(lambda text: "/x" + text))
def test_any_folder_that_is_taken_reaches_the_shell_and_yaml_as_itself(folder: str) -> None:
    try:
        site_of({"data_dir": folder})
    except BadInput:
        return
    files = kit(PLANS["lora_ddp"], day=DAY, site={"data_dir": folder}).files
    assert shell_value(files["transfer/sync.sh"], "there") == f"{folder}/datasets"
    assert yaml.safe_load(files["training/ms_swift/train.yaml"])["output_dir"] == f"{folder}/output/run"
    for path in ("environment/env.sh", "transfer/sync.sh", "training/llama_factory/run.sh"):
        subprocess.run(["bash", "-n"], input=files[path], check=True)


def test_a_serving_command_quotes_the_model() -> None:
    body = kit(PLANS["serve"], day=DAY, site={"model": ODD}).files["serving/vllm/run.sh"].decode()
    line = body[body.index("exec ") + len("exec ") :]
    out = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout.decode()
    assert out.split("\0")[:3] == ["vllm", "serve", ODD]


def test_facts_from_a_person_stand_in_plan_json_as_texts() -> None:
    given_facts = {**PLANS["lora_ddp"], "seq_len": "2048"}
    assert json.loads(kit(given_facts, day=DAY).files["plan.json"])["understood"] == given_facts


def test_a_condition_tells_true_from_one() -> None:
    assert holds({"x": (True,)}, {"x": True}, "here")
    assert not holds({"x": (True,)}, {"x": 1}, "here")
    assert not holds({"x": (1,)}, {"x": True}, "here")


def test_a_part_lies_over_the_one_before_and_leaves_unknown_values_out() -> None:
    parts = [
        Part(set={"a": {"b": "{n}", "c": "{unknown}"}, "d": "v{n}"}),
        Part(when={"on": (True,)}, set={"a": {"b": 2}}),
    ]
    assert laid(parts, {"n": 1, "unknown": None, "on": True}, "here") == {"a": {"b": 2}, "d": "v1"}
    assert laid(parts, {"n": 1, "unknown": None, "on": False}, "here") == {"a": {"b": 1}, "d": "v1"}


def test_a_name_that_no_plan_has_is_an_error_in_the_file() -> None:
    with pytest.raises(BadData, match=r'a plan has no "mirco"; .*did you mean "micro"'):
        laid([Part(set={"a": "{mirco}"})], {"micro": 1}, "here")


def test_the_sites_defaults_pass_its_own_check() -> None:
    assert site_of(None) == Site() == site_of({"target": "", "port": ""})


@pytest.mark.parametrize(
    "fact", ["model", "gpu_model", "optimizer", "sharding", "seq_len", "users.city", "tuning.framework"]
)
@pytest.mark.parametrize("value", ["$(id)", "'; id; '", "a\nb", "[x](javascript:y)", "{model}", "=cmd|x", "\ud800"])
def test_a_hostile_fact_is_refused_or_stays_in_plan_json(fact: str, value: str) -> None:
    try:
        files = kit({**PLANS["lora_ddp"], fact: value}, day=DAY).files
    except (BadInput, BadData):
        return
    found = [
        path for path, body in files.items() if value.encode("utf-8", "surrogatepass") in body and path != "plan.json"
    ]
    assert not found
    assert json.loads(files["plan.json"])["understood"][fact] == value
