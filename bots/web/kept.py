"""Pages and their configuration, kept once they are made: Gradio copies thousands of parts anew for every visitor.

They are the same for everybody who comes by the same address; what is a visitor's own is filled in later by a call.
Only whole, cookieless answers to reading requests are kept, so few that nobody can fill the memory with made-up hosts.
"""

from __future__ import annotations

from collections import OrderedDict
from http import HTTPStatus

from advisor.core.text import LANGS
from bots.web.gate import PROGRAMS, App, Message, Receive, Scope, Send

MOST = 2**5
_PATHS = frozenset(
    path for root in (PROGRAMS, *(f"/{lang}" for lang in LANGS)) for path in (f"{root}/", f"{root}/config")
)
# What an answer depends on beside its path: where the visitor thinks to be, and how it may be packed.
_BY = (b"host", b"x-forwarded-host", b"x-forwarded-proto", b"accept-encoding")


class Kept:
    """An ASGI application around the pages."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[object, ...], tuple[Message, bytes]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from what is kept, or pass on and keep."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] not in _PATHS:
            return await self._app(scope, receive, send)
        headers = dict(scope["headers"])
        key = (scope["path"], scope.get("scheme"), *(headers.get(name) for name in _BY))
        if key not in self._kept:
            await self._keep(key, scope, receive, send)
            return
        self._kept.move_to_end(key)
        begun, body = self._kept[key]
        await send({**begun, "headers": list(begun["headers"])})
        await send({"type": "http.response.body", "body": body})

    async def _keep(self, key: tuple[object, ...], scope: Scope, receive: Receive, send: Send) -> None:
        begun: Message = {}
        body = bytearray()
        whole = False

        async def sending(message: Message) -> None:
            nonlocal whole
            if message["type"] == "http.response.start":
                begun.update({**message, "headers": list(message["headers"])})
            else:
                body.extend(message.get("body", b""))
                whole = not message.get("more_body", False)
            await send(message)

        await self._app(scope, receive, sending)
        names = {name.lower() for name, _ in begun.get("headers", ())}
        if whole and begun.get("status") == HTTPStatus.OK and b"set-cookie" not in names:
            self._kept[key] = (begun, bytes(body))
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
