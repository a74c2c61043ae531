"""Scripted conversations: what people say one after the other, and what must hold after each message.

A script is YAML (`tests/scenarios`): an id, why, and turns with `say` and `expect`. `failures` judges one answer, a
line for each expectation that it does not meet; `_JUDGES` lists what can be expected. `replies` plays a script without
a store, with any rule base. Raises `BadData` for a file that is no list of scripts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from advisor.consult import answer, turns
from advisor.consult.again import Again
from advisor.consult.claims import claims_in
from advisor.consult.conversation import State, advanced, heard
from advisor.consult.turns import turn
from advisor.core.errors import BadData
from advisor.knowledge.library import Library
from advisor.knowledge.reader import read_file
from advisor.rules.run import RuleBase

Json = Mapping[str, Any]
# The day on which scripts are played: prices and offers age, and an expectation must not.
DAY = date(2026, 12, 1)


def scripts(folder: Path) -> dict[str, Json]:
    """The scripts of a folder, by `file.id`; empty where there is no such folder."""
    found: dict[str, Json] = {}
    for path in sorted(folder.glob("*.yaml")):
        document = read_file(path)
        if not isinstance(document.data, list):
            raise BadData("is no list of scripts", where=str(path))
        for script in document.data:
            found[f"{path.stem}.{script['id']}"] = script
    return found


def replies(script: Json, library: Library) -> Iterator[tuple[Json, Json]]:
    """Each turn of a script with the answer to it."""
    state = State()
    for each in script["turns"]:
        entry, seen = heard(each["say"], state, library)
        if seen.claims and entry["act"] == "said":
            entry["claims"] = claims_in(seen, each["say"], library, entry["lang"])
        reply = turn(state, entry, DAY, library, live=seen)
        entry["asked"] = reply["questions"][0]["fact"] if reply["questions"] else ""
        entry["open"] = [question["fact"] for question in reply["questions"]]
        state = advanced(state, entry)
        yield each, reply


def unmet(script: Json, library: Library) -> list[str]:
    """What the answers of a script lack, a line each."""
    return [line for each, reply in replies(script, library) for line in failures(reply, each.get("expect", {}))]


def fired(script: Json, library: Library) -> frozenset[str]:
    """The rules that fired in some answer of a script."""
    return frozenset(step["rule"] for _, reply in replies(script, library) for step in reply["explanation"])


@contextmanager
def with_base(library: Library, base: RuleBase) -> Iterator[None]:
    """The library with another rule base, for as long as this lasts; not for a service with threads."""
    standing, answers = answer.rules(library), turns._ANSWERS
    library.kept["rules"], turns._ANSWERS = base, Again()  # an equal question must be thought through anew
    try:
        yield
    finally:
        library.kept["rules"], turns._ANSWERS = standing, answers


def failures(reply: Json, expect: Json) -> list[str]:
    """What the answer lacks, a line each; empty where all is met."""
    unknown = set(expect) - set(_JUDGES)
    found = [f"unknown expectation: {key}" for key in sorted(unknown)]
    for key, wanted in expect.items():
        if key in _JUDGES:
            found += [f"{key}: {line}" for line in _JUDGES[key](reply, wanted)]
    return found


def _verdict(reply: Json, wanted: list[str]) -> Iterator[str]:
    if reply["verdict"] not in wanted:
        yield f"{reply['verdict']}, expected {' or '.join(wanted)} ({reply['summary'][:160]})"


def _by_method(reply: Json, wanted: Json) -> Iterator[str]:
    for method, each in wanted.items():
        rows = [row for row in reply["by_method"] if row["method"] == method]
        if not rows:
            yield f"no row for {method} (rows: {[row['method'] for row in reply['by_method']]})"
            continue
        tries = [list(_row(row, each)) for row in rows]
        if all(tries):
            yield f"{method}: {'; '.join(tries[0])}"


def _row(row: Json, wanted: Json) -> Iterator[str]:
    if "verdict_in" in wanted and row["verdict"] not in wanted["verdict_in"]:
        yield f"verdict {row['verdict']}, expected {wanted['verdict_in']} ({row['why'][:120]})"
    if "peak_gib_between" in wanted:
        low, high = wanted["peak_gib_between"]
        peak = row["peak_gib"]
        if peak is None or not low <= peak["likely"] <= high:
            yield f"peak {peak and peak['likely']} GiB on {row['gpu']}, expected {low} to {high}"
    for gpu, (low, high) in wanted.get("min_cards_of", {}).items():
        if row["gpu"] is not None and _card(row["gpu"]) == _card(gpu):
            cards = row["gpu_count"] * (row["nodes"] or 1)
            if not low <= cards <= high:
                yield f"{cards} x {gpu}, expected {low} to {high}"


def _card(name: object) -> str:
    return re.sub(r"nvidia|geforce|rtx|[\s_-]", "", str(name).lower())


def equal(found: Any, wanted: Any) -> bool:
    """Equal as the scenarios mean it: numbers within 2 %, lists as subsets, card names without brand and spaces."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return bool(found is wanted)
    if isinstance(wanted, int | float):
        if isinstance(found, list):
            return any(equal(each, wanted) for each in found)
        return isinstance(found, int | float) and abs(found - wanted) <= abs(wanted) * 0.02
    if isinstance(wanted, list):
        given = found if isinstance(found, list) else [found]
        return all(any(equal(one, each) for one in given) for each in wanted)
    if isinstance(found, list):
        return any(equal(each, wanted) for each in found)
    return _card(found) == _card(wanted)


def _understood(reply: Json, wanted: Json) -> Iterator[str]:
    for slot, value in wanted.items():
        found = reply["understood"].get(slot)
        if not equal(found, value):
            yield f"{slot} = {found!r}, expected {value!r}"


def _understood_not(reply: Json, wanted: Json) -> Iterator[str]:
    for slot, value in wanted.items():
        found = reply["understood"].get(slot)
        if found is not None and equal(found, value):
            yield f"{slot} = {found!r} must not be"


def _absent(reply: Json, wanted: list[str]) -> Iterator[str]:
    for slot in wanted:
        if slot in reply["understood"]:
            yield f"{slot} = {reply['understood'][slot]!r}, expected nothing"


def _recommended(reply: Json, wanted: Json) -> Iterator[str]:
    plan = reply["recommended"]
    if wanted.get("must_be_null") and plan is not None:
        yield "something is recommended"
    if wanted.get("required") and plan is None:
        yield "nothing is recommended"
    for key, value in wanted.items():
        if plan is not None and key not in ("must_be_null", "required") and not equal(plan.get(key), value):
            yield f"{key} = {plan.get(key)!r}, expected {value!r}"


def _texts(reply: Json, keys: tuple[str, ...]) -> list[str]:
    return [json.dumps(entry, ensure_ascii=False) for key in keys for entry in reply.get(key, [])]


def _any_of(texts: list[str], wanted: list[list[str]]) -> Iterator[str]:
    for group in wanted:
        if not any(re.search(pattern, text) for pattern in group for text in texts):
            yield f"nothing matches {' | '.join(group)}"


def _risks(reply: Json, wanted: list[list[str]]) -> Iterator[str]:
    yield from _any_of(_texts(reply, ("risks",)), wanted)


def _checklist(reply: Json, wanted: list[list[str]]) -> Iterator[str]:
    yield from _any_of(_texts(reply, ("checklist",)), wanted)


def _whole(reply: Json) -> str:
    return json.dumps(reply, ensure_ascii=False)


def _mentions(reply: Json, wanted: list[list[str]]) -> Iterator[str]:
    yield from _any_of([_whole(reply)], wanted)


def _says(reply: Json, wanted: list[list[str]]) -> Iterator[str]:
    own = [reply.get("message", ""), reply["summary"], *reply.get("choices", []), *reply["problems"]]
    yield from _any_of(own, wanted)


def _must_not(reply: Json, wanted: list[str]) -> Iterator[str]:
    for pattern in wanted:
        if (match := re.search(pattern, _whole(reply))) is not None:
            yield f"{pattern} matches {match[0]!r}"


def _asks(reply: Json, wanted: list[str]) -> Iterator[str]:
    asked = [question["fact"] for question in reply["questions"]]
    if not set(asked) & set(wanted):
        yield f"asks {asked}, expected one of {wanted}"


def _asks_not(reply: Json, wanted: list[str]) -> Iterator[str]:
    asked = {question["fact"] for question in reply["questions"]} & set(wanted)
    if asked:
        yield f"still asks {sorted(asked)}"


def _first(reply: Json, wanted: str) -> Iterator[str]:
    first = reply["questions"][0]["fact"] if reply["questions"] else None
    if first != wanted:
        yield f"asks {first}, expected {wanted}"


def _changes(reply: Json, wanted: list[str]) -> Iterator[str]:
    missing = set(wanted) - {change["what"] for change in reply["changes"]}
    if missing:
        yield f"{sorted(missing)} not among {[change['what'] for change in reply['changes']]}"


def _unchanged(reply: Json, wanted: list[str]) -> Iterator[str]:
    changed = set(wanted) & {change["what"] for change in reply["changes"]}
    if changed:
        yield f"{sorted(changed)} changed"


def _between(name: str, plan_key: str) -> Any:
    def judge(reply: Json, wanted: list[float]) -> Iterator[str]:
        found = reply["recommended"] and reply["recommended"].get(plan_key)
        if found and not wanted[0] <= found["likely"] <= wanted[1]:
            yield f"{name} {found['likely']}, expected {wanted[0]} to {wanted[1]}"

    return judge


def _same(key: str) -> Any:
    def judge(reply: Json, wanted: str) -> Iterator[str]:
        if reply.get(key) != wanted:
            yield f"{reply.get(key)!r}, expected {wanted!r}"

    return judge


_JUDGES: dict[str, Any] = {
    "verdict_in": _verdict, "by_method": _by_method, "understood": _understood, "understood_not": _understood_not,
    "absent": _absent, "recommended": _recommended, "risks_any": _risks, "checklist_any": _checklist,
    "mentions_any": _mentions, "must_not": _must_not, "asks_about_any": _asks, "asks_not": _asks_not,
    "first_asks": _first,
    "changes": _changes, "unchanged": _unchanged, "says_any": _says, "time_h_between": _between("time", "time_h"),
    "cost_between": _between("cost", "cost"), "act": _same("act"), "lang": _same("lang"),
}  # fmt: skip
