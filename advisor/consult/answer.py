"""The desk that answers: a question in words, or facts given one by one.

It opens the knowledge and the rules once a process, understands, consults and words the answer. It holds no advice.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.consult import stamp
from advisor.consult.consultation import consult
from advisor.consult.desk import Asked
from advisor.core.errors import BadData, BadInput
from advisor.core.text import Lang
from advisor.knowledge.architecture import Architecture
from advisor.knowledge.library import Library, open_library
from advisor.plan.hardware import Market, market
from advisor.report.compose import claim_summary, compose
from advisor.report.wording import Wording
from advisor.rules.run import RuleBase

if TYPE_CHECKING:
    from advisor.dialogue.understand import Understanding

# Longer questions are cut off with a message: nobody types this much, and time must stay bounded.
MAX_TEXT = 2**14


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in one language, in the contract's JSON shape."""

    json: Mapping[str, Any]
    lang: Lang

    @property
    def exit_code(self) -> int:
        """1 where the question was declined, else 0: a verdict of "no" is an answer."""
        return 1 if self.json.get("declined") else 0


_BUILDING = threading.RLock()


def rules(library: Library | None = None) -> RuleBase:
    """The rule base of a library (this process's own by default), built once and gone with it.

    It is checked unless exactly this data was checked before; raises `BadData` for data that is wrong.
    """
    library = library or open_library()
    with _BUILDING:
        base: RuleBase | None = library.kept.get("rules")
        if base is None:
            known = stamp.stands(library.version)
            if not known and len(library.roots) > 1:
                _refuse(library.check_all())  # an overlay counts as a whole or not at all
            base = library.kept["rules"] = RuleBase.build(library, checked=known)
            base.close_with_last_use()
            if not known:
                stamp.put(library.version)
        return base


def _refuse(wrong: Sequence[BadData]) -> None:
    if wrong:
        raise BadData("\n".join(dict.fromkeys(map(str, wrong))))


def here(library: Library | None = None) -> Market:
    """What "here" means in a library, this process's own by default."""
    library = library or open_library()
    with _BUILDING:
        found: Market | None = library.kept.get("market")
        if found is None:
            found = library.kept["market"] = market(library)
        return found


def today() -> date:
    """The day of the consultation, in UTC."""
    return datetime.now(UTC).date()


def ask(text: str, *, lang: Lang | None = None, model_config: Path | None = None, day: date | None = None) -> Reply:
    """Answer a question in words. Raises `BadInput` for an empty or endless text or a bad `config.json`."""
    from advisor.dialogue.answers import answers_of
    from advisor.dialogue.understand import understand

    if not text.strip():
        raise BadInput("the question is empty", do='try: hkgpu ask "can I fine-tune 70B here?"')
    if len(text) > MAX_TEXT:
        raise BadInput(f"the question has {len(text)} characters", expected=f"at most {MAX_TEXT}")
    library = open_library()
    seen = understand(text, library)
    sets = answers_of(seen, library)
    asked = Asked(
        answers=tuple(sets.answers),
        intent=seen.intent,
        understood=sets.slots,
        rejected=tuple(seen.rejected),
        problems=tuple(sets.problems),
        config=_config(model_config),
    )
    spoken: Lang = lang or ("en" if seen.lang == "en" else ("zh-Hant" if seen.lang == "zh-Hant" else "zh"))
    reply = _reply(asked, spoken, library, day)
    return _with_claims(reply, seen, text, library) if seen.claims or "truth" in seen.notes else reply


def _with_claims(reply: Reply, seen: Understanding, text: str, library: Library) -> Reply:
    """The reply with what a vendor's quoted sentence is worth."""
    from advisor.consult.claims import claims_in

    return claimed(reply, claims_in(seen, text, library, reply.lang))


def claimed(reply: Reply, claims: list[dict[str, Any]]) -> Reply:
    """The reply with these claims; the verdict speaks of the sentence unless it is true."""
    from advisor.consult.claims import verdict_of

    if not claims:
        return reply
    # A true sentence does not make the plan around it a good one: then the plan's own verdict stands.
    verdict = verdict_of(claims)
    decides = verdict != "yes" or reply.json["verdict"] == "unknown"
    summary = claim_summary(claims[0]["text"], decides, reply.json)
    told = {"claims": claims, "verdict": verdict if decides else reply.json["verdict"], "summary": summary}
    return Reply({**reply.json, **told}, reply.lang)


def advise(
    given: Mapping[str, object], *, lang: Lang | None = None, model_config: Path | None = None, day: date | None = None
) -> Reply:
    """The same answer from facts by id or slot name. Raises `BadInput` naming the fact and what was expected."""
    from advisor.dialogue.answers import answers_from

    library = open_library()
    given = {key: value for key, value in given.items() if value is not None}
    sets = answers_from(given, library)
    asked = Asked(
        answers=tuple(sets.answers),
        intent="ask_feasibility",
        understood=_as_read(given, sets.slots),
        problems=tuple(sets.problems),
        config=_config(model_config),
    )
    return _reply(asked, lang or "en", library, day)


def _as_read(given: Mapping[str, object], slots: Mapping[str, Any]) -> dict[str, object]:
    """What was given, with a total of cards as it was spread over servers."""
    if "nodes" not in slots or "nodes" in given or "gpu.nodes" in given:
        return dict(given)
    count = "gpu.count" if "gpu.count" in given else "gpu_count"
    return {**given, count: slots["gpu_count"], "nodes": slots["nodes"]}


def _reply(asked: Asked, lang: Lang, library: Library, day: date | None) -> Reply:
    consultation = consult(asked, day or today(), library, rules(library), here(library))
    return Reply(compose(consultation, library, Wording(library, lang)), lang)


def _config(path: Path | None) -> Architecture | None:
    if path is None:
        return None
    from advisor.knowledge.hub_config import MAX_BYTES, read_config

    try:
        if not path.is_file():
            raise BadInput("is no file", where=str(path), expected="a Hugging Face config.json")
        with path.open("rb") as file:
            return read_config(file.read(MAX_BYTES + 1)).architecture
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None


def read_facts(text: str, where: str) -> dict[str, object]:
    """Facts from the text of a YAML or JSON file: one flat mapping. Raises `BadInput` for anything else."""
    from advisor.knowledge.reader import read_text

    data = read_text(text, Path(where)).data
    if not isinstance(data, dict):
        raise BadInput("holds no facts", where=where, expected="fact: value, one a line")
    return data


def render(reply: Reply, format: str) -> str:
    """The answer as `text`, `markdown` or `json`."""
    if format == "json":
        return json.dumps(reply.json, ensure_ascii=False, indent=2, allow_nan=False)
    wording = Wording(open_library(), reply.lang)
    if format == "markdown":
        from advisor.report import markdown

        return markdown.render(dict(reply.json), wording)
    from advisor.report import plain

    return plain.render(dict(reply.json), wording)


def render_checklist(reply: Reply, format: str) -> str:
    """The acceptance checklist as a Markdown task list or JSON. Raises `BadInput` where there is nothing to check."""
    if not reply.json["checklist"]:
        raise BadInput("there is no plan to check", do="state a model, a method and the hardware")
    if format == "json":
        keys = ("plan", "data_version", "as_of", "verdict", "recommended", "checklist", "sources")
        return json.dumps({key: reply.json[key] for key in keys}, ensure_ascii=False, indent=2, allow_nan=False)
    from advisor.report import markdown

    return markdown.checklist_document(dict(reply.json), Wording(open_library(), reply.lang))
