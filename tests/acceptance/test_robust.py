"""Spoiled, hostile and huge inputs: no exception, no pass without its evidence, bounded time and memory."""

from __future__ import annotations

import csv
import random
import resource
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from advisor.acceptance.decode import decode
from advisor.acceptance.detect import parts
from advisor.acceptance.evidence import read_text
from advisor.consult import judge as desk
from advisor.core.errors import BadInput
from tests.acceptance.mutations import MUTATIONS, interleaved
from tests.accuracy.acceptance import SAMPLES

FIXTURES = Path(__file__).parent / "fixtures"
# A row that is gone as a whole leaves an output that nobody can tell from a whole one.
ROWS_MAY_VANISH = {
    "nvlink_one_down.txt",
    "csv_two_kinds.csv",
    "smi_list_mig.txt",
    "mtr_unknown_end.txt",
    "dmesg_xid63.txt",
}


def samples() -> list[Path]:
    roots = [FIXTURES, *([SAMPLES] if (SAMPLES / "INDEX.csv").exists() else [])]
    return [root / row["file"] for root in roots for row in csv.DictReader((root / "INDEX.csv").open(encoding="utf-8"))]


def spoil(count: int, seed: int) -> list[str]:
    """Judge spoiled outputs; gives the passes that the whole output did not deserve. Exceptions come through."""
    rng = random.Random(seed)
    every = samples()
    whole = {path: desk.judge([path]).files[0] for path in every}
    wrong = []
    for _ in range(count):
        path, other = rng.choice(every), rng.choice(every)
        mutation = rng.choice(MUTATIONS)
        data = mutation(path.read_bytes(), other.read_bytes(), rng)
        text = decode(data)
        for known, piece in parts(text):
            if known is not None:
                known.read(piece)  # without the net that catches a reader's stumble
        delivery = desk._judged(read_text(text, path.name), None)
        if mutation is interleaved or path.name in ROWS_MAY_VANISH or path.parent != FIXTURES:
            continue
        for file in delivery.files:
            if file.judgement == "pass" and file.tool == whole[path].tool and whole[path].judgement != "pass":
                wrong.append(f"{mutation.__name__} of {path.name}")
    return wrong


def test_spoiled_outputs_raise_nothing_and_hardly_ever_pass() -> None:
    # A line of a log that is gone leaves no trace: the few that remain are lost lines.
    wrong = [one for one in spoil(600, 1) if not one.startswith(("without_lines", "cut_begin"))]
    assert not wrong


def test_what_still_passes_when_spoiled_still_shows_the_figure_it_passes_by() -> None:
    rng = random.Random(5)
    good = [path for path in samples() if path.parent == FIXTURES and desk.judge([path]).files[0].judgement == "pass"]
    for _ in range(250):
        path, mutation = rng.choice(good), rng.choice([one for one in MUTATIONS if one is not interleaved])
        whole, text = decode(path.read_bytes()), decode(mutation(path.read_bytes(), b"", rng))
        for file in desk._judged(read_text(text, path.name), None).files:
            for finding in file.findings if file.judgement == "pass" else ():
                amount = getattr(finding.figure, "value", None)
                shown = "" if amount is None else f"{amount:g}"
                if len(shown) > 2 and shown in whole:
                    assert shown in text, (path.name, mutation.__name__, finding.rule)


@pytest.mark.deep
def test_five_thousand_spoiled_outputs_raise_nothing() -> None:
    wrong = [one for one in spoil(5000, 2) if not one.startswith(("without_lines", "cut_begin"))]
    # A digit that is gone from the front of a figure leaves a figure: less than one in a thousand.
    assert len(wrong) < 5, wrong


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\x00" * 100,
        b"\xff\xfe",
        bytes(range(256)) * 8,
        b"{" * 20000,
        b"[" * 20000,
        b"9" * 20000,
        b"GPU0 " * 5000,
        b"| NVIDIA-SMI " * 3000,
        b"1e999 " * 2000,
        b"= 1 " * 5000,
        b"\xef\xbb\xbf",
        b"{}",
        b" " * 20000 + b"x",
        b"\n" * 20000 + b"x",
        b"\n \n" * 9000,
        b"12:34 " * 4000,
        b"- [ ] " * 3000,
        b"0/0 = 0% " * 3000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_hostile_bytes_are_inconclusive(data: bytes) -> None:
    started = time.process_time()
    files = desk._judged(read_text(decode(data), "x"), None).files
    assert {file.judgement for file in files} <= {"inconclusive"}
    assert time.process_time() - started < 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["smi_h100_8.txt", "fio_nvme_random.txt", "ping_mac.txt", "nccl_h100_8.txt"])
def test_the_same_output_in_any_encoding_is_judged_alike(name: str, ends: str, encoding: str, tmp_path: Path) -> None:
    text = (FIXTURES / name).read_text("utf-8").replace("\n", ends)
    (tmp_path / name).write_bytes(text.encode(encoding))
    plain, other = desk.judge([FIXTURES / name]).files[0], desk.judge([tmp_path / name]).files[0]
    assert (other.judgement, dict(other.values)) == (plain.judgement, dict(plain.values))


@pytest.mark.parametrize("prefix", ["2026-11-30T10:00:00.123Z stdout F ", "Nov 30 10:00:00 node1 job[77]: ", "> "])
def test_prefixes_of_loggers_and_quotations_are_taken_away(prefix: str) -> None:
    text = (FIXTURES / "mtr_clean_end.txt").read_text("utf-8")
    spoiled = "\n".join(prefix + line for line in text.split("\n") if line)
    assert desk.judge_text(spoiled).files[0].judgement == "pass"


def test_several_outputs_in_one_paste_are_judged_one_by_one() -> None:
    names = ["smi_h100_8.txt", "topo_a100_nv12.txt", "ping_mac.txt", "iperf3_retransmits.txt", "fio_nvme_random.txt"]
    paste = "\n".join((FIXTURES / name).read_text("utf-8") for name in names)
    files = desk.judge_text(paste).files
    assert [file.tool for file in files] == ["nvidia-smi", "nvidia-smi-topo", "ping", "iperf3", "fio"]
    assert [file.judgement for file in files] == ["pass", "pass", "pass", "fail", "pass"]


def test_a_hundred_megabytes_of_log_are_read_in_five_seconds(tmp_path: Path) -> None:
    path = tmp_path / "dmesg.txt"
    line = b"[%12.6f] systemd[1]: Started session %07d of user root.\n"
    with path.open("wb") as file:
        file.write((FIXTURES / "dmesg_clean.txt").read_bytes())
        block = b"".join(line % (index / 7, index) for index in range(20000))
        while file.tell() < 100 * 2**20:
            file.write(block)
        file.write(b"[99999.000000] NVRM: Xid (PCI:0000:1b:00): 79, pid=1, name=x, GPU has fallen off the bus.\n")
        file.write(block[: 5 * 2**20])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    (judged,) = desk.judge([path]).files
    assert time.process_time() - started < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024
    assert (judged.judgement, judged.values["xid"]) == ("fail", "79")


def test_archives_are_read_without_following_anything_out_of_them(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("ping\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / "secret.txt")
    with tarfile.open(tmp_path / "results.tar.gz", "w:gz") as archive:
        archive.add(FIXTURES / "ping_mac.txt", "../../ping.txt")
        archive.add(tmp_path / "link.txt", "link.txt")
    files = desk.judge([tmp_path / "results.tar.gz"]).files
    assert [(file.tool, file.judgement) for file in files] == [("ping", "pass")]
    assert not (tmp_path.parent / "ping.txt").exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", b"0" * (2**26 + 2))
    with pytest.raises(BadInput, match="too large"):
        desk.judge([tmp_path / "bomb.zip"])


def test_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ping.txt").write_bytes((FIXTURES / "ping_mac.txt").read_bytes())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    assert len(desk.judge([tmp_path / "b"]).files) == 0
    assert len(desk.judge([tmp_path / "a"]).files) == 1


def test_what_is_not_there_and_a_tool_nobody_knows_are_refused() -> None:
    with pytest.raises(BadInput, match="not there"):
        desk.judge([Path("no-such-file")])
    with pytest.raises(BadInput, match="iperf3"):
        desk.judge_text("x", tool="iperf4")
