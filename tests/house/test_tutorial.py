"""The tutorial does what it says, in both languages: each command runs, and what it shows is what comes out."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from bots.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```(sh|text)\n(.+?)\n```", re.DOTALL)


@pytest.mark.parametrize("page", ["tutorial.md", "tutorial.zh.md"])
def test_the_tutorial_runs_and_shows_what_comes_out(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "docs/examples/tutorial", tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    blocks = BLOCK.findall((ROOT / "docs" / page).read_text("utf-8"))
    assert [kind for kind, _ in blocks].count("sh") == 6
    shown = ""
    for kind, text in blocks:
        if kind == "sh":
            command, _, note = text.partition("   # exit ")
            assert main(shlex.split(command)[1:]) == int(note or 0), capsys.readouterr().err
            shown = " ".join(capsys.readouterr().out.split())
            continue
        for line in text.splitlines():
            assert " ".join(line.split()) in shown, line
