"""The rule base: built from a library, run on facts, reloaded, closed.

`build` refuses a base with any mistake in it, all of them named with file and line. One base lives in a process;
`reload` builds the new one beside the old, swaps, and only then gives the old one's memory back. `run` is a pure
function of the facts and is safe from threads.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Literal

from advisor.core.errors import BadData, BadInput, did_you_mean
from advisor.core.facts import Facts
from advisor.core.findings import Outcome
from advisor.knowledge.library import Library
from advisor.rules import load
from advisor.rules.check import check
from advisor.rules.compile import CompiledRule, compile_rule
from advisor.rules.engine import LOCK
from advisor.rules.examples import ExampleResult, RuleCoverage, cover, run_examples
from advisor.rules.explain import Speech, explain, graph
from advisor.rules.language import Language, Problem, RuleSpec
from advisor.rules.outcome import outcome
from advisor.rules.program import Program


class RuleBase:
    """A checked, compiled and live rule base; a context manager, since the engine keeps what is not given back."""

    def __init__(self, rules: Iterable[RuleSpec], language: Language) -> None:
        """From rules that are known to be right; `build` is for files."""
        self._load(list(rules), language)

    def _load(self, specs: list[RuleSpec], language: Language) -> None:
        compiled = {spec.id: compile_rule(spec, language) for spec in specs}
        program = Program((one for one in compiled.values() if one.spec.status != "retired"), language.facts)
        self.language: Language = language
        self.rules: Mapping[str, CompiledRule] = compiled
        self._program = program
        self._many = frozenset(key for key, spec in language.facts.items() if spec.many)

    @staticmethod
    def check(library: Library, kind: load.RuleKind = "rules") -> list[Problem]:
        """Everything that is wrong with the library's rules and facts; `build` raises where this is not empty."""
        return read(library, kind)[2]

    @classmethod
    def build(cls, library: Library, kind: load.RuleKind = "rules", *, checked: bool = False) -> RuleBase:
        """Read, check, compile. Raises `BadData`, one line a problem, each with file and line.

        `checked` says that exactly this data was found right before: then only its shape is read.
        """
        specs, language, problems = read(library, kind, checked=checked)
        refuse(problems)
        return cls(specs, language)

    def reload(self, library: Library) -> None:
        """The same base from the library as it is now; a wrong library leaves the old base running."""
        specs, language, problems = read(library)
        refuse(problems)
        self.renew(specs, language)

    def renew(self, specs: Iterable[RuleSpec], language: Language) -> None:
        """Build from other rules beside the old ones, swap, and give the old ones' memory back."""
        with LOCK:
            old = self._program
            self._load(list(specs), language)
            old.close()

    def run(self, facts: Facts) -> Outcome:
        """One run to the fixpoint. Raises `BadInput` for a fact that does not fit its file, `RuleConflict`."""
        with LOCK:  # a reload between choosing the program and running it would close it
            return outcome(self._program.run(facts), facts, self._many)

    @property
    def reads(self) -> frozenset[str]:
        """The facts that some rule reads: no other fact can change an outcome."""
        return frozenset(self._program.readers)

    def explain(self, rule: str, lang: Speech = "en") -> str:
        """The rule in words: when, then, sources, examples. Raises `BadInput` for an unknown rule."""
        return explain(self._rule(rule).spec, self.language, lang)

    def graph(self, form: Literal["mermaid", "dot"] = "mermaid") -> str:
        """Facts -> rules -> facts as text for Mermaid or Graphviz."""
        return graph(self.rules.values(), form)

    def test(self) -> list[ExampleResult]:
        """Every example of every rule, each rule alone."""
        return run_examples((rule.spec for rule in self.rules.values()), self.language)

    def coverage(self) -> list[RuleCoverage]:
        """Which branches and conditions the examples exercise, rule by rule."""
        return cover((rule.spec for rule in self.rules.values()), self.language)

    def _rule(self, key: str) -> CompiledRule:
        if key not in self.rules:
            raise BadInput(f'there is no rule "{key}"', do=did_you_mean(key, self.rules))
        return self.rules[key]

    @property
    def rulesets(self) -> int:
        """How many rulesets durable_rules' limits split the base into."""
        return len(self._program.network)

    def close(self) -> None:
        """Give the engine's memory back."""
        self._program.close()

    def close_with_last_use(self) -> None:
        """Give the engine's memory back once nobody holds this base any more. Not for one that is renewed in place."""
        weakref.finalize(self, self._program.close).atexit = False

    def __enter__(self) -> RuleBase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read(
    library: Library, kind: load.RuleKind = "rules", *, checked: bool = False
) -> tuple[list[RuleSpec], Language, list[Problem]]:
    """The library's rules of a kind and their language, and everything that is wrong with them."""
    with _collector_at_rest():
        language = load.language(library, kind)
        specs, problems = load.rules(library, kind)
        return specs, language, [*problems, *([] if checked else check(specs, language))]


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Reading makes many small things that all stay; the collector would walk through them again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def refuse(problems: list[Problem]) -> None:
    """Raise `BadData` with one line a problem, or return where there is none."""
    if len(problems) == 1:
        raise problems[0].error()
    if problems:
        raise BadData("\n".join(map(str, problems)))
