"""Heavier than a commit needs (`make deep`): the tools' own parsers, a real run, the set-up in a bare Debian root.

Each tool has an environment of its own in the user's cache (tests/pack/deep/venvs.py). The results stand, dated,
in docs/order_pack.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.consult.pack import kit, write
from advisor.knowledge.library import open_library
from advisor.knowledge.records.stacks import Keys
from tests.deploy.image import Stage, instructions
from tests.deploy.test_image import CERTIFICATES, RESOLVER, TRUSTED, _into, _local_sources, settings
from tests.pack.deep.venvs import HERE, probed, python_of
from tests.pack.plans import DAY, PLANS, TRAINING, made

pytestmark = pytest.mark.deep
# The tool's folder, the stack that reads it, and what tells whether a pack has it.
TOOLS = [
    ("hub", "hub", "accelerate/accelerate.yaml"),
    ("llama_factory", "llama_factory", "llama_factory/train.yaml"),
    ("ms_swift", "ms_swift", "ms_swift/train.yaml"),
    ("axolotl", "axolotl", "axolotl/train.yaml"),
    ("torchtune", "torchtune", "torchtune/train.yaml"),
]


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packs")
    for name in TRAINING:
        write(made(name), folder / name)
    return folder


@pytest.mark.parametrize(("probe", "stack", "file"), TOOLS)
def test_the_tools_own_parser_reads_every_plan_as_the_plan_is(probe: str, stack: str, file: str, packs: Path) -> None:
    names = [name for name in TRAINING if (packs / name / "training" / file).exists()]
    assert len(names) >= 9
    found = probed(stack, probe, *(str(packs / name / "training") for name in names))
    for name in names:
        seen, plan = found[str(packs / name / "training")], made(name).plan["recommended"]
        parts = [seen] if probe != "hub" else [seen[part] for part in ("trainer", "deepspeed") if part in seen]
        for part in parts:
            assert isinstance(part, dict)
            assert part["micro"] == plan["micro_batch"], name
            assert part["accumulation"] == int(PLANS[name].get("grad_accum", 1)), name
            assert part.get("length", plan["seq_len"]) == plan["seq_len"], name
        if probe == "hub":
            cards = plan["gpu_count"] * plan["nodes"]
            assert seen["accelerate"]["processes"] == cards, name  # type: ignore[index]
            split = {"none": "NO", "ddp": "MULTI_GPU", "fsdp": "FSDP"}.get(plan["sharding"], "DEEPSPEED")
            assert seen["accelerate"]["type"] == split, name  # type: ignore[index]


@pytest.mark.parametrize(("probe", "stack", "file"), TOOLS)
def test_the_keys_that_we_recorded_are_those_of_the_parser(probe: str, stack: str, file: str) -> None:
    for tool, keys in probed(stack, probe, "keys").items():
        record = open_library().compatibility[f"keys.{tool}"]
        assert isinstance(record, Keys)
        assert set(record.keys) == set(keys), tool


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    subprocess.run([python_of("hub"), "-W", "ignore", HERE / "tiny_model.py", folder], check=True)
    return folder


@pytest.mark.parametrize(
    ("split", "task"), [("ddp", "lora"), ("ddp", "full_ft"), ("fsdp", "full_ft"), ("zero2", "full_ft")]
)
def test_two_processes_train_ten_steps_with_the_generated_files(
    split: str, task: str, tiny: Path, tmp_path: Path
) -> None:
    plan = {"model": "Qwen2.5-1.5B", "task": task, "gpu_model": "A100 80GB", "gpu_count": "2", "sharding": split}
    write(kit({**plan, "seq_len": "512", "micro_batch": "2", "grad_accum": "2"}, day=DAY), tmp_path / "pack")
    here = tmp_path / "pack/training/accelerate"
    options = [
        "--cpu",
        "--steps",
        "10",
        "--model",
        tiny / "model",
        "--data",
        tiny / "data.jsonl",
        "--output",
        tmp_path / "out",
    ]
    path = f"{python_of('hub').parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [here / "run.sh", *options], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    state = json.loads((tmp_path / "out/checkpoint-10/trainer_state.json").read_text())
    # 64 lines, two processes, two lines a step each, two steps accumulated: 8 steps an epoch.
    assert (state["global_step"], state["train_batch_size"], round(state["epoch"], 2)) == (10, 2, 1.25)
    losses = [entry["loss"] for entry in state["log_history"] if "loss" in entry]
    assert losses
    # Guessing among 64 words costs ln 64 = 4.16; random weights stay near it, and nothing is NaN.
    assert all(3.0 < loss < 5.0 for loss in losses)
    assert list((tmp_path / "out").glob("*.safetensors"))


SSH = """#!/usr/bin/env bash
while [[ $1 == -* ]]; do case $1 in -p|-o|-l) shift 2 ;; *) shift ;; esac; done
shift
exec bash -c "$*"
"""


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A pack whose server is this machine, with data at its source and an rclone remote in a folder."""
    if shutil.which("rsync") is None or shutil.which("rclone") is None:
        pytest.skip("needs rsync and rclone")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").write_text(SSH)
    (tmp_path / "bin/ssh").chmod(0o755)
    (tmp_path / "from/a b").mkdir(parents=True)
    (tmp_path / "from/a b/data.bin").write_bytes(os.urandom(3_000_000))
    site = {"data_dir": f"{tmp_path}/there it's", "source_dir": f"{tmp_path}/from", "target": "203.0.113.7"}
    write(kit(PLANS["lora_one_card"], day=DAY, site={**site, "bucket": "store:runs/x"}), tmp_path / "pack")
    remote = {"RCLONE_CONFIG_STORE_TYPE": "alias", "RCLONE_CONFIG_STORE_REMOTE": str(tmp_path / "store")}
    return tmp_path, {**os.environ, **remote, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PAUSE": "0"}


def test_real_rsync_goes_on_with_half_a_file_and_takes_a_changed_one(moved: tuple[Path, dict[str, str]]) -> None:
    folder, environment = moved
    there, source = folder / "there it's/datasets/a b/data.bin", folder / "from/a b/data.bin"

    def push() -> None:
        done = subprocess.run(
            [folder / "pack/transfer/sync.sh", "push"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "every file is the same" in done.stdout
        assert there.read_bytes() == source.read_bytes()

    push()
    there.write_bytes(source.read_bytes()[:1_000_000])
    push()
    # As long as before, and other bytes: with --append rsync would pass over it.
    source.write_bytes(os.urandom(3_000_000))
    push()


def test_real_rclone_backs_a_save_up_and_restores_it(moved: tuple[Path, dict[str, str]]) -> None:
    folder, environment = moved
    saved = folder / "there it's/output/run/checkpoint-10/weights"
    saved.parent.mkdir(parents=True)
    saved.write_text("weights")
    os.utime(saved, (0, 0))
    script = folder / "pack/transfer/backup.sh"
    subprocess.run([script, "copy"], env=environment, check=True, capture_output=True)
    assert (folder / "store/runs/x/checkpoint-10/weights").read_text() == "weights"
    subprocess.run([script, "restore", folder / "back"], env=environment, check=True, capture_output=True)
    assert (folder / "back/checkpoint-10/weights").read_text() == "weights"
    again = subprocess.run([script, "restore", folder / "back"], env=environment, capture_output=True, check=False)
    assert again.returncode == 2


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare Debian 12 root that reaches packages as this machine does."""
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("needs root and debootstrap")
    base = tmp_path_factory.mktemp("debian") / "base"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(base)], check=True, capture_output=True)
    for path in (RESOLVER, *_local_sources()):
        _into(base, path, base / str(path).lstrip("/"))
    _into(base, CERTIFICATES, base / TRUSTED.lstrip("/"))
    return base


@pytest.fixture
def root(debian: Path, tmp_path: Path) -> Iterator[Stage]:
    """A copy of the root with the pack in /pack, and /proc and /dev as a machine has them."""
    stage = Stage(tmp_path / "root")
    subprocess.run(["cp", "-a", str(debian), str(stage.root)], check=True)
    write(made("lora_one_card"), stage.root / "pack")
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{name}", str(stage.root / name)], check=True)
    yield stage
    for name in ("proc", "dev"):
        subprocess.run(["umount", "-l", str(stage.root / name)], check=True)


def test_the_setup_script_makes_the_environment_in_a_bare_debian(root: Stage) -> None:
    extra = {**settings(), "TORCH_INDEX": "", "HOME": "/root"}
    done = root.run(["bash", "/pack/environment/setup.sh", "--no-driver"], extra=extra, timeout=1800)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert re.search(r"^torch 2\.13\.0\S* CUDA None cards 0$", done.stdout, re.MULTILINE)
    # Once more: what is there is kept.
    again = root.run(["bash", "/pack/environment/setup.sh", "--no-driver"], extra=extra, timeout=1800)
    assert again.returncode == 0, again.stderr[-4000:]
    health = root.run(["bash", "/pack/environment/health.sh"], extra={"VIRTUAL_ENV": "/opt/training/hub"})
    assert "no nvidia-smi: no card or no driver here" in health.stdout
    assert "torch 2.13.0" in health.stdout
    have = root.run(["/opt/training/hub/bin/python", "-c", "import accelerate, deepspeed, peft, transformers, trl"])
    assert have.returncode == 0, have.stderr


def test_the_dockerfiles_steps_run_in_a_bare_debian(root: Stage) -> None:
    context = root.root / "pack/environment"
    shell = ["/bin/sh", "-c"]
    arguments: dict[str, str] = {}
    for word, rest in instructions((context / "Dockerfile").read_text()):
        if word == "FROM":
            assert rest == "debian:bookworm-slim"
        elif word == "SHELL":
            shell = json.loads(rest)
        elif word == "ARG":
            # As `docker build --build-arg TORCH_INDEX=` says it.
            assert rest.startswith("TORCH_INDEX=https://")
            arguments["TORCH_INDEX"] = ""
        elif word == "ENV":
            pairs = dict(pair.split("=", 1) for pair in shlex.split(rest))
            root.env |= {name: value.replace("$PATH", root.env["PATH"]) for name, value in pairs.items()}
        elif word == "COPY":
            name, target = rest.split()
            (root.root / target.lstrip("/")).mkdir(parents=True, exist_ok=True)
            shutil.copy2(context / name, root.root / target.lstrip("/"))
        elif word == "RUN":
            done = root.run([*shell, rest], extra={**settings(), **arguments}, timeout=1800)
            assert done.returncode == 0, f"RUN {rest}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        else:
            assert word in ("WORKDIR", "CMD")
    done = root.run(["python", "-c", "import deepspeed, torch, transformers; print(torch.__version__)"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("2.13.0")
