"""The desk of what comes attached to a message: outputs to judge, a vendor's offer, a model's config.json.

A file is hostile text until a reader has taken what it knows. What it is, its content says and not its name. Functions
are top-level and plain, for a pool of processes. The judgement, the comparison and the sizing are other desks'.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.consult import judge
from advisor.consult.threads import Said, answered, desk
from advisor.core.errors import BadInput, HkgpuError
from advisor.core.judged import WORST_FIRST, Delivery
from advisor.core.text import Lang
from advisor.knowledge.library import open_library
from advisor.report import chat_words, judged
from advisor.report.wording import Wording

Json = dict[str, Any]
# A line of the message for each of so many outputs; the rest stands in the file.
MOST_LINES = 2**3
_CONFIG_BYTES = 2**20
_CONFIG_KEYS = ("model_type", "architectures", "hidden_size", "num_hidden_layers", "n_layer")


def answered_with(said: Said, files: Sequence[tuple[str, str]], remarks: Sequence[str] = ()) -> Json:
    """The parts of the answer to a message with files, each (shown name, path). `remarks` go in front.

    A config.json goes into the conversation with the message's words; everything else is judged or compared.
    """
    paths = [(name, Path(path)) for name, path in files]
    configs = [(name, text) for name, path in paths if (text := _config(path)) is not None]
    rest = [(name, path) for name, path in paths if name not in [known for known, _ in configs]]
    lang = said.tongue or _lang_of(said) or "en"
    if configs and not rest:
        return _sized(said, configs[0], remarks)
    wording = Wording(open_library(), lang)
    delivery = judge.judge([path for _, path in rest], ordered=_order(said)) if rest else Delivery((), ())
    read = [each for each in delivery.files if each.tool]
    # A vendor's prose names what a tool prints too: where no output says anything, it may be an offer.
    offered = _quoted(said, rest, wording) if all(each.judgement == "inconclusive" for each in read) else None
    if offered is not None:
        return {**offered, "lines": [*remarks, *offered["lines"]]}
    if read:
        return _judged(delivery, rest, remarks, wording)
    unknown = [wording.fixed(chat_words.CHAT, "file_unknown", name=name) for name, _ in rest]
    told = "\n".join([*remarks, *unknown])
    return {"lang": lang, "error": told or wording.text(judged.SENTENCE["nothing"])}


def _lang_of(said: Said) -> Lang | None:
    """The language of the thread, or of the message's own words."""
    from advisor.dialogue.understand import understand

    if said.text.strip():
        seen = understand(said.text[: 2**10], open_library()).lang
        return "en" if seen == "en" else ("zh-Hant" if seen == "zh-Hant" else "zh")
    sessions, chats = desk()
    try:
        return sessions.show(chats.session(said.thread)).lang
    except BadInput:
        return None


def _config(path: Path) -> str | None:
    """The text of a file that is a model's configuration; None where it is none."""
    from advisor.knowledge.hub_config import read_config

    try:
        with path.open("rb") as file:
            raw = file.read(_CONFIG_BYTES + 1)
        text = raw.decode("utf-8-sig")
        if len(raw) > _CONFIG_BYTES or not text.lstrip().startswith("{"):
            return None
        if not any(f'"{key}"' in text for key in _CONFIG_KEYS):
            return None
        read_config(text)
    except (OSError, UnicodeDecodeError, HkgpuError):
        return None
    return text


def _sized(said: Said, config: tuple[str, str], remarks: Sequence[str]) -> Json:
    """The consultation about the model of a config.json; its shape stays with the conversation, its names do not."""
    from advisor.consult.form_config import config_of

    name, text = config
    try:
        kept = config_of(text)
    except BadInput as error:
        return {"lang": said.tongue or "en", "error": f"{name}: {error.what}"}
    given: Mapping[str, Any] = {} if said.text.strip() else {"params_b": round(kept.params_b, 2)}
    parts = answered(replace(said, given=given, config=kept.kept))
    if not parts.get("error"):
        wording = Wording(open_library(), parts["lang"])
        told = wording.fixed(chat_words.CHAT, "file_config", name=name, params=f"{kept.params_b:.3g}")
        parts["notes"] = [*remarks, told, *parts["notes"]]
    return parts


def _quoted(said: Said, files: Sequence[tuple[str, Path]], wording: Wording) -> Json | None:
    """Vendors' offers against the thread's plan; None where no file is an offer."""
    from advisor.consult import quotes

    try:
        bodies = [(name, path.read_bytes()) for name, path in files[: quotes.MOST_FILES]]
        reply = quotes.compare(bodies, _plan(said), lang=wording.lang)
    except (OSError, BadInput):
        return None
    offers = [each for each in reply.json["offers"] if each["price"]]
    if not offers:
        return None
    lines = [f"• {wording.pair(each['name'], each['summary'])}" for each in offers if len(offers) > 1]
    lines += [f"• {each['text']}" for offer in offers for each in (*offer["contradictions"], *offer["warnings"])]
    about = wording.text(chat_words.CHAT["quote_attached"])
    return {
        "lang": wording.lang, "head": reply.json["summary"], "lines": [*lines[:MOST_LINES], about],
        "files": [("offers.md", quotes.render(reply, "markdown"))],
    }  # fmt: skip


def _judged(delivery: Delivery, files: Sequence[tuple[str, Path]], remarks: Sequence[str], wording: Wording) -> Json:
    known = {str(path): name for name, path in files}
    names = {each.file: _shown(each.file, known) for each in delivery.files}
    worst = min((each.judgement for each in delivery.files), key=WORST_FIRST.index)
    text = judge.render(delivery, "markdown", wording.lang)
    for path, name in known.items():
        text = text.replace(path, name)
    lines = []
    for each in sorted(delivery.files, key=lambda one: WORST_FIRST.index(one.judgement))[:MOST_LINES]:
        verdict = wording.text(judged.VERDICT[each.judgement])
        why = _why(each, wording)
        lines.append(
            f"• {wording.pair(names[each.file], ' · '.join(part for part in (verdict, each.tool, why) if part))}"
        )
    head = wording.pair(wording.text(judged.VERDICT[worst]), wording.text(judged.SENTENCE["heading"]))
    about = wording.text(chat_words.CHAT["judged_attached"])
    return {
        "lang": wording.lang, "head": head, "lines": [*remarks, *lines, about], "files": [("judged.md", text)],
    }  # fmt: skip


def _shown(file: str, known: Mapping[str, str]) -> str:
    """The name of an output as a person knows it; a member of an archive below the archive's name."""
    for path, name in known.items():
        if file == path or file == Path(path).name:
            return name
        if file.startswith(path):
            return name + file[len(path) :]
    return Path(file).name


def _why(file: Any, wording: Wording) -> str:
    """The sentence that decided, or why there is none."""
    for finding in file.findings:
        if finding.judgement == file.judgement:
            return wording.filled(finding.say, finding.values)
    return "; ".join(judged.problems(file, wording))


def _plan(said: Said) -> Json | None:
    """The thread's plan, None where there is none yet."""
    sessions, chats = desk()
    try:
        reply = sessions.show(chats.session(said.thread))
    except BadInput:
        return None
    return dict(reply.json) if reply.json["recommended"] else None


def _order(said: Said) -> Any:
    """The order that the outputs are judged against: the thread's plan, None where there is none yet."""
    plan = _plan(said)
    if plan is None:
        return None
    return judge.read_order(json.dumps({key: plan[key] for key in ("recommended", "understood")}), "plan")
