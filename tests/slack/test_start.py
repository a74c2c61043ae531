"""How the face starts, says how it is, and is installed: settings, manifest, health, several workspaces."""

from __future__ import annotations

import http.cookiejar
import json
import re
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from advisor.core.errors import BadInput
from bots.slack.app import EVENTS, MESSAGE_SHORTCUT, SHORTCUT
from bots.slack.command import NAME
from bots.slack.health import DEAD_S, STALE_S, Health
from bots.slack.settings import Settings
from tests.slack.bot import ROOT, Bot, answers, free_port, settled
from tests.slack.fake_slack import SCOPES, FakeSlack

MANIFEST = json.loads((ROOT / "bots/slack/manifest.json").read_text("utf-8"))
BOTH = {"SLACK_BOT_TOKEN": "xoxb-secret", "SLACK_APP_TOKEN": "xapp-secret", "SLACK_SIGNING_SECRET": "hush"}
# Scopes that no single call needs: what brings events and the command.
_EVENTS = {
    "app_mention": "app_mentions:read", "message.channels": "channels:history", "message.groups": "groups:history",
    "message.im": "im:history",
}  # fmt: skip


def test_the_manifest_and_the_code_agree_on_events_commands_and_shortcuts() -> None:
    events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    assert {event.partition(".")[0] for event in events} == set(EVENTS)
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "bots/slack").glob("*.py"))
    listened = set(re.findall(r"\"(app_\w+|message|tokens_revoked)\"", source.split("def _listen")[1].split("def ")[0]))
    assert listened == set(EVENTS)
    (command,) = MANIFEST["features"]["slash_commands"]
    assert command["command"] == NAME
    assert {each["callback_id"] for each in MANIFEST["features"]["shortcuts"]} == {SHORTCUT, MESSAGE_SHORTCUT}
    assert "agent_view" in MANIFEST["features"]
    assert "assistant_view" not in MANIFEST["features"]


def test_the_manifest_asks_for_exactly_the_scopes_that_the_code_uses() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "bots/slack").glob("*.py"))
    needed = {"commands", "files:read"} | {
        scope for event, scope in _EVENTS.items() if event in MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    }
    known = {method.replace(".", "_"): scope for method, scope in SCOPES.items()}
    used = set(re.findall(r"\.((?:chat|files|users|conversations|views|assistant|reactions)_\w+)\b", source))
    needed |= {known[method] for method in used if known.get(method)}
    needed |= {"assistant:write"} if "assistant_threads_setSuggestedPrompts" in used else set()
    assert set(MANIFEST["oauth_config"]["scopes"]["bot"]) == needed


@pytest.mark.parametrize("missing", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
def test_a_missing_token_is_named_and_nothing_starts(missing: str) -> None:
    env = {name: value for name, value in BOTH.items() if name != missing}
    run = subprocess.run(
        [sys.executable, "-c", "from bots.cli.main import run; run()", "slack"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **env}, capture_output=True, text=True, check=False,
        cwd=ROOT,
    )  # fmt: skip
    assert run.returncode == 2
    assert missing in run.stderr
    assert "secret" not in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


def test_over_http_the_signing_secret_is_needed_and_no_app_token() -> None:
    with pytest.raises(BadInput, match="SLACK_SIGNING_SECRET"):
        Settings.taken({"SLACK_BOT_TOKEN": "xoxb-1"}, http=True)
    assert Settings.taken({"SLACK_BOT_TOKEN": "x", "SLACK_SIGNING_SECRET": "y"}, http=True).port is None


def test_secrets_leave_the_environment_and_no_repr_shows_them() -> None:
    env = {**BOTH, "SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "hush-hush", "PATH": "/bin"}
    settings = Settings.taken(env)
    assert env == {"PATH": "/bin"}
    assert not settings.several, "a bot token means one workspace, whatever else is set"
    for secret in ("secret", "hush", "1.2"):
        assert secret not in repr(settings)


@pytest.mark.parametrize("url", ["slack.com/api", "ftp://slack.com/", "http://"])
def test_an_address_of_the_api_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="SLACK_API_URL"):
        Settings.taken({**BOTH, "SLACK_API_URL": url})


def test_files_come_from_slacks_file_host_and_the_apis_alone() -> None:
    settings = Settings.taken({**BOTH, "SLACK_API_URL": "http://127.0.0.1:3100/api"})
    assert settings.origins == ("https://files.slack.com", "http://127.0.0.1:3100")


def test_a_connection_that_brings_no_frames_is_stale_and_then_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    health = Health(socket_mode=True, slack=True, database=True, pool=True, connected=True)
    health.frame()
    assert (health.lives(), health.lacks()) == (True, [])
    later = time.monotonic()
    monkeypatch.setattr("bots.slack.health.time.monotonic", lambda: later + STALE_S + 1)
    assert health.lacks() == ["socket"]
    assert health.lives()
    monkeypatch.setattr("bots.slack.health.time.monotonic", lambda: later + DEAD_S + 1)
    assert not health.lives()
    assert Health(socket_mode=False, slack=True).lives()


def test_without_slack_it_starts_says_so_and_is_ready_when_slack_comes(tmp_path: Path) -> None:
    port, slack_port = free_port(), free_port()
    env = {**BOTH, "SLACK_API_URL": f"http://127.0.0.1:{slack_port}/api/"}
    bot = Bot(env, f"sqlite:///{tmp_path / 'talks.sqlite3'}", tmp_path / "log", http=False, port=port)
    bot.start(wait=False)
    try:
        deadline = time.monotonic() + 60
        while bot.health("/healthz")[0] != 200 or "Slack not reachable" not in bot.logged():
            assert time.monotonic() < deadline, bot.logged()
            time.sleep(0.2)
        status, body = bot.health("/readyz")
        assert status == 503
        assert {"slack", "socket"} <= set(json.loads(body)["lacks"])
        with FakeSlack(port=slack_port, bot_token="xoxb-secret", app_token="xapp-secret"):
            bot.wait_ready()
            assert json.loads(bot.health("/readyz")[1]) == {"ok": True, "lacks": []}
        assert "secret" not in bot.logged()
    finally:
        assert bot.stop() == 0


def test_two_workspaces_install_themselves_are_answered_each_and_leave_nothing_behind(tmp_path: Path) -> None:
    port = free_port()
    with FakeSlack(events_url=f"http://127.0.0.1:{port}/slack/events") as fake:
        database = tmp_path / "talks.sqlite3"
        bot = Bot(fake.oauth_env, f"sqlite:///{database}", tmp_path / "log", http=True, port=port)
        bot.start()
        try:
            fake.add_team("T2", "Second Inc")
            fake.add_user("W2", "eve", team="T2")
            fake.add_channel("C2T2", "general", ["W2", fake.teams["T2"]["bot_user"]], team="T2")
            for team in ("T1", "T2"):
                assert "Installed" in _install(fake, port, team)
            one = fake.say("U1", "C1", "<@UBOT> QLoRA of 70B on one A100 80GB?")
            two = fake.say("W2", "C2T2", f"<@{fake.teams['T2']['bot_user']}> inference of 8B on one L40S?")
            assert "A100" in fake.text_of(fake.wait_reply("C1", one.root)[0])
            assert "L40S" in fake.text_of(fake.wait_reply("C2T2", two.root)[0])
            # Each is served with the token of its own installation, which is sealed wherever it lies.
            tokens = {call.token_kind for call in fake.calls_to("chat.postMessage")}
            assert tokens == {"xoxe.xoxb"}
            raw = b"".join(path.read_bytes() for path in tmp_path.glob("talks.sqlite3*"))
            assert b"slack:T2" in raw
            assert b"xoxb" not in raw
            fake.uninstall("T2")
            settled(fake)
            with sqlite3.connect(database) as connection:
                assert connection.execute("SELECT id FROM installations").fetchall() == [("slack:T1",)]
                assert not connection.execute("SELECT key FROM arrivals WHERE thread LIKE 'T2:%'").fetchall()
                assert not connection.execute("SELECT thread FROM threads WHERE thread LIKE 'T2:%'").fetchall()
            assert len(answers(fake, "C1", one.root)) == 1
            assert "xoxb" not in bot.logged()
            forged = f"http://127.0.0.1:{port}/slack/oauth_redirect?code=x&state=guessed"
            with pytest.raises(urllib.error.HTTPError, match="400"):
                urllib.request.urlopen(forged, timeout=10)
        finally:
            bot.stop()


def _install(fake: FakeSlack, port: int, team: str) -> str:
    """What a person's browser does: the page, Slack's consent, and back."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), _Stay())
    with browser.open(f"http://127.0.0.1:{port}/slack/install", timeout=10) as page:
        consent = page.headers["Location"]
    assert consent.startswith(f"{fake.root}/oauth/v2/authorize?")
    assert "app_mentions" in consent
    with browser.open(f"{consent}&fake_team={team}", timeout=10) as page:
        given = json.loads(page.read())
    back = urllib.parse.urlencode({"code": given["code"], "state": given["state"]})
    with browser.open(f"http://127.0.0.1:{port}/slack/oauth_redirect?{back}", timeout=10) as page:
        return page.read().decode()


class _Stay(urllib.request.HTTPRedirectHandler):
    """A browser that tells where it was sent."""

    def http_error_302(self, req, fp, code, msg, headers):  # type: ignore[no-untyped-def]
        return fp
