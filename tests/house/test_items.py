"""Checklist items can be done: each has a command that a shell takes, or says what to ask for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.core.text import placeholders
from advisor.knowledge.library import Library

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library([ROOT])
ITEMS = dict(LIBRARY.items)
COMMANDS = {key: item.command for key, item in ITEMS.items() if item.command}
CJK = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
# How a request to a person begins; a command begins with a program, an assignment or a loop.
PROSE = re.compile(r"^(?:Ask|Have|Write|Compare|Check|Read|Please|Make sure)\b")
BARE = re.compile(r"^[^#'\"]*\s#\s")


def runnable(command: str) -> list[str]:
    """The lines of a command that are no comment."""
    return [line for line in command.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def filled(command: str) -> str:
    """The command with a plain word for each fact; a tool's own braces (no dot inside) stay."""
    for name in placeholders(command):
        if "." in name:
            command = command.replace(f"{{{name}}}", "word")
    return command


def test_every_item_has_a_command_or_says_what_to_ask_for() -> None:
    idle = [key for key, item in ITEMS.items() if item.command is None and item.ask is None]
    assert not idle, f"give these a `command` or an `ask` in both languages: {idle}"


def test_a_command_holds_lines_to_run_and_no_prose() -> None:
    wrong = []
    for key, command in COMMANDS.items():
        lines = runnable(command)
        if not lines:
            wrong.append(f"{key}: nothing to run but comments; write an `ask`")
        wrong += [f"{key}: {line}" for line in lines if CJK.search(line) or PROSE.match(line.strip())]
    assert not wrong, "move what a person is asked to `ask`, or make it a comment:\n" + "\n".join(wrong)


def test_a_comment_in_a_command_has_its_own_line() -> None:
    # A remark behind a command is easily copied into the wrong shell, and hides at the end of a long line.
    wrong = [f"{key}: {line}" for key, command in COMMANDS.items() for line in runnable(command) if BARE.match(line)]
    assert not wrong, "put the remark on a line of its own above:\n" + "\n".join(wrong)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash to parse the commands")
def test_a_shell_can_parse_every_command() -> None:
    wrong = []
    for key, command in COMMANDS.items():
        parsed = subprocess.run(["bash", "-n"], input=filled(command), capture_output=True, text=True, check=False)
        if parsed.returncode or parsed.stderr:
            wrong.append(f"{key}: {parsed.stderr.strip()}")
    assert not wrong, "bash -n refuses these:\n" + "\n".join(wrong)
