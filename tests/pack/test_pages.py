"""The pages of the pack: advice is a rule's, figures are an estimator's, and a command does what it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from advisor.consult.pack import kit
from advisor.knowledge.library import open_library
from tests.pack.plans import DAY, PLANS, made

LIBRARY = open_library()
PLAN = {**PLANS["lora_one_card"], "dataset_gb": "50", "bandwidth_mbps": "100"}


def rule_patterns() -> list[re.Pattern[str]]:
    """Every sentence that a rule may say, with anything where a figure stands."""
    found = []
    for record in LIBRARY.rules.values():
        advice, risk = (dict(record.then).get(kind) or {} for kind in ("advise", "risk"))
        for text in (advice.get("say"), risk.get("say"), risk.get("mitigation")):
            if text is not None:
                parts = re.split(r"\{[a-z0-9_.]+\}", text["en"])
                found.append(re.compile(".+?".join(map(re.escape, parts))))
    return found


def section(page: str, title: str) -> list[str]:
    lines = page.splitlines()
    start = lines.index(f"## {title}")
    end = next((place for place in range(start + 1, len(lines)) if lines[place].startswith("## ")), len(lines))
    return [line for line in lines[start + 1 : end] if line.startswith("- ")]


@pytest.mark.parametrize("name", ["lora_ddp", "full_zero3", "serve", "two_servers"])
def test_what_to_do_when_something_looks_wrong_is_said_by_rules_alone(name: str) -> None:
    said = section(made(name).files["monitoring.md"].decode(), "When something looks wrong")
    patterns = rule_patterns()
    assert len(said) >= 10
    odd = [line for line in said if not any(pattern.fullmatch(line[2:]) for pattern in patterns)]
    assert not odd


def test_low_utilisation_has_the_cure_for_what_the_cards_wait_for() -> None:
    page = made("lora_ddp").files["monitoring.md"].decode()
    for symptom, cure in (
        ("Utilisation low, the training disk waits", "pack small files into shards"),
        ("Utilisation low, processors busy", "set 2 to 8 workers per card"),
        ("Utilisation low, cards wait for each other", "check topology and all_reduce"),
        ("Utilisation drops whenever it saves", "save asynchronously"),
    ):
        part = page.split(f"### {symptom}\n", 1)[1].split("\n### ", 1)[0]
        assert cure in part, symptom


def test_sockets_between_servers_are_a_symptom_of_several_servers_only() -> None:
    assert "NET/Socket" in made("two_servers").files["monitoring.md"].decode()
    assert "NET/Socket" not in made("lora_ddp").files["monitoring.md"].decode()


def test_the_limits_are_the_heuristics_with_their_sources() -> None:
    page = made("lora_ddp").files["monitoring.md"].decode()
    alarm = LIBRARY.heuristic_record("operations.gpu_util_alarm")
    assert f"| {alarm.meaning.en} | 80 % | {LIBRARY.source(alarm.accepted.source).title}" in page


def test_an_interval_that_was_stated_is_the_interval_of_the_files() -> None:
    plan = {**PLANS["full_zero3"], "checkpoint.interval": "30 min"}
    page = kit(plan, day=DAY).files["monitoring.md"].decode()
    assert "Save every 30 min at the most" in page


def test_steps_between_saves_that_were_stated_stand_in_every_tool() -> None:
    files = kit({**PLANS["full_zero3"], "save_steps": "250"}, day=DAY).files
    assert '"save_steps": 250' in files["training/accelerate/arguments.json"].decode()
    for tool in ("llama_factory", "ms_swift", "axolotl"):
        assert "save_steps: 250\n" in files[f"training/{tool}/train.yaml"].decode()


def test_hours_of_the_transfer_are_the_estimators() -> None:
    # 50 GB x 8 bits / (100 Mbps x 0.8) = 5,000 s = 1.39 h: the line's efficiency is a heuristic of 0.8.
    assert LIBRARY.heuristic("transfer.line_efficiency").value == 0.8
    page = kit(PLAN, day=DAY).files["transfer/plan.md"].decode()
    assert "| data | 50 GB | `sync.sh push` | 1.39 h (" in page


def test_without_a_line_there_are_no_hours() -> None:
    page = made("lora_one_card").files["transfer/plan.md"].decode()
    assert "| data | not known | `sync.sh push` | not known |" in page
    assert "The line is not known" in page


def test_the_weights_to_download_are_those_of_the_model() -> None:
    # 7.615617 Gparams at two bytes are 15.2 GB.
    assert "| model weights | 15.2 GB |" in made("lora_one_card").files["transfer/plan.md"].decode()


FAKE_SSH = """#!/usr/bin/env bash
# Runs the command here, as if this were the server.
while [[ $1 == -* ]]; do case $1 in -p|-o|-l) shift 2 ;; *) shift ;; esac; done
shift
exec bash -c "$*"
"""
# Knows of rsync what sync.sh uses; breaks off at the first call.
FAKE_RSYNC = """#!/usr/bin/env bash
count=$(cat "$STATE" 2>/dev/null || echo 0); echo $((count + 1)) > "$STATE"
from=${@: -2:1} to=${@: -1}
(( count > 0 )) || exit 12
mkdir -p "${to#*:}"; cp -a "${from#*:}." "${to#*:}"
"""


def synced(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    there, source, tools = tmp_path / "there it's", tmp_path / "from here", tmp_path / "bin"
    for folder in (source, tools):
        folder.mkdir(exist_ok=True)
    (source / "a b.txt").write_text("data")
    for name, body in (("ssh", FAKE_SSH), ("rsync", FAKE_RSYNC)):
        (tools / name).write_text(body)
        (tools / name).chmod(0o755)
    site = {"data_dir": str(there), "source_dir": str(source), "target": "203.0.113.7"}
    script = tmp_path / "sync.sh"
    script.write_bytes(kit(PLANS["lora_one_card"], day=DAY, site=site).files["transfer/sync.sh"])
    script.chmod(0o755)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "PAUSE": "0", "STATE": str(tmp_path / "state")}
    return subprocess.run([script, *args], env=environment, capture_output=True, text=True, check=False)


def test_a_copy_that_breaks_off_goes_on_and_is_compared_there(tmp_path: Path) -> None:
    found = synced(tmp_path, "push")
    assert found.returncode == 0, found.stderr
    assert "broken off (try 1)" in found.stderr
    assert "every file is the same" in found.stdout
    assert (tmp_path / "there it's/datasets/a b.txt").read_text() == "data"


def test_a_file_that_changed_on_the_way_fails_the_comparison(tmp_path: Path) -> None:
    assert synced(tmp_path, "push").returncode == 0
    (tmp_path / "there it's/datasets/a b.txt").write_text("dat4")
    found = synced(tmp_path, "check")
    assert found.returncode == 1
    assert "every file is the same" not in found.stdout


def test_sync_refuses_another_word(tmp_path: Path) -> None:
    found = synced(tmp_path, "delete")
    assert found.returncode == 2
    assert "usage" in found.stderr


def test_a_model_that_is_a_folder_is_not_downloaded(tmp_path: Path) -> None:
    script = tmp_path / "fetch.sh"
    script.write_bytes(
        kit(PLANS["lora_one_card"], day=DAY, site={"model": str(tmp_path)}).files["transfer/fetch_model.sh"]
    )
    found = subprocess.run(["bash", script], capture_output=True, text=True, check=False)
    assert found.returncode == 0
    assert "the model is a folder here" in found.stdout
