"""Files, folders, archives and pastes -> readings. Bounded in size, never outside what was given.

A large log is not loaded: its telling lines are picked out block by block. Archives are read in memory, member by
member, with limits on number and size; a member's name is only a name and never a path that is written or followed.
"""

from __future__ import annotations

import codecs
import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.acceptance.decode import decode
from advisor.acceptance.detect import BY_NAME, parts
from advisor.acceptance.reading import Reading
from advisor.acceptance.tool import Tool
from advisor.core.errors import BadInput, did_you_mean

# Limits that keep hostile or broken input away.
WHOLE = 2**23
MEMBER = 2**26
TOTAL = 2**28
MEMBERS = 2**11
BLOCK = 2**20
KEPT = 2**13
EDGE = 2**16
# What a line of a large log must hold to be kept.
_TELLING = (
    "NVRM", "Xid", "AER", "Hardware Error", "Machine check", "Machine Check", "Out of memory", "oom-kill", "oom_kill",
    "fallen off", "segfault", "limited by", "I/O error", "EDAC", "Bus Error", "invoked oom", "nvidia",
)  # fmt: skip
_NUMBERS = re.compile(r"\d+(?=[.:,\]])|0x[0-9a-f]+|\[[\s\d.]+\]")
# What stands where a character was lost: by us, or by the terminal that the text was copied from.
_DAMAGE = ("\ufffd", "▒")
# From one such character in eight on, nobody reads it.
_PART = 2**3
_NOT_RUN = re.compile(
    r"command not found|: not found\s*$|未找到命令|找不到命令|is not recognized as|不是(?:内部|內部)或外部命令"
    r"|No such file or directory",
    re.IGNORECASE | re.MULTILINE,
)
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".zip")


@dataclass(frozen=True)
class Output:
    """One output of one tool, from a file (or a part of one)."""

    file: str
    reading: Reading | None
    problem: str = ""
    """Why there is no reading: empty, noise, not_run or unknown_tool."""


def gather(path: Path, tool: str | None = None) -> Iterator[Output]:
    """Every output under a file, a folder or an archive. Raises `BadInput` where there is nothing to read."""
    if path.is_dir():
        for one in sorted(path.rglob("*")):
            if one.is_file() and not one.is_symlink() and not one.name.startswith(".") and not _own(one):
                yield from gather(one, tool)
        return
    try:
        if path.name.lower().endswith(_ARCHIVES):
            yield from _archive(path, tool)
        elif path.name.lower().endswith(".gz"):
            with gzip.open(path) as packed:
                yield from read_text(decode(_limited(packed.read(MEMBER + 1), path.name)), path.name, tool)
        elif path.stat().st_size > WHOLE:
            yield from read_text(telling(path), path.name, tool, cut=True)
        else:
            yield from read_text(decode(path.read_bytes()), path.name, tool)
    except (OSError, EOFError, zlib.error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise BadInput(f"cannot be read ({why})", where=str(path)) from None


def _own(path: Path) -> bool:
    """The manifest that our own script wrote is no output of a tool."""
    return path.name in ("manifest.json", "manifest.tsv", "matmul.py")


def read_text(text: str, file: str, tool: str | None = None, cut: bool = False) -> Iterator[Output]:
    """The outputs of one text; one without a reading where no tool is known."""
    forced = _forced(tool)
    found = [(forced, text)] if forced else parts(text)
    for number, (known, piece) in enumerate(found):
        name = file if len(found) < 2 else f"{file}#{number + 1}"
        if known is None:
            yield Output(name, None, _problem(piece))
            continue
        reading = _read(known, piece)
        if cut and known.name != "dmesg":
            reading.complete = False
        if known.name != "dmesg" and any(mark in piece for mark in _DAMAGE):
            # Some bytes could not be read: what was read stands, but it proves nothing.
            reading.complete = False
        yield Output(name, reading)


def _problem(text: str) -> str:
    """What is wrong with a text that no tool printed."""
    if not text.strip("\x00 \t\r\n\ufeff"):
        return "empty"
    odd = sum(char in _DAMAGE or not (char.isprintable() or char.isspace()) for char in text[:EDGE])
    if odd * _PART > len(text[:EDGE]):
        return "noise"
    return "not_run" if _NOT_RUN.search(text) else "unknown_tool"


def tool_named(file: str) -> str:
    """The tool that a file's name speaks of, the longest name first; empty where it speaks of none."""
    stem = re.sub(r"[^a-z0-9]+", "-", file.lower().rpartition("/")[2])
    found = [name for name in BY_NAME if len(name) > 2 and re.search(rf"(?:^|-){re.escape(name.lower())}(?:-|$)", stem)]
    return max(found, key=len, default="")


def _read(tool: Tool, text: str) -> Reading:
    """A reader that stumbles over a broken output has read nothing; the tests run the readers without this net."""
    try:
        return tool.read(text)
    except (ValueError, LookupError, ArithmeticError, RecursionError, TypeError, AttributeError):
        return Reading(tool.name, complete=False)


def _forced(tool: str | None) -> Tool | None:
    if tool is None:
        return None
    if tool not in BY_NAME:
        raise BadInput(f'there is no tool "{tool}"', expected=", ".join(BY_NAME), do=did_you_mean(tool, BY_NAME))
    return BY_NAME[tool]


def telling(path: Path) -> str:
    """The beginning, the end and the telling lines of a large text, without loading it; repeats are counted once."""
    with path.open("rb") as file:
        head = file.read(EDGE)
        encoding = "utf-16" if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8"
        file.seek(0)
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        kept: dict[str, str] = {}
        rest, last = "", ""
        while block := file.read(BLOCK):
            text = rest + decoder.decode(block)
            cut = text.rfind("\n")
            rest, text = (text[cut + 1 :], text[: cut + 1]) if cut >= 0 else (text[-EDGE:], text)
            if len(kept) < KEPT:
                _keep(text, kept)
            last = text[-EDGE:].partition("\n")[2]
    first = decode(head).rpartition("\n")[0]
    return "\n".join([first, *kept.values(), last, rest])


def _keep(text: str, kept: dict[str, str]) -> None:
    seen: set[int] = set()
    for word in _TELLING:
        at = text.find(word)
        while at >= 0:
            begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = len(text) if end < 0 else end
            if begin not in seen:
                seen.add(begin)
                line = text[begin : min(end, begin + 2**10)]
                if len(kept) < KEPT:
                    kept.setdefault(_NUMBERS.sub("#", line), line)
            at = text.find(word, end)


def _archive(path: Path, tool: str | None) -> Iterator[Output]:
    total = 0
    try:
        for name, data in _zip(path) if path.name.lower().endswith(".zip") else _tar(path):
            total += len(data)
            if total > TOTAL:
                raise BadInput("the archive holds too much", where=path.name, expected=f"at most {TOTAL} bytes")
            if not _own(Path(name)):
                yield from read_text(decode(data), f"{path.name}/{name}", tool)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise BadInput(f"is no readable archive ({error})", where=path.name) from None


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        for count, member in enumerate(archive):
            if count > MEMBERS:
                raise BadInput("the archive has too many members", where=path.name, expected=f"at most {MEMBERS}")
            if not member.isfile():
                continue
            file = archive.extractfile(member)
            if file is not None:
                yield member.name, _limited(file.read(MEMBER + 1), member.name)


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise BadInput("the archive has too many members", where=path.name, expected=f"at most {MEMBERS}")
        for member in members:
            if not member.is_dir():
                with archive.open(member) as file:
                    yield member.filename, _limited(file.read(MEMBER + 1), member.filename)


def _limited(data: bytes, name: str) -> bytes:
    if len(data) > MEMBER:
        raise BadInput("a member of the archive is too large", where=name, expected=f"at most {MEMBER} bytes")
    return data
