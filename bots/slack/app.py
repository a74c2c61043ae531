"""The Slack app: Bolt with our listeners, none of which does more than a lookup before it acknowledges.

Messages and buttons go into the inbox and are worked on from there; the form, the command and the Home tab answer at
once. Bolt asks Slack nothing on the way: who we are stands in the environment or the database.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, cast

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext, AsyncRespond
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from advisor.consult import threads
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.slack import home, modal, names
from bots.slack.actions import Actions
from bots.slack.client import Failures, client, quiet
from bots.slack.command import NAME, Command, dm_message
from bots.slack.people import People
from bots.slack.receive import MOST_TEXT, NotStored, Receive
from bots.slack.safe import incoming, mrkdwn
from bots.slack.settings import Settings
from bots.slack.tokens import Tokens
from bots.slack.work import Work

SHORTCUT, MESSAGE_SHORTCUT = "hk.plan_here", "hk.size_this"
EVENTS = ("app_home_opened", "app_mention", "app_uninstalled", "message", "tokens_revoked")
UNAVAILABLE = 503

log = logging.getLogger("hkgpu.slack")
Body = Mapping[str, Any]


class App:
    """Listeners of one process."""

    def __init__(self, settings: Settings, work: Work, tokens: Tokens, people: People, pool: Any) -> None:
        self.work = work
        self.tokens = tokens
        self.people = people
        self.receive = Receive(work, tokens)
        self.actions = Actions(work, self.receive, tokens, people)
        self.command = Command(work, self.receive, people)

        # A plain function: Bolt takes the `self` of a method for one of the things it has to fill in.
        async def authorize(enterprise_id: str | None, team_id: str | None) -> Any:
            return await self._authorize(enterprise_id, team_id)

        self.bolt = AsyncApp(
            name="hkgpu",
            signing_secret=settings.signing_secret,
            client=client(settings.api_url, None, pool, repeats=True),
            authorize=authorize,
            # Our own echoes are told apart by `receive`; everything else of Bolt's own stays.
            ignoring_self_events_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )
        self._listen()

    def _listen(self) -> None:
        bolt = self.bolt
        bolt.middleware(self._stored)
        for name in ("message", "app_mention"):
            bolt.event(name)(self._message)
        bolt.event("app_home_opened")(self._home_opened)
        for name in ("app_uninstalled", "tokens_revoked"):
            bolt.event(name)(self._removed)
        bolt.command(NAME)(self._command)
        bolt.action("hk.vote")(self._vote)
        bolt.action("hk.start")(self._start)
        bolt.action("hk.forget")(self._forget)
        bolt.action("hk.form.back")(self._back)
        bolt.action(re.compile(r"^hk\.(set\.|say\.|change$|kit$)"))(self._pressed)
        bolt.options(modal.FIELD)(self._models)
        bolt.view(modal.CALLBACK)(self._step)
        bolt.shortcut(SHORTCUT)(self._shortcut)
        bolt.shortcut(MESSAGE_SHORTCUT)(self._size_this)

    async def _authorize(self, enterprise_id: str | None, team_id: str | None) -> AuthorizeResult | None:
        try:
            return await self.tokens.authorize(enterprise_id, team_id)
        except HkgpuError:
            # The database is away: nothing is acknowledged (`_stored` fails too), and Slack comes again.
            return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id)

    async def _stored(self, body: Body, context: AsyncBoltContext, next: Any) -> BoltResponse:
        """Before anything is acknowledged: a message for us is in the inbox, or Slack delivers it again."""
        try:
            if body.get("type") == "event_callback":
                context["message_key"] = await self.receive.event(body)
            elif _is_press(body):
                context["message_key"] = await self.actions.pressed(body)
        except NotStored:
            return BoltResponse(status=UNAVAILABLE, body="")
        return cast("BoltResponse", await next())

    async def _message(self, context: AsyncBoltContext) -> None:
        if context.get("message_key"):
            self.work.wake(str(context["message_key"]))

    async def _pressed(self, ack: AsyncAck, context: AsyncBoltContext) -> None:
        await ack()
        await self._message(context)

    async def _vote(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        try:
            await self.actions.voted(body)
        except HkgpuError as error:
            log.warning("vote lost", extra={"exception": type(error).__name__})

    async def _command(self, ack: AsyncAck, body: Body, respond: AsyncRespond) -> None:
        if not str(body.get("text") or "").strip():
            await ack()
            await self._open(body, respond)
            return
        lang = await self._lang(body)
        words = threads.words(lang)
        try:
            told, key = await self.command.answered(body, words, lang)
        except (HkgpuError, NotStored) as error:
            log.warning("command failed", extra={"exception": type(error).__name__})
            told, key = words["failed"].replace("{id}", names.short(str(body.get("trigger_id")))), ""
        await ack(text=told, response_type="ephemeral")
        if key:
            self.work.wake(key)

    async def _shortcut(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        await self._open(body, None)

    async def _start(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        await self._open(body, None)

    async def _open(self, body: Body, respond: AsyncRespond | None) -> None:
        """Open the form; the trigger lives three seconds, so nothing is asked of Slack before but a known language."""
        lang = await self._lang(body)
        web = await self.tokens.client(_team(body))
        try:
            if web is None:
                return
            await web.views_open(trigger_id=str(body.get("trigger_id")), view=modal.first(lang))
        except Failures as error:
            log.warning("form not opened", extra={"exception": type(error).__name__})
            if respond is not None:
                await quiet(respond(text=threads.words(lang)["no_form"], response_type="ephemeral"))

    async def _step(self, ack: AsyncAck, body: Body) -> None:
        shown = body.get("view") or {}
        step, raw, lang = modal.carried(shown)
        wrong = modal.mistakes(shown, raw, lang)
        if wrong:
            await ack(response_action="errors", errors=wrong)
            return
        after = await modal.following(self.work, step, raw, lang)
        if after is not None:
            await ack(response_action="update", view=after)
            return
        from advisor.consult.form_taken import taken

        given = taken(raw, lang).given
        said = {"kind": "set", "given": given, "view": str(shown.get("id") or ""), "lang": lang}
        try:
            key = await dm_message(self.receive, _team(body), _user(body), said, str(shown.get("id")))
        except NotStored:
            facts = [block["block_id"] for block in shown["blocks"] if block.get("type") == "input"]
            sorry = threads.words(lang)["failed"].replace("{id}", names.short(str(shown.get("id"))))
            await ack(response_action="errors", errors={facts[-1]: sorry})
            return
        await ack(response_action="update", view=modal.working(lang))
        self.work.wake(key)

    async def _back(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        shown = body.get("view") or {}
        step, raw, lang = modal.carried(shown)
        web = await self.tokens.client(_team(body))
        if web is not None:
            await quiet(web.views_update(view_id=str(shown.get("id")), view=modal.previous(step, raw, lang)))

    async def _models(self, ack: AsyncAck, body: Body) -> None:
        _, _, lang = modal.carried(body.get("view") or {})
        await ack(options=modal.models(str(body.get("value") or "")[: 2**6], lang))

    async def _size_this(self, ack: AsyncAck, body: Body) -> None:
        """Somebody's message, sized for whoever asks in their direct messages: it works where we are no member."""
        text = incoming(str((body.get("message") or {}).get("text") or "")[:MOST_TEXT], self.tokens.bot_user)
        said = {"kind": "text", "text": text or "help"}
        id_ = f"{body.get('message_ts')}:{body.get('trigger_id')}"
        key = await dm_message(self.receive, _team(body), _user(body), said, id_)
        await ack()
        if key:
            self.work.wake(key)

    async def _home_opened(self, event: Body, body: Body) -> None:
        team, user = str(body.get("team_id")), str(event.get("user"))
        if event.get("tab") == "messages":
            web = await self.tokens.client(team, repeats=False)
            if web is not None:
                title, prompts = home.prompts(await self.people.lang(team, user))
                channel = str(event.get("channel"))
                call: Any = web.assistant_threads_setSuggestedPrompts
                await quiet(call(channel_id=channel, title=title, prompts=prompts, thread_ts=None))
            return
        await self._publish(team, user)

    async def _publish(self, team: str, user: str) -> None:
        web = await self.tokens.client(team)
        if web is None:
            return
        lang = await self.people.lang(team, user)
        plans = await self.work.beside(self.work.inbox.recent, names.person(team, user), home.MOST_PLANS)
        shown = home.view(await home.addresses(web, plans), lang)
        await quiet(web.views_publish(user_id=user, view=shown))

    async def _forget(self, ack: AsyncAck, body: Body) -> None:
        await ack()
        team, user = _team(body), _user(body)
        lang = await self.people.lang(team, user)
        told = await self.work.beside(self.work.inbox.forget_person, names.person(team, user), lang)
        await self._publish(team, user)
        web = await self.tokens.client(team)
        if web is not None:
            channel = await self.people.dm(web, team, user)
            await quiet(web.chat_postEphemeral(channel=channel, user=user, text=mrkdwn(told)))

    async def _removed(self, event: Body, body: Body) -> None:
        """The app was removed: nothing of the workspace stays. A revoked token ends the installation alone."""
        team = str(body.get("team_id") or "")
        if event.get("type") == "tokens_revoked" and not (event.get("tokens") or {}).get("bot"):
            return
        if names.is_id(team):
            await self.tokens.remove(team)
            if event.get("type") == "app_uninstalled":
                await self.work.beside(self.work.inbox.close_team, f"{team}:")

    async def _lang(self, body: Body) -> Lang:
        return await self.people.lang(_team(body), _user(body))

    async def dispatch(self, request: AsyncBoltRequest) -> BoltResponse:
        """One request of Slack's."""
        return await self.bolt.async_dispatch(request)


def _is_press(body: Body) -> bool:
    """Whether a button or menu of a message was used; those of views are answered at once."""
    return body.get("type") == "block_actions" and (body.get("container") or {}).get("type") == "message"


def _team(body: Body) -> str:
    return str(
        body.get("team_id") or (body.get("team") or {}).get("id") or (body.get("user") or {}).get("team_id") or ""
    )


def _user(body: Body) -> str:
    return str(body.get("user_id") or (body.get("user") or {}).get("id") or "")
