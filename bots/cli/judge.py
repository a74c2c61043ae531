"""`hkgpu judge FILE|DIR|-`: what the acceptance commands printed, judged item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bots.cli import options


def judge(
    paths: Annotated[list[str] | None, typer.Argument(help="Files, folders or archives; - reads a paste.")] = None,
    order: Annotated[Path | None, typer.Option(help="What was ordered: YAML facts, or the JSON of an answer.")] = None,
    tool: Annotated[str | None, typer.Option(help="The tool that printed it, where it isn't recognised.")] = None,
    tools: Annotated[bool, typer.Option("--tools", help="List the tools and the items they speak of.")] = False,
    commands: Annotated[
        Path | None, typer.Option(help="Write the acceptance scripts into this folder instead.")
    ] = None,
    target: Annotated[str, typer.Option(help="With --commands: the server's address.")] = "",
    carrier: Annotated[str, typer.Option(help="With --commands: the carrier of the line tested.")] = "",
    data_dir: Annotated[str, typer.Option(help="With --commands: a folder on the training disk.")] = "",
    port: Annotated[list[int] | None, typer.Option(help="With --commands: a port that work needs; repeatable.")] = None,
    page: Annotated[str, typer.Option(help="With --commands: a page to download.")] = "",
    repository: Annotated[str, typer.Option(help="With --commands: a Git repository.")] = "",
    registry: Annotated[str, typer.Option(help="With --commands: a registry.")] = "",
    storage: Annotated[str, typer.Option(help="With --commands: an object storage.")] = "",
    office: Annotated[str, typer.Option(help="With --commands: the office's public address, for the way back.")] = "",
    format: options.Format = "text",
    lang: options.Lang = None,
) -> None:
    """Judge the outputs of the acceptance commands; exit 1 if an item failed."""
    from advisor.consult import judge as desk

    if tools:
        options.show(desk.tools())
        return
    if commands is not None:
        site = {"target": target, "carrier": carrier, "data_dir": data_dir, "ports": tuple(port or ())}
        site |= {"page": page, "repository": repository, "registry": registry, "storage": storage, "office": office}
        plan = desk.read_plan(options.read(order), str(order)) if order is not None else None
        words = options.language(lang) or options.default_lang()
        options.show("\n".join(str(commands / name) for name in desk.write_scripts(commands, site, plan, words)))
        return
    known = options.checked_format(format)
    ordered = desk.read_order(options.read(order), str(order)) if order is not None else None
    names = paths or []
    if names == ["-"]:
        delivery = desk.judge_stdin(ordered=ordered, tool=tool)
    else:
        delivery = desk.judge([Path(name) for name in names], ordered=ordered, tool=tool)
    options.show(desk.render(delivery, known, options.language(lang) or options.default_lang()))
    raise typer.Exit(1 if delivery.failed else 0)
