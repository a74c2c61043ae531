"""Rules -> what durable_rules is given: branches of slots, as JSON definitions, in as few rulesets as its limits allow.

A slot is everything that a rule asks of one fact, since the engine never fills two slots with one message. `any` is
split into branches, since the engine fires once a branch; the runner merges a rule's firings again by `common`, the
facts that every branch binds. Above the counts at which durable_rules crashes, loops or overflows, the base is split
into several rulesets that are run in turn; a single rule that is too large is refused by name.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from advisor.core.errors import BadData
from advisor.core.facts import Value
from advisor.core.text import placeholders
from advisor.rules.language import (
    FLIPPED,
    HEURISTIC,
    Atom,
    Condition,
    FactRef,
    FactSpec,
    HeuristicRef,
    Language,
    Right,
    RuleSpec,
)
from advisor.rules.values import atom, canonical, literal

# durable_rules 2.0.28 crashes at 256 rules that share a condition, loops for ever at 512 fact names, overflows its
# stack at 64 nodes true at once under one fact, and holds 16 messages a firing. We stop well before.
MAX_RULES_A_CONDITION: Final = 200
MAX_NAMES: Final = 400
MAX_COMPARISONS_A_FACT: Final = 50
MAX_SLOTS: Final = 14
MAX_BRANCHES: Final = 16
MAX_ACTIONS: Final = 2000

# The fact that starts the second phase; no id can be spelled like it.
PHASE: Final = "@phase"
GAPS: Final = "gaps"
_OPERATORS: Final = {"not": "$neq", "gt": "$gt", "lt": "$lt", "at_least": "$gte", "at_most": "$lte"}

Test = tuple[str, Atom]


@dataclass(frozen=True, slots=True)
class Join:
    """`this slot's value WORD the value of an earlier slot`."""

    word: str
    fact: str


@dataclass(frozen=True, slots=True)
class Slot:
    """All that a branch asks of one fact: values it may have, comparisons, comparisons with earlier slots."""

    fact: str
    allowed: frozenset[Atom] | None = None
    tests: tuple[Test, ...] = ()
    joins: tuple[Join, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """One way for a rule to hold: slots that bind facts, and facts that must be unknown (phase gaps only)."""

    name: str
    rule: str
    phase: str
    slots: tuple[Slot, ...]
    absent: tuple[str, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule with its branches and with every value that it concludes or shows made canonical."""

    spec: RuleSpec
    branches: tuple[Branch, ...]
    common: tuple[str, ...]
    concludes: tuple[tuple[str, Value | FactRef], ...]
    heuristics: Mapping[str, Value]


def right_value(language: Language, spec: FactSpec, right: Right) -> Value | FactRef:
    """A right side as a canonical value of the fact it is compared with; a fact reference stays one."""
    if isinstance(right, FactRef):
        return right
    if isinstance(right, HeuristicRef):
        return canonical(spec, language.heuristics[right.heuristic])
    if isinstance(right, tuple):
        return cast(Value, tuple(literal(spec, one) for one in right))
    return literal(spec, right)


def compile_rule(rule: RuleSpec, language: Language) -> CompiledRule:
    """A checked rule -> its branches. Raises `BadData` where it has too many branches or facts."""
    choices = list(itertools.product(*rule.groups))
    if len(choices) > MAX_BRANCHES:
        raise BadData(
            f"its `any` lists multiply to {len(choices)} branches", where=str(rule.where), do="split the rule"
        )
    branches = []
    for index, chosen in enumerate(choices):
        name = rule.id if len(choices) == 1 else f"{rule.id}#{index}"
        branches.append(_branch(name, rule, (*rule.all, *chosen), language))
    bound = [{slot.fact for slot in branch.slots} for branch in branches]
    common = tuple(slot.fact for slot in branches[0].slots if all(slot.fact in facts for facts in bound))
    concludes = tuple(
        (entry.fact, right_value(language, language.facts[entry.fact], entry.value)) for entry in rule.concludes
    )
    return CompiledRule(rule, tuple(branches), common, concludes, _shown_heuristics(rule, language))


def _shown_heuristics(rule: RuleSpec, language: Language) -> dict[str, Value]:
    names = {name for sentence in rule.sentences for name in placeholders(sentence.text.en)}
    return {name: language.heuristics[name.removeprefix(HEURISTIC)] for name in names if name.startswith(HEURISTIC)}


def _branch(name: str, rule: RuleSpec, conditions: Sequence[Condition], language: Language) -> Branch:
    drafts: dict[str, _Draft] = {}
    absent: list[str] = []
    crossed: list[tuple[str, str, str]] = []
    for condition in conditions:
        if condition.word == "known" and condition.right is False:
            absent.append(condition.fact)
            continue
        draft = drafts.setdefault(condition.fact, _Draft())
        if isinstance(condition.right, FactRef):
            drafts.setdefault(condition.right.fact, _Draft())
            crossed.append((condition.fact, condition.word, condition.right.fact))
        elif condition.word != "known":
            draft.add(condition.word, right_value(language, language.facts[condition.fact], condition.right))
    slots = _ordered(drafts, crossed)
    if len(slots) + len(absent) > MAX_SLOTS:
        raise BadData(
            f"names {len(slots) + len(absent)} facts",
            where=str(rule.where),
            expected=f"at most {MAX_SLOTS}",
            do="split it",
        )
    return Branch(name, rule.id, rule.phase, slots, tuple(dict.fromkeys(absent)), tuple(conditions))


@dataclass(slots=True)
class _Draft:
    """A slot being put together."""

    allowed: frozenset[Atom] | None = None
    tests: set[Test] = field(default_factory=set)

    def add(self, word: str, value: Value | FactRef) -> None:
        if word in ("is", "in"):
            several = value if isinstance(value, tuple) else (value,)
            atoms = frozenset(atom(one) for one in several)  # type: ignore[arg-type]
            self.allowed = atoms if self.allowed is None else self.allowed & atoms
        else:
            self.tests.add((word, atom(value)))  # type: ignore[arg-type]

    def settled(self) -> tuple[frozenset[Atom] | None, tuple[Test, ...]]:
        """Where the values are listed, the comparisons only shorten the list."""
        if self.allowed is None:
            return None, tuple(sorted(self.tests, key=repr))
        return frozenset(one for one in self.allowed if all(holds(one, *test) for test in self.tests)), ()


def holds(left: Atom, word: str, right: Atom) -> bool:
    """`left WORD right` for two atoms of one kind."""
    if word in ("is", "not"):
        return (left == right) is (word == "is")
    if isinstance(left, str) or isinstance(right, str):
        return False
    if word in ("gt", "lt"):
        return left > right if word == "gt" else left < right
    return left >= right if word == "at_least" else left <= right


def _ordered(drafts: Mapping[str, _Draft], crossed: Iterable[tuple[str, str, str]]) -> tuple[Slot, ...]:
    """Slots with the choosiest first (fewer partial matches in the engine); joins look back to earlier slots."""
    settled = {fact: draft.settled() for fact, draft in drafts.items()}

    def choosiness(fact: str) -> int:
        allowed, tests = settled[fact]
        return 0 if allowed is not None else 1 if tests else 2

    order = sorted(settled, key=choosiness)
    joins: dict[str, set[Join]] = {fact: set() for fact in order}
    for left, word, right in crossed:
        if order.index(left) > order.index(right):
            joins[left].add(Join(word, right))
        else:
            joins[right].add(Join(FLIPPED[word], left))
    return tuple(
        Slot(fact, *settled[fact], tuple(sorted(joins[fact], key=lambda join: (join.fact, join.word))))
        for fact in order
    )


def bound(rule: RuleSpec) -> set[str]:
    """The facts that are known whenever the rule fires."""
    found = named(rule.all)
    if rule.groups:
        found |= set().union(*(set.intersection(*map(_named_by, group)) for group in rule.groups if group))
    return found


def named(conditions: Iterable[Condition]) -> set[str]:
    """The facts that must be known for all of the conditions to hold."""
    return set().union(*map(_named_by, conditions))


def _named_by(condition: Condition) -> set[str]:
    if condition.word == "known" and condition.right is False:
        return set()
    return {condition.fact} | ({condition.right.fact} if isinstance(condition.right, FactRef) else set())


def definition(branch: Branch, label: str) -> dict[str, Any]:
    """A branch as durable_rules' JSON. `label` must be unique: slots that share a name confuse its comparisons."""
    slots: list[dict[str, Any]] = []
    if branch.phase == GAPS:
        slots.append({f"{label}_p": {"$and": [{"fact": PHASE}, {"value": GAPS}]}})
    names = {slot.fact: f"{label}_{index}" for index, slot in enumerate(branch.slots)}
    slots += [{names[slot.fact]: {"$and": _expressions(slot, names)}} for slot in branch.slots]
    slots += [{f"{label}_n{index}$not": {"fact": fact}} for index, fact in enumerate(branch.absent)]
    return {"all": slots}


def _expressions(slot: Slot, names: Mapping[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"fact": slot.fact}]
    found += [{_OPERATORS[word]: {"value": value}} for word, value in slot.tests]
    if slot.allowed is not None and len(slot.allowed) == 1:
        found.append({"value": next(iter(slot.allowed))})
    for join in slot.joins:
        right = {"value": {names[join.fact]: "value"}}
        found.append({"value": right["value"]} if join.word == "is" else {_OPERATORS[join.word]: right})
    if slot.joins:
        # When the last of a slot's joins is false, durable_rules reads on behind the end of its list until it crashes
        # or finds something that looks like an end. So the last one is always true: two slots never bear one name.
        found.append({"$neq": {"fact": {names[slot.joins[0].fact]: "fact"}}})
    if slot.allowed is not None and len(slot.allowed) > 1:
        # After the joins: durable_rules evaluates nothing that stands behind an `$or`.
        found.append({"$or": [{"value": one} for one in sorted(slot.allowed, key=repr)]})
    if len(found) == 1:
        # `known` asks for a value: a fact that does not apply is told without one.
        found.append({"$ex": {"value": 1}})
    return found


@dataclass(slots=True)
class Ruleset:
    """Branches that share one ruleset, with the counts that durable_rules cannot exceed."""

    branches: list[Branch] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    nodes: dict[str, set[str]] = field(default_factory=dict)
    sharing: Counter[str] = field(default_factory=Counter)

    def add(self, branch: Branch) -> bool:
        """Take the branch in, or say that it would go over a limit."""
        names = self.names | {slot.fact for slot in branch.slots} | set(branch.absent) | {PHASE}
        if len(names) > MAX_NAMES or len(self.branches) >= MAX_ACTIONS:
            return False
        nodes = {slot.fact: self.nodes.get(slot.fact, set()) | _nodes(slot, branch.name) for slot in branch.slots}
        if any(len(found) > MAX_COMPARISONS_A_FACT for found in nodes.values()):
            return False
        conditions = [*(_condition(slot) for slot in branch.slots), *branch.absent]
        conditions += [PHASE] if branch.phase == GAPS else []
        if any(self.sharing[condition] >= MAX_RULES_A_CONDITION for condition in conditions):
            return False
        self.sharing.update(conditions)
        self.names = names
        self.nodes.update(nodes)
        self.branches.append(branch)
        return True


def _condition(slot: Slot) -> str:
    return f"{slot.fact} {sorted(slot.allowed or (), key=repr)} {slot.tests}"


def _nodes(slot: Slot, branch: str) -> set[str]:
    """The engine's nodes below the fact's name; those that bear the branch's name are shared by none."""
    path, found = "", set()
    for test in slot.tests:
        path += f"{test} "
        found.add(path)
    if slot.allowed is not None and len(slot.allowed) == 1:
        path += f"{next(iter(slot.allowed))!r} "
        found.add(path)
    for join in slot.joins:
        path += f"{branch} {join} "
        found |= {path, f"{branch} last"}
    if slot.allowed is not None and len(slot.allowed) > 1:
        found |= {f"{path}{one!r} " for one in slot.allowed} | {f"{branch} or"}
    return found


def partition(rules: Iterable[CompiledRule]) -> list[Ruleset]:
    """The branches of all rules in as few rulesets as the limits allow; a branch too large for any is refused."""
    rulesets: list[Ruleset] = []
    for rule in rules:
        for branch in rule.branches:
            if any(ruleset.add(branch) for ruleset in rulesets):
                continue
            rulesets.append(Ruleset())
            if not rulesets[-1].add(branch):
                raise BadData(
                    f"the rule {rule.spec.id} makes more comparisons on one fact than the engine can hold",
                    where=str(rule.spec.where),
                    expected=f"at most {MAX_COMPARISONS_A_FACT}",
                    do="shorten its lists or split the rule",
                )
    return rulesets
