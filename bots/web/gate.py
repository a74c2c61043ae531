"""The gate before every page: who may come in, what may come with them, and how the browser has to behave.

It adds the security headers, refuses foreign origins and too large bodies, checks the login, strips headers that
speak for somebody else unless a trusted proxy sends them, and sends each visitor to the pages of their language. What
it refuses it refuses with a status and one word, never with a reason that helps an attacker.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from advisor.core.text import LANGS, Lang
from bots.web.settings import Settings
from bots.web.words import language, language_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cross-origin-opener-policy": "same-origin",
}
COOKIE = "hkgpu_lang"
USER = "hkgpu-user"
# A call of a page; and files on their way in.
MOST = 2**20
MOST_UPLOAD = 2**25
OPEN = ("/healthz", "/readyz")
# The small application that programs speak to; whoever names no language and asks for no page is a program.
PROGRAMS = "/programs"
OWN = (*OPEN, "/download/", f"{PROGRAMS}/")
_SPEAKING = (b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-forwarded-prefix")
_SAFE = ("GET", "HEAD", "OPTIONS")


class _TooLarge(Exception):
    """A body went over its limit while it was read."""


class Gate:
    """An ASGI application around another one."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        scope = self._cleaned(scope)
        added = dict(HEADERS)
        status = self._refused(scope)
        if status:
            if status.startswith("401") and self._settings.logins:
                added["www-authenticate"] = 'Basic realm="hkgpu", charset="UTF-8"'
            return await _refuse(status, added, send)
        self._to_language(scope, added)
        counted = _counted(receive, _most(scope))
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _with(message["headers"], added)
            await send(message)

        try:
            await self._app(scope, counted, sending)
        except _TooLarge:
            if not started:
                await _refuse("413 too large", added, send)

    def _cleaned(self, scope: Scope) -> Scope:
        """The request without what a stranger says in somebody else's name; `USER` is ours alone."""
        peer = (scope.get("client") or ("",))[0]
        trusted = self._settings.trusts(peer)
        header = self._settings.user_header.encode()
        headers, user, scheme = [], b"", scope.get("scheme", "http")
        for name, value in scope["headers"]:
            if name == USER.encode():
                continue
            if header and name == header:
                user = value if trusted else user
                continue
            if name in _SPEAKING and not trusted:
                continue
            if name == b"x-forwarded-proto" and value in (b"http", b"https"):
                scheme = value.decode()
            headers.append((name, value))
        if user:
            headers.append((USER.encode(), user))
        return {**scope, "headers": headers, "scheme": scheme}

    def _refused(self, scope: Scope) -> str:
        """The status with which a request is refused, or nothing."""
        headers = dict(scope["headers"])
        if scope["method"] not in _SAFE and _foreign(headers):
            return "403 foreign origin"
        if scope["path"] not in OPEN and self._settings.closed and not self._known(headers):
            return "401 log in"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > _most(scope):
            return "413 too large"
        return ""

    def _known(self, headers: dict[bytes, bytes]) -> bool:
        if headers.get(USER.encode()):
            return True
        kind, _, coded = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"basic":
            return False
        try:
            name, _, password = base64.b64decode(coded, validate=True).decode("utf-8").partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        expected = self._settings.logins.get(name, "")
        same = hmac.compare_digest(expected.encode(), password.encode())
        return bool(expected) and same

    def _to_language(self, scope: Scope, added: dict[str, str]) -> None:
        """Send a visitor without a language to their pages, and keep the choice in a cookie; programs to their own."""
        path = scope["path"]
        if path.startswith(OWN) or any(path.startswith(f"/{lang}/") for lang in LANGS):
            return
        to = PROGRAMS
        if path == "/":
            headers = dict(scope["headers"])
            named = language(parse_qs(scope["query_string"].decode("latin-1")).get("lang", [""])[0])
            lang: Lang = (
                named
                or language(_cookie(headers))
                or language_of(headers.get(b"accept-language", b"").decode("latin-1"))
            )
            if named:
                added["set-cookie"] = f"{COOKIE}={named}; Path=/; SameSite=Lax; Max-Age={60 * 60 * 24 * 100}"
            added["vary"] = "Accept-Language, Cookie"
            added["cache-control"] = "no-store"
            to = f"/{lang}"
        scope["path"] = f"{to}{path}"
        scope["raw_path"] = scope["path"].encode()


def _foreign(headers: dict[bytes, bytes]) -> bool:
    """Whether a changing request comes from another site's page."""
    if headers.get(b"sec-fetch-site") == b"cross-site":
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    host = headers.get(b"x-forwarded-host") or headers.get(b"host", b"")
    return urlsplit(origin.decode("latin-1")).netloc.lower() != host.decode("latin-1").lower()


def _most(scope: Scope) -> int:
    return MOST_UPLOAD if scope["path"].rstrip("/").endswith("/upload") else MOST


def _counted(receive: Receive, most: int) -> Receive:
    read = 0

    async def receiving() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise _TooLarge
        return message

    return receiving


def _with(headers: Iterable[tuple[bytes, bytes]], added: dict[str, str]) -> list[tuple[bytes, bytes]]:
    ours = {name.encode() for name in added if name != "set-cookie"}
    kept = [(name, value) for name, value in headers if name.lower() not in ours and name.lower() != b"server"]
    return [*kept, *((name.encode(), value.encode()) for name, value in added.items())]


async def _refuse(status: str, added: dict[str, str], send: Send) -> None:
    code, _, word = status.partition(" ")
    headers = _with([(b"content-type", b"text/plain; charset=utf-8")], added)
    await send({"type": "http.response.start", "status": int(code), "headers": headers})
    await send({"type": "http.response.body", "body": word.encode()})


def _cookie(headers: dict[bytes, bytes]) -> str | None:
    try:
        found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
    except CookieError:
        return None
    return found.value if found else None
