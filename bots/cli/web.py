"""`hkgpu web`: the pages for the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.core.errors import BadInput


def web(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 7860,
    workers: Annotated[int | None, typer.Option(help="Processes that think; by default one a core.")] = None,
) -> None:
    """The wizard, the plan, the chat and the checks as pages for the browser."""
    if not 0 < port < 2**16:
        raise BadInput(f"{port} is no port", where="--port", expected="1 to 65535")
    try:
        from bots.web import server
    except ImportError as error:
        raise BadInput(
            f"{error.name} is not installed", do='install the extra "web": pip install "hkgpu[web]"'
        ) from None
    server.serve(host, port, workers)
