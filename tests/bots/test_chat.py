"""`hkgpu chat`, `hkgpu forget` and the checklist of a conversation, as an outsider uses them."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
RUN = [sys.executable, "-c", "import sys; from bots.cli.main import main; sys.exit(main(sys.argv[1:]))"]


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "talks.sqlite3"
    monkeypatch.setenv("HKGPU_DATABASE_URL", f"sqlite:///{path}")
    return path


def chat(lines: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *argv: str) -> list[Any]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    assert main(["chat", "--format", "json", *argv]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_message_a_line_gives_one_answer_a_line_with_a_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "QLoRA 7B，单张4090，长度2048\n\n那13B呢\nmake it 2 cards\n".encode()
    one, two, three = chat(lines, monkeypatch, capsys)
    assert one["understood"]["params_b"] == 7
    assert two["understood"]["params_b"] == 13
    assert (three["understood"]["params_b"], three["understood"]["gpu_count"], three["lang"]) == (13, 2, "en")
    assert len({reply["session"] for reply in (one, two, three)}) == 1
    assert {change["what"] for change in three["changes"]} >= {"cards"}


def test_a_bad_line_gives_an_error_line_and_the_conversation_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b"LoRA 7B on one RTX 4090\n" + b"x" * 100_000 + b"\n\xff\xfe\x00\nmake it 2 cards\n"
    first, second, third, fourth = chat(lines, monkeypatch, capsys)
    assert first["verdict"]
    assert "characters" in second["error"]
    assert "verdict" in third
    assert fourth["understood"]["gpu_count"] == 2


def test_a_conversation_is_taken_up_again_and_its_checklist_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (one,) = chat(b"QLoRA 7B on one RTX 4090, 2048 tokens\n", monkeypatch, capsys)
    session = one["session"]
    (two,) = chat(b"export\n", monkeypatch, capsys, "--session", session)
    assert main(["checklist", "--session", session]) == 0
    assert capsys.readouterr().out == two["checklist_markdown"]
    assert main(["checklist", "--session", session, "--format", "json", "-o", str(tmp_path / "list.json")]) == 0
    assert json.loads((tmp_path / "list.json").read_text("utf-8"))["plan"] == two["plan"]


def test_forget_closes_the_conversation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = chat(b"QLoRA 7B on one RTX 4090\n", monkeypatch, capsys)
    assert main(["forget", "--yes", "--lang", "en"]) == 0
    assert "turns 1" in capsys.readouterr().out
    assert main(["checklist", "--session", one["session"]]) == 2
    assert "no conversation with this id" in capsys.readouterr().err


@pytest.mark.parametrize("session", ["../../x", "0" * 31, "' OR 1=1"])
def test_an_id_that_is_none_is_bad_input(session: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checklist", "--session", session]) == 2
    assert main(["chat", "--session", session]) == 2
    assert "no id of a conversation" in capsys.readouterr().err


def test_a_database_address_that_is_wrong_is_one_line_without_the_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HKGPU_DATABASE_URL", "postgresql+psycopg://boss:hunter2@127.0.0.1:9/talks")
    assert main(["chat"]) == 2
    shown = capsys.readouterr()
    assert len(shown.err.splitlines()) == 1
    assert "hunter2" not in shown.err + shown.out
    assert "boss" not in shown.err


def test_ask_loads_no_database_library() -> None:
    code = (
        "import sys; from bots.cli.main import main; code = main(['ask', 'QLoRA 7B on one RTX 4090']);"
        "print([name for name in ('sqlalchemy', 'alembic', 'psycopg') if name in sys.modules], code)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[] 0"


def test_in_a_terminal_it_prompts_answers_and_leaves(tmp_path: Path) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "HKGPU_DATABASE_URL": f"sqlite:///{tmp_path}/x.sqlite3", "TERM": "dumb"}
    process = subprocess.Popen([*RUN, "chat"], cwd=ROOT, env=environment, stdin=child, stdout=child, stderr=child)
    os.close(child)
    os.write(parent, b"QLoRA 7B on one RTX 4090\nwhy\nexit\n")
    shown = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert process.wait(30) == 0
    text = shown.decode("utf-8", "replace")
    assert "Yes" in text
    assert "session " in text
    assert "\x1b[3" not in text
