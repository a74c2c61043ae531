"""The check of everything: one run names each problem with file and line, and finds no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.errors import BadData
from advisor.knowledge.library import Library

SOURCE = "id: bench\ntitle: A bench\ndate: 2026\nchecked: 2026-11-30\nkind: measurement\n"
HEURISTIC = """id: memory.context
meaning: {en: Memory of the context, zh: 上下文占用的显存}
unit: GiB
scope: one process
use: measured
spread: [0.3, 1.0]
chosen_because: it was measured
values:
  - {key: measured, value: 0.5, status: accepted, from: bench, recorded: 2026-11-30}
"""
RULE = """id: sizing.margin
status: trial
since: 2026-11-30
because: [bench]
when:
  all:
    - {fact: memory.margin, lt: {heuristic: memory.context}}
then:
  advise:
    level: warning
    say: {en: "only {memory.margin}", zh: "只剩 {memory.margin}"}
"""
FACT = "id: memory.margin\nkind: quantity\nunit: GiB\nset_by: plan\nname: {en: margin, zh: 余量}\n"
GOOD = {
    "knowledge/sources/bench.yaml": SOURCE,
    "knowledge/heuristics/memory/context.yaml": HEURISTIC,
    "rules/sizing/margin.yaml": RULE,
    "rules/facts/memory/margin.yaml": FACT,
}


def problems(root: Path, **changed: str) -> list[str]:
    for name, text in {**GOOD, **{key.replace("__", "/") + ".yaml": text for key, text in changed.items()}}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [str(bad).removeprefix(f"{root}/") for bad in Library([root]).check_all()]


def test_good_data_has_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[bench]", "[bensh]", 'rules/sizing/margin.yaml:4: "bensh" is no source and no claim; did you mean "bench"?'),
        (
            "fact: memory.margin",
            "fact: memory.margn",
            'rules/sizing/margin.yaml:7: "memory.margn" is no fact; did you mean "memory.margin"?',
        ),
        (
            "heuristic: memory.context",
            "heuristic: memory.contest",
            'rules/sizing/margin.yaml:7: "memory.contest" is no heuristic; did you mean "memory.context"?',
        ),
        (', zh: "只剩 {memory.margin}"', "", "rules/sizing/margin.yaml:11: the text lacks zh; expected both en and zh"),
        (
            "只剩 {memory.margin}",
            "只剩不多",
            "rules/sizing/margin.yaml:11: the languages have different placeholders; use the same in each",
        ),
    ],
)
def test_what_a_rule_points_to_exists_and_its_texts_are_whole(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert problems(tmp_path, rules__sizing__margin=RULE.replace(old, new)) == [said]


def test_the_source_of_a_value_exists(tmp_path: Path) -> None:
    changed = HEURISTIC.replace("from: bench", "from: benches")
    assert problems(tmp_path, knowledge__heuristics__memory__context=changed) == [
        'knowledge/heuristics/memory/context.yaml:9: "benches" is no source; did you mean "bench"?'
    ]


def test_all_problems_of_all_files_come_in_one_run(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        knowledge__sources__bench=SOURCE.replace("title: A bench\n", "titel: A bench\n"),
        rules__facts__memory__margin=FACT.replace("memory.margin", "memory.margins"),
    )
    assert [line.split(";")[0] for line in found] == [
        "knowledge/sources/bench.yaml:1: the key `title` is missing",
        "knowledge/sources/bench.yaml:2: unknown key `titel`",
        "rules/facts/memory/margin.yaml:1: the id is 'memory.margins'",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("knowledge/gpu/x.yaml", r'stands in no known folder of knowledge/ \(gpu\).*did you mean "gpus"'),
        ("knowledge/loose.yaml", "stands in no known folder of knowledge/"),
        ("knowledge/gpus/x.yml", "is no .yaml file"),
        ("knowledge/gpus/A100.yaml", 'the path gives the id "A100"'),
        ("knowledge/heuristics/memory.context.yaml", 'the id "memory.context" stands in two files'),
        ("rules/loose.yaml", "stands in no folder of rules/"),
    ],
)
def test_a_file_in_the_wrong_place_is_refused_not_passed_over(tmp_path: Path, name: str, said: str) -> None:
    problems(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("id: x\n")
    with pytest.raises(BadData, match=said):
        list(Library([tmp_path]).gpus)


def test_an_item_and_a_rule_may_both_stand_under_acceptance(tmp_path: Path) -> None:
    problems(tmp_path)
    folder = tmp_path / "rules" / "acceptance"
    folder.mkdir()
    (folder / "soak.yaml").write_text("kind: item\nid: acceptance.soak\n")
    (folder / "ask.yaml").write_text("id: acceptance.ask\n")
    library = Library([tmp_path])
    assert list(library.items) == ["acceptance.soak"]
    assert "acceptance.ask" in library.rules
