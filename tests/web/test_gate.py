"""The gate: headers, foreign origins, bodies, logins, trusted proxies, languages. No Gradio is needed for it."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from advisor.core.errors import BadInput
from bots.web import settings
from bots.web.gate import HEADERS, MOST, Gate, Scope
from bots.web.localised import changed
from bots.web.words import language_of

SEEN: list[Scope] = []


async def inner(scope: Scope, receive: Any, send: Any) -> None:
    SEEN.append(scope)
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"server", b"x")]})
    await send({"type": "http.response.body", "body": b"in"})


def asked(
    method: str = "GET", path: str = "/", query: str = "", body: tuple[bytes, ...] = (b"",), peer: str = "192.0.2.7",
    set_: dict[str, str] | None = None, **headers: str,
) -> tuple[int, dict[str, str], Scope]:  # fmt: skip
    """One request through the gate: status, headers of the answer, and the request as the pages see it."""
    SEEN.clear()
    sent: list[Any] = []
    chunks = iter(body)

    async def receive() -> dict[str, Any]:
        chunk = next(chunks, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: Any) -> None:
        sent.append(message)

    pairs = [
        (name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "x.example", **headers}.items()
    ]
    scope = {
        "type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": pairs,
        "client": (peer, 1), "scheme": "http",
    }  # fmt: skip
    asyncio.run(Gate(inner, settings.read(set_ or {}))(scope, receive, send))
    return sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}, SEEN[0] if SEEN else {}


def test_every_answer_carries_the_security_headers_even_a_refusal() -> None:
    for status, headers, _ in (asked(), asked("POST", "/en/x", origin="https://evil.example")):
        assert status in (200, 403)
        assert {name: headers[name] for name in HEADERS} == HEADERS
        assert "server" not in headers
    policy = HEADERS["content-security-policy"]
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy


def test_a_changing_request_from_a_foreign_page_is_refused_and_a_reading_one_is_not() -> None:
    assert asked("POST", "/en/x", origin="https://evil.example")[0] == 403
    assert asked("POST", "/en/x", sec_fetch_site="cross-site")[0] == 403
    assert asked("POST", "/en/x", origin="null")[0] == 403
    assert asked("POST", "/en/x", origin="http://x.example")[0] == 200
    assert asked("POST", "/en/x")[0] == 200
    assert asked("GET", "/en/x", origin="https://evil.example")[0] == 200


def test_too_large_a_body_is_refused_by_its_length_and_while_it_is_read() -> None:
    assert asked("POST", "/en/x", content_length=str(MOST + 1))[0] == 413
    assert asked("POST", "/en/x", body=(b"a" * MOST, b"b"))[0] == 413
    assert asked("POST", "/en/x", body=(b"a" * MOST,))[0] == 200
    assert asked("POST", "/en/gradio_api/upload", content_length=str(MOST + 1))[0] == 200
    assert asked("POST", "/en/x", content_length="lots")[0] == 413


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def test_with_a_login_everything_but_the_health_of_the_server_is_closed() -> None:
    closed = {settings.LOGIN: "anna:correct horse\nbert:b:c"}
    status, headers, _ = asked(set_=closed)
    assert status == 401
    assert headers["www-authenticate"].startswith("Basic")
    assert asked(set_=closed, authorization=basic("anna", "wrong"))[0] == 401
    assert asked(set_=closed, authorization=basic("nobody", ""))[0] == 401
    assert asked(set_=closed, authorization="Basic ***")[0] == 401
    assert asked(set_=closed, authorization=basic("anna", "correct horse"))[0] == 200
    assert asked(set_=closed, authorization=basic("bert", "b:c"))[0] == 200
    assert asked(path="/healthz", set_=closed)[0] == 200
    assert asked("POST", "/en/gradio_api/call/ask", set_=closed)[0] == 401


def test_a_user_header_is_believed_from_a_trusted_proxy_only() -> None:
    sso = {settings.HEADER: "X-Remote-User", settings.PROXIES: "192.0.2.0/24, 2001:db8::1"}
    assert asked(set_=sso, x_remote_user="anna")[0] == 200
    assert asked(set_=sso, x_remote_user="anna", peer="198.51.100.1")[0] == 401
    assert asked(set_=sso, x_remote_user="anna", peer="2001:db8::1")[0] == 200
    assert asked(set_=sso)[0] == 401
    assert asked(set_=sso, hkgpu_user="anna", peer="198.51.100.1")[0] == 401
    assert asked(set_=sso, x_remote_user="")[0] == 401


def test_what_a_stranger_says_about_the_outer_address_is_not_believed() -> None:
    names = [name for name, _ in asked(x_forwarded_host="evil.example", x_forwarded_proto="https")[2]["headers"]]
    assert b"x-forwarded-host" not in names
    proxied = {settings.PROXIES: "192.0.2.7"}
    scope = asked(set_=proxied, x_forwarded_host="gpu.example", x_forwarded_proto="https")[2]
    assert (b"x-forwarded-host", b"gpu.example") in scope["headers"]
    assert scope["scheme"] == "https"
    assert asked("POST", "/en/x", set_=proxied, x_forwarded_host="gpu.example", origin="https://gpu.example")[0] == 200


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW", "zh-Hant"),
        ("zh-HK,zh;q=0.9", "zh-Hant"),
        ("zh-Hant-MO", "zh-Hant"),
        ("en-US,en;q=0.9,zh-CN;q=0.8", "en"),
        ("en;q=0.2, zh-CN;q=0.8", "zh"),
        ("de-DE,fr;q=0.5", "en"),
        ("fr, zh;q=0.1", "zh"),
        (";;;q=x,", "en"),
        ("", "en"),
    ],
)
def test_the_language_follows_the_browser(accept: str, expected: str) -> None:
    assert language_of(accept) == expected
    assert asked(accept_language=accept)[2]["path"] == f"/{expected}/"


def test_a_chosen_language_wins_and_is_remembered() -> None:
    _, headers, scope = asked(query="lang=zh-Hant&model=x", accept_language="en")
    assert scope["path"] == "/zh-Hant/"
    assert headers["set-cookie"].startswith("hkgpu_lang=zh-Hant;")
    assert asked(accept_language="en", cookie="hkgpu_lang=zh")[2]["path"] == "/zh/"
    assert asked(accept_language="en", cookie="hkgpu_lang=<script>")[2]["path"] == "/en/"
    assert asked(query="lang=klingon", accept_language="zh")[2]["path"] == "/zh/"


def test_programs_find_the_functions_at_the_root() -> None:
    assert asked("POST", "/gradio_api/call/ask")[2]["path"] == "/programs/gradio_api/call/ask"
    assert asked(path="/config")[2]["path"] == "/programs/config"
    assert asked(path="/readyz")[2]["path"] == "/readyz"
    assert asked(path="/zh/config")[2]["path"] == "/zh/config"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (settings.LOGIN, "anna"),
        (settings.LOGIN, ":x"),
        (settings.PROXIES, "10.0.0.0/99"),
        (settings.HEADER, "X-User"),
        (settings.HEADER, "X User"),
        (settings.ROOT_PATH, "http://x"),
    ],
)
def test_a_wrong_setting_ends_the_start_with_its_name_and_no_password(name: str, value: str) -> None:
    with pytest.raises(BadInput) as error:
        settings.read({name: value})
    assert name in str(error.value)
    with pytest.raises(BadInput) as told:
        settings.read({settings.LOGIN: "anna:secret,bert"})
    assert "secret" not in str(told.value)


def test_a_page_leaves_in_its_language_and_names_no_foreign_host() -> None:
    html = (
        b'<!doctype html>\n<html\n\tlang="en"\n>\n<head>\n<meta\n\tproperty="og:image"\n\tcontent="https://foreign.example/x"'
        b'\n/>\n<meta name="twitter:card" content="y" /><title>t</title></head></html>'
    )
    found = changed(html, "zh-Hant")
    assert b'lang="zh-TW"' in found
    assert b"foreign.example" not in found
    assert b"twitter" not in found
    assert b"<title>t</title>" in found
    assert b'"zh-TW"' in found
    assert changed(b"\x89PNG", "zh") == b"\x89PNG"


def test_a_page_is_made_once_for_an_address_and_kept_for_few_addresses() -> None:
    from bots.web import kept

    made: list[str] = []

    async def pages(scope: Scope, receive: Any, send: Any) -> None:
        made.append(scope["path"])
        host = dict(scope["headers"])[b"host"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await send({"type": "http.response.body", "body": host})

    app = kept.Kept(pages)

    def get(path: str, host: str, method: str = "GET") -> bytes:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(b"host", host.encode())],
            "scheme": "http",
        }
        asyncio.run(app(scope, None, send))  # type: ignore[arg-type]
        assert sent[0]["headers"] == [(b"x", b"y")]
        return b"".join(each.get("body", b"") for each in sent)

    assert [get("/en/", "one"), get("/en/", "one"), get("/en/", "two")] == [b"aone", b"aone", b"atwo"]
    assert len(made) == 2
    assert get("/en/gradio_api/info", "one") == get("/en/gradio_api/info", "one") == b"aone"
    assert len(made) == 4
    for place in range(2 * kept.MOST):
        get("/zh/config", f"host{place}")
    assert len(app._kept) == kept.MOST
