"""The rule base as pages: one a folder, each rule as a sentence in both languages, with sources and examples.

The pages are written from the rules alone, so they cannot say what the rules do not do. They hold no date, no version
and no path of a machine: the same rules give the same pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from advisor.rules.explain import Speech, sentence
from advisor.rules.language import Language, RuleSpec

_HEAD = "Written by `hkgpu rules docs`; do not edit.\n"


def pages(bases: Iterable[tuple[Iterable[RuleSpec], Language]], titles: Mapping[str, str]) -> dict[str, str]:
    """File name -> text: a page a folder of rules, and a list of them. `titles`: id of a source -> its title."""
    folders: dict[str, list[str]] = defaultdict(list)
    for rules, language in bases:
        for rule in rules:
            folders[rule.id.partition(".")[0]].append(_entry(rule, language, titles))
    found = {f"{name}.md": f"# {name}\n\n{_HEAD}\n" + "\n".join(entries) for name, entries in sorted(folders.items())}
    listed = "\n".join(f"| [{name}]({name}.md) | {len(entries)} |" for name, entries in sorted(folders.items()))
    return {"README.md": f"# The rules\n\n{_HEAD}\n| folder | rules |\n|---|---|\n{listed}\n", **found}


def _entry(rule: RuleSpec, language: Language, titles: Mapping[str, str]) -> str:
    spoken: tuple[Speech, ...] = ("en", "zh")
    lines = [f"## {rule.id}", ""]
    lines += [line for lang in spoken for line in (_safe(sentence(rule, language, lang)), "")]
    lines.append("Sources: " + "; ".join(f"{titles.get(one, one)} (`{one}`)" for one in rule.because) + ".")
    for fires, word in ((True, "Fires"), (False, "Silent")):
        names = [one.name for one in rule.examples if one.fires is fires]
        if names:
            lines += ["", f"{word}: " + "; ".join(map(_safe, names)) + "."]
    note = "" if rule.status != "retired" else "\nRetired: kept for the record, never fires.\n"
    return "\n".join(lines) + "\n" + note


def _safe(text: str) -> str:
    """Text that Markdown does not take for markup."""
    return text.replace("*", r"\*").replace("_", r"\_").replace("<", "&lt;").replace("|", r"\|")
