"""The reader: what it takes, what it refuses, and that every refusal names file and line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadData
from advisor.knowledge.reader import MAX_BYTES, read_file, read_text

HERE = Path("some.yaml")
SPOILED = sorted((Path(__file__).parents[1] / "broken" / "knowledge" / "reader").glob("*.yaml"))


def data_of(text: str) -> object:
    return read_text(text, HERE).data


@pytest.mark.parametrize("path", SPOILED, ids=lambda path: path.stem)
def test_each_spoiled_file_gives_its_message_with_file_and_line(path: Path) -> None:
    first = path.read_bytes().decode("utf-8", "replace").lstrip("\ufeff").splitlines()[0]
    line, message = first.removeprefix("# expects: ").split(": ", 1)
    with pytest.raises(BadData) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["no", "on", "yes", "off", "NO", "True", "NULL", "20:00", "1:30", "0x1F", "0o17", "1_000", "2026-11-30", "12.10.1"],
)
def test_what_only_looks_like_a_value_in_yaml_1_1_is_a_text(text: str) -> None:
    assert data_of(f"value: {text}") == {"value": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("7.62e9", 7.62e9),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("12.10", 12.1),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    found = data_of(f"value: {text}")
    assert found == {"value": value}
    assert type(found["value"]) is type(value)  # type: ignore[index]


def test_a_quoted_number_stays_a_text() -> None:
    assert data_of("""{a: "12.10", b: 'true', c: "null"}""") == {"a": "12.10", "b": "true", "c": "null"}


def test_block_texts_keep_their_lines() -> None:
    assert data_of("say: |\n  one\n  two\n") == {"say": "one\ntwo\n"}


def test_an_empty_file_holds_nothing() -> None:
    assert data_of("") is None
    assert data_of("# only a remark\n") is None


def test_a_value_is_found_by_the_line_of_its_key_and_a_list_item_by_its_own() -> None:
    document = read_text("a: 1\nrows:\n  - {gpu: x}\n  - gpu: y\n    price: 3\n", HERE)
    assert document.at("rows") == "some.yaml:2"
    assert document.at("rows", 1, "price") == "some.yaml:5"
    assert document.at("rows", 1, "no such key") == "some.yaml:4"
    assert document.at("nothing") == "some.yaml:1"


def test_a_file_that_is_too_large_is_refused_before_it_is_read_as_yaml(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(BadData, match=rf"has {MAX_BYTES + 1} bytes; expected at most {MAX_BYTES}"):
        read_file(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"gone\.yaml: cannot be read"):
        read_file(tmp_path / "gone.yaml")


def test_a_deep_bomb_is_refused_at_once() -> None:
    start = time.perf_counter()
    for bomb in ("[" * 200_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000):
        with pytest.raises(BadData):
            read_text(bomb, HERE)
    assert time.perf_counter() - start < 2


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_data_or_one_clear_error(text: str) -> None:
    said = "some.yaml:"
    try:
        read_text(text, HERE)
    except BadData as error:
        said = str(error)
    assert said.startswith("some.yaml:")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text("abcdefgh 不香港", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcdef", min_size=1), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(PLAIN)
def test_plain_data_written_as_json_is_read_back_unchanged(data: object) -> None:
    assert data_of(json.dumps(data, ensure_ascii=False)) == data
