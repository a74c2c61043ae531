"""A compiled base that can be run: facts in, firings out, to a common fixpoint of all its rulesets.

The engine only matches. What a firing concludes is collected here, checked for conflicts, and asserted fact by fact
until nothing new follows; then the phase fact opens the rules about gaps. A fact that nobody reads never reaches the
engine and is kept for the explanation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.core.errors import BadInput, RuleConflict, did_you_mean
from advisor.core.facts import Facts, Value
from advisor.rules.compile import GAPS, PHASE, Branch, CompiledRule, definition, partition
from advisor.rules.engine import LOCK, Network, Session
from advisor.rules.language import Atom, FactRef, FactSpec
from advisor.rules.values import atoms, plain

_GIVEN = ""


@dataclass(slots=True)
class RawFiring:
    """One firing as it came: the rule, the branches that held, the facts bound and the values concluded."""

    rule: CompiledRule
    branches: set[str]
    facts: dict[str, Value]
    concluded: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Told:
    """A value that was told to the engine under the id of its place in the table."""

    fact: str
    value: Value
    atom: Atom


@dataclass(slots=True)
class Run:
    """The state of one run; `concluded` maps a fact to its values and to the rules that concluded each."""

    table: list[Told] = field(default_factory=list)
    known: dict[str, dict[Atom, str]] = field(default_factory=dict)
    firings: dict[tuple[Any, ...], RawFiring] = field(default_factory=dict)
    pending: deque[int] = field(default_factory=deque)
    concluded: dict[str, dict[Atom, tuple[Value, list[str]]]] = field(default_factory=dict)


class Program:
    """Compiled rules, live in the engine until `close`."""

    def __init__(self, rules: Iterable[CompiledRule], facts: Mapping[str, FactSpec]) -> None:
        self.facts = facts
        self.rules = {rule.spec.id: rule for rule in rules}
        rulesets = partition(self.rules.values())
        every = [(rule, branch) for rule in self.rules.values() for branch in rule.branches]
        labels = {branch.name: f"b{number}" for number, (_, branch) in enumerate(every)}
        self._branches: dict[str, tuple[CompiledRule, Branch]] = {labels[one[1].name]: one for one in every}
        self._concludes = {
            rule.spec.id: [self._prepared(*one) for one in rule.concludes] for rule in self.rules.values()
        }
        self._readers: dict[str, tuple[int, ...]] = {}
        self._gaps: list[int] = []
        for index, ruleset in enumerate(rulesets):
            for branch in ruleset.branches:
                for fact in (*(slot.fact for slot in branch.slots), *branch.absent):
                    if index not in self._readers.get(fact, ()):
                        self._readers[fact] = (*self._readers.get(fact, ()), index)
            if any(branch.phase == GAPS for branch in ruleset.branches):
                self._gaps.append(index)
        texts = [
            {labels[branch.name]: definition(branch, labels[branch.name]) for branch in ruleset.branches}
            for ruleset in rulesets
        ]
        self._current: Run | None = None
        self.network = Network(texts, self._fired)

    def _prepared(
        self, fact: str, value: Value | FactRef
    ) -> tuple[str, Value | FactRef, tuple[tuple[Value, Atom], ...]]:
        return fact, value, () if isinstance(value, FactRef) else atoms(self.facts[fact], value)

    @property
    def readers(self) -> Mapping[str, Sequence[int]]:
        """Fact -> the rulesets that read it."""
        return self._readers

    def close(self) -> None:
        """Give the engine's memory back; a closed program cannot run."""
        self.network.close()

    def run(self, facts: Facts) -> Run:
        """Run to the fixpoint. Raises `BadInput` for a fact that does not fit, `RuleConflict`, `EngineFailure`."""
        with LOCK, self.network.session() as session:
            run = self._current = Run()
            try:
                self._give(session, run, facts)
                self._settle(session, run)
                for index in self._gaps:
                    session.tell(index, [f'{{"id":"p","sid":"{session.sid}","fact":"{PHASE}","value":"{GAPS}"}}'])
                self._settle(session, run)
            finally:
                self._current = None
        return run

    def _give(self, session: Session, run: Run, facts: Facts) -> None:
        told: list[list[str]] = [[] for _ in range(len(self.network))]
        for key, fact in facts.items():
            spec = self.facts.get(key)
            if spec is None:
                raise BadInput(f'there is no fact "{key}"', where=key, do=did_you_mean(key, self.facts))
            pairs = atoms(spec, fact.value)
            run.known[key] = {one: _GIVEN for _, one in pairs}
            readers = self._readers.get(key, ())
            if not readers:
                continue
            texts = [self._text(run, session, Told(key, *pair)) for pair in pairs]
            if not pairs:
                texts = [f'{{"id":"a{len(run.known)}","sid":"{session.sid}","fact":"{key}"}}']
            for index in readers:
                told[index] += texts
        for index, texts in enumerate(told):
            if texts:
                session.tell(index, texts)

    def _settle(self, session: Session, run: Run) -> None:
        while run.pending:
            number = run.pending.popleft()
            entry = run.table[number]
            for index in self._readers.get(entry.fact, ()):
                session.tell(index, [self._message(session, number, entry)])

    def _text(self, run: Run, session: Session, entry: Told) -> str:
        run.table.append(entry)
        return self._message(session, len(run.table) - 1, entry)

    @staticmethod
    def _message(session: Session, number: int, entry: Told) -> str:
        value = f'"{entry.atom}"' if isinstance(entry.atom, str) else plain(entry.atom)
        return f'{{"id":"{number}","sid":"{session.sid}","fact":"{entry.fact}","value":{value}}}'

    def _fired(self, label: str, messages: Mapping[str, Any]) -> None:
        run = self._current
        assert run is not None
        rule, branch = self._branches[label]
        told = [run.table[int(message["id"])] for message in messages.values() if message["fact"] != PHASE]
        bound = {entry.fact: entry.value for entry in told}
        by_fact = {entry.fact: entry.atom for entry in told}
        key = (rule.spec.id, *(by_fact[fact] for fact in rule.common))
        firing = run.firings.get(key)
        if firing is not None:
            firing.branches.add(branch.name)
            firing.facts = {**bound, **firing.facts}
            return
        firing = run.firings[key] = RawFiring(rule, {branch.name}, bound, {})
        for fact, value, pairs in self._concludes[rule.spec.id]:
            if isinstance(value, FactRef):
                firing.concluded[fact] = bound[value.fact]
                self._conclude(run, rule.spec.id, fact, bound[value.fact], by_fact[value.fact])
            else:
                firing.concluded[fact] = value
                for pair in pairs:
                    self._conclude(run, rule.spec.id, fact, *pair)

    def _conclude(self, run: Run, rule: str, fact: str, value: Value, atom: Atom) -> None:
        values = run.known.setdefault(fact, {})
        if atom in values:
            if values[atom]:
                run.concluded[fact][atom][1].append(rule)
            return
        if values and not self.facts[fact].many:
            before, other = next(iter(values.items()))
            raise RuleConflict(
                f"{rule} concludes {atom} for {fact}, "
                + (f"{other} concludes {before}" if other else f"which was given as {before}"),
                where=str(self.rules[rule].spec.where),
                do="narrow one of the rules, or declare the fact `many: true`",
            )
        values[atom] = rule
        run.concluded.setdefault(fact, {})[atom] = (value, [rule])
        run.table.append(Told(fact, value, atom))
        run.pending.append(len(run.table) - 1)
