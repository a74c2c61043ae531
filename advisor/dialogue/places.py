"""Where things are and how they are joined: places by role, lines, and the link of a card."""

from __future__ import annotations

import re

from advisor.dialogue.around import after, left, right, within, within_sentence
from advisor.dialogue.quantities import take
from advisor.dialogue.tokens import Message, Token

_ROLES = {
    "cue:data": "data_location",
    "cue:users": "user_location",
    "cue:sensitive": "data_location",
    "cue:server": "server_location",
    "cue:office": "user_location",
    "cue:company": "",
}
_TO = re.compile(r"(?:到|去|往|发到|传到|回到|\bto|towards|回传到|返)\s?(?:the )?$")
_FROM = re.compile(r"(?:从|由|喺|\bfrom)\s?(?:the )?$")
_LISTED = re.compile(r"\s?(?:[,，、&/+]|and|和|以及|同|及)+\s?(?:and )?")
_NETWORK = ("cue:loss", "cue:latency", "cue:transfer", "cue:bandwidth", "cue:daily")


def places(message: Message) -> None:
    """Fill data_location, user_location, server_location."""
    found: dict[str, list[str]] = {}
    last_role, last_clause, last_end = "", -1, 0
    for token in message.tokens:
        place = token.key("place")
        if place is None or token.dropped:
            continue
        role = _role(message, token, place)
        if role is None and (token.clause == last_clause or _LISTED.fullmatch(message.text, last_end, token.start)):
            role = last_role
        if role:
            found.setdefault(role, []).append(place)
        last_role, last_clause, last_end = role or "", token.clause, token.end
    if message.any("cue:stay"):
        found.setdefault("data_location", ["mainland_cn"])
    for slot, values in found.items():
        unique = [v for v in dict.fromkeys(values) if not any(other.startswith(v + "/") for other in values)]
        message.put(slot, unique[0] if len(unique) == 1 else unique)


def _role(message: Message, token: Token, place: str) -> str | None:
    head = message.text[: token.start]
    following = after(message, token, gap=1)
    if following is not None and place == "hk" and (following.key("line") or "cue:bandwidth" in following.tags):
        return ""
    if (
        place == "hk"
        and head.endswith(("放", "搬", "传", "拷", "搬到", "放到"))
        and not within(message, token, "cue:server")
    ):
        return ""
    if following is not None and following.kind == "card":
        return "server_location"
    if following is not None and not following.tags.isdisjoint(("cue:server", "cue:machine")):
        return "server_location"
    if following is not None and not following.tags.isdisjoint(("cue:office", "cue:users")) and place != "hk":
        return "user_location"
    if _TO.search(head):
        network = within_sentence(message, token, *_NETWORK) or within(message, token, "scope:observed")
        return "user_location" if place != "hk" and network and not within(message, token, "cue:company") else ""
    moved = "dataset_gb" in message.slots or "transfer_gb" in message.slots or message.any("cue:data")
    if _FROM.search(head) and within(message, token, "cue:transfer") and not within(message, token, "cue:users"):
        return "data_location"
    if _FROM.search(head) and moved and within(message, token, "cue:bandwidth"):
        return "data_location"
    role = _nearest(message, token)
    if role is not None:
        return role
    if _FROM.search(head):
        return "data_location" if message.any("cue:data") or "dataset_gb" in message.slots else "user_location"
    if within(message, token, "cue:fine_tune") and re.search(r"(?:在|喺|\bin) ?$", head):
        return "server_location"
    earlier = [t for t in message.tokens if t.clause == token.clause - 1 and t.sentence == token.sentence]
    roles = {role for t in earlier for tag, role in _ROLES.items() if tag in t.tags}
    if (
        len(roles) == 1
        and not roles & {"user_location", ""}
        and re.search(r"(?:放|存|摆|擺)?(?:在|喺|于) ?$|\b(?:in|at) $", head)
    ):
        return roles.pop()
    card = any(t.kind == "card" or t.unit in ("cards", "times") for t in message.tokens)
    if place == "hk" and re.search(r"(?:在|喺|\bin) ?$", head) and (card or within(message, token, "cue:rental")):
        return "server_location"
    return None


def _nearest(message: Message, token: Token) -> str | None:
    """The role of the nearest cue in the clause; a cue before the place wins over an equally near one after it."""
    best: tuple[int, str] | None = None
    for other in message.tokens:
        if other.clause != token.clause or other is token or other.dropped:
            continue
        role = next((role for tag, role in _ROLES.items() if tag in other.tags), None)
        if role is None:
            continue
        distance = token.start - other.end if other.end <= token.start else (other.start - token.end) * 2 + 1
        if best is None or distance < best[0]:
            best = (distance, role)
    return None if best is None else best[1]


def lines(message: Message) -> None:
    """Fill line_type."""
    keys = [key for token in message.tokens if not token.dropped and (key := token.key("line"))]
    unique = list(dict.fromkeys(keys))
    if len(unique) > 1 and unique[-1] in ("dedicated", "international", "bgp"):
        unique = unique[:-1] if unique[-1] != "bgp" else unique
    if unique:
        message.put("line_type", unique[0] if len(unique) == 1 else unique)


def links(message: Message) -> None:
    """Fill pcie_gen, pcie_width, failed_gpu_index."""
    for token in message.tokens:
        if token.kind != "number" or not token.free:
            continue
        if token.unit == "by" and (
            within(message, token, "form:PCIe", "cue:link_width") or left(message, token, "cue:gen")
        ):
            take(message, token, "pcie_width", int(token.value))
        elif token.unit == "" and not token.scale and left(message, token, "cue:gen", gap=1) and token.value < 10:
            take(message, token, "pcie_gen", int(token.value))
        elif token.unit == "" and not token.scale and _failed(message, token):
            take(message, token, "failed_gpu_index", int(token.value))


def _failed(message: Message, token: Token) -> bool:
    beside = left(message, token, "cue:card", gap=1)
    words = ("fail", "坏", "掉卡", "挂了", "broken", "error", "fell off", "报错")
    return beside is not None and any(word in message.text for word in words) and token.value == int(token.value)


__all__ = ["lines", "links", "places", "right"]
