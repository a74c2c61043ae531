"""From slots to facts: one set of answers for each alternative named, and the contradictions in what was said.

The facts' own files say which slot fills them and how its values are named. A value that fits no fact is left unknown;
two statements that cannot both hold are named in `problems`, never resolved in silence.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.core.errors import BadInput, did_you_mean
from advisor.core.facts import Fact, Facts, Value
from advisor.core.text import Text
from advisor.core.units import Quantity
from advisor.dialogue import closed
from advisor.dialogue.cards import cards_of, resolve_card
from advisor.dialogue.contradictions import contradictions
from advisor.dialogue.names import resolve_model
from advisor.dialogue.servers import settled
from advisor.dialogue.understand import Understanding
from advisor.estimate.memory.frameworks import named as resolve_framework

_HARDWARE = ("gpu_model", "gpu_count", "gpu_mem_gb", "nodes")
_JOB = ("model", "params_b", "active_params_b")
_METHODS = ("qlora", "lora", "full_ft", "inference", "pretrain")
_STAGES = (
    "continued_pretrain",
    "dpo",
    "rlhf",
    "grpo",
    "ppo",
    "reward",
    "embedding",
    "rerank",
    "sft",
    "pretrain",
    "inference",
)
_REINFORCED = {"reward": "reward", "ppo": "ppo"}
# Of several values the one on the safe side; of batches the one that is said to work.
_SMALLEST = ("micro_batch",)
# A base that is stored quantised says so in its name: `-AWQ`, `-GPTQ-Int8`, `-Int4`.
_PACKED = re.compile(r"-(?:AWQ|GPTQ|(?:GPTQ-)?Int(?P<bits>[48]))\b")
_WHOLE = ("gpu_count", "gpu_count_total", "nodes", "micro_batch", "concurrency", "seq_len")
_NUMBER = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)*)\s*([A-Za-z%/]*)\s*")


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """One set of facts for each alternative (at least one), and the contradictions."""

    answers: tuple[Facts, ...]
    problems: tuple[Text, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    """The slots as they were read: totals of cards spread over servers."""


def answers_of(seen: Understanding, library: Any) -> AnswerSets:
    """The facts that an understood message states."""
    sets = _sets(dict(seen.slots), library)
    said = [
        Fact(key, _with_unit(key, value, library), "said")
        for key, value in seen.facts.items()
        if _allowed(key, value, library)
    ]
    return replace(sets, answers=tuple(Facts().plus(*said, *facts.values()) for facts in sets.answers))


def _with_unit(key: str, value: Any, library: Any) -> Value:
    """A figure as a quantity of its fact's unit; everything else as it is."""
    record = library.facts[key]
    figure: Value = value
    return Quantity(float(value), record.unit or "") if record.kind == "quantity" else figure


def _allowed(key: str, value: object, library: Any) -> bool:
    record = library.facts.get(key)
    if record is None or (record.kind == "boolean") != isinstance(value, bool):
        return False
    if record.kind in ("quantity", "number"):
        low, high = record.range or (float("-inf"), float("inf"))
        return isinstance(value, int | float) and low <= value <= high
    return record.kind != "choice" or value in record.choices


def answers_from(given: Mapping[str, object], library: Any) -> AnswerSets:
    """The same from a form: keys are slots or fact ids. Raises `BadInput` naming the key."""
    by_slot = {record.slot: record for record in library.facts.values() if record.slot}
    slots: dict[str, Any] = {}
    extra: list[Fact] = []
    seen: dict[str, str] = {}
    for key, value in given.items():
        if value is None:
            continue  # a form's empty field says nothing
        record = library.facts.get(key)
        _plainly(key, value, record or by_slot.get(key))
        _once(key, record or by_slot.get(key), seen)
        if record is not None and record.slot is None:
            extra.append(Fact(key, _strict(key, value, record, library), "said"))
        elif record is not None and record.kind == "ref" and str(value) in _shelf(record, library):
            extra.append(Fact(key, str(value), "said"))
        elif record is not None and key in ("tuning.method", "tuning.stage"):
            extra.append(Fact(key, _strict(key, value, record, library), "said"))
        elif record is not None:
            slots[record.slot] = _checked(key, value, record, library)
        elif key in by_slot:
            slots[key] = _checked(key, value, by_slot[key], library)
        else:
            known = [*by_slot, *(id_ for id_, each in library.facts.items() if each.set_by == "said")]
            raise BadInput(
                f'there is no fact "{key}"',
                expected="a slot or a fact id; see `hkgpu facts`",
                do=did_you_mean(key, known),
            )
    sets = _sets(slots, library)
    return replace(sets, answers=tuple(facts.plus(*extra) for facts in sets.answers))


def _plainly(key: str, value: object, record: Any) -> None:
    """Raise `BadInput` for what is no plain value of a fact: a mapping or a list inside one, no finite number."""
    if isinstance(value, Mapping):
        bounds = record is not None and record.kind in ("quantity", "number") and set(value) <= {"min", "max"}
        if not bounds or not value:
            found = ", ".join(map(str, value)) or "nothing"
            raise BadInput(f"{key} holds {found}", expected='one value, or for a number {"min": …, "max": …}')
    values = [*value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    for item in values:
        if not isinstance(item, str | int | float) or (isinstance(item, float) and not math.isfinite(item)):
            raise BadInput(f'{key} holds "{item}"', expected="plain values: text, numbers, true or false")
    if not values:
        raise BadInput(f"{key} holds nothing", expected="a value, or leave it out")


def _once(key: str, record: Any, given: dict[str, str]) -> None:
    """Raise `BadInput` where a fact is given by its slot and by its id: which of the two counts is not ours to say."""
    if record is None or record.slot in (None, "task"):
        return
    if record.slot in given:
        raise BadInput(f"{key} is given twice, as {given[record.slot]} too", expected="one of the two")
    given[record.slot] = key


def _sets(slots: dict[str, Any], library: Any) -> AnswerSets:
    slots, problems = settled(slots, library)
    read = dict(slots)
    _derive(slots, library)
    sets: list[Facts] = []
    for choice in _alternatives(slots, library):
        facts = [fact for slot, value in choice.items() for fact in _facts(slot, value, choice, library)]
        sets.append(Facts().plus(*facts))
        for problem in contradictions(choice, sets[-1], library):
            if problem not in problems:
                problems.append(problem)
    return AnswerSets(tuple(sets) or (Facts(),), tuple(problems), read)


def _derive(slots: dict[str, Any], library: Any) -> None:
    """What follows by rule: memory a card from a total, cards in all from too many for a server, bits from a name."""
    total, count = slots.get("gpu_mem_total_gb"), slots.get("gpu_count")
    most = library.facts["gpu.count"].range
    if isinstance(count, int | float) and most is not None and count > most[1] and "gpu_count_total" not in slots:
        slots["gpu_count_total"] = slots.pop("gpu_count")
    _needed(slots, library)
    packed = _PACKED.search(str(slots.get("model", "")))
    if packed and "quant_bits" not in slots:
        slots["quant_bits"] = int(packed["bits"] or 2 * 2)  # four where the name of the format stands alone
    if "gpu_mem_gb" not in slots and isinstance(total, int | float) and isinstance(count, int) and count > 0:
        slots["gpu_mem_gb"] = total / count


def _needed(slots: dict[str, Any], library: Any) -> None:
    """A speed for all, or for each user at once, as requests a second of the answer's length: what sizing reads."""
    whole, each, users = (slots.get(name) for name in ("total_tokens_per_s", "user_tokens_per_s", "concurrency"))
    if isinstance(each, int | float) and isinstance(users, int | float):
        whole = max(each * users, whole if isinstance(whole, int | float) else 0)
    length = slots.get("output_len", library.facts["serving.output_len"].default.value)
    if isinstance(whole, int | float) and isinstance(length, int | float) and length > 0 and "qps" not in slots:
        slots["qps"] = whole / length


def _alternatives(slots: Mapping[str, Any], library: Any) -> Iterator[dict[str, Any]]:
    """Every combination of the alternatives that were named together, at most as many as `most_alternatives`."""
    rest = {key: _single(key, value) for key, value in slots.items() if key not in (*_HARDWARE, *_JOB, "task")}
    hardware, jobs, tasks = _columns(slots, _HARDWARE), _columns(slots, _JOB), _tasks(slots)
    most = int(library.words["ranges"].entries["most_alternatives"])
    for one, two, three in itertools.islice(itertools.product(jobs, tasks, hardware), most):
        yield {**one, **two, **three, **rest}


def _columns(slots: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, Any]]:
    lists = [slots[name] for name in names if isinstance(slots.get(name), list)]
    spans = [name for name in names if isinstance(slots.get(name), Mapping) and name == "params_b"]
    if not lists and spans:
        span = slots[spans[0]]
        ends = [span[end] for end in ("min", "max") if end in span]
        return [
            {**{n: _single(n, slots[n]) for n in names if n in slots}, spans[0]: end} for end in dict.fromkeys(ends)
        ]
    length = max(map(len, lists), default=1)
    out = []
    for index in range(length):
        row = {}
        for name in names:
            value = slots.get(name)
            if isinstance(value, list):
                value = value[index] if index < len(value) else None
            if value is not None:
                row[name] = _single(name, value)
        out.append(row)
    return out


def _tasks(slots: Mapping[str, Any]) -> list[dict[str, Any]]:
    task = slots.get("task")
    named = [task] if isinstance(task, str) else list(task or [])
    methods = [method for method in _METHODS if method in named]
    if "qlora" in methods and "lora" in methods and slots.get("quant_bits") in (4, 8):
        methods.remove("lora")
    if len(methods) > 1 and "pretrain" in methods:
        methods.remove("pretrain")
    if methods == ["lora"] and slots.get("quant_bits") in (4, 8):
        methods = ["qlora"]
    stage = next((stage for stage in _STAGES if stage in named), None)
    base: dict[str, Any] = {"stage": stage} if stage else {}
    return [{**base, "method": method} for method in methods] or [base]


def _single(slot: str, value: Any) -> Any:
    """One value of a slot: of a list the one on the safe side, of bounds the one that was given."""
    if isinstance(value, Mapping):
        return value.get("max", value.get("min")) if slot not in _HARDWARE else value.get("min", value.get("max"))
    if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value):
        return min(value) if slot in _SMALLEST else max(value)
    return value


def _facts(slot: str, value: Any, choice: Mapping[str, Any], library: Any) -> Iterator[Fact]:
    if slot == "method":
        yield Fact("tuning.method", str(library.facts["tuning.method"].values.get(value, value)), "said")
        return
    if slot == "stage":
        yield Fact("tuning.stage", _stage(value, choice, library), "said")
        return
    if slot == "model" and closed.entry_of(value, library) is not None:
        yield Fact("model.closed", True, "said")
    record = next((each for each in library.facts.values() if each.slot == slot), None) or library.facts.get(slot)
    if record is None or value is None:
        return
    found = _value(record, slot, value, choice, library)
    if found is not None:
        yield Fact(record.id, found, "said")


def _stage(value: str, choice: Mapping[str, Any], library: Any) -> str:
    if value == "rlhf":
        algorithm = choice.get("rl_algo")
        return _REINFORCED.get(str(algorithm), "grpo" if algorithm else "ppo")
    return str(library.facts["tuning.stage"].values.get(value, value))


def _value(record: Any, slot: str, value: Any, choice: Mapping[str, Any], library: Any) -> Value | None:
    """A slot's value as the fact wants it, or None where it does not fit."""
    if record.kind == "ref":
        return _reference(record, value, choice, library)
    values = value if isinstance(value, list) else [value]
    fitting = [one for one in (_plain(record, item) for item in values) if one is not None]
    if not fitting:
        return None
    return tuple(fitting) if record.many and len(fitting) > 1 else fitting[0]


def _plain(record: Any, value: Any) -> bool | float | str | Quantity | None:
    if record.kind == "boolean":
        return value if isinstance(value, bool) else None
    if record.kind == "choice":
        return _choice(record, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if record.range is not None and not record.range[0] <= value <= record.range[1]:
        return None
    return Quantity(float(value), record.unit) if record.kind == "quantity" else float(value)


def _choice(record: Any, value: Any) -> str | None:
    for key in (str(value), str(value).split("/", 1)[0]):
        named = record.values.get(key, key)
        if named in record.choices:
            return str(named)
    return None


def _reference(record: Any, value: Any, choice: Mapping[str, Any], library: Any) -> Value | None:
    if record.ref == "gpus":
        memory = choice.get("gpu_mem_gb")
        ids = resolve_card(str(value), memory if isinstance(memory, int | float) else None, library)
        ids = ids or resolve_card(str(value), None, library)
        return None if not ids else ids[0] if len(ids) == 1 else tuple(ids)
    if record.ref == "models":
        size = choice.get("params_b")
        return resolve_model(str(value), float(size) if isinstance(size, int | float) else None, library)
    if record.ref == "frameworks":
        return resolve_framework(str(value), library)
    return str(value) if str(value) in _shelf(record, library) else None


def _shelf(record: Any, library: Any) -> Mapping[str, Any]:
    shelf: Mapping[str, Any] = getattr(library, record.ref)
    return shelf


def _checked(key: str, value: object, record: Any, library: Any) -> Any:
    """A form's value for a slot; text is read as a number where the fact is one."""
    if isinstance(value, list) and key == "task":
        return [word for item in value for word in _checked(key, item, record, library)]
    if isinstance(value, list):
        return [_checked(key, item, record, library) for item in value]
    if isinstance(value, Mapping):
        return {str(end): _checked(key, item, record, library) for end, item in value.items()}
    if record.kind in ("quantity", "number"):
        # More cards than a server takes are a total, which is spread over servers.
        return _numeric(key, value, record, library.facts["gpu.count_total"] if record.slot == "gpu_count" else record)
    if record.kind == "boolean":
        return _boolean(key, value)
    if record.kind == "ref" and record.ref == "gpus":
        return _known_card(key, str(value), library)
    if record.kind == "ref" and not isinstance(value, str):
        raise BadInput(f'{key} holds "{value}"', expected="a name")
    if record.kind == "ref" and record.ref == "frameworks":
        return str(value)  # one that we do not know is like one that nobody named
    if key == "task":
        return [_task(key, word.strip(), library) for word in str(value).split(",")]
    if record.kind == "choice" and _choice(record, value) is None:
        known = [*record.values, *record.choices]
        raise BadInput(f'"{value}" is no {key}', expected=", ".join(record.choices), do=did_you_mean(str(value), known))
    return value


def _task(key: str, word: str, library: Any) -> str:
    """One word of a task: a method, a stage, or an outsider's word for one."""
    records = [record for record in library.facts.values() if record.slot == "task"]
    known = list(dict.fromkeys(name for record in records for name in (*record.values, *record.choices)))
    if word not in known:
        raise BadInput(f'"{word}" is no {key}', expected=", ".join(known), do=did_you_mean(word, known))
    outside = {inside: outside for record in records for outside, inside in record.values.items()}
    return word if any(word in record.values for record in records) else str(outside.get(word, word))


def _numeric(key: str, value: object, record: Any, above: Any = None) -> float:
    """A number in the record's unit and range; `above` is the record whose range holds beyond the end of this one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        amount = float(value)
    else:
        found = _NUMBER.fullmatch(str(value))
        if not found:
            raise BadInput(f'"{value}" is no number for {key}', expected=f"a number in {record.unit or 'no unit'}")
        amount = float(found[1].replace(",", ""))
        if found[2] and record.unit and found[2] != record.unit:
            amount = Quantity(amount, found[2]).to(record.unit).value
    if record.slot in _WHOLE and amount != int(amount):
        raise BadInput(f"{key} is {amount:g}", expected="a whole number")
    if above is not None and record.range is not None and amount > record.range[1]:
        record = above
    if record.range is not None and not record.range[0] <= amount <= record.range[1]:
        low, high = record.range
        raise BadInput(f"{key} is {amount:g}", expected=f"{low:g} to {high:g} {record.unit or ''}".rstrip())
    return amount


def _boolean(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "false": False, "no": False}
    if str(value).lower() not in words:
        raise BadInput(f'"{value}" is no yes or no for {key}', expected="true or false")
    return words[str(value).lower()]


def _known_card(key: str, name: str, library: Any) -> str:
    if not resolve_card(name, None, library):
        names = [one for each in library.gpus.names().values() for one in each]
        raise BadInput(
            f'"{name}" is no card in the catalogue', where=key, expected="a card's name", do=did_you_mean(name, names)
        )
    exact = cards_of(library).exact(name)
    return library.gpus[exact[0]].name if len(exact) == 1 else name


def _strict(key: str, value: object, record: Any, library: Any) -> Value:
    if record.set_by != "said":
        raise BadInput(f"{key} is worked out, not said", expected="a fact that a person states")
    found = _plain(record, _checked(key, value, record, library)) if record.kind != "ref" else str(value)
    if found is None:
        raise BadInput(f'"{value}" does not fit {key}', expected=", ".join(record.choices or ()) or record.kind)
    return found
