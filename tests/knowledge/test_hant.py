"""Traditional Chinese as Hong Kong writes it."""

from __future__ import annotations

import pytest

from advisor.knowledge.hant import mainland_terms, to_hant
from advisor.knowledge.library import open_library


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("每台服务器要 {host.ram} 的内存", "每台伺服器要 {host.ram} 的記憶體"),
        ("默认带宽 100M，硬盘用 NVMe", "預設頻寬 100M，硬碟用 NVMe"),
        ("网络延迟和显存", "網絡延遲和顯存"),
        ("运行 `echo 内存` 后导出清单", "執行 `echo 内存` 後匯出清單"),
        ("在范围以内存在风险", "在範圍以內存在風險"),
        ("A100 80GB", "A100 80GB"),
        ("", ""),
    ],
)
def test_terms_and_characters_are_mapped_and_code_is_left_alone(simplified: str, traditional: str) -> None:
    assert to_hant(simplified, open_library()) == traditional


def test_no_fact_or_item_keeps_a_mainland_term_in_its_traditional_wording() -> None:
    library = open_library()
    banned = mainland_terms(library)
    texts = {key: to_hant(record.name.zh, library) for key, record in library.facts.items()}
    found = [
        f"{key}: {term} (Hong Kong writes {wanted})"
        for key, text in texts.items()
        for term, wanted in banned.items()
        if term in text and wanted not in text
    ]
    assert not found, "\n".join(found)
