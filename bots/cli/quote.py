"""`hkgpu quote FILE|-`: vendors' offers held line by line against a plan, with the price and what to ask back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from advisor.core.errors import BadInput
from bots.cli import options

Session = Annotated[str | None, typer.Option(help="The plan of this conversation.")]


def quote(
    paths: Annotated[list[str], typer.Argument(help="Sheets (CSV, XLSX) or pasted offers; - reads standard input.")],
    input: options.Input = None,
    set_: options.Set = None,
    session: Session = None,
    format: options.Format = "text",
    lang: options.Lang = None,
) -> None:
    """Vendors' offers against the plan, line by line; exit 1 if one contradicts it or itself."""
    from advisor.consult import quotes

    if session is not None and (input is not None or set_):
        raise BadInput("--session has a plan already", do="leave --input and --set away")
    known, spoken = options.checked_format(format), options.language(lang)
    offers = [(name, _bytes(name)) for name in paths]
    reply = quotes.compare(offers, _given(input, set_, session), lang=spoken)
    options.show(quotes.render(reply, known))
    raise typer.Exit(reply.exit_code)


def _given(input: Path | None, pairs: list[str] | None, session: str | None) -> Mapping[str, object] | None:
    if session is not None:
        from advisor.consult.sessions import Sessions

        sessions = Sessions.open()
        try:
            return sessions.show(session).json
        finally:
            sessions.close()
    return options.given_facts(input, pairs) if input is not None or pairs else None


def _bytes(name: str) -> bytes:
    """A file's bytes, or those of standard input."""
    from advisor.consult.quotes import LONGEST

    try:
        if name == "-":
            if sys.stdin is None:
                raise BadInput("standard input is closed", where="-")
            return sys.stdin.buffer.read(LONGEST + 1)
        with Path(name).open("rb") as file:
            return file.read(LONGEST + 1)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=name) from None
