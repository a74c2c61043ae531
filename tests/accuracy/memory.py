"""How far the memory estimator is from published measurements, leaving each source out of its own calibration.

    python tests/accuracy/memory.py          prints the report and writes docs/accuracy.md

A source is a repository or page. For each one the calibrated constants are fitted to all other sources, from their
priors, and then scored on the source. The report shows the constants as shipped beside it, the range, the decisions,
what the notes beside the rows would have been worth, and the worst rows.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from advisor.estimate.memory.constants import Constants, constants  # noqa: E402
from advisor.estimate.memory.peak import MemoryEstimate, peak_with  # noqa: E402
from advisor.knowledge.library import open_library  # noqa: E402
from tests.accuracy.calibrate import CALIBRATED, Calibration  # noqa: E402
from tests.accuracy.measured import Case, cases  # noqa: E402

REPORT = ROOT / "docs" / "accuracy.md"
MANY = 10  # rows from which a source counts as large


@dataclass(frozen=True, slots=True)
class Scored:
    """A row with a figure and its estimate."""

    case: Case
    estimate: MemoryEstimate
    measured: float

    @property
    def off(self) -> float:
        """Signed relative error of the likely figure."""
        return self.estimate.range.likely / self.measured - 1


def score(found: Iterable[Case], library: Any, constants_for: Callable[[Case], Constants]) -> list[Scored]:
    """Every case with a figure."""
    scored = []
    for case in found:
        if case.workload is not None and case.measured is not None:
            scored.append(Scored(case, peak_with(case.workload, library, constants_for(case)), case.measured))
    return scored


def share(rows: list[Scored], holds: Callable[[Scored], bool]) -> float:
    """The share of rows for which something holds."""
    return sum(map(holds, rows)) / len(rows) if rows else 0.0


def middle(rows: list[Scored]) -> float:
    """Median absolute error."""
    return median(abs(row.off) for row in rows) if rows else 0.0


def above(row: Scored) -> bool:
    """Measured above the range."""
    return row.measured > row.estimate.range.high


def inside(row: Scored) -> bool:
    """Measured inside the range."""
    return row.estimate.range.low <= row.measured <= row.estimate.range.high


def half_width(row: Scored) -> float:
    """Half the width of the range over the likely figure."""
    found = row.estimate.range
    return (found.high - found.low) / 2 / found.likely


def complete(row: Scored) -> bool:
    """Every column that the peak depends on is stated."""
    stated = ("framework", "weights", "optimizer", "seq_len", "micro_batch", "grad_ckpt", "attn", "fused_ce")
    return all(row.case.row[name] for name in stated)


def group(rows: list[Scored], key: Callable[[Scored], str]) -> dict[str, list[Scored]]:
    """Rows by a key, largest group first."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


def percent(value: float) -> str:
    """A share as a person reads it."""
    return f"{100 * value:.1f} %"


HEAD = "| {} | rows | median error | bias | > 10 % low | above high | inside | half width |\n|---|" + "--:|" * 7


def line(name: str, rows: list[Scored]) -> str:
    """One line of a table."""
    cells = [
        name,
        str(len(rows)),
        percent(middle(rows)),
        percent(median(row.off for row in rows)),
        percent(share(rows, lambda row: row.off < -0.1)),
        percent(share(rows, above)),
        percent(share(rows, inside)),
        percent(median(map(half_width, rows))),
    ]
    return "| " + " | ".join(cells) + " |"


def table(title: str, rows: list[Scored], key: Callable[[Scored], str]) -> list[str]:
    """A table by a key."""
    return [HEAD.format(title), *(line(name or "(blank)", each) for name, each in group(rows, key).items()), ""]


def by_source(rows: list[Scored], whole: bool) -> float:
    """Mean over the sources of their median error; `whole` takes repositories, else the column as written."""
    groups = group(rows, lambda row: row.case.source if whole else row.case.row["source"])
    return sum(map(middle, groups.values())) / len(groups)


# Note beside a row -> what it says about the workload.
NOTES: dict[str, dict[str, Any]] = {
    "pure_16_bit": {"states": "pure"},
    "autocast": {"states": "autocast"},
    "kbit_preparation": {"kbit_preparation": True},
    "in_place_loss": {"loss": "in_place"},
    "cap": {"length_is_cap": True},
    "short_samples": {"length_is_cap": True},
    "dpo": {"stage": "dpo"},
    "reward": {"stage": "reward"},
    "no_logits": {"stage": "embedding"},
}


def with_notes(case: Case, kinds: Iterable[str]) -> Case:
    """The case with the workload that its notes of these kinds describe."""
    if case.workload is None:
        return case
    changes: dict[str, Any] = {}
    for note in case.row["remarks"].split():
        if note in kinds and not (note == "in_place_loss" and case.workload.fused_ce):
            changes |= NOTES.get(note, {})
    if case.workload.method != "full":
        changes.pop("states", None)
    return replace(case, workload=replace(case.workload, **changes)) if changes else case


def decisions(found: Iterable[Case], library: Any, constants_for: Callable[[Case], Constants]) -> dict[str, float]:
    """Rows with an outcome and a known card: right answers among the decided, and undecided rows."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for case in found:
        outcome = case.row["outcome"]
        if case.workload is None or outcome not in ("fits", "oom") or not case.row["gpu_gib"]:
            continue
        counts[outcome, peak_with(case.workload, library, constants_for(case)).fits(case.usable)] += 1
    right = {
        outcome: counts[outcome, outcome] / max(counts[outcome, "fits"] + counts[outcome, "oom"], 1)
        for outcome in ("fits", "oom")
    }
    rows = sum(counts.values())
    undecided = sum(n for (_, verdict), n in counts.items() if verdict in ("tight", "unknown"))
    return {
        "rows": rows,
        "fits right": right["fits"],
        "oom right": right["oom"],
        "balanced": (right["fits"] + right["oom"]) / 2,
        "undecided": undecided / rows,
    }


TARGETS = {"allocated": 0.08, "nvidia-smi": 0.10, "unknown": 0.12, "reserved": 0.18}


def targets(rows: list[Scored], serving: list[Scored], decided: dict[str, float]) -> list[str]:
    """The targets and what was reached."""
    lines = ["| target | limit | reached | met |", "|---|--:|--:|---|"]

    def add(name: str, limit: float, value: float, at_least: bool = False) -> None:
        met = value >= limit if at_least else value <= limit
        sign = ">=" if at_least else "<="
        lines.append(f"| {name} | {sign} {percent(limit)} | {percent(value)} | {'yes' if met else '**no**'} |")

    for instrument, limit in TARGETS.items():
        chosen = [row for row in rows if row.case.row["instrument"] == instrument]
        add(f"median error, {instrument}", limit, middle(chosen))
    add("mean of the sources' medians (repositories)", 0.12, by_source(rows, True))
    large = [m for m in group(rows, lambda row: row.case.source).values() if len(m) >= MANY]
    add(f"largest median of a source with {MANY} rows or more", 0.20, max(map(middle, large)))
    add("inference, median error", 0.06, middle(serving))
    add("measured above high", 0.05, share(rows, above))
    add("measured inside the range", 0.80, share(rows, inside), at_least=True)
    add("half width where the columns are complete", 0.25, median(map(half_width, filter(complete, rows))))
    add("decisions, balanced accuracy", 0.90, decided["balanced"], at_least=True)
    add("decisions, tight and unknown", 0.20, decided["undecided"])
    return [*lines, ""]


def notes_worth(found: list[Case], library: Any, c: Constants) -> list[str]:
    """What each kind of note would have been worth, in median error of the training rows."""
    scored = [case for case in found if case.scored and case.trains]
    bare = middle(score(scored, library, lambda _: c))
    lines = [
        "| notes read | rows touched | median error of all rows | of the touched rows, before and after |",
        "|---|--:|--:|--:|",
    ]
    lines.append(f"| none | | {percent(bare)} | |")
    kinds = [(name, (name,)) for name in NOTES] + [("all of them", tuple(NOTES))]
    for name, chosen in kinds:
        changed = [with_notes(case, chosen) for case in scored]
        pairs = [(old, new) for old, new in zip(scored, changed, strict=True) if old is not new]
        if not pairs:
            continue
        before = middle(score([old for old, _ in pairs], library, lambda _: c))
        after = middle(score([new for _, new in pairs], library, lambda _: c))
        total = middle(score(changed, library, lambda _: c))
        lines.append(f"| {name} | {len(pairs)} | {percent(total)} | {percent(before)} -> {percent(after)} |")
    return [*lines, ""]


def worst(rows: list[Scored], count: int) -> list[str]:
    """The rows farthest off, with what the notes say."""
    ranked = sorted(rows, key=lambda row: -abs(row.off))[:count]
    lines = ["| row | source | method | measured | likely | error | notes |", "|---|---|---|--:|--:|--:|---|"]
    for row in ranked:
        cells = [
            row.case.row["id"],
            row.case.source,
            f"{row.case.row['method']}, {row.case.row['sharding']}",
            f"{row.measured:.1f}",
            f"{row.estimate.range.likely:.1f}",
            percent(row.off),
            row.case.row["remarks"].replace(" ", ", "),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def stability(fit: Calibration, found: list[Case], library: Any) -> tuple[float, str]:
    """How far leaving one source out moves another's median, in points, and which pair moves most."""
    rows = [case for case in found if case.scored and case.trains]

    def medians(c: Constants) -> dict[str, tuple[int, float]]:
        groups = group(score(rows, library, lambda _: c), lambda row: row.case.source)
        return {source: (len(each), middle(each)) for source, each in groups.items()}

    base = medians(fit.fitted())
    largest, pair = 0.0, ""
    for source in sorted(set(fit.sources)):
        for other, (count, value) in medians(fit.without(source)).items():
            moved = abs(value - base[other][1])
            if other != source and count >= MANY and moved > largest:
                largest, pair = moved, f"{other} without {source}"
    return largest, pair


def main() -> None:
    """Write the report."""
    library = open_library()
    shipped = constants(library)
    found = cases(library, shipped)
    fit = Calibration(found, library)
    left_out = {source: fit.without(source) for source in sorted(set(fit.sources))}

    def held_out(case: Case) -> Constants:
        return left_out.get(case.source, shipped)

    complete_rows = [case for case in found if case.scored]
    rows = score([case for case in complete_rows if case.trains], library, held_out)
    ours = score([case for case in complete_rows if case.trains], library, lambda _: shipped)
    serving = score([case for case in complete_rows if not case.trains], library, lambda _: shipped)
    decided = decisions((case for case in found if case.row["quality"] in ("A", "F")), library, held_out)
    kept = decisions((case for case in found if case.row["quality"] in ("A", "F")), library, lambda _: shipped)
    moved, pair = stability(fit, found, library)
    text = [
        "# How right the memory figures are",
        "",
        "Written by `tests/accuracy/memory.py` (part of `make accuracy`) from `tests/data/measured/memory.csv`.",
        "Quality A rows that ran. A source is a repository or page, scored with the constants fitted to the others.",
        "",
        "## Targets, each source left out of its own calibration",
        "",
        *targets(rows, serving, decided),
        "The same with the constants as shipped, which have seen every source:",
        "",
        *targets(ours, serving, kept),
        f"Leaving one source out moves another large source's median by at most {percent(moved)} ({pair}).",
        "Mean of medians over the source column as written, where each script header is a source of one row:"
        f" {percent(by_source(rows, False))}.",
        f"Of {len(found)} rows of all qualities, {sum(case.workload is None for case in found)} have no figure:"
        " their model is not in the catalogue and they state no size.",
        "",
        "## By source, left out",
        "",
        *table("source", rows, lambda row: row.case.source),
        "## By instrument, method, sharding and framework, left out",
        "",
        *(text for key in ("instrument", "method", "sharding", "framework") for text in table(key, rows, _column(key))),
        "## Decisions, left out",
        "",
        ", ".join(f"{name} {value if name == 'rows' else percent(value)}" for name, value in decided.items()) + ".",
        "",
        "## What the notes beside the rows would have been worth",
        "",
        "The estimator never reads them. Shipped constants.",
        "",
        *notes_worth(found, library, shipped),
        *_in_the_way(),
        "## Worst rows, left out",
        "",
        *worst(rows, 30),
        f"Calibrated constants: {len(CALIBRATED)}. Priors and fitted values stand in `knowledge/heuristics/memory`.",
    ]
    REPORT.write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


def _column(key: str) -> Callable[[Scored], str]:
    return lambda row: row.case.row[key]


def _in_the_way() -> list[str]:
    text = """## What stands in the way

* **Lengths.** Script headers state a cap on the length, rarely the samples. In frameworks that pad, a batch of 16 at
  2,048 may hold a tenth of the tokens. The range opens downwards; the figure stays on the safe side.
* **The loss.** `fused_ce: no` covers ordinary cross-entropy (12 to 15 B/logit) and in-place kernels (8); no column
  tells them apart, and the fit stands between. With a vocabulary of 128 thousand that is a quarter of the peak.
* **States under FSDP.** `weights: bf16` is pure bf16 (10 B/param over the cards) or autocast with fp32 parameters (20).
  The documented default of Accelerate is taken, and the range holds both.
* **Allocator.** Batches of varying size leave a cache that the columns do not foretell (old LoRA benchmarks of one
  framework: up to twice the estimate at 8,192 tokens). `need` decides on what cannot be given back.
* **Megatron recipes.** The types of gradient buffer and moments are set by the recipe, not by a column: one recipe of a
  mixture of experts keeps moments in bf16 and lies a quarter below. Mixtures of experts with adapters hold more than is
  counted; the reason was not found.
* **Towers.** Image and audio tokens are in no column.

How right the verdicts are about what happened to people: [accuracy_cases.md](accuracy_cases.md).
"""
    return text.split("\n")


if __name__ == "__main__":
    main()
