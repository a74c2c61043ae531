"""Budget: an amount that money words or a budget word mark, its currency where stated, its period where stated.

A bare 3万/月 has no currency, and a price that is merely asked about is no budget.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import left, numbers
from advisor.dialogue.quantities import amount_of
from advisor.dialogue.tokens import Message, Token

_PERIODS = frozenset(("months", "days", "hours", "years"))
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
    following = message.text[token.end : token.end + len("以内 / month")].strip()
    if (
        token.unit == ""
        and scaled
        and re.match(
            r"(?:以内|以下|左右)?\s?/\s?(?:月|mo|小时|天|年|month)|每月|一个月|包月|per month", following + "    "
        )
    ):
        return _said_currency(message), True
    monthly = re.search(r"(?:每个?月|一个?月|月付|每年|一年)\s?(?:最多|顶多|大概|约)?\s?$", message.text[: token.start])
    if token.unit == "" and scaled and monthly and token.scale != "k":
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
        found = next(reversed(list(_PERIOD.finditer(head))), None)
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
