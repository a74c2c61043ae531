"""Pages that the site builds from code and data while it is built: the command line, facts, cards, models, claims.

MkDocs calls `on_files`; every page comes from a desk of `advisor.consult` or from the command's own help, so that a
page cannot say what the program does not. Nothing is written into the tree.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from advisor.consult import rulebase
from advisor.knowledge.library import Library, open_library
from bots.cli.main import app, main

ROOT = Path(__file__).resolve().parents[2]


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    library = open_library()
    pages = {
        "reference/cli.md": command_line(),
        "reference/facts.md": facts(),
        "reference/cards.md": cards(library),
        "reference/models.md": models(library),
        "reference/frameworks.md": frameworks(library),
        "reference/claims.md": claims(library),
        "reference/sources.md": sources(library),
        "contributing.md": outside("CONTRIBUTING.md"),
        "changelog.md": outside("CHANGELOG.md"),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def command_line() -> str:
    """Each command with its own help."""
    parts = ["# Commands\n"]
    for names in commands():
        parts += [f"## hkgpu {' '.join(names)}\n", "```text", shown([*names, "--help"]).strip(), "```\n"]
    return "\n".join(parts)


def commands() -> Iterator[list[str]]:
    """The names of all commands, groups spelt out."""
    import typer.main

    root = typer.main.get_command(app)
    for name, command in sorted(root.commands.items()):  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            yield from ([name, each] for each in sorted(command.commands))
        else:
            yield [name]


def shown(arguments: list[str]) -> str:
    """What a command prints."""
    with redirect_stdout(io.StringIO()) as out:
        main(arguments)
    return out.getvalue()


def facts() -> str:
    """Every fact a rule may name."""
    text = rulebase.list_facts("text", "en")
    return "\n".join(
        ["# Facts\n", "What `--set`, `--input` and the rules may name.\n", "```text", text.strip(), "```\n"]
    )


def figure(value: Any) -> str:
    """A figure of a record with its unit; a dash where the card lacks the feature, a question mark where unknown."""
    if value.value is None:
        return "–" if value.why == "not a feature" else "?"
    return f"{value.value:g} {value.unit or ''}".strip()


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell_of(each) for each in line) + " |" for line in lines) + "\n"


def cell_of(text: str) -> str:
    """One cell: one line, and no character that ends it."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;")


def cards(library: Library) -> str:
    """Every card with the figures that estimates rest on."""
    head = ["card", "form", "memory", "usable", "bandwidth", "BF16, dense", "FP8, dense", "NVLink", "power", "source"]
    rows = [
        [
            card.name, card.form, *(figure(each) for each in (
                card.memory, card.memory_usable, card.bandwidth, card.bf16, card.fp8, card.nvlink, card.power)),
            ", ".join(sorted({each.source for each in (card.memory, card.bandwidth, card.bf16) if each.source})),
        ]
        for _, card in sorted(library.gpus.items())
    ]  # fmt: skip
    note = "– = not a feature of the card; ? = not found. Throughput is dense, with FP32 accumulation.\n"
    return "\n".join(["# Cards\n", note, table(head, rows)])


def models(library: Library) -> str:
    """Every model with its shape."""
    head = ["model", "parameters", "active", "layers", "hidden", "context", "licence", "source"]
    rows = [
        [
            model.name, f"{model.params:g} B", f"{model.params_active:g} B" if model.params_active else "all",
            str(model.layers or "?"), str(model.hidden or "?"), f"{model.max_context:,}" if model.max_context else "?",
            model.licence or "?", model.source,
        ]
        for _, model in sorted(library.models.items())
    ]  # fmt: skip
    return "\n".join(["# Models\n", table(head, rows)])


def frameworks(library: Library) -> str:
    """Every framework with what it takes where nobody says otherwise."""
    parts = ["# Frameworks\n", "What is taken where nobody says otherwise, and where that stands.\n"]
    for _, each in sorted(library.frameworks.items()):
        rows = [
            [key, f"{setting.value} {setting.unit or ''}".strip(), setting.status, setting.source]
            for key, setting in sorted(each.defaults.items())
        ]
        parts += [f"## {each.name}\n", f"Used for {each.use}; checked on {each.checked}.\n"]
        parts += [table(["setting", "value", "status", "source"], rows)] if rows else []
    return "\n".join(parts)


def claims(library: Library) -> str:
    """What vendors' articles say, and what the evidence says."""
    head = ["verdict", "said", "instead", "because"]
    rows = [
        [claim.verdict, claim.said.en, claim.instead.en, ", ".join(claim.because)]
        for _, claim in sorted(library.claims.items())
    ]
    return "\n".join(["# Claims\n", table(head, rows)])


def sources(library: Library) -> str:
    """Every source by its id."""
    head = ["id", "title", "date", "checked", "kind"]
    rows = [
        [
            key,
            f"[{each.title}]({each.address})" if each.address else each.title,
            str(each.date),
            str(each.checked),
            each.kind,
        ]
        for key, each in sorted(library.sources.items())
    ]
    return "\n".join(["# Sources\n", table(head, rows)])


def outside(name: str) -> str:
    """A page that stands at the top of the tree; its links into `docs/` are turned."""
    text = (ROOT / name).read_text("utf-8")
    return re.sub(r"\]\(docs/", "](", text)
