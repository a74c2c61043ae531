"""The desk of offers: what vendors sent, held line by line against a plan, with the price and what to ask back.

It reads (advisor.pack), lets the rules for offers speak (rules/quoting, a base of their own, built with the first
offer) and words what comes back. It holds no advice, evaluates no formula and never takes silence for a yes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from advisor.acceptance.decode import decode
from advisor.consult import answer
from advisor.core.errors import BadInput
from advisor.core.facts import Fact, Facts
from advisor.core.findings import Outcome
from advisor.core.text import LANGS, Lang
from advisor.knowledge.library import Library, open_library
from advisor.pack import quote, quote_facts, quote_page, quote_price, quote_show, sheet
from advisor.pack.offer import Offer
from advisor.pack.offer_input import read_offers
from advisor.pack.offer_money import settled
from advisor.pack.quote_words import Speech
from advisor.pack.requirements import Requirement, requirements
from advisor.report.wording import Wording

if TYPE_CHECKING:
    from advisor.rules.run import RuleBase

# More files than that are not compared at once.
MOST_FILES = 2**5
# The largest file, in bytes.
LONGEST = sheet.LONGEST_FILE


@dataclass(frozen=True, slots=True)
class QuoteReply:
    """Judged offers in one language, in the shape of docs/quote.md."""

    json: Mapping[str, Any]
    lang: Lang

    @property
    def exit_code(self) -> int:
        """1 where a line contradicts or is refused in any offer, else 0."""
        return 1 if any(offer["verdict"] == "no" for offer in self.json["offers"]) else 0


@lru_cache(maxsize=1)
def base() -> RuleBase:
    """The rules for offers, checked and compiled once a process."""
    from advisor.rules.run import RuleBase

    return RuleBase.build(open_library(), "quoting")


def compare(
    offers: Sequence[tuple[str, bytes]], given: Mapping[str, object] | None, *, lang: Lang | None = None,
    day: date | None = None,
) -> QuoteReply:  # fmt: skip
    """Offers by name and bytes, held against `given`: the JSON of an answer, facts by slot or id, or None.

    `lang` defaults to the language of the first offer. Raises `BadInput` for no offer, a file that is too large or a
    workbook that cannot be read.
    """
    if not offers:
        raise BadInput("there is no offer to read", do="name a file, or - for a paste")
    if len(offers) > MOST_FILES:
        raise BadInput(f"there are {len(offers)} files", expected=f"at most {MOST_FILES}")
    library = open_library()
    found = [(one, _spoken(one, library)) for name, data in offers for one in _read(name, data, library)]
    if all(one.problem for one, _ in found):
        files = [one.file if one.file not in ("", "-") else "the offer" for one, _ in found]
        raise BadInput(
            "holds nothing that I can read as an offer", where=", ".join(dict.fromkeys(files)),
            expected="a card, a price or terms in English or Chinese",
            do="send the vendor's words as text, CSV or XLSX",
        )  # fmt: skip
    counted = Counter(one.file for one, _ in found)
    spoken: Lang = lang or found[0][1]
    when = day or answer.today()
    plan = _plan(given, spoken, when)
    asked = requirements(plan, library) if plan is not None else []
    judged = [
        _judged(one, its, place, counted[one.file] == 1, asked, spoken, library)
        for place, (one, its) in enumerate(found)
    ]
    return QuoteReply(quote_page.reply(judged, plan, spoken, when.isoformat(), library), spoken)


def render(reply: QuoteReply, format: str) -> str:
    """The judged offers as `text`, `markdown` or `json`."""
    if format == "json":
        return json.dumps(reply.json, ensure_ascii=False, indent=2, allow_nan=False)
    return quote_show.render(reply.json, reply.lang, open_library(), format == "markdown")


def _read(name: str, data: bytes, library: Library) -> list[Offer]:
    from advisor.dialogue.text import normalised

    return read_offers(name, data, decode, normalised, library)


def _spoken(offer: Offer, library: Library) -> Lang:
    """The language that a vendor writes, kept with his offer."""
    from advisor.dialogue.understand import understand

    seen = understand(offer.text, library).lang
    lang: Lang = "en" if seen == "en" else "zh-Hant" if seen == "zh-Hant" else "zh"
    offer.lang = lang
    offer.amounts = settled(offer.amounts, lang)
    return lang


def _plan(given: Mapping[str, object] | None, lang: Lang, day: date) -> Mapping[str, Any] | None:
    """The plan as an answer's JSON; facts are consulted first."""
    if given is None:
        return None
    if "recommended" in given or "understood" in given:
        return given
    return answer.advise(given, lang=lang, day=day).json


def _judged(
    offer: Offer, its: Lang, place: int, alone: bool, asked: Sequence[Requirement], lang: Lang, library: Library
) -> quote_page.Judged:
    name = offer.name or (offer.file if offer.file not in ("", "-") and alone else "")
    name = name or Speech(library, lang).fixed("offer_name", number=place + 1)
    if offer.problem:
        return quote_page.Judged(offer, name, its, (), (), None)
    price = quote_price.price(offer, library)
    known = quote_facts.facts(offer, price, library)
    reads = base().reads
    facts = Facts({key: Fact(key, value, "said") for key, value in known.items() if key in reads})
    findings = _findings(base().run(facts), its, lang, library)
    clashes = [one.rule for one in findings if one.verdict == "no"]
    return quote_page.Judged(offer, name, its, tuple(quote.lines(offer, asked, clashes, library)), findings, price)


def _named(values: Mapping[str, Any], library: Library) -> Mapping[str, Any]:
    """Values of a rule with the card by its name, as a person writes it."""
    card = library.gpus.get(str(values.get("quote.card")))
    return {**values, "quote.card": card.name} if card is not None else values


def _findings(outcome: Outcome, *words: Any) -> tuple[quote_page.Finding, ...]:
    its, lang, library = words
    says = {advice.rule: advice for advice in outcome.advice}
    asks = {risk.rule: risk for risk in outcome.risks}
    items = {check.rule: check.item for check in outcome.checks}
    spoken = {each: Wording(library, each) for each in LANGS if each in (its, lang)}
    order = ("no", "yes_if", "yes")
    found = []
    for ruling in outcome.rulings:
        advice, risk = says[ruling.rule], asks.get(ruling.rule)
        values = _named(advice.values, library)
        say: dict[str, str] = {each: wording.filled(advice.say, values) for each, wording in spoken.items()}
        ask: dict[str, str] = (
            {each: wording.filled(risk.mitigation, _named(risk.values, library)) for each, wording in spoken.items()}
            if risk
            else {}
        )
        found.append(
            quote_page.Finding(ruling.rule, ruling.verdict, say, ask, ruling.because, items.get(ruling.rule, ""))
        )
    degree = {rule: ("high", "medium", "low").index(risk.severity) for rule, risk in asks.items()}
    return tuple(sorted(found, key=lambda one: (order.index(one.verdict), degree.get(one.rule, len(order)), one.rule)))
