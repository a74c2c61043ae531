"""docs/acceptance.md: its commands are run on the outputs that it names, and what it shows is what comes out."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from bots.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
TEXT = (ROOT / "docs" / "acceptance.md").read_text("utf-8")
DELIVERY = TEXT.partition("## A worked delivery")[2].partition("\n## ")[0]


def block(kind: str, text: str = DELIVERY) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def test_the_worked_delivery_is_what_the_commands_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    rows = re.findall(r"^\| `([\w.-]+)` \| `([\w.-]+)` \|$", DELIVERY, re.MULTILINE)
    assert len(rows) > 10
    for name, fixture in rows:
        shutil.copy(FIXTURES / fixture, tmp_path / "results" / name)
    (tmp_path / "signed.yaml").write_text(block("yaml")[0], "utf-8")
    for line in (line for one in block("sh") for line in one.strip().splitlines()):
        command, _, target = line.partition(" > ")
        code = main(shlex.split(command)[1:])
        said = capsys.readouterr().out
        assert code == (1 if " results " in line else 0)
        if target:
            Path(target).write_text(said, "utf-8")
    kit = {path.name for path in (tmp_path / "kit").iterdir()}
    assert {"server.sh", "office.sh", "source.sh", "office.ps1", "form.md", "order.yaml"} == kit
    assert block("text")[0].strip().splitlines() == said.splitlines()[: len(block("text")[0].strip().splitlines())]


def test_the_order_of_the_document_is_read_and_so_are_its_two_forms() -> None:
    from advisor.acceptance.order import EXTRAS
    from advisor.consult import judge as desk

    (order,) = block("yaml", TEXT.partition("## An order")[2].partition("\n## ")[0])
    assert set(desk.read_order(order, "order.yaml").extras) == set(EXTRAS)
    part = TEXT.partition("## The form")[2].partition("\n## ")[0]
    (line,) = re.findall(r"`(acceptance\.\w+: \{.*?\})`", part)
    for form in (block("text", part)[0], line):
        (item,) = desk.judge_text(form).items
        assert (item.item, item.judgement) == ("acceptance.contract_trial", "pass")


def test_every_tool_named_as_compared_is_one_that_is_read() -> None:
    assert all(name in TEXT for name in ("rocm-smi", "npu-smi", "ibstat", "office.ps1"))
    assert "@" not in re.sub(r"`[^`]*`", "", TEXT)
