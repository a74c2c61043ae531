"""Ours and other calculators on the same measured rows, in one run.

    make bench-peers                         makes an environment a calculator, prints the tables, writes docs/peers.md

The rows are those of `tests/data/measured/memory.csv` that are complete, ran and have a figure. Every calculator gets
the same columns and the model's shape from our catalogue, through its own documented interface (`peers_worker.py`); one
that could not be installed, or has no input for what a row is about, is said to have no answer there. Ours stands with
its shipped constants; what leaving each source out changes is in docs/accuracy.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from advisor.estimate.memory.constants import constants  # noqa: E402
from advisor.estimate.memory.peak import peak_with  # noqa: E402
from advisor.knowledge.library import open_library  # noqa: E402
from tests.accuracy.measured import Case, cases  # noqa: E402

REPORT = ROOT / "docs" / "peers.md"
LIST = Path(__file__).with_name("peers.txt")
WORKER = Path(__file__).with_name("peers_worker.py")
HOME = ROOT / ".venv-peers"
OURS = "hkgpu"
# Kinds of decoder by what a model's name holds, as the others call them.
FAMILIES = (("qwen", "qwen2"), ("gemma2", "gemma2"), ("gemma-2", "gemma2"), ("gemma", "gemma"), ("mistral", "mistral"),
            ("mixtral", "mistral"), ("phi", "phi"), ("opt", "opt"), ("bloom", "bloom"), ("gpt2", "gpt2"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answers:
    """One calculator: its figures by row, why it had none elsewhere, and its version."""

    name: str
    version: str
    figures: Mapping[str, float]
    reasons: Counter[str]


def as_row(case: Case) -> dict[str, Any]:
    """A case as the worker takes it."""
    w = case.workload
    assert w is not None
    return {
        "id": case.row["id"],
        "method": w.method,
        "weights": w.weights,
        "optimizer": w.optimizer,
        "seq_len": _whole(w.seq_len),
        "new_tokens": _whole(w.new_tokens),
        "micro_batch": _whole(w.micro_batch),
        "grad_accum": _whole(w.grad_accum),
        "grad_ckpt": None if w.grad_ckpt is None else w.grad_ckpt != "no",
        "attention": w.attention,
        "fused": bool(w.fused_ce),
        "lora_rank": _whole(w.lora_rank),
        "lora_targets": w.lora_targets,
        "sharding": w.sharding,
        "offload": w.offload,
        "tp": w.tp,
        "pp": w.pp,
        "cards": w.n_gpus or 1,
        "instrument": w.instrument,
        "usable": case.usable,
        "shape": shape_of(case),
    }


def _whole(value: float | None) -> int | None:
    return None if value is None else max(round(value), 1)


def shape_of(case: Case) -> dict[str, Any] | None:
    """The model's shape in whole numbers; None where the catalogue does not know the model."""
    assert case.workload is not None
    shape = case.workload.shape
    if not shape.known:
        return None
    heads = round(shape.heads)
    width = round(shape.query / heads)
    name = case.row["model"].casefold().replace(" ", "")
    return {
        "family": next((family for word, family in FAMILIES if word in name), "llama"),
        "params": round(shape.params),
        "layers": round(shape.layers),
        "hidden": round(shape.hidden),
        "heads": heads,
        "kv_heads": max(round(shape.kv / width), 1),
        "head_dim": width,
        "ffn": round(shape.ffn or shape.moe_ffn),
        "vocab": round(shape.vocab),
        "gated": shape.gated,
        "tied": not shape.head,
        "experts": round(shape.experts),
        "experts_per_token": round(shape.experts_per_token),
    }


def ask(name: str, rows: list[dict[str, Any]]) -> Answers:
    """What one calculator answers, in its own environment."""
    python = HOME / name / "bin" / "python"
    if not (HOME / name / ".ready").exists():
        return Answers(name, "not installed", {}, Counter({"could not be installed here": len(rows)}))
    lines = "\n".join(map(json.dumps, rows)) + "\n"
    done = subprocess.run([python, WORKER, name], input=lines, text=True, capture_output=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    figures = {entry["id"]: entry["gib"] for entry in found if entry.get("gib", 0) > 0}
    reasons = Counter(entry["why"].split(":", 1)[-1].strip() for entry in found if "why" in entry)
    shown = f"from importlib.metadata import version; print(version({name!r}))"
    version = subprocess.run([python, "-c", shown], text=True, capture_output=True, check=True).stdout.strip()
    return Answers(name, version, figures, reasons)


def ours(found: Iterable[Case]) -> Answers:
    """What our estimator answers with the constants as shipped."""
    library = open_library()
    c = constants(library)
    figures = {
        case.row["id"]: peak_with(case.workload, library, c).range.likely for case in found if case.workload is not None
    }
    return Answers(OURS, library.version, figures, Counter())


def line(name: str, rows: list[Case], answers: Answers) -> str:
    """One line of a table: error where there is an answer, and how often there is one."""
    offs = [
        answers.figures[case.row["id"]] / case.measured - 1
        for case in rows
        if case.measured and case.row["id"] in answers.figures
    ]
    if not offs:
        return f"| {name} | {len(rows)} | 0.0 % | – | – |"
    low = sum(off < -0.1 for off in offs) / len(offs)
    cells = (f"{len(offs) / len(rows):.1%}", f"{median(map(abs, offs)):.1%}", f"{low:.1%}")
    return f"| {name} | {len(rows)} | " + " | ".join(cell.replace("%", " %") for cell in cells) + " |"


HEAD = "| {} | rows | answered | median error | > 10 % too low |\n|---|--:|--:|--:|--:|"


def report(rows: list[Case], every: list[Answers]) -> str:
    """The document."""
    day = datetime.now(UTC).date().isoformat()
    parts = [
        "# Beside other calculators",
        "",
        f"Generated by `make bench-peers` on {day}; not edited by hand. {len(rows)} measured rows of",
        "`tests/data/measured/memory.csv` (complete, ran, with a figure). Error is of the rows that a calculator",
        "answers; the second table takes only the rows that it and ours both answer.",
        "",
        HEAD.format("all rows"),
        *(line(f"{each.name} {each.version}", rows, each) for each in every),
        "",
    ]
    own = every[0]
    parts += [HEAD.format("rows that both answer")]
    for each in every[1:]:
        both = [case for case in rows if case.row["id"] in each.figures]
        if both:
            parts += [line(each.name, both, each), line(f"{OURS} on the same", both, own)]
    parts += [""]
    for method in ("full", "lora", "qlora", "pretrain", "inference"):
        some = [case for case in rows if case.workload and case.workload.method == method]
        if some:
            parts += [HEAD.format(method), *(line(each.name, some, each) for each in every), ""]
    parts += ["## Why there was no answer", ""]
    for each in every[1:]:
        parts += [f"* {each.name}: " + ("; ".join(f"{why} ({n})" for why, n in each.reasons.most_common(6)) or "none")]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Ask everybody, print and write."""
    library = open_library()
    rows = [case for case in cases(library, constants(library)) if case.scored and case.workload is not None]
    names = [
        text.split(">")[0].strip() for text in LIST.read_text("utf-8").splitlines() if text and not text.startswith("#")
    ]
    payload = [as_row(case) for case in rows]
    every = [ours(rows), *(ask(name, payload) for name in names)]
    text = report(rows, every)
    print(text)
    REPORT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
