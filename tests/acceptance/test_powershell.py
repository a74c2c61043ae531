"""The script for the office's Windows machine, proved without running it: no PowerShell can be installed here."""

from __future__ import annotations

import re

import pytest

from advisor.acceptance.commands import Site, scripts
from advisor.knowledge.library import open_library

SITE = Site(
    target="hk1.example.com",
    carrier="telecom",
    ports=(22, 443),
    page="https://example.com/a?b=1&c=2",
    repository="git@example.com:team/repo",
    registry="https://registry.example.com/v2/",
    storage="https://bucket.example.com/x",
)
TEXT = scripts(SITE, open_library())["office.ps1"]
PAIRS = {")": "(", "]": "[", "}": "{"}


def tokens(text: str) -> list[tuple[str, str]]:
    """Comments, texts in single and in double quotes, and the rest, in order. Raises where a quote is left open."""
    found, at = [], 0
    pattern = re.compile(r"(?P<comment>#[^\n]*)|'(?P<single>(?:[^']|'')*)'|\"(?P<double>(?:[^\"`]|`.)*)\"")
    while match := pattern.search(text, at):
        found += [("code", text[at : match.start()]), (str(match.lastgroup), match[match.lastgroup or 0])]
        at = match.end()
    assert not re.search(r"['\"]", text[at:]), "a quote is left open"
    return [*found, ("code", text[at:])]


def test_every_bracket_is_closed_by_its_like() -> None:
    open_brackets: list[str] = []
    for kind, text in tokens(TEXT):
        if kind != "code":
            continue
        for mark in re.findall(r"[(){}\[\]]", text):
            if mark in PAIRS:
                assert open_brackets
                assert open_brackets.pop() == PAIRS[mark]
            else:
                open_brackets.append(mark)
    assert not open_brackets


@pytest.mark.parametrize(
    "value", ["hk1.example.com", "https://example.com/a?b=1&c=2", "git@example.com:team/repo", "telecom"]
)
def test_a_value_of_people_stands_once_as_a_whole_text_in_single_quotes(value: str) -> None:
    # PowerShell puts nothing into a text in single quotes, so no value can become code.
    places = [(kind, text) for kind, text in tokens(TEXT) if value in text]
    assert places == [("single", value)]


def test_nothing_is_evaluated_downloaded_or_changed_for_good() -> None:
    code = "".join(text for kind, text in tokens(TEXT) if kind == "code").lower()
    for word in (
        "invoke-expression",
        "iex ",
        "set-executionpolicy",
        "start-process",
        "remove-item",
        "invoke-webrequest",
    ):
        assert word not in code
    assert "new-item -itemtype directory" in code


def test_texts_in_double_quotes_name_only_variables_of_the_script() -> None:
    named = {name for kind, text in tokens(TEXT) if kind == "double" for name in re.findall(r"\$\{?(\w+)", text)}
    known = set(re.findall(r"^\s*(?:param\(\[string\])?\$(\w+) =", TEXT, re.MULTILINE))
    known |= set(re.findall(r"foreach \(\$(\w+) in", TEXT)) | set(
        re.findall(r"\[(?:string|scriptblock)\]\$(\w+)", TEXT)
    )
    known |= set(re.findall(r"\$(\w+) = 0", TEXT))
    assert named - {"LASTEXITCODE"} <= known


def test_every_variable_that_is_read_was_set_before() -> None:
    code = "\n".join(text for kind, text in tokens(TEXT) if kind in ("code", "double"))
    automatic = {"true", "false", "null", "_", "env", "lastexitcode", "psversiontable", "erroractionpreference"}
    read = {name.lower() for name in re.findall(r"\$\{?(\w+)", code)}
    written = {name.lower() for name in re.findall(r"\$(\w+) = ", code)}
    written |= {name.lower() for name in re.findall(r"foreach \(\$(\w+) in", code)}
    written |= {name.lower() for name in re.findall(r"\[(?:string|scriptblock)\]\$(\w+)", code)}
    assert read - automatic <= written


def test_the_hours_and_the_shape_of_the_tries_are_those_of_the_shell_script() -> None:
    assert ".AddHours(8)" in TEXT
    assert "-ge 20" in TEXT
    assert "-lt 23" in TEXT
    for line in ("tries of port", "planned", "tries done: $Good ok, $Bad failed", "'try {0} {1} {2} s'"):
        assert line in TEXT
    assert "CreateFolder" not in TEXT


def test_the_ports_are_numbers() -> None:
    assert "$Ports = @(22, 443)" in TEXT
