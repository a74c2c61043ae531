"""What counts: negation, correction, hearsay, questions about a value, comparisons, and instructions to the assistant.

Each pass gives tokens a reason in `dropped`. A value that a message denies, quotes or merely asks about fills no slot.
"""

from __future__ import annotations

import re

from advisor.dialogue.tokens import Message, Token

_VALUE = {"card", "model", "size", "number"}
_VALUED = ("task:", "quant:", "precision:", "optimizer:", "sharding:", "place:", "line:")
# Things that can be on or off: a negation before them says "off" and does not drop them.
_SWITCH = {"cue:offload", "cue:grad_ckpt", "cue:nvlink", "cue:sensitive", "quant:none"}
_HARD = {"cards", "nodes", "times", "by", "GB", "TB"}


def holds_value(token: Token) -> bool:
    """Whether a token names a value that could fill a slot."""
    return token.kind in _VALUE or any(tag.startswith(_VALUED) for tag in token.tags)


def apply(message: Message) -> None:
    """Run every pass, in the order in which one may rely on another."""
    _instructions(message)
    _questions(message)
    _negation(message)
    _trailing_negation(message)
    _hearsay(message)
    _references(message)


def _instructions(message: Message) -> None:
    """Instructions to the assistant: the sentence (or the bracket) that holds one is not read."""
    for cue in message.of("scope:instruct"):
        if cue.dropped:
            continue
        left, right = _bracket(message.text, cue)
        for token in message.tokens:
            inside = (
                left <= token.start < right if right else token.sentence == cue.sentence and token.start >= cue.start
            )
            if inside and not token.dropped:
                token.dropped = "instruction"
                if holds_value(token):
                    message.reject("instruction", message.raw[token.start : token.end], token, "instruction")
        message.notes.add("instruction")


def _bracket(text: str, cue: Token) -> tuple[int, int]:
    left = max(text.rfind("[", 0, cue.start + 1), text.rfind("<", 0, cue.start + 1), text.rfind("(", 0, cue.start + 1))
    right = min((place for place in (text.find(mark, cue.end) for mark in "]>)") if place >= 0), default=0)
    return (left, right) if left >= 0 and right and not re.search(r"[\])>]", text[left : cue.start]) else (0, 0)


def _questions(message: Message) -> None:
    """`which lora/qlora settings`, `是 LoRA 还是 QLoRA`: what is asked about is not said."""
    for cue in message.of("scope:ask_value"):
        if cue.text not in ("which", "what") or message.text[cue.end :].startswith((" about", " if")):
            continue
        for token in message.tokens:
            if cue.end <= token.start and token.clause == cue.clause and not token.dropped and token.key("task"):
                near = message.text[cue.end : token.start]
                if len(near) < len(cue.text) * 2 + 2 or "/" in near:
                    _drop(message, token, "asked")


def _negation(message: Message) -> None:
    """`不是 X 是 Y`, `not X`, `without X`: X is dropped up to the end of the clause or the word that turns."""
    for index, cue in enumerate(message.tokens):
        if "scope:negate" not in cue.tags or cue.dropped:
            continue
        if _harmless(message, index):
            continue
        for token in message.tokens[index + 1 :]:
            if (
                token.kind == "sentence"
                or (token.kind == "clause")
                or ("scope:but" in token.tags and token.text not in ("用", "要"))
            ):
                break
            if "scope:question" in token.tags:
                break
            if not holds_value(token) and _SWITCH.isdisjoint(token.tags):
                continue
            if _next_pair(message, index, token):
                break  # a context of 4096 not 8192 and batch 2 not 4
            if cue.text in ("instead of", "rather than") and _WITH.search(message.text, cue.end, token.start):
                break  # 7 cards instead of 8 with ZeRO-3
            if not _SWITCH.isdisjoint(token.tags):
                message.notes.add(f"off:{token.start}")
                break
            if "task:lora" in token.tags and token.text == "peft":
                message.notes.add("no_peft")
            if token.kind == "card" and any(t.key("form") for t in message.tokens[index + 1 :] if t.end <= token.start):
                continue  # 不是PCIe版的H100: the form is denied, not the card
            _drop(message, token, "negated")
            _inherit(message, token)
            if token.kind == "card":
                message.notes.add("negated_card")


def _next_pair(message: Message, index: int, token: Token) -> bool:
    """Whether `and` and another `not` say that a new pair of values begins between a negation and a token."""
    cue = message.tokens[index]
    again = any(
        "scope:negate" in later.tags and later.sentence == cue.sentence and later.start > token.start
        for later in message.tokens[index + 1 :]
    )
    return again and re.search(r"\band\b|并且|而且", message.text[cue.end : token.start]) is not None


_WITH = re.compile(r"\d\S*\s(?:\w+\s)?(?:with|using|on|for)\s")


def _inherit(message: Message, denied: Token) -> None:
    """`not 8 cards, 4`: a bare number right behind the denied one, at the end, counts the same."""
    later = next((t for t in message.tokens if t.start >= denied.end and t.kind != "clause"), None)
    if denied.kind != "number" or later is None or later.kind != "number" or later.unit or later.scale:
        return
    if not message.text[later.end :].strip(" .。!"):
        later.unit, later.scale = denied.unit, denied.scale


def _harmless(message: Message, index: int) -> bool:
    cue = message.tokens[index]
    before = message.tokens[index - 1] if index else None
    following = message.tokens[index + 1] if index + 1 < len(message.tokens) else None
    if cue.text in ("没", "无", "no", "not", "没有", "冇") and following is not None:
        gap = message.text[cue.end : following.start]
        # A negation that reaches over other words (`没我调好 8卡`) denies those words.
        if len(gap.strip()) > 8:
            return True
    return before is not None and "scope:question" in before.tags and before.end == cue.start


def _trailing_negation(message: Message) -> None:
    """`70B 不要了`, `全参数?不不不`, `隐私数据没有`, `不是4090，…打错了`."""
    for index, cue in enumerate(message.tokens):
        if cue.dropped or "scope:after_negated" not in cue.tags:
            continue
        before = [token for token in message.tokens[:index] if token.kind != "clause" and token.clause == cue.clause]
        if not before or (cue.end < len(message.text) and _goes_on(message, index)):
            continue
        token = before[-1]
        if not _SWITCH.isdisjoint(token.tags) and message.text[token.end : cue.start].strip(" 也都就") == "":
            message.notes.add(f"off:{token.start}")
        elif (
            cue.text in ("不要了", "就算了", "唔要啦", "唔要", "不考虑了", "不用了")
            and not token.dropped
            and holds_value(token)
        ):
            _drop(message, token, "negated")
    for found in re.finditer(r"[?,，]?\s*(?:不+不+|唔系唔系|no no|nope)", message.text):
        earlier = [
            token
            for token in message.tokens
            if token.end <= found.start() + 1 and holds_value(token) and not token.dropped
        ]
        if earlier and found.start() - earlier[-1].end < len(" ,，?"):
            _drop(message, earlier[-1], "negated")


def _goes_on(message: Message, index: int) -> bool:
    if index + 1 >= len(message.tokens):
        return False
    cue, following = message.tokens[index], message.tokens[index + 1]
    return following.clause == cue.clause and holds_value(following) and "scope:negate" in cue.tags


def _hearsay(message: Message) -> None:
    """What others say is no wish, unless the message asks whether it is true; hardware is dropped, the job is kept."""
    doubted = re.search(r"(?:i heard|i've heard|听说|听讲|据说).*(?:right|对吧|吧|真)\s?\??$", message.text)
    if (message.any("scope:truth") or doubted) and not message.any("scope:vendor"):
        message.notes.add("truth")
        return
    for cue in message.of("scope:hearsay"):
        if cue.dropped:
            continue
        message.notes.add("hearsay")
        for token in message.tokens:
            if token.clause != cue.clause or token.start < cue.start or token.dropped:
                continue
            if token.kind == "card" or (
                token.kind == "number"
                and (token.scale == "g" or token.unit in _HARD or (token.unit == "" and not token.scale))
            ):
                _drop(message, token, "hearsay")


def _references(message: Message) -> None:
    """`... is 8x slower than 1 node`, `而 llama 3 70B 用了16h`: what it is compared with only fills what is missing."""
    for index, cue in enumerate(message.tokens):
        if "scope:compare_ref" not in cue.tags or cue.dropped:
            continue
        same = [token for token in message.tokens if token.sentence == cue.sentence]
        if not any("scope:pace" in token.tags or token.unit == "slower" for token in same):
            continue
        if cue.text in ("while", "whereas") or "scope:compare_ref" in cue.tags:
            for token in message.tokens[index + 1 :]:
                if token.kind in ("clause", "sentence"):
                    break
                if holds_value(token):
                    token.reference = True
                    earlier = any(t.kind in ("model", "size") or t.scale == "b" for t in message.tokens[:index])
                    if token.kind == "model" or (earlier and (token.kind == "size" or token.scale == "b")):
                        _drop(message, token, "comparison")


def _drop(message: Message, token: Token, reason: str) -> None:
    token.dropped = reason
    slot = slot_of(token)
    message.reject(slot, token.name or message.raw[token.start : token.end], token, reason)


def slot_of(token: Token) -> str:
    """The slot that a dropped token would most likely have filled."""
    kinds = {"card": "gpu_model", "model": "model", "size": "params_b"}
    if token.kind in kinds:
        return kinds[token.kind]
    if token.kind == "number":
        units = {"cards": "gpu_count", "times": "gpu_count", "by": "gpu_count", "nodes": "nodes", "GB": "gpu_mem_gb"}
        return units.get(token.unit, {"g": "gpu_mem_gb", "b": "params_b"}.get(token.scale, "number"))
    heads = {
        "task": "task",
        "quant": "quant_bits",
        "precision": "precision",
        "optimizer": "optimizer",
        "line": "line_type",
    }
    for head, slot in heads.items():
        if token.key(head):
            return slot
    return "sharding" if token.key("sharding") else "place"


def without_instructions(message: Message) -> str:
    """The text with the tokens of instructions blanked: no intent is read from them."""
    if "instruction" not in message.notes:
        return message.text
    chars = list(message.text)
    for cue in message.of("scope:instruct"):
        left, right = _bracket(message.text, cue)
        if not right:
            left = cue.start
            stop = re.compile(r"[。!?\n]|\.\s|$").search(message.text, cue.end)
            right = stop.start() if stop else len(chars)
        chars[left:right] = " " * (right - left)
    return "".join(chars)


def replacements(message: Message) -> None:
    """`改成 X`, `no I meant X`: values of the same kind said before the turn are dropped."""
    for cue in message.of("scope:replace"):
        if cue.dropped:
            continue
        later = {slot_of(t) for t in message.tokens if t.start >= cue.end and holds_value(t) and not t.dropped}
        later |= {"params_b"} if "model" in later else set()
        later |= {"model"} if "params_b" in later else set()
        if cue.text in ("instead", "actually", "sorry", "等等", "wait", "其实是", "其实系") and not later:
            continue
        for token in message.tokens:
            if (
                token.end <= cue.start
                and holds_value(token)
                and not token.dropped
                and slot_of(token) in later - {"number", "place"}
            ):
                _drop(message, token, "replaced")


def concepts(message: Message) -> None:
    """`Is LoRA on a 4-bit base the same as QLoRA?`: words asked about in general are no wish."""
    asks = re.search(
        r"same as|difference between|what does|how does|actually do|区别|分别|what is|什么是|咩系|系咩|是什么",
        message.text,
    )
    about = {"task", "quant_bits", "precision", "optimizer", "sharding", "offload", "grad_ckpt", "rl_algo"}
    if asks and message.slots and set(message.slots) <= about:
        for slot in list(message.slots):
            value = message.slots.pop(slot)
            message.rejected.append({"slot": slot, "value": value, "text": message.raw, "reason": "asked"})
    _and_with(message)


def _and_with(message: Message) -> None:
    """`... deepseek 671B? and with LoRA?`: a second question after the first; its method is a variant, not the plan."""
    found = re.search(r"\?\s*(?:and|what about|how about)?\s*(?:with|if)\s", message.text)
    tasks = message.slots.get("task")
    if not found or not isinstance(tasks, list) or len(tasks) < 2:
        return
    later = {key for t in message.tokens if t.start >= found.end() - 1 and (key := t.key("task"))}
    kept = [task for task in tasks if task not in later]
    if kept:
        message.slots["task"] = kept
        message.rejected.append(
            {"slot": "task", "value": sorted(later), "text": message.raw[found.start() :], "reason": "variant"}
        )
