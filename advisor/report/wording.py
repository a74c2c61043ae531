"""Words a consultation in one language: texts, values, money, ranges.

It renders what it is given. It refuses a placeholder without a value (a rule that fired always binds its own), and it
computes nothing beyond rounding for the eye.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cached_property

from advisor.core.answer import Hardware, Price
from advisor.core.facts import Value, shown
from advisor.core.text import Lang, Text, fill, placeholders
from advisor.core.units import Quantity, Range, number
from advisor.knowledge.library import Library
from advisor.report import sentences


class Wording:
    """The words of one language over one library."""

    def __init__(self, library: Library, lang: Lang) -> None:
        self.library = library
        self.lang = lang

    def text(self, text: Text) -> str:
        """The wording of a text without placeholders to fill."""
        return self._in_script(text.in_lang(self.lang), text)

    def filled(self, text: Text, values: Mapping[str, Value]) -> str:
        """A rule's sentence with its facts put in."""
        line = text.in_lang(self.lang)
        # A run knows some hundred facts and a sentence names two: only those are worded.
        words = {name: self.value(name, values[name]) for name in placeholders(line) if name in values}
        return self._in_script(fill(line, words), text)

    def fixed(self, table: Mapping[str, Text], key: str, **words: str) -> str:
        """A fixed sentence; the key itself where the table has none."""
        text = table.get(key)
        if text is None:
            return key
        return self._in_script(fill(text.in_lang(self.lang), words), text)

    def _in_script(self, line: str, text: Text) -> str:
        if self.lang != "zh-Hant" or text.zh_hant is not None:
            return line
        from advisor.knowledge.hant import to_hant

        return to_hant(line, self.library)

    def value(self, fact: str, value: Value) -> str:
        """A fact's value as a person reads it: labels of cards and models, words of choices."""
        if isinstance(value, tuple):
            return ("、" if self.lang != "en" else ", ").join(self.value(fact, item) for item in value)
        if isinstance(value, bool):
            return self.fixed(sentences.WORD, "yes" if value else "no")
        if isinstance(value, Quantity):
            return self.quantity(value)
        if isinstance(value, str):
            return self._named(fact, value)
        return shown(value)

    def quantity(self, quantity: Quantity) -> str:
        """A figure with its unit; a count stands alone."""
        if quantity.unit in ("count", ""):
            return number(quantity.value)
        if quantity.unit == "Gparams":
            return f"{number(quantity.value)}B"
        shown = f"{number(quantity.value)} {self.unit(quantity.unit)}"
        if quantity.unit == "h" and quantity.value >= Quantity(2, "days").to("h").value:
            days = f"{number(quantity.to('days').value)} {self.unit('days')}"
            return f"{shown} ({days})" if self.lang == "en" else f"{shown}（{days}）"
        return shown

    def pair(self, name: str, value: str) -> str:
        """`name: value`, with the colon of the language."""
        return f"{name}: {value}" if self.lang == "en" else f"{name}：{value}"

    def unit(self, unit: str) -> str:
        """A unit as people of the language write it."""
        return self.fixed(sentences.UNIT, unit)

    def fact(self, fact: str, otherwise: str) -> str:
        """What people call a fact; `otherwise` where it is not declared."""
        return self.text(self.library.facts[fact].name.text) if fact in self.library.facts else otherwise

    def slot(self, slot: str) -> str:
        """What people call a slot: the name of its fact; the slot itself where it has none."""
        fact = self._slots.get(slot)
        return self.text(self.library.facts[fact].name.text) if fact else slot

    def said(self, slot: str, value: object) -> str:
        """A value as it was understood, shown in the words of its fact."""
        if value is None:
            return "–"
        if isinstance(value, list | tuple):
            joint = "、" if self.lang != "en" else ", "
            return joint.join(self.said(slot, item) for item in value)
        if isinstance(value, dict):
            return " – ".join(self.said(slot, value[end]) for end in ("min", "max") if end in value)
        fact = self._slots.get(slot)
        record = self.library.facts[fact] if fact else None
        if isinstance(value, bool):
            return self.fixed(sentences.WORD, "yes" if value else "no")
        if isinstance(value, int | float):
            unit = (record.unit or "") if record else ""
            return self.quantity(Quantity(float(value), unit))
        return self._named(fact, str((record.values if record else {}).get(str(value), value))) if fact else str(value)

    @cached_property
    def _slots(self) -> dict[str, str]:
        facts = sorted(self.library.facts.items(), reverse=True)
        return {record.slot or key: key for key, record in facts}

    def _named(self, fact: str, value: str) -> str:
        record = self.library.facts.get(fact)
        ref = getattr(record, "ref", None)
        if ref == "gpus" and value in self.library.gpus:
            return self.library.gpus[value].label
        if ref == "models" and value in self.library.models:
            return self.library.models[value].name
        if ref == "frameworks" and value in self.library.frameworks:
            return self.library.frameworks[value].name
        if fact in ("plan.method", "tuning.method"):
            return self.fixed(sentences.METHOD, value)
        labels = self.library.words["choices"].entries
        assert isinstance(labels, dict), "knowledge/words/choices.yaml is a mapping"
        label = labels.get(f"{fact}.{value}") or labels.get(value)
        return self.text(Text(label["en"], label["zh"])) if label else value

    def hardware(self, hardware: Hardware) -> str:
        """`4 x A100 80GB`, with the number of servers where there are several."""
        name = f"{hardware.per_node} × {hardware.label}"
        if hardware.nodes == 1:
            return name
        return f"{hardware.nodes} {self.fixed(sentences.WORD, 'nodes')} × {name}"

    def range(self, range_: Range) -> str:
        """`61 (55 to 72) GiB`."""
        low, likely, high = number(range_.low), number(range_.likely), number(range_.high)
        unit = f" {self.unit(range_.unit)}" if range_.unit else ""
        if low == high:
            return f"{likely}{unit}"
        return f"{likely} ({low}–{high}){unit}" if self.lang == "en" else f"{likely}（{low}–{high}）{unit.strip()}"

    def price(self, price: Price) -> str:
        """A dated band of money; never a bare number."""
        period = self.fixed(sentences.PERIOD, price.period)
        low, high = number(price.range.low), number(price.range.high)
        band = low if low == high else f"{low}–{high}"
        as_of = f"{self.fixed(sentences.WORD, 'as_of')} {price.as_of}"
        return f"{band} {price.currency}/{period}{self.aside(as_of, self.place(price.place))}"

    def place(self, name: str) -> str:
        """A price list's place in the reader's language; codes of regions stay."""
        if self.lang == "en":
            return name
        names = dict(self.library.words["place_names"].entries)
        longest = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
        said = re.sub(rf"(?<![\w-])(?:{longest})(?![\w-])", lambda found: str(names[found[0]]), name)
        return self._in_script(said.replace(", ", "、"), Text(name, said))

    def aside(self, *notes: str) -> str:
        """Notes in brackets behind a figure, as the language writes them."""
        return f" ({', '.join(notes)})" if self.lang == "en" else f"（{'，'.join(notes)}）"


def youngest(dates: list[str], fallback: date) -> str:
    """The youngest of several dates given as YYYY, YYYY-MM or YYYY-MM-DD, as YYYY-MM-DD."""

    def whole(text: str) -> str:
        return text + {4: "-01-01", 7: "-01"}.get(len(text), "")

    return max((whole(text) for text in dates if text), default=fallback.isoformat())
