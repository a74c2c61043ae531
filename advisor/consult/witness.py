"""Who notices a spoiled rule that its own examples let pass: the scripted conversations in which that rule fired.

Nothing is played before somebody asks. Then all scripts are played once with the rules as they are, to learn which rule
fires where, and a mutant meets only those; the first that no longer holds is the witness.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from advisor.consult.scripted import fired, scripts, unmet, with_base
from advisor.knowledge.library import Library
from advisor.rules.language import Language, RuleSpec
from advisor.rules.mutants import Mutant
from advisor.rules.run import RuleBase


class Scripts:
    """The scripts of a folder as witnesses for the rules of a library."""

    def __init__(self, folder: Path, library: Library, specs: Sequence[RuleSpec], language: Language) -> None:
        self._scripts = scripts(folder)
        self._library, self._specs, self._language = library, specs, language

    @cached_property
    def by_rule(self) -> dict[str, list[str]]:
        """Rule -> the scripts in which it fires; those that do not hold as it is are no witnesses."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, script in self._scripts.items():
            if not unmet(script, self._library):
                for rule in fired(script, self._library):
                    found[rule].append(name)
        return found

    def __call__(self, mutant: Mutant) -> str:
        """The name of a script that no longer holds with the mutant in place of its rule, or an empty string."""
        names = self.by_rule.get(mutant.rule.id, ())
        if not names:
            return ""
        specs = [mutant.rule if spec.id == mutant.rule.id else spec for spec in self._specs]
        with RuleBase(specs, self._language) as base, with_base(self._library, base):
            return next((name for name in names if unmet(self._scripts[name], self._library)), "")
