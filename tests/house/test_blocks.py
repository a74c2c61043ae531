"""No command stands in the documents that nobody runs: a page's blocks are run here or by the test that is named.

What cannot be run on a machine like this one stands in `UNRUN`, line by line, with the reason.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
from pathlib import Path

import openpyxl
import pytest
import yaml

from bots.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {*(ROOT / "docs/rules").rglob("*.md")})
BLOCK = re.compile(r"^ *```(sh|console|bash|python|py|json|yaml)\n(.+?)^ *```", re.DOTALL | re.MULTILINE)
# Which test runs the blocks of a page; it reads the page itself, so that page and test cannot drift apart.
RUN_BY = {
    "CONTRIBUTING.md": "tests/house/test_documents.py",
    "README.md": "tests/house/test_documents.py",
    "README.zh.md": "tests/house/test_documents.py",
    "docs/acceptance.md": "tests/acceptance/test_document.py",
    "docs/deploy.md": "tests/house/test_blocks.py",
    "docs/library.md": "tests/consult/test_notebook.py",
    "docs/mcp.md": "tests/mcp/test_mcp.py",
    "docs/order_pack.md": "tests/pack/test_command.py",
    "docs/overlay.md": "tests/house/test_blocks.py",
    "docs/quote.md": "tests/house/test_blocks.py",
    "docs/slack.md": "tests/house/test_blocks.py",
    "docs/sweep.md": "tests/consult/test_sweep_document.py",
    "docs/tutorial.md": "tests/house/test_tutorial.py",
    "docs/tutorial.zh.md": "tests/house/test_tutorial.py",
    "docs/web.md": "tests/web/test_server.py",
    "docs/your_own_data.md": "tests/house/test_blocks.py",
}
# Beginnings of lines that no test runs as they stand, and why.
UNRUN = {
    "make demo": "what CI runs as a whole; the set-up itself",
    "make test": "this run",
    "CPPFLAGS=": "tests/deploy/test_image.py runs the same installation in a bare root",
    "pip install .": "tests/deploy/test_image.py runs the same installation in a bare root",
    "printf 'HKGPU_DATABASE_PASSWORD": "needs Docker's daemon",
    "docker compose": "needs Docker's daemon; the file is held against the Compose specification",
    "useradd": "changes the machine; the image makes the same user",
    "python3 -m venv /opt/hkgpu": "tests/deploy/test_image.py makes the same environment",
    "/opt/hkgpu/bin/pip": "tests/deploy/test_image.py runs the same installation in a bare root",
    "cp deploy/systemd": "changes the machine; the units are held against systemd-analyze",
    "systemctl": "needs a running systemd",
    "export SLACK_": "tests/slack starts the bot with each of these settings",
    "hkgpu slack": "tests/slack starts both ways of listening",
    "claude mcp add": "another maker's program; its configuration is read by the test",
}


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page: kind and text."""
    return BLOCK.findall((ROOT / page).read_text("utf-8"))


def commands(page: str) -> list[str]:
    """The shell lines of a page, continued lines joined, without what stands in `UNRUN`."""
    lines = [
        line.strip()
        for kind, text in blocks(page)
        if kind in ("sh", "console", "bash")
        for line in text.replace("\\\n", " ").splitlines()
    ]
    return [line for line in lines if line and not line.startswith(tuple(UNRUN))]


def test_every_page_with_blocks_names_the_test_that_runs_them() -> None:
    with_blocks = {str(page.relative_to(ROOT)) for page in PAGES if BLOCK.search(page.read_text("utf-8"))}
    assert with_blocks == set(RUN_BY)


@pytest.mark.parametrize(("page", "test"), sorted(RUN_BY.items()))
def test_the_test_that_is_named_reads_its_page(page: str, test: str) -> None:
    assert Path(page).name in (ROOT / test).read_text("utf-8")


def test_what_no_test_runs_stands_in_a_page() -> None:
    told = "\n".join(text for page in RUN_BY for _, text in blocks(page))
    assert [beginning for beginning in UNRUN if beginning not in told] == []


def test_pages_whose_lines_are_run_elsewhere_hold_no_other_commands() -> None:
    assert commands("docs/slack.md") == []
    assert commands("docs/mcp.md") == []
    assert [line for line in commands("README.md") if not line.startswith(".venv/bin/hkgpu ")] == []
    assert [line for line in commands("README.zh.md") if not line.startswith(".venv/bin/hkgpu ")] == []


def test_the_overlay_of_the_document_is_checked_and_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    check, ask = commands("docs/overlay.md")
    assert main(shlex.split(check)[1:]) == 0
    setting, *words = shlex.split(ask)
    monkeypatch.setenv(*setting.split("=", 1))
    capsys.readouterr()
    assert main(words[1:]) == 0
    told = capsys.readouterr().out
    for said in ("Kowloon Harbour Compute", "HKD", "trial week"):
        assert said in told


ANSWERED = {"card": "A100 80GB PCIe", "gpu_count": "2", "ram": "512 GB", "price": "USD 3,000"}


def filled_in(sheet: Path, into: Path) -> None:
    """The sheet as a vendor sends it back."""
    book = openpyxl.load_workbook(sheet)
    rows = book.worksheets[0]
    place = [cell.value for cell in rows[1]].index("Vendor 1") + 1
    for row in range(2, rows.max_row + 1):
        rows.cell(row, place).value = ANSWERED.get(rows.cell(row, 1).value)
    book.save(into)


def test_the_offers_of_the_document_are_read_in_each_of_the_three_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sample = ROOT / "docs/examples/tutorial/offer_b.txt"
    shutil.copy2(sample, "offer.txt")
    assert main(["kit", "--input", str(ROOT / "docs/examples/tutorial/job.yaml"), "-o", "pack"]) == 0
    filled_in(Path("pack/comparison.xlsx"), Path("sheet.xlsx"))
    shutil.copy2("pack/plan.json", "plan.json")
    lines = commands("docs/quote.md")
    assert len(lines) == 3
    for line in lines:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sample.read_bytes()), "utf-8"))
        capsys.readouterr()
        assert main(shlex.split(line, comments=True)[1:]) in (0, 1), (line, capsys.readouterr().err)
        assert capsys.readouterr().out, line


def test_the_backup_of_the_document_is_made_and_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    keep, bring_back = commands("docs/deploy.md")
    monkeypatch.setenv("HKGPU_DATABASE_URL", f"sqlite:///{tmp_path / 'old.sqlite3'}")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"can I fine-tune 70B here?\n")))
    assert main(["chat", "--format", "json"]) == 0
    assert main(shlex.split(keep, comments=True)[1:]) == 0
    monkeypatch.setenv("HKGPU_DATABASE_URL", f"sqlite:///{tmp_path / 'new.sqlite3'}")
    assert main(shlex.split(bring_back, comments=True)[1:]) == 0
    assert main(shlex.split(bring_back, comments=True)[1:]) == 2  # a second time it is no longer empty


def test_the_place_of_the_document_is_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((_, text),) = blocks("docs/your_own_data.md")
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "rules").mkdir()
    (tmp_path / "knowledge/place.yaml").write_text(text, "utf-8")
    assert yaml.safe_load(text)["id"] == "place"
    assert main(["rules", "check", str(tmp_path)]) == 0, capsys.readouterr().err
