"""The desk of the rule base: check, test, coverage, mutate, explain, graph, a new rule, the list of facts.

It prints what the rules room finds. It writes one kind of file, the skeleton of a new rule, and refuses ids that are no
ids, so that nothing is ever written outside the folder.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from advisor.core.errors import BadData, BadInput, did_you_mean
from advisor.core.text import Lang
from advisor.knowledge.library import KINDS, Library, open_library
from advisor.knowledge.locate import data_roots
from advisor.knowledge.records.facts import FactRecord
from advisor.rules.check_base import distinct, remarks
from advisor.rules.examples import cover, run_examples
from advisor.rules.explain import explain as explain_rule
from advisor.rules.explain import graph as draw
from advisor.rules.language import Language, Problem, RuleSpec
from advisor.rules.load import RuleKind
from advisor.rules.review import past_review
from advisor.rules.run import RuleBase, read, refuse

# A fact's id between quotes, or its folder before the braces of an f-string.
_NAMED = re.compile(r"[\"'{]([a-z0-9_]+\.[a-z0-9_.]*)[\"'{}]")
# Scripted conversations of a checkout; an installed package has none.
SCRIPTS = "tests/scenarios"
_ID = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")


@dataclass(frozen=True, slots=True)
class Report:
    """Lines to print, and whether everything held."""

    text: str
    passed: bool


def library_with(folder: Path | None) -> Library:
    """The library in use, or the same with an overlay folder laid over it."""
    if folder is None:
        return open_library()
    if not folder.is_dir():
        raise BadInput("is no folder", where=str(folder), expected="a folder with rules/ or knowledge/")
    return Library([*data_roots(), folder])


def check(folder: Path | None = None) -> str:
    """Read and check everything. Raises `BadData` with one line a problem."""
    library = library_with(folder)
    bases = everything_checked(library)
    # The judging rules may name every fact that the others may.
    remarked = [f"remark: {one}" for one in _remarks([one for some, _ in bases for one in some], bases[-1][1], library)]
    different = sum(distinct(specs) for specs, _ in bases)
    specs, language = bases[0]
    counts = ", ".join(f"{len(library.shelf(kind))} {kind}" for kind in KINDS if kind not in ("rules", "facts"))
    lines = [
        *remarked,
        f"{different} rules are left if those that differ in a literal only count as one",
        f"{len(specs)} rules over {len(language.facts)} facts, {counts}: all right, data version {library.version}",
    ]
    return "\n".join(lines)


def everything_checked(library: Library) -> list[tuple[list[RuleSpec], Language]]:
    """Every file and rule of a library read and checked; the rules by kind. Raises `BadData`, a line a problem."""
    wrong = library.check_all()
    if wrong:
        raise BadData("\n".join(dict.fromkeys(map(str, wrong))))
    return _bases(library)


def _bases(library: Library) -> list[tuple[list[RuleSpec], Language]]:
    """The rules of advice, on deliveries and on offers, each with its language. Raises `BadData`."""
    kinds: tuple[RuleKind, ...] = ("rules", "judging", "quoting")
    found = [read(library, kind) for kind in kinds]
    refuse([problem for _, _, problems in found for problem in problems])
    return [(specs, language) for specs, language, _ in found]


def _remarks(specs: list[RuleSpec], language: Language, library: Library) -> list[Problem]:
    """What is no fault: facts that nobody sets or reads, and sources that somebody must look at again."""
    live = [spec for spec in specs if spec.status != "retired"]
    day = datetime.now(UTC).date()
    return [*remarks(live, language, named_in_python()), *past_review(live, library, day)]


def named_in_python() -> frozenset[str]:
    """The facts that the other rooms name, in full or as the folder of a name that they put together."""
    room = Path(__file__).resolve().parents[1]
    texts = (path.read_text("utf-8") for path in sorted(room.rglob("*.py")))
    return frozenset(name for text in texts for name in _NAMED.findall(text))


def examples(folder: Path | None = None) -> Report:
    """Run the examples that stand in the rules."""
    bases = _bases(library_with(folder))
    results = [result for specs, language in bases for result in run_examples(specs, language)]
    failed = [f"{result.where}: {result.rule}: {result.name}: {result.why}" for result in results if not result.passed]
    rules = sum(len(specs) for specs, _ in bases)
    lines = [*failed, f"{len(results) - len(failed)} of {len(results)} examples of {rules} rules hold"]
    return Report("\n".join(lines), not failed)


def coverage() -> Report:
    """Which rules, conditions and branches the examples exercise."""
    bases = _bases(open_library())
    found = [one for specs, language in bases for one in cover(specs, language)]
    untested = [line for one in found for line in one.untested]
    specs = [spec for some, _ in bases for spec in some]
    sums = {
        "rules": (sum(1 for spec in specs if spec.examples), len(specs)),
        "branches": (sum(one.held for one in found), sum(one.branches for one in found)),
        "conditions": (sum(one.seen_false for one in found), sum(one.conditions for one in found)),
    }
    lines = [f"{name}: {part} of {whole} ({100 * part / max(whole, 1):.1f} %)" for name, (part, whole) in sums.items()]
    return Report("\n".join([*untested, *lines]), not untested)


def mutation(folder: Path | None = None) -> Report:
    """Whether examples, then scripts, notice when a rule is spoiled; survivors with the facts that would have told."""
    from advisor.consult.witness import Scripts
    from advisor.rules.mutate import mutate, told

    library = library_with(folder)
    bases = _bases(library)
    scripted = Scripts(data_roots()[0] / SCRIPTS, library, *bases[0])
    # Only the rules of advice speak in conversations; the others have their examples alone.
    found = [(mutate(*base, witness=None if number else scripted), base[1]) for number, base in enumerate(bases)]
    survivors = [(one, language) for each, language in found for one in each.survivors]
    made, caught, counted = (sum(getattr(each, name) for each, _ in found) for name in ("made", "caught", "counted"))
    asked = library.heuristic("rules.mutants_caught")
    share = 100 * caught / max(counted, 1)
    lines = [f"{one.mutant.where}: {one.mutant.what}: {told(one.by, words)} would tell" for one, words in survivors]
    lines.append(
        f"{made} mutants of {sum(len(specs) for specs, _ in bases)} rules: {caught} caught, {len(survivors)} survived, "
        f"{made - counted} are no different and not counted"
    )
    by_scripts = sum(each.by_scenarios for each, _ in found)
    lines.append(f"caught by examples: {caught - by_scripts}, by scripted conversations: {by_scripts}")
    lines.append(f"caught: {share:.1f} % (at least {asked.value:g} % asked)")
    return Report("\n".join(lines), share >= asked.value)


def explain(id: str, lang: Lang) -> str:
    """A rule as readable sentences, with its sources and examples. Raises `BadInput` for an unknown id."""
    known = {spec.id: (spec, language) for specs, language in _bases(open_library()) for spec in specs}
    if id not in known:
        raise BadInput(f'there is no rule "{id}"', expected="an id of a rule", do=did_you_mean(id, known))
    text = explain_rule(*known[id], "en" if lang == "en" else "zh")
    if lang != "zh-Hant":
        return text
    from advisor.knowledge.hant import to_hant

    return to_hant(text, open_library())


def list_claims() -> list[dict[str, object]]:
    """What vendors' articles say: id, verdict, the sentence and what is said instead, with sources."""
    return [
        {
            "id": claim.id,
            "verdict": claim.verdict,
            "said": claim.said.en,
            "instead": claim.instead.en,
            "because": list(claim.because),
        }
        for _, claim in sorted(open_library().claims.items())
    ]


def documents() -> dict[str, str]:
    """The rules as Markdown pages: file name -> text."""
    from advisor.rules.pages import pages

    library = open_library()
    return pages(_bases(library), {key: library.sources[key].title for key in library.sources})


def write_documents(folder: Path) -> str:
    """Write the pages into a folder; pages of folders that are gone are removed. Returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    found = documents()
    for old in folder.glob("*.md"):
        if old.name not in found:
            old.unlink()
    for name, text in found.items():
        (folder / name).write_text(text, encoding="utf-8")
    return f"{len(found)} pages in {folder}"


def graph() -> str:
    """Which facts lead where, as a Mermaid diagram."""
    with RuleBase.build(open_library()) as base:
        return draw(base.rules.values())


def new(id: str) -> Path:
    """Write the skeleton of a rule into the overlay, else the checkout; returns its path."""
    if not _ID.fullmatch(id):
        raise BadInput(f'"{id}" is no rule id', expected="folder.name in small letters, digits and underscores")
    root = data_roots()[-1]
    if root.name == "_data":
        raise BadInput("the installed rules are not yours to change", do="set HKGPU_OVERLAY to a folder of your own")
    path = root / "rules" / Path(*id.split(".")).with_suffix(".yaml")
    if path.exists():
        raise BadInput("stands already", where=str(path), do="choose another id or edit that file")
    path.parent.mkdir(parents=True, exist_ok=True)
    today = datetime.now(UTC).date().isoformat()
    path.write_text(_SKELETON.format(id=id, today=today), encoding="utf-8")
    return path


_SKELETON = """\
id: {id}
status: trial
since: {today}
because: [general_knowledge]      # sources or claims: put the evidence here
when:
  all:                            # or any; words: is, not, in, gt, lt, at_least, at_most, known
    - {{fact: plan.method, is: lora}}
then:
  advise:
    level: note                   # note, warning or blocker; also: conclude, risk, check, verdict
    say:
      en: "Say what to do."
      zh: "写上该怎么做。"
examples:                         # one fires, one is silent, one stands on the border of each comparison
  - {{name: "fires on LoRA", given: {{plan.method: lora}}, fires: true}}
  - {{name: "silent on full fine-tuning", given: {{plan.method: full}}, fires: false}}
"""


def list_facts(format: str, lang: Lang) -> str:
    """Every fact with type, unit and choices, as text, Markdown or JSON."""
    library = open_library()
    records = [library.facts[key] for key in sorted(library.facts)]
    if format == "json":
        return json.dumps([_fact_json(record, lang) for record in records], ensure_ascii=False, indent=2)
    rows = [(_kind(record), record) for record in records]
    if format == "markdown":
        head = ["| fact | slot | type | meaning |", "|---|---|---|---|"]
        return "\n".join(head + [f"| `{r.id}` | {r.slot or ''} | {k} | {_name(r, lang)} |" for k, r in rows])
    return "\n".join(f"{r.id}{f' ({r.slot})' if r.slot else ''}: {k} - {_name(r, lang)}" for k, r in rows)


def _kind(record: FactRecord) -> str:
    many = "several of " if record.many else ""
    if record.choices:
        return f"{many}{', '.join(record.choices)}"
    if record.ref:
        return f"{many}an id of knowledge/{record.ref}"
    span = f" from {record.range[0]:g} to {record.range[1]:g}" if record.range else ""
    return f"{many}{record.kind}{f' in {record.unit}' if record.unit else ''}{span}"


def _name(record: FactRecord, lang: Lang) -> str:
    if lang == "zh-Hant":
        from advisor.knowledge.hant import to_hant

        return to_hant(record.name.zh, open_library())
    return record.name.text.in_lang(lang)


def _fact_json(record: FactRecord, lang: Lang) -> dict[str, object]:
    return {
        "fact": record.id,
        "slot": record.slot,
        "kind": record.kind,
        "unit": record.unit,
        "range": list(record.range) if record.range else None,
        "choices": list(record.choices) if record.choices else None,
        "many": record.many,
        "set_by": record.set_by,
        "name": _name(record, lang),
    }
