"""The job: stage and method, bits, number formats, optimizer, sharding, and what is switched on or off.

A thing that is only asked about is not switched on; a thing that is denied is off, which is not the same as unsaid.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import after, before, numbers, within_sentence
from advisor.dialogue.tokens import Message, Token


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
    if not found and (_served(message) or _run(message)):
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


_RUN = re.compile(r"\b(?:run|running|host|hosting)\s(?:the\s|a\s|an\s|my\s|our\s)?$|跑得动\s?$|跑得起\s?$")


def _served(message: Message) -> bool:
    """Whether a load is stated: nobody trains at so many requests a second."""
    if {"qps", "user_tokens_per_s", "total_tokens_per_s"} & set(message.slots):
        return True
    trained = message.any("cue:fine_tune") or {"epochs", "dataset_rows", "dataset_tokens"} & set(message.slots)
    named = any(t.kind in ("model", "size") or t.scale == "b" for t in message.tokens)
    heads = named and any(t.unit == "people" and t.value > 1 for t in numbers(message))
    return ("concurrency" in message.slots or heads) and not trained


def _run(message: Message) -> bool:
    """`run Llama 3.1 8B on a 4090`: a model that is run and not trained."""
    if message.any("cue:fine_tune") or {"epochs", "dataset_gb", "dataset_tokens", "dataset_rows"} & set(message.slots):
        return False
    return any(
        (token.kind in ("model", "size") or token.scale == "b") and _RUN.search(message.text[: token.start]) is not None
        for token in message.tokens
    )


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
    if key == "inference" and token.text in ("vllm", "sglang", "tgi"):
        stages = ("task:rlhf", "task:dpo", "task:sft", "cue:fine_tune")
        return any(message.any(stage) for stage in stages)
    if key == "pretrain" and token.text in ("预训练", "pretrain", "pretraining"):
        return "预训练模型" in message.text
    return False


_DEGREE = re.compile(r"(?<![a-z0-9])(tp|pp|ep)[ =:_-]?(\d{1,3})(?![\d.]*[a-z\d])")


def formats(message: Message) -> None:
    """Fill quant_bits, precision, optimizer, sharding, and the degrees tp, pp, ep."""
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
    for found in _DEGREE.finditer(message.text):
        message.put(found[1], int(found[2]))
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


_REFERENCE = re.compile(r"(?:\bref(?:erence)?(?:[ _-]?model)?|参考模型)[ _-]?$")
_SWITCHES = (("cue:offload", "offload"), ("cue:grad_ckpt", "grad_ckpt"), ("cue:nvlink", "nvlink"))


def switches(message: Message) -> None:
    """Fill offload, grad_ckpt, nvlink, latency_sensitive, sensitive_data, must_stay_in_mainland."""
    for tag, slot in _SWITCHES:
        for token in message.of(tag):
            if token.dropped or _asked(message, token) or (slot == "offload" and _of_reference(message, token)):
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


def _of_reference(message: Message, token: Token) -> bool:
    """`ref offload`: only the reference model moves to the host, not what is trained."""
    return bool(_REFERENCE.search(message.text[: token.start]))


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
