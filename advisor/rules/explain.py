"""A rule in words, and the whole base as a graph: facts lead to rules, rules lead to facts.

The words are built from the conditions and the names of the facts, so an explanation cannot say anything the rule
does not do. The fixed words of each language stand here because they are the rule language spoken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from advisor.core.facts import shown
from advisor.core.units import Quantity, number
from advisor.rules.compile import CompiledRule, right_value
from advisor.rules.language import Conclusion, Condition, FactRef, FactSpec, HeuristicRef, Language, RuleSpec
from advisor.rules.values import plain_unit

Speech = Literal["en", "zh"]

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "is": "{0} is {1}",
        "not": "{0} is known and is not {1}",
        "in": "{0} is one of {1}",
        "gt": "{0} is more than {1}",
        "lt": "{0} is less than {1}",
        "at_least": "{0} is at least {1}",
        "at_most": "{0} is at most {1}",
        "known": "{0} is known",
        "unknown": "{0} is still unknown",
        "if": "If {0}, then {1}.",
        "and": " and ",
        "also": "; ",
        "or": " or ",
        "list": ", ",
        "conclude": "{0} is set to {1}",
        "verdict": "the verdict is at most “{0}”",
        "advise": "it says ({0}): {1}",
        "risk": "it names a risk (severity {0}, likelihood {1}): {2}",
        "check": "it adds to the checklist: {0}",
        "because": "Because of: {0}.",
        "examples": "Examples: {0}.",
        "fires": "fires",
        "silent": "silent",
        "true": "true",
        "false": "false",
    },
    "zh": {
        "is": "{0}是 {1}",
        "not": "{0}已知且不是 {1}",
        "in": "{0}是 {1} 之一",
        "gt": "{0}大于 {1}",
        "lt": "{0}小于 {1}",
        "at_least": "{0}至少为 {1}",
        "at_most": "{0}至多为 {1}",
        "known": "{0}已知",
        "unknown": "{0}尚未知道",
        "if": "如果{0}，那么{1}。",
        "and": "，并且",
        "also": "；",
        "or": "，或者",
        "list": "、",
        "conclude": "把{0}定为 {1}",
        "verdict": "结论最多为“{0}”",
        "advise": "提示（{0}）：{1}",
        "risk": "指出风险（严重度 {0}，可能性 {1}）：{2}",
        "check": "加入验收清单：{0}",
        "because": "依据：{0}。",
        "examples": "示例：{0}。",
        "fires": "触发",
        "silent": "不触发",
        "true": "是",
        "false": "否",
    },
}


def explain(rule: RuleSpec, language: Language, lang: Speech = "en") -> str:
    """The rule as a few lines of text: condition and consequence, sources, examples."""
    say = _Speaker(language, lang)
    lines = [say.rule(rule), say.phrase("because", say.listed(rule.because))]
    if rule.examples:
        told = [f"{one.name} ({say.phrase('fires' if one.fires else 'silent')})" for one in rule.examples]
        lines.append(say.phrase("examples", say.listed(told)))
    return "\n".join(lines)


def sentence(rule: RuleSpec, language: Language, lang: Speech = "en") -> str:
    """The rule as one sentence: if ..., then ..."""
    return _Speaker(language, lang).rule(rule)


class _Speaker:
    """One language's words."""

    def __init__(self, language: Language, lang: Speech) -> None:
        self.language, self.lang = language, lang

    def phrase(self, key: str, *parts: str) -> str:
        text = _WORDS[self.lang][key]
        for index, part in enumerate(parts):
            text = text.replace("{" + str(index) + "}", part)
        return text

    def listed(self, parts: Iterable[str]) -> str:
        return self.phrase("list").join(parts)

    def name(self, fact: str) -> str:
        return self.language.facts[fact].name.in_lang(self.lang) or fact

    def rule(self, rule: RuleSpec) -> str:
        asked = [self.condition(one) for one in rule.all]
        for group in rule.groups:
            either = self.phrase("or").join(map(self.condition, group))
            asked.append(f"({either})" if rule.all or len(rule.groups) > 1 else either)
        return self.phrase("if", self.phrase("and").join(asked), self.phrase("also").join(self.consequences(rule)))

    def condition(self, condition: Condition) -> str:
        if condition.word == "known":
            return self.phrase("known" if condition.right else "unknown", self.name(condition.fact))
        return self.phrase(condition.word, self.name(condition.fact), self.right(condition.fact, condition.right))

    def right(self, fact: str, right: object) -> str:
        if isinstance(right, FactRef):
            return self.name(right.fact)
        spec = self.language.facts[fact]
        value = right_value(self.language, spec, right)  # type: ignore[arg-type]
        if isinstance(value, FactRef):
            return self.name(value.fact)
        text = self.listed(self.value(spec, one) for one in (value if isinstance(value, tuple) else (value,)))
        return f"{text} ({right.heuristic})" if isinstance(right, HeuristicRef) else text

    def value(self, spec: FactSpec, value: object) -> str:
        if isinstance(value, bool):
            return self.phrase("true" if value else "false")
        if isinstance(value, Quantity) and plain_unit(spec):
            return number(value.value)
        return number(value) if isinstance(value, float) and spec.numeric else shown(value)  # type: ignore[arg-type]

    def consequences(self, rule: RuleSpec) -> list[str]:
        found = [self.concluded(one) for one in rule.concludes]
        if rule.verdict is not None:
            found.append(self.phrase("verdict", rule.verdict))
        if rule.advice is not None:
            said = rule.advice.say.text.in_lang(self.lang).rstrip(".。")
            found.append(self.phrase("advise", rule.advice.level, said))
        if rule.risk is not None:
            said = rule.risk.say.text.in_lang(self.lang).rstrip(".。")
            found.append(self.phrase("risk", rule.risk.severity, rule.risk.likelihood, said))
        if rule.checks:
            found.append(self.phrase("check", self.listed(rule.checks)))
        return found

    def concluded(self, conclusion: Conclusion) -> str:
        return self.phrase("conclude", self.name(conclusion.fact), self.right(conclusion.fact, conclusion.value))


def graph(rules: Iterable[CompiledRule], form: Literal["mermaid", "dot"] = "mermaid") -> str:
    """Facts -> rules -> facts, as Mermaid or DOT text; rules are boxes, facts are round."""
    edges: list[tuple[str, str]] = []
    rules = list(rules)
    for rule in rules:
        asked = {slot.fact for branch in rule.branches for slot in branch.slots}
        asked |= {fact for branch in rule.branches for fact in branch.absent}
        edges += [(f"fact {fact}", f"rule {rule.spec.id}") for fact in sorted(asked)]
        edges += [(f"rule {rule.spec.id}", f"fact {fact}") for fact, _ in rule.concludes]
    names = sorted({name for edge in edges for name in edge})
    if form == "dot":
        shapes = [
            f'  "{name}" [label="{name[5:]}", shape={"box" if name[:4] == "rule" else "ellipse"}];' for name in names
        ]
        return "\n".join(["digraph rules {", *shapes, *(f'  "{one}" -> "{two}";' for one, two in edges), "}"])
    keys = {name: f"n{index}" for index, name in enumerate(names)}
    shapes = [
        f'  {keys[name]}["{name[5:]}"]' if name[:4] == "rule" else f'  {keys[name]}("{name[5:]}")' for name in names
    ]
    return "\n".join(["flowchart LR", *shapes, *(f"  {keys[one]} --> {keys[two]}" for one, two in edges)])
