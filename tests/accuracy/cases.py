"""How often the assistant would have been right about what happened to people: real threads with an outcome.

    python -m tests.accuracy.cases [FILE]

FILE holds one case a line as JSON (model, method, card, count, length, ..., outcome); without it the file beside the
checkout is taken where it lies there. A case goes the way of a question: facts, search, rules. Decided is what the
rules say fits or is short; a plan that may go either way is undecided. Only memory outcomes are scored: what ran, and
what ran out of memory. The misses are listed with the figures that led to them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from advisor.consult.answer import here, rules
from advisor.consult.consultation import consult
from advisor.consult.desk import Asked
from advisor.core.answer import Judged
from advisor.core.errors import HkgpuError
from advisor.core.units import Quantity
from advisor.dialogue.answers import answers_from
from advisor.knowledge.library import open_library

FILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "questions" / "cases.jsonl"
DAY = date(2026, 12, 1)
FITS = ("fits",)
OOM = ("oom", "oom_host_ram")
RIGHT, FALSE_FITS, UNDECIDED = 88, 5, 15

# Rules that say "if you take what was assumed", not "if the memory is enough".
_NO_DOUBT = ("sizing.verdict_if_this_method", "sizing.verdict_if_you_take_this", "sizing.links_between_servers_open")

_METHODS = {"full": "full_ft", "qlora": "qlora", "lora": "lora", "inference": "inference", "pretrain": "pretrain"}
_STAGES = ("dpo", "grpo", "continued_pretrain", "embedding", "sft")
# What people wrote -> the fact's choice; the first that is found counts.
_SHARDING = (
    ("zero3", "zero3"), ("zero2", "zero2"), ("fsdp", "fsdp"), ("ddp", "ddp"), ("none", "ddp"), ("device_map", "pp"),
    ("deepspeed", "zero2"),
)  # fmt: skip
_OPTIMIZERS = (("paged", "paged_adamw"), ("galore", "galore"), ("adamw", "adamw"))
_FRAMEWORKS = (
    ("llama-factory", "llama_factory"), ("ms-swift", "ms_swift"), ("axolotl", "axolotl"), ("unsloth", "unsloth"),
    ("alpaca", "hf_trainer"), ("alignment", "trl"), ("trl", "trl"), ("fastchat", "hf_trainer"), ("xtuner", "xtuner"),
    ("openrlhf", "openrlhf"), ("megatron", "megatron"), ("deepspeed", "deepspeed"), ("qwen finetune", "hf_trainer"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scored:
    """A case with what happened and what the rules would have said."""

    case: Mapping[str, Any]
    happened: str
    said: str
    why: str

    @property
    def decided(self) -> bool:
        return self.said in ("fits", "oom")

    @property
    def right(self) -> bool:
        return self.said == self.happened


def given(case: Mapping[str, Any]) -> dict[str, object]:
    """The case's fields as facts; what was not stated stays unknown."""
    extra = case.get("extra") or {}
    found: dict[str, object] = {
        "params_b": case["params_b"],
        "seq_len": case["seq_len"],
        "micro_batch": case["micro_batch"],
        "gpu_model": case["gpu_model"],
        "gpu_mem_gb": case["gpu_mem_gb"],
        "grad_ckpt": case["grad_ckpt"],
        "host_ram_gb": extra.get("host_ram_gb"),
        "lora_rank": extra.get("lora_rank"),
        "nodes": extra.get("nodes"),
    }
    count, nodes = case["gpu_count"], extra.get("nodes")
    if count is not None:
        found["gpu_count_total" if count > 8 and not nodes else "gpu_count"] = count // nodes if nodes else count
    text = (case["method"] or "").lower()
    task = [next((method for word, method in _METHODS.items() if word in text), None)]
    task += [stage for stage in _STAGES if stage in text]
    found["task"] = [one for one in task if one] or None
    sharding = (case["sharding"] or "").lower()
    # What ran is scored, not what we would have planned: trainers that are told nothing keep a copy on each card.
    alone = count == 1 or task[0] not in ("lora", "qlora")
    found["sharding"] = _first(sharding, _SHARDING) or (None if alone or sharding else "ddp")
    found["offload"] = True if "offload" in sharding else None
    found["optimizer"] = _first((case["optimizer"] or "").lower(), _OPTIMIZERS)
    found["tuning.framework"] = _first((case["framework"] or "").lower(), _FRAMEWORKS)
    bits = re.match(r"(\d)bit|nf(4)|hqq (4)", (case["quant"] or "").lower())
    if bits:
        found["quant_bits"] = int(next(one for one in bits.groups() if one))
    elif "alpaca-lora" in (case["framework"] or ""):
        found["quant_bits"] = 8  # its script loads the base in 8 bits
    return {key: value for key, value in found.items() if value is not None}


def _first(text: str, names: Iterable[tuple[str, str]]) -> str | None:
    return next((choice for name, choice in names if name in text), None)


def score(case: Mapping[str, Any]) -> Scored:
    """One case through facts, search and rules."""
    happened = "fits" if case["outcome"] in FITS else "oom"
    library = open_library()
    facts = given(case)
    try:
        facts |= _model(case, library)
        sets = answers_from(facts, library)
        asked = Asked(tuple(sets.answers), "ask_feasibility", facts)
        rows = consult(asked, DAY, library, rules(), here()).rows
    except HkgpuError as error:
        return Scored(case, happened, "no answer", error.line())
    row = rows[0]
    return Scored(case, happened, said(row), _why(row))


def _model(case: Mapping[str, Any], library: Any) -> dict[str, object]:
    """The model by its name where we know it; else its size says what it is."""
    from advisor.dialogue.understand import understand

    name = understand(str(case["model"]), library).slots.get("model")
    return {"model": name} if isinstance(name, str) else {}


def said(row: Judged) -> str:
    """fits, oom, or undecided: the verdict where it is plain, else what the rules concluded about memory.

    A plan that may go either way counts as oom where the likely peak does not fit.
    """
    if row.option is None:
        return "no answer"
    fit = row.outcome.facts.value("memory.fit")
    if row.verdict == "no":
        return "oom"
    likely, usable = row.outcome.facts.value("memory.peak"), row.outcome.facts.value("card.memory_usable")
    if isinstance(likely, Quantity) and isinstance(usable, Quantity) and likely.value > usable.value:
        return "oom"
    # A condition about memory leaves it open; one about the line, the licence or what is still unsaid does not.
    doubts = {rule for rule in row.outcome.decided_by if rule.startswith("sizing.") and rule not in _NO_DOUBT}
    return "fits" if fit == "fits" and (row.verdict == "yes" or not doubts) else "undecided"


def _why(row: Judged) -> str:
    if row.option is None:
        return f"no plan, verdict {row.verdict} by {', '.join(row.outcome.decided_by)}"
    facts = row.outcome.facts
    usable, low, likely, high = (facts.value(f"{key}") for key in (
        "card.memory_usable", "memory.peak_low", "memory.peak", "memory.peak_high"))  # fmt: skip
    told = " / ".join(f"{one.value:.1f}" if isinstance(one, Quantity) else "?" for one in (low, likely, high, usable))
    option = row.option
    plan = f"{option.hardware.cards} x {option.hardware.label} {option.sharding}"
    plan += f" length {option.seq_len} batch {option.micro_batch}"
    return f"{row.verdict} by {', '.join(row.outcome.decided_by)}; low / likely / high / usable {told}; {plan}"


def main() -> int:
    """Print the shares and the misses."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    if not path.exists():
        print(f"{path} is not here: nothing to score")
        return 0
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    scored = [score(case) for case in cases if case["outcome"] in (*FITS, *OOM)]
    report(scored)
    return 0


def report(scored: list[Scored]) -> None:
    for title, some in (
        ("missed", [one for one in scored if one.decided and not one.right]),
        ("undecided", [one for one in scored if not one.decided]),
    ):
        print(f"\n{title}: {len(some)}")
        for one in some:
            case = one.case
            print(f"  {case['id']} {case['model']}, {case['method']}, {case['gpu_count']} x {case['gpu_model']} "
                  f"{case['gpu_mem_gb']}: {one.happened}, said {one.said}: {one.why}")  # fmt: skip
    decided = [one for one in scored if one.decided]
    right = sum(one.right for one in decided)
    false = sum(one.said == "fits" and one.happened == "oom" for one in decided)
    shares = [
        ("decided outcomes right", right, len(decided), f"at least {RIGHT} %"),
        ("false fits", false, len(decided), f"at most {FALSE_FITS} %"),
        ("undecided", len(scored) - len(decided), len(scored), f"at most {UNDECIDED} %"),
    ]
    for name, part, whole, target in shares:
        print(f"{name}: {part} of {whole} ({100 * part / max(whole, 1):.1f} %; {target})")


if __name__ == "__main__":
    sys.exit(main())
