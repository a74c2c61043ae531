"""The parts of an answer as a Slack message: blocks, simpler blocks where Slack refuses those, and plain text.

The verdict stands first. It lays out and leaves out; every word is the answer's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack import blocks as b
from bots.slack.blocks import Block, Part
from bots.slack.safe import cut, mrkdwn

Parts = Mapping[str, Any]
Words = Mapping[str, str]
_MARK = {
    "yes": ":large_green_circle:",
    "yes_if": ":large_yellow_circle:",
    "no": ":red_circle:",
    "unknown": ":white_circle:",
}
# Verdicts and degrees in a line: a shape beside the colour, for those who see no colour.
_SIGN = {"yes": "✓", "yes_if": "◐", "no": "✗", "unknown": "?"}
_DEGREE = {"high": "▲", "medium": "△", "low": "▽"}
_BAR = 2**4
_NOTE = 2**9 * 2
# Buttons for a question with so few answers; a menu for one with more.
_FEW = 2 * 2 + 1


@dataclass(frozen=True, slots=True)
class Message:
    """A message in every form in which it may be sent, the best first."""

    text: str
    forms: tuple[list[Block], ...] = ()


def answer(parts: Parts, words: Words, *, label: str = "", kit: bool = True) -> Message:
    """The message of an answer. `label` names the button that asked for it."""
    text = cut(mrkdwn(str(parts["text"])), b.TEXT)
    rich = b.fitted(_parts(parts, words, label=label, kit=kit, tables=True))
    simple = b.fitted(_parts(parts, words, label=label, kit=kit, tables=False))
    return Message(text or " ", (rich, simple))


def note(text: str) -> Message:
    """A message of one paragraph."""
    said = cut(mrkdwn(text), b.TEXT)
    return Message(said, ([b.section(said)],))


def safe_text(text: str) -> str:
    """A paragraph's text."""
    return cut(mrkdwn(text), b.SECTION)


def plan_blocks(parts: Parts, words: Words) -> list[Block]:
    """The same for a modal, which has no tables and no buttons of a thread."""
    kept = _parts(parts, words, label="", kit=False, tables=False)
    shown = [part for part in kept if not any(block["type"] in ("actions", "context_actions") for block in part.blocks)]
    plain = [Part(part.rank, tuple(_without_accessory(block) for block in part.blocks)) for part in shown]
    return b.fitted(plain, b.VIEW_BLOCKS - 2)


def _without_accessory(block: Block) -> Block:
    return {key: value for key, value in block.items() if key != "accessory"}


def _parts(parts: Parts, words: Words, *, label: str, kit: bool, tables: bool) -> list[Part]:
    found: list[Part] = []

    def add(rank: int, *shown: Block) -> None:
        if shown:
            found.append(Part(rank, shown))

    if label:
        add(8, b.context(f"↳ {mrkdwn(label)}"))
    add(0, b.section(_head(parts)))
    if parts["act"] == "explain":
        add(1, *([b.section("\n".join(f"• {mrkdwn(line)}" for line in parts["notes"]))] if parts["notes"] else []))
    else:
        for line in parts["notes"]:
            add(1, b.section(cut(mrkdwn(line), _NOTE)))
    if parts["choices"]:
        add(1, b.section("\n".join(f"• {mrkdwn(line)}" for line in parts["choices"])))
    if parts["changes"]:
        add(1, b.section("\n".join(f"↻ {mrkdwn(line)}" for line in parts["changes"])))
    if parts["figures"]:
        add(2, b.section("\n".join(f":stopwatch: {mrkdwn(line)}" for line in parts["figures"])))
    add(3, *_understood(parts, words))
    add(4, *_methods(parts))
    add(5, *_memory(parts))
    add(4, *_levers(parts, words))
    add(6, *_recommended(parts))
    add(5, *_options(parts, words, tables))
    add(5, *_risks(parts))
    if parts["advice"]:
        add(7, b.context("\n".join(f"• {mrkdwn(line)}" for line in parts["advice"])))
    if parts["assumed"]:
        add(8, b.context(f"{b.bold(parts['assumed']['label'])} {mrkdwn(parts['assumed']['text'])}"))
    add(2, *_question(parts, words))
    if parts["verdict"]:
        add(2, *_doing(parts, words, kit))
        if tables and not parts["declined"]:
            add(9, b.feedback(words["good"], words["bad"], parts["plan"]))
        add(8, b.context(mrkdwn(f"{parts['foot']}{' · ' + parts['here'] if parts['here'] else ''}")))
    return found


def _head(parts: Parts) -> str:
    """The summary, its verdict in bold."""
    text = str(parts["head"])
    if not parts["verdict"]:
        return mrkdwn(text)
    ends = [place for place in (text.find(mark) for mark in (":", "：", ". ", "。")) if place > 0]
    end = min(ends, default=len(text))
    return f"{_MARK[parts['verdict']]} {b.bold(text[: end + 1])}{mrkdwn(text[end + 1 :])}"


def _understood(parts: Parts, words: Words) -> tuple[Block, ...]:
    known = parts["understood"]
    if not known:
        return ()
    line = " · ".join(f"{mrkdwn(item['name'])} {b.bold(item['value'])}" for item in known["items"])
    change = b.select(words["change"], "hk.change", ((item["name"], item["slot"]) for item in known["items"]))
    return (b.section(f"{mrkdwn(known['label'])}: {line}", change),)


def _methods(parts: Parts) -> tuple[Block, ...]:
    rows = [row for row in parts["methods"] if row["gpu"] or len(parts["methods"]) > 1]
    if len(rows) < 2:
        return ()
    lines = []
    for row in rows:
        figures = " · ".join(mrkdwn(row[key]) for key in ("hardware", "split", "peak", "usable") if row[key])
        head = f"{_SIGN[row['verdict']]} {b.bold(row['name'])} {mrkdwn(row['verdict_word'])}"
        lines.append(
            f"{head} · {figures}\n      {mrkdwn(row['why'])}" if row["gpu"] else f"{head}: {mrkdwn(row['why'])}"
        )
    return (b.section("\n".join(lines)),)


def _memory(parts: Parts) -> tuple[Block, ...]:
    memory = parts["memory"]
    if not memory:
        return ()
    wide = max(_width(item["name"]) for item in memory["items"])
    rows = []
    for item in memory["items"]:
        name = item["name"] + " " * (wide - _width(item["name"]))
        bar = "█" * max(1, round(item["share"] * _BAR))
        rows.append(f"{name}  {item['gib']:>6} GiB  {bar}")
    table = "\n".join(mrkdwn(row) for row in rows)
    return (b.section(f"{b.bold(memory['label'])} · {mrkdwn(memory['peak'])}\n```{table}```"),)


def _width(text: str) -> int:
    """How many columns a text takes in a fixed-width font: Chinese characters take two."""
    return sum(2 if ord(char) > 2**11 else 1 for char in text)


def _levers(parts: Parts, words: Words) -> tuple[Block, ...]:
    levers = parts["levers"]
    if not levers:
        return ()
    lines = [
        f"{_SIGN[lever['verdict']]} {b.bold(lever['change'])} → {mrkdwn(lever['after'])}: {mrkdwn(lever['effect'])}"
        for lever in levers
    ]
    pressed = [
        b.button(lever["button"], f"hk.set.lever{place}", lever["set"], "primary" if place == 0 else "")
        for place, lever in enumerate(levers)
        if lever["set"]
    ]
    return (b.section("\n".join(lines)), *b.actions(pressed))


def _recommended(parts: Parts) -> tuple[Block, ...]:
    plan = parts["recommended"]
    if not plan:
        return ()
    lines = [f"• {mrkdwn(name)}: {mrkdwn(value)}" for name, value in plan["lines"]]
    return (b.section("\n".join([b.bold(plan["label"]), *lines])),)


def _options(parts: Parts, words: Words, tables: bool) -> tuple[Block, ...]:
    options = parts["options"]
    if not options:
        return ()
    take = b.select(words["take_one"], "hk.set.option", ((each["text"], each["set"]) for each in options["takes"]))
    if tables:
        return b.section(b.bold(options["label"]), take), b.table(options["head"], options["rows"])
    lines = [f"• {b.bold(row[0])}: {' · '.join(mrkdwn(cell) for cell in row[1:])}" for row in options["rows"]]
    return (b.section("\n".join([b.bold(options["label"]), *lines]), take),)


def _risks(parts: Parts) -> tuple[Block, ...]:
    risks = parts["risks"]
    if not risks:
        return ()
    lines = [
        f"{_DEGREE[item['severity']]} {mrkdwn(item['text'])} → {mrkdwn(item['mitigation'])}" for item in risks["items"]
    ]
    more = [f"_{mrkdwn(risks['more'])}_"] if risks["more"] else []
    return (b.section("\n".join([b.bold(risks["label"]), *lines, *more])),)


def _question(parts: Parts, words: Words) -> tuple[Block, ...]:
    question = parts["question"]
    if not question:
        return ()
    choices = [(each["text"], {question["slot"]: each["value"]}) for each in question["choices"]]
    if len(choices) <= _FEW:
        answers: list[Block | None] = [
            b.button(text, f"hk.set.choice{place}", value) for place, (text, value) in enumerate(choices)
        ]
    else:
        answers = [b.select(words["choose"], "hk.set.choice", choices)]
    others = [
        b.button(words[name], f"hk.say.{name}", words[f"{name}_say"] if name != "why_asked" else words["why_say"])
        for name in ("unknown", "why_asked")
    ]
    why = f"{mrkdwn(question['why'])} · {mrkdwn(question['left'])}"
    return b.section(f":question: {b.bold(question['text'])}"), b.context(why), *b.actions([*answers, *others])


def _doing(parts: Parts, words: Words, kit: bool) -> tuple[Block, ...]:
    plan = parts["checklist"] > 0
    return b.actions(
        [
            b.button(words["export"], "hk.say.export", words["export_say"]) if plan else None,
            b.button(words["kit"], "hk.kit", parts["plan"]) if plan and kit else None,
            b.button(words["show"], "hk.say.show", words["show_say"]) if plan else None,
            b.button(words["why"], "hk.say.explain", words["explain_say"]),
        ]
    )
