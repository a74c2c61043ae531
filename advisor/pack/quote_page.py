"""Words judged offers: the JSON of a reply, and a message to each vendor in the language he writes.

It words what was found and adds no judgement. What a vendor wrote is shown as plain words: no link, no markup, no
second line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.core.text import Lang
from advisor.knowledge.library import Library
from advisor.pack.offer import Offer
from advisor.pack.quote import Line
from advisor.pack.quote_price import Price
from advisor.pack.quote_words import Speech
from advisor.pack.request import wanted

Json = dict[str, Any]
LEVELS = {"no": "word_contradiction", "yes_if": "word_warning", "yes": "word_note"}
# How many lines a summary names before it stops.
_NAMED = 2 + 1


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule said of an offer, in one language: its verdict, the sentence, and what to ask for it."""

    rule: str
    verdict: str
    say: Mapping[str, str]
    ask: Mapping[str, str]
    because: tuple[str, ...]
    item: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """One offer with all that was found of it. `lang` is the language that the vendor writes."""

    offer: Offer
    name: str
    lang: Lang
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    price: Price | None

    @property
    def verdict(self) -> str:
        """The contract's word: no, yes_if, yes, or unknown where nothing could be read."""
        if self.offer.problem:
            return "unknown"
        states = {line.status for line in self.lines}
        musts = {line.status for line in self.lines if line.requirement.severity == "must"}
        if "contradicts" in states or "missing" in musts or any(one.verdict == "no" for one in self.findings):
            return "no"
        open_ = states - {"met"} or any(one.verdict == "yes_if" for one in self.findings)
        return "yes_if" if open_ else "yes"

    @property
    def failed(self) -> bool:
        """Whether an item contradicts or is refused."""
        return self.verdict == "no"

    def count(self, status: str) -> int:
        """How many lines have a state."""
        return sum(line.status == status for line in self.lines)


def reply(judged: Sequence[Judged], plan: Mapping[str, Any] | None, lang: Lang, day: str, library: Library) -> Json:
    """The reply in the shape of docs/quote.md."""
    page = _Page(Speech(library, lang), library)
    offers = [page.offer(one) for one in judged]
    verdicts = [one["verdict"] for one in offers]
    verdict = next((word for word in ("yes", "yes_if", "no") if word in verdicts), "unknown")
    return {
        "lang": lang,
        "plan": (plan or {}).get("plan"),
        "data_version": library.version,
        "as_of": day,
        "verdict": verdict,
        "summary": page.summary(judged, offers, plan),
        "note": page.note(judged, plan),
        "offers": offers,
        "comparison": page.comparison(judged) if len(judged) > 1 else None,
        "sources": page.sources(judged),
    }


class _Page:
    """Offers in one language."""

    def __init__(self, speech: Speech, library: Library) -> None:
        self.speech, self.library = speech, library

    def offer(self, judged: Judged) -> Json:
        """One offer."""
        return {
            "name": judged.name,
            "file": judged.offer.file,
            "lang": judged.lang,
            "verdict": judged.verdict,
            "summary": self.sum(judged),
            "card": [self.library.gpus[key].name for key in judged.offer.cards],
            "lines": [self.line(line) for line in judged.lines],
            "contradictions": [self.finding(one) for one in judged.findings if one.verdict == "no"],
            "warnings": [self.finding(one) for one in judged.findings if one.verdict == "yes_if"],
            "notes": [self.finding(one) for one in judged.findings if one.verdict == "yes"],
            "read": {name: [_plain(one.value) for one in said] for name, said in judged.offer.said.items()},
            "price": self.price(judged.price) if judged.price else None,
            "ask_back": "" if judged.offer.problem else message(judged, self.library),
        }

    def line(self, line: Line) -> Json:
        """One line."""
        asked = line.requirement
        return {
            "id": asked.id,
            "title": self.speech.text(asked.title),
            "severity": asked.severity,
            "wanted": wanted(asked, self.library, self.speech),
            "unit": asked.unit,
            "status": line.status,
            "word": self.speech.fixed(line.status),
            "said": self.said(line),
            "why": self.speech.fixed(f"note_{line.note}") if line.note else "",
            "item": asked.item,
            "sources": list(asked.because),
        }

    def said(self, line: Line) -> str:
        """What the vendor wrote about a line."""
        return " / ".join(dict.fromkeys(quoting_plain(one.quote) for one in line.said))

    def finding(self, finding: Finding) -> Json:
        """What a rule said."""
        return {
            "rule": finding.rule,
            "level": self.speech.fixed(LEVELS[finding.verdict]),
            "text": finding.say[self.speech.lang],
            "ask": finding.ask.get(self.speech.lang, ""),
            "item": finding.item,
            "because": list(finding.because),
        }

    def sum(self, judged: Judged) -> str:
        """At most two sentences, the verdict first."""
        speech = self.speech
        if judged.offer.problem:
            return speech.fixed(judged.offer.problem)
        first = self._first(judged)
        month = judged.price.month if judged.price else None
        if judged.price is None or month is None:
            return first
        cost = speech.fixed("sum_months", sum=speech.money(month, judged.price.currency))
        return first + (" " if speech.lang == "en" else "") + cost

    def _first(self, judged: Judged) -> str:
        speech = self.speech
        clashes = [one for one in judged.findings if one.verdict == "no"]
        if clashes:
            return speech.fixed("sum_clash", first=clashes[0].say[speech.lang])
        if not judged.lines:
            warned = [one for one in judged.findings if one.verdict == "yes_if"]
            if not warned:
                return speech.fixed("sum_alone_fine")
            return speech.fixed("sum_alone_warn", count=len(warned))
        wrong = [line for line in judged.lines if line.status == "contradicts"]
        if wrong:
            return speech.fixed("sum_contradicts", count=len(wrong), whole=len(judged.lines), which=self._names(wrong))
        refused = [one for one in judged.lines if one.status == "missing" and one.requirement.severity == "must"]
        if refused:
            return speech.fixed("sum_missing", which=self._names(refused))
        met, whole = judged.count("met"), len(judged.lines)
        return (
            speech.fixed("sum_all")
            if met == whole
            else speech.fixed("sum_open", met=met, whole=whole, open=whole - met)
        )

    def _names(self, lines: Sequence[Line]) -> str:
        titles = [self.speech.text(line.requirement.title) for line in lines]
        more = ["…"] if len(titles) > _NAMED else []
        return self.speech.listed([*titles[:_NAMED], *more])

    def summary(self, judged: Sequence[Judged], offers: Sequence[Json], plan: Mapping[str, Any] | None) -> str:
        """The whole in one or two sentences."""
        speech = self.speech
        if len(offers) == 1:
            return str(offers[0]["summary"])
        usable = [one for one in judged if one.verdict in ("yes", "yes_if")]
        if not usable:
            return speech.fixed("sum_none", count=len(judged))
        best = max(usable, key=lambda one: (one.count("met"), -_month(one)))
        if not best.lines:
            return speech.fixed("sum_usable", names=speech.listed([one.name for one in usable]))
        return speech.fixed("sum_best", name=best.name, met=best.count("met"), whole=len(best.lines))

    def note(self, judged: Sequence[Judged], plan: Mapping[str, Any] | None) -> str:
        """That there was nothing to hold the offers against, where it is so."""
        if plan is None:
            return self.speech.fixed("no_plan")
        return "" if any(one.lines or one.offer.problem for one in judged) else self.speech.fixed("no_plan_card")

    def price(self, price: Price) -> Json:
        """A price with its band and the month's parts."""
        speech, band = self.speech, price.band
        return {
            "quote": quoting_plain(price.rent.quote),
            "currency": price.currency,
            "currency_said": price.rent.currency not in ("", "dollar"),
            "period": price.rent.period,
            "basis": price.rent.basis,
            "cards": price.cards,
            "card_hour": _pair(price.card_hour),
            "hours_a_month": price.hours,
            "month": _pair(price.month),
            "parts": [
                {"name": speech.fixed(f"part_{part.name}"), "part": part.name, "low": _round(part.low),
                 "high": _round(part.high), "quote": quoting_plain(part.quote)}
                for part in price.parts
            ],
            "first_payment": _pair(price.first),
            "position": price.position,
            "band": None if band is None else {
                "low": _round(band.low), "high": _round(band.high), "currency": band.currency,
                "listed_in": band.listed_in,
                "place": band.place, "location": band.location, "oldest": band.oldest, "youngest": band.youngest,
                "rows": band.rows, "sources": list(band.sources), "confidence": band.confidence, "rate": band.rate,
            },
            "text": list(self.price_lines(price)),
        }  # fmt: skip

    def price_lines(self, price: Price) -> Iterator[str]:
        """What is to be said of a price, a sentence each."""
        speech, band = self.speech, price.band
        if price.card_hour is not None:
            yield speech.fixed("price_hour", sum=speech.money(price.card_hour, price.currency))
        if price.cards is not None and not price.cards_said:
            yield speech.fixed("price_one")
        if price.rent.currency in ("", "dollar"):
            yield speech.fixed("price_taken", currency=price.currency)
        if band is not None:
            low, high = speech.money((band.low, band.low), ""), speech.money((band.high, band.high), "")
            yield speech.fixed("price_band", low=low, high=high, currency=band.currency, rows=band.rows,
                               place=band.place, oldest=band.oldest, youngest=band.youngest)  # fmt: skip
            if band.rate:
                rate = self.library.heuristic(band.rate).value
                yield speech.fixed("price_rate", listed=band.listed_in, rate=f"{rate:g}")
            if band.location != "hong_kong":
                yield speech.fixed("price_elsewhere")
        for part in price.parts if len(price.parts) > 1 else ():
            name = speech.fixed(f"part_{part.name}")
            known = part.low is not None and part.high is not None
            key = "part_not_counted" if part.name.endswith("_if") else "part_no_sum"
            shown = speech.money((part.low or 0, part.high or 0), price.currency) if known else speech.fixed(
                key, quote=quoting_plain(part.quote))  # fmt: skip
            yield speech.pair(name, shown)
        if price.month is not None:
            yield speech.fixed("price_month", sum=speech.money(price.month, price.currency))
            yield speech.fixed("price_hours", hours=f"{price.hours:g}")
        else:
            yield speech.fixed("price_no_month")
        if price.first is not None:
            yield speech.fixed("price_first", sum=speech.money(price.first, price.currency))

    def comparison(self, judged: Sequence[Judged]) -> Json:
        """Several offers side by side."""
        speech = self.speech
        rows: list[list[str]] = []
        for place, line in enumerate(judged[0].lines):
            rows.append([speech.text(line.requirement.title), *(self._cell(one.lines[place]) for one in judged)])
        makers: list[tuple[str, Callable[[Price], tuple[float, float] | None]]] = [
            ("hour_row", lambda price: price.card_hour),
            ("price_row", lambda price: price.month),
            ("first_row", lambda price: price.first),
        ]
        for key, sums in makers:
            cells = []
            for one in judged:
                found = sums(one.price) if one.price else None
                cells.append(speech.money(found, one.price.currency) if one.price and found else "–")
            rows.append([speech.fixed(key), *cells])
        results = [
            f"{one.count('met')}/{len(one.lines)}" if one.lines else speech.fixed(f"verdict_{one.verdict}")
            for one in judged
        ]
        rows.append([speech.fixed("column_status"), *results])
        return {"columns": [speech.fixed("column_item"), *(one.name for one in judged)], "rows": rows}

    def _cell(self, line: Line) -> str:
        said = self.said(line)
        word = self.speech.fixed(line.status)
        return f"{word}: {said}" if said and line.status != "met" else said or word

    def sources(self, judged: Sequence[Judged]) -> list[Json]:
        """The sources of what was said, each once."""
        keys = [key for one in judged for finding in one.findings for key in finding.because]
        keys += [key for one in judged for line in one.lines for key in line.requirement.because]
        keys += [key for one in judged if one.price and one.price.band for key in one.price.band.sources]
        found = [key for key in dict.fromkeys(keys) if key in self.library.sources]
        return [
            {"id": key, "title": self.library.sources[key].title, "date": self.library.sources[key].date}
            for key in found
        ]


def message(judged: Judged, library: Library) -> str:
    """What to write back to the vendor, in his language, ready to send."""
    speech = Speech(library, judged.lang)
    clashes = [one.ask[judged.lang] for one in judged.findings if one.ask.get(judged.lang)]
    differs = [line for line in judged.lines if line.status in ("contradicts", "missing")]
    open_ = [line for line in judged.lines if line.status == "not_stated"]
    if not (clashes or differs or open_):
        return speech.fixed("ask_nothing")
    out = [speech.fixed("ask_dear")]
    place = 0
    for text in dict.fromkeys(clashes):
        place += 1
        out.append(f"{place}. {text}")
    for key, lines in (("ask_differs", differs), ("ask_open", open_)):
        if lines:
            out += ["", speech.fixed(key)]
        for line in lines:
            place += 1
            out.append(f"{place}. {_asked(line, speech)}")
    return "\n".join([*out, "", speech.fixed("ask_close")])


def _asked(line: Line, speech: Speech) -> str:
    text = speech.pair(speech.text(line.requirement.title), speech.text(line.requirement.ask))
    quotes = list(dict.fromkeys(quoting_plain(one.quote) for one in line.said if one.quote))
    return f"{text} {speech.fixed('ask_said', quote=' / '.join(quotes))}" if quotes else text


def quoting_plain(text: str) -> str:
    """What a vendor wrote, as one line of plain words."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _month(judged: Judged) -> float:
    """A month's cost for an order among offers; an unknown one comes last."""
    month = judged.price.month if judged.price else None
    return month[0] if month else float("inf")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _pair(sums: tuple[float, float] | None) -> list[float | None] | None:
    return None if sums is None else [_round(sums[0]), _round(sums[1])]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
