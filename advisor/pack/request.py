"""The message to vendors and the sheet to fill in, from the lines of a plan.

The message can be sent as it is: it names no company and no person. The sheet has a row for each line and a column for
each vendor; `hkgpu quote` reads it back by the ids, and by the titles where those are gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.core.text import Lang
from advisor.knowledge.library import Library
from advisor.pack import sheet
from advisor.pack.quote_words import Speech
from advisor.pack.requirements import Requirement, by_group, figure, requirements

# Columns left for vendors in a fresh sheet.
VENDORS = (1, 2, 1 + 2)
# Columns that are ours, in this order; vendors fill in what follows.
OURS = ("column_id", "column_group", "column_line", "column_wanted", "column_unit", "column_proof", "column_why")


def files(plan: Mapping[str, Any], library: Library, lang: Lang) -> dict[str, bytes]:
    """`request.LANG.md` in English and Chinese (Traditional where asked for) and `comparison.csv`, `.xlsx` in `lang`.

    `plan` is the answer's JSON; empty where it names no card. Equal input gives equal bytes.
    """
    asked = requirements(plan, library)
    if not asked:
        return {}
    langs: tuple[Lang, ...] = ("en", "zh", "zh-Hant") if lang == "zh-Hant" else ("en", "zh")
    found = {f"request.{each}.md": message(plan, asked, library, each).encode() for each in langs}
    rows = table(asked, library, lang)
    title = Speech(library, lang).fixed("sheet_title")
    return {**found, "comparison.csv": sheet.to_csv(rows), "comparison.xlsx": sheet.to_xlsx(rows, title, len(OURS))}


def message(plan: Mapping[str, Any], asked: Sequence[Requirement], library: Library, lang: Lang) -> str:
    """The message as Markdown that reads as plain text too."""
    speech = Speech(library, lang)
    out = [f"# {speech.fixed('request_title')}", "", speech.fixed("request_head"), ""]
    months = (plan.get("understood") or {}).get("rental_months")
    if isinstance(months, int | float | str) and str(months).replace(".", "").isdigit():
        out += [speech.fixed("request_term", months=months), ""]
    place = 0
    for group, lines in by_group(asked):
        out += [f"## {speech.fixed(f'group_{group}')}", ""]
        for line in lines:
            place += 1
            title = speech.pair(speech.text(line.title), speech.text(line.ask))
            out.append(f"{place}. ({speech.fixed(f'request_{line.severity}')}) {title}")
        out.append("")
    out += [speech.fixed("request_proof"), "", speech.fixed("request_close")]
    return "\n".join(out) + "\n"


def table(asked: Sequence[Requirement], library: Library, lang: Lang) -> list[list[str]]:
    """The sheet: a header, then a row for each line, the vendors' columns empty."""
    speech = Speech(library, lang)
    header = [*(speech.fixed(key) for key in OURS), *(speech.fixed("column_vendor", number=each) for each in VENDORS)]
    rows = [header]
    for line in asked:
        ask = speech.pair(speech.text(line.title), speech.text(line.ask))
        unit = line.unit if line.unit != "count" else ""
        sources = ", ".join(_source(key, library) for key in line.because)
        group, proof = speech.fixed(f"group_{line.group}"), _title(line.item, library, speech)
        ours = [line.id, group, ask, wanted(line, library, speech), unit, proof, sources]
        rows.append([*ours, *("" for _ in VENDORS)])
    return rows


def wanted(line: Requirement, library: Library, speech: Speech) -> str:
    """What a line asks for, as a cell: a bound, words, yes, no, or "please state"."""
    value = line.wanted
    if value is None:
        return speech.fixed("wanted_stated")
    if isinstance(value, bool):
        return speech.fixed("wanted_yes" if value else "wanted_no")
    if line.relation in ("at_least", "at_most") and isinstance(value, float | int):
        return speech.fixed(line.relation, value=figure(value, line.unit))
    if line.relation == "card":
        return str(value)
    words = value if isinstance(value, tuple) else (str(value),)
    return speech.listed([choice(line.reads[0], word, library, speech) for word in words])


def choice(reading: str, word: str, library: Library, speech: Speech) -> str:
    """A word of a choice as people read it."""
    if reading == "line" and word in library.routes:
        return speech.text(library.routes[word].name.text)
    return speech.fixed(f"word_{word}")


def _title(item: str, library: Library, speech: Speech) -> str:
    return speech.text(library.items[item].title.text)


def _source(key: str, library: Library) -> str:
    return library.sources[key].title if key in library.sources else key
