"""From text to tokens: at each place the longest thing that the grammar knows.

Code in backquotes, addresses and paths are skipped whole: what stands in them is never read as a wish.
"""

from __future__ import annotations

import re

from advisor.dialogue.accelerators import series_at
from advisor.dialogue.closed import closed_at
from advisor.dialogue.lexicon import Hit, Lexicon
from advisor.dialogue.models import Models
from advisor.dialogue.numbers import Numbers
from advisor.dialogue.tokens import Token, tidy

_SKIPPED = re.compile(
    r"https?://\S+|`[^`\n]*`|[\w.+-]+@[\w-]+\.[\w.]+|(?<![\w])(?:/[\w.-]+){2,}|(?<![a-z0-9])\d+(?:\.\d+){2,}"
)
_EXPERTS = re.compile(r"(\d{1,3})\s?x\s?(\d+(?:\.\d+)?)\s?b(?![a-z])")
_SIZED = re.compile(r"(\d{1,4}(?:\.\d{1,2})?)\s?b[-_ ]?a(\d{1,3}(?:\.\d)?)b(?![a-z0-9])")
_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,2})?)b")
_RUN = re.compile(r"[a-z0-9_.]*[a-z0-9_]")
_CLAUSE = ",，;；:"
_SENTENCE = "。!?\n"


class Scanner:
    """Cuts a normalised text into tokens."""

    def __init__(self, lexicon: Lexicon, most: int) -> None:
        self._lexicon = lexicon
        self._numbers = Numbers(lexicon)
        self._models = Models(lexicon)
        self._most = most

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, in order, with the number of their clause and sentence."""
        out: list[Token] = []
        place = clause = sentence = 0
        while place < len(text) and len(out) < self._most:
            char = text[place]
            if char == " ":
                place += 1
                continue
            token = self._separator(text, place) or self._at(text, place, out[-1].end if out else 0)
            if token is None:
                run = _RUN.match(text, place) if char.isascii() and char.isalnum() else None
                place = run.end() if run else place + 1
                continue
            token.clause, token.sentence = clause, sentence
            if token.kind in ("clause", "sentence"):
                clause += 1
                sentence += token.kind == "sentence"
            out.append(token)
            place = token.end
        return out

    @staticmethod
    def _separator(text: str, place: int) -> Token | None:
        char = text[place]
        if char in _SENTENCE or (
            char == "." and not text[place + 1 : place + 2].strip() and place and text[place - 1] != " "
        ):
            return Token("sentence", place, place + 1, char)
        if char in _CLAUSE:
            return Token("clause", place, place + 1, char)
        return None

    def _at(self, text: str, place: int, last: int) -> Token | None:
        skipped = _SKIPPED.match(text, place)
        if skipped:
            return Token("text", place, skipped.end(), skipped[0])
        char, before = text[place], text[place - 1 : place]
        ascii_word = char.isascii() and char.isalnum()
        if ascii_word and before.isascii() and before.isalnum() and place != last:
            return None
        word = self._lexicon.words.at(text, place)
        if word is not None and text[word.end : word.end + 1] == "$":
            word = None  # HK$ is money and no place
        named = self._named(text, place, word.end if word else 0)
        if named is not None:
            return named
        number = self._numbers.at(text, place)
        if number is not None and (word is None or number.end >= word.end):
            return number
        if word is not None:
            return Token("word", place, word.end, text[place : word.end], word.tags)
        return None

    def _named(self, text: str, place: int, word_end: int) -> Token | None:
        if experts := _EXPERTS.match(text, place):
            return Token("model", place, experts.end(), experts[0], name=f"Mixtral-{experts[1]}x{experts[2]}B")
        if sized := _SIZED.match(text, place):
            return Token("size", place, sized.end(), sized[0], value=float(sized[1]), active=tidy(float(sized[2])))
        card = self._lexicon.cards.at(text, place, plural=True)
        if card is not None and card.end >= word_end and not self._counts_rows(text, place, card.end):
            return Token("card", place, card.end, text[place : card.end], name=sorted(card.tags)[0])
        model = self._models.at(text, place)
        if (closed := closed_at(text, place, self._lexicon)) is not None and closed.end >= word_end:
            return closed if model is None or closed.end >= model.end else model
        if (series := series_at(text, place, self._lexicon)) is not None and series.end >= word_end:
            return series
        nickname = self._lexicon.nicknames.at(text, place)
        if nickname is not None and nickname.end >= word_end and (model is None or nickname.end > model.end):
            return self._by_nickname(text, place, nickname)
        if model is not None and model.end >= word_end:
            return model
        return None

    @staticmethod
    def _by_nickname(text: str, place: int, hit: Hit) -> Token:
        said = text[place : hit.end]
        size = _SIZE.search(said)
        return Token("model", place, hit.end, said, value=float(size[1]) if size else 0.0, name=sorted(hit.tags)[0])

    def _counts_rows(self, text: str, start: int, end: int) -> bool:
        """Whether digits that look like a card's name count something else: `4090条`, `3090 samples`, `4090 tokens`."""
        if not text[start:end].isdigit():
            return False
        at = end + 1 if text[end : end + 1] == " " else end
        unit = self._lexicon.units.at(text, at)
        return unit is not None and not unit.tags.isdisjoint({"rows", "tokens", "steps", "length", "files", "GB", "MB"})
