"""The desk of vendors' sentences: is what they say true?

It understands the sentence (dialogue), carries the slots to the claims room and words what comes back. A text of
several sentences is judged sentence by sentence; the verdict of all is the worst one. It holds no advice of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from advisor.claims.judge import Judged, judge
from advisor.claims.phrases import any_of
from advisor.claims.sentence import take_apart, words_of
from advisor.core.errors import BadInput
from advisor.core.findings import Verdict, worst
from advisor.core.text import Lang
from advisor.knowledge.library import Library, open_library
from advisor.report.wording import Wording

# Longer texts are cut off with a message: nobody types this much, and time must stay bounded.
MAX_TEXT = 2**14
_END = re.compile(r"(?<=[。！？!?；;\n])|(?<=[A-Za-z%）)\u4e00-\u9fff0-9]\.)\s+")


class Understood(Protocol):
    """What the dialogue room brings out of a message."""

    @property
    def claims(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer in one language, in the contract's JSON shape."""

    json: Mapping[str, Any]
    lang: Lang


def ask(text: str, *, lang: Lang | None = None) -> Reply:
    """Judge a text. Raises `BadInput` for an empty or endless one."""
    from advisor.dialogue.understand import understand

    if not text.strip():
        raise BadInput("the sentence is empty", do='try: hkgpu claims "vendor says 70B trains on one A100 80G"')
    if len(text) > MAX_TEXT:
        raise BadInput(f"the text has {len(text)} characters", expected=f"at most {MAX_TEXT}")
    library = open_library()
    seen = understand(text, library).lang
    spoken: Lang = lang or ("en" if seen == "en" else "zh-Hant" if seen == "zh-Hant" else "zh")
    found = _judged(text, library)
    wording = Wording(library, spoken)
    claims = [_claim(each, wording) for each in found if each.found]
    told = [each for each in found if each.found] or found
    # Of one sentence the first claim is the answer; the others only repeat it.
    verdict = worst([each.verdict for each in told if each.first]) if any(each.first for each in told) else "unknown"
    sources = dict.fromkeys(source for each in told for source in each.sources)
    return Reply(
        {
            "lang": spoken,
            "verdict": verdict,
            "text": claims[0]["text"] if claims else _text(found[0], wording),
            "claims": claims,
            "sources": [_source(key, library) for key in sources if key in library.sources],
            "data_version": library.version,
        },
        spoken,
    )


def claims_in(understanding: Understood, text: str, library: Library, lang: Lang) -> list[dict[str, Any]]:
    """`claims` of an answer: what the quoted sentences of a message are worth; empty where nothing is quoted.

    Each is `{"id", "verdict", "text", "figure"?, "sources"}`; `text` serves where the quoting words stand alone,
    and where somebody asks whether a sentence is true.
    """
    quoted = understanding.claims
    if not quoted:
        # "is it true that ..." asks about a sentence without naming who said it.
        if not any_of(text.lower(), words_of(library).figures["truth_asked"]):
            return []
        quoted = (text,)
    wording = Wording(library, lang)
    found = [each for sentence in quoted for each in _judged(sentence, library) if each.found]
    if not found:
        found = [each for each in _judged(text, library) if each.found]
    unique = {each.id: each for each in reversed(found)}
    return [_claim(each, wording) for each in reversed(unique.values())]


def verdict_of(claims: list[dict[str, Any]]) -> Verdict:
    """The verdict on all claims together, the worst one."""
    return worst([claim["verdict"] for claim in claims])


def _judged(text: str, library: Library) -> list[Judged]:
    """Each sentence judged by itself; the whole text where no sentence alone says enough."""
    parts = [part.strip() for part in _END.split(text) if part.strip()]
    found = [each for part in parts for each in _one(part, library)]
    told = [each for each in found if each.found]
    return told or (_one(text, library) if len(parts) != 1 else found)


def _one(text: str, library: Library) -> list[Judged]:
    from advisor.dialogue.text import normalised
    from advisor.dialogue.understand import understand

    seen = understand(text, library)
    return judge(take_apart(normalised(text), seen.lang, seen.slots, library), library)


def _text(judged: Judged, wording: Wording) -> str:
    joint = " " if wording.lang == "en" else ""
    return joint.join(wording.text(text) for text in judged.text)


def _claim(judged: Judged, wording: Wording) -> dict[str, Any]:
    claim: dict[str, Any] = {"id": judged.id, "verdict": judged.verdict, "text": _text(judged, wording)}
    if judged.figure:
        claim["figure"] = judged.figure
    claim["sources"] = list(judged.sources)
    return claim


def _source(key: str, library: Library) -> dict[str, str]:
    record = library.source(key)
    return {"id": key, "title": record.title, "date": record.date}


_HEAD: dict[str, dict[str, str]] = {
    "yes": {"en": "True", "zh": "属实", "zh-Hant": "屬實"},
    "yes_if": {"en": "It depends", "zh": "看条件", "zh-Hant": "視條件而定"},
    "no": {"en": "Not true", "zh": "不属实", "zh-Hant": "不屬實"},
    "unknown": {"en": "Cannot be verified", "zh": "无法核实", "zh-Hant": "無法核實"},
}
_SOURCES = {"en": "Sources", "zh": "来源", "zh-Hant": "來源"}


def verdict_word(verdict: str, lang: Lang) -> str:
    """A verdict on a sentence, in words."""
    return _HEAD[verdict][lang]


def render(reply: Reply, format: str) -> str:
    """The reply as `text`, `markdown` or `json`."""
    if format == "json":
        return json.dumps(reply.json, ensure_ascii=False, allow_nan=False, indent=2)
    mark = "**" if format == "markdown" else ""
    said = reply.json
    lines = [f"{mark}{_HEAD[said['verdict']][reply.lang]}{mark}"]
    lines += [f"- {claim['text']} [{claim['id']}]" for claim in said["claims"]] or [f"- {said['text']}"]
    if said["sources"]:
        lines.append(f"{_SOURCES[reply.lang]}:")
        lines += [f"- {source['title']} ({source['date']}) [{source['id']}]" for source in said["sources"]]
    return "\n\n".join(lines[:1]) + "\n" + "\n".join(lines[1:])
