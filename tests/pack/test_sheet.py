"""The comparison sheet goes out, is filled in and comes back; nothing in it is ever evaluated."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from advisor.consult import quotes
from advisor.core.errors import BadInput
from advisor.knowledge.library import open_library
from advisor.knowledge.reader import read_file
from advisor.pack import sheet
from advisor.pack.request import OURS, files

PLAN: Any = read_file(Path(__file__).parent / "offers" / "plans.yaml").data["a100"]
LIBRARY = open_library()
ANSWERS = {
    "card": "A100 80GB SXM", "card_memory": "80", "gpu_count": "8", "nvlink": "yes", "ram": "1024 GB", "ram_ecc": "yes",
    "cpu_cores": "128", "data_disk": "4 x 3.84TB NVMe", "bandwidth": "100", "dedicated": "no", "price": "USD 9,000",
    "deposit": "1 month", "refund": "no", "backup": "TBD", "invoice": "",
}  # fmt: skip
EXPECTED = {
    "card": "met", "card_memory": "met", "gpu_count": "met", "nvlink": "met", "ram": "met", "ram_ecc": "met",
    "cpu_cores": "met", "data_disk": "met", "bandwidth": "met", "dedicated": "missing", "price": "met",
    "deposit": "met", "refund": "missing", "backup": "not_stated", "invoice": "not_stated",
}  # fmt: skip


def rows(lang: str = "en") -> list[list[str]]:
    body = files(PLAN, LIBRARY, lang)["comparison.csv"].decode("utf-8-sig")  # type: ignore[arg-type]
    return list(csv.reader(io.StringIO(body)))


def filled(lang: str = "en") -> list[list[str]]:
    table = rows(lang)
    for row in table[1:]:
        row[len(OURS)] = ANSWERS.get(row[0], "")
    return table


def states(name: str, data: bytes) -> dict[str, str]:
    reply = quotes.compare([(name, data)], PLAN).json
    assert len(reply["offers"]) == 1
    found = {line["id"]: line["status"] for line in reply["offers"][0]["lines"]}
    return {key: found[key] for key in EXPECTED}


def as_csv(table: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(table)
    return out.getvalue().encode()


def as_xlsx(table: list[list[str]]) -> bytes:
    book = Workbook()
    for row in table:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize("lang", ["en", "zh", "zh-Hant"])
def test_a_filled_sheet_is_read_back_line_by_line(lang: str) -> None:
    assert states("offer.csv", as_csv(filled(lang))) == EXPECTED
    assert states("offer.xlsx", as_xlsx(filled(lang))) == EXPECTED


def test_moved_columns_and_a_lost_id_do_no_harm() -> None:
    table = [[row[len(OURS)], row[5], row[2], row[1]] for row in filled("zh")]
    assert states("offer.csv", as_csv(table)) == EXPECTED


def test_an_empty_sheet_is_refused_as_none() -> None:
    with pytest.raises(BadInput, match=r"comparison\.xlsx: holds nothing that I can read as an offer"):
        quotes.compare([("comparison.xlsx", files(PLAN, LIBRARY, "en")["comparison.xlsx"])], PLAN)


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "\t=1", "|x"])
def test_no_text_of_ours_becomes_a_formula(text: str) -> None:
    assert sheet.to_csv([[text]]).decode("utf-8-sig").lstrip('"').startswith("'")
    book = load_workbook(io.BytesIO(sheet.to_xlsx([["head"], [text]], "t", 1)))
    assert book.active["A2"].data_type == "s"


def test_a_formula_of_a_vendor_is_no_answer() -> None:
    table = filled()
    for row in table[1:]:
        row[len(OURS)] = '=IF(1,"yes","no")' if row[0] == "nvlink" else row[len(OURS)]
    reply = quotes.compare([("offer.xlsx", as_xlsx(table))], PLAN).json
    found = {line["id"]: line["status"] for line in reply["offers"][0]["lines"]}
    assert found["nvlink"] == "not_stated"


def test_archives_that_are_no_workbook_or_swell_are_refused() -> None:
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(BadInput, match="no workbook"):
        quotes.compare([("a.xlsx", plain.getvalue())], None)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * (2**26 + 1))
    with pytest.raises(BadInput, match="unpacks"):
        quotes.compare([("a.xlsx", bomb.getvalue())], None)
    with pytest.raises(BadInput, match="workbook"):
        quotes.compare([("a.xlsx", b"PK\x03\x04 broken")], None)
