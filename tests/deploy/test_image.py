"""Every step of the Dockerfile runs in a bare Debian root, and what it makes answers as a user without rights.

What needs Docker's daemon stays unrun: pulling the base image, HEALTHCHECK by the daemon, and the read-only mount; the
health check's own command and a root without write bits stand in for the last two.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.image import CHROOT, Stage, build, instructions

ROOT = Path(__file__).resolve().parents[2]
RESOLVER = Path("/etc/resolv.conf")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# Installing ca-certificates in the image rewrites the usual file; the machine's own authorities stand beside it.
TRUSTED = "/etc/machine.crt"
pytestmark = pytest.mark.deep


def settings() -> dict[str, str]:
    """How this machine reaches packages, for the steps that install them."""
    kept = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or key.lower().endswith("_proxy")}
    return {**kept, "PIP_CERT": TRUSTED}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("needs root and debootstrap")
    work = tmp_path_factory.mktemp("image")
    base = work / "base"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(base)], check=True, capture_output=True)
    for path in (RESOLVER, *_local_sources()):
        _into(base, path, base / str(path).lstrip("/"))
    _into(base, CERTIFICATES, base / TRUSTED.lstrip("/"))
    stage = build(ROOT / "Dockerfile", ROOT, base, work, settings())
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{name}", str(stage.root / name)], check=True)
    yield stage
    for name in ("proc", "dev"):
        subprocess.run(["umount", "-l", str(stage.root / name)], check=True)


def _local_sources() -> list[Path]:
    """The folders and files that this machine's pip is told to use, by its own word."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found = {Path(word) for word in re.split(r"[\s'=]+|file://", told) if word.startswith("/")}
    return sorted(found | {Path("/etc/pip.conf")} - {CERTIFICATES})


def _into(base: Path, path: Path, target: Path) -> None:
    """Copy what this machine has of its settings into the root, where it has it."""
    if path.is_dir():
        shutil.copytree(path, target, dirs_exist_ok=True)
    elif path.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def test_the_image_answers_as_a_user_without_rights(image: Stage) -> None:
    assert image.user == "10001:10001"
    done = image.run(["hkgpu", "ask", "full fine-tuning of 70B on one A100 80GB", "--format", "json"])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "no"


def test_nothing_is_written_outside_of_data_and_tmp(image: Stage) -> None:
    began = time.time()
    image.run(["hkgpu", "ask", "can I fine-tune 70B here?"])
    touched = []
    for folder, folders, files in os.walk(image.root):
        if Path(folder) == image.root:
            folders[:] = [name for name in folders if name not in ("data", "tmp", "proc", "dev", "sys")]
        paths = (Path(folder) / name for name in files)
        touched += [path for path in paths if path.lstat().st_ctime > began]
    assert not touched


def test_the_page_is_healthy_by_the_images_own_check(image: Stage) -> None:
    told = instructions((ROOT / "Dockerfile").read_text("utf-8"))
    check = ast.literal_eval(dict(told)["HEALTHCHECK"].partition("CMD ")[2])
    command = ast.literal_eval(image.told["ENTRYPOINT"]) + ast.literal_eval(image.told["CMD"])
    chroot = [
        CHROOT,
        f"--userspec={image.user}",
        str(image.root),
        "/bin/sh",
        "-c",
        "cd /data && exec " + " ".join(command),
    ]
    with subprocess.Popen(chroot, env=image.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as page:
        try:
            deadline = time.monotonic() + 60
            while (done := image.run(check)).returncode and time.monotonic() < deadline:
                time.sleep(1)
            assert done.returncode == 0, done.stderr
        finally:
            page.terminate()
