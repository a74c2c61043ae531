"""What a later message takes back: a value named by the old one (`8万不是8千`), or a limit that no longer holds.

It looks only at what the conversation holds; a first message has nothing to take back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from advisor.dialogue.around import numbers
from advisor.dialogue.tokens import Message, tidy

_OFF = r"(?:不限|不管|不考虑|没有?限制|唔限|唔理|取消|去掉|冇限)"
_LIFTED = {
    ("budget_amount", "budget_currency", "budget_period"): re.compile(
        rf"(?:remove|forget|drop|ignore|lift) (?:the |my |our )?budget|no budget limit|"
        rf"budget (?:is )?(?:unlimited|no limit)|"
        rf"预算{_OFF}|{_OFF}预算"
    ),
    ("deadline_days",): re.compile(
        rf"(?:remove|forget|drop|ignore|lift) (?:the |my |our )?deadline|no deadline|"
        rf"(?:工期|期限|时间|deadline){_OFF}|{_OFF}(?:工期|期限|时间|deadline)"
    ),
}

# What stays as it was when only the number was wrong.
_WITH_IT = {"budget_amount": ("budget_currency", "budget_period")}


def lifted(message: Message, context: Mapping[str, Any]) -> bool:
    """Note the limits of the conversation that a message takes away; whether there were any."""
    found = False
    for slots, words in _LIFTED.items():
        if words.search(message.text) is None:
            continue
        for slot in slots:
            if slot in context and slot not in message.slots:
                message.notes.add(f"forget:{slot}")
                found = True
    return found


def replaced(message: Message, context: Mapping[str, Any]) -> None:
    """`我说的是8万不是8千`: a bare number takes the slot whose value in the conversation is the one denied."""
    denied = [t for t in message.tokens if t.kind == "number" and t.dropped == "negated"]
    bare = [
        t
        for t in numbers(message)
        if t.unit in ("", "money", "people", "pieces", "rows") and t.scale not in ("g", "b", "t")
    ]
    if len(denied) != 1 or len(bare) != 1:
        return
    old, new = denied[0].value, bare[0]
    slots = [slot for slot, value in context.items() if _is(value, old) and slot not in message.slots]
    if len(slots) == 1:
        new.used = slots[0]
        message.slots[slots[0]] = tidy(new.value)
        for slot in _WITH_IT.get(slots[0], ()):
            message.put(slot, context.get(slot))


def _is(value: object, number: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == number
