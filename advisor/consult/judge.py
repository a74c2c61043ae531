"""The desk that judges a delivery: outputs in, a verdict for each and one for each checklist item out.

Readers say what was printed, rules (rules/judging) say what it means, and this carries values between them. It holds no
limit and no advice. The rules that judge are a base of their own, built with the first output and not for an answer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.acceptance import cards, comparisons, faults, order
from advisor.acceptance.decode import clean, decode
from advisor.acceptance.evidence import Output, gather, read_text, tool_named
from advisor.acceptance.lines import line_of
from advisor.acceptance.naming import find_card
from advisor.acceptance.reading import Reading
from advisor.core.errors import BadInput, HkgpuError
from advisor.core.facts import Fact, Facts, Value
from advisor.core.findings import Outcome
from advisor.core.judged import OF_RULING, ORDER, WORST_FIRST, Delivery, FileJudged, Finding, ItemJudged, Judgement
from advisor.knowledge.library import Library, open_library

if TYPE_CHECKING:
    from advisor.core.text import Lang
    from advisor.knowledge.records.items import Item
    from advisor.rules.run import RuleBase

# A paste longer than this is a file.
LONGEST = 2**23
_NO_ORDER = order.Order()
# Tools that only cards of one maker have.
_TOOLS_OF = {"AMD": ("rocm-smi",), "Huawei": ("npu-smi",)}
# What decides in a rule: the first comparison of an amount.
_AMOUNTS = ("gt", "lt", "at_least", "at_most")


@lru_cache(maxsize=1)
def base() -> RuleBase:
    """The rules that judge, checked and compiled once a process."""
    from advisor.rules.run import RuleBase

    return RuleBase.build(open_library(), "judging")


def judge(paths: Sequence[Path], *, ordered: order.Order | None = None, tool: str | None = None) -> Delivery:
    """Judge files, folders and archives. Raises `BadInput` for what is not there or a tool nobody knows."""
    if not paths:
        raise BadInput("there is nothing to judge", do="name a file, a folder or - for a paste")
    return _judged((one for path in paths for one in _named(path, tool)), ordered)


def judge_text(text: str, *, ordered: order.Order | None = None, tool: str | None = None) -> Delivery:
    """Judge a paste, which may hold several outputs."""
    return _judged(read_text(clean(text), "-", tool), ordered)


def judge_stdin(*, ordered: order.Order | None = None, tool: str | None = None) -> Delivery:
    """Judge what stands on standard input, in whatever encoding; a longer paste is refused."""
    data = sys.stdin.buffer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise BadInput("the paste is too long", expected=f"at most {LONGEST} bytes", do="save it as a file")
    return _judged(read_text(decode(data), "-", tool), ordered)


def _named(path: Path, tool: str | None) -> Iterator[Output]:
    if not path.exists():
        raise BadInput("is not there", where=str(path))
    yield from gather(path, tool)


def read_order(text: str, where: str) -> order.Order:
    """An order from YAML or JSON. Raises `BadInput` naming the fact that cannot be."""
    from advisor.dialogue.answers import answers_from
    from advisor.knowledge.reader import read_text as read_yaml

    data = read_yaml(text, Path(where)).data
    if not isinstance(data, Mapping):
        raise BadInput("is no order", where=where, expected="a mapping of facts, or the JSON of an answer")
    slots = order.flat(data)
    extras = {key: slots.pop(key) for key in order.EXTRAS if key in slots}
    card = str(slots.get("gpu_model") or slots.get("gpu.id") or "")
    if {"gpu_count", "gpu.count"} & slots.keys() and not {"nodes", "gpu.nodes"} & slots.keys():
        slots["nodes"] = 1  # an order is taken at its word: a server with half of the cards has not met it
    found = answers_from(slots, open_library()).answers
    facts = {key: fact.value for key, fact in found[0].items()} if found else {}
    listed = data.get("checklist")
    items = tuple(str(one.get("id")) for one in listed if isinstance(one, Mapping)) if isinstance(listed, list) else ()
    return order.Order(card, facts, extras, items)


def _judged(outputs: Iterable[Output], ordered: order.Order | None) -> Delivery:
    library = open_library()
    asked = ordered or _NO_ORDER
    every = list(outputs)
    read = [(output.file, output.reading) for output in every if output.reading is not None]
    comparisons.hold_ports(reading for _, reading in read)
    judged = [one for output in every for one in _judge_output(output, asked, library)]
    # Where the names tell place, carrier, hour and direction, the outputs are compared with one another.
    judged += [_file(Output(name, both), asked, library) for name, both in comparisons.compare(read, library)]
    files = tuple(judged)
    items = list(_items(files, library, ordered is not None))
    # What the checklist asks for and nothing speaks of: no evidence is inconclusive.
    seen = {item.item for item in items}
    items += [
        ItemJudged(key, "inconclusive", None, ()) for key in asked.items if key in library.items and key not in seen
    ]
    return Delivery(files, tuple(items), dict(asked.facts), asked.card)


def _judge_output(output: Output, asked: order.Order, library: Library) -> Iterator[FileJudged]:
    """An output of a tool as one; a form item by item."""
    if output.reading is None or not output.reading.entries:
        yield _file(output, asked, library)
        return
    measured = _measured(library, _vendor(asked, library))
    for entry in output.reading.entries:
        if entry.item in library.items:
            yield _entry(output.file, entry, entry.item in measured, library)


def _vendor(asked: order.Order, library: Library) -> str:
    """Whose cards were ordered."""
    card = library.gpus[asked.card] if asked.card in library.gpus else find_card(asked.card, library)
    return card.vendor if card else "NVIDIA"


def _entry(file: str, entry: Any, measurable: bool, library: Library) -> FileJudged:
    """One item of a form, judged by the rules for forms; what the person wrote is the figure."""
    reading = Reading("form")
    reading.say(form_word=entry.word, form_signed=entry.signed, form_measurable=measurable)
    outcome = base().run(_facts(reading, _NO_ORDER, library))
    findings = tuple(
        replace(finding, item=entry.item, figure=entry.found or None, limit=None)
        for finding in _findings(outcome, library)
    )
    verdict = _worst(finding.judgement for finding in findings)
    values = {"result": entry.found} if entry.found else {}
    return FileJudged(f"{file} : {entry.item}", "form", "", verdict, values, (entry.item,), findings)


def _file(output: Output, asked: order.Order, library: Library) -> FileJudged:
    reading = output.reading
    if reading is None:
        named = tool_named(output.file.partition("#")[0])
        return FileJudged(
            output.file, "", "", "inconclusive", {}, (), (), output.problem or "unknown_tool", named=named
        )
    try:
        enrich(reading, asked, library)
        outcome = base().run(_facts(reading, asked, library))
        findings = _findings(outcome, library)
    except HkgpuError as error:
        return FileJudged(
            output.file, reading.tool, reading.version, "inconclusive", reading.values, (), (), str(error)
        )
    entry = _tools(library).get(reading.tool, {})
    items = entry.get("items", ())
    verdict = _worst(finding.judgement for finding in findings)
    decides = (*entry.get("decides", items), None)
    if verdict == "pass" and not any(finding.item in decides for finding in findings):
        # What was read beside the point is in order; what the output is for was not seen.
        verdict = "inconclusive"
    problem = "" if findings else "no_limit"
    # An output speaks of the items that a rule named; of its first one where none did.
    said = tuple(dict.fromkeys(one.item for one in findings if one.item)) or tuple(items[:1])
    return FileJudged(output.file, reading.tool, reading.version, verdict, reading.values, said, findings, problem)


def enrich(reading: Reading, asked: order.Order, library: Library) -> None:
    """Add what the card, the catalogue of faults, the network and the order imply."""
    cards.compare(reading, library)
    faults.classify(reading, library)
    order.measure_up(reading, asked, library)
    if reading.hosts:
        backbones: Any = library.words.require("backbones").entries
        reading.show(line=line_of(reading.hosts, backbones["prefixes"], backbones["numbers"]))


def _facts(reading: Reading, asked: order.Order, library: Library) -> Facts:
    every: dict[str, Value] = {f"read.{key}": value for key, value in reading.facts.items()}
    every |= {"read.tool": reading.tool, "read.complete": reading.complete, "read.ran": reading.ran}
    every["read.contradictory"] = reading.contradictory
    facts = {key: Fact(key, value, "known") for key, value in every.items() if key in library.readings}
    facts |= {key: Fact(key, value, "said") for key, value in asked.facts.items() if key in base().reads}
    return Facts(facts)


def _findings(outcome: Outcome, library: Library) -> tuple[Finding, ...]:
    said = {advice.rule: advice for advice in outcome.advice}
    checks = {check.rule: check.item for check in outcome.checks}
    found = []
    for ruling in outcome.rulings:
        advice = said[ruling.rule]
        figure, limit, source = _deciding(ruling.rule, advice.values, outcome.facts, library)
        sources = (source,) if source == ORDER else (source, *ruling.because) if source else ruling.because
        found.append(
            Finding(
                ruling.rule,
                OF_RULING[ruling.verdict],
                checks.get(ruling.rule),
                advice.say,
                advice.values,
                figure,
                limit,
                tuple(dict.fromkeys(sources)),
            )
        )
    return tuple(sorted(found, key=lambda one: (WORST_FIRST.index(one.judgement), one.rule)))


def _deciding(
    rule: str, values: Mapping[str, Value], facts: Facts, library: Library
) -> tuple[Value | None, Value | None, str]:
    """The figure that a rule compared, its limit, and where the limit comes from."""
    from advisor.rules.language import FactRef, HeuristicRef

    conditions = base().rules[rule].spec.conditions
    for condition in conditions:
        if condition.word not in _AMOUNTS:
            continue
        right = condition.right
        if isinstance(right, HeuristicRef):
            record = library.heuristic_record(right.heuristic)
            return facts.value(condition.fact), record.quantity, record.accepted.source
        if isinstance(right, FactRef):
            ordered = ORDER if not right.fact.startswith("read.") else ""
            return facts.value(condition.fact), facts.value(right.fact), ordered
        return facts.value(condition.fact), right if not isinstance(right, tuple) else None, ""
    last = conditions[-1]
    return facts.value(last.fact), None, ""


def _worst(judgements: Iterable[Judgement]) -> Judgement:
    """The merged verdict; nothing said is no evidence, and no evidence is inconclusive."""
    return min(judgements, key=WORST_FIRST.index, default="inconclusive")


def _items(files: Sequence[FileJudged], library: Library, ordered: bool) -> Iterator[ItemJudged]:
    tools = _tools(library)
    said = sorted({item for file in files for item in file.items}, key=list(library.items).index)
    for item in said:
        about = [file for file in files if item in file.items]
        # A form with nothing on it gives way to what a command has shown.
        outputs = [file for file in about if file.tool != "form"]
        about = [file for file in about if file in outputs or file.judgement == "fail"] if outputs else about
        findings = [one for file in about for one in file.findings if one.item == item]
        general = [one for file in about for one in file.findings if one.item is None and one.judgement != "pass"]
        decided = min((*findings, *general), key=_rank, default=None)
        needs = all(tools.get(file.tool, {}).get("needs_order") for file in about)
        nothing: Judgement = "does not apply" if needs and not ordered else "inconclusive"
        names = tuple(file.file for file in about)
        yield ItemJudged(item, decided.judgement if decided else nothing, decided, names)


def _rank(finding: Finding) -> tuple[int, bool]:
    """The worst first; among equals what the order says, since that is what was bought."""
    return WORST_FIRST.index(finding.judgement), not finding.rule.startswith("judging.order.")


def _tools(library: Library) -> Mapping[str, Any]:
    entries: Any = library.words.require("acceptance_tools").entries
    return dict(entries)


def render(delivery: Delivery, format: str, lang: str) -> str:
    """The delivery as text, Markdown or JSON."""
    from advisor.report import judged

    return judged.render(delivery, open_library(), format, lang)


def message(delivery: Delivery) -> dict[str, str]:
    """What to write to the vendor, in English and in Chinese; empty where nothing failed."""
    from advisor.report import judged

    return judged.message(delivery, open_library())


def commands(
    plan: Mapping[str, Any] | None = None, lang: Lang = "en", *, site: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """What a delivery is accepted with, as path -> text; the paths are names of files in one folder.

    `server.sh`, `office.sh`, `source.sh`, `office.ps1`: the scripts for a site (fields of `commands.Site` by name; at
    least `target`). `form.md`: what a person looks at, of the plan's checklist where there is a plan. `order.yaml`:
    what `hkgpu judge --order` takes; only with a plan, which is the JSON of an answer, or `plan.json`.
    Raises `BadInput` for a value of the site that is no address, path or name.
    """
    from advisor.acceptance.commands import Site, scripts
    from advisor.report.form import render_form
    from advisor.report.wording import Wording

    library = open_library()
    given = {key: value for key, value in (site or {}).items() if value not in (None, "", ())}
    found = scripts(Site(**given), library)
    found["form.md"] = render_form(_by_hand(plan or {}, library), library, Wording(library, lang))
    if plan:
        slots = {key: value for key, value in order.flat(plan).items() if isinstance(value, str | int | float)}
        found["order.yaml"] = "".join(
            f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in slots.items()
        )
    return found


def _by_hand(plan: Mapping[str, Any], library: Library) -> Iterator[Item]:
    """The items that no output proves: those of the plan's checklist, or all."""
    asked = [str(one["id"]) for one in plan.get("checklist") or () if one.get("id") in library.items]
    recommended = plan.get("recommended") or {}
    card = find_card(str(recommended.get("gpu") or ""), library)
    vendor = card.vendor if card else "NVIDIA"
    work = {"inference": "serving", None: None}.get(recommended.get("method"), "training")
    measured = _measured(library, vendor)
    for key in asked or library.items:
        item = library.items[key].suited(vendor, work)
        if item is not None and key not in measured:
            yield item


def _measured(library: Library, vendor: str) -> frozenset[str]:
    """Items that outputs can prove on a maker's machine: not those whose own variant names a tool that nobody reads."""
    tools = _tools(library)
    own = {item for tool in _TOOLS_OF.get(vendor, ()) for item in tools[tool]["items"]}
    other = {key for key in library.items if any(one.vendor == vendor for one in library.items[key].variants)}
    return frozenset({item for entry in tools.values() for item in entry["items"]} - other | own)


def write_scripts(
    folder: Path, site: Mapping[str, Any], plan: Mapping[str, Any] | None = None, lang: Lang | None = None
) -> list[str]:
    """Write the scripts for a site into a folder; with a language or a plan the rest of `commands` too.

    Gives the names. Raises `BadInput`.
    """
    found = commands(plan, lang or "en", site=site)
    if plan is None and lang is None:
        found.pop("form.md")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in found.items():
            # PowerShell 5 takes a script without this mark for ANSI.
            path = folder / name
            path.write_text(text, encoding="utf-8-sig" if name.endswith(".ps1") else "utf-8", newline="\n")
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", where=str(folder)) from None
    return list(found)


def read_plan(text: str, where: str) -> Mapping[str, Any]:
    """The JSON of an answer or of a pack. Raises `BadInput` where it is none."""
    from advisor.knowledge.reader import read_text as read_yaml

    data = read_yaml(text, Path(where)).data
    if not isinstance(data, Mapping):
        raise BadInput("is no plan", where=where, expected="the JSON of an answer")
    return data


def tools() -> str:
    """The tools whose outputs can be judged, with the items they speak of and the values they may give."""
    rows = []
    for tool, entry in _tools(open_library()).items():
        rows += [tool, f"  items: {', '.join(entry['items'])}", f"  values: {', '.join(entry['values'])}"]
    return "\n".join(rows)
