"""The library: look-ups by kind and id, read when needed, with an overlay on top."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.errors import BadData
from advisor.core.units import Quantity, Range
from advisor.knowledge.library import Library, open_library

HEURISTIC = """
id: memory.context
meaning: {en: Memory of the CUDA context, zh: CUDA 上下文占用的显存}
unit: GiB
scope: one process on one card
use: measured
spread: [0.3, 1.0]
chosen_because: the only value that was measured
values:
  - {key: measured, value: 0.5, status: accepted, from: bench, recorded: 2026-11-30}
  - {key: folklore, value: 2, status: refuted, from: bench, recorded: 2026-11-30}
"""
SOURCE = "id: bench\ntitle: A bench\ndate: 2026\nchecked: 2026-11-30\nkind: measurement\n"


def write(root: Path, files: dict[str, str]) -> Path:
    """Lay files under a folder that already has rules/ and knowledge/."""
    for folder in ("rules", "knowledge"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "base",
        {"knowledge/heuristics/memory/context.yaml": HEURISTIC, "knowledge/sources/bench.yaml": SOURCE},
    )


def test_a_heuristic_answers_with_its_accepted_value_and_unit(root: Path) -> None:
    library = Library([root])
    assert library.heuristic("memory.context") == Quantity(0.5, "GiB")
    assert library.heuristic_range("memory.context") == Range(0.3, 0.5, 1.0, "GiB")


def test_an_unknown_heuristic_names_the_nearest_one(root: Path) -> None:
    with pytest.raises(BadData, match=r'did you mean "memory\.context"'):
        Library([root]).heuristic("memory.contxt")


def test_an_overlay_file_replaces_the_one_with_the_same_id(root: Path, tmp_path: Path) -> None:
    over = write(
        tmp_path / "over",
        {"knowledge/heuristics/memory/context.yaml": HEURISTIC.replace("value: 0.5", "value: 0.9")},
    )
    assert Library([root, over]).heuristic("memory.context") == Quantity(0.9, "GiB")


def test_the_version_changes_with_the_data_and_not_with_its_place(root: Path, tmp_path: Path) -> None:
    twin = write(
        tmp_path / "elsewhere",
        {"knowledge/heuristics/memory/context.yaml": HEURISTIC, "knowledge/sources/bench.yaml": SOURCE},
    )
    assert Library([root]).version == Library([twin]).version
    write(twin, {"knowledge/sources/bench.yaml": SOURCE + "note: looked at again\n"})
    assert Library([root]).version != Library([twin]).version


def test_an_id_that_is_not_the_path_is_refused_with_its_line(root: Path) -> None:
    write(root, {"knowledge/sources/other.yaml": SOURCE})
    with pytest.raises(BadData, match=r'other\.yaml:1: the id is \'bench\'; expected "other"'):
        _ = Library([root]).sources["other"]


def test_asking_for_one_record_does_not_read_the_others(root: Path) -> None:
    write(root, {"knowledge/sources/broken.yaml": "id: [\n"})
    assert Library([root]).sources["bench"].title == "A bench"


def test_an_unknown_key_is_named_with_line_and_the_nearest_known_key(root: Path) -> None:
    write(root, {"knowledge/sources/bench.yaml": SOURCE + "adress: https://example.org/x\n"})
    with pytest.raises(BadData, match=r'bench\.yaml:6: unknown key `adress`.*did you mean "address"'):
        _ = Library([root]).sources["bench"]


def test_the_library_of_the_process_follows_the_overlay_and_is_read_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HKGPU_OVERLAY", str(root))
    assert open_library() is open_library()
    assert open_library().sources["bench"].title == "A bench"
    monkeypatch.delenv("HKGPU_OVERLAY")
    assert "bench" not in open_library().sources


def test_an_operator_says_what_here_means_in_one_file(root: Path) -> None:
    assert Library([root]).place is None
    place = (
        "id: place\nname: {en: our rack, zh: 自有机柜}\nlocation: hong_kong\nservers:\n  - {gpu: a100, gpu_count: 8}\n"
    )
    write(root, {"knowledge/place.yaml": place})
    here = Library([root]).place
    assert here is not None
    assert here.servers[0].gpu_count == 8


def test_an_unknown_kind_of_shelf_names_the_nearest(root: Path) -> None:
    with pytest.raises(BadData, match=r'there is no kind "gpu".*did you mean "gpus"'):
        Library([root]).shelf("gpu")
