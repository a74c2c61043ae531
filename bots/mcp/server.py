"""The server over stdio or streamable HTTP.

Over HTTP it listens on the loopback address. Elsewhere it needs a token (`HKGPU_MCP_TOKEN`), sent as a bearer; without
one it refuses to start. Host and Origin are checked, requests are bounded in size, calls in time.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from advisor.consult.pool import Pool
from advisor.core.errors import BadInput
from advisor.core.version import version
from bots.mcp import tools
from bots.telemetry import logs
from bots.telemetry.metrics import Metrics

TOKEN = "HKGPU_MCP_TOKEN"
HOSTS = "HKGPU_MCP_HOSTS"
# The largest request, in bytes.
LARGEST = 2**22
_END_S = 2
_CLOSED = HTTPStatus.UNAUTHORIZED.value


def build(pool: Pool, metrics: Metrics, patience_s: float = tools.PATIENCE_S) -> MCPServer[Any]:
    """The server with its tools, resources and prompts."""
    server: MCPServer[Any] = MCPServer(
        "hkgpu", title="hkgpu", version=version(), instructions=tools.RELAY, log_level="WARNING"
    )
    call = tools.Caller(pool, metrics, patience_s)
    tools.add_tools(server, call, metrics)
    tools.add_resources(server, call)
    tools.add_prompts(server)
    return server


def run_stdio() -> None:
    """Serve one client over standard input and output; logs go to standard error."""
    logs.start("mcp")
    with _off_the_wire():
        pool = Pool.open(1)
    with pool:
        build(pool, Metrics("mcp")).run("stdio")


@contextmanager
def _off_the_wire() -> Iterator[None]:
    """Processes that are started meanwhile read nothing from the client, and what they print goes to standard error."""
    kept = [os.dup(stream) for stream in (0, 1)]  # not inherited
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    try:
        yield
    finally:
        for stream, copy in enumerate(kept):
            os.dup2(copy, stream)
        for done in (*kept, nothing):
            os.close(done)


def run_http(host: str, port: int) -> None:
    """Serve over HTTP at `/mcp`. Raises `BadInput` where a token is missing or the address cannot be listened on."""
    import uvicorn

    token = os.environ.get(TOKEN, "")
    if not _loopback(host) and not token:
        raise BadInput(f"{host} can be reached by others", where=TOKEN, do="set it to a secret that clients send")
    try:
        listening = socket.create_server((host, port), family=_family(host))
    except OSError as error:
        raise BadInput(f"{host}:{port} cannot be listened on ({error.strerror})", where="--port") from None
    logs.start("mcp")
    metrics = Metrics("mcp")
    metrics.serve()
    with Pool.open() as pool:
        app = application(build(pool, metrics), host, port, token)
        config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_END_S)
        uvicorn.Server(config).run(sockets=[listening])


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def application(server: MCPServer[Any], host: str, port: int, token: str) -> ASGIApp:
    """The HTTP application with its checks."""
    named = [name.strip() for name in os.environ.get(HOSTS, "").split(",") if name.strip()]
    names = [*named, f"{host}:{port}", f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{name}" for name in names for scheme in ("http", "https")],
    )
    app = server.streamable_http_app(max_request_body_size=LARGEST, transport_security=security, host=host)
    return _Guarded(app, token) if token else app


class _Guarded:
    """Lets nobody in without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not hmac.compare_digest(_header(scope, b"authorization"), self._token):
            await send(
                {"type": "http.response.start", "status": _CLOSED, "headers": [(b"www-authenticate", b"Bearer")]}
            )
            await send({"type": "http.response.body", "body": b"a token is needed\n"})
            return
        await self._app(scope, receive, send)


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for key, value in scope["headers"] if key == name), b"")


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
