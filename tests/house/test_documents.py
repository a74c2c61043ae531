"""What the documents claim: README's commands run, CONTRIBUTING's rule is a rule, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from advisor.consult import rulebase
from advisor.knowledge.locate import data_roots
from bots.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = [
    command
    for text in (README, (ROOT / "README.zh.md").read_text(encoding="utf-8"))
    for command in re.findall(r"^\.venv/bin/hkgpu (.+?)(?:\s+#.*)?$", text, re.MULTILINE)
]
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
# What the site builds while it is built.
GENERATED = {
    (ROOT / "docs" / name).resolve()
    for name in re.findall(r'^        "([a-z_/]+\.md)":', (ROOT / "docs/site/hook.py").read_text("utf-8"), re.MULTILINE)
}
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_the_readme_names_commands() -> None:
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out or list(tmp_path.iterdir())


@pytest.mark.parametrize("target", ["demo", "test", "lint", "types", "contracts", "rules", "bench", "accuracy"])
def test_a_make_target_that_the_documents_name_exists(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_to_a_file(page: Path) -> None:
    links = [(link, (page.parent / link).resolve()) for link in LINK.findall(page.read_text(encoding="utf-8"))]
    missing = [link for link, target in links if not target.exists() and target not in GENERATED]
    assert missing == []


def test_the_rule_in_contributing_is_a_rule_whose_examples_hold(tmp_path: Path) -> None:
    block = re.search(r"```yaml\n(.+?)```", CONTRIBUTING, re.DOTALL)
    assert block
    text = "\n".join(line.removeprefix("   ") for line in block[1].splitlines())
    path = tmp_path / "rules" / "storage" / "my_rule.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    (tmp_path / "knowledge").mkdir()
    rulebase.check(tmp_path)
    assert rulebase.examples(tmp_path).passed


def test_the_skeleton_of_a_new_rule_stands_where_its_id_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules").mkdir()
    monkeypatch.setenv("HKGPU_OVERLAY", str(tmp_path))
    assert data_roots()[-1] == tmp_path
    path = rulebase.new("storage.my_own")
    assert path == tmp_path / "rules" / "storage" / "my_own.yaml"
    assert "id: storage.my_own" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [[], ["ask"], ["advise"], ["checklist"], ["facts"], ["rules"], ["rules", "check"]])
def test_every_command_has_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out
