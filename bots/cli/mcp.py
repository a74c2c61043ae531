"""`hkgpu mcp`: the server for agents, over standard input and output, or over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.core.errors import BadInput

PORT = 8765
_HIGHEST = 2**16 - 1


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP at /mcp instead of stdio.")] = False,
    host: Annotated[
        str, typer.Option(help="With --http: the address; another than loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="With --http: the port.")] = PORT,
) -> None:
    """A Model Context Protocol server: ask, advise, estimate, judge, quote, explain_claim, checklist."""
    try:
        from bots.mcp import server
    except ImportError as error:
        raise BadInput(f"{error.name} is not installed", do='install "hkgpu[mcp]"') from None
    if not 0 < port <= _HIGHEST:
        raise BadInput(f"{port} is no port", where="--port", expected=f"1 to {_HIGHEST}")
    if http:
        server.run_http(host, port)
    else:
        server.run_stdio()
