"""Numbers with a unit that says most of what they are: bytes, money, time, counts of rows, files and tokens.

Each number gets at most one role, from its unit and the words beside it. One that was measured, quoted or belongs to
nothing here is rejected with the reason; it never becomes a wish.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import after, before, beside, left, numbers, right, within, within_sentence
from advisor.dialogue.tokens import Message, Token, tidy

_BYTES = {"GB": 1.0, "TB": 1e3, "PB": 1e6, "MB": 1e-3}
_RATES = {"GB/s": 8e3, "MB/s": 8.0, "KB/s": 8e-3}
_DAYS = {"hours": 1 / 24, "days": 1.0, "weeks": 7.0, "months": 30.0, "years": 365.0}
_PERIODS = {"months": "month", "days": "day", "hours": "hour", "years": "year"}


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
        elif (mbps := _mbps(message, token) or _given(message, token, last)) is not None:
            if _given(message, token, last) is not None:
                take(message, token, "observed_throughput_mbps", amount_of(token, mbps))
                continue
            measured = (
                within(message, token, "cue:loss", "scope:observed") or "observed_throughput_mbps" in message.slots
            )
            ordered = _ordered(message, token)
            named = token.text.endswith(("线", "线路", "line", "口"))
            wished = (
                ordered
                or named
                or (beside(message, token, "cue:bandwidth", gap=len("的")) and not within(message, token, "cue:loss"))
            )
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


# "our 50M line gives 12 Mbps", 只有12M, 得12M: what comes of what was ordered.
_GIVES = re.compile(
    r"(?:gives?(?: us| me)?|delivers?|only (?:does|gets?|reaches)|(?<![到获])得|只有|只跑到|跑到)"
    r"\s?(?:about |only |约|大概)?$"
)


def _given(message: Message, token: Token, last: Token | None) -> float | None:
    """The factor of a speed that the line named before gives, or None."""
    same = last is not None and last.used == "bandwidth_mbps" and last.sentence == token.sentence
    if not same or _GIVES.search(message.text[: token.start]) is None:
        return None
    return _mbps(message, token) or (1e-6 if token.scale == "m" and token.unit == "" else None)


def _ordered(message: Message, token: Token) -> bool:
    """Whether a speed is what a contract or an advertisement says, not what was measured."""
    head = message.text[max(0, token.start - len("合同里 we pay for ")) : token.start]
    return re.search(r"买|写|合同|标称|签|承诺|宣称|话|order|paid|pay|advertis|contract|promis", head) is not None


def _mbps(message: Message, token: Token) -> float | None:
    factors = {"Mbps": 1.0, "Gbps": 1e3, "Kbps": 1e-3}
    if token.unit in factors:
        return factors[token.unit]
    if token.unit or token.scale not in ("m", "g"):
        return None
    lines = message.any("cue:bandwidth") or any(other.unit in factors for other in message.tokens)
    if token.scale == "m" and lines and _ordered(message, token):
        return 1e-6
    asked = re.match(r"\s?(?:的)?(?:够|enough|行不|得唔)", message.text[token.end :]) is not None
    if token.scale == "m" and asked and message.any("cue:transfer"):
        return 1e-6
    beside_line = beside(message, token, "cue:bandwidth", gap=len("写的是多少"))
    sides = (before(message, token, gap=1), after(message, token, gap=1))
    line = any(side is not None and (side.key("line") is not None or "cue:bandwidth" in side.tags) for side in sides)
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
        if token.value == 1 and token.unit != "years" and "asks_cost" in message.notes:
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


# "We have $6k a month and 3 weeks": time that there is.
_GIVEN = re.compile(
    r"\b(?:we|i|you)(?:'ve| have| only have| have got| got)\s(?:[^.!?;]{0,24}(?:\band|,)\s)?(?:only |just |about )?$"
)


_GOT = re.compile(r"(?:^|[,.;:] ?)(?:got|have|we have|i have|i've got|we've got)\s(?:only |just |about )?$")
_AT_MOST = re.compile(r"(?:\bmax(?:imum)?(?: of)?|\bat most|\bno more than|最多|不超过|至多|唔超过)\s?$")


def _due(message: Message, token: Token) -> bool:
    later = [t for t in message.tokens if t.sentence in (token.sentence, token.sentence + 1)]
    near = message.text[token.start : later[-1].end if later else token.end]
    if token.unit != "hours" and _FINISH.search(near) and not within(message, token, "scope:consumes"):
        return True
    if beside(message, token, "cue:deadline", gap=len("has to finish in about")):
        return True
    if re.match(r"\s?enough", message.text[token.end :]):
        return True
    head = message.text[: token.start]
    alone = all(t is token or t.kind in ("clause", "sentence") for t in message.tokens if t.clause == token.clause)
    if alone and token.unit in ("days", "weeks", "months") and message.any("scope:ask_count"):
        return True  # "100B tokens, 30 days: how many H100"
    if (token.unit in ("days", "weeks", "months") and _AT_MOST.search(head)) or _GOT.search(head):
        return True
    if re.search(r"\b(?:in|within) $", head) and token.unit != "hours":
        return True
    if token.unit in ("days", "weeks", "months") and _GIVEN.search(head) and not token.spelled:
        return True
    return bool(re.match(r"\s?(?:之?内|以内|内)", message.text[token.end :])) and token.unit != "hours"


_PACE = re.compile(r"\s?(?:per|a|an|each|every|/|每)\s?(?:second|sec|minute|min|hour|day|秒|分|小时|天|s\b|h\b)")


def counts(message: Message) -> None:
    """Rows, tokens, files, epochs, steps, checkpoints kept, requests."""
    for token in numbers(message):
        if token.unit == "rows" and (token.scale or token.value >= message.limit("fewest_rows")):
            take(message, token, "dataset_rows", amount_of(token))
        elif token.unit == "tokens" and (
            token.scale in ("b", "m", "亿", "t", "万亿", "百亿", "千亿", "十亿")
            or token.value >= message.limit("fewest_corpus_tokens")
            or (token.scale in ("万", "w") and token.value > message.limit("longest_context"))
        ):
            take(message, token, "dataset_tokens", amount_of(token))
        elif (token.unit == "files" and _PACE.match(message.text, token.end)) or (
            token.unit == "tokens" and re.match(r"\s?(?:per|a|/)\s?param", message.text[token.end :])
        ):
            token.used = "rate"
            message.reject("number", tidy(token.value), token, "unread")
        elif token.unit == "files" or (token.scale == "万" and _files_after(message, token)):
            take(message, token, "file_count", amount_of(token))
        elif token.unit == "epochs":
            take(message, token, "epochs", amount_of(token))
        elif token.unit == "qps" or _a_second(message, token):
            take(message, token, "qps", amount_of(token))
        elif token.unit == "concurrency":
            take(message, token, "concurrency", amount_of(token))
        elif token.unit == "steps":
            if beside(message, token, "cue:every") and within(message, token, "cue:save", "cue:checkpoint"):
                take(message, token, "save_steps", amount_of(token))
            token.used = token.used or "steps"
        elif (
            (token.unit == "" and not token.scale and _kept_last(message, token))
            or (token.unit == "copies" and within(message, token, "cue:keep"))
            or (token.unit == "pieces" and left(message, token, "cue:keep", gap=1) is not None)
        ):
            take(message, token, "checkpoints_kept", amount_of(token))
    _after_cues(message)


_EVERY_SECOND = re.compile(r"每秒(?:钟)?(?:大概|大约|约|有|要|处理|最多|峰值|高峰)*\s?$")
_REQUESTS = re.compile(r"\s?(?:个|次|条|路)?(?:请求|调用|查询|问题|query|queries|requests?|请求量)")


def _a_second(message: Message, token: Token) -> bool:
    """`每秒5个请求`, `every second 20 requests`: a count of requests, and a second before it."""
    if token.unit not in ("", "pieces", "rows", "requests") or not token.free:
        return False
    counted = _REQUESTS.match(message.text[token.end - len("个") if token.unit else token.end :]) or _REQUESTS.match(
        message.text[token.end :]
    )
    return counted is not None and _EVERY_SECOND.search(message.text[: token.start]) is not None


def _kept_last(message: Message, token: Token) -> bool:
    """`keeping the last 3`, where checkpoints are spoken of."""
    keeps = left(message, token, "cue:keep", gap=len(" only the last ")) is not None
    return keeps and within_sentence(message, token, "cue:checkpoint")


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
