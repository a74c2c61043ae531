"""Slack's blocks, each within its limits, and a message's blocks within all limits at once.

Texts are made safe here; what a caller passes as `mark` is our own markup around texts that are safe already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bots.slack.safe import cut, mrkdwn, plain

Block = dict[str, Any]
# Slack's limits, in characters or pieces; a message's total is undocumented, fails near 13,200, and is kept below.
SECTION, HEADER, BUTTON, OPTION, PLACEHOLDER, CONTEXT = 3000, 150, 75, 75, 150, 10
BUTTON_VALUE, OPTION_VALUE, OPTIONS, ACTIONS = 2000, 150, 100, 25
CELLS, CELL, ROWS, COLUMNS = 9000, 400, 100, 20
TOTAL, BLOCKS, VIEW_BLOCKS = 12000, 50, 100
TEXT = 3900


@dataclass(frozen=True, slots=True)
class Part:
    """Blocks that stand or go together. Parts with a higher number go first where there is no room."""

    rank: int
    blocks: tuple[Block, ...]


def marked(text: str) -> Block:
    """A `mrkdwn` object of text that is safe already; Slack links and mentions nothing in it by itself."""
    return {"type": "mrkdwn", "text": cut(text, SECTION) or " ", "verbatim": True}


def words(text: str, most: int) -> Block:
    """A `plain_text` object."""
    return {"type": "plain_text", "text": cut(" ".join(plain(text).split()), most) or "–", "emoji": False}


def section(mark: str, accessory: Block | None = None) -> Block:
    """A paragraph; `mark` is safe text with our own marks."""
    return {"type": "section", "text": marked(mark), **({"accessory": accessory} if accessory else {})}


def context(*marks: str) -> Block:
    """Small print; each `mark` is safe text with our own marks."""
    return {"type": "context", "elements": [marked(mark) for mark in marks[:CONTEXT]]}


def header(text: str) -> Block:
    """A heading."""
    return {"type": "header", "text": words(text, HEADER)}


def bold(text: str) -> str:
    """A text in bold; its own asterisks go."""
    return f"*{mrkdwn(text).replace('*', '·').strip()}*" if text.strip() else ""


def button(text: str, action: str, value: object = "", style: str = "") -> Block:
    """A button; a value that is no text becomes JSON."""
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
    made: Block = {"type": "button", "text": words(text, BUTTON), "action_id": action, "value": said[:BUTTON_VALUE]}
    return {**made, "style": style} if style else made


def select(placeholder: str, action: str, choices: Iterable[tuple[str, object]]) -> Block | None:
    """A menu of (text, value); None where nothing fits in one."""
    options = []
    for text, value in choices:
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True, separators=(",", ":"))
        if 0 < len(said) <= OPTION_VALUE:
            options.append({"text": words(text, OPTION), "value": said})
    if not options:
        return None
    return {
        "type": "static_select",
        "placeholder": words(placeholder, PLACEHOLDER),
        "action_id": action,
        "options": options[:OPTIONS],
    }


def actions(elements: Sequence[Block | None]) -> tuple[Block, ...]:
    """A row of buttons and menus; none where there is nothing in it."""
    shown = [element for element in elements if element][:ACTIONS]
    return ({"type": "actions", "elements": shown},) if shown else ()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Block:
    """A table: rows equally long, no cell empty, all cells together within the limit."""

    def cell(text: str) -> Block:
        return {"type": "raw_text", "text": cut(" ".join(plain(text).split()), CELL) or "–"}

    shown: list[list[Block]] = []
    used = 0
    for row in [head, *rows][:ROWS]:
        cells = [cell(row[place] if place < len(row) else "") for place in range(min(len(head), COLUMNS))]
        used += sum(len(each["text"]) for each in cells)
        if used > CELLS and shown:
            break
        shown.append(cells)
    return {"type": "table", "rows": shown}


def feedback(good: str, bad: str, plan: str) -> Block:
    """Two thumbs."""
    element = {
        "type": "feedback_buttons",
        "action_id": "hk.vote",
        "positive_button": {"text": words(good, BUTTON), "value": f"+{plan}"},
        "negative_button": {"text": words(bad, BUTTON), "value": f"-{plan}"},
    }
    return {"type": "context_actions", "elements": [element]}


def weight(node: object) -> int:
    """The characters that Slack counts in blocks: every text in them."""
    if isinstance(node, Mapping):
        own = len(node["text"]) if isinstance(node.get("text"), str) else 0
        return own + sum(weight(value) for key, value in node.items() if key != "value")
    if isinstance(node, list | tuple):
        return sum(weight(each) for each in node)
    return 0


def fitted(parts: Sequence[Part], most: int = BLOCKS) -> list[Block]:
    """The blocks of the parts in their order, without the least important ones where there is no room for all."""
    kept = list(parts)
    while kept:
        blocks = [block for part in kept for block in part.blocks]
        if len(blocks) <= most and weight(blocks) <= TOTAL:
            return blocks
        least = max(range(len(kept)), key=lambda place: (kept[place].rank, place))
        if kept[least].rank == 0:
            # Nothing may go any more: what stands first stays.
            kept = kept[:-1]
        else:
            kept.pop(least)
    return []
