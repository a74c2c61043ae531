"""What the pages ask of the desks, as functions that run in the pool's processes: plain values in and out.

Workers import this module, so it knows neither Gradio nor the pages. The server's own process imports it too, to name
its functions: each imports its desk when it runs, which keeps the engine out of that process and its start short. It
words nothing and decides nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.core.errors import BadInput
from advisor.core.text import LANGS, Lang

if TYPE_CHECKING:
    from advisor.consult.answer import Reply

Json = dict[str, Any]
_NAME = "config.json"


def lang_of(word: object, otherwise: Lang | None = None) -> Lang | None:
    """A language by name. Raises `BadInput` for an unknown one; empty is `otherwise`."""
    if word in (None, ""):
        return otherwise
    found: Lang | None = next((lang for lang in LANGS if lang == word), None)
    if found is None:
        raise BadInput("unknown language", where="lang", expected=", ".join(LANGS))
    return found


def checked(raw: Mapping[str, object], facts: list[str], lang: Lang, config: str | None) -> Json:
    """The answers of a form: `given` by slot, `errors` by fact, `open` facts that still matter, and in words."""
    from advisor.consult import form, form_open, form_taken

    found = form_taken.taken(raw, lang)
    still = [fact for fact in form_open.open_facts(_beside(found.given, config), facts) if _asked(fact, config)]
    hidden = {form.key_of(fact) for fact in facts if fact not in still}
    given = {key: value for key, value in found.given.items() if key not in hidden}
    return {"given": given, "errors": found.errors, "open": still, "told": form_taken.told(given, lang)}


def _asked(fact: str, config: str | None) -> bool:
    """A config.json answers what the model is."""
    return config is None or not fact.startswith("model.")


def _beside(given: Mapping[str, object], config: str | None) -> dict[str, object]:
    """The answers with the size that a config.json states, for what depends on the model."""
    from advisor.consult import form_config

    if config is None:
        return dict(given)
    return {**given, "params_b": form_config.config_of(config).params_b}


def advised(given: Mapping[str, object], lang: Lang, config: str | None = None) -> Json:
    """The answer to facts, as `hkgpu advise` gives it."""
    return dict(_reply(given, lang, config).json)


def _reply(given: Mapping[str, object], lang: Lang, config: str | None) -> Reply:
    from advisor.consult import answer

    if config is None:
        return answer.advise(given, lang=lang)
    with tempfile.TemporaryDirectory(prefix="hkgpu-") as folder:
        path = Path(folder) / _NAME
        path.write_text(config, encoding="utf-8")
        return answer.advise(given, lang=lang, model_config=path)


def typed(given: Mapping[str, object]) -> Json:
    """Answers by slot as a form shows them, by fact id."""
    from advisor.consult import form_taken

    return dict(form_taken.given_facts(given))


def ready() -> bool:
    """Whether this process can answer and remember."""
    from advisor.consult import answer, spoken

    answer.rules()
    spoken.desk()
    return True


def asked(text: str, lang: Lang | None) -> Json:
    """The answer to a question in words, as `hkgpu ask` gives it."""
    from advisor.consult import answer

    return dict(answer.ask(text, lang=lang).json)


def checklist(given: Mapping[str, object], lang: Lang, format: str = "markdown", config: str | None = None) -> str:
    """The checklist with the very bytes of `hkgpu checklist`."""
    from advisor.consult import answer

    text = answer.render_checklist(_reply(given, lang, config), format)
    return text if text.endswith("\n") else text + "\n"


def plan_json(given: Mapping[str, object], lang: Lang, config: str | None = None) -> str:
    """The whole answer as data."""
    return json.dumps(advised(given, lang, config), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def linked(params: Mapping[str, str], lang: Lang) -> Json:
    """What an address says: answers as a form shows them, those that cannot be, names nobody knows, a config.json."""
    from advisor.consult import form, form_config, form_taken

    found = form_taken.from_link(params, lang)
    config = form_config.unpacked(params.get(form_taken.CONFIG, ""))
    return {
        "raw": form_taken.given_facts(found.given),
        "given": found.given,
        "errors": found.errors,
        "unread": list(found.unread),
        "config": config,
        "older": bool(params.get("data")) and params["data"] != form.version(),
    }


def link(given: Mapping[str, object], lang: Lang, config: str | None = None) -> str:
    """The readable query of a plan."""
    from advisor.consult import form_taken

    return form_taken.link(given, lang, config)


def config_read(text: str, lang: Lang) -> Json:
    """A config.json as it is kept, and what it says in words. Raises `BadInput`."""
    from advisor.consult import form_config

    found = form_config.config_of(text)
    return {"config": found.kept, "told": form_config.told(found, lang)}


def judged(paths: list[str], paste: str, order: str, where: str, lang: Lang) -> Json:
    """A delivery judged: items and outputs, and the message to the vendor by language."""
    from advisor.consult import judge

    ordered = judge.read_order(order, where) if order else None
    if paths:
        delivery = judge.judge([Path(path) for path in paths], ordered=ordered)
    else:
        delivery = judge.judge_text(paste, ordered=ordered)
    rows: list[Json] = json.loads(judge.render(delivery, "json", lang))
    return {"rows": rows, "messages": judge.message(delivery)}


def compared(offers: list[tuple[str, bytes]], given: Mapping[str, object] | None, lang: Lang) -> Json:
    """Vendors' offers against a plan and each other."""
    from advisor.consult import quotes

    return dict(quotes.compare(offers, given, lang=lang).json)


def claim(text: str, lang: Lang) -> Json:
    """What a vendor's sentence is worth."""
    from advisor.consult import claims

    found = dict(claims.ask(text, lang=lang).json)
    named = [{**each, "word": claims.verdict_word(each["verdict"], lang)} for each in found["claims"]]
    return {**found, "claims": named, "word": claims.verdict_word(found["verdict"], lang)}


def listed(kind: str, find: str, lang: Lang) -> Json:
    """What the catalogue holds of a kind."""
    from advisor.consult import catalogue

    return catalogue.listed(kind, find, lang)


def packed(given: Mapping[str, object], lang: Lang, config: str | None = None) -> bytes:
    """The order pack as one zip."""
    from advisor.consult import pack

    if config is not None:
        raise BadInput("an order pack needs a model of the catalogue", where="config.json")
    return pack.kit(given, lang=lang).zip()


def said(session: str, words: str, key: str, person: str, lang: Lang) -> Json:
    """One turn of the chat."""
    from advisor.consult import spoken

    return spoken.say(session, words, key, person, lang)


def begun(given: Mapping[str, Any], config: str | None, key: str, person: str, lang: Lang) -> Json:
    """A conversation that begins with a plan's answers."""
    from advisor.consult import spoken

    return spoken.begin(given, config, key, person, lang)


def forgotten(session: str, person: str, lang: Lang) -> str:
    """A person's turns removed from a conversation; says what is gone."""
    from advisor.consult import spoken

    return spoken.forget(session, person, lang)


def established(session: str) -> Json:
    """What a conversation has established, as a form shows it."""
    from advisor.consult import spoken

    return spoken.established(session)
