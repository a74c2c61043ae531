"""What the rules say reads as an answer: the verdict first, few sentences, and no `(s)` in place of a wording."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.knowledge.library import Library

ROOT = Path(__file__).resolve().parents[2]
RULES = dict(Library([ROOT]).rules)
# What a sentence begins with in each language, followed by a colon or a comma, where its rule gives that verdict.
OPENINGS = {
    "yes": ("Yes", "可以"),
    "no": ("No", "不行"),
    "yes_if": ("It depends", "要看情况"),
    "unknown": ("I cannot tell yet", "还不能判断"),
}
MOST_SENTENCES = 2
END_EN = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"{])")
END_ZH = re.compile(r"[。！？](?=.)")


def texts() -> list[tuple[str, str, str]]:
    """All sentences of rules: id, English, Chinese."""
    found = []
    for key, rule in RULES.items():
        say = [rule.then.get(part, {}).get("say") for part in ("advise", "risk")]
        say.append(rule.then.get("risk", {}).get("mitigation"))
        found += [(key, text["en"], text["zh"]) for text in say if text]
    return found


def test_a_rule_with_a_verdict_says_it_first_in_both_languages() -> None:
    wrong = []
    for key, rule in RULES.items():
        verdict, advice = rule.then.get("verdict"), rule.then.get("advise")
        if verdict and advice:
            en, zh = OPENINGS[verdict]
            if not re.match(rf"{en}[:,]", advice["say"]["en"]):
                wrong.append(f'{key}: {verdict}, so English begins with "{en}:"')
            if not re.match(rf"{zh}[：，]", advice["say"]["zh"]):
                wrong.append(f"{key}: {verdict}, so Chinese begins with “{zh}：”")
    assert not wrong, "put the verdict first:\n" + "\n".join(wrong)


def test_a_rule_says_at_most_two_sentences() -> None:
    long = []
    for key, en, zh in texts():
        if max(len(END_EN.split(en)), len(END_ZH.split(zh))) > MOST_SENTENCES:
            long.append(f"{key}: {en}")
    assert not long, "shorten these, or make two rules of one:\n" + "\n".join(long)


def test_no_sentence_leaves_the_plural_to_the_reader() -> None:
    lazy = [f"{key}: {en}" for key, en, _ in texts() if "(s)" in en]
    assert not lazy, 'word these so that one and several both read well ("{plan.cards} × this card"):\n' + "\n".join(
        lazy
    )
