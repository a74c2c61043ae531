"""Writes docs/seeds.md: what became of every paragraph of the three documents.

`python -m tests.house.seeds_doc` writes it, `--check` says whether it is up to date. The claims come from
knowledge/claims, the paragraphs that no claim stands for from seed_paragraphs.yaml beside this file.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from advisor.knowledge.library import Library
from advisor.knowledge.reader import read_file
from advisor.knowledge.records.claims import Claim

ROOT = Path(__file__).resolve().parents[2]
OUTLINE = Path(__file__).with_name("seed_paragraphs.yaml")
DOCUMENT = ROOT / "docs" / "seeds.md"
SHELVES = {
    "rules": "rule",
    "items": "checklist item",
    "facts": "fact",
    "heuristics": "heuristic",
    "gpus": "card",
    "models": "model",
    "routes": "line",
    "offers": "price list",
    "compatibility": "compatibility",
}
# A bare list of prices or cards is where a statement is checked, not what it led to.
ACTS = ("rules", "items", "facts", "heuristics")
TITLES = {"seed_000": "Document 000", "seed_003": "Document 003", "seed_004": "Document 004"}


def outline() -> dict[str, dict[int, dict[str, Any]]]:
    """Document -> line -> what stands there."""
    data: dict[str, dict[int, dict[str, Any]]] = read_file(OUTLINE).data
    return {seed: {int(line): entry for line, entry in lines.items()} for seed, lines in data.items()}


def kind_of(library: Library, id: str) -> str | None:
    """The shelf that holds an id, None where none does."""
    return next((shelf for shelf in SHELVES if id in library.shelf(shelf)), None)


def links(library: Library, ids: tuple[str, ...] | list[str]) -> str:
    """Ids by the kind of thing they are."""
    grouped: dict[str, list[str]] = {}
    for id in ids:
        shelf = kind_of(library, id)
        grouped.setdefault(SHELVES[shelf] if shelf else "unknown", []).append(f"`{id}`")
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in grouped.items()) or "nothing"


def claims_of(library: Library, seed: str) -> dict[int, list[Claim]]:
    """Line -> the claims that stand there."""
    found: dict[int, list[Claim]] = {}
    for claim in sorted(library.claims.values(), key=lambda claim: claim.seed or claim.id):
        if seed in claim.said_in and claim.paragraph is not None:
            found.setdefault(claim.paragraph, []).append(claim)
    return found


def section(library: Library, seed: str) -> list[str]:
    """One document, line by line."""
    claims, others = claims_of(library, seed), outline()[seed]
    lines = [f"## {TITLES[seed]}", ""]
    for line in sorted({*claims, *others}):
        entry = others.get(line)
        if entry and line not in claims:
            if entry["is"] == "advice":
                lines += [f"* **Line {line}**: {entry['what']} -> {links(library, entry['ends_in'])}"]
            else:
                lines += [f"* **Line {line}**: {entry['is']}"]
        for claim in claims.get(line, ()):
            lines += [
                f"* **Line {line}**, {claim.seed} `{claim.id}`: {claim.said.en} *{claim.verdict.replace('_', ' ')}* "
                f"-> {claim.instead.en} -> {links(library, claim.ends_in)}"
            ]
    return [*lines, ""]


def document(library: Library) -> str:
    """The whole page."""
    claims = list(library.claims.values())
    verdicts = Counter(claim.verdict for claim in claims)
    counted = ", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in verdicts.most_common())
    lines = [
        "# What became of the three documents",
        "",
        "Written by `python -m tests.house.seeds_doc`; do not edit. Each line of the documents, with the statement in",
        "our words, its verdict, what we say instead, and the rules, checklist items, facts and heuristics it led to.",
        "",
        f"{len(claims)} statements: {counted}.",
        "",
    ]
    for seed in TITLES:
        lines += section(library, seed)
    return "\n".join(lines)


def gaps(library: Library) -> list[str]:
    """Advice that ends in nothing one can act on, and ids that nothing holds."""
    found = []
    for claim in library.claims.values():
        shelves = [kind_of(library, id) for id in claim.ends_in]
        if not any(shelf in ACTS for shelf in shelves):
            found.append(f"{claim.id} ({claim.seed}) ends in nothing: write the rule, heuristic or item")
        found += [f"{claim.id}: no {id}" for id, shelf in zip(claim.ends_in, shelves, strict=True) if shelf is None]
    for seed, lines in outline().items():
        for line, entry in lines.items():
            ends = entry.get("ends_in", [])
            if entry["is"] == "advice" and not ends:
                found.append(f"{seed} line {line} ends in nothing")
            found += [f"{seed} line {line}: no {id}" for id in ends if kind_of(library, id) is None]
    return found


def main(argv: list[str]) -> int:
    """Write the page, or with --check compare it."""
    text = document(Library([ROOT]))
    if "--check" in argv:
        return 0 if DOCUMENT.exists() and DOCUMENT.read_text("utf-8") == text else 1
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
