"""An environment of its own for each tool, in the user's cache: the packages of its stack, with the CPU build of torch.

What only runs on a card is left out, and named here. Nothing is installed where torch would bring CUDA with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from platformdirs import user_cache_dir

from advisor.knowledge.library import open_library
from advisor.knowledge.records.stacks import Stack

HERE = Path(__file__).parent
BUILD = ("setuptools", "wheel", "ninja", "numpy")
# Axolotl's own list holds kernels for cards; its configuration schema needs these of it.
AXOLOTL = (
    "transformers==5.16.1", "accelerate==1.13.0", "peft==0.20.0", "trl==1.9.0", "datasets==4.8.4", "pydantic==2.12.5",
    "packaging==26.0", "huggingface_hub==1.17.0", "addict", "fire", "einops", "colorama", "numba", "wandb",
    "schedulefree==1.4.1", "art", "posthog", "python-dotenv", "mistral-common==1.11.5", "axolotl-contribs-lgpl==0.0.7",
    "axolotl-contribs-mit==0.0.6", "evaluate==0.4.1", "scipy", "langdetect", "immutabledict", "optimum==1.16.2",
)  # fmt: skip
# Their CUDA builds do not load beside the CPU build of torch.
UNLOADABLE = {"llama_factory": ("torchvision", "torchaudio")}
ALONE = {"axolotl": ("axolotl",), "torchtune": ("bitsandbytes",)}


def python_of(name: str) -> Path:
    """The interpreter of a stack's environment, made where it isn't there; its folder is named by what is in it."""
    stack = open_library().compatibility[f"stacks.{name}"]
    assert isinstance(stack, Stack)
    pins = [f"{package}=={version}" for package, version in stack.packages.items()]
    alone = [pin for pin in pins if pin.partition("==")[0] in ALONE.get(name, ())]
    together = [pin for pin in pins if pin not in alone] + list(AXOLOTL if name == "axolotl" else ())
    told = json.dumps([stack.torch, together, alone, stack.isolated, UNLOADABLE.get(name), sys.version_info[:2]])
    folder = Path(user_cache_dir("hkgpu")) / "deep" / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"
    python = folder / "bin/python"
    if (folder / "whole").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _has_cpu_build(stack.torch)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    _install(python, f"torch=={stack.torch}", *BUILD)
    rule = folder / "torch.txt"
    rule.write_text(f"torch=={stack.torch}\n")
    _install(python, "--constraint", str(rule), *together)
    if alone:
        _install(python, "--no-deps", *alone)
    if stack.isolated:
        _install(python, "--no-build-isolation", "--constraint", str(rule), *stack.isolated)
    if gone := UNLOADABLE.get(name):
        subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", *gone], check=True)
        stub = next((folder / "lib").glob("python*/site-packages")) / "torchaudio"
        stub.mkdir(exist_ok=True)
        (stub / "__init__.py").write_text('__version__ = "0"\n')
    (folder / "whole").touch()
    return python


def _has_cpu_build(version: str) -> None:
    """Raises where pip would take a build with CUDA: gigabytes that no test needs."""
    with_index = Path(user_cache_dir("hkgpu")) / "deep" / "torch"
    told = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(with_index),
        f"torch=={version}",
    ]
    subprocess.run(told, check=True)
    found = [path.name for path in with_index.glob(f"torch-{version}*")]
    assert any("+cpu" in name for name in found), f"pip takes {found}: set PIP_FIND_LINKS or an index with CPU builds"


def _install(python: Path, *words: str) -> None:
    command = [python, "-m", "pip", "install", "--quiet", *words]
    subprocess.run(command, check=True, env={**os.environ, "DS_BUILD_OPS": "0"})


def probed(name: str, probe: str, *arguments: str) -> dict[str, dict[str, object]]:
    """What a probe prints, run by the environment of a stack; a failure raises with its last lines."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    command = [python_of(name), "-W", "ignore", HERE / f"probe_{probe}.py", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return found
