"""The plan on a page: verdict, levers, sliders, pictures, options, order, risks, checklist, reasons.

`plan_view(lang, pool)` builds the components where it is called, inside a `gr.Blocks`; `PlanView.shown(reply, given,
config)` gives one update a component of `PlanView.outputs`. Whatever is moved or pressed changes the answers, and the
desk works everything out anew. This module lays out and gives no advice. People's words never reach raw HTML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.consult import form
from advisor.consult.pool import Pool
from advisor.core.text import Lang
from bots.web import plan_parts as parts
from bots.web import plan_work as work
from bots.web.guard import guarded
from bots.web.markup import block, gr, panel, text
from bots.web.plan_words import filled, word

Json = Mapping[str, Any]
SLIDERS, LEVERS, OPTIONS = 2 + 2, 2 + 2, 2 * 2 + 2
# What the browser keeps of the ticks; not a secret, see the wizard.
KEPT, SECRET = "hkgpu-ticks", "hkgpu"
_QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": 2**6}
_PANELS = ("heading", "levers", "pictures", "frontier", "options", "order", "risks", "basis", "reasons")


@dataclass
class PlanView:
    """The plan's components. `given` holds the answers behind the plan shown now, `config` a config.json's text."""

    lang: Lang
    pool: Pool
    given: gr.State
    config: gr.State
    origin: gr.State
    after: gr.State
    ticked: gr.BrowserState
    panels: dict[str, gr.Markdown] = field(default_factory=dict)
    levers: list[gr.Button] = field(default_factory=list)
    options: list[gr.Button] = field(default_factory=list)
    sliders: list[gr.Slider] = field(default_factory=list)
    ticks: list[gr.CheckboxGroup] = field(default_factory=list)
    how: list[gr.Markdown] = field(default_factory=list)
    # Each is laid out at its own place, before anything can be pressed.
    play: gr.Column = field(init=False)
    tried: gr.Markdown = field(init=False)
    reset: gr.Button = field(init=False)
    keep: gr.Button = field(init=False)
    checklist: gr.Column = field(init=False)
    which: gr.Dropdown = field(init=False)
    to: gr.Dropdown = field(init=False)
    apply: gr.Button = field(init=False)
    wrong: gr.Markdown = field(init=False)
    more: gr.Accordion = field(init=False)

    @property
    def outputs(self) -> list[Any]:
        """What `shown` returns updates for, in this order."""
        return [self.origin, *self.redrawn, *self.sliders]

    @property
    def redrawn(self) -> list[Any]:
        """What every change redraws, but for the sliders."""
        return [
            self.given, self.config, self.after, *(self.panels[name] for name in _PANELS), *self.levers, *self.options,
            self.play, self.tried, self.reset, self.keep, self.checklist, *self.ticks, *self.how, self.which, self.to,
            self.wrong, self.more,
        ]  # fmt: skip

    async def shown(self, reply: Json, given: Json, config: str | None = None) -> list[Any]:
        """The updates for answers by slot; the reply to them is worked out again together with the pictures."""
        found = await self.pool.run(work.shown, dict(given), self.lang, config)
        return [dict(given), *self.redraw(found, given, config), *self.moved_to(found)]

    def redraw(self, found: Json, origin: Json, config: str | None) -> list[Any]:
        """Updates of `redrawn` for what the desk found."""
        lang, reply = self.lang, found["reply"]
        after = {key: [each["given"] for each in found[key]] for key in ("levers", "options")}
        state: dict[str, Any] = {
            **after,
            "pinned": found["pinned"],
            "facts": [each["fact"] for each in found["sliders"]],
        }
        html = {
            "heading": parts.heading(found, lang),
            "levers": parts.levers(found, lang),
            "pictures": parts.figures(found, "memory", "lengths"),
            "frontier": parts.figures(found, "frontier"),
            "options": parts.options(found, lang),
            "order": parts.order(found, lang),
            "risks": parts.risks(found, lang),
            "basis": parts.basis(found, lang),
            "reasons": parts.reasons(found, lang),
        }
        by_moment = [parts.items(reply, moment) for moment in parts.MOMENTS]
        state["items"] = [[each["id"] for each in items] for items in by_moment]
        panels = [gr.update(value=html[name], visible=bool(html[name])) for name in _PANELS]
        moved = found["given"] != dict(origin)
        tried = f'<div class="note"><p>{text(word("tried", lang))}</p></div>' if moved else ""
        return [
            found["given"], config, state, *panels, *self._lever_buttons(found),
            *self._option_buttons(found), gr.update(visible=bool(found["sliders"])),
            gr.update(value=block(tried), visible=moved),
            gr.update(visible=moved), gr.update(visible=moved), gr.update(visible=bool(reply["checklist"])),
            *(gr.update(choices=parts.choices(each, lang), value=[], visible=bool(each)) for each in by_moment),
            *(parts.how(each, lang) for each in by_moment), self._changeable(found), gr.update(value=None, choices=[]),
            "", gr.update(visible=bool(found["reasons"])),
        ]  # fmt: skip

    def moved_to(self, found: Json, still: int | None = None) -> list[Any]:
        """Updates of the sliders; the one under the pointer keeps still."""
        updates: list[Any] = []
        for place in range(SLIDERS):
            if place == still:
                updates.append(gr.skip())
            elif place < len(found["sliders"]):
                one = found["sliders"][place]
                updates.append(
                    gr.update(
                        label=one["name"], value=one["value"], minimum=one["least"], maximum=one["most"],
                        step=one["step"], visible=True,
                    )
                )  # fmt: skip
            else:
                updates.append(gr.update(visible=False))
        return updates

    def _lever_buttons(self, found: Json) -> list[Any]:
        labels = [filled("lever", self.lang, change=each["change"], verdict=each["word"]) for each in found["levers"]]
        return _buttons(labels, LEVERS)

    def _option_buttons(self, found: Json) -> list[Any]:
        """A button an option; the one that is shown already has none to press."""
        updates: list[Any] = []
        for one in found["options"][:OPTIONS]:
            label = filled("take", self.lang, label=one["label"], hardware=one["hardware"])
            updates.append(gr.update(value=label, visible=not one["shown"]))
        return updates + [gr.update(visible=False)] * (OPTIONS - len(updates))

    def _changeable(self, found: Json) -> Any:
        """The answers and assumptions that can be changed, as choices of the list."""
        known = {each.key: each for each in form.fields(self.lang)}
        keys = [each[0] for each in (*found["understood"], *found["assumed"])]
        names = {key: known[key].name for key in keys if key in known}
        return gr.update(choices=[(name, known[key].fact) for key, name in names.items()], value=None)


def _buttons(labels: Sequence[str], count: int) -> list[Any]:
    shown = [gr.update(value=label, visible=True) for label in labels[:count]]
    return shown + [gr.update(visible=False)] * (count - len(shown))


def plan_view(lang: Lang, pool: Pool) -> PlanView:
    """Lay the plan out here and wire it; call it inside a `gr.Blocks`."""
    ticked = gr.BrowserState({}, storage_key=KEPT, secret=SECRET)
    view = PlanView(lang, pool, gr.State({}), gr.State(None), gr.State({}), gr.State({}), ticked)
    view.panels["heading"] = panel(elem_id="plan-verdict")
    view.panels["levers"] = panel(elem_id="plan-levers")
    with gr.Row(elem_classes=["plan-buttons"]):
        view.levers = [
            gr.Button("", visible=False, elem_id=f"lever-{place}", variant="primary") for place in range(LEVERS)
        ]
    _lay_play(view)
    view.panels["pictures"] = panel(elem_id="plan-pictures")
    view.panels["options"] = panel(elem_id="plan-options")
    with gr.Row(elem_classes=["plan-buttons"]):
        view.options = [gr.Button("", visible=False, elem_id=f"option-{place}") for place in range(OPTIONS)]
    view.panels["frontier"] = panel(elem_id="plan-frontier")
    view.panels["order"] = panel(elem_id="plan-order")
    view.panels["risks"] = panel(elem_id="plan-risks")
    _lay_checklist(view)
    _lay_basis(view)
    with gr.Accordion(word("reasons", lang), open=False, visible=False, elem_id="plan-why") as view.more:
        view.panels["reasons"] = panel(elem_id="plan-reasons")
    _wire(view)
    return view


def _lay_play(view: PlanView) -> None:
    lang = view.lang
    with gr.Column(visible=False, elem_id="plan-play", elem_classes=["plan-play"]) as view.play:
        lead = f'<p class="soft">{text(word("play_lead", lang))}</p>'
        panel(f'<div class="hk"><h3>{text(word("play", lang))}</h3>{lead}</div>')
        view.sliders = [
            gr.Slider(1, 2, value=1, step=1, label=word("play", lang), elem_id=f"slider-{place}", buttons=[])
            for place in range(SLIDERS)
        ]
        view.tried = panel(elem_id="plan-tried")
        with gr.Row(elem_classes=["plan-buttons"]):
            view.reset = gr.Button(word("reset", lang), visible=False, elem_id="plan-reset")
            view.keep = gr.Button(word("keep", lang), visible=False, elem_id="plan-keep")


def _lay_checklist(view: PlanView) -> None:
    lang = view.lang
    with gr.Column(visible=False, elem_id="plan-checklist") as view.checklist:
        panel(f'<div class="hk"><h3>{text(word("checklist", lang))}</h3></div>')
        for moment in parts.MOMENTS:
            view.ticks.append(
                gr.CheckboxGroup([], label=word(moment, lang), elem_id=f"ticks-{moment}", elem_classes=["plan-ticks"])
            )
            view.how.append(panel(elem_id=f"how-{moment}"))


def _lay_basis(view: PlanView) -> None:
    lang = view.lang
    with gr.Accordion(word("basis", lang), open=False, elem_id="plan-based"):
        view.panels["basis"] = panel(elem_id="plan-basis")
        panel(f'<div class="hk"><h3>{text(word("change", lang))}</h3></div>')
        with gr.Row(equal_height=True, elem_classes=["pair"]):
            view.which = gr.Dropdown([], label=word("which", lang), elem_id="change-which", interactive=True)
            view.to = gr.Dropdown(
                [], label=word("to", lang), elem_id="change-to", interactive=True, allow_custom_value=True
            )
            view.apply = gr.Button(word("apply", lang), elem_id="change-apply")
        view.wrong = panel(elem_id="change-wrong")


def _wire(view: PlanView) -> None:
    whole = [*view.redrawn, *view.sliders]

    async def drawn(given: Json, origin: Json, config: str | None) -> list[Any]:
        found = await view.pool.run(work.shown, dict(given), view.lang, config)
        return [*view.redraw(found, origin, config), *view.moved_to(found)]

    def pressed(kind: str, place: int) -> Any:
        @guarded(view.lang)
        async def press(after: Json, origin: Json, config: str | None) -> list[Any]:
            chosen = after.get(kind, [])[place : place + 1]
            return await drawn(chosen[0], origin, config) if chosen else [gr.skip() for _ in whole]

        return press

    for kind, buttons in (("levers", view.levers), ("options", view.options)):
        for place, button in enumerate(buttons):
            button.click(pressed(kind, place), [view.after, view.origin, view.config], whole, **_QUIET)

    @guarded(view.lang)
    async def back(origin: Json, config: str | None) -> list[Any]:
        return await drawn(origin, origin, config)

    view.reset.click(back, [view.origin, view.config], whole, **_QUIET)
    for place, slider in enumerate(view.sliders):
        _wire_slider(view, slider, place)
    _wire_change(view)
    _wire_ticks(view)


def _wire_slider(view: PlanView, slider: gr.Slider, place: int) -> None:
    @guarded(view.lang)
    async def slid(value: float, after: Json, origin: Json, config: str | None) -> list[Any]:
        facts = after.get("facts", [])
        if place >= len(facts):
            return [gr.skip() for _ in (*view.redrawn, *view.sliders)]
        found = await view.pool.run(work.moved, after["pinned"], {facts[place]: int(value)}, view.lang, config)
        return [*view.redraw(found, origin, config), *view.moved_to(found, place)]

    inputs = [slider, view.after, view.origin, view.config]
    slider.input(slid, inputs, [*view.redrawn, *view.sliders], trigger_mode="always_last", **_QUIET)


def _wire_change(view: PlanView) -> None:
    known = {each.fact: each for each in form.fields(view.lang)}

    def chosen(fact: str | None) -> Any:
        one = known.get(fact or "")
        if one is None:
            return gr.update(choices=[], value=None)
        pairs = [(label, value) for value, label in one.choices]
        return gr.update(choices=pairs, value=None, info=f"{one.question} {one.unit}".strip())

    view.which.input(chosen, [view.which], [view.to], **_QUIET)

    @guarded(view.lang)
    async def applied(fact: str | None, value: Any, given: Json, origin: Json, config: str | None) -> list[Any]:
        whole = [*view.redrawn, *view.sliders]
        if fact not in known or value in (None, "", []):
            return [gr.skip() for _ in whole]
        found = await view.pool.run(work.changed, dict(given), fact, value, view.lang, config)
        if "error" in found:
            told = f'<div class="wrong"><p>{text(filled("bad_value", view.lang, why=found["error"]))}</p></div>'
            return [block(told) if each is view.wrong else gr.skip() for each in whole]
        return [*view.redraw(found, origin, config), *view.moved_to(found)]

    inputs = [view.which, view.to, view.given, view.origin, view.config]
    view.apply.click(applied, inputs, [*view.redrawn, *view.sliders], **_QUIET)


def _wire_ticks(view: PlanView) -> None:
    """Ticks are kept in the browser beside the answers that they belong to."""

    def kept(given: Json, *values: list[str]) -> Json:
        return {"of": _of(given), "ticked": sorted({item for each in values for item in each or []})}

    for group in view.ticks:
        group.input(kept, [view.given, *view.ticks], [view.ticked], trigger_mode="always_last", **_QUIET)

    def restored(given: Json, ticked: Any, after: Json) -> list[Any]:
        known = isinstance(ticked, dict) and ticked.get("of") == _of(given) and isinstance(ticked.get("ticked"), list)
        if not known or not after.get("items"):
            return [gr.skip() for _ in view.ticks]
        return [gr.update(value=[item for item in ticked["ticked"] if item in mine]) for mine in after["items"]]

    view.given.change(restored, [view.given, view.ticked, view.after], view.ticks, **_QUIET)


def _of(given: Json) -> str:
    """The answers as one text, equal for equal answers."""
    return json.dumps(given, sort_keys=True, default=str)
