"""Numbers with a unit that says most of what they are: bytes, money, time, counts of rows, files and tokens.

Each number gets at most one role, from its unit and the words beside it. One that was measured, quoted or belongs to
nothing here is rejected with the reason; it never becomes a wish.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from advisor.dialogue.around import after, before, beside, bounded, left, numbers, right, within, within_sentence
from advisor.dialogue.tokens import Message, Token, tidy

_BYTES = {"GB": 1.0, "TB": 1e3, "PB": 1e6, "MB": 1e-3}
_RATES = {"GB/s": 8e3, "MB/s": 8.0, "KB/s": 8e-3}
_DAYS = {"hours": 1 / 24, "days": 1.0, "weeks": 7.0, "months": 30.0, "years": 365.0}
_PERIODS = {"months": "month", "days": "day", "hours": "hour", "years": "year"}
_PERIOD = re.compile(
    r"(?P<month>/\s?(?:月|mo\b|month|m\b)|每个?月|一个?月|per month|a month|monthly|包月|月租|按月|月预算|个月)|"
    r"(?P<hour>/\s?(?:小时|时|h\b|hr\b|hour)|每小时|per hour|an hour|hourly|每个钟|一个钟)|"
    r"(?P<day>/\s?(?:天|日|day|d\b)|每天|每日|per day|a day|daily|一天)|"
    r"(?P<year>/\s?(?:年|yr|year)|每年|per year|a year|yearly|annually|一年|年预算|包年)"
)
_SYMBOLS = (
    ("hk$", "HKD"),
    ("us$", "USD"),
    ("¥", "CNY"),
    ("rmb", "CNY"),
    ("hkd", "HKD"),
    ("usd", "USD"),
    ("cny", "CNY"),
    ("$", ""),
)


def gigabytes(token: Token) -> float | None:
    """The gigabytes a number measures, or None where it measures something else."""
    if token.unit in _BYTES:
        return token.value * _BYTES[token.unit]
    if token.unit == "" and token.scale == "g":
        return token.value / 1e9
    if token.unit == "" and token.scale == "t" and not token.spelled:
        return token.value / 1e9
    return None


def amount_of(token: Token, factor: float = 1.0) -> object:
    """A number, or a range as {"min","max"}."""
    if token.high is not None:
        return {"min": tidy(token.value * factor), "max": tidy(token.high * factor)}
    return tidy(token.value * factor)


def take(message: Message, token: Token, slot: str, value: object) -> None:
    """Give a number to a slot; a second different value makes a list."""
    token.used = slot
    known = message.slots.get(slot)
    if known is None:
        message.slots[slot] = value
    elif known != value:
        values = known if isinstance(known, list) else [known]
        if value not in values:
            message.slots[slot] = [*values, value]


def money(message: Message) -> None:
    """Budget: amount, currency where stated, period where stated."""
    for token in numbers(message):
        currency, sure = _currency(message, token)
        if not sure:
            continue
        if re.search(r"reasonable|合理|算贵|贵吗|贵不贵|overpriced|fair price|抵唔抵", message.text):
            token.used = "price"
            message.reject("budget_amount", amount_of(token), token, "quoted price")
            continue
        message.put("budget_amount", amount_of(token))
        token.used = "budget_amount"
        if currency:
            message.put("budget_currency", currency)
        period = _period(message, token)
        if period:
            message.put("budget_period", period)
        return


def _currency(message: Message, token: Token) -> tuple[str, bool]:
    head = message.text[max(0, token.start - len("hk$ ")) : token.start].replace(" ", "")
    for mark, name in _SYMBOLS:
        if head.endswith(mark):
            return name or _said_currency(message), True
    if token.unit in ("HKD", "CNY", "USD"):
        return token.unit, True
    if token.unit == "money":
        return _said_currency(message), True
    scaled = token.scale in ("万", "w", "k", "千", "百万", "十万", "亿")
    blocks = token.unit == "cards" and token.text.endswith("块") and (scaled or token.value >= 1e3)
    if blocks:
        return _said_currency(message), True
    following = message.text[token.end : token.end + len(" /月")].strip()
    if (
        token.unit == ""
        and scaled
        and re.match(r"/\s?(?:月|mo|小时|天|年|month)|每月|一个月|包月|per month", following + "    ")
    ):
        return _said_currency(message), True
    near = left(message, token, "cue:budget", gap=len("is about twelve at most")) is not None
    if (
        token.unit == ""
        and near
        and (scaled or token.value >= 1e3)
        and left(message, token, "cue:ctx", "cue:batch") is None
    ):
        return _said_currency(message), True
    return "", False


def _said_currency(message: Message) -> str:
    text = message.text
    for words, name in (
        (("hk$", "hkd", "港币", "港元", "港纸", "蚊"), "HKD"),
        (("人民币", "rmb", "cny", "¥"), "CNY"),
        (("us$", "usd", "美元", "美金", "美刀"), "USD"),
    ):
        if any(word in text for word in words):
            return name
    return ""


def _period(message: Message, token: Token) -> str:
    found = _PERIOD.search(message.text, token.end, token.end + len("人民币 per month   "))
    if found is None:
        head = message.text[max(0, token.start - len("一个月最多掏 budget is ")) : token.start]
        found = None
        for found in _PERIOD.finditer(head):
            pass
    if found is None:
        clause = [t for t in message.tokens if t.sentence == token.sentence]
        found = _PERIOD.search(message.text, clause[0].start, clause[-1].end) if "包月" in message.text else None
    if found is None:
        return ""
    for other in message.tokens:
        if (
            other.kind == "number"
            and other.start < found.end() + token.end
            and other.unit in _PERIODS
            and other.value == 1
            and other.free
        ):
            other.used = "budget_period"
    return found.lastgroup or ""


def rates(message: Message) -> None:
    """Line speed as ordered, or as measured; loss and utilisation are always measured."""
    last: Token | None = None
    for token in numbers(message):
        if token.unit in _RATES and within(message, token, "cue:measured_with"):
            token.used = "measured"
            message.reject("observed_throughput_mbps", amount_of(token, _RATES[token.unit]), token, "measured")
        elif token.unit in _RATES:
            take(message, token, "observed_throughput_mbps", amount_of(token, _RATES[token.unit]))
            last = token
        elif (mbps := _mbps(message, token)) is not None:
            measured = (
                within(message, token, "cue:loss", "scope:observed") or "observed_throughput_mbps" in message.slots
            )
            wished = beside(message, token, "cue:bandwidth", gap=len("的")) and not within(message, token, "cue:loss")
            slot = "observed_throughput_mbps" if measured and not wished else "bandwidth_mbps"
            take(message, token, slot, amount_of(token, mbps))
            last = token
        elif token.unit == "" and not token.scale and last is not None and token.sentence == last.sentence:
            if (
                left(message, token, "scope:observed", gap=1)
                and last.used == "observed_throughput_mbps"
                and last.unit not in _RATES
            ):
                take(message, token, "observed_throughput_mbps", amount_of(token, 1.0))
        elif token.unit == "percent":
            _share(message, token)


def _mbps(message: Message, token: Token) -> float | None:
    factors = {"Mbps": 1.0, "Gbps": 1e3, "Kbps": 1e-3}
    if token.unit in factors:
        return factors[token.unit]
    if token.unit or token.scale not in ("m", "g"):
        return None
    beside_line = beside(message, token, "cue:bandwidth", gap=len("写的是多少"))
    following = after(message, token, gap=1)
    line = following is not None and (following.key("line") is not None or "cue:bandwidth" in following.tags)
    if token.scale == "m" and (beside_line or line):
        return 1e-6
    if (
        token.scale == "g"
        and beside_line
        and not beside(message, token, "cue:data", "cue:disk", "cue:ram", "cue:vram", "cue:transfer")
    ):
        neighbours = (before(message, token), after(message, token))
        return None if any(n is not None and n.kind == "card" for n in neighbours) else 1e-6
    return None


def _share(message: Message, token: Token) -> None:
    if within(message, token, "cue:loss"):
        if beside(message, token, "scope:at_least", "scope:at_most", gap=1):
            message.reject("observed_loss_pct", tidy(token.value), token, "threshold")
            token.used = "threshold"
            return
        take(message, token, "observed_loss_pct", amount_of(token))
    elif within(message, token, "cue:util"):
        take(message, token, "observed_gpu_util_pct", amount_of(token))


def times(message: Message) -> None:
    """Deadline or length of rental; any other time was measured."""
    for token in numbers(message):
        if token.unit == "tokens/s":
            token.used = "measured"
            message.reject("seq_len", tidy(token.value), token, "measured")
        if token.unit not in _DAYS:
            continue
        days = token.value * _DAYS[token.unit]
        if token.value == 1 and "asks_cost" in message.notes:
            continue  # "how much for one month" names the period of the price
        if token.unit in ("months", "days", "weeks", "years") and _rented(message, token):
            slot = "rental_months" if token.unit in ("months", "years") else "rental_days"
            value = token.value * 12 if token.unit == "years" else (token.value if slot == "rental_months" else days)
            take(message, token, slot, tidy(value))
        elif _due(message, token):
            take(message, token, "deadline_days", tidy(days))
        elif token.unit == "hours" or not token.spelled:
            token.used = "time"
            message.reject("deadline_days", tidy(days), token, "measured")


def _rented(message: Message, token: Token) -> bool:
    if within(message, token, "cue:deadline") and not within(message, token, "cue:rental"):
        return False
    if within_sentence(message, token, "cue:rental") and not within_sentence(message, token, "cue:deadline"):
        return True
    return within(message, token, "cue:rental") or (
        "asks_cost" in message.notes and not within_sentence(message, token, "cue:deadline")
    )


_FINISH = re.compile(r"finish|来得及|赶得及|赶得上|跑得完|训得完|in time|enough time|够时间|搞得掂")


def _due(message: Message, token: Token) -> bool:
    later = [t for t in message.tokens if t.sentence in (token.sentence, token.sentence + 1)]
    near = message.text[token.start : later[-1].end if later else token.end]
    if token.unit != "hours" and _FINISH.search(near) and not within(message, token, "scope:consumes"):
        return True
    if beside(message, token, "cue:deadline", gap=len("has to finish in about")):
        return True
    return bool(re.match(r"\s?(?:之?内|以内|内)", message.text[token.end :])) and token.unit != "hours"


def sizes_in_bytes(message: Message) -> None:
    """Memory of the host, disks, data, transfers; what is left may be the memory of a card."""
    for token in numbers(message):
        size = gigabytes(token)
        if size is None:
            if token.scale == "m" and token.unit == "" and beside(message, token, "cue:data"):
                take(message, token, "dataset_gb", amount_of(token, 1e-9))
            continue
        role = _role(message, token, size)
        if role is None:
            continue
        factor = size / token.value if token.value else 1.0
        if role.startswith("reject:"):
            token.used = role
            message.reject("gpu_mem_gb", tidy(size), token, role.removeprefix("reject:"))
            continue
        multiple = before(message, token, gap=1)
        count = multiple.value if multiple is not None and multiple.unit in ("times", "cards", "pieces") else 1.0
        if role == "storage_gb" and count > 1 and multiple is not None:
            multiple.used = role
            factor *= count
        take(message, token, role, amount_of(token, factor))


def _role(message: Message, token: Token, size: float) -> str | None:
    near: Callable[..., bool] = lambda *tags, gap=len("of 的 "): beside(message, token, *tags, gap=gap)  # noqa: E731
    touching = [other for other in (before(message, token), after(message, token)) if other is not None]
    by_card = any(
        other.kind == "card" or other.unit in ("cards", "times", "by") or "cue:card" in other.tags for other in touching
    )
    if left(message, token, "scope:consumes", gap=len(" 约 到")) and not any(
        other.kind == "card" for other in touching[:1]
    ):
        return "reject:measured"
    next_one = after(message, token, gap=len(" of "))
    if next_one is not None and "cue:vram" in next_one.tags:
        return _video(message, token, size)
    if (
        next_one is not None
        and "cue:ram" in next_one.tags
        or (left(message, token, "cue:ram", gap=len("有大概 ")) and not by_card)
    ):
        return "host_ram_gb"
    if near("cue:vram"):
        return _video(message, token, size)
    if near("cue:system_disk", gap=len("给 ")):
        return "system_disk_gb"
    if near("cue:disk", gap=len(" of 本地 ")) and not any(other.kind == "card" for other in touching):
        return "storage_gb"
    if near("cue:total") and within_sentence(message, token, "cue:per_card"):
        return None
    if re.search(r"(?:\bso|(?<![<>])=|共有?)\s*$", message.text[: token.start]) and not message.any("cue:data"):
        return "gpu_mem_total_gb"
    if near("cue:total") and not within_sentence(message, token, "cue:data", "cue:disk"):
        return "gpu_mem_total_gb"
    if by_card or near("cue:per_card"):
        return None
    if within(message, token, "cue:daily") and within(message, token, "cue:transfer"):
        return "transfer_gb_per_day"
    if near("cue:weights", gap=len("of the 的模型 ")):
        return "transfer_gb"
    if within(message, token, "cue:checkpoint") and not within(message, token, "cue:data"):
        return "reject:checkpoint"
    if _timed(message, token):
        return "transfer_gb"
    if within(message, token, "cue:data") or _data_here(message, token, size) or _continues(message, token):
        return "dataset_gb"
    if within_sentence(message, token, "cue:transfer"):
        return "dataset_gb"
    if within(message, token, "scope:observed"):
        return "reject:measured"
    return None


def _continues(message: Message, token: Token) -> bool:
    """`数据在新加坡, 约 800 GB`: a clause of its own that only says how much of what the clause before named."""
    alone = all(
        t is token or t.kind in ("clause", "sentence") or "scope:observed" in t.tags
        for t in message.tokens
        if t.clause == token.clause
    )
    earlier = [t for t in message.tokens if t.clause == token.clause - 1 and t.sentence == token.sentence]
    return alone and any("cue:data" in t.tags for t in earlier)


def _timed(message: Message, token: Token) -> bool:
    """`8 hours for 100GB`: a transfer that was measured."""
    clause = [t for t in message.tokens if t.clause == token.clause and t.unit == "hours"]
    if not clause or not within(message, token, "cue:transfer"):
        return False
    size = gigabytes(token) or 0.0
    if clause[0].value and "observed_throughput_mbps" not in message.slots:
        message.slots["observed_throughput_mbps"] = round(size * 8e3 / (clause[0].value * 3.6e3))
    return True


def _data_here(message: Message, token: Token, size: float) -> bool:
    files = any(other.used == "file_count" for other in message.tokens)
    to_somewhere = re.match(r"\s?(?:数据|data|of data|to |到|去|传|搬|过)", message.text[token.end :]) is not None
    return (files and size >= 1) or (to_somewhere and not message.any("cue:vram"))


def _video(message: Message, token: Token, size: float) -> str | None:
    card = any(other.kind == "card" for other in message.tokens)
    if beside(message, token, "cue:total"):
        return "gpu_mem_total_gb"
    return "gpu_mem_total_gb" if size > message.limit("largest_card_memory_gb") and not card else None


def counts(message: Message) -> None:
    """Rows, tokens, files, epochs, steps, checkpoints kept, requests."""
    for token in numbers(message):
        if token.unit == "rows" and (token.scale or token.value >= message.limit("fewest_rows")):
            take(message, token, "dataset_rows", amount_of(token))
        elif token.unit == "tokens" and (
            token.scale in ("b", "m", "亿", "t", "万亿", "百亿", "千亿", "十亿")
            or token.value >= message.limit("fewest_corpus_tokens")
        ):
            take(message, token, "dataset_tokens", amount_of(token))
        elif token.unit == "files" or (token.scale == "万" and _files_after(message, token)):
            take(message, token, "file_count", amount_of(token))
        elif token.unit == "epochs":
            take(message, token, "epochs", amount_of(token))
        elif token.unit == "qps":
            take(message, token, "qps", amount_of(token))
        elif token.unit == "concurrency":
            take(message, token, "concurrency", amount_of(token))
        elif token.unit == "steps":
            if beside(message, token, "cue:every") and within(message, token, "cue:save"):
                take(message, token, "save_steps", amount_of(token))
            token.used = token.used or "steps"
        elif token.unit == "copies" and within(message, token, "cue:keep"):
            take(message, token, "checkpoints_kept", amount_of(token))
        elif token.unit == "pieces" and left(message, token, "cue:keep", gap=1) is not None:
            take(message, token, "checkpoints_kept", amount_of(token))
    _after_cues(message)


def _files_after(message: Message, token: Token) -> bool:
    head = message.text[max(0, token.start - len("小文件 ")) : token.start]
    return "文件" in head or message.text[token.end : token.end + len("个小文件")].startswith(
        ("个文件", "个小文件", "文件", "小文件")
    )


def _after_cues(message: Message) -> None:
    for tag, slot in (
        ("cue:qps", "qps"),
        ("cue:concurrency", "concurrency"),
        ("cue:xid", "xid"),
        ("cue:epochs", "epochs"),
    ):
        for cue in message.of(tag):
            token = after(message, cue, gap=len(" 大概是 "))
            if token is None or token.kind != "number":
                following = right(message, cue, "scope:observed")
                token = after(message, following, gap=1) if following else None
            if token is not None and token.kind == "number" and token.free and token.unit in ("", "people"):
                take(message, token, slot, amount_of(token))


__all__ = ["bounded", "counts", "gigabytes", "money", "rates", "right", "sizes_in_bytes", "take", "times"]
