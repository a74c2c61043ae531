"""The form for what no command proves: one line an item, with room for what was found, who looked and when.

`hkgpu judge` reads it back once it is filled in; the labels are those that its reader knows.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.core.text import Text
from advisor.knowledge.library import Library
from advisor.knowledge.records.items import Item
from advisor.report.findings import item_in_words
from advisor.report.sentences import MOMENT
from advisor.report.wording import Wording

SENTENCE = {
    "title": Text("# hkgpu form: what a person has to look at", "# 验收清单：人工核对表"),
    "how": Text(
        "Tick what holds, write what you found, your name and the day, and hand this file to `hkgpu judge` with the "
        'outputs. Write "not met" where it does not hold. A line without name and day proves nothing.',
        "合格的打勾，写明结果、姓名和日期，连同命令输出一起交给 `hkgpu judge`。不合格就在结果里写“不合格”。"
        "没有姓名和日期的行不算数。",
    ),
    "pass_if": Text("Passes if", "合格条件"),
    "line": Text("Result: ____  Checked by: ____  Date: ____", "结果: ____  核对人: ____  日期: ____"),
}


def render_form(items: Iterable[Item], library: Library, wording: Wording) -> str:
    """Markdown, grouped by moment as the items come."""
    lines = [wording.fixed(SENTENCE, "title"), "", wording.fixed(SENTENCE, "how")]
    moment = ""
    for item in items:
        if item.moment != moment:
            moment = item.moment
            lines += ["", f"## {wording.fixed(MOMENT, moment)}", ""]
        words = item_in_words(item, {}, wording)
        lines.append(f"- [ ] **{words['title']}** (`{item.id}`)")
        lines.append(f"  - {wording.fixed(SENTENCE, 'pass_if')}: {words['pass_if']}")
        lines.append(f"  - {wording.fixed(SENTENCE, 'line')}")
    return "\n".join(lines) + "\n"
