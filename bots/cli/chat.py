"""`hkgpu chat`, `hkgpu forget` and the checklist of a conversation: the terminal's side of a conversation with memory.

It reads lines and prints answers. The lines typed stay in this process: the arrow keys bring them back, no file does. A
line that cannot be answered gives one clear line, and the conversation goes on.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.core.errors import BadInput, HkgpuError
from advisor.core.text import Lang as Language
from bots.cli import options

if TYPE_CHECKING:
    from advisor.consult.sessions import Sessions

Session = Annotated[str | None, typer.Option(help="The id of a conversation, 32 digits 0-9 a-f.")]
_LEAVE = ("exit", "quit", "bye", ":q", "退出", "再见", "再見")


def person() -> str:
    """Who sits at this terminal: the same for each start, and no name that tells who it is."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "somebody"
    return f"cli:{hashlib.sha256(f'{name}@{platform.node()}'.encode()).hexdigest()[: 2**5]}"


def chat(
    session: Session = None,
    format: options.Format = "text",
    lang: options.Lang = None,
) -> None:
    """A conversation with a memory; with --format json one message a line in, one answer a line out."""
    from advisor.consult.sessions import Sessions

    format, spoken = options.checked_format(format), options.language(lang)
    sessions = Sessions.open()
    try:
        id_ = session or sessions.begin()
        if session is not None:
            _catch_up(sessions, id_, format)
        print(f"session {id_}", file=sys.stderr)
        for line in _lines():
            if not line.strip():
                continue
            if line.strip().lower() in _LEAVE and sys.stdin.isatty():
                break
            _one(sessions, id_, line, format, spoken)
    finally:
        sessions.close()


def _one(sessions: Sessions, session: str, line: str, format: str, lang: Language | None) -> None:
    from advisor.consult.sessions import render

    try:
        options.show(render(sessions.say(session, line, person=person(), lang=lang), format))
    except HkgpuError as error:
        if format == "json":
            options.show(json.dumps({"session": session, "error": str(error)}, ensure_ascii=False))
        print(str(error), file=sys.stderr)


def _catch_up(sessions: Sessions, session: str, format: str) -> None:
    """Answer what was taken and never answered, and on a terminal show where the conversation stands."""
    from advisor.consult.sessions import render

    for _, reply in sessions.resume(session):
        options.show(render(reply, format))
    if sys.stdin.isatty() and sessions.understood(session):
        options.show(render(sessions.show(session), "text"))


def _lines() -> Iterator[str]:
    """Lines from a terminal (with editing and the lines before) or a pipe; bytes that are no UTF-8 are replaced."""
    if not sys.stdin.isatty():
        for raw in sys.stdin.buffer:
            yield raw.decode("utf-8", "replace").rstrip("\r\n")
        return
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # input() has editing and history once it is imported
    while True:
        try:
            yield input("> ")
        except EOFError:
            print()
            return


def frozen_checklist(session: str, format: str, lang: Language | None, output: Path | None) -> None:
    """Write the frozen checklist of a conversation; what would be different now is said on standard error."""
    from advisor.consult.sessions import Sessions

    sessions = Sessions.open()
    try:
        exported = sessions.checklist(session, format, lang=lang)
    finally:
        sessions.close()
    options.write(exported.text, output)
    for note in exported.notes:
        print(note, file=sys.stderr)


def forget(
    session: Session = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether this is meant.")] = False,
    lang: options.Lang = None,
) -> None:
    """Remove what you said from this terminal, in one conversation or in all."""
    from advisor.consult.sessions import Sessions, told

    if not yes and not sys.stdin.isatty():
        raise BadInput("nobody is there to confirm this", do="say --yes where it is meant")
    if not yes:
        typer.confirm("Remove what you said" + ("" if session is None else " in this conversation") + "?", abort=True)
    sessions = Sessions.open()
    try:
        gone = sessions.forget(person(), session)
    finally:
        sessions.close()
    options.show(told(gone, options.language(lang) or options.default_lang()))
