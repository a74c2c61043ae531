"""A page's HTML before it leaves: its language, and nothing in it that names a foreign host.

Gradio's template says `lang="en"`, carries advertising meta tags, and takes the words of its own widgets (the file
drop, for example) from the browser's language; a visitor who chose another language gets that one.
"""

from __future__ import annotations

import re

from advisor.core.text import LANGS, Lang
from bots.web.gate import App, Message, Receive, Scope, Send
from bots.web.words import HTML

_META = re.compile(rb"\s*<meta\s+(?:property|name)=\"(?:og|twitter):[^>]*/>")
_LANG = re.compile(rb'(<html\s+)lang="en"')


class Localised:
    """An ASGI application around the pages."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; the HTML of a page is changed on its way back."""
        lang = next((lang for lang in LANGS if scope.get("path") == f"/{lang}/"), None)
        if scope["type"] != "http" or lang is None:
            return await self._app(scope, receive, send)
        begun: Message = {}
        body = bytearray()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.update(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            html = changed(bytes(body), lang)
            headers = [pair for pair in begun["headers"] if pair[0].lower() != b"content-length"]
            await send({**begun, "headers": [*headers, (b"content-length", str(len(html)).encode())]})
            await send({"type": "http.response.body", "body": html})

        await self._app(scope, receive, sending)


def changed(html: bytes, lang: Lang) -> bytes:
    """The page in its language; what is no page stays as it is."""
    if not html.lstrip().startswith(b"<!doctype html"):
        return html
    said = HTML[lang]
    script = (
        f'<script>for (const [key, value] of [["language", "{said}"], ["languages", ["{said}"]]])'
        " Object.defineProperty(navigator, key, {get: () => value});</script>"
    )
    html = _LANG.sub(rb'\1lang="' + HTML[lang].encode() + b'"', _META.sub(b"", html), count=1)
    return html.replace(b"<head>", b"<head>" + script.encode(), 1)
