"""What the plan page asks of the desks, as functions that run in the pool's processes: plain values in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.core.text import Lang

Json = dict[str, Any]


def shown(given: Mapping[str, object], lang: Lang, config: str | None) -> Json:
    """A plan with all that the page shows of it."""
    from advisor.consult import whatif

    return whatif.show(given, lang, config=config)


def moved(base: Mapping[str, object], changes: Mapping[str, object], lang: Lang, config: str | None) -> Json:
    """The plan after sliders were moved, by fact id."""
    from advisor.consult import whatif

    return whatif.show(whatif.moved(base, changes), lang, config=config)


def changed(given: Mapping[str, object], fact: str, value: object, lang: Lang, config: str | None) -> Json:
    """The plan after one answer as typed; `error` says why it cannot be taken."""
    from advisor.consult import form_taken, whatif

    found = form_taken.taken({fact: value}, lang)
    if found.errors:
        return {"error": found.errors[fact]}
    if not found.given:
        return whatif.show(whatif.moved(given, {fact: None}), lang, config=config)
    return whatif.show(whatif.moved(given, {fact: next(iter(found.given.values()))}), lang, config=config)
