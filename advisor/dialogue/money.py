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
    r"(?P<month>/\s?(?:月|mo\b|month|m\b)|每个?月|一个?月|per month|a month|monthly|包月|月租|月付|月费|"
    r"按月|月预算|个月)|"
    r"(?P<hour>/\s?(?:小时|时|h\b|hr\b|hour)|每小时|一个?小时|per hour|an hour|hourly|每个钟|一个钟)|"
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


_PRICED = re.compile(
    r"reasonable|合理|算贵|贵吗|贵不贵|overpriced|fair price|抵唔抵|\bfair\s?\?|(?:good|fair) deal|坑不坑"
)
# $2.10/GPU-hr: the price of one card, not what may be spent.
_EACH_HOUR = re.compile(
    r"\s?(?:/|per |an? |每)\s?(?:gpu|card|张|卡)s?\s?[-/ ]?\s?(?:per )?(?:hr|h|hour|小时|时)?(?![a-z])"
)
_UNIT_PRICE = re.compile(
    r"\s?(?:/|per |a |每)\s?(?:kwh|度)|"
    r"\s?(?:/|per |an |每|一)\s?个?(?:小时|钟|hour|hr|h)\s?(?:的|per (?:gpu|card|[a-z]*\d))"
)
_PER_SPAN = re.compile(r"\s?(?:一|每|/)\s?个?(?:天|日|小时|钟|月|年)")
_WHOLE = re.compile(
    r"\s?(?:for|to cover) (?:the )?(?:whole|entire|total) (?:project|thing|job|run|training)|\s?(?:in total|all[- ]in)"
)
_CURRENCIES = re.compile(
    r"(?P<HKD>hk\$|hkd|hong kong dollars?|港币|港元|港纸|港银)|(?P<CNY>人民币|rmb|cny|yuan)|"
    r"(?P<USD>us\$|usd|us dollars?|美元|美金|美刀)"
)
_DENIED = re.compile(r"(?:不是|唔系|并非|not|instead of|rather than|而非)\s?(?:in )?$")
_OF_MONEY = re.compile(r"budget|price|cost|quote|how much|预算|价|钱|报价|费|(?:多少|几多)\s?(?:港|人民币|美)")


def money(message: Message) -> None:
    """Budget: amount, currency where stated, period where stated."""
    for token in numbers(message):
        currency, sure = _currency(message, token)
        if not sure:
            continue
        if _PRICED.search(message.text) or any(
            pattern.match(message.text, token.end) for pattern in (_EACH_HOUR, _UNIT_PRICE)
        ):
            token.used = "price"
            message.reject("budget_amount", amount_of(token), token, "quoted price")
            _span_of_price(message, token)
            continue
        message.put("budget_amount", amount_of(token))
        token.used = "budget_amount"
        if currency:
            message.put("budget_currency", currency)
        period = _period(message, token)
        if period:
            message.put("budget_period", period)
        return
    if not any(row["slot"] == "budget_amount" for row in message.rejected):
        _currency_alone(message)


def _span_of_price(message: Message, price: Token) -> None:
    """The hour or month that a quoted price is for says nothing else."""
    for other in numbers(message):
        if other.unit in _PERIODS and other.value == 1 and 0 <= other.start - price.end <= 1:
            other.used = "price"


def _currency_alone(message: Message) -> None:
    """`the budget is in HKD, not USD`, `多少钱，按港币算`: a currency without an amount."""
    said, denied = set(), False
    for found in _CURRENCIES.finditer(message.text):
        if _DENIED.search(message.text[: found.start()]):
            denied = True
        else:
            said.add(found.lastgroup)
    if len(said) == 1 and (denied or _OF_MONEY.search(message.text)):
        message.put("budget_currency", said.pop())


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
    blocks = (
        token.unit == "cards"
        and token.text.endswith("块")
        and (scaled or token.value >= 1e3 or _PER_SPAN.match(message.text, token.end))
    )
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
    if (
        token.unit == ""
        and scaled
        and (_WHOLE.match(message.text, token.end) or re.match(r"\s?(?:的)?预算|\s?budget", message.text[token.end :]))
    ):
        return _said_currency(message), True
    monthly = re.search(
        r"(?:每个?月|一个?月|月付|月租|月费|每年|一年)\s?(?:最多|顶多|大概|约)?\s?$", message.text[: token.start]
    )
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
