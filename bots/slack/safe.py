"""Text on its way in and out of Slack: nothing that came from a person returns as markup, a mention or a link.

Everything that goes out passes `mrkdwn` or `plain`, whoever wrote it: our own sentences need no markup of their own,
and the few marks that a message has are put around finished text by `blocks`.
"""

from __future__ import annotations

import html
import re

MOST = 2**12
_ENTITY = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_LINK = re.compile(r"\b(https?|ftp|slack|file|javascript|data)://", re.IGNORECASE)
_MAIL = re.compile(r"\b(mailto|tel):(?=\S)", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:xox[a-z](?:\.xox[a-z])?-|xapp-|xoxe-|sk-|ghp_|hf_|AKIA)[A-Za-z0-9_-]{4,}|-----BEGIN [A-Z ]*KEY"
)
_MARKS = re.compile(r"\*{2,}|_{2,}|~{2,}|`{2,}")
_GFM_LINK = re.compile(r"\]\((?=\S)")
_HEADING = re.compile(r"^(\s*)#{1,6} ", re.MULTILINE)
_TABLE = re.compile(r"\|\s*:?-{3,}:?\s*\|")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_BROADCAST = re.compile(r"@(?=(?:channel|here|everyone)\b)", re.IGNORECASE)
_PATH = re.compile(r"(?:/root|/home/\w+|/usr/lib/python|/tmp|site-packages)/?[\w./-]*")
_TRACE = re.compile(r"Traceback \(most recent call last\)")
_OPENING = re.compile(r"<(?=[!@#/a-zA-Z])")


def incoming(text: str, bot: str) -> str:
    """What a person typed: without the mention of the bot, other mentions and markup; entities as characters."""

    def word(match: re.Match[str]) -> str:
        target, label = match[1], match[2]
        if target.startswith("@") and bot and target[1:] == bot:
            return " "
        if target.startswith(("@", "!", "#")):
            return f" {label} " if label and target.startswith("#") else " "
        return label or target

    return html.unescape(_ENTITY.sub(word, text)).strip()


def addressed_to_another(text: str, bot: str) -> bool:
    """Whether a message begins with the mention of somebody else."""
    found = re.match(r"\s*<@([A-Z0-9]+)(?:\|[^>]*)?>", text)
    return found is not None and found[1] != bot


def harmless(text: str) -> str:
    """A text without anything that Slack, a mail program or a reader could take for more than text."""
    # No message takes more, and no expression below should have to read more.
    text = _CONTROL.sub("", str(text)[:MOST])
    text = _SECRET.sub("•••", _LINK.sub(r"\1[://]", _MAIL.sub(r"\1[:]", text)))
    text = _MARKS.sub(lambda match: match[0][0], _GFM_LINK.sub("] (", text))
    text = _HEADING.sub(r"\1", _TABLE.sub("|–|", text))
    return _PATH.sub("…", _TRACE.sub("…", _BROADCAST.sub("@\u2060", text)))


def mrkdwn(text: str) -> str:
    """A text for a `mrkdwn` object or the `text` of a message."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain(text: str) -> str:
    """A text for a `plain_text` object or a table's cell, which Slack shows as it stands."""
    return _OPENING.sub("‹", harmless(text))


def cut(text: str, most: int) -> str:
    """At most so many characters, never half an entity; an ellipsis where something is missing."""
    if len(text) <= most:
        return text
    return re.sub(r"&[a-z]*$", "", text[: most - 1]).rstrip() + "…"


def file_name(name: object) -> str:
    """A person's file name as it may be shown: its last part, short, on one line."""
    last = str(name or "file").replace("\\", "/").rsplit("/", 1)[-1]
    return cut(" ".join(plain(last).split()), 2**6) or "file"
