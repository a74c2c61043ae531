"""Where durable_rules 2.0.28 crashes, loops or overflows, the compiler splits the base or refuses by name.

Each test runs in a process of its own with a time limit, since the faults are in C: they would end the test run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAD = """
from dataclasses import replace
from advisor.core.facts import Fact, Facts
from advisor.rules import RuleBase
from advisor.rules.check import check_rule
from advisor.rules.language import Condition, FactRef, FactSpec, Language, RuleSpec

def spec(name, kind="number", **more):
    return FactSpec(id=name, kind=kind, where=f"{name}:1", **more)

def rule(name, *conditions, groups=()):
    return RuleSpec(name, "trial", "judge", (), tuple(Condition(*one, "x:1") for one in conditions),
                    tuple(tuple(Condition(*one, "x:1") for one in group) for group in groups),
                    (), None, None, (), None, (), f"{name}.yaml:1", lambda *_: f"{name}.yaml:1")

def run(rules, specs, **facts):
    language = Language({one.id: one for one in specs}, {}, (), ())
    with RuleBase(rules, language) as base:
        given = Facts({key: Fact(key, value, "said") for key, value in facts.items()})
        print(base.rulesets, len(base.run(given).firings))
"""


def printed(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(code)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ('run([rule(f"r{i}", ("x", "is", 1)) for i in range(600)], [spec("x")], x=1.0)', "3 600"),
        ('run([rule(f"r{i}", ("x", "gt", i)) for i in range(120)], [spec("x")], x=1000.0)', "3 120"),
        (
            'run([rule(f"r{i}", ("x", "in", ("a", "b"))) for i in range(150)],'
            ' [spec("x", "choice", choices=("a", "b", "c"))], x="b")',
            "4 150",
        ),
        (
            'run([rule(f"r{i}", (f"x{i}", "is", 1)) for i in range(600)], [spec(f"x{i}") for i in range(600)],'
            ' **{f"x{i}": 1.0 for i in range(600)})',
            "2 600",
        ),
        (
            'run([rule(f"r{i}", ("x", "gt", FactRef("y"))) for i in range(60)], [spec("x"), spec("y")], x=2.0, y=1.0)',
            "3 60",
        ),
    ],
    ids=["one condition in 600 rules", "120 true comparisons", "150 lists", "600 names", "60 joins"],
)
def test_above_a_limit_the_base_is_split_and_every_rule_still_fires(code: str, answer: str) -> None:
    assert printed(code) == answer


def test_the_last_join_of_a_slot_is_one_that_never_fails() -> None:
    # Where the last one is false, durable_rules reads behind the end of its list (seen as a crash, and by valgrind).
    code = """
    from advisor.rules.compile import compile_rule, definition
    language = Language({name: spec(name) for name in "xyz"}, {}, (), ())
    joined = rule("r", ("x", "gt", FactRef("y")), ("z", "lt", FactRef("y")), ("z", "is", FactRef("x")))
    for branch in compile_rule(joined, language).branches:
        for slot in definition(branch, "r")["all"]:
            last = list(slot.values())[0]["$and"][-1]
            assert "$neq" in last and "fact" in last["$neq"] or "$ex" in last, slot
    print("done")
    """
    assert printed(code) == "done"


def test_thousands_of_false_joins_in_fresh_rulesets_harm_nothing() -> None:
    code = """
    for i in range(1500):
        asked = ("x", "gt", FactRef("y")), ("x", "gt", FactRef("z"))
        rules = [rule(f"r{j}", *asked, ("w", "is", j)) for j in range(i % 4 + 1)]
        language = Language({name: spec(name) for name in "wxyz"}, {}, (), ())
        with RuleBase(rules, language) as base:
            for w in range(3):
                given = {"w": float(w), "x": 1.0, "y": float(w), "z": 2.0}
                assert not base.run(Facts({key: Fact(key, value, "said") for key, value in given.items()})).firings
    print("done")
    """
    assert printed(code) == "done"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            'specs = {f"x{i}": spec(f"x{i}") for i in range(20)}\n'
            'print(*check_rule(rule("r", *[(key, "is", 1) for key in specs]), Language(specs, {}, (), ())))',
            "r.yaml:1: names 20 facts; expected at most 14; split the rule",
        ),
        (
            'choices = tuple(f"c{i}" for i in range(90))\n'
            'specs = {"x": spec("x", "choice", choices=choices)}\n'
            'print(*check_rule(rule("r", ("x", "in", choices[:60])), Language(specs, {}, (), ())))',
            "lists more values of x than the engine can hold; expected fewer than 48 values",
        ),
    ],
    ids=["too many facts", "too long a list"],
)
def test_a_rule_too_large_for_the_engine_is_refused_by_name(code: str, message: str) -> None:
    assert message in printed(code)
