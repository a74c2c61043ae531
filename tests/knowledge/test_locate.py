"""Where the data stands: setting, checkout, overlay; a folder that is named but missing is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.errors import BadInput
from advisor.knowledge.locate import data_roots


def test_without_settings_the_data_of_this_checkout_is_found() -> None:
    (root,) = data_roots({})
    assert (root / "knowledge" / "gpus").is_dir()
    assert (root / "rules" / "facts").is_dir()


def test_the_setting_names_another_folder(tmp_path: Path) -> None:
    for room in ("rules", "knowledge"):
        (tmp_path / room).mkdir()
    assert data_roots({"HKGPU_DATA": str(tmp_path)}) == (tmp_path,)


def test_a_setting_without_both_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    with pytest.raises(BadInput, match="has no folder knowledge; expected a folder that holds rules/ and knowledge/"):
        data_roots({"HKGPU_DATA": str(tmp_path)})


def test_the_overlay_comes_last(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    assert data_roots({"HKGPU_OVERLAY": str(tmp_path)})[-1] == tmp_path


def test_an_overlay_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="which is no folder; create it or unset HKGPU_OVERLAY"):
        data_roots({"HKGPU_OVERLAY": str(tmp_path / "gone")})


def test_an_overlay_that_holds_nothing_of_ours_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds neither rules/ nor knowledge/"):
        data_roots({"HKGPU_OVERLAY": str(tmp_path)})
