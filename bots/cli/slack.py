"""`hkgpu slack`: the Slack face, by Socket Mode or HTTP."""

from __future__ import annotations

import importlib.util
import os
from typing import Annotated

import typer

from advisor.core.errors import BadInput


def slack(
    http: Annotated[bool, typer.Option("--http", help="Take events over HTTP instead of Socket Mode.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(help="The port of events (--http) and of /healthz and /readyz; default 3000.")
    ] = None,
) -> None:
    """The Slack bot; SLACK_BOT_TOKEN and SLACK_APP_TOKEN (or, with --http, SLACK_SIGNING_SECRET) say who it is."""
    if importlib.util.find_spec("slack_bolt") is None:
        raise BadInput("the Slack bot is not installed", do="install hkgpu[slack]")
    from bots.slack.server import run
    from bots.slack.settings import Settings

    run(Settings.taken(os.environ, http=http, host=host, port=port))
