"""`hkgpu claims "TEXT"`: is a vendor's sentence true?"""

from __future__ import annotations

from typing import Annotated

import typer

from bots.cli import options


def claims(
    text: Annotated[str, typer.Argument(help="The sentence, in English or Chinese; - reads standard input.")],
    format: options.Format = "text",
    lang: options.Lang = None,
) -> None:
    """Is a vendor's sentence true: right, wrong, or it depends, with the real figure."""
    from advisor.consult import claims as desk

    reply = desk.ask(options.text_or_stdin(text), lang=options.language(lang))
    options.show(desk.render(reply, options.checked_format(format)))
