"""What we ship for servers is well-formed by the tools that read it: hadolint, the Compose schema, systemd."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))


def test_hadolint_has_nothing_to_say_about_the_dockerfile() -> None:
    done = subprocess.run([BIN / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_compose_follows_the_compose_specification() -> None:
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", ROOT / "compose.yaml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_port_is_open_to_the_network_and_no_face_can_write_to_its_image() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    for name, service in services.items():
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), (name, port)
        if name != "database":
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]


def test_no_secret_stands_in_a_file_that_is_committed() -> None:
    for path in [ROOT / "compose.yaml", ROOT / "Dockerfile", *UNITS]:
        for line in path.read_text("utf-8").splitlines():
            typed = re.search(r"(PASSWORD|TOKEN|SECRET)\w*[=:]\s*\S", re.sub(r"\$\{[^}]*\}", "", line))
            assert not typed, f"{path.name}: {line}"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    # The program is looked for where the unit says; here it stands elsewhere.
    text = unit.read_text("utf-8").replace("/opt/hkgpu/bin/hkgpu", str(BIN / "hkgpu"))
    copy = tmp_path / unit.name
    copy.write_text(text, "utf-8")
    done = subprocess.run([analyze, "verify", "--man=no", copy], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if unit.name in line]
    assert done.returncode == 0, done.stderr
    assert not ours, ours
