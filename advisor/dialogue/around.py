"""Looking around a token: what stands just before it, just after it, or in its clause."""

from __future__ import annotations

from advisor.dialogue.tokens import Message, Token

# Bounds that follow their number; all others precede it.
_AFTER = frozenset(
    (
        "以内",
        "以下",
        "以上",
        "起",
        "之内",
        "或以上",
        "及以上",
        "起步",
        "打底",
        "or more",
        "or above",
        "and up",
        "or less",
        "or fewer",
    )
) | frozenset(("or below", "封顶", "上限"))
CLOSE = len("  =  ")
NEAR = len("twelve chars")


def index_of(message: Message, token: Token) -> int:
    """The place of a token in the message."""
    return next(i for i, other in enumerate(message.tokens) if other is token)


def before(message: Message, token: Token, *, gap: int = CLOSE) -> Token | None:
    """The token just before, in the same clause and at most `gap` characters away."""
    place = index_of(message, token)
    if place == 0:
        return None
    other = message.tokens[place - 1]
    same = other.clause == token.clause and other.kind not in ("clause", "sentence")
    return other if same and token.start - other.end <= gap else None


def after(message: Message, token: Token, *, gap: int = CLOSE) -> Token | None:
    """The token just after, in the same clause and at most `gap` characters away."""
    place = index_of(message, token)
    if place + 1 >= len(message.tokens):
        return None
    other = message.tokens[place + 1]
    same = other.clause == token.clause and other.kind not in ("clause", "sentence")
    return other if same and other.start - token.end <= gap else None


def left(message: Message, token: Token, *tags: str, gap: int = NEAR) -> Token | None:
    """The nearest earlier token of the clause with one of the tags, no other number between, at most `gap` away."""
    for other in reversed(message.tokens[: index_of(message, token)]):
        if (
            other.clause != token.clause
            or other.kind in ("clause", "sentence", "number")
            or token.start - other.end > gap
        ):
            return None
        if not other.tags.isdisjoint(tags):
            return other
    return None


def right(message: Message, token: Token, *tags: str, gap: int = NEAR) -> Token | None:
    """The nearest later token of the clause with one of the tags, no other number between, at most `gap` away."""
    for other in message.tokens[index_of(message, token) + 1 :]:
        if (
            other.clause != token.clause
            or other.kind in ("clause", "sentence", "number")
            or other.start - token.end > gap
        ):
            return None
        if not other.tags.isdisjoint(tags):
            return other
    return None


def beside(message: Message, token: Token, *tags: str, gap: int = NEAR) -> bool:
    """Whether a tag stands near, on either side."""
    return left(message, token, *tags, gap=gap) is not None or right(message, token, *tags, gap=gap) is not None


def within(message: Message, token: Token, *tags: str) -> bool:
    """Whether the clause of the token holds one of the tags."""
    return any(other.clause == token.clause and not other.tags.isdisjoint(tags) for other in message.tokens)


def within_sentence(message: Message, token: Token, *tags: str) -> bool:
    """Whether the sentence of the token holds one of the tags."""
    return any(other.sentence == token.sentence and not other.tags.isdisjoint(tags) for other in message.tokens)


def numbers(message: Message) -> list[Token]:
    """The numbers that no slot has taken and no scope has dropped."""
    return [token for token in message.tokens if token.kind == "number" and token.free]


def bounded(message: Message, token: Token, value: object) -> object:
    """A value, as {"min"} or {"max"} where the words beside it say so; a range as both."""
    earlier, later = before(message, token), after(message, token, gap=1)
    for other in (earlier, later):
        if other is None or (other is earlier) == (other.text in _AFTER):
            continue
        if "scope:at_least" in other.tags:
            return {"min": value}
        if "scope:at_most" in other.tags and "cue:budget" not in other.tags - {"cue:budget"}:
            return {"max": value}
    return value
