"""The pack as a whole: the same bytes for the same plan, written whole or not at all, never over somebody's work."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from advisor.consult import judge
from advisor.consult.pack import kit, write
from advisor.consult.sessions import Sessions
from advisor.core.errors import BadInput
from advisor.pack.kit import MANIFEST
from tests.pack.plans import DAY, PLANS, TRAINING, made


def test_the_same_plan_and_day_give_the_same_bytes() -> None:
    first, second = (kit(PLANS["lora_ddp"], day=DAY) for _ in range(2))
    assert first.files == second.files
    assert first.zip() == second.zip()


def test_paths_are_sorted_and_stay_inside() -> None:
    for name in PLANS:
        paths = list(made(name).files)
        assert paths == sorted(paths)
        assert not [path for path in paths if path.startswith("/") or ".." in path]


def test_the_manifest_holds_the_hash_of_every_other_file() -> None:
    files = made("full_zero3").files
    lines = dict(reversed(line.split("  ")) for line in files[MANIFEST].decode().splitlines())
    assert lines == {path: hashlib.sha256(body).hexdigest() for path, body in files.items() if path != MANIFEST}


def test_the_archive_holds_the_same_files_and_scripts_may_be_run() -> None:
    pack = made("lora_ddp")
    with zipfile.ZipFile(io.BytesIO(pack.zip())) as archive:
        assert archive.testzip() is None
        read = {name: archive.read(name) for name in archive.namelist()}
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert read == {f"hkgpu-{pack.plan['plan']}/{path}": body for path, body in pack.files.items()}
    assert modes[f"hkgpu-{pack.plan['plan']}/environment/setup.sh"] == 0o755
    assert modes[f"hkgpu-{pack.plan['plan']}/README.md"] == 0o644


def test_a_pack_is_written_and_written_again_over_itself(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    write(made("lora_ddp"), folder)
    write(made("full_zero3"), folder)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == set(made("full_zero3").files)
    assert list(tmp_path.iterdir()) == [folder]
    assert (folder / "environment/setup.sh").stat().st_mode & 0o111
    subprocess.run(["sha256sum", "--quiet", "--check", MANIFEST], cwd=folder, check=True)


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    write(made("lora_ddp"), tmp_path)
    assert (tmp_path / "README.md").exists()


def test_a_folder_with_anything_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty and no earlier pack"):
        write(made("lora_ddp"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_pack_with_a_file_added_or_changed_is_refused(tmp_path: Path) -> None:
    write(made("lora_ddp"), tmp_path / "one")
    (tmp_path / "one/notes.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"holds notes\.txt"):
        write(made("lora_ddp"), tmp_path / "one")
    write(made("lora_ddp"), tmp_path / "two")
    (tmp_path / "two/environment/env.sh").write_text("export MINE=1\n")
    with pytest.raises(BadInput, match=r"environment/env\.sh was changed"):
        write(made("lora_ddp"), tmp_path / "two")
    assert (tmp_path / "two/environment/env.sh").read_text() == "export MINE=1\n"


def test_a_link_or_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        with pytest.raises(BadInput, match="is no folder"):
            write(made("lora_ddp"), tmp_path / name)
    assert not list((tmp_path / "there").iterdir())


def test_a_list_of_hashes_that_is_somebody_elses_does_not_make_a_pack(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("this is no list\n")
    with pytest.raises(BadInput, match="no earlier pack"):
        write(made("lora_ddp"), tmp_path)


def test_a_write_that_fails_leaves_the_earlier_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pack"
    write(made("lora_ddp"), folder)
    real = Path.write_bytes

    def full(self: Path, body: bytes) -> int:
        if self.name == "setup.sh":
            raise OSError(28, "No space left on device")
        return real(self, body)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(BadInput, match="No space left"):
        write(made("full_zero3"), folder)
    monkeypatch.undo()
    assert (folder / "plan.json").read_bytes() == made("lora_ddp").files["plan.json"]
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("name", [*TRAINING, "serve"])
def test_plan_json_is_an_order_that_judge_reads(name: str) -> None:
    text = made(name).files["plan.json"].decode()
    order = judge.read_order(text, "plan.json")
    assert order.card == json.loads(text)["recommended"]["gpu"]
    assert "gpu.count" in order.facts


def test_the_readme_says_the_verdict_first_and_names_every_file() -> None:
    for name in PLANS:
        pack = made(name)
        text = pack.files["README.md"].decode()
        assert text.splitlines()[2] == pack.plan["summary"]
        lacking = [path for path in pack.files if path not in (MANIFEST, "README.md") and f"]({path})" not in text]
        assert not lacking


def test_the_checklist_is_the_one_that_the_checklist_command_gives() -> None:
    from advisor.consult import answer

    reply = answer.advise(PLANS["lora_ddp"], day=DAY)
    assert made("lora_ddp").files["checklist.md"].decode() == answer.render_checklist(reply, "markdown")


def test_a_plan_that_only_works_changed_says_so_and_packs_the_change() -> None:
    pack = kit(
        {"model": "Llama-3.1-70B", "task": "qlora", "gpu_model": "RTX 4090", "gpu_count": "1", "seq_len": "2048"},
        day=DAY,
    )
    assert pack.plan["verdict"] == "no"
    assert "This pack is for the plan after this change:" in pack.files["README.md"].decode()
    assert pack.plan["recommended"]["verdict"] != "no"


def test_without_a_plan_there_is_no_pack() -> None:
    with pytest.raises(BadInput, match="there is no plan to pack"):
        kit({"user_location": "mainland"}, day=DAY)
    with pytest.raises(BadInput, match='there is no fact "modle"'):
        kit({"modle": "Qwen2.5-7B"}, day=DAY)


def test_a_conversation_has_the_same_pack_as_its_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HKGPU_DATABASE_URL", f"sqlite:///{tmp_path}/talk.db")
    sessions = Sessions.open()
    session = sessions.begin()
    sessions.say(session, "LoRA on Qwen2.5-7B with 8x A100 80GB, 2048 tokens", day=DAY)
    sessions.close()
    said = kit(None, session=session, day=DAY)
    facts = {"model": "Qwen2.5-7B", "task": "lora", "gpu_model": "A100 80GB", "gpu_count": "8", "seq_len": "2048"}
    stated = kit(facts, day=DAY)
    same = [path for path in stated.files if path.startswith(("training/", "environment/", "transfer/"))]
    assert same
    assert {path: said.files[path] for path in same} == {path: stated.files[path] for path in same}


@pytest.mark.parametrize("lang", ["zh", "zh-Hant"])
def test_a_pack_in_chinese_has_no_english_sentence_on_its_pages(lang: str) -> None:
    pack = kit(PLANS["lora_ddp"], day=DAY, lang=lang)  # type: ignore[arg-type]
    assert set(made("lora_ddp").files) <= set(pack.files)
    for page in ("README.md", "training/TOOLS.md", "transfer/plan.md", "monitoring.md"):
        text = pack.files[page].decode()
        english = {line for line in made("lora_ddp").files[page].decode().splitlines() if len(line.split()) > 6}
        # Commands and sources are the same in every language.
        kept = [
            line for line in text.splitlines() if line in english and not re.search(r"[`|]|--|nvidia-smi|^# ", line)
        ]
        assert not kept
    simplified = {"zh": "资料包", "zh-Hant": "資料包"}[lang]
    assert simplified in pack.files["README.md"].decode()
