"""Bytes of an output -> text: encodings, marks, colours, line ends, log prefixes, prompts of chat and Markdown.

Everything decodes to something; what could not be read stands as U+FFFD, so that a reader can see the damage. Nothing
is executed, and nothing outside the given bytes is looked at.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ESCAPES = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()][A-Za-z0-9]|\x1b[=>78cDEHM]"
)
_STAMP = (
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[-+]\d\d:?\d\d)?"
    r"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?|\[?\d\d:\d\d:\d\d(?:\.\d+)?\]?)"
)
# Prefixes that loggers, containers and quoting put before every line of an output.
_PREFIXES = (
    re.compile(rf"{_STAMP} (?:stdout|stderr) [FP] "),
    re.compile(rf"{_STAMP} \S+ \S+\[\d+\]: "),
    re.compile(rf"{_STAMP} (?:\[?(?:INFO|DEBUG|WARN|WARNING|ERROR)\]?:? )"),
    re.compile(rf"{_STAMP} "),
    re.compile(r"\[(?!\s*\d+\.\d+\])[\w .:-]+\] (?=\S)"),
    re.compile(r"> ?"),
    re.compile(r"\d+: ?(?=[+|\[ ])"),
    re.compile(r"[\w.-]+-\d+ +\| ?|\S+ \| "),
)
_PREFIXED_SHARE = 0.9
_WIDE = 2**8
_DESERT = re.compile(rf"[ \t]{{{_WIDE},}}|(?:[ \t]*\n){{{_WIDE},}}")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$\n?", re.MULTILINE)


def decode(data: bytes) -> str:
    """The text of an output, with plain line ends and without colours. Never raises."""
    return clean(_text(data))


def _text(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    head = data[: 2**12]
    if head.count(0) * 2 > len(head) // 2:
        # Every other byte is zero: UTF-16 without its mark.
        return data.decode("utf-16-le" if head[1:2] == b"\0" else "utf-16-be", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    damaged = data.decode("utf-8", "replace")
    high = sum(byte >= 2**7 for byte in data[: 2**16])
    if damaged.count("\ufffd") * 8 < high:
        return damaged
    for encoding in ("gb18030", "big5", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return damaged


def clean(text: str) -> str:
    """Text without colours, marks and carriage returns; other control characters become blanks."""
    text = text.replace("\ufeff", "")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    if any(mark in text for mark in ("\x00", "\x08", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")):
        text = re.sub("[\x00\x08\x0b\x0c\x85\u2028\u2029]", " ", text)
    # Blanks without end tell nothing, and searches would walk them again and again.
    text = _DESERT.sub(lambda found: found[0][:_WIDE], text)
    return _without_prefixes(_FENCE.sub("", text))


def _without_prefixes(text: str) -> str:
    """Take away what stands before every line alike: time stamps of a log, marks of a quotation."""
    lines = text.split("\n")
    for pattern in _PREFIXES:
        filled = [line for line in lines if line.strip()]
        if len(filled) < 2:
            break
        # Look at a part first: most outputs have no prefix at all.
        few = filled[: 2**5]
        if sum(bool(pattern.match(line)) for line in few) < _PREFIXED_SHARE * len(few):
            continue
        if sum(bool(pattern.match(line)) for line in filled) < _PREFIXED_SHARE * len(filled):
            continue
        bare = pattern.pattern in (r"> ?",)
        if bare and sum(line.startswith(">") for line in filled) < len(filled):
            continue
        lines = [pattern.sub("", line, count=1) for line in lines]
    return "\n".join(lines)
