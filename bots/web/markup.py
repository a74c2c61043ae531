"""Our own HTML and SVG on a page whose content policy forbids evaluated scripts, and people's words made harmless.

`gr.HTML` evaluates its template as a script and stays empty under our policy; a Markdown component with its cleaning
switched off shows HTML as it is. So only HTML that we made goes in by `panel`, and whatever came from a person, a file
or a name in the data goes through `text` first. Markdown with people's words goes through `harmless`.
"""

from __future__ import annotations

import html
import re
from typing import Any

from bots.web.quick import quick_import

with quick_import():
    import gradio as gr
    from gradio.events import api as published

__all__ = ["attribute", "block", "gr", "harmless", "panel", "published", "text"]

_IMAGE = re.compile(r"!(?=\[)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"\]\(\s*(?!https://|#)[^)]*\)|(?m:^\s*\[[^\]]+\]:.*$)")
_BLANK = re.compile(r"\n\s*\n+")


def panel(value: str = "", **settings: Any) -> gr.Markdown:
    """A component that shows our own HTML; give it `block(...)` as its value."""
    return gr.Markdown(block(value), sanitize_html=False, latex_delimiters=[], **settings)


def block(value: str) -> str:
    """HTML as one Markdown block: no blank line ends it, and no Markdown is read in it."""
    body = _BLANK.sub("\n", value.strip())
    return f"<div>{body}</div>" if body else ""


def text(value: object) -> str:
    """Words as text of an HTML element or attribute."""
    return html.escape(" ".join(str(value).split()), quote=True)


def attribute(value: str) -> str:
    """A value of an attribute, to the letter."""
    return html.escape(value, quote=True)


def harmless(markdown: str) -> str:
    """Markdown without pictures, raw HTML and links to anything but https: what a person said, told back."""
    return _LINK.sub("]", _TAG.sub("&lt;", _IMAGE.sub("", markdown)))
