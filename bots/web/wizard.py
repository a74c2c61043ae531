"""The wizard: six steps of questions, a review, and the plan. Answers are kept in the visitor's browser.

A question that cannot change the answer is not shown; every change asks the desk anew which ones those are. Nothing
typed is stored on the server. A link opens as a copy to read and leaves the visitor's own answers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.consult import form
from advisor.consult.pool import Pool
from advisor.core.errors import HkgpuError
from advisor.core.text import Lang
from bots.web import review, take, work
from bots.web.ask import Ask, ask
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.plan import PlanView, plan_view
from bots.web.words import filled, word

Saved = dict[str, Any]
REVIEW, PLAN = "review", "plan"
# The version of what is kept in the browser; another one is not read.
VERSION = 1
KEPT, KEPT_STEP = "hkgpu-answers", "hkgpu-step"
EMPTY: Saved = {"v": VERSION, "answers": {}, "unknown": [], "config": None, "told": "", "step": 0}


@dataclass
class Step:
    """A step's components."""

    name: str
    asks: list[Ask]
    wrong: gr.Markdown
    more: gr.Accordion | None = None

    @property
    def inputs(self) -> list[gr.components.Component]:
        """Every input of the step."""
        return [each for one in self.asks for each in one.inputs]


@dataclass
class Wizard:
    """The wizard's components; `saved` is what the browser keeps."""

    lang: Lang
    pool: Pool
    saved: gr.BrowserState
    at: gr.BrowserState
    """The step, kept apart: an answer noted late must not take a visitor back."""
    copied: gr.State
    walk: gr.Walkthrough
    steps: list[Step] = field(default_factory=list)
    # Each is laid out at its own step, before anything can be pressed.
    config: gr.File = field(init=False)
    config_told: gr.Markdown = field(init=False)
    review: gr.Markdown = field(init=False)
    notice: gr.Markdown = field(init=False)
    over: gr.Button = field(init=False)
    view: PlanView = field(init=False)
    taking: gr.Markdown = field(init=False)
    to_chat: gr.Button = field(init=False)

    @property
    def names(self) -> list[str]:
        """Every step's name, the plan last."""
        return [*form.steps(), REVIEW, PLAN]

    @property
    def asks(self) -> list[Ask]:
        """Every question."""
        return [each for step in self.steps for each in step.asks]

    @property
    def boxes(self) -> list[Any]:
        """What a change of visibility goes to."""
        return [*(each.box for each in self.asks), *(step.more for step in self.steps if step.more is not None)]

    @property
    def everything(self) -> list[Any]:
        """What a whole set of answers goes to."""
        inputs = [each for one in self.asks for each in one.inputs]
        return [self.saved, self.at, self.copied, self.walk, *inputs, *self.boxes,
                *(step.wrong for step in self.steps), self.config_told, self.notice, self.over, self.review,
                *self.planned]  # fmt: skip

    @property
    def planned(self) -> list[Any]:
        """What a plan goes to."""
        return [*self.view.outputs, self.taking]

    # -- what the handlers return

    def open_updates(self, still: Sequence[str], errors: dict[str, str]) -> list[Any]:
        """Updates of `boxes`."""
        found = [one.shown(one.field.fact in still, one.field.fact in errors) for one in self.asks]
        for step in self.steps:
            if step.more is not None:
                rest = [one for one in step.asks if not _early(one.field) and one.field.fact in still]
                found.append(gr.update(visible=bool(rest)))
        return found

    def wrong_update(self, step: Step, errors: dict[str, str]) -> str:
        """What stands above the questions of a step whose answers cannot all be taken."""
        mine = [one for one in step.asks if one.field.fact in errors]
        if not mine:
            return ""
        lines = "".join(f"<li>{text(one.field.name)}: {text(errors[one.field.fact])}</li>" for one in mine)
        return block(f'<div class="wrong"><p>{text(word("fix", self.lang))}</p><ul>{lines}</ul></div>')

    async def plan_updates(self, given: dict[str, object], config: str | None) -> list[Any]:
        """Updates of `planned` for answers by slot."""
        reply = await self.pool.run(work.advised, given, self.lang, config)
        link = await self.pool.run(work.link, given, self.lang, config)
        shown = await self.view.shown(reply, given, config)
        return [*shown, take.along(reply, given, config, link, self.lang)]

    async def review_update(self, saved: Saved, checked: dict[str, Any]) -> str:
        """The review of the answers."""
        reply = await self.pool.run(work.advised, checked["given"], self.lang, saved["config"])
        return review.page(self.asks, saved, checked, reply, self.lang)

    # -- answers

    def collected(self, saved: Saved, step: Step, values: Sequence[Any]) -> Saved:
        """What is kept, with a step's inputs read anew."""
        answers, unknown = dict(saved["answers"]), [*saved["unknown"]]
        rest = list(values)
        for one in step.asks:
            mine, rest = rest[: len(one.inputs)], rest[len(one.inputs) :]
            value, unsure = one.read(mine)
            answers.pop(one.field.fact, None)
            if value is not None:
                answers[one.field.fact] = value
            unknown = [each for each in unknown if each != one.field.fact] + ([one.field.fact] if unsure else [])
        return {**saved, "answers": answers, "unknown": unknown}

    async def checked(self, saved: Saved) -> dict[str, Any]:
        """What can be taken of the answers, what is wrong, and which questions are open."""
        facts = [one.field.fact for one in self.asks]
        return await self.pool.run(work.checked, saved["answers"], facts, self.lang, saved["config"])


def kept(saved: object) -> Saved:
    """What the browser kept, or nothing where it is of another version or was tampered with."""
    if not isinstance(saved, dict) or saved.get("v") != VERSION:
        return dict(EMPTY)
    found = {**EMPTY, **{key: saved[key] for key in EMPTY if key in saved}}
    fine = isinstance(found["answers"], dict) and isinstance(found["unknown"], list)
    return found if fine and isinstance(found["step"], int) else dict(EMPTY)


def wizard(saved: gr.BrowserState, at: gr.BrowserState, lang: Lang, pool: Pool) -> Wizard:
    """Lay the wizard out here and wire it; call it inside a `gr.Blocks`. `saved` and `at` stand outside any tab."""
    copied = gr.State(None)
    with gr.Column(elem_classes=["steps"]):
        walk = gr.Walkthrough(selected=0, elem_id="walk")
    one = Wizard(lang, pool, saved, at, copied, walk)
    buttons: list[tuple[gr.Button | None, gr.Button]] = []
    first = set(form.at_first(each.fact for each in form.fields(lang)))
    with walk:
        for place, name in enumerate(one.names):
            with gr.Step(word(f"step_{name}", lang), id=place, elem_id=f"step-{name}"):
                _head(name, place, len(one.names), lang)
                if name == REVIEW:
                    one.review = panel(elem_id="review", elem_classes=["hk"])
                elif name == PLAN:
                    _plan(one)
                else:
                    one.steps.append(_step(one, name, first))
                buttons.append(_buttons(name, place, lang))
    _wire(one, buttons)
    return one


def _head(name: str, place: int, count: int, lang: Lang) -> None:
    of = filled("step_of", lang, n=place + 1, count=count, name=word(f"step_{name}", lang))
    title = word(f"head_{name}", lang) if name != PLAN else word("step_plan", lang)
    lead = f'<p class="soft">{text(word("skippable", lang))}</p>' if name not in (REVIEW, PLAN) else ""
    panel(
        f'<div class="hk step-head"><h2><span class="of">{text(of)}</span>{text(title)}</h2>{lead}</div>',
        elem_id=f"head-{name}",
    )


def _step(one: Wizard, name: str, first: set[str]) -> Step:
    wrong = panel(elem_id=f"wrong-{name}")
    mine = [each for each in form.fields(one.lang) if each.step == name]
    asks = [ask(each, one.lang, each.fact in first) for each in mine if _early(each)]
    if name == "model":
        one.config = gr.File(
            label=word("config", one.lang), file_types=[".json"], type="filepath", elem_id="config", height="9rem"
        )
        one.config_told = panel(elem_id="config-told")
    rest = [each for each in mine if not _early(each)]
    if not rest:
        return Step(name, asks, wrong)
    with gr.Accordion(word("more", one.lang), open=False, elem_id=f"more-{name}") as more:
        asks += [ask(each, one.lang, each.fact in first) for each in rest]
    return Step(name, asks, wrong, more)


def _early(question: form.Field) -> bool:
    """Whether a question is asked at once; the others refine. What stands first at its step always is."""
    return question.main or question.fact == "model.id"


def _plan(one: Wizard) -> None:
    one.notice = panel(elem_id="copy-note")
    one.over = gr.Button(word("take_over", one.lang), visible=False, elem_id="take-over", size="sm")
    one.view = plan_view(one.lang, one.pool)
    one.taking = panel(elem_id="take", elem_classes=["take", "hk"])
    one.to_chat = gr.Button(word("to_chat", one.lang), elem_id="to-chat")


def _buttons(name: str, place: int, lang: Lang) -> tuple[gr.Button | None, gr.Button]:
    with gr.Row():
        back = None
        if place:
            back = gr.Button(word("back", lang), elem_id=f"back-{name}", elem_classes=["back"])
        label = {REVIEW: "make", PLAN: "again"}.get(name, "next")
        variant: Any = "secondary" if name == PLAN else "primary"
        go = gr.Button(
            word(label, lang),
            variant=variant,
            elem_id=f"next-{name}",
            elem_classes=["next"] if name != PLAN else ["to-step"],
        )
    return back, go


_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": 2**6}


def _wire(one: Wizard, buttons: list[tuple[gr.Button | None, gr.Button]]) -> None:
    for place, step in enumerate(one.steps):
        _wire_step(one, place, step, buttons[place][1])
    for place, (back, _) in enumerate(buttons):
        if back is not None:
            back.click(
                lambda place=place: [gr.update(selected=place - 1), place - 1], None, [one.walk, one.at], **_QUIET
            )  # fmt: skip
    _wire_plan(one, buttons[-2][1], buttons[-1][1])
    _wire_config(one)


def _wire_step(one: Wizard, place: int, step: Step, go: gr.Button) -> None:
    infos = [each.input for each in step.asks]

    @guarded(one.lang)
    async def noted(saved: Any, *values: Any) -> list[Any]:
        now = one.collected(kept(saved), step, values)
        checked = await one.checked(now)
        wrong = {each.field.fact for each in step.asks} & set(checked["errors"])
        return [now, *one.open_updates(checked["open"], dict.fromkeys(wrong & set(kept(saved)["answers"]), ""))]

    @guarded(one.lang)
    async def on(saved: Any, *values: Any) -> list[Any]:
        now = one.collected(kept(saved), step, values)
        checked = await one.checked(now)
        mine = {each.field.fact for each in step.asks}
        errors = {fact: error for fact, error in checked["errors"].items() if fact in mine and fact in checked["open"]}
        told = [gr.update(info=each.info(one.lang, errors.get(each.field.fact, ""))) for each in step.asks]
        after = place if errors else place + 1
        is_last = not errors and one.names[after] == REVIEW
        page = await one.review_update(now, checked) if is_last else gr.skip()
        opened = one.open_updates(checked["open"], errors)
        return [now, after, gr.update(selected=after), one.wrong_update(step, errors), *told, *opened, page]

    changes = [each.blur if isinstance(each, gr.Textbox) else each.input for each in step.inputs]  # type: ignore[attr-defined]
    gr.on(changes, noted, [one.saved, *step.inputs], [one.saved, *one.boxes], trigger_mode="always_last", **_QUIET)
    outputs = [one.saved, one.at, one.walk, step.wrong, *infos, *one.boxes, one.review]
    go.click(on, [one.saved, *step.inputs], outputs, **_QUIET)


def _wire_plan(one: Wizard, make: gr.Button, again: gr.Button) -> None:
    @guarded(one.lang)
    async def made(saved: Any) -> list[Any]:
        now = kept(saved)
        checked = await one.checked(now)
        last = len(one.names) - 1
        shown = await one.plan_updates(checked["given"], now["config"])
        return [last, gr.update(selected=last), "", gr.update(visible=False), *shown]

    make.click(made, [one.saved], [one.at, one.walk, one.notice, one.over, *one.planned], **_QUIET)

    @guarded(one.lang)
    async def restarted() -> list[Any]:
        return await filled_in(one, dict(EMPTY))

    again.click(restarted, None, one.everything, **_QUIET)

    @guarded(one.lang)
    async def taken_over(copied: Any) -> list[Any]:
        return await filled_in(one, {**kept(copied), "step": 0})

    one.over.click(taken_over, [one.copied], one.everything, **_QUIET)

    @guarded(one.lang)
    async def along(given: dict[str, object], config: str | None) -> Any:
        reply = await one.pool.run(work.advised, given, one.lang, config)
        link = await one.pool.run(work.link, given, one.lang, config)
        return take.along(reply, given, config, link, one.lang) if given else gr.skip()

    one.view.given.change(along, [one.view.given, one.view.config], [one.taking], **_QUIET)

    @guarded(one.lang)
    async def kept_as_mine(saved: Any, given: dict[str, object]) -> list[Any]:
        raw = await one.pool.run(work.typed, given)
        now = kept(saved)
        unknown = [fact for fact in now["unknown"] if fact not in raw]
        return await filled_in(one, {**now, "answers": raw, "unknown": unknown, "step": len(one.names) - 1})

    one.view.keep.click(kept_as_mine, [one.saved, one.view.given], one.everything, **_QUIET)


def _wire_config(one: Wizard) -> None:
    @guarded(one.lang)
    async def dropped(saved: Any, path: str | None) -> list[Any]:
        now = kept(saved)
        now["config"], now["told"], page = None, "", ""
        if path is not None:
            try:
                found = await one.pool.run(work.config_read, _read(path), one.lang)
                now["config"], now["told"] = found["config"], found["told"]
                page = config_note(now["told"], one.lang)
            except HkgpuError as error:
                page = block(f'<div class="wrong"><p>{text(error)}</p></div>')
        checked = await one.checked(now)
        return [now, page, *one.open_updates(checked["open"], {})]

    changes = [one.config.upload, one.config.clear]
    gr.on(
        changes,
        dropped,
        [one.saved, one.config],
        [one.saved, one.config_told, *one.boxes],
        trigger_mode="always_last",
        **_QUIET,
    )


def config_note(told: str, lang: Lang) -> str:
    """What was read of a config.json."""
    return block(f'<div class="note"><p>{text(filled("config_read", lang, what=told))}</p></div>') if told else ""


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(2**20 + 1).decode("utf-8", "replace")


async def filled_in(one: Wizard, saved: Saved, notice: str = "", copy: bool = False) -> list[Any]:
    """Updates of `everything` for a set of answers; a copy leaves what the browser keeps alone."""
    checked = await one.checked(saved)
    name = one.names[max(0, min(saved["step"], len(one.names) - 1))]
    inputs = [each for ask_ in one.asks for each in ask_.filled(saved["answers"], saved["unknown"], one.lang)]
    page = await one.review_update(saved, checked) if name in (REVIEW, PLAN) else ""
    planned = (
        await one.plan_updates(checked["given"], saved["config"]) if name == PLAN else [gr.skip() for _ in one.planned]
    )
    return [
        gr.skip() if copy else saved, gr.skip() if copy else one.names.index(name), saved if copy else None,
        gr.update(selected=one.names.index(name)), *inputs,
        *one.open_updates(checked["open"], {}), *("" for _ in one.steps), config_note(saved["told"], one.lang), notice,
        gr.update(visible=copy), page, *planned,
    ]  # fmt: skip
