"""The engine under load: a large base, several threads, many runs and reloads; all without leaks."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from advisor.core.facts import Facts
from advisor.core.findings import Outcome
from advisor.rules import RuleBase
from advisor.rules.language import Language
from tests.rules import generate

ROOT = Path(__file__).parents[2]
MIB = 2**20
LIMIT_MIB = 5
RULES, FACTS = 120, 80


@pytest.fixture
def language() -> Language:
    return Language(generate.facts(FACTS, random.Random(7)), {}, (), ())


@pytest.fixture
def rules(language: Language) -> list[object]:
    return generate.rules(RULES, language.facts, random.Random(8), calm=True)


def consultations(language: Language, count: int) -> list[Facts]:
    rng = random.Random(9)
    return [generate.given(language.facts, rng, concluded=0.0) for _ in range(count)]


def shape(outcome: Outcome) -> str:
    return repr((outcome.firings, outcome.verdict, sorted(outcome.facts)))


def test_a_base_of_1000_rules_and_600_facts_gives_the_twins_answer_within_a_minute() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/rules/big_base.py")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rules, facts, rulesets, firings = map(int, done.stdout.split())
    assert rules == 1000
    assert facts > 590
    assert rulesets > 1
    assert firings > 1000


def test_8_threads_with_200_consultations_each_give_the_answers_of_one(language: Language, rules: list[object]) -> None:
    asked = consultations(language, 200)
    with RuleBase(rules, language) as base:
        alone = [shape(base.run(facts)) for facts in asked]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda facts: shape(base.run(facts)), asked * 8))
    assert len(set(alone)) > 100
    assert answers == alone * 8


def test_2000_runs_and_200_reloads_leave_memory_flat(language: Language, rules: list[object]) -> None:
    asked = consultations(language, 50)
    process = psutil.Process()

    def work(base: RuleBase, runs: int, reloads: int) -> None:
        for index in range(runs):
            base.run(asked[index % len(asked)])
        for _ in range(reloads):
            base.renew(rules, language)
            base.run(asked[0])

    with RuleBase(rules, language) as base:
        work(base, 200, 40)
        grown = []
        # A leak grows with every round; the heap of a process that ran thousands of tests may grow once.
        while len(grown) < 2 and (not grown or grown[-1] >= LIMIT_MIB * MIB):
            before = process.memory_info().rss
            work(base, 2000, 200)
            grown.append(process.memory_info().rss - before)
    assert min(grown) < LIMIT_MIB * MIB


def test_the_engine_starts_no_threads(language: Language, rules: list[object]) -> None:
    before = threading.active_count()
    with RuleBase(rules, language) as base:
        base.run(consultations(language, 1)[0])
        assert threading.active_count() == before
