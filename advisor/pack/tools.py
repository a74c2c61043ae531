"""The files of the tools that train or serve: filled in for the plan, or the reason why a tool cannot run it.

What a tool needs stands in knowledge/compatibility/tools; here its parts are laid, quoted and written. A tool without
a word for one of the plan's choices (an optimizer, a stage) is refused with that choice named, never given another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.core.errors import BadData
from advisor.core.text import Text
from advisor.knowledge.library import Library
from advisor.knowledge.records.stacks import Tool, ToolFile
from advisor.knowledge.writer import write_text
from advisor.pack import quoting
from advisor.pack.tree import Scalar, Scene, filled, holds, laid
from advisor.pack.words import Wording, pair, text

# A shell variable that the person at the server sets, or what stands behind run.sh; all else of a command is quoted.
_VARIABLE = re.compile(r"(?:--[a-z_]+=)?\$(?:[A-Z][A-Z0-9_]*|@)")


@dataclass(frozen=True)
class Written:
    """The files of one tool (path below the pack's `training` or `serving` folder), or why there are none."""

    tool: Tool
    files: Mapping[str, bytes] = field(default_factory=dict)
    about: Mapping[str, Text] = field(default_factory=dict)
    why_not: tuple[str, ...] = ()


def tools(library: Library, use: str) -> Iterator[Tool]:
    """The tools for training or serving, by id."""
    for key in library.compatibility:
        if key.startswith("tools."):
            tool = library.compatibility[key]
            if isinstance(tool, Tool) and tool.use == use:
                yield tool


def written(tool: Tool, scene: Scene, wording: Wording) -> Written:
    """The tool's files for this plan."""
    where = f"knowledge/compatibility/tools/{short(tool)}.yaml"
    refused = [wording.text(each.why.text) for each in tool.refuses if holds(each.when, scene, where)]
    own, lacking = _words(tool, scene)
    if not refused:
        refused = [text(wording, "no_word", tool=tool.name, what=name, value=str(scene[name])) for name in lacking]
    if tool.models is not None and scene["model_id"] not in tool.models:
        refused.append(text(wording, "no_model", tool=tool.name))
    if refused:
        return Written(tool, why_not=tuple(refused))
    full: dict[str, Scalar | None] = {**_blank(tool), **scene, **own, "whole_epochs": _whole(scene["epochs"])}
    full |= {name: filled(template, full, where) for name, template in tool.derived.items()}
    found: dict[str, bytes] = {}
    about: dict[str, Text] = {}
    for file in tool.files:
        if holds(file.when, full, where):
            path = f"{short(tool)}/{file.name}"
            found[path] = _body(file, full, wording, where)
            about[path] = file.about.text
    return Written(tool, found, about)


# What every tool's file repeats of the plan; a served model has no use for what only training takes.
_SERVED = ("method", "stage", "sharding", "copies", "precision", "seq_len", "new_tokens", "concurrency", "quant")
_SHOWN = (
    "method", "stage", "sharding", "precision", "micro_batch", "grad_accum", "global_batch", "seq_len", "grad_ckpt",
    "optimizer", "lora_rank", "quant", "learning_rate", "save_steps",
)  # fmt: skip


def page(every: Sequence[Written], scene: Scene, wording: Wording) -> bytes:
    """`TOOLS.md`: the plan's values, the tools that can run it with their files, and those that cannot."""
    lines = [f"# {text(wording, 'tools_title')}", "", text(wording, "tools_head"), ""]
    lines += [f"## {text(wording, 'tools_plan')}", ""]
    names = _SHOWN if scene["trains"] else _SERVED
    known = ((name, scene[name]) for name in names if scene[name] is not None)
    lines += [f"- {pair(wording, name, quoting.code(value))}" for name, value in known]
    lines += ["", f"## {text(wording, 'tools_can')}", ""]
    for each in every:
        lines += _ready(each, scene, wording) if each.files else []
    refused = [each for each in every if each.why_not]
    if refused:
        lines += [f"## {text(wording, 'tools_cannot')}", ""]
        lines += [f"- {pair(wording, f'**{each.tool.name}**', ' '.join(each.why_not))}" for each in refused]
    return ("\n".join(lines).rstrip() + "\n").encode()


def _ready(each: Written, scene: Scene, wording: Wording) -> list[str]:
    tool = each.tool
    lines = [f"### {tool.name}", "", text(wording, "tools_start", stack=tool.stack.rpartition(".")[2]), ""]
    lines += [f"- {pair(wording, f'`{path}`', wording.text(said))}" for path, said in each.about.items()]
    if tool.note is not None:
        lines += ["", wording.filled(tool.note.text, {"model_dir": str(scene["model_dir"])})]
    return [*lines, ""]


def short(tool: Tool) -> str:
    """The tool's folder."""
    return tool.id.rpartition(".")[2]


def _words(tool: Tool, scene: Scene) -> tuple[dict[str, Scalar | None], list[str]]:
    """The tool's words for the plan's choices (`NAME_word`), its names for the model, and what it has no word for."""
    found: dict[str, Scalar | None] = {}
    lacking = []
    for name, words in tool.words.items():
        value = scene.get(name)
        if str(value) in words:
            found[f"{name}_word"] = words[str(value)]
        else:
            lacking.append(name)
            found[f"{name}_word"] = None
    if tool.models is not None:
        found |= tool.models.get(str(scene["model_id"]), {})
    return found, lacking


def _blank(tool: Tool) -> dict[str, Scalar | None]:
    """Every name that some model of the tool has, unknown: a model without it leaves the key out."""
    return {name: None for names in (tool.models or {}).values() for name in names}


def _whole(value: Scalar | None) -> int:
    """Epochs for a tool that counts only whole ones: at least one."""
    return max(round(float(value or 1)), 1)


def _body(file: ToolFile, scene: Scene, wording: Wording, where: str) -> bytes:
    tree = laid(file.parts, scene, where)
    if file.format == "json":
        return quoting.json_bytes(tree)
    head = f"{wording.text(file.about.text)}\n{text(wording, 'by_hkgpu')}"
    if file.format == "yaml":
        return write_text(tree, head).encode()
    return _command(file, tree, scene, head, where)


def _command(file: ToolFile, tree: Mapping[str, Any], scene: Scene, head: str, where: str) -> bytes:
    words = [*(_word(each, scene, where) for each in file.argv), *_options(tree)]
    words += [_word(each, scene, where) for each in file.after]
    before = [_assignment(each, scene, where) for each in file.before]
    body = " ".join([*before, quoting.command(words)])
    comment = "\n".join(f"# {each}" for each in head.splitlines())
    start = 'set -euo pipefail\ncd "$(dirname "$0")"\n'
    return f"#!/usr/bin/env bash\n{comment}\n{start}exec {'env ' if before else ''}{body}\n".encode()


def _word(word: str, scene: Scene, where: str) -> str:
    """A word of a command. One that is written in the tool's file with a variable is left to the shell to expand."""
    if _VARIABLE.fullmatch(word):
        return quoting.Expanded(word)
    found = filled(word, scene, where)
    if found is None:
        raise BadData(f'nothing is known to put in "{word}"', where=where)
    return found


def _assignment(word: str, scene: Scene, where: str) -> str:
    name, equals, value = word.partition("=")
    if not equals:
        raise BadData(f'"{word}" sets no variable', where=where, expected="NAME=value")
    return f"{name}={quoting.shell(_word(value, scene, where))}"


def _options(tree: Mapping[str, Any]) -> Iterator[str]:
    for name, value in tree.items():
        if value is False:
            continue
        yield f"--{name}"
        if value is not True:
            yield str(value)
