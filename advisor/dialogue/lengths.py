"""Lengths and batches: numbers that stand at a cue (ctx, bs, ga, rank), in tokens, or as a bare 4k.

Of a length that failed and one that is wanted, the one wanted counts.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import after, before, left, numbers, right, within
from advisor.dialogue.tokens import Message, Token

# Words that may stand behind the length of an answer; others begin what comes next.
_OUT = (
    "out",
    "output",
    "outputs",
    "输出",
    "answers",
    "responses",
    "replies",
    "completions",
    "completion",
    "回答",
    "回复",
    "答复",
)


def lengths(message: Message) -> None:
    """Fill seq_len and output_len. A length is said by a cue, by tokens, or by a bare 4k."""
    found: list[Token] = []
    for token in numbers(message):
        if _output(message, token):
            message.put("output_len", _length(message, token))
            token.used = "output_len"
        elif _is_length(message, token):
            token.used = "seq_len"
            found.append(token)
    if not found:
        _limits(message)
        return
    target = [token for token in found if left(message, token, "cue:try_target", gap=1)]
    if target:
        found = target[-1:]
    failed = [t for t in found if right(message, t, "cue:boom", gap=2) and len(found) > 1]
    kept = [t for t in found if t not in failed] or found
    values = list(dict.fromkeys(_length(message, token) for token in kept))
    message.put("seq_len", values[0] if len(values) == 1 else values)
    _limits(message)


def _output(message: Message, token: Token) -> bool:
    if token.unit not in ("", "tokens", "chars", "length") or token.high is not None or token.scale in ("b", "g", "t"):
        return False
    said = left(message, token, "cue:output", gap=len("长度大概是 "))
    if said is None or (said.text == "out" and message.text[said.end : token.start].strip()):
        follows = right(message, token, "cue:output", gap=1)
        prompt = left(message, token, "cue:input", gap=len("长度大概是 "))
        if prompt is not None and _before(message, prompt) is None:
            # 输入4k输出1k: the word behind the number belongs to the next one; 4k输入 1k输出 to its own.
            return False
        return follows is not None and follows.text in _OUT and token.value > 1
    nearer = left(message, token, "cue:input", "cue:ctx", gap=len("长度大概是 "))
    return nearer is None or nearer.start < said.start


def _before(message: Message, cue: Token) -> Token | None:
    """The number that stands right before a cue."""
    counted = (
        token
        for token in message.tokens
        if token.kind == "number" and token.end <= cue.start and token.clause == cue.clause
    )
    return next((token for token in counted if cue.start - token.end <= 1), None)


def _is_length(message: Message, token: Token) -> bool:
    value = token.value * (1.024 if token.scale == "k" else 1)
    if not message.limit("shortest_length") <= value <= message.limit("longest_length"):
        return False
    if token.scale not in ("", "k", "万", "w", "m"):
        return False
    if token.unit in ("length", "chars"):
        return True
    if token.unit == "tokens":
        if token.scale in ("万", "w") and token.value > message.limit("longest_context"):
            return False
        return not within(message, token, "cue:data") or within(message, token, "cue:ctx")
    if token.unit:
        return False
    cue = left(message, token, "cue:ctx", "cue:input", gap=len(" 长度是大概开到 "))
    if cue is not None and (cue.text != "in" or token.scale == "k"):
        return True
    following = after(message, token, gap=1)
    if (
        following is not None
        and not following.tags.isdisjoint(("cue:ctx", "cue:input"))
        and (following.text != "in" or _out_too(message, following))
    ):
        return True
    if left(message, token, "cue:try_target", gap=1) and message.any("cue:ctx"):
        return True
    if token.scale == "" and _at_the_end(message, token):
        return True
    return token.scale == "k" and _power(token.value / 1e3) and not _other_k(message, token)


def _at_the_end(message: Message, token: Token) -> bool:
    """`7B qlora 2048`: a power of two that closes a clause behind a method."""
    previous = before(message, token, gap=1)
    closes = re.match(r"\s*(?:[,，。;；!?、]|$)", message.text[token.end :]) is not None
    method = previous is not None and previous.key("task") is not None
    return closes and method and token.value >= message.limit("bare_length_from") and _power(token.value)


def _out_too(message: Message, cue: Token) -> bool:
    """`500 in 200 out`: the prompt, where the answer stands beside it."""
    return any("cue:output" in other.tags and other.start > cue.end for other in message.tokens)


def _power(value: float) -> bool:
    return value >= 1 and value == int(value) and int(value) & (int(value) - 1) == 0


def _other_k(message: Message, token: Token) -> bool:
    money = left(message, token, "cue:budget", gap=2) is not None
    rows = (
        within(message, token, "cue:data")
        and not within(message, token, "cue:ctx")
        and not message.any("cue:fine_tune")
    )
    return money or rows


def _length(message: Message, token: Token) -> int:
    value = token.value
    if token.scale == "k" and _power(value / 1e3):
        value = value / 1e3 * 1024
    return int(value)


def _limits(message: Message) -> None:
    """`只能上 2048，3092 就爆`: the length wanted is the one that fails."""
    if "seq_len" in message.slots or not message.any("cue:boom"):
        return
    floor = message.limit("bare_length_from")
    bare = [
        t
        for t in numbers(message)
        if t.unit == "" and t.scale == "" and floor <= t.value <= message.limit("longest_length")
    ]
    if not bare or not (left(message, bare[0], "cue:limit", gap=1) or right(message, bare[-1], "cue:boom", gap=1)):
        return
    for token in bare:
        token.used = "seq_len"
    message.put("seq_len", int(bare[-1].value))


def batches(message: Message) -> None:
    """Fill micro_batch, grad_accum, lora_rank: numbers that follow their cue."""
    for tag, slot, most in (
        ("cue:accum", "grad_accum", "largest_batch"),
        ("cue:batch", "micro_batch", "largest_batch"),
        ("cue:rank", "lora_rank", "largest_rank"),
    ):
        values: list[object] = []
        for cue in message.of(tag):
            token = None if _DIAG.search(message.text[: cue.start]) else _following(message, cue)
            if (
                token is None
                or cue.dropped
                or not 0 < token.value <= message.limit(most)
                or token.value != int(token.value)
            ):
                continue
            token = _raised(message, token, slot)
            token.used = slot
            if int(token.value) not in values:
                values.append(int(token.value))
            for more in _strokes(message, token):
                values.append(int(more.value))
                more.used = slot
        _one_or_list(message, slot, values)


_IN_ALL = re.compile(r"\s?\(?(?:global|effective|in total|total|overall|全局|等效)")
_DIAG = re.compile(r"\bdiag\s+-$")
_FROM = re.compile(r"(?:from|从|由)\s?$")
_RAISED = re.compile(r"\s?(?:to|到|加到|提到|升到|改到|改成|调到|加至|->|→|=>)\s?")


def _raised(message: Message, token: Token, slot: str) -> Token:
    """`the batch from 4 to 8`: the later one is wanted."""
    if token.high is not None and _FROM.search(message.text[: token.start]):
        token.value = token.high
        return token
    step = _RAISED.match(message.text, token.end)
    later = next((t for t in numbers(message) if step is not None and t.start == step.end()), None)
    if later is None or later.unit or later.scale:
        return token
    token.used = "replaced"
    message.reject(slot, int(token.value), token, "replaced")
    return later


def _following(message: Message, cue: Token) -> Token | None:
    place = next(i for i, other in enumerate(message.tokens) if other is cue)
    for other in message.tokens[place + 1 :]:
        if other.kind in ("clause", "sentence") or other.start - cue.end > len("size of at most 最多就"):
            return None
        if "cue:total" in other.tags:
            return None  # the batch in all, over cards and steps
        if other.kind == "number" and _IN_ALL.match(message.text, other.end):
            return None
        if other.kind == "number":
            return other if other.free and other.unit in ("", "rows", "pieces") and other.scale == "" else None
        if not other.tags.isdisjoint(("cue:batch", "cue:accum", "cue:rank", "cue:ctx", "cue:alpha")) or other.kind in (
            "card",
            "model",
        ):
            return None
    return None


def _strokes(message: Message, token: Token) -> list[Token]:
    out = []
    place = token
    while (
        (more := after(message, place, gap=2)) is not None and more.kind == "number" and more.unit == "" and more.free
    ):
        if message.text[place.end : more.start].strip() not in ("/", "、", "or", "vs"):
            break
        out.append(more)
        place = more
    return out


def _one_or_list(message: Message, slot: str, values: list[object]) -> None:
    if values:
        message.put(slot, values[0] if len(values) == 1 else values)
