"""How many cards stand in one server, where a message only says how many there are.

A number above what one server holds is a total, unless somebody says "per server": it is spread over equal servers, and
where that does not work out evenly the answer says what it counts. It fills nothing that was not said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.core.text import Text


def spread(count: int, most: int) -> tuple[int, int]:
    """Cards a server and servers for a total: full servers, half-full ones, or the fullest equal ones above half.

    What does not divide is left over. Counts up to `most` are one server.
    """
    if count <= most:
        return count, 1
    for size in (most, most // 2, *range(most - 1, most // 2, -1)):
        if count % size == 0:
            return size, count // size
    return most, count // most


def most_in_one_server(library: Any) -> int:
    """The cards of a full server."""
    return int(library.words["ranges"].entries["most_cards_in_one_server"])


def settled(slots: Mapping[str, Any], library: Any) -> tuple[dict[str, Any], list[Text]]:
    """Slots with totals spread over servers, and what there is to say of it; where servers are named, as they are."""
    most = most_in_one_server(library)
    out, notes = dict(slots), []
    count = out.get("gpu_count")
    if "nodes" in out:
        notes += [_crowded(one, most) for one in _whole(count) if one > most]
        return out, notes
    if isinstance(count, list) and any(one > most for one in _whole(count)) and len(_whole(count)) == len(count):
        pairs = [spread(one, most) for one in count]
        out["gpu_count"], out["nodes"] = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        notes += [_left_over(one, *pair) for one, pair in zip(count, pairs, strict=True) if _uneven(one, pair, most)]
    elif len(_whole(count)) == 1 and not isinstance(count, list) and _whole(count)[0] > most:
        total = _whole(count)[0]
        pair = spread(total, most)
        out["gpu_count"], out["nodes"] = pair
        if pair[0] * pair[1] == total:
            out.setdefault("gpu_count_total", total)
        if _uneven(total, pair, most):
            notes.append(_left_over(total, *pair))
    return out, notes


def _whole(count: object) -> list[int]:
    values = count if isinstance(count, list) else [count]
    return [
        int(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool) and one == int(one)
    ]


def _uneven(total: int, pair: tuple[int, int], most: int) -> bool:
    return total > most and (pair[0] != most or pair[0] * pair[1] != total)


def _left_over(total: int, each: int, servers: int) -> Text:
    rest = total - each * servers
    if not rest:
        return Text(
            f"{total} cards do not fill the largest servers: counted as {servers} servers of {each}. If they stand "
            "differently, say how many are in each server.",
            f"{total} 张卡装不满最大的服务器，按 {servers} 台 × {each} 张计算；如果不是这样摆，请说明每台几张。",
        )
    return Text(
        f"{total} cards cannot be spread over equal servers: counted as {servers} × {each} = {each * servers}, "
        f"and {rest} left over. Say how many stand in each server.",
        f"{total} 张卡没法平均分到几台服务器，按 {servers} 台 × {each} 张 = {each * servers} 张计算，"
        f"剩下 {rest} 张没用上；请说明每台几张。",
    )


def _crowded(count: int, most: int) -> Text:
    return Text(
        f"You say {count} cards in one server; most servers for such cards hold {most}. Have the vendor confirm the "
        f"model of the server, or count each as {' × '.join(map(str, reversed(spread(count, most))))}.",
        f"你说一台服务器里有 {count} 张卡；这类服务器一般最多装 {most} 张，请让供应商确认机型，"
        f"否则每台按 {' × '.join(map(str, reversed(spread(count, most))))} 来算。",
    )
