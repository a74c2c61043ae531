"""What the Slack face is told by its environment, checked once, and taken out of the environment.

Tokens and secrets stand in no message, log or `repr`; the processes that consult do not inherit them.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from advisor.core.errors import BadInput
from bots.slack.client import CALL_S

SLACK_API = "https://slack.com/api/"
FILES_HOST = "https://files.slack.com"
AUTHORIZE = "https://slack.com/oauth/v2/authorize"
TIMEOUT = "HKGPU_SLACK_TIMEOUT_S"
# Bolt reads these by itself and would switch its own OAuth on.
_SECRETS = (
    "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET",
    "SLACK_VERIFICATION_TOKEN",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """How to reach Slack. `several`: installations of several workspaces stand in the database."""

    bot_token: str = field(repr=False)
    app_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    api_url: str = SLACK_API
    authorize_url: str = AUTHORIZE
    http: bool = False
    host: str = "127.0.0.1"
    port: int | None = None
    call_s: float = CALL_S

    @property
    def several(self) -> bool:
        """Whether workspaces install the app themselves; a bot token in the environment means one workspace."""
        return not self.bot_token

    @property
    def origins(self) -> tuple[str, ...]:
        """Where files may be fetched from with the token: Slack's file host and the host of the API."""
        parts = urlsplit(self.api_url)
        own = f"{parts.scheme}://{parts.netloc}"
        return (FILES_HOST, own)

    @classmethod
    def taken(
        cls, environment: MutableMapping[str, str], *, http: bool = False, host: str = "127.0.0.1",
        port: int | None = None,
    ) -> Settings:  # fmt: skip
        """Read the settings and remove the secrets from the environment. Raises `BadInput` naming what is missing."""
        said = {name: environment.get(name, "").strip() for name in _SECRETS}
        api_url = environment.get("SLACK_API_URL", "").strip() or SLACK_API
        if urlsplit(api_url).scheme not in ("http", "https") or not urlsplit(api_url).netloc:
            raise BadInput("is no address", where="SLACK_API_URL", expected="https://.../api/")
        found = cls(
            bot_token=said["SLACK_BOT_TOKEN"],
            app_token=said["SLACK_APP_TOKEN"],
            signing_secret=said["SLACK_SIGNING_SECRET"],
            client_id=said["SLACK_CLIENT_ID"],
            client_secret=said["SLACK_CLIENT_SECRET"],
            api_url=api_url if api_url.endswith("/") else f"{api_url}/",
            authorize_url=environment.get("SLACK_AUTHORIZE_URL", "").strip() or AUTHORIZE,
            http=http,
            host=host,
            port=port,
            call_s=_seconds(environment.get(TIMEOUT, "")),
        )
        found._check()
        for name in _SECRETS:
            environment.pop(name, None)
        return found

    def _check(self) -> None:
        if not self.bot_token and not (self.client_id and self.client_secret):
            raise BadInput(
                "is not set", where="SLACK_BOT_TOKEN", expected="the token of the app's bot user, xoxb-...",
                do="or SLACK_CLIENT_ID and SLACK_CLIENT_SECRET for several workspaces; see docs/slack.md",
            )  # fmt: skip
        if not self.http and not self.app_token:
            raise BadInput(
                "is not set", where="SLACK_APP_TOKEN", expected="an app-level token, xapp-...",
                do="or start with --http; see docs/slack.md",
            )  # fmt: skip
        if (self.http or self.several) and not self.signing_secret:
            raise BadInput("is not set", where="SLACK_SIGNING_SECRET", expected="the app's signing secret")
        if self.port is not None and not 0 <= self.port < 2**16:
            raise BadInput(f"{self.port} is no port", where="--port")


def _seconds(said: str) -> float:
    """How long one call to Slack may take; 20 seconds where nobody says."""
    try:
        seconds = float(said) if said.strip() else CALL_S
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= 60 * 60:
        raise BadInput(f'"{said}" is no number of seconds', where=TIMEOUT)
    return seconds
