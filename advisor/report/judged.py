"""Words a judged delivery: the checklist filled in, the reasons, and a message to the vendor, in three languages.

It renders what was judged and adds no judgement; fixed sentences stand here, what a rule said stands in its file.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from advisor.core.errors import BadInput
from advisor.core.facts import Value
from advisor.core.judged import ORDER, WORST_FIRST, Delivery, FileJudged, Finding, ItemJudged, Judgement
from advisor.core.text import LANGS, Lang, Text
from advisor.core.units import Quantity
from advisor.knowledge.library import Library
from advisor.report.wording import Wording

# What of an order is told, beside the cards.
_ORDERED = ("host.cpu_cores", "host.ram", "storage.kind", "storage.size", "line.bandwidth", "gpu.nvlink")
# Rules that say that the buyer has not tested enough.
_OURS = ("judging.form.", "judging.network.one_", "judging.service.few_")
VERDICT: dict[Judgement, Text] = {
    "fail": Text("FAIL", "不合格"),
    "inconclusive": Text("INCONCLUSIVE", "无法判断"),
    "warn": Text("WARNING", "警告"),
    "pass": Text("PASS", "合格"),
    "does not apply": Text("does not apply", "不适用"),
}
SENTENCE = {
    "heading": Text("Acceptance of the delivery", "交付验收结果"),
    "items": Text("Checklist", "验收清单"),
    "files": Text("Outputs", "输出"),
    "limit": Text("limit", "限值"),
    "source": Text("source", "来源"),
    "file": Text("file", "文件"),
    "unknown_tool": Text("no known tool printed this; name it with --tool", "认不出是哪个工具的输出，可用 --tool 指明"),
    "empty": Text("the file is empty", "文件是空的"),
    "noise": Text("it is no readable text: binary or damaged", "不是可读的文本：二进制内容或已损坏"),
    "not_run": Text("the command was not found, so nothing was measured", "没找到命令，等于什么都没测"),
    "named": Text(
        "its name says {tool}, but nothing that {tool} prints is in it; run it again and save the whole output",
        "文件名是 {tool}，里面却没有 {tool} 的输出；请重跑并保存完整输出",
    ),
    "no_limit": Text(
        "it was read, but nothing in it can be judged without an order or for this card",
        "已读取，但没有订单或该型号没有公认限值，无法判断",
    ),
    "no_order": Text("only an order says what is right here", "是否正确要看订单"),
    "message": Text("Message to the vendor", "发给供应商的说明"),
    "dear": Text(
        "We ran the agreed acceptance commands on the delivered server. These items did not meet the order or the "
        "published limits:",
        "我们在交付的服务器上运行了约定的验收命令，以下项目不符合订单或公开限值：",
    ),
    "ask": Text(
        "Please repair or exchange the parts concerned and tell us when we can run the same commands again. Until then "
        "we do not consider the delivery accepted.",
        "请维修或更换相关部件，并告知何时可以重跑同样的命令。在此之前，我们不视为验收通过。",
    ),
    "repeat": Text(
        "These could not be judged; please let us run them again, or send the whole output:",
        "以下项目无法判断，请安排重跑或提供完整输出：",
    ),
    "the_order": Text("the order", "订单"),
    "ordered": Text("Ordered: {what}", "订单：{what}"),
    "counts": Text("Items: {what}", "条目：{what}"),
    "count": Text("{count} {verdict}", "{verdict} {count} 项"),
    "file_of": Text("output: {files}", "输出：{files}"),
    "please": Text("Please {remedy}.", "请{remedy}。"),
    "no_evidence": Text("no output and no signed form speaks of it", "没有该项的输出，也没有签名的核对表"),
    "nothing": Text("There was no output to judge.", "没有可判断的输出。"),
}


def render(delivery: Delivery, library: Library, format: str, lang: str) -> str:
    """The delivery in one format. Raises `BadInput` for a language or format nobody knows."""
    if lang not in LANGS:
        raise BadInput(f'unknown language "{lang}"', expected=", ".join(LANGS))
    page = _Page(Wording(library, lang), library)
    if format == "json":
        return json.dumps(list(page.json(delivery)), ensure_ascii=False, allow_nan=False, indent=1)
    return "\n".join(page.markdown(delivery) if format == "markdown" else page.text(delivery))


def message(delivery: Delivery, library: Library) -> dict[str, str]:
    """What to write to the vendor by language, without the heading; empty where nothing failed."""
    page = _Page(Wording(library, "en"), library)
    found = {lang: list(page.message(delivery, (lang,)))[2:] for lang in ("en", "zh")}
    return {lang: "\n".join(lines) for lang, lines in found.items() if lines}


class _Page:
    """One delivery in one language."""

    def __init__(self, wording: Wording, library: Library) -> None:
        self.wording, self.library = wording, library

    def fixed(self, key: str, **words: str) -> str:
        """A fixed sentence; a problem that is none of them is shown as it is."""
        return self.wording.fixed(SENTENCE, key, **words)

    def verdict(self, judgement: Judgement) -> str:
        """A verdict's word."""
        return self.wording.text(VERDICT[judgement])

    def said(self, finding: Finding) -> str:
        """What a rule said, with its figures."""
        return self.wording.filled(finding.say, finding.values)

    def value(self, value: Value | None) -> str:
        """A figure or a limit as people read it; empty where there is none."""
        return "" if value is None else self.wording.value("", value)

    def reasons(self, file: FileJudged) -> list[str]:
        """Why an output got its verdict: what the rules of that verdict and of worse ones said."""
        decided = [one for one in file.findings if one.judgement != "pass"] or list(file.findings)
        found = [f"{self.verdict(one.judgement)}: {self.said(one)}" for one in decided]
        return [*dict.fromkeys(found), *problems(file, self.wording)]

    def title(self, item: str) -> str:
        """An item's title."""
        return self.wording.text(self.library.items[item].title.text) if item in self.library.items else item

    def line(self, item: ItemJudged) -> str:
        """An item in one line: its title, what was found, the limit."""
        mark = ": " if self.wording.lang == "en" else "："
        return f"{self.title(item.item)}{mark}{self.why(item)}{self.limits(item)}"

    def remedy(self, item: ItemJudged) -> str:
        """What the vendor is asked to do about a failed item."""
        record = self.library.items.get(item.item)
        if record is None or record.remedy is None:
            return ""
        return self.fixed("please", remedy=self.wording.text(record.remedy.text))

    def why(self, item: ItemJudged) -> str:
        """One line of reason for an item."""
        if item.finding is not None:
            return self.said(item.finding)
        if not item.files:
            return self.fixed("no_evidence")
        return self.fixed("no_order" if item.judgement == "does not apply" else "no_limit")

    def sources(self, finding: Finding | None) -> str:
        """Titles of the sources of a finding."""
        if finding is None:
            return ""
        if finding.sources == (ORDER,):
            return self.fixed("the_order")
        known = [self.library.sources[key].title for key in finding.sources if key in self.library.sources]
        return "; ".join(known) or ", ".join(finding.sources)

    def json(self, delivery: Delivery) -> Iterator[dict[str, Any]]:
        """One object a file, then one an item."""
        for file in delivery.files:
            yield {
                "file": file.file,
                "tool": file.tool,
                "version": file.version,
                "verdict": file.judgement,
                "word": self.verdict(file.judgement),
                "values": {key: _finite(value) for key, value in file.values.items()},
                "items": list(file.items),
                "reasons": self.reasons(file),
            }
        for item in delivery.items:
            finding = item.finding
            yield {
                "item": item.item,
                "verdict": item.judgement,
                "word": self.verdict(item.judgement),
                "title": self.title(item.item),
                "figure": self.value(finding.figure) if finding else "",
                "limit": self.value(finding.limit) if finding else "",
                "source": self.sources(finding),
                "files": list(item.files),
                "reason": self.why(item),
            }

    def text(self, delivery: Delivery) -> Iterator[str]:
        """Items first, worst first; then the outputs."""
        if not delivery.files:
            yield self.fixed("nothing")
        yield from self.head(delivery)
        for item in self.sorted(delivery):
            yield f"{self.verdict(item.judgement):14} {self.line(item)}"
        yield ""
        for file in delivery.files:
            yield f"{self.verdict(file.judgement):14} {file.file} ({_tool(file)})"
            for reason in self.reasons(file):
                yield f"               {reason}"
        yield from self.message(delivery)

    def head(self, delivery: Delivery) -> Iterator[str]:
        """What was ordered, and how many items came to which verdict, worst first."""
        if ordered := self.ordered(delivery):
            yield self.fixed("ordered", what=ordered)
        counts = Counter(item.judgement for item in delivery.items)
        words = [
            self.fixed("count", count=str(counts[verdict]), verdict=self.verdict(verdict))
            for verdict in WORST_FIRST
            if counts[verdict]
        ]
        if words:
            yield self.fixed("counts", what=("，" if self.wording.lang != "en" else ", ").join(words))

    def ordered(self, delivery: Delivery) -> str:
        """The order in one line; empty where there is none."""
        facts = delivery.ordered
        count = facts.get("gpu.count")
        cards = self.value(count) if isinstance(count, Quantity) else ""
        parts = [" × ".join(word for word in (cards, delivery.card) if word)]
        for fact in _ORDERED:
            if fact in facts and fact in self.library.facts:
                name = self.wording.text(self.library.facts[fact].name.text)
                parts.append(f"{name} {self.wording.value(fact, facts[fact])}")
        return ("，" if self.wording.lang != "en" else ", ").join(part for part in parts if part)

    def limits(self, item: ItemJudged) -> str:
        """Figure against limit, where a rule compared two."""
        finding = item.finding
        if finding is None or isinstance(finding.limit, bool) or not isinstance(finding.limit, Quantity | float | int):
            return ""
        amount = finding.limit.value if isinstance(finding.limit, Quantity) else finding.limit
        if amount == 0:
            # "None at all" is what the sentence says already.
            return ""
        return f" ({self.value(finding.figure)}; {self.fixed('limit')} {self.value(finding.limit)})"

    @staticmethod
    def sorted(delivery: Delivery) -> list[ItemJudged]:
        """The items, worst first."""
        return sorted(delivery.items, key=lambda one: WORST_FIRST.index(one.judgement))

    def markdown(self, delivery: Delivery) -> Iterator[str]:
        """The checklist filled in, as a task list, with figure, limit, source and file."""
        yield f"# {self.fixed('heading')}"
        yield ""
        for line in self.head(delivery):
            yield _plain(line)
            yield ""
        yield f"## {self.fixed('items')}"
        for item in self.sorted(delivery):
            box = "x" if item.judgement == "pass" else " "
            yield f"- [{box}] **{self.verdict(item.judgement)}** {_plain(self.title(item.item))} (`{item.item}`)"
            yield f"  - {_plain(self.why(item) + self.limits(item))}"
            if item.finding is not None:
                yield f"  - {self.fixed('source')}: {_plain(self.sources(item.finding))}"
            if item.files:
                yield f"  - {self.fixed('file')}: {', '.join(f'`{_plain(name)}`' for name in item.files)}"
        yield ""
        yield f"## {self.fixed('files')}"
        for file in delivery.files:
            yield f"- **{self.verdict(file.judgement)}** {_plain(file.file)} ({_plain(_tool(file))})"
            for reason in self.reasons(file):
                yield f"  - {_plain(reason)}"
        yield from self.message(delivery)

    def message(self, delivery: Delivery, langs: Sequence[str] = ("en", "zh")) -> Iterator[str]:
        """What to write to the vendor, in English and in Chinese; nothing where nothing failed."""
        failed = [item for item in delivery.items if item.judgement == "fail"]
        if not failed:
            return
        for lang in langs:
            page = _Page(Wording(self.library, _language(lang)), self.library)
            yield ""
            yield f"## {page.fixed('message')}"
            yield page.fixed("dear")
            if ordered := page.ordered(delivery):
                yield ""
                yield _plain(page.fixed("ordered", what=ordered))
            yield ""
            for item in failed:
                yield f"- {_plain(page.line(item))}"
                if remedy := page.remedy(item):
                    yield f"  {_plain(remedy)} ({_plain(page.fixed('file_of', files=', '.join(item.files)))})"
            unclear = [item for item in delivery.items if item.judgement == "inconclusive" and _theirs(item)]
            if unclear:
                yield ""
                yield page.fixed("repeat")
                yield ""
                for item in unclear:
                    yield f"- {_plain(page.line(item))}"
            yield ""
            yield page.fixed("ask")


def problems(file: FileJudged, wording: Wording) -> list[str]:
    """What was wrong with an output itself, and what its name promised."""
    told = [wording.fixed(SENTENCE, file.problem) if file.problem in SENTENCE else file.problem] if file.problem else []
    return [*told, *([wording.fixed(SENTENCE, "named", tool=file.named)] if file.named else [])]


def _theirs(item: ItemJudged) -> bool:
    """Whether the vendor can do something about an item that could not be judged: not where our own test is missing."""
    return item.finding is not None and not item.finding.rule.startswith(_OURS)


def _tool(file: FileJudged) -> str:
    return f"{file.tool or '?'} {file.version}".strip()


def _language(lang: str) -> Lang:
    return "zh" if lang == "zh" else "en"


def _finite(value: float | int | str) -> float | int | str:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _plain(text: str) -> str:
    """Text of a stranger's file in Markdown: no line breaks and no markup."""
    return " ".join(text.split()).replace("`", "'").replace("<", "&lt;").replace("|", "\\|").replace("[", "\\[")
