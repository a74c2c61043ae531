"""The command `hkgpu`: the terminal face.

It parses options, calls one desk of `advisor.consult` and prints. It knows no advice, shows one clear line for every
error (exit 2 for bad input, 1 for a declined question or a failed item) and never a traceback. Desks are imported
inside the commands, so that `hkgpu ask` loads nothing it does not need.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from advisor.core.errors import BadInput, HkgpuError
from bots.cli import backup, chat, claims, judge, kit, mcp, options, quote, rules, slack, sweep, web

app = typer.Typer(
    name="hkgpu",
    help="Will the job run on a GPU server in Hong Kong, what to order, and how to prove the delivery.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
)
app.add_typer(rules.app, name="rules")
app.command()(claims.claims)
app.command()(judge.judge)
app.command()(kit.kit)
app.command()(quote.quote)
app.command()(sweep.sweep)
app.command()(chat.chat)
app.command()(chat.forget)
app.command()(mcp.mcp)
app.command()(backup.backup)
app.command()(backup.restore)
app.command()(web.web)
app.command()(slack.slack)


def _version(asked: bool) -> None:
    if asked:
        from advisor.core.version import version as program

        print(f"hkgpu {program()}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Will the job run on a GPU server in Hong Kong, what to order, and how to prove the delivery."""


# A question may begin with a minus: what is no option of ours is the question.
@app.command(context_settings={"ignore_unknown_options": True})
def ask(
    text: Annotated[str, typer.Argument(help="The question, in English or Chinese; - reads standard input.")],
    format: options.Format = "text",
    lang: options.Lang = None,
    model_config: Annotated[
        Path | None, typer.Option(help="A Hugging Face config.json of the model, where its name is unknown.")
    ] = None,
) -> None:
    """One question, one answer."""
    from advisor.consult import answer

    reply = answer.ask(options.text_or_stdin(text), lang=options.language(lang), model_config=model_config)
    options.show(answer.render(reply, options.checked_format(format)))
    raise typer.Exit(reply.exit_code)


@app.command()
def advise(
    input: options.Input = None,
    set_: options.Set = None,
    format: options.Format = "text",
    lang: options.Lang = None,
    model_config: Annotated[Path | None, typer.Option(help="A Hugging Face config.json of the model.")] = None,
) -> None:
    """The same answer from structured facts."""
    from advisor.consult import answer

    facts = options.given_facts(input, set_)
    reply = answer.advise(facts, lang=options.language(lang), model_config=model_config)
    options.show(answer.render(reply, options.checked_format(format)))
    raise typer.Exit(reply.exit_code)


@app.command()
def checklist(
    input: options.Input = None,
    set_: options.Set = None,
    format: Annotated[str, typer.Option(help="markdown or json")] = "markdown",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    lang: options.Lang = None,
    session: chat.Session = None,
) -> None:
    """The acceptance checklist as a Markdown task list."""
    if session is not None:
        known = options.checked_format(format, ("markdown", "json"))
        return chat.frozen_checklist(session, known, options.language(lang), output)
    from advisor.consult import answer

    facts = options.given_facts(input, set_)
    reply = answer.advise(facts, lang=options.language(lang))
    options.write(answer.render_checklist(reply, options.checked_format(format, ("markdown", "json"))), output)
    raise typer.Exit(reply.exit_code)


@app.command()
def facts(format: options.Format = "text", lang: options.Lang = None) -> None:
    """Every fact with type, unit and choices."""
    from advisor.consult import rulebase

    options.show(rulebase.list_facts(options.checked_format(format), options.language(lang) or options.default_lang()))


@app.command()
def parse(input: options.Rows, output: options.RowsOut = None) -> None:
    """What a line of text says, as JSON lines."""
    from advisor.consult import batch

    options.run_batch(batch.parse_lines, input, output)


@app.command()
def estimate(input: options.Rows, output: options.RowsOut = None) -> None:
    """Memory a card for each row of a CSV."""
    from advisor.consult import batch

    options.run_batch(batch.estimate_csv, input, output)


@app.command()
def speed(input: options.Rows, output: options.RowsOut = None) -> None:
    """Tokens a second a card for each row of a CSV."""
    from advisor.consult import batch

    options.run_batch(batch.speed_csv, input, output)


# Typer brings click's exceptions under a private name, or takes click's own, depending on its version.
_USAGE: Any = typer.BadParameter.__mro__[2]


def _usage_line(error: Any) -> str:
    """One clear line for a wrong command line; the help as it is where nothing was asked."""
    message: str = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        return message
    return f"{' '.join(message.split()).rstrip('.')}; see hkgpu --help"


def main(argv: Sequence[str]) -> int:
    """Run the command line; returns the exit code and lets no exception through."""
    try:
        result: Any = app(args=list(argv), prog_name="hkgpu", standalone_mode=False)
    except typer.Abort:
        return 130
    except _USAGE as error:
        print(_usage_line(error), file=sys.stderr)
        return 2
    except HkgpuError as error:
        print(str(error), file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    except (OSError, UnicodeError) as error:
        print(str(BadInput(str(error))), file=sys.stderr)
        return 2
    return result if isinstance(result, int) else 0


# Commands that live for a second: see advisor.consult.brief.
_BRIEF = ("ask", "advise", "checklist", "facts", "claims")


def run() -> None:
    """The entry point of the package."""
    if sys.argv[1:2] and sys.argv[1] in _BRIEF:
        from advisor.consult.brief import brief

        with brief():
            code = main(sys.argv[1:])
        sys.exit(code)
    sys.exit(main(sys.argv[1:]))
