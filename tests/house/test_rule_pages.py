"""docs/rules says what the rules say, rule by rule."""

from __future__ import annotations

from pathlib import Path

from advisor.consult.rulebase import documents

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"


def test_the_pages_are_those_that_the_rules_give() -> None:
    written = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    found = documents()
    stale = sorted(name for name in written.keys() | found.keys() if written.get(name) != found.get(name))
    assert not stale, f"run `hkgpu rules docs`: {', '.join(stale)}"


def test_a_page_holds_the_rule_in_both_languages_with_its_sources_and_examples() -> None:
    page = documents()["sizing.md"]
    entry = page.partition("## sizing.links_bridge_of_two\n")[2].partition("\n## ")[0]
    assert entry.startswith("\nIf ")
    assert "\n如果" in entry
    assert "\nSources: " in entry
    assert "\nFires: " in entry
    assert "\nSilent: " in entry
