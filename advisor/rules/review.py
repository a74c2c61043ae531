"""Sources whose last look is too long ago: what they say may have changed, and rules lean on it.

A remark and no fault: a base does not become wrong overnight, somebody has to look again. Arithmetic and documents that
do not change (the kinds named in `LASTING`) need no second look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final

from advisor.knowledge.library import Library
from advisor.rules.language import Problem, RuleSpec

LASTING: Final = ("arithmetic", "seed")


def past_review(rules: Iterable[RuleSpec], library: Library, day: date) -> list[Problem]:
    """Every source that some rule names and that nobody looked at for `rules.review_after`, with those rules."""
    longest = timedelta(days=library.heuristic("rules.review_after").value)
    leaning: Mapping[str, list[str]] = _leaning(rules)
    found = []
    for key in sorted(leaning):
        if key not in library.sources:
            continue  # a claim, which has sources of its own
        source = library.sources[key]
        if source.kind in LASTING:
            continue
        checked = date.fromisoformat(str(source.checked))
        if day - checked > longest:
            rules_named = ", ".join(leaning[key])
            where = library.sources.document(key).where("checked")
            found.append(
                Problem(where, f"{key} was last checked on {checked}; {rules_named} lean on it", do="look again")
            )
    return found


def _leaning(rules: Iterable[RuleSpec]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for rule in rules:
        for source in rule.because:
            found.setdefault(source, []).append(rule.id)
    return found
