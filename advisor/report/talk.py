"""What a conversation says beside the answer: what changed, why it asks, how many questions are left, what one can say.

Fixed sentences and their frames only; every reason is the fact's own and every explanation a rule's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from advisor.core.answer import Question
from advisor.core.text import Text
from advisor.core.units import number
from advisor.report import markdown, plain, sentences
from advisor.report.wording import Wording

Json = dict[str, Any]
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
# A reason is worth a handful of lines; the whole of it stands in `explanation`.
MOST_REASONS = 2 * 2 * 2
TALK = {
    "skipped": Text("Skipped.", "好，跳过。"),
    "skipped_assumed": Text("Then I take {name} = {value}: {why}", "那就按 {name} = {value} 来算：{why}"),
    "back": Text("Taken back.", "已退回上一步。"),
    "nothing_back": Text("There is nothing to take back.", "没有可以退回的。"),
    "restart": Text("Begun anew. What is the job?", "重新开始。要做什么任务？"),
    "no_question": Text("No question is open.", "现在没有要问的。"),
    "nothing_yet": Text(
        "There is nothing to explain yet: tell me the model, the method and the cards.",
        "还没有可以解释的结论：先告诉我模型、训练方式和显卡。",
    ),
    "nothing_to_export": Text(
        "There is no plan to export yet: tell me the model, the method and the cards.",
        "还没有可以导出的方案：先告诉我模型、训练方式和显卡。",
    ),
    "exported": Text(
        "Plan {plan} is frozen. Its checklist: hkgpu checklist --session {session}",
        "方案 {plan} 已冻结。取验收清单：hkgpu checklist --session {session}",
    ),
    "newer": Text(
        "Note: with today's data this checklist would be another one; say export in the conversation to renew it.",
        "注意：按现在的数据，这份清单会不同；在会话里说“导出”可重新冻结。",
    ),
    "moved_on": Text(
        "Note: the conversation has moved on since this plan was frozen; say export to freeze the present one.",
        "注意：冻结这份方案之后会话又有改动；说“导出”可冻结现在的方案。",
    ),
    "lost": Text("I did not understand that.", "这句我没看懂。"),
    "lost_choices": Text("I still do not understand. You can say:", "还是没看懂。可以这样说："),
    "change": Text("What is it instead?", "改成什么？"),
    "unchangeable": Text("I do not ask about that.", "这一项我没有问题可问。"),
    "left": Text("{count} more after this one", "之后还有 {count} 个问题"),
    "last": Text("the last question", "最后一个问题"),
    "to_change": Text(
        'To change anything, say "change" and its name, or just say it anew.', "要改哪一项，说“改”加名称，或直接重说。"
    ),
    "help": Text(
        "Say what the job is, or answer the question. At any time: why, skip, I don't know, back, start over, "
        "change X, compare A and B, explain, show, export.",
        "说说任务，或回答问题。随时可以说：为什么、跳过、不知道、返回、重新开始、"
        "改某项、比较 A 和 B、解释、全文、导出。",
    ),
    "example": Text("can I fine-tune 70B here?", "能不能在这里微调70B？"),
    "forgotten": Text(
        "Removed: turns {turns}, messages {waiting}, plans {plans}; conversations closed {closed}.",
        "已删除：回合 {turns}，消息 {waiting}，方案 {plans}；关闭会话 {closed}。",
    ),
    "none": Text("none", "无"),
}
SAY = {
    "skip": Text("skip", "跳过"),
    "unknown": Text("I don't know", "不知道"),
    "why": Text("why", "为什么"),
    "restart": Text("start over", "重新开始"),
}
WHAT = {"verdict": Text("verdict", "结论"), "cards": Text("cards", "显卡"), "cost": Text("cost", "费用")}


def question_json(question: Question, wording: Wording) -> Json:
    """A question in the contract's shape."""
    return {
        "fact": question.slot,
        "text": wording.text(question.text),
        "choices": [wording.text(text) for _, text in question.choices],
        "values": [value for value, _ in question.choices],
        "why": wording.text(question.why),
    }


def changes(before: Json, after: Json, wording: Wording) -> list[Json]:
    """What a changed answer changed: verdict, cards and cost, each only where it differs."""
    found = []
    for what, read in (("verdict", lambda reply: reply["verdict"]), ("cards", _cards), ("cost", _cost)):
        one, other = read(before), read(after)
        if one != other:
            found.append({"what": what, "before": one, "after": other})
    return found


def _cards(reply: Json) -> str | None:
    """The cards of the plan as stated where it was stated, else of the recommended one."""
    rows = [row for row in reply["by_method"] if row["gpu"] is not None]
    if len(rows) == 1:
        return markdown.hardware(rows[0])
    return markdown.hardware(reply["recommended"]) if reply["recommended"] else None


def _cost(reply: Json) -> str | None:
    cost = reply["recommended"]["cost"] if reply["recommended"] else None
    return f"{cost['low']:g}–{cost['high']:g} {cost['currency']}/{cost['period']}" if cost else None


def reasons(reply: Json, facts: set[str], wording: Wording) -> list[str]:
    """Why the answer is what it is: the deciding sentence of each method, then the rules behind it with their sources.

    With `facts`, only the rules that looked at one of them.
    """
    lines = (
        []
        if facts
        else [f"{wording.fixed(sentences.METHOD, row['method'])}: {row['why']}" for row in reply["by_method"]]
    )
    titles = {source["id"]: source["title"] for source in reply["sources"]}
    for firing in reply["explanation"]:
        if facts and not facts & set(firing["facts"]):
            continue
        pairs = ", ".join(f"{name} = {value}" for name, value in firing["facts"].items())
        because = "; ".join(titles.get(id_, id_) for id_ in firing["because"])
        lines.append(f"{firing['rule']} ({pairs}) ← {because}")
    return lines[:MOST_REASONS]


def offers(question: Json | None, wording: Wording) -> list[str]:
    """What a person can say who was not understood twice."""
    said = [wording.text(SAY[key]) for key in (("skip", "unknown", "why", "restart") if question else ("restart",))]
    choices = [f"{place}. {choice}" for place, choice in enumerate(question["choices"], 1)] if question else []
    return [*choices, *said] if question else [wording.text(TALK["example"]), *said]


def render(reply: Json, wording: Wording) -> str:
    """A turn as plain text: the whole answer the first time and where it was asked for, else what is new."""
    body = {**reply, "questions": []}
    if reply["act"] in ("said", "back", "skip", "unknown") and reply["turn"] > 1 and not reply["full"]:
        parts = ["\n".join([reply["summary"], *reply["problems"]]), _understood(reply, wording)]
    elif reply["act"] in ("said", "compare", "show", "back"):
        parts = [plain.render(body, wording).rstrip()]
    elif reply["act"] in ("declined", "chat"):
        parts = [reply["summary"]]
    else:
        parts = []
    parts = [reply["message"], _changes(reply, wording), *parts, _choices(reply), _question(reply, wording)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _understood(reply: Json, wording: Wording) -> str:
    pairs = markdown.facts_line(reply, "understood", wording)
    head = wording.fixed(sentences.HEADING, "understood")
    return f"{head}: {pairs}\n{wording.text(TALK['to_change'])}" if pairs else ""


def _changes(reply: Json, wording: Wording) -> str:
    lines = [f"  {line}" for line in changed(reply, wording)]
    return "\n".join([wording.fixed(sentences.HEADING, "changes"), *lines]) if lines else ""


def changed(reply: Mapping[str, Any], wording: Wording) -> list[str]:
    """What a corrected answer changed, one line each."""
    lines = []
    for change in reply["changes"]:
        one, other = (_shown(change["what"], change[side], wording) for side in ("before", "after"))
        lines.append(wording.pair(wording.text(WHAT[change["what"]]), f"{one} → {other}"))
    return lines


def _shown(what: str, value: Any, wording: Wording) -> str:
    if value is None:
        return wording.text(TALK["none"])
    if what == "verdict":
        return wording.fixed(sentences.VERDICT, value)
    if what == "cost":
        band, _, period = str(value).rpartition("/")
        figures = _FIGURE.sub(lambda match: number(float(match[0])), band)
        return f"{figures}/{wording.fixed(sentences.PERIOD, period)}"
    return str(value)


def _choices(reply: Json) -> str:
    return "\n".join(f"  {line}" for line in reply["choices"])


def _question(reply: Json, wording: Wording) -> str:
    if not reply["questions"] or reply["act"] in ("declined", "chat"):
        return ""
    question = reply["questions"][0]
    choices = f" ({' / '.join(question['choices'])})" if question["choices"] else ""
    left = reply["questions_left"] - 1
    more = wording.fixed(TALK, "left", count=str(left)) if left else wording.text(TALK["last"])
    return f"{question['text']}{choices}\n{question['why']} · {more}"


def filled(key: str, wording: Wording, **words: str) -> str:
    """A fixed sentence of the conversation."""
    return wording.fixed(TALK, key, **words)


def assumption(slot: str, reply: Mapping[str, Any]) -> Json | None:
    """What is assumed for a slot, or None."""
    return next((entry for entry in reply["assumptions"] if entry["fact"] == slot), None)
