"""The scripts of an acceptance: quoted, bounded, clean after themselves, and judged by the same command."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
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
    done = run(tmp_path, "office.sh", HKGPU_PROBES="2", HKGPU_SECONDS="1", HKGPU_TRIES="3")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name.replace("off-peak", "peak") for path in (tmp_path / "results").glob("*port_1.txt"))
    assert names == ["office_telecom_peak_port_1.txt", "office_telecom_peak_tries_port_1.txt"]
    judged = {file.tool: file.judgement for file in desk.judge([tmp_path / "results"]).files if "port_1" in file.file}
    assert judged == {"test-netconnection": "fail", "tries": "fail"}


def test_a_service_that_answers_is_tried_as_often_as_planned(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        port = server.getsockname()[1]
        write(tmp_path, Site(target="127.0.0.1", carrier="unicom", ports=(port,)))
        done = run(tmp_path, "office.sh", HKGPU_PROBES="2", HKGPU_SECONDS="1", HKGPU_TRIES="25")
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "results").glob(f"*tries_port_{port}.txt")
    (file,) = desk.judge([path]).files
    assert (file.judgement, file.values["tries"], file.values["failed"]) == ("pass", 25, 0)


def _accept(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.accept()[0].close()


def test_a_carrier_that_is_no_name_is_refused_by_the_script_too(tmp_path: Path) -> None:
    write(tmp_path)
    assert run(tmp_path, "office.sh", HKGPU_CARRIER="a/../b").returncode == 2
    assert run(tmp_path, "server.sh", HKGPU_CARRIER="$(id)").returncode == 2


def test_the_manifest_names_host_zone_versions_and_exit_codes(tmp_path: Path) -> None:
    write(tmp_path)
    run(tmp_path, "source.sh", HKGPU_PROBES="2", HKGPU_SECONDS="1", HKGPU_TRIES="1")
    manifest = (tmp_path / "results" / "manifest.tsv").read_text("utf-8")
    noted = dict(line.split("\t", 1) for line in manifest.splitlines())
    assert {"host", "system", "zone", "window", "target", "carrier", "begun", "ended"} <= noted.keys()
    assert "bash" in noted["tool bash"]
    assert any(value.startswith("exit ") or "not installed" in value for value in noted.values())


def test_the_way_back_is_traced_where_the_office_is_named() -> None:
    found = scripts(Site(target="203.0.113.9", office="198.51.100.7"), open_library())["server.sh"]
    assert "OFFICE=198.51.100.7" in found
    assert '"$(back mtr)"' in found
    with pytest.raises(BadInput):
        scripts(Site(target="203.0.113.9", office="a b"), open_library())


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
