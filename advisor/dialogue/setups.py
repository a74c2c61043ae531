"""Set-ups: pieces of hardware said one after the other, read as one machine or as alternatives.

A second, different value of the same thing, or a word such as "or", begins a new set-up; what a set-up does not say of
the same card it takes from the one before. Columns of alternatives stay paired.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from advisor.dialogue.tokens import Message, Token

SLOTS = {"card": "gpu_model", "count": "gpu_count", "memory": "gpu_mem_gb", "nodes": "nodes"}
_ALTERNATIVE = re.compile(r"/|、|\bor\b|\bvs\b|\bversus\b|或|还是|抑或|要么|定系")


@dataclass(slots=True)
class Atom:
    """One thing said of hardware."""

    kind: str
    value: object
    token: Token
    weak: bool = False


@dataclass(slots=True)
class Setup:
    """One set-up; `own` holds what it says itself, the rest is taken from the one before."""

    values: dict[str, object] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    start: int = 0
    end: int = 0


def without_weak(atoms: list[Atom]) -> list[Atom]:
    strong = any(atom.kind == "count" and not atom.weak for atom in atoms)
    return [atom for atom in atoms if not (atom.weak and strong)]


def setups_of(message: Message, atoms: list[Atom]) -> list[Setup]:
    setups: list[Setup] = []
    current: Setup | None = None
    for index, atom in enumerate(atoms):
        begins = current is None
        if current is not None:
            between = message.text[current.end : atom.token.start]
            clash = atom.kind in current.own and current.values[atom.kind] != atom.value
            other = (bool(_ALTERNATIVE.search(between)) or _either(message, current, atom)) and _is_alternative(
                message, current, atom, atoms[index:]
            )
            begins = clash or other or _goes_with_next(current, atom, atoms[index + 1 : index + 2])
        if begins:
            kept = {} if current is None else {k: v for k, v in current.values.items() if k in ("card", "memory")}
            current = Setup(kept, set(), atom.token.start)
            setups.append(current)
        assert current is not None
        if atom.kind == "card" and current.values.get("card") not in (None, atom.value) and "memory" not in current.own:
            current.values.pop("memory", None)
        current.values[atom.kind] = atom.value
        current.own.add(atom.kind)
        current.end = atom.token.end
    for setup in setups:
        if "memory" in setup.own or "card" not in setup.own:
            continue
    return setups


def _goes_with_next(current: Setup, atom: Atom, following: list[Atom]) -> bool:
    """`4090D 和 4090 … 租8张4090D`: a count that touches the next card is that card's."""
    if atom.kind not in ("count", "memory") or not following or following[0].kind != "card":
        return False
    touches = following[0].token.start - atom.token.end <= 1
    return touches and "card" in current.own and current.values["card"] != following[0].value


def _either(message: Message, current: Setup, atom: Atom) -> bool:
    """The Cantonese 定 between two set-ups; in 一定 or 决定 it is no token of its own."""
    return any(t.text == "定" and current.end <= t.start < atom.token.start for t in message.of("scope:alternative"))


def _is_alternative(message: Message, current: Setup, atom: Atom, rest: list[Atom]) -> bool:
    """An "or" between two pieces of hardware begins a set-up only if the next one names a card or a count again."""
    kinds = {other.kind for other in rest if other.token.clause == atom.token.clause}
    return (
        bool(current.own & {"card", "count", "nodes"}) and bool(kinds & {"card", "count"}) and bool(current.own & kinds)
    )


def chosen(message: Message, setups: list[Setup]) -> list[Setup]:
    """Without repetitions, without what a later plan or a second card replaces."""
    plans = [token for token in message.of("cue:plan") if not token.dropped]
    if plans and len(setups) > 1:
        planned = [s for s in setups if s.start >= plans[-1].end and "count" in s.own]
        if planned:
            setups = planned
    if len(setups) > 1 and setups[0].own == {"nodes"} and any("nodes" in s.own for s in setups[1:]):
        setups = setups[1:]
    if message.any("cue:second_card") and len(setups) > 1 and setups[0].values.get("count") == 1:
        first = setups.pop(0)
        for setup in setups:
            for key, value in first.values.items():
                setup.values.setdefault(key, value)
    seen: list[Setup] = []
    for setup in setups:
        repeats = [s for s in seen if all(s.values.get(k) == setup.values[k] for k in setup.own)]
        if not repeats:
            seen.append(setup)
    return _merged(seen)


def _merged(setups: list[Setup]) -> list[Setup]:
    """A set-up that only says memory or a count completes one that lacks just that."""
    if len(setups) == 2:
        one, two = setups
        named = [s for s in setups if "card" in s.values]
        if (
            len(named) == 1
            and named[0] is two
            and "card" not in one.own
            and not (one.own - {"memory"})
            and "memory" not in two.own
        ):
            two.values["memory"] = one.values["memory"]
            two.own.add("memory")
            return [two]
    cards = [s.values.get("card") for s in setups]
    known = [c for c in cards if c is not None]
    for setup in setups:
        if "card" not in setup.values and len(set(map(str, known))) == 1:
            setup.values["card"] = known[0]
    return setups


_EACH_AFTER = re.compile(
    r"^[^,，。;；.!?\n]{0,24}?(?:\b(?:per|in one|in a single|in each|in every|a|each) "
    r"(?:server|node|machine|box|host|chassis)|"
    r"/ ?(?:server|node)|一台(?:服务器|机器|机)?(?:里|上)|(?<!\d)一机(?!\d))"
)
_EACH_BEFORE = re.compile(
    r"(?:\b(?:each|one server|one node|one machine|one box|a single (?:server|node|machine)) "
    r"(?:with|of|has|having|holding|takes)|\bservers each with|每台(?:服务器|机器|机)?|每(?:个)?(?:节点|机器|机|部)|"
    r"单机|单台|单节点|各(?:有|带|配|插)?)[^,，。;；.!?\n]{0,8}$"
)


def _each(message: Message, setup: Setup) -> bool:
    """Whether the count is said to be that of one server: `16 H100 per server`, `每台16卡`."""
    counted = [t for t in message.tokens if t.used == "gpu_count" and setup.start <= t.start < max(setup.end, t.end)]
    return any(
        _EACH_AFTER.match(message.text[t.end :]) or _EACH_BEFORE.search(message.text[: t.start]) for t in counted
    )


def _share_out(message: Message, setups: list[Setup]) -> None:
    """`16 张（两台）`: more cards than one server takes are all of them together."""
    for setup in setups:
        nodes, cards = setup.values.get("nodes"), setup.values.get("count")
        each = _each(message, setup)
        if each and nodes is None and isinstance(cards, int) and cards > message.limit("most_cards_in_one_server"):
            setup.values["nodes"] = 1
        if each or not isinstance(nodes, int) or not isinstance(cards, int) or nodes < 2:
            continue
        if cards > message.limit("most_cards_in_one_server") and cards % nodes == 0:
            setup.values["count"] = cards // nodes
            message.put("gpu_count_total", cards)


def fill(message: Message, setups: list[Setup]) -> None:
    if not setups:
        return
    _share_out(message, setups)
    if any("nodes" in s.own for s in setups) and len(setups) > 1:
        for setup in setups:
            setup.values.setdefault("nodes", 1 if "count" in setup.own else None)
    for kind, slot in SLOTS.items():
        column = [setup.values.get(kind) for setup in setups]
        present = [value for value in column if value is not None]
        if not present:
            continue
        same = all(value == present[0] for value in present)
        whole = len(present) == len(column)
        if same and (whole or not _tied(setups, kind)):
            message.put(slot, present[0])
        else:
            message.put(slot, column)


def _tied(setups: list[Setup], kind: str) -> bool:
    """Whether a value said once belongs to its own set-up only: the cards differ."""
    cards = {str(s.values.get("card")) for s in setups}
    return len(cards) > 1 and kind in ("memory", "count")
