"""What to ask next: facts that are still unknown, the most important for this kind of question first.

The order stands in `knowledge/words/questions.yaml`; wording, reason and choices stand in the file of each fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.core.answer import Question
from advisor.core.facts import Facts
from advisor.core.text import Text
from advisor.dialogue.cards import cards_of

# The interview about idle cards: a question, what must be known before it, and what makes it needless.
_INTERVIEW = {
    "observed.disk_wait": ("operations.symptom", "operations.disk"),
    "observed.cpu_busy": ("operations.disk", "operations.cpu"),
    "observed.stack": ("operations.cpu", "observed.stack"),
    "observed.comm_wait": ("observed.stack", "observed.comm_wait"),
}
SYMPTOM, CAUSE, STARVED = "operations.symptom", "operations.cause", "starved"
YES, NO = Text("yes", "是"), Text("no", "否")


def missing(answers: Facts, conclusions: Facts, intent: str, library: Any) -> list[Question]:
    """The open questions for one set of answers, most important first.

    `answers` are said; `conclusions` are what the run knows besides (a default is still open, a conclusion is not).
    """
    if "model.closed" in answers or conclusions.value("gpu.known") is False:
        return []  # nothing is sized, whatever the answer
    orders = library.words["questions"].entries
    order = orders.get(intent, orders["other"])
    shown = any(key in conclusions for key in (SYMPTOM, CAUSE, "operations.disk", "operations.cpu"))
    if shown and "model.params" not in answers and "model.id" not in answers:
        order = [key for key in order if str(key) in _INTERVIEW]  # what runs badly need not be sized to be mended
    return [question_for(key, library) for key in order if _open(str(key), answers, conclusions, library)]


def question_for(fact: str, library: Any) -> Question:
    """The question for one fact, with its choices. Raises `KeyError` for a fact that has none."""
    record = library.facts[fact]
    if record.question is None:
        raise KeyError(fact)
    why = record.why.text if record.why else record.name.text
    return Question(fact, record.slot or fact, record.question.text, why, tuple(_choices(record, library)))


def _choices(record: Any, library: Any) -> Iterator[tuple[str, Text]]:
    if record.kind == "boolean":
        yield from (("true", YES), ("false", NO))
    elif record.kind == "choice":
        labels = library.words["choices"].entries
        for choice in record.choices:
            label = labels.get(f"{record.id}.{choice}") or labels.get(choice)
            yield choice, Text(label["en"], label["zh"]) if label else Text(str(choice), str(choice))


def _open(key: str, answers: Facts, conclusions: Facts, library: Any) -> bool:
    record = library.facts.get(key)
    if record is None or record.question is None or key in answers:
        return False
    known = conclusions.get(key)
    if known is not None and known.provenance not in ("default", "assumed"):
        return False
    if key in _INTERVIEW:
        before, after = _INTERVIEW[key]
        asks = conclusions.value(SYMPTOM) == STARVED and CAUSE not in conclusions
        return asks and before in conclusions and after not in conclusions
    return applies(key, answers, library)


def applies(key: str, answers: Facts, library: Any) -> bool:
    """Whether a question makes sense beside what was said."""
    if key == "observed.oom_at":
        return answers.value("observed.oom") is True and "observed.oom_in" not in answers
    if key == "model.params":
        return "model.id" not in answers and "model.closed" not in answers
    if key == "model.id":
        return "model.params" not in answers
    if key in ("budget.currency", "budget.period"):
        return "budget.amount" in answers
    if key == "gpu.memory":
        ids = answers.value("gpu.id")
        return isinstance(ids, tuple) and len(cards_of(library).sizes(str(id_) for id_ in ids)) > 1
    serving = answers.value("tuning.method") == "inference"
    if key.startswith("serving."):
        return serving or "tuning.method" not in answers
    if key in ("data.tokens", "data.rows", "data.epochs"):
        return not serving and not ("data.tokens" in answers or "data.rows" in answers)
    return True
