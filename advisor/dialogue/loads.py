"""The load of a service: requests at once, requests a second, tokens a second, with peak and average told apart.

A service is sized for its peak; an average beside it is named as set aside. People are no requests at once: how many
of them ask at the same time is what counts. A speed that was measured is no wish.
"""

from __future__ import annotations

import re

from advisor.dialogue.around import left, numbers, right
from advisor.dialogue.quantities import amount_of, take
from advisor.dialogue.tokens import Message, Token, tidy

AVERAGE, PEOPLE, BY_DAY = "average", "people", "by day"
_SPANS = {"minute": 60.0, "hour": 3600.0, "day": 24 * 3600.0}
_REQUEST = (
    r"(?:requests?|reqs?|calls?|queries|query|hits|messages|questions|prompts|"
    r"次?请求|次?调用|次?查询|次访问|条消息|个?问题|次)"
)
_A_SPAN = r"(?:per|a|an|each|every|/)\s?(?P<span>minute|min|hour|hr|day)\b"
_COUNTED = re.compile(rf"^\s?(?:api |user |个|条|笔)?\s?{_REQUEST}\s?(?:{_A_SPAN}|每?/?(?P<han>分钟|小时|天|日))")
_HEAD = re.compile(
    r"(?P<han>每分钟|每小时|每天|每日|日均|一天|一分钟|一小时|(?<![a-z])rpm(?![a-z]))(?:大概|大约|约|有|要|处理|峰值|高峰|是|:|=|的)*\s?$"
)
_REQUESTED = re.compile(rf"^\s?(?:个|条|笔)?\s?{_REQUEST}")
_HAN_SPANS = {"分": "minute", "小": "hour", "天": "day", "日": "day", "rpm": "minute"}
_EACH = re.compile(
    r"^\s?(?:each|apiece|per (?:user|person|request|stream|session|connection|head)|"
    r"(?:for|to) (?:each|every) (?:user|one|request)|/\s?user|"
    r"a (?:user|request)|一个(?:用户|人|请求)|每(?:人|个?用户|路|个?请求|个?并发)|/人)"
)
_EACH_HEAD = re.compile(
    r"(?:each(?: user| one| request| stream)?|every(?: user| request)?|per[- ]user|per request|per stream|"
    r"每(?:个|位)?(?:用户|人|路|请求|并发)|单(?:用户|路|流|人|个?请求|个?并发)|人均)(?:[^。.!?\n,，;；]{0,14})$"
)
_WISHED = re.compile(
    r"need|want|require|must|should|target|goal|at least|expect|serve|support|sustain|total|throughput|aggregate|"
    r"需要|需求|要|目标|至少|起码|不低于|总|合计|吞吐|支撑|支持|达到|保证|想|做到"
)
_DONE = re.compile(
    r"\b(?:get|gets|getting|got|see|seeing|only|measured|reported|shows?|runs? at|running at|hits|currently|now|"
    r"reaches|is)\b|只有|跑到|实测|测得|测到|目前|现在|得返|卡在|才|显示"
)
_WHO = re.compile(
    r"(?P<daily>日活|月活|\bdau\b|\bmau\b|registered|注册|daily active|monthly active|员工|employees|seats|席位)"
)


_COUNTED_HEADS = re.compile(
    r"\s?(?:[a-z]+ ){0,3}(?:users|employees|staff|seats|customers)|[^,，。.]{0,6}(?:用户|员工|席位)"
)
_SECOND_HEAD = re.compile(r"每秒(?:钟)?(?:大概|大约|约|要|出|至少|能)*\s?$")
_SECOND_TAIL = re.compile(r"^\s?(?:/|每|per |a )\s?(?:秒|s(?:ec(?:ond)?)?\b)")
# `about 15 using it at once`, `同时十个人`, `廿个人一齐用`: people who ask at the same time.
_TOGETHER_HEAD = re.compile(
    r"(?:同时|同一时间|一齐|一起)(?:有|大概|大约|约|最多|会有|在线|用|使用|要撑|支持|服务)*\s?$"
)
_TOGETHER_TAIL = re.compile(
    r"^\s?(?:个?人|个?用户|of (?:them|us)|people|users|staff|colleagues|employees|customers|students)?\s?"
    r"(?:(?:will be |are |is )?(?:using|use|asking|online|active|connected|hitting|on)"
    r"(?: (?:it|this|the (?:bot|model|service)))?\s)?"
    r"(?:at once|at the same time|simultaneously|concurrently|in parallel|at a time|"
    r"at any (?:one |given )?(?:time|moment)|"
    r"(?:会)?(?:一齐|一起|同时|同一时间))"
)


def loads(message: Message) -> None:
    """Fill qps, user_tokens_per_s, total_tokens_per_s and concurrency where the load says so; prompts give lengths."""
    _together(message)
    _written(message)
    _by_span(message)
    _speeds(message)
    _prompts(message)


def settle(message: Message) -> None:
    """Set aside averages beside a peak, and heads that are no load; run once all counts have their slots."""
    _peaks(message, "qps")
    _peaks(message, "concurrency")
    _people(message)


def _together(message: Message) -> None:
    for token in numbers(message):
        if token.unit not in ("", "people", "pieces") or token.scale in ("g", "b", "t") or token.value <= 1:
            continue
        tail = message.text[token.end - (len("人") if token.text.endswith("人") else 0) :]
        if _TOGETHER_TAIL.match(tail) or (
            token.unit == "people" and _TOGETHER_HEAD.search(message.text[: token.start])
        ):
            take(message, token, "concurrency", amount_of(token))


def _written(message: Message) -> None:
    """`每人每秒20个字`, `20字/秒`: a speed of writing, a character taken as a token."""
    for token in numbers(message):
        if token.unit in ("chars", "tokens") and (
            _SECOND_HEAD.search(message.text[: token.start]) or _SECOND_TAIL.match(message.text[token.end :])
        ):
            token.unit = "tokens/s"


def _by_span(message: Message) -> None:
    """`3000 requests a minute`, `每天100万次请求`: a rate, which over a day is an average."""
    for token in numbers(message):
        if token.unit in ("qps", "percent", "GB", "tokens", "tokens/s") or token.high is not None:
            continue
        tail = message.text[_bare_end(message, token) :]
        behind = _COUNTED.match(tail)
        ahead = _HEAD.search(message.text[: token.start]) if _REQUESTED.match(tail) or "rpm" in message.text else None
        span = _span(behind, ahead)
        if not span:
            continue
        rate = tidy(token.value / _SPANS[span])
        take(message, token, "qps", rate)
        if span == "day":
            message.reject("qps", rate, token, BY_DAY)


def _bare_end(message: Message, token: Token) -> int:
    """Where the digits and their scale end: the unit behind may be the word that is looked for."""
    if token.unit in ("", "qps"):
        return token.end
    found = re.match(r"[\d.,]+\s?(?:万|亿|千|百万|million|thousand|k|m|w)?", message.text[token.start :])
    return token.start + found.end() if found else token.end


def _span(behind: re.Match[str] | None, ahead: re.Match[str] | None) -> str:
    if behind is not None:
        word = behind["span"] or ""
        if word:
            return {"min": "minute", "hr": "hour"}.get(word, word)
        return _HAN_SPANS[behind["han"][0]]
    if ahead is not None:
        word = ahead["han"]
        return next((span for key, span in _HAN_SPANS.items() if key in word), "")
    return ""


def _speeds(message: Message) -> None:
    """`100 tokens/s each`, `总吞吐 5000 tokens/s`: a speed that is wished for, for one user or for all."""
    for token in numbers(message):
        if token.unit != "tokens/s":
            continue
        head = _clause_before(message, token)
        tail = message.text[token.end : token.end + len(" for each single user ")]
        each = _EACH.match(tail) is not None or _EACH_HEAD.search(head) is not None
        if not each and (_DONE.search(head) or not _WISHED.search(head + tail)):
            continue  # what was measured, or a figure of somebody else's
        take(message, token, "user_tokens_per_s" if each else "total_tokens_per_s", amount_of(token))
        _at_once(message)


def _clause_before(message: Message, token: Token) -> str:
    begin = max((message.text.rfind(mark, 0, token.start) for mark in "。.!?\n,，;；"), default=-1)
    return message.text[begin + 1 : token.start]


def _at_once(message: Message) -> None:
    """`1000 users at 100 tokens/s each`: people who each get a speed are served at the same time."""
    for token in numbers(message):
        if token.unit == "people" and "concurrency" not in message.slots:
            take(message, token, "concurrency", amount_of(token))


def _prompts(message: Message) -> None:
    """`500 QPS with 2k prompts`: a length, where a load is spoken of."""
    units = {token.unit for token in numbers(message)} | message.slots.keys()
    if units.isdisjoint({"qps", "concurrency"}) and not message.any("task:inference"):
        return
    for token in numbers(message):
        if token.unit == "rows" and token.text.rstrip("s").endswith("prompt") and token.scale in ("", "k"):
            token.unit = "length"


def _people(message: Message) -> None:
    """`serve 7B for 1000 users`: heads, which say too little; `1000 users at the same time` is a load."""
    for token in numbers(message):
        if not _heads(message, token) or {"qps", "concurrency"} & set(message.slots):
            continue
        near = message.text[max(0, token.start - len("registered ")) : token.end + len(" registered users ")]
        served = message.slots.get("task")
        serving = message.any("task:inference") or served == ["inference"] or _WHO.search(near) is not None
        if serving and token.value > 1:
            message.reject("concurrency", tidy(token.value), token, PEOPLE)
            token.used = PEOPLE


def _heads(message: Message, token: Token) -> bool:
    """`5000 users`, `5000 registered users`, `5000 个注册用户`."""
    if token.unit == "people":
        return True
    found = _COUNTED_HEADS.match(message.text, token.end) if token.unit in ("", "pieces") else None
    return found is not None and _WHO.search(found[0]) is not None


def _peaks(message: Message, slot: str) -> None:
    taken = [t for t in message.tokens if t.kind == "number" and t.used == slot]
    if not taken and not message.any(f"cue:{slot}"):
        return
    bare = [t for t in numbers(message) if t.unit in ("", "people", "pieces") and not t.scale]
    means = [t for t in [*taken, *bare] if _nearest(message, t) == "cue:average"]
    peaks = [t for t in [*taken, *bare] if _nearest(message, t) == "cue:peak"]
    sized = peaks or [t for t in taken if t not in means]
    if not means or not sized:
        return
    for token in means:
        token.used = AVERAGE
        message.reject(slot, tidy(token.value), token, AVERAGE)
    for token in sized:
        token.used = slot
    values = [amount_of(token) for token in sized]
    message.slots[slot] = values[0] if all(value == values[0] for value in values) else values


def _nearest(message: Message, token: Token) -> str:
    """`cue:peak` or `cue:average`, whichever stands nearer to the number; empty where neither does."""
    gap = len("concurrency of ")
    ahead, behind = (look(message, token, "cue:peak", "cue:average", gap=gap) for look in (left, right))
    near = behind
    if ahead is not None and (behind is None or token.start - ahead.end <= behind.start - token.end):
        near = ahead
    return "" if near is None else "cue:peak" if "cue:peak" in near.tags else "cue:average"
