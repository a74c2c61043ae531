"""What a message asks for, from phrases of the lexicon and from what was understood.

The order of the questions is the grammar: a topic that stands alone (checklist, law) comes first, what is asked comes
before what went wrong, and a description without a question asks whether it works.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from advisor.dialogue.asides import ASKS, aside
from advisor.dialogue.tokens import Message

_JOB = {
    "model",
    "params_b",
    "sharding",
    "optimizer",
    "task",
    "quant_bits",
    "precision",
    "lora_rank",
    "seq_len",
    "micro_batch",
}
_METAL = {"gpu_model", "gpu_count", "gpu_mem_gb", "nodes", "gpu_mem_total_gb"}
_LINE = {
    "line_type",
    "bandwidth_mbps",
    "observed_loss_pct",
    "transfer_gb",
    "transfer_gb_per_day",
    "observed_throughput_mbps",
}


def intent_of(message: Message, seen: Mapping[str, re.Match[str]], text: str, *, follows: bool) -> str:
    """The intent. `text` is the normalised message without instructions; `follows` = there is a conversation before."""
    slots = message.slots
    domain = bool(slots) and not (set(slots) <= {"user_location", "data_location", "server_location"})
    return (
        aside(message, seen, domain, text, follows=follows)
        or _variant(message, seen, text)
        or _topic(message, seen, domain)
        or _correction(message, seen, text)
        or _asked(message, seen, text)
        or _left(message, seen, text, follows)
    )


def _variant(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> str:
    """`咁如果轉做DPO呢`: the plan so far with one thing changed, asked again; a vendor's sentence, doubted."""
    if message.any("scope:truth") and (message.claim or "hearsay" in message.notes) and "ask_compliance" not in seen:
        return "ask_explain"
    if "ellipsis" in seen and message.slots and re.search(r"如果|what if|what about|how about|呢\??$", text):
        strong = [
            name
            for name in ("ask_vram", "ask_cost", "ask_time", "ask_network", "ask_storage", "compare", "trouble")
            if name in seen
        ]
        return "" if strong else "ask_feasibility"
    return ""


def _topic(message: Message, seen: Mapping[str, re.Match[str]], domain: bool) -> str:
    if "evasion" in seen and ("ask_compliance" in seen or domain or "trouble" not in seen):
        return "ask_compliance"
    if "ask_compliance" in seen or message.any("cue:stay"):
        return "ask_compliance"
    if message.slots.get("sensitive_data") is True and not (_METAL & set(message.slots) and "ask_vram" in seen):
        return "ask_compliance"
    if "ask_checklist" in seen:
        return "ask_checklist"
    told = "pcie_width" in message.slots and "trouble" not in seen and "ask_explain" not in seen
    return "ask_checklist" if told and "gpu_model" not in message.slots else ""


def _correction(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> str:
    first = message.tokens[0] if message.tokens else None
    opens = (
        first is not None
        and "scope:negate" in first.tags
        and any(row["reason"] == "negated" for row in message.rejected)
    )
    if opens and message.slots and "ask_feasibility" not in seen:
        return "correct_slot"
    asks = [name for name in (*ASKS, "trouble") if name in seen]
    if message.slots and not asks and _denies(message):
        return "correct_slot"
    if "correct_slot" not in seen:
        return ""
    asked = [
        name for name in ("ask_vram", "ask_cost", "ask_time", "ask_network", "ask_storage", "trouble") if name in seen
    ]
    questions = [name for name in ("ask_feasibility", "ask_recommendation", "compare", "ask_explain") if name in seen]
    denied = any(row["reason"] == "negated" for row in message.rejected)
    replaced = any(row["reason"] == "replaced" for row in message.rejected)
    if (replaced or denied) and questions and re.search(r"\bif\b|如果|要是|假如", text):
        return ""
    if denied or replaced:
        return "correct_slot" if not asked or replaced else ""
    return "" if asked or (questions and seen["correct_slot"].start() > 0) else "correct_slot"


_OUTRIGHT = ("不是", "唔系", "not", "isn't", "不要", "唔要", "并非", "not the")


def _denies(message: Message) -> bool:
    """`是两台机器，不是两张卡`: something denied beside something said, outright."""
    outright = any(token.text in _OUTRIGHT for token in message.of("scope:negate"))
    return outright and any(row["reason"] == "negated" for row in message.rejected)


def _asked(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> str:
    slots = set(message.slots)
    hurts_last = _hurts_last(seen, text)
    line = bool(_LINE & slots) or "user_location" in slots
    thrift = "ask_cost" in seen and seen["ask_cost"].group() in ("划算", "性价比", "合算", "抵唔抵")
    quoted = any(row["reason"] == "quoted price" for row in message.rejected)
    if "ask_cost" in seen and quoted:
        return "ask_cost"
    if "ask_cost" in seen and not ("ask_network" in seen and line) and not (thrift and len(seen) > 1):
        return "ask_cost"
    if "ask_vram" in seen:
        return "ask_vram"
    asking = (
        _questions(text)
        or "compare" in seen
        or "trouble" in seen
        or bool({"observed_loss_pct", "observed_throughput_mbps"} & slots)
    )
    moved = "bandwidth_mbps" in slots and bool(slots & {"dataset_gb", "transfer_gb", "observed_throughput_mbps"})
    if moved and not slots & (_JOB | _METAL):
        return _about_lines(message, seen, text)
    if "user_location" in slots and not slots & (_JOB | _METAL) and re.search(r"慢|快|卡顿|lag|slow|fast", text):
        return _about_lines(message, seen, text)
    if "ask_network" in seen and asking and (line or not (_JOB | _METAL) & slots):
        return _about_lines(message, seen, text)
    if "ask_time" in seen:
        return "ask_time"
    kept = slots & {"storage_gb", "system_disk_gb", "checkpoints_kept"} and _questions(text)
    if ("ask_storage" in seen or kept) and not _metal_first(message, seen, text):
        return "troubleshoot" if "observed_gpu_util_pct" in slots and "fio" not in text else "ask_storage"
    if _is_compare(message, seen, text):
        return "compare"
    if "trouble" in seen and isinstance(message.slots.get("model"), list):
        return "ask_explain"
    why = "ask_explain" in seen and seen["ask_explain"].group() in ("为啥", "为什么", "点解", "why")
    slow = "trouble" in seen and seen["trouble"].group() in ("慢", "slow", "slower", "慢过")
    hurt = why and "trouble" in seen and not slow and bool(_METAL & slots) and bool(_JOB & slots)
    explains = "ask_explain" in seen and not hurt
    if explains and not _asks_more(slots, seen, text):
        return "ask_explain"
    if "ask_recommendation" in seen and not ("ask_feasibility" in seen and _strong_feasibility(seen)):
        return "ask_recommendation"
    if "ask_feasibility" in seen and not hurts_last:
        return "ask_feasibility"
    return ""


def _about_lines(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> str:
    slots = set(message.slots)
    differ = re.search(r"差多少|差几|区别|分别|difference|不同|what is|是什么", text)
    if differ and "line_type" in slots and not slots & {"bandwidth_mbps", "dataset_gb"}:
        return "ask_explain"
    if (
        "trouble" in seen
        and "observed_throughput_mbps" in slots
        and not slots & {"observed_loss_pct", "bandwidth_mbps"}
    ):
        return "troubleshoot"
    if "nodes" in slots and "trouble" in seen:
        return "troubleshoot"
    return "ask_network"


_INTERROGATIVE = re.compile(
    r"[?]|\bvs\b|正常不|吗|么|怎|什么|多少|多久|多大|多长|多快|有没有|有冇|几|哪|边个|边条|边样|咩|乜|点|够不|不够|够唔够|行不|唔|"
    r"是不是|能不能|要不要|还是|how|what|which|why|can |will |does|is |are |should"
)


def _questions(text: str) -> bool:
    return _INTERROGATIVE.search(text) is not None


def _metal_first(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> bool:
    """A disk named in passing, in a question about cards and a job."""
    if "ask_storage" not in seen:
        return False
    weak = seen["ask_storage"].group() in ("storage", "nvme", "ssd", "存储", "disk", "disks", "nas", "nfs")
    return (
        weak
        and bool(_METAL & set(message.slots))
        and bool(_JOB & set(message.slots))
        and "storage_gb" not in message.slots
    )


def _is_compare(message: Message, seen: Mapping[str, re.Match[str]], text: str) -> bool:
    lists = [
        slot
        for slot in ("gpu_model", "gpu_mem_gb", "gpu_count", "model", "params_b", "sharding", "optimizer", "task")
        if isinstance(message.slots.get(slot), list) and (slot != "task" or "vs" in text)
    ]
    if not lists:
        return (
            "compare" in seen
            and seen["compare"].group() not in ("vs", "差吗", "对比")
            and "trouble" not in seen
            and "ask_explain" not in seen
        )
    if "compare" in seen:
        return True
    either = re.search(r"\bor\b|还是|或者|定", text) is not None and text.rstrip().endswith("?")
    return either and "ask_feasibility" not in seen and "trouble" not in seen


def _asks_more(slots: Set[str], seen: Mapping[str, re.Match[str]], text: str) -> bool:
    """An explanation asked in passing, where something stronger is asked too."""
    weak = seen["ask_explain"].group()
    if weak in ("会不会", "会唔会", "是不是会", "系咪会"):
        return bool(_METAL & slots) and bool(_JOB & slots)
    if weak in ("right?",):
        return "trouble" in seen or "enough" in text
    return weak in (
        "do i need",
        "do i really need",
        "有用吗",
        "the same",
        "一样吗",
        "mean",
        "影响",
        "一定要",
        "分别",
        "what's the",
        "means",
        "如何",
        "what is",
    ) and ("ask_recommendation" in seen or ("trouble" in seen and weak in ("有用吗", "the same")))


def _strong_feasibility(seen: Mapping[str, re.Match[str]]) -> bool:
    return seen["ask_recommendation"].group() in (
        "几张",
        "只要",
        "无所谓",
        "多少张",
        "如何",
        "方案",
        "建议",
        "settings",
        "how many",
    ) and seen["ask_feasibility"].group() not in ("吗", "么")


def _hurts_last(seen: Mapping[str, re.Match[str]], text: str) -> bool:
    """Whether the last thing said is that it went wrong: the question before it is then about the trouble."""
    if "trouble" not in seen:
        return False
    sentences = [part for part in re.split(r"[。!?\n]", text) if part.strip()]
    last = sentences[-1] if sentences else ""
    asked = (
        re.search(
            r"(?:(?<!正常)吗|还是(?!爆|炸|oom|不|报|挂|很|慢|会)|(?<!正常)么|"
            r"不$|能不能|会不会|enough|can i|possible|sufficient|够)",
            last,
        )
        is not None
    )
    trouble = seen["trouble"].group()
    return trouble in last and not asked


def _left(message: Message, seen: Mapping[str, re.Match[str]], text: str, follows: bool) -> str:
    slots = set(message.slots)
    if "ellipsis" in seen and slots and "trouble" not in seen:
        return "ask_feasibility"
    if "trouble" in seen or "xid" in slots:
        return "troubleshoot"
    if "correct_slot" in seen and slots:
        return "correct_slot"
    if not slots:
        return "ask_feasibility" if "ask_feasibility" in seen else "provide_info" if message.tokens else "out_of_scope"
    question = "?" in text
    said = (
        slots & {"model", "params_b"},
        slots & {"quant_bits", "task", "precision"} or message.any("cue:fine_tune"),
        slots & _METAL,
    )
    enough = sum(map(bool, said)) > 1
    if question or (enough and not _is_statement(message)):
        return "ask_feasibility"
    return "provide_info"


def _is_statement(message: Message) -> bool:
    """A range of sizes or a lower bound is a wish described, not a plan to be judged."""
    return isinstance(message.slots.get("params_b"), dict) or any(
        isinstance(message.slots.get(slot), dict) for slot in ("gpu_mem_gb", "gpu_count")
    )
