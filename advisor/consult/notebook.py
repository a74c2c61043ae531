"""The desk of notebooks and scripts: `from advisor import Advisor`, with typed results that show themselves.

It wraps the other desks, adds no advice and keeps no state but the data in use. Every result carries the whole answer
as `json`; the attributes are its parts with types. In a notebook a plan shows its verdict, a bar of memory and a table.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, cast

from advisor.core.errors import BadInput
from advisor.core.text import LANGS, Lang

Json = Mapping[str, Any]
OVERLAY = "HKGPU_OVERLAY"
Verdict = Literal["yes", "yes_if", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class Span:
    """A figure as low, likely and high, in the unit that its name says."""

    low: float
    likely: float
    high: float

    @classmethod
    def of(cls, data: Json | None) -> Span | None:
        """From an answer's JSON; None stays None."""
        return None if data is None else cls(data["low"], data["likely"], data["high"])


@dataclass(frozen=True, slots=True)
class Way:
    """One method, judged. `peak_gib` is a card's peak, `usable_gib` what it can use; None where nothing was sized."""

    method: str
    stage: str
    verdict: Verdict
    why: str
    gpu: str | None
    gpu_count: int | None
    nodes: int | None
    sharding: str | None
    peak_gib: Span | None
    usable_gib: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """An answer. `json` is the whole of it, in the shape of `hkgpu ask --format json`."""

    json: Json
    lang: Lang

    @property
    def verdict(self) -> Verdict:
        """yes, yes_if, no or unknown."""
        return cast("Verdict", self.json["verdict"])

    @property
    def summary(self) -> str:
        """One or two sentences, the verdict first."""
        return str(self.json["summary"])

    @property
    def ways(self) -> tuple[Way, ...]:
        """Each method that was judged."""
        return tuple(
            Way(
                row["method"],
                row["stage"],
                row["verdict"],
                row["why"],
                row["gpu"],
                row["gpu_count"],
                row["nodes"],
                row["sharding"],
                Span.of(row["peak_gib"]),
                row["usable_gib"],
            )
            for row in self.json["by_method"]
        )

    @property
    def next_question(self) -> str:
        """What to answer next, empty where nothing could change the answer any more."""
        return str(self.json["questions"][0]["text"]) if self.json["questions"] else ""

    def text(self) -> str:
        """As for a terminal."""
        return self._rendered("text")

    def markdown(self) -> str:
        """As a Markdown page."""
        return self._rendered("markdown")

    def checklist(self) -> str:
        """The acceptance checklist, with the bytes of `hkgpu checklist`. Raises `BadInput` where there is no plan."""
        from advisor.consult import answer

        return answer.render_checklist(answer.Reply(self.json, self.lang), "markdown")

    def _rendered(self, format: str) -> str:
        from advisor.consult import answer

        return answer.render(answer.Reply(self.json, self.lang), format)

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        from advisor.consult.notebook_page import plan_page

        return plan_page(self.json, self.lang)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Memory a card of one row; `error` says why a figure is missing."""

    id: str
    low_gib: float | None
    likely_gib: float | None
    high_gib: float | None
    verdict: str
    tokens_per_s_total: float | None
    error: str


class Estimates(tuple[Estimate, ...]):
    """Estimates in the order of their rows; a table in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from advisor.consult.notebook_page import table

        names = tuple(each.name for each in fields(Estimate))
        return table(names, ([getattr(each, name) for name in names] for each in self))


@dataclass(frozen=True, slots=True)
class Delivery:
    """A judged delivery: one entry a file and one an item, and a message to the vendor by language."""

    failed: bool
    files: tuple[Json, ...]
    items: tuple[Json, ...]
    message: Mapping[str, str]
    page: str

    def _repr_markdown_(self) -> str:
        return self.page


@dataclass(frozen=True, slots=True)
class Offers:
    """Judged offers; `contradicts` where a line contradicts the plan or itself."""

    contradicts: bool
    json: Json
    page: str

    def _repr_markdown_(self) -> str:
        return self.page


@dataclass(frozen=True, slots=True)
class Claim:
    """What a vendor's sentence is worth."""

    verdict: Verdict
    text: str
    json: Json
    page: str

    def _repr_markdown_(self) -> str:
        return self.page


class Advisor:
    """Ask, advise, estimate, judge, quote and check claims, in one language.

    `lang`: en, zh or zh-Hant; None = the language of each question (`ask`, `claims`), else English. `overlay`: a folder
    with own rules, prices and place; it is checked, and counts for the whole process from then on. Raises `BadInput`
    for an unknown language or a missing folder, `BadData` for an overlay in which anything is wrong.
    """

    def __init__(self, lang: str | None = None, overlay: str | Path | None = None) -> None:
        if lang is not None and lang not in LANGS:
            raise BadInput(f'"{lang}" is no language of ours', where="lang", expected=", ".join(LANGS))
        self._lang: Lang | None = lang
        if overlay is not None:
            _lay_over(Path(overlay))

    def ask(self, text: str) -> Plan:
        """Answer a question in words. Raises `BadInput` for an empty or endless one."""
        from advisor.consult import answer

        reply = answer.ask(text, lang=self._lang)
        return Plan(reply.json, reply.lang)

    def advise(self, facts: Mapping[str, object] | None = None, /, **more: object) -> Plan:
        """The same from facts by slot or id, as a mapping, by name, or both. Raises `BadInput` naming a wrong fact."""
        from advisor.consult import answer

        reply = answer.advise({**(facts or {}), **more}, lang=self._lang or "en")
        return Plan(reply.json, reply.lang)

    def estimate(self, rows: Iterable[Mapping[str, object]] | Mapping[str, object] = (), /, **row: object) -> Estimates:
        """Memory a card for each row (the columns of `hkgpu estimate`), or for one row by name.

        A row without an `id` goes by its place; a bad row has an `error` and stops nothing.
        """
        from advisor.consult import batch

        listed = [rows] if isinstance(rows, Mapping) else list(rows)
        listed += [row] if row else []
        found = csv.DictReader(io.StringIO("".join(batch.estimate_csv(_csv(listed)))))
        return Estimates(
            Estimate(
                id=row["id"],
                low_gib=_number(row["low_gib"]),
                likely_gib=_number(row["likely_gib"]),
                high_gib=_number(row["high_gib"]),
                verdict=row["verdict"],
                tokens_per_s_total=_number(row["tokens_per_s_total"]),
                error=row["error"],
            )
            for row in found
        )

    def judge(self, outputs: str | Path | Sequence[Path], order: Json | str | None = None) -> Delivery:
        """Judge what acceptance commands printed: a text, or files and folders; `order` is a plan's JSON or YAML."""
        from advisor.consult import judge as desk

        said = order if isinstance(order, str) or order is None else json.dumps(dict(order))
        ordered = None if said is None else desk.read_order(said, "order")
        if isinstance(outputs, str):
            delivery = desk.judge_text(outputs, ordered=ordered)
        else:
            delivery = desk.judge([outputs] if isinstance(outputs, Path) else list(outputs), ordered=ordered)
        told = json.loads(desk.render(delivery, "json", self._lang or "en"))
        files, items = ([each for each in told if key in each] for key in ("file", "item"))
        page = desk.render(delivery, "markdown", self._lang or "en")
        return Delivery(delivery.failed, tuple(files), tuple(items), desk.message(delivery), page)

    def quote(self, offer: str | bytes, facts: Mapping[str, object] | None = None) -> Offers:
        """Hold a vendor's offer (a text, or the bytes of a sheet) against facts or a plan's JSON."""
        from advisor.consult import quotes

        data = offer.encode("utf-8", "replace") if isinstance(offer, str) else offer
        reply = quotes.compare([("offer", data)], facts, lang=self._lang)
        return Offers(reply.exit_code == 1, reply.json, quotes.render(reply, "markdown"))

    def claims(self, sentence: str) -> Claim:
        """What a vendor's sentence is worth. Raises `BadInput` for an empty or endless one."""
        from advisor.consult import claims

        reply = claims.ask(sentence, lang=self._lang)
        return Claim(reply.json["verdict"], reply.json["text"], reply.json, claims.render(reply, "markdown"))

    def checklist(self, facts: Mapping[str, object] | None = None, /, **more: object) -> str:
        """The acceptance checklist for facts, with the bytes of `hkgpu checklist`."""
        return self.advise(facts, **more).checklist()


def _lay_over(folder: Path) -> None:
    from advisor.consult import answer
    from advisor.consult.reload import forget
    from advisor.consult.rulebase import everything_checked, library_with
    from advisor.knowledge.library import exchange

    library = library_with(folder)
    everything_checked(library)
    answer.rules(library)
    answer.here(library)
    os.environ[OVERLAY] = str(folder)
    exchange(library)
    forget()


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    columns = list(dict.fromkeys(["id", *(key for row in rows for key in row)]))
    if not rows or len(columns) == 1:
        raise BadInput("there are no rows", where="rows", expected="mappings with the columns of hkgpu estimate")
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for place, row in enumerate(rows, 1):
        writer.writerow({"id": place, **{key: "" if value is None else value for key, value in row.items()}})
    return out.getvalue()


def _number(text: str | None) -> float | None:
    return float(text) if text else None
