"""One question of the form on the page: its widget, its "I don't know", and where its error stands.

Which widget a question gets follows from its kind and the number of its choices; what it asks comes from the desk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.consult.form import Field
from advisor.core.text import Lang
from bots.web.markup import gr
from bots.web.words import filled, word

# Stands for "I don't know" among the values of a choice; no choice of a fact may be called so.
UNKNOWN = "?"
# More choices than these are a list to search, not buttons.
BUTTONS = 2 * 2 * 2 + 1
Saved = Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """A question's components."""

    field: Field
    box: gr.Column
    input: gr.components.Component
    unknown: gr.Checkbox | None

    @property
    def inputs(self) -> list[gr.components.Component]:
        """What a handler has to be given to read the answer."""
        return [self.input] if self.unknown is None else [self.input, self.unknown]

    def read(self, values: Sequence[Any]) -> tuple[object, bool]:
        """The answer as typed (None for none), and whether "I don't know" was said."""
        value = values[0]
        if self.unknown is not None:
            return (None, True) if values[1] else (_text(value), False)
        if isinstance(value, list):
            return ([each for each in value if each != UNKNOWN] or None, UNKNOWN in value)
        return (None, True) if value == UNKNOWN else (_text(value), False)

    def filled(self, answers: Saved, unknown: Iterable[str], lang: Lang) -> list[Any]:
        """Updates of `inputs` for saved answers."""
        value, said = answers.get(self.field.fact), self.field.fact in unknown
        if self.unknown is not None:
            return [gr.update(value=_text(value) or "", info=self.info(lang)), gr.update(value=said)]
        if self.field.many:
            chosen = value if isinstance(value, list) else [value] if value else []
            return [gr.update(value=[UNKNOWN] if said else chosen, info=self.info(lang))]
        return [gr.update(value=UNKNOWN if said else _text(value), info=self.info(lang))]

    def shown(self, visible: bool, wrong: bool) -> Any:
        """The update of the box."""
        return gr.update(visible=visible, elem_classes=["ask", "bad"] if wrong else ["ask"])

    def info(self, lang: Lang, error: str = "") -> str:
        """What stands under the question: why it is asked, or what is wrong with the answer."""
        return f"⚠ {error}" if error else _why(self.field, lang)


def _text(value: object) -> object:
    if isinstance(value, str):
        return value.strip() or None
    return value


def ask(field: Field, lang: Lang, visible: bool) -> Ask:
    """Lay a question out here; call it inside a `gr.Blocks`."""
    place = f"q-{field.fact.replace('.', '-')}"
    with gr.Column(visible=visible, elem_id=place, elem_classes=["ask"]) as box:
        if field.kind in ("quantity", "number"):
            named = not field.unit or field.unit.lower() in field.question.lower()
            label = field.question if named else f"{field.question} ({field.unit})"
            typed = gr.Textbox(
                label=label, info=_why(field, lang), max_lines=1, max_length=2**8, placeholder=_assumed(field, lang),
                elem_id=f"{place}-in", elem_classes=["amount"],
            )  # fmt: skip
            unsure = gr.Checkbox(label=word("unknown", lang), elem_classes=["unknown"], elem_id=f"{place}-unknown")
            return Ask(field, box, typed, unsure)
        return Ask(field, box, _choice(field, lang, place), None)


def _choice(field: Field, lang: Lang, place: str) -> gr.components.Component:
    choices = [*((label, value) for value, label in field.choices), (word("unknown", lang), UNKNOWN)]
    common: dict[str, Any] = {
        "label": field.question, "info": _why(field, lang), "elem_id": f"{place}-in",
    }  # fmt: skip
    if field.many:
        return gr.CheckboxGroup(choices, value=[], **common)
    if field.kind == "ref":
        return gr.Dropdown(
            [choices[-1], *choices[:-1]],
            value=None,
            filterable=True,
            allow_custom_value=True,
            num_choices_shown=2**6,
            **common,
        )
    if len(choices) > BUTTONS + 1:
        return gr.Dropdown([choices[-1], *choices[:-1]], value=None, filterable=True, **common)
    return gr.Radio(choices, value=None, **common)


def _why(field: Field, lang: Lang) -> str:
    search = f" {word('search', lang)}" if field.kind == "ref" else ""
    return f"{word('why', lang)} {field.why}{search}"


def _assumed(field: Field, lang: Lang) -> str:
    return filled("assumes", lang, value=field.assumed) if field.assumed else ""
