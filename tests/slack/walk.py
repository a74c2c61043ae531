"""A newcomer's first thread, in English and Chinese: `python -m tests.slack.walk` writes it into docs/slack.md.

The thread is what the bot says to the fake workspace, word for word; only layout is left out.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.slack.bot import ROOT, answers, settled, workplace
from tests.slack.fake_slack import FakeSlack

PAGE = ROOT / "docs/slack.md"
BEGIN, END = "<!-- walk: python -m tests.slack.walk -->", "<!-- end of walk -->"
TALKS = {
    "English": (
        "can I fine-tune 70B here?",
        "LoRA, sequences of 4k",
        "8x A100 80GB",
        "60M tokens, 2 epochs",
        "no, I meant two cards",
        "export the checklist",
    ),
    "中文": (
        "能不能在这里微调70B？",
        "LoRA，长度4k",
        "8张A100 80GB",
        "6000万token，训2轮",
        "不对，我是说两张卡",
        "导出清单",
    ),
}


def talk(fake: FakeSlack, lines: tuple[str, ...]) -> list[tuple[str, dict]]:
    """Say the lines in one thread; each with its answer."""
    sent = fake.say("U1", "C1", f"<@UBOT> {lines[0]}")
    said = []
    for place, line in enumerate(lines):
        if place:
            fake.say("U1", "C1", line, thread_ts=sent.root)
        found = fake.wait(lambda: answers(fake, "C1", sent.root)[len(said) :], 40, "an answer")
        said.append((line if place else f"@hkgpu {line}", found[0]))
    settled(fake)
    return said


def shown(said: list[tuple[str, dict]]) -> str:
    """A thread as Markdown."""
    parts = []
    for line, answer in said:
        body = [re.sub(r"([*_<>|])", r"\\\1", each) for each in answer["text"].split("\n") if each]
        body += [f"📎 `{file['name']}`" for file in answer.get("files", ())]
        pressed = [
            element["text"]["text"] if "text" in element else element["placeholder"]["text"]
            for block in answer.get("blocks", ()) if block["type"] == "actions" for element in block["elements"]
        ]  # fmt: skip
        body += [" ".join(f"`[{name}]`" for name in pressed)] if pressed else []
        quoted = "\n".join(f"> {each}  " for each in body)
        parts.append(f"**ana**: {line}\n\n{quoted}".replace("  \n> ", "  \n> "))
    return "\n\n".join(parts)


def skeleton(text: str) -> list[str]:
    """What of a thread does not hang on a figure: who says what, and the verdict of each answer."""
    found = []
    for line in text.split("\n"):
        if line.startswith("**ana**"):
            found.append(line.strip())
        elif line.startswith("> ") and found and found[-1].startswith("**ana**"):
            found.append(re.split(r"[:：.。]", line.removeprefix("> "))[0].strip())
    return found


def walked() -> str:
    """Both threads as the page shows them."""
    with tempfile.TemporaryDirectory(prefix="hkgpu_walk_") as folder, workplace(Path(folder), http=True) as (fake, _):
        return threads_of(fake)


def threads_of(fake: FakeSlack) -> str:
    return "\n\n".join(f"### {name}\n\n{shown(talk(fake, lines))}" for name, lines in TALKS.items())


def on_page() -> str:
    """The threads that stand on the page now."""
    return PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].strip()


def main() -> None:
    page = PAGE.read_text("utf-8")
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(f"{head}{BEGIN}\n\n{walked()}\n\n{END}{tail}", "utf-8")


if __name__ == "__main__":
    main()
