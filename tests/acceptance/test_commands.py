"""The scripts of an acceptance: quoted, bounded, clean after themselves, and judged by the same command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from advisor.acceptance.commands import Site, scripts
from advisor.consult import judge as desk
from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library

SITE = Site(target="127.0.0.1", carrier="telecom", ports=(1, 22), data_dir="/tmp")


def write(folder: Path, site: Site = SITE) -> Path:
    for name, text in scripts(site, open_library()).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, name: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", name, "results"],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_there_is_a_script_for_each_place_and_none_has_an_open_placeholder() -> None:
    found = scripts(SITE, open_library())
    assert set(found) == {"server.sh", "office.sh", "source.sh", "office.ps1"}
    for text in found.values():
        assert "@TARGET" not in text
        assert "@P" not in text


@pytest.mark.parametrize("name", ["server.sh", "office.sh", "source.sh"])
def test_the_shell_finds_no_fault_with_them(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    assert subprocess.run(["bash", "-n", name], cwd=tmp_path, check=False).returncode == 0
    # shellcheck comes with the dev group and lies beside the interpreter.
    checker = shutil.which("shellcheck", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert checker, "install the dev group"
    checked = subprocess.run([checker, name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", "203.0.113.9; rm -rf /"),
        ("target", "-oProxyCommand=x"),
        ("target", "$(id)"),
        ("target", ""),
        ("data_dir", "relative/path"),
        ("data_dir", "/data/../etc"),
        ("data_dir", "/data/$(id)"),
        ("carrier", "a b"),
        ("page", "file:///etc/passwd"),
        ("page", "https://example.com/'"),
        ("repository", "ext::sh -c id"),
        ("ports", (0,)),
        ("ports", (70000,)),
    ],
)
def test_a_value_that_means_something_to_a_shell_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadInput):
        scripts(Site(**{"target": "203.0.113.9", field: value}), open_library())  # type: ignore[arg-type]


def test_the_server_script_runs_without_root_or_cards_and_packs_what_it_found(tmp_path: Path) -> None:
    write(tmp_path, Site(target="127.0.0.1", data_dir=str(tmp_path)))
    done = run(tmp_path, "server.sh", HKGPU_FIO_SECONDS="1", HKGPU_FIO_GIB="1", HKGPU_BURN_SECONDS="1")
    assert done.returncode == 0, done.stderr
    manifest = (tmp_path / "results" / "manifest.tsv").read_text("utf-8")
    assert "place\tserver" in manifest
    assert "window\t" in manifest
    with tarfile.open(tmp_path / "results.tar.gz") as archive:
        assert "results/manifest.tsv" in archive.getnames()
    assert not list(tmp_path.glob("hkgpu-fio-*"))
    assert all(file.judgement != "pass" or file.tool for file in desk.judge([tmp_path / "results"]).files)


def test_the_route_script_names_place_carrier_direction_and_window(tmp_path: Path) -> None:
    write(tmp_path)
    done = run(tmp_path, "office.sh", HKGPU_PROBES="2", HKGPU_SECONDS="1")
    assert done.returncode == 0, done.stderr
    names = [path.name for path in (tmp_path / "results").glob("*port_1.txt")]
    assert names in (["office_telecom_peak_port_1.txt"], ["office_telecom_off-peak_port_1.txt"])
    (closed,) = desk.judge([tmp_path / "results" / names[0]]).files
    assert (closed.tool, closed.judgement) == ("test-netconnection", "fail")


def test_a_folder_that_is_already_there_is_not_written_over(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "results").mkdir()
    assert run(tmp_path, "office.sh").returncode == 2


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bots.cli.main import main

    assert main(["judge", "--commands", str(tmp_path / "kit"), "--target", "203.0.113.9", "--port", "22"]) == 0
    assert "server.sh" in capsys.readouterr().out
    assert (tmp_path / "kit" / "office.ps1").read_bytes().startswith(b"\xef\xbb\xbf")
    assert main(["judge", "--commands", str(tmp_path / "kit"), "--target", "a b"]) == 2
