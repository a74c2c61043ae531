"""Results that a person wrote down: a checklist with its lines filled in, or the small form in YAML or Markdown.

A line counts with what was found, who looked and when. A tick without these is no evidence, and a form never speaks for
what a command can measure: that is for the desk to see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from advisor.acceptance.blocks import blocks
from advisor.acceptance.reading import Reading
from advisor.core.errors import HkgpuError

_TASK = re.compile(r"^[-*] \[(?P<box>[ xX✓√])\] (?P<title>.*?)`(?P<item>acceptance\.[a-z0-9_]+)`", re.MULTILINE)
_BLANK = re.compile(r"^[_＿\s.…·-]*$")
_LABELS = {
    "result": r"Result|结果|結果|Found|实测|實測",
    "by": r"Checked by|检查人|檢查人|核对人|核對人|By|签字|簽字",
    "on": r"Date|日期|On",
}
_ANY = "|".join(_LABELS.values())
_DAY = re.compile(r"20\d\d\s?[-/.年]\s?[01]?\d\s?[-/.月]\s?[0-3]?\d")
_NAME = re.compile(r"[^\W\d_]")
_REFUSED = re.compile(
    r"^\W*(?:fail|failed|no\b|not (?:met|ok|passed)|rejected|不合格|不通过|不通過"
    r"|未通过|未通過|否|未提供|拒绝|拒絕|没有|沒有|✗|×)",
    re.IGNORECASE,
)
_HELD = re.compile(r"^\W*(?:pass|passed|ok\b|yes|met|accepted|合格|通过|通過|是\b|已|有|✓|√)", re.IGNORECASE)


@dataclass(frozen=True)
class Entry:
    """One item of a form: what was found (empty: nothing), the word it comes to, and whether somebody signed it."""

    item: str
    ticked: bool
    found: str
    word: str
    signed: bool


def read(text: str) -> Reading:
    """Every item of the form."""
    reading = Reading("form")
    tasks = list(_TASK.finditer(text))
    entries = [_task(task, block) for task, block in blocks(text, tasks)] if tasks else _from_yaml(reading, text)
    reading.entries = tuple(entries)
    reading.show(items=len(entries), filled=sum(bool(entry.found) for entry in entries))
    reading.complete = reading.complete and bool(entries)
    return reading


def _task(task: re.Match[str], block: str) -> Entry:
    fields = {name: _field(block, label) for name, label in _LABELS.items()}
    signature = f"{fields['by']} {fields['on']}"
    return _entry(task["item"], task["box"] != " ", fields["result"], signature)


def _field(block: str, label: str) -> str:
    """What stands behind a label, up to the next label on the line; blanks to fill in are nothing."""
    found = re.search(
        rf"(?:^|[\s*-])(?:{label})\s*[:：]\s*(?P<value>.*?)(?=\s+(?:{_ANY})\s*[:：]|$)", block, re.MULTILINE
    )
    value = found["value"].strip(" *") if found else ""
    return "" if _BLANK.match(value) else value.strip("_ ")


def _entry(item: str, ticked: bool, found: str, signature: str) -> Entry:
    day = _DAY.search(signature)
    named = bool(_NAME.search(_DAY.sub("", signature)))
    refused = bool(_REFUSED.match(found))
    # A tick says that the item holds; words that say so are as good, other words without a tick are only a note.
    word = "fail" if refused else "pass" if found and (ticked or _HELD.match(found)) else "none"
    return Entry(item, ticked, found, word, day is not None and named)


def _from_yaml(reading: Reading, text: str) -> list[Entry]:
    from advisor.knowledge.reader import read_text

    begin = re.search(r"^acceptance\.", text, re.MULTILINE)
    try:
        data = read_text(text[begin.start() :] if begin else text, Path("form.yaml")).data
    except HkgpuError as error:
        reading.show(error=str(error)[: 2**8])
        reading.complete = False
        return []
    found = []
    for item, fields in data.items() if isinstance(data, dict) else ():
        if not re.fullmatch(r"acceptance\.[a-z0-9_]+", str(item)) or not isinstance(fields, dict):
            reading.complete = False
            continue
        words = {
            key: "" if fields.get(key) is None else str(fields[key]).strip() for key in ("result", "found", "by", "on")
        }
        said = " ".join(word for word in (words["result"], words["found"]) if word)
        found.append(_entry(str(item), False, said, f"{words['by']} {words['on']}"))
    return found
