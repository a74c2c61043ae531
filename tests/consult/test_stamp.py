"""What was found right is not checked twice, and nothing else is taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.consult import stamp


def test_a_stamp_stands_for_its_own_data_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not stamp.stands("0123456789ab")
    stamp.put("0123456789ab")
    assert stamp.stands("0123456789ab")
    assert not stamp.stands("0123456789ac")


def test_a_folder_that_cannot_be_written_means_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    stamp.put("0123456789ab")
    assert not stamp.stands("0123456789ab")
