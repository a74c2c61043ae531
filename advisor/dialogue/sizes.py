"""Which model, of which size: names and sizes that belong together become one, alternatives stay in step.

`Mixtral or a 34B` is two models of which one has no name; `33b llama` is one. A size that is not said is not filled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.dialogue.around import after, left, right
from advisor.dialogue.quantities import amount_of
from advisor.dialogue.tokens import Message, Token, tidy

_OR = re.compile(r"\bor\b|\bvs\b|/|、|和|与|还是|或|\band\b|跟")
_EXPERTS = re.compile(r"\dx\d")
_JOINED = ("和", "与", "/", "、", "and", "or", "跟", "同", "或", "还是", "vs", "或者")


@dataclass(slots=True)
class Candidate:
    """A model as said: a name, a size, active parameters; any of them may be missing."""

    name: str | None
    size: object
    active: float | None
    start: int
    end: int
    sized_name: bool


def models(message: Message) -> None:
    """Fill model, params_b, active_params_b."""
    found = _paired(message, _candidates(message))
    if not found:
        return
    unique: list[Candidate] = []
    for item in found:
        if not any(item.name == other.name and item.size == other.size for other in unique):
            unique.append(item)
    unique = [item for item in unique if not _said_better(item, unique)]
    _column(message, "model", [item.name for item in unique])
    _column(message, "params_b", [item.size for item in unique])
    _column(message, "active_params_b", [item.active for item in unique])


def _said_better(item: Candidate, others: list[Candidate]) -> bool:
    """Whether the same family stands there with a size too: `LLaVA train_mem.py, LLaVA-7B` is one model."""
    if item.name is None or item.size is not None:
        return False
    return any(other.size is not None and (other.name or "").startswith(f"{item.name}-") for other in others)


def _column(message: Message, slot: str, values: list[object] | list[str | None] | list[float | None]) -> None:
    present = [value for value in values if value is not None]
    if not present:
        return
    if len(values) == 1 or (len(present) == len(values) and all(value == present[0] for value in present)):
        message.put(slot, present[0])
    elif slot == "active_params_b":
        message.put(slot, present[0] if len(present) == 1 else list(values))
    else:
        message.put(slot, list(values))


def _candidates(message: Message) -> list[Candidate]:
    out: list[Candidate] = []
    for token in message.tokens:
        if not token.free:
            continue
        if token.kind == "model":
            size = tidy(token.value) if token.value else None
            name = token.name or message.raw[token.start : token.end]
            out.append(Candidate(name, size, token.active, token.start, token.end, size is None))
        elif token.kind == "size":
            out.append(Candidate(None, tidy(token.value), token.active, token.start, token.end, False))
        elif token.kind == "number" and _is_size(message, token):
            if _is_active(message, token):
                if out and out[-1].active is None:
                    out[-1].active = tidy(token.value / 1e9)
                else:
                    message.put("active_params_b", tidy(token.value / 1e9))
                token.used = "active_params_b"
                continue
            out.append(Candidate(None, amount_of(token, 1e-9), None, token.start, token.end, False))
        else:
            continue
        token.used = "params_b"
    return _listed_sizes(message, out)


def _is_size(message: Message, token: Token) -> bool:
    billions = token.value / 1e9
    if not message.limit("smallest_model_b") <= billions <= message.limit("largest_model_b"):
        return False
    return (token.scale == "b" and token.unit in ("", "params")) or (token.unit == "params" and token.scale != "")


def _is_active(message: Message, token: Token) -> bool:
    if left(message, token, "cue:active", gap=2):
        return True
    cue = right(message, token, "cue:active", gap=len(" are 参数 "))
    following = after(message, cue, gap=2) if cue is not None else None
    # 235B激活22B: the word belongs to the number behind it, since the whole is more than what is active.
    smaller = following is not None and following.kind == "number" and _is_size(message, following)
    return cue is not None and not (smaller and following is not None and following.value < token.value)


def _listed_sizes(message: Message, out: list[Candidate]) -> list[Candidate]:
    """`7/13/70b`: bare numbers joined by strokes to one with the letter."""
    for sized in [c for c in out if c.name is None]:
        head = re.search(r"((?:\d{1,3}(?:\.\d)?\s?b?\s?/\s?)+)$", message.text[: sized.start])
        if not head:
            continue
        for part in re.finditer(r"\d+(?:\.\d)?", head[1]):
            start = head.start() + part.start()
            token = next((t for t in message.tokens if t.start == start and t.kind == "number" and t.free), None)
            if token is not None and token.scale == "" and token.unit == "":
                token.used = "params_b"
                out.append(Candidate(None, tidy(float(part[0])), None, start, start + len(part[0]), False))
    return sorted(out, key=lambda c: c.start)


def _paired(message: Message, found: list[Candidate]) -> list[Candidate]:
    """Join a name without size to the size beside it; join a lone pair anywhere in the message."""
    out: list[Candidate] = []
    for item in found:
        last = out[-1] if out else None
        if (
            last is not None
            and last.name is None
            and item.name is not None
            and item.sized_name
            and last.size is not None
        ):
            gap = message.text[last.end : item.start].strip(" 的")
            if gap == "" and not _EXPERTS.search(item.name):
                name = (
                    f"{item.name}-{last.size}B"
                    if not isinstance(last.size, dict) and _takes_size(item.name)
                    else item.name
                )
                out[-1] = Candidate(name, last.size, last.active or item.active, last.start, item.end, False)
                continue
        if last is not None and last.name and item.name is None and isinstance(item.size, int | float):
            tail = f"-{last.size}B"
            gap = message.text[last.end : item.start].strip()
            if last.name.endswith(tail) and gap in _JOINED:
                item.name = last.name.removesuffix(tail) + f"-{item.size}B"
        out.append(item)
    names = [c for c in out if c.name is not None]
    sizes = [c for c in out if c.name is None]
    if len(names) == 1 and len(sizes) == 1 and len(out) == 2:
        named, bare = names[0], sizes[0]
        between = message.text[min(named.end, bare.end) : max(named.start, bare.start)]
        lone = named.size is None and not _EXPERTS.search(named.name or "") and not _OR.search(between)
        if named.size == bare.size or lone:
            return [Candidate(named.name, bare.size, named.active or bare.active, named.start, bare.end, False)]
    return [c for c in out if c.name is not None or not any(known.size == c.size for known in names)]


def _takes_size(name: str) -> bool:
    return not name.startswith(("DeepSeek", "Kimi", "MiniMax"))
