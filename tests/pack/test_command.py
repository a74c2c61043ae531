"""`hkgpu kit`, and the walk of docs/order_pack.md: every command in it runs."""

from __future__ import annotations

import re
import shlex
import zipfile
from pathlib import Path

import pytest

from bots.cli.main import main

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/order_pack.md").read_text("utf-8")
SET = ["--set", "model=Qwen2.5-7B", "--set", "task=lora", "--set", "gpu_model=RTX 4090", "--set", "gpu_count=1"]


def test_the_walk_of_the_document_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```sh\n(.*?)```", DOC, re.DOTALL)
    commands = [
        line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.startswith("hkgpu ")
    ]
    assert len(commands) >= 4
    for command in commands:
        assert main(shlex.split(command, comments=True)[1:]) == 0, (command, capsys.readouterr().err)
        assert capsys.readouterr().out


def test_a_folder_lists_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", *SET, "-o", str(tmp_path / "pack")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(tmp_path / "pack")
    assert "  training/accelerate/accelerate.yaml" in lines


def test_the_language_is_the_one_asked_for_else_the_persons_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HKGPU_LANG", "zh")
    assert main(["kit", *SET, "-o", str(tmp_path / "own")]) == 0
    assert main(["kit", *SET, "--lang", "en", "-o", str(tmp_path / "asked")]) == 0
    assert (tmp_path / "own/README.md").read_text("utf-8").startswith("# 下单资料包")
    assert (tmp_path / "asked/README.md").read_text("utf-8").startswith("# Order pack")


def test_zip_writes_one_archive(tmp_path: Path) -> None:
    assert main(["kit", *SET, "--zip", "-o", str(tmp_path / "pack.zip")]) == 0
    assert zipfile.is_zipfile(tmp_path / "pack.zip")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is no plan"),
        (["--session", "0" * 32, "--set", "task=lora"], "--session has a plan already"),
        ([*SET, "--target", "a;b"], "target"),
        ([*SET, "--port", "99999"], "port"),
        ([*SET, "--data-dir", "relative"], "data_dir"),
        (["--set", "taks=lora"], 'there is no fact "taks"'),
    ],
)
def test_a_wrong_call_says_so_in_one_line_and_leaves_nothing(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kit", *arguments, "-o", str(tmp_path / "pack")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_an_archive_in_a_folder_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kit", *SET, "--zip", "-o", str(tmp_path / "no/pack.zip")]) == 2
    assert "cannot be written" in capsys.readouterr().err
