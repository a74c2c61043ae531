"""The overlay in the documents, used as it stands; wrong ones are refused with file, line and what was expected."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from advisor.consult import answer, rulebase
from advisor.core.errors import BadData
from advisor.knowledge.library import Library
from advisor.knowledge.locate import data_roots

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "overlay"
QUESTION = "full fine-tuning of 7B here, 2048 tokens?"
DAY = date(2026, 12, 1)


def test_the_example_passes_the_check() -> None:
    assert "all right" in rulebase.check(EXAMPLE)


def test_the_example_is_here_with_its_own_cards_prices_and_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKGPU_OVERLAY", str(EXAMPLE))
    for lang, says in (("en", "trial week"), ("zh", "试用一周")):
        found = answer.ask(QUESTION, lang=lang, day=DAY).json  # type: ignore[arg-type]
        assert ("Kowloon Harbour Compute" if lang == "en" else "九龙海港算力") in str(found["here"])
        plans = [found["recommended"], *found["options"]]
        assert {plan["gpu"] for plan in plans} <= {"RTX 4090", "L40S", "A100 80GB"}
        assert {plan["cost"]["currency"] for plan in plans if plan["cost"]} == {"HKD"}
        assert says in str(found["advice"])
    # The list's own figure: a server of eight A100 is 98,000 HKD a month.
    eight = [plan for plan in plans if plan["gpu"] == "A100 80GB" and plan["gpu_count"] == 8]
    assert all(plan["cost"]["likely"] == 98_000 for plan in eight)
    assert eight


def test_the_command_of_the_page_answers() -> None:
    code = "import sys; from bots.cli.main import run; sys.argv = ['hkgpu', 'ask', sys.argv[1]]; run()"
    found = subprocess.run(
        [sys.executable, "-c", code, QUESTION], capture_output=True, text=True, timeout=120,
        env={**os.environ, "HKGPU_OVERLAY": str(EXAMPLE)}, cwd=EXAMPLE.parents[2], check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "Kowloon Harbour Compute" in found.stdout


def spoiled(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the example with one thing wrong."""
    target = folder / "overlay"
    shutil.copytree(EXAMPLE, target)
    path = target / file
    if not path.exists():
        path.parent.mkdir(parents=True)
        shutil.copy(data_roots()[0] / file, path)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return target


CARD = "knowledge/gpus/a100_80gb_sxm.yaml"
OFFER = "knowledge/offers/harbour_compute/kwai_chung_2026_12.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "expected"),
    [
        (CARD, "power: {value: 400, unit: W", "power: {value: -400, unit: W", 21, "10 to 10000 W"),
        (CARD, "memory: {value: 80, unit: GB", "memory: {value: 80, unit: TB", 11, "2 to 1024 GB"),
        (CARD, "memory: {value: 80, unit: GB", "memory: {value: 80, unit: W", 11, "a figure in GB"),
        (OFFER, "price: 26000", "price: -26000", 13, "0 to 1e+10"),
        (OFFER, "gpu: l40s", "gpu: l40z", 14, "is no gpu"),
        ("knowledge/place.yaml", "offers: [harbour_compute.kwai_chung_2026_12]",
         "servers: [{gpu: l40s, gpu_count: 800}]", 5, "1 to 72"),
        ("rules/operations/harbour_trial_week.yaml", "at_least: 4", "at_least: 4 GB", 9, "4 GB is bytes"),
    ],
)  # fmt: skip
def test_a_wrong_overlay_is_refused_with_file_line_and_what_was_expected(
    tmp_path: Path, file: str, old: str, new: str, line: int, expected: str
) -> None:
    folder = spoiled(tmp_path, file, old, new)
    library = Library([*data_roots(), folder])
    with pytest.raises(BadData) as found:
        answer.rules(library)
    assert f"{Path(file).name}:{line}" in str(found.value)
    assert expected in str(found.value)


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_that_leads_out_of_the_overlay_is_refused(tmp_path: Path, folder: bool) -> None:
    target = tmp_path / "overlay"
    shutil.copytree(EXAMPLE, target)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text("id: secret\n", "utf-8")
    link = target / "knowledge" / "models" / ("more" if folder else "secret.yaml")
    link.parent.mkdir()
    link.symlink_to(outside if folder else outside / "secret.yaml")
    with pytest.raises(BadData, match="leads out of the folder"):
        _ = Library([*data_roots(), target]).version
