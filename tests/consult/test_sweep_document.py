"""What docs/sweep.md shows is run as it stands there."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from advisor.consult import sweep
from bots.cli.main import main

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "sweep.md").read_text("utf-8")
GRIDS = dict(re.findall(r"`(\w+\.yaml)`:\n\n```yaml\n(.*?)```", TEXT, re.DOTALL))
COMMANDS = re.findall(r"```console\nhkgpu (.*?)\n```", TEXT)
PROGRAM = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def swept(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The rows of the example `name`, by the command that the document gives."""
    monkeypatch.chdir(folder)
    (folder / name).write_text(GRIDS[name], "utf-8")
    command = next(each for each in COMMANDS if name in each)
    assert main(command.split()) == 0
    with (folder / command.split()[-1]).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_vendor_of_the_document_learns_what_its_machines_carry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = swept("catalogue.yaml", tmp_path, monkeypatch)
    assert len(rows) == (3 * 3 * 3 + 2 * 2 * 2) * 4
    assert not any(row["error"] for row in rows)
    assert {row["verdict"] for row in rows} == {"fits", "tight", "oom"}
    # 70B in bf16 is 131 GiB of weights alone: never on one card of 24 GB.
    large = [row for row in rows if row["model"] == "Llama-3-70B" and row["sku"] == "S1" and row["weights"] == "bf16"]
    assert large
    assert all(row["verdict"] == "oom" for row in large)


def test_the_team_of_the_document_learns_what_each_quarter_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = swept("year.yaml", tmp_path, monkeypatch)
    assert [row["quarter"] for row in rows] == ["Q1"] * 8 + ["Q3"] * 4
    assert not any(row["error"] for row in rows)
    by = {(row["quarter"], row["task"], row["gpu_model"], row["gpu_count"]): row for row in rows}
    alone, eight = by["Q1", "lora", "A100 80GB", "1"], by["Q1", "lora", "A100 80GB", "8"]
    # Eight cards take a tenth to a seventh of the time of one: eight times the work an hour, or near it.
    assert 1 / 10 < float(eight["time_h"]) / float(alone["time_h"]) < 1 / 7
    assert (alone["verdict"], alone["plan_method"], alone["cost_period"]) == ("yes", "lora", "month")
    assert alone["rules"]
    assert all(float(row["low_gib"]) <= float(row["likely_gib"]) <= float(row["high_gib"]) for row in rows)


def test_the_program_of_the_document_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = PROGRAM
    exec(program, {})
    assert capsys.readouterr().out == "2 {'fits': 1, 'tight': 1} 0\n"


def test_the_document_names_every_column_that_comes_out() -> None:
    from advisor.consult import sweep_judged, sweep_memory

    assert [name for name in (*sweep_memory.RESULTS, *sweep_judged.RESULTS) if f"`{name}`" not in TEXT] == []
    assert set(sweep.PIECE) == {"memory", "judged"}
