"""Parsed files kept between processes: by their bytes, never by their name or time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.core.errors import BadData
from advisor.knowledge import kept
from advisor.knowledge.reader import read_file


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    yield
    kept.rest()


def test_a_file_read_before_is_not_parsed_again_and_keeps_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\ntwo: [2, no]\n", encoding="utf-8")
    kept.use(tmp_path / "cache")
    first = read_file(file)
    keeping = kept._kept
    assert keeping is not None
    keeping.save()
    again = kept.use(tmp_path / "cache")
    second = read_file(file)
    assert not again.fresh
    assert second == first
    assert second.at("two", 1) == f"{file}:2"


def test_a_changed_file_of_the_same_size_and_time_is_read_anew(tmp_path: Path) -> None:
    import os

    file = tmp_path / "a.yaml"
    file.write_text("one: 1\n", encoding="utf-8")
    then = file.stat()
    keeping = kept.use(tmp_path / "cache")
    assert read_file(file).data == {"one": 1}
    keeping.save()
    file.write_text("one: 2\n", encoding="utf-8")
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))
    kept.use(tmp_path / "cache")
    assert read_file(file).data == {"one": 2}


@pytest.mark.parametrize("spoiled", [b"", b"nonsense", b"\xe9\x00\x00\x00\x00"])
def test_a_spoiled_file_of_kept_data_is_passed_over(spoiled: bytes, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "parsed").write_bytes(spoiled)
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\n", encoding="utf-8")
    keeping = kept.use(tmp_path / "cache")
    assert read_file(file).data == {"one": 1}
    keeping.save()
    assert kept.use(tmp_path / "cache").known


def test_a_wrong_file_is_refused_each_time(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\none: 2\n", encoding="utf-8")
    kept.use(tmp_path / "cache")
    for _ in range(2):
        with pytest.raises(BadData, match="stands twice"):
            read_file(file)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("", encoding="utf-8")
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\n", encoding="utf-8")
    keeping = kept.use(tmp_path / "cache")
    assert read_file(file).data == {"one": 1}
    keeping.save()
