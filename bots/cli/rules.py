"""`hkgpu rules ...`: check, test, coverage, mutate, explain, docs, graph, new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bots.cli import options

app = typer.Typer(help="Look at and test the rule base.", no_args_is_help=True, rich_markup_mode=None)

Folder = Annotated[Path | None, typer.Argument(help="An overlay folder; default: the rules in use.")]


@app.command()
def check(folder: Folder = None) -> None:
    """Read and check every rule and every file of knowledge."""
    from advisor.consult import rulebase

    options.show(rulebase.check(folder))


@app.command("test")
def run_examples(folder: Folder = None) -> None:
    """Run the examples that stand in the rules."""
    from advisor.consult import rulebase

    report = rulebase.examples(folder)
    options.show(report.text)
    raise typer.Exit(0 if report.passed else 1)


@app.command()
def coverage() -> None:
    """Which rules, conditions and branches the examples exercise."""
    from advisor.consult import rulebase

    report = rulebase.coverage()
    options.show(report.text)
    raise typer.Exit(0 if report.passed else 1)


@app.command()
def mutate(folder: Folder = None) -> None:
    """Spoil every rule in small ways: do its examples notice?"""
    from advisor.consult import rulebase

    report = rulebase.mutation(folder)
    options.show(report.text)
    raise typer.Exit(0 if report.passed else 1)


@app.command()
def explain(id: Annotated[str, typer.Argument(help="A rule's id.")], lang: options.Lang = None) -> None:
    """A rule as a readable sentence, with its sources and examples."""
    from advisor.consult import rulebase

    options.show(rulebase.explain(id, options.language(lang) or options.default_lang()))


@app.command()
def docs(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write into.")] = Path("docs/rules"),
) -> None:
    """Write every rule as a readable sentence in both languages, a page a folder."""
    from advisor.consult import rulebase

    options.show(rulebase.write_documents(output))


@app.command()
def graph() -> None:
    """Which facts lead where, as a Mermaid diagram."""
    from advisor.consult import rulebase

    options.show(rulebase.graph())


@app.command()
def new(id: Annotated[str, typer.Argument(help="The id of the rule, e.g. sizing.my_rule.")]) -> None:
    """Write the skeleton of a rule into the overlay or the checkout."""
    from advisor.consult import rulebase

    options.show(str(rulebase.new(id)))
