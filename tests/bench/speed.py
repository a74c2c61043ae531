"""`make bench`: how long the answer takes, as medians. It prints figures and judges nothing."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from advisor.consult import answer
from advisor.consult.consultation import consult
from advisor.knowledge.library import open_library
from tests.bench.planner import search
from tests.consult.desk import DAY, asked, base, billions, consulted, count, here

QUESTION = "can I fine-tune 70B here?"
COLD = [sys.executable, "-c", f"from bots.cli.main import main; main(['ask', {QUESTION!r}])"]


def median(job: Callable[[], object], times: int) -> float:
    """Milliseconds, the median of `times` runs."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        job()
        found.append(time.perf_counter() - began)
    return statistics.median(found) * 1000


def main() -> None:
    """Print the three figures with their budgets."""
    cold = median(lambda: subprocess.run(COLD, check=True, stdout=subprocess.DEVNULL), 7)
    print(f"hkgpu ask, cold: {cold:.0f} ms (budget 800)")
    answer.ask(QUESTION)
    print(f"a whole turn, warm: {median(lambda: answer.ask(QUESTION), 30):.1f} ms (budget 100)")
    stated = {"model.params": billions(70), "tuning.method": "qlora", "gpu.id": "a100_80gb_pcie", "gpu.count": count(1)}
    judged = consulted(stated).rows[0]
    facts = judged.outcome.facts
    given = type(facts)({key: fact for key, fact in facts.items() if fact.provenance != "concluded"})
    rules = base()
    print(f"one plan judged by {len(rules.rules)} rules: {median(lambda: rules.run(given), 200):.2f} ms (budget 4)")
    library, market = open_library(), here()
    print(f"the whole search of a bare 70B question: {median(lambda: search(library, market), 30):.1f} ms (budget 30)")
    whole = median(lambda: consult(asked(stated), DAY, library, rules, market), 50)
    print(f"a consultation with stated hardware: {whole:.1f} ms")


if __name__ == "__main__":
    main()
