"""Every choice that people can read has a label in both languages: nobody reads `redundant_two_feeds`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from advisor.core.text import placeholders
from advisor.knowledge.library import Library

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library([ROOT])
CHOICES = {key: fact.choices for key, fact in LIBRARY.facts.items() if fact.kind == "choice" and fact.choices}
_ENTRIES = LIBRARY.words["choices"].entries
assert isinstance(_ENTRIES, dict)
LABELS: dict[str, Any] = _ENTRIES
CJK = re.compile(r"[\u3400-\u9fff]")
# The report words these itself, in a table of its fixed sentences.
WORDED_BY_REPORT = {"plan.method", "tuning.method"}


def in_sentences() -> set[str]:
    """The facts that a sentence of a rule or an item shows."""
    shown: set[str] = set()
    for rule in LIBRARY.rules.values():
        for part, text in (("advise", "say"), ("risk", "say"), ("risk", "mitigation")):
            said = rule.then.get(part, {}).get(text)
            shown |= set(placeholders(said["en"])) if said else set()
    for item in LIBRARY.items.values():
        for words in (item.title, item.why, item.ask, item.pass_if):
            shown |= set(words.placeholders) if words else set()
        shown |= set(placeholders(item.command or ""))
    return shown


def label(fact: str, choice: str) -> dict[str, str] | None:
    """The label that the report and the questions take."""
    found: dict[str, str] | None = LABELS.get(f"{fact}.{choice}") or LABELS.get(choice)
    return found


def shown_facts() -> list[str]:
    """Facts with choices that sentences show, that stand in an order, or that people are asked or understood by."""
    sentences = in_sentences()
    return [
        key
        for key in CHOICES
        if key in sentences or key.startswith("order.") or LIBRARY.facts[key].slot or LIBRARY.facts[key].question
    ]


def test_every_choice_that_people_read_has_a_label() -> None:
    bare = [
        f"{fact}: {choice}"
        for fact in shown_facts()
        if fact not in WORDED_BY_REPORT
        for choice in CHOICES[fact]
        if label(fact, choice) is None
    ]
    assert not bare, "add a label to knowledge/words/choices.yaml (`choice:` or `fact.choice:`):\n" + "\n".join(bare)


def test_a_label_has_both_languages_and_nothing_else() -> None:
    wrong = [
        key
        for key, words in LABELS.items()
        if set(words) != {"en", "zh"} or CJK.search(words["en"]) or "_" in words["en"] + words["zh"]
    ]
    assert not wrong, f"write these as {{en: ..., zh: ...}}, without Chinese in en and without underscores: {wrong}"


def test_no_two_choices_of_one_question_are_called_alike() -> None:
    # A typed answer is found by its label.
    doubled = []
    for fact in shown_facts():
        for lang in ("en", "zh"):
            names = [words[lang].casefold() for choice in CHOICES[fact] if (words := label(fact, choice))]
            doubled += [f"{fact} ({lang}): {name}" for name in sorted(set(names)) if names.count(name) > 1]
    assert not doubled, "give each its own name:\n" + "\n".join(doubled)


def test_every_label_belongs_to_a_choice() -> None:
    every = {**CHOICES, **{key: fact.choices for key, fact in LIBRARY.readings.items() if fact.choices}}
    known = {choice for choices in every.values() for choice in choices}
    known |= {f"{fact}.{choice}" for fact, choices in every.items() for choice in choices}
    lost = sorted(set(LABELS) - known)
    assert not lost, f"no fact has these choices: {lost}"
