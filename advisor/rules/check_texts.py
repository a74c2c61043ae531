"""What a rule says: placeholders that are always filled, the same in both languages, and no figure typed in.

A figure in a sentence would be a number without source that no price list or heuristic can correct. Names that hold
digits (A100 80GB, RTX 4090, 70B, PCIe 4.0, Llama 3) are no figures: what is refused is a number with a unit behind it
that does not follow such a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.core.errors import did_you_mean
from advisor.core.text import placeholders
from advisor.knowledge.reader import Where
from advisor.rules.compile import bound
from advisor.rules.language import HEURISTIC, Language, Problem, RuleSpec

_UNITS = (
    r"GiB|GB|TiB|TB|MiB|MB|KB|GB/s|MB/s|Gbps|Mbps|kW|W|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|"
    r"percent|tokens?|bytes?|TFLOPS|IOPS|HKD|USD|CNY|RMB|RTT"
)
_UNITS_ZH = r"小时|分钟|秒|毫秒|天|周|个月|年|倍|字节|元|港元|港币|美元|人民币|万|亿|度|瓦|千瓦"
_FIGURE = re.compile(
    r"(?P<before>[A-Za-z][\w.+-]*[ -])?(?<![\w.])"
    rf"(?P<figure>\d[\d,.]*\s?(?:%|％|‰|(?:{_UNITS})(?![A-Za-z])|(?:{_UNITS_ZH})))"
)
# A word with a capital and a digit (A100, H20, RTX6000), or a maker's series whose number stands apart.
_NAME = re.compile(r"(?=.*\d)(?=.*[A-Z]).*|RTX|GTX|MI|Tesla|Ascend|SXM|PCIe|NVL|Super|Ti")


def check_texts(rule: RuleSpec, language: Language) -> Iterable[Problem]:
    """Problems with the sentences of a rule whose conditions are right."""
    filled = bound(rule) | {entry.fact for entry in rule.concludes}
    for sentence in rule.sentences:
        wordings = [sentence.text.en, sentence.text.zh]
        wordings += [sentence.text.zh_hant] if sentence.text.zh_hant else []
        names = [set(placeholders(wording)) for wording in wordings]
        for other in names[1:]:
            if other != names[0]:
                odd = ", ".join(sorted(f"{{{name}}}" for name in other ^ names[0]))
                yield Problem(sentence.where, f"{odd} stands in one language only", "the same placeholders in both")
        for name in sorted(names[0]):
            heuristic = name.removeprefix(HEURISTIC)
            if name in filled or (heuristic != name and heuristic in language.heuristics):
                continue
            if name in language.facts:
                yield Problem(
                    sentence.where,
                    f"{{{name}}} may be unknown when the rule fires",
                    "a fact that every branch asks about",
                )
            else:
                near = did_you_mean(name, [*language.facts, *(HEURISTIC + key for key in language.heuristics)])
                yield Problem(sentence.where, f"{{{name}}} is neither a fact nor a heuristic", do=near)
        yield from _figures(sentence.where, wordings)


def _figures(where: Where | str, wordings: Iterable[str]) -> Iterable[Problem]:
    for wording in wordings:
        for stray in re.findall(r"\{[^{}]*\}|[{}]", re.sub(r"\{[a-z0-9_.]+\}", "", wording)):
            yield Problem(where, f"{stray} is no placeholder", "{fact.id}")
        for found in _FIGURE.finditer(re.sub(r"\{[^{}]*\}", "…", wording)):
            if found["before"] and _NAME.fullmatch(found["before"].rstrip(" -")):
                continue
            yield Problem(
                where, f'the figure "{found["figure"]}" is typed into a sentence', "a placeholder {fact or heuristic}"
            )
