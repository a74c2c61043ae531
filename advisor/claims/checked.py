"""What a check brings out: a verdict on the sentence, the real figure, a bilingual line and its sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.core.findings import Verdict
from advisor.core.text import Text, fill
from advisor.core.units import Range, number


@dataclass(frozen=True, slots=True)
class Checked:
    """One computed answer; `figure` is the real one, ready to be shown."""

    measure: str
    verdict: Verdict
    text: Text
    figure: str
    sources: tuple[str, ...]


def worded(template: Text, **words: str | tuple[str, str]) -> Text:
    """A template with its places filled; a pair holds the English and the Chinese wording."""
    en = {key: value if isinstance(value, str) else value[0] for key, value in words.items()}
    zh = {key: value if isinstance(value, str) else value[1] for key, value in words.items()}
    return Text(fill(template.en, en), fill(template.zh, zh))


def shown(range_: Range) -> str:
    """`61-72 GB`, one number where both ends look the same."""
    low, high = number(range_.low), number(range_.high)
    return f"{low} {range_.unit}" if low == high else f"{low}-{high} {range_.unit}"


def merged(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict over several cases: the same in all, else conditional."""
    found = set(verdicts)
    return found.pop() if len(found) == 1 else "yes_if" if found else "unknown"
