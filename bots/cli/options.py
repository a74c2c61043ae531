"""Options shared by the commands: language, format, facts on the command line, rows in and out."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from advisor.core.errors import BadInput, did_you_mean
from advisor.core.text import LANGS
from advisor.core.text import Lang as Language

Format = Annotated[str, typer.Option(help="text, markdown or json")]
Lang = Annotated[str | None, typer.Option(help="en, zh or zh-Hant; default: the question's, HKGPU_LANG, the locale")]
Input = Annotated[Path | None, typer.Option(help="A YAML or JSON file of facts; - reads standard input.")]
Set = Annotated[list[str] | None, typer.Option("--set", help="fact=value; may be repeated.")]
Rows = Annotated[Path, typer.Option(help="The rows; - reads standard input.")]
RowsOut = Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")]

FORMATS = ("text", "markdown", "json")


def checked_format(word: str, known: Sequence[str] = FORMATS) -> str:
    """The format itself; raises `BadInput` for another word."""
    if word not in known:
        raise BadInput(
            f'unknown format "{word}"', where="--format", expected=", ".join(known), do=did_you_mean(word, known)
        )
    return word


def language(word: str | None) -> Language | None:
    """The language asked for, or None where the question decides."""
    if word is None:
        return None
    if word not in LANGS:
        raise BadInput(
            f'unknown language "{word}"', where="--lang", expected=", ".join(LANGS), do=did_you_mean(word, LANGS)
        )
    return word


def default_lang() -> Language:
    """HKGPU_LANG, else the locale, else English."""
    said = os.environ.get("HKGPU_LANG")
    if said:
        return language(said) or "en"
    name = locale.getlocale()[0] or os.environ.get("LANG", "")
    if not name.startswith("zh"):
        return "en"
    return "zh-Hant" if any(part in name for part in ("TW", "HK", "MO", "Hant")) else "zh"


def text_or_stdin(text: str) -> str:
    """The text, or standard input for `-`. Bytes that are no UTF-8 are refused with a message."""
    if text != "-":
        return text
    return read(Path("-"))


def read(path: Path) -> str:
    """A file or standard input as text; raises `BadInput` where it can't be read."""
    if str(path) == "-" and sys.stdin is None:
        raise BadInput("standard input is closed", where="-")
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8", where=str(path), do="save it as UTF-8") from None


def given_facts(input: Path | None, pairs: Sequence[str] | None) -> Mapping[str, object]:
    """Facts from a file and from `--set`, the latter winning."""
    from advisor.consult import answer

    facts: dict[str, object] = {}
    if input is not None:
        facts.update(answer.read_facts(read(input), str(input)))
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise BadInput(f'"{pair}" sets nothing', where="--set", expected="fact=value")
        facts[name.strip()] = value.strip()
    return facts


def show(text: str) -> None:
    """Print a result; characters that the terminal can't show are replaced."""
    write(text, None)


def write(text: str, output: Path | None) -> None:
    """Write a result to a file or to standard output, always as UTF-8 in files."""
    body = text if text.endswith("\n") else text + "\n"
    if output is not None:
        try:
            output.write_text(body, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot be written ({error.strerror})", where=str(output)) from None
        return
    if sys.stdout is None:
        raise BadInput("standard output is closed", do="write to a file with -o, or leave it open")
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(body.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def run_batch(desk: Callable[[str], Iterable[str]], input: Path, output: Path | None) -> None:
    """Run a batch desk over a file: one line out at a time, progress on a terminal's standard error."""
    lines = desk(read(input))
    target = output.open("w", encoding="utf-8", newline="") if output else sys.stdout
    try:
        for count, line in enumerate(lines):
            target.write(line)
            if sys.stderr.isatty() and count:
                sys.stderr.write(f"\r{count} rows")
    finally:
        if output:
            target.close()
    if sys.stderr.isatty():
        sys.stderr.write("\n")
