"""The job: model and size, stage and method, bits, formats, lengths, batches, optimizer, sharding, switches.

Sizes and names that belong together become one; alternatives stay in step (`Mixtral or a 34B`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.dialogue.around import after, before, left, numbers, right, within, within_sentence
from advisor.dialogue.quantities import amount_of
from advisor.dialogue.tokens import Message, Token, tidy

_OR = re.compile(r"\bor\b|\bvs\b|/|、|和|与|还是|或|\band\b|跟")


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
    _column(message, "model", [item.name for item in unique])
    _column(message, "params_b", [item.size for item in unique])
    _column(message, "active_params_b", [item.active for item in unique])


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
    return bool(left(message, token, "cue:active", gap=2) or right(message, token, "cue:active", gap=len(" 参数 ")))


def _listed_sizes(message: Message, out: list[Candidate]) -> list[Candidate]:
    """`7/13/70b`: bare numbers joined by strokes to one with the letter."""
    for item in [c for c in out if c.name is None]:
        head = re.search(r"((?:\d{1,3}(?:\.\d)?\s?b?\s?/\s?)+)$", message.text[: item.start])
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
            if gap == "" and "x" not in item.name:
                name = (
                    f"{item.name}-{last.size}B"
                    if not isinstance(last.size, dict) and _takes_size(item.name)
                    else item.name
                )
                out[-1] = Candidate(name, last.size, last.active or item.active, last.start, item.end, False)
                continue
        out.append(item)
    names = [c for c in out if c.name is not None]
    sizes = [c for c in out if c.name is None]
    if len(names) == 1 and len(sizes) == 1 and len(out) == 2:
        name, size = names[0], sizes[0]
        between = message.text[min(name.end, size.end) : max(name.start, size.start)]
        if name.size == size.size or (name.size is None and "x" not in (name.name or "") and not _OR.search(between)):
            return [Candidate(name.name, size.size, name.active or size.active, name.start, size.end, False)]
    return [c for c in out if c.name is not None or not any(n.size == c.size for n in names)]


def _takes_size(name: str) -> bool:
    return not name.startswith(("DeepSeek", "Kimi", "MiniMax"))


def tasks(message: Message) -> None:
    """Fill task (stages before methods as said), rl_algo, and what follows by rule: LoRA on a 4-bit base is QLoRA."""
    found: list[str] = []
    for token in message.tokens:
        if token.dropped:
            continue
        for tag in sorted(token.tags):
            category, _, key = tag.partition(":")
            if category == "task" and key not in found and not _doubtful(message, token, key):
                found.append(key)
            if tag == "cue:full" and "full_ft" not in found and _full(message, token):
                found.append("full_ft")
            if category == "rl":
                message.put("rl_algo", key)
            if category == "kind" and message.any("cue:fine_tune") and key not in found:
                found.append(key)
    if "inference" not in found and not found and "qps" in message.slots:
        found.append("inference")
    bits = message.slots.get("quant_bits")
    if (
        bits == 4
        and "qlora" not in found
        and ("lora" in found or ("lora_rank" in message.slots and "full_ft" not in found))
    ):
        found.append("qlora")
    if found:
        message.put("task", found)


def _full(message: Message, token: Token) -> bool:
    """`full DPO`, `7B full`, `SFT full`: the word beside a task, a model or a size."""
    if token.text not in ("full",):
        return False
    if re.search(r"(?:lora|qlora|peft)\s?(?:vs|or|/|and|和|还是|or)\s?$", message.text[: token.start]):
        return True
    sides = (before(message, token, gap=1), after(message, token, gap=1))
    return any(
        s is not None and (s.kind in ("model", "size") or s.key("task") is not None or s.scale == "b") for s in sides
    )


def _doubtful(message: Message, token: Token, key: str) -> bool:
    """An embedding or a serving engine named beside another job is no job of its own."""
    if key == "embedding":
        named = any(tag.startswith("kind:") for t in message.tokens for tag in t.tags)
        return not named and not message.any("cue:fine_tune") and not within_sentence(message, token, "cue:model_noun")
    if key == "pretrain" and token.text in ("预训练", "pretrain", "pretraining"):
        return "预训练模型" in message.text
    return False


def formats(message: Message) -> None:
    """Fill quant_bits, precision, optimizer, sharding."""
    bits: list[object] = []
    for token in message.tokens:
        if token.dropped:
            continue
        key = token.key("quant")
        if key and not (bits and token.kind == "model"):
            value: object = key if key == "none" else int(key)
            if value not in bits:
                bits.append(value)
    _one_or_list(message, "quant_bits", bits)
    for category, slot in (("precision", "precision"), ("optimizer", "optimizer"), ("sharding", "sharding")):
        keys = [
            key
            for token in message.tokens
            if not token.dropped and not (token.reference and category == "precision") and (key := token.key(category))
        ]
        unique: list[object] = list(dict.fromkeys(keys))
        if category == "sharding" and len(unique) > 1:
            unique = [key for key in unique if key != "ddp"] or unique
            if set(unique) == {"tp", "pp"}:
                unique = ["tp_pp"]
        if category == "precision" and len(unique) > 1:
            unique = [key for key in unique if key != "mixed"]
        _one_or_list(message, slot, unique)


def _one_or_list(message: Message, slot: str, values: list[object]) -> None:
    if values:
        message.put(slot, values[0] if len(values) == 1 else values)


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
    if token.unit not in ("", "tokens", "chars", "length") or token.high is not None:
        return False
    said = left(message, token, "cue:output", gap=len("长度大概是 "))
    if said is None or (said.text == "out" and message.text[said.end : token.start].strip()):
        follows = right(message, token, "cue:output", gap=1)
        return follows is not None and follows.text in ("out", "output", "输出") and token.value > 1
    nearer = left(message, token, "cue:input", "cue:ctx", gap=len("长度大概是 "))
    return nearer is None or nearer.start < said.start


def _is_length(message: Message, token: Token) -> bool:
    value = token.value * (1.024 if token.scale == "k" else 1)
    if not message.limit("shortest_length") <= value <= message.limit("longest_length"):
        return False
    if token.scale not in ("", "k", "万", "w", "m"):
        return False
    if token.unit in ("length", "chars"):
        return True
    if token.unit == "tokens":
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
        and following.text not in ("in",)
    ):
        return True
    if left(message, token, "cue:try_target", gap=1) and message.any("cue:ctx"):
        return True
    return token.scale == "k" and _power(token.value / 1e3) and not _other_k(message, token)


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
            token = _following(message, cue)
            if (
                token is None
                or cue.dropped
                or not 0 < token.value <= message.limit(most)
                or token.value != int(token.value)
            ):
                continue
            token.used = slot
            if int(token.value) not in values:
                values.append(int(token.value))
            for more in _strokes(message, token):
                values.append(int(more.value))
                more.used = slot
        _one_or_list(message, slot, values)


def _following(message: Message, cue: Token) -> Token | None:
    place = next(i for i, other in enumerate(message.tokens) if other is cue)
    for other in message.tokens[place + 1 :]:
        if other.kind in ("clause", "sentence") or other.start - cue.end > len("size of at most 最多就"):
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


_SWITCHES = (("cue:offload", "offload"), ("cue:grad_ckpt", "grad_ckpt"), ("cue:nvlink", "nvlink"))


def switches(message: Message) -> None:
    """Fill offload, grad_ckpt, nvlink, latency_sensitive, sensitive_data, must_stay_in_mainland."""
    for tag, slot in _SWITCHES:
        for token in message.of(tag):
            if token.dropped or _asked(message, token):
                continue
            off = f"off:{token.start}" in message.notes
            if slot == "nvlink" and (message.claim or (not off and not _asserted(message, token))):
                continue
            message.put(slot, not off)
    for token in message.of("cue:sensitive"):
        if not token.dropped:
            message.put("sensitive_data", f"off:{token.start}" not in message.notes)
    if message.any("cue:latency_sensitive"):
        message.put("latency_sensitive", True)
    if message.any("cue:stay"):
        message.put("must_stay_in_mainland", True)


def _asked(message: Message, token: Token) -> bool:
    previous = before(message, token, gap=2)
    if previous is not None and "scope:question" in previous.tags:
        return True
    if message.text[token.end : token.end + 1] == "?" and within_sentence(message, token, "scope:question"):
        return True
    which = [
        t
        for t in message.tokens
        if t.sentence == token.sentence and t.end <= token.start and t.text in ("which", "what", "whether")
    ]
    return bool(which)


def _asserted(message: Message, token: Token) -> bool:
    head = message.text[max(0, token.start - len("with an ")) : token.start].rstrip()
    return (
        head.endswith(("with", "有", "带", "has", "have", "+", "开了", "配"))
        and "有冇" not in head
        and not head.endswith("有没有")
    )
