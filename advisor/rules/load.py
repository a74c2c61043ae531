"""Rule and fact files -> the values of `language`, with every wrong shape named by file and line.

Only shapes are judged here (keys, types, lists); what the words mean is judged in `check`. Nothing is skipped: a file
with a wrong shape gives problems and no rule, and a base with problems is never built.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from advisor.core.errors import did_you_mean
from advisor.core.facts import Value
from advisor.core.text import Text
from advisor.knowledge.library import Library
from advisor.knowledge.reader import Document, Where
from advisor.rules.language import (
    DEGREES,
    LEVELS,
    PHASES,
    STATUSES,
    WORDS,
    AdviceSpec,
    Conclusion,
    Condition,
    Example,
    FactRef,
    FactSpec,
    HeuristicRef,
    Language,
    Problem,
    Right,
    RiskSpec,
    RuleSpec,
    Sentence,
)

if TYPE_CHECKING:
    from advisor.knowledge.records.facts import FactRecord
    from advisor.knowledge.records.rules import RuleRecord
    from advisor.knowledge.shelves import Shelf

# Rules that advise on a plan, that judge what was read off an output, and off an offer: three bases, never mixed.
RuleKind = Literal["rules", "judging", "quoting"]
_RULE_KEYS = ("id", "status", "since", "because", "phase", "when", "then", "examples", "note")
_THEN_KEYS = ("conclude", "advise", "risk", "check", "verdict")
_EXAMPLE_KEYS = ("name", "given", "fires", "concludes", "verdict")
_VERDICTS = ("no", "unknown", "yes_if", "yes")


class Heuristics(Mapping[str, Value]):
    """Accepted values by id, each read when a rule asks for it."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getitem__(self, key: str) -> Value:
        if key not in self._library.heuristics:
            raise KeyError(key)
        return self._library.heuristic(key)

    def __contains__(self, key: object) -> bool:
        return key in self._library.heuristics

    def __iter__(self) -> Any:
        return iter(self._library.heuristics)

    def __len__(self) -> int:
        return len(self._library.heuristics)


def language(library: Library, kind: RuleKind = "rules") -> Language:
    """What rules of a kind may refer to; fact files are read by the library, which refuses wrong ones."""
    facts = {key: _fact(library, library.facts, key) for key in library.facts}
    if kind != "rules":
        facts |= {key: _fact(library, library.readings, key) for key in library.readings}
    because = frozenset((*library.sources, *library.claims))
    return Language(facts, Heuristics(library), frozenset(library.items), because)


def _fact(library: Library, shelf: Shelf[FactRecord], key: str) -> FactSpec:
    record = shelf[key]
    low, high = record.range if record.range is not None else (None, None)
    choices = record.choices or ()
    name = Text(record.name.en, record.name.zh)
    return FactSpec(
        id=key,
        kind=record.kind,
        where=shelf.document(key).where(),
        unit=record.unit or "",
        low=low,
        high=high,
        choices=library.shelf(record.ref) if record.ref else tuple(choices),
        many=record.many,
        set_by=record.set_by,
        name=name,
    )


def rules(library: Library, kind: RuleKind = "rules") -> tuple[list[RuleSpec], list[Problem]]:
    """Every rule of a kind in the order of ids, and what is wrong with the shapes of the others."""
    found: list[RuleSpec] = []
    problems: list[Problem] = []
    shelf: Shelf[RuleRecord] = library.shelf(kind)
    for key in sorted(shelf):
        reading = _Reading(shelf.document(key), key)
        rule = reading.rule()
        problems += reading.problems
        if rule is not None and not reading.problems:
            found.append(rule)
    return found, problems


class _Reading:
    """One rule file being read; collects problems instead of stopping at the first."""

    def __init__(self, document: Document, key: str) -> None:
        self.document, self.key = document, key
        self.problems: list[Problem] = []

    def wrong(self, place: tuple[str | int, ...], what: str, expected: str = "", do: str = "") -> None:
        self.problems.append(Problem(self.document.at(*place), what, expected, do))

    def rule(self) -> RuleSpec | None:
        data = self.document.data
        if not isinstance(data, dict):
            self.wrong((), "is no rule", "a mapping with id, status, because, when, then, examples")
            return None
        self._keys(data, _RULE_KEYS, ())
        for key in ("id", "status", "since", "because", "when", "then"):
            if key not in data:
                self.wrong((), f'has no "{key}"', f'the key "{key}"')
        if data.get("id", self.key) != self.key:
            self.wrong(("id",), f"the id is {data['id']!r}", f'"{self.key}", as the path says')
        return self._parts(data) if not self.problems else None

    def _parts(self, data: dict[str, Any]) -> RuleSpec:
        every, groups = self._when(data["when"])
        then = self._mapping(data["then"], ("then",), _THEN_KEYS)
        if not then:
            self.wrong(("then",), "the rule does nothing", "one of " + ", ".join(_THEN_KEYS))
        return RuleSpec(
            id=self.key,
            status=self._one_of(data["status"], ("status",), STATUSES),
            phase=self._one_of(data.get("phase", "judge"), ("phase",), PHASES),
            because=self._words(data["because"], ("because",)),
            all=every,
            groups=groups,
            concludes=self._concludes(then.get("conclude")),
            advice=self._advice(then.get("advise")) if "advise" in then else None,
            risk=self._risk(then.get("risk")) if "risk" in then else None,
            checks=self._words(then.get("check", []), ("then", "check"), one=True),
            verdict=self._one_of(then["verdict"], ("then", "verdict"), _VERDICTS) if "verdict" in then else None,
            examples=self._examples(data.get("examples") or []),
            where=self.document.where(),
            places=self.document.where,
        )

    def _when(self, when: Any) -> tuple[tuple[Condition, ...], tuple[tuple[Condition, ...], ...]]:
        place: tuple[str | int, ...] = ("when",)
        data = self._mapping(when, place, ("all", "any"))
        if not data and isinstance(when, dict):
            self.wrong(place, "has no conditions", "`all` or `any` with a list of conditions")
        every: list[Condition] = []
        groups: list[tuple[Condition, ...]] = []
        for index, entry in enumerate(self._list(data.get("all", []), (*place, "all"))):
            at = (*place, "all", index)
            if isinstance(entry, dict) and set(entry) == {"any"}:
                groups.append(self._conditions(entry["any"], (*at, "any")))
            else:
                every += self._condition(entry, at)
        if "any" in data:
            groups.append(self._conditions(data["any"], (*place, "any")))
        return tuple(every), tuple(groups)

    def _conditions(self, entries: Any, place: tuple[str | int, ...]) -> tuple[Condition, ...]:
        found: list[Condition] = []
        for index, entry in enumerate(self._list(entries, place)):
            found += self._condition(entry, (*place, index))
        return tuple(found)

    def _condition(self, entry: Any, place: tuple[str | int, ...]) -> list[Condition]:
        expected = "{fact: ID, WORD: VALUE} with one word of " + ", ".join(WORDS)
        if not isinstance(entry, dict) or not isinstance(entry.get("fact"), str):
            if isinstance(entry, dict) and ("any" in entry or "all" in entry):
                self.wrong(place, "`all` and `any` stand deeper than one level", "conditions")
            else:
                self.wrong(place, "is no condition", expected)
            return []
        words = [word for word in entry if word != "fact"]
        for word in words:
            if word not in WORDS:
                self.wrong(
                    (*place, word), f'"{word}" is no condition word', ", ".join(WORDS), did_you_mean(word, WORDS)
                )
        if not words:
            self.wrong(place, f"nothing is asked about {entry['fact']}", expected)
        return [
            Condition(
                entry["fact"], word, self._right(entry[word], (*place, word), word == "in"), self._at(place, word)
            )
            for word in words
            if word in WORDS
        ]

    def _at(self, place: tuple[str | int, ...], word: str) -> Where:
        return self.document.where(*place, word)

    def _right(self, raw: Any, place: tuple[str | int, ...], several: bool = False) -> Right:
        if several:
            if not isinstance(raw, list) or not raw or not all(_scalar(one) for one in raw):
                self.wrong(place, "`in` has no list of values", "a list of values, as in [lora, qlora]")
                return ()
            return tuple(raw)
        if isinstance(raw, dict):
            if set(raw) == {"fact"} and isinstance(raw["fact"], str):
                return FactRef(raw["fact"])
            if set(raw) == {"heuristic"} and isinstance(raw["heuristic"], str):
                return HeuristicRef(raw["heuristic"])
        elif _scalar(raw):
            value: Right = raw
            return value
        self.wrong(
            place, "is no right side", 'a value with its unit, {fact: ID} or {heuristic: ID}; a list only for "in"'
        )
        return ""

    def _concludes(self, raw: Any) -> tuple[Conclusion, ...]:
        place = ("then", "conclude")
        if raw is None:
            return ()
        if not isinstance(raw, dict) or not raw:
            self.wrong(place, "`conclude` names no fact", "{FACT: VALUE}")
            return ()
        return tuple(
            Conclusion(fact, self._right(value, (*place, fact)), self.document.where(*place, fact))
            for fact, value in raw.items()
        )

    def _advice(self, raw: Any) -> AdviceSpec:
        place = ("then", "advise")
        data = self._mapping(raw, place, ("level", "say"), needed=True)
        level = self._one_of(data["level"], (*place, "level"), LEVELS) if "level" in data else ""
        return AdviceSpec(level, self._sentence(data.get("say"), (*place, "say")))

    def _risk(self, raw: Any) -> RiskSpec:
        place = ("then", "risk")
        data = self._mapping(raw, place, ("severity", "likelihood", "say", "mitigation"), needed=True)
        return RiskSpec(
            self._one_of(data["severity"], (*place, "severity"), DEGREES) if "severity" in data else "",
            self._one_of(data["likelihood"], (*place, "likelihood"), DEGREES) if "likelihood" in data else "",
            self._sentence(data.get("say"), (*place, "say")),
            self._sentence(data.get("mitigation"), (*place, "mitigation")),
        )

    def _sentence(self, raw: Any, place: tuple[str | int, ...]) -> Sentence:
        data = self._mapping(raw, place, ("en", "zh", "zh_hant"))
        for lang in ("en", "zh"):
            if not isinstance(data.get(lang), str) or not data[lang].strip():
                self.wrong(place, f"the sentence has no {lang}", "a text in en and in zh")
        text = Text(str(data.get("en", "")), str(data.get("zh", "")), data.get("zh_hant"))
        return Sentence(text, self.document.where(*place))

    def _examples(self, raw: Any) -> tuple[Example, ...]:
        found = []
        for index, entry in enumerate(self._list(raw, ("examples",))):
            place = ("examples", index)
            data = self._mapping(entry, place, _EXAMPLE_KEYS)
            if not isinstance(data.get("name"), str) or not isinstance(data.get("fires"), bool):
                self.wrong(place, "the example has no name or no `fires`", "{name, given, fires: true or false}")
                continue
            given = self._rights(data.get("given", {}), (*place, "given"))
            concludes = self._rights(data.get("concludes") or {}, (*place, "concludes"))
            places = {fact: self.document.where(*place, "given", fact) for fact in given}
            places |= {fact: self.document.where(*place, "concludes", fact) for fact in concludes}
            verdict = self._one_of(data["verdict"], (*place, "verdict"), _VERDICTS) if "verdict" in data else None
            where = self.document.where(*place)
            found.append(Example(data["name"], given, data["fires"], concludes, where, places, verdict))
        return tuple(found)

    def _rights(self, raw: Any, place: tuple[str | int, ...]) -> dict[str, Right]:
        if not isinstance(raw, dict):
            self.wrong(place, "is no mapping of facts", "{FACT: VALUE}")
            return {}
        return {key: self._right(value, (*place, key), isinstance(value, list)) for key, value in raw.items()}

    def _mapping(
        self, raw: Any, place: tuple[str | int, ...], keys: tuple[str, ...], needed: bool = False
    ) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self.wrong(place, "is no mapping", "{" + ", ".join(keys) + "}")
            return {}
        self._keys(raw, keys, place)
        for key in keys if needed else ():
            if key not in raw:
                self.wrong(place, f'has no "{key}"', "{" + ", ".join(keys) + "}")
        return raw

    def _keys(self, data: Mapping[str, Any], keys: tuple[str, ...], place: tuple[str | int, ...]) -> None:
        for key in data:
            if key not in keys:
                self.wrong((*place, key), f'unknown key "{key}"', "one of " + ", ".join(keys), did_you_mean(key, keys))

    def _list(self, raw: Any, place: tuple[str | int, ...]) -> list[Any]:
        if isinstance(raw, list):
            return raw
        self.wrong(place, "is no list", "a list")
        return []

    def _words(self, raw: Any, place: tuple[str | int, ...], one: bool = False) -> tuple[str, ...]:
        entries = [raw] if one and isinstance(raw, str) else raw
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            self.wrong(place, "is no list of ids", "a list of ids")
            return ()
        if not entries and not one:
            self.wrong(place, "is empty", "at least one id")
        return tuple(entries)

    def _one_of(self, raw: Any, place: tuple[str | int, ...], words: tuple[str, ...]) -> str:
        if raw in words:
            return str(raw)
        near = did_you_mean(raw, words) if isinstance(raw, str) else ""
        self.wrong(place, f"{raw!r} is not one of the words", ", ".join(words), near)
        return words[0]


def _scalar(raw: Any) -> bool:
    return isinstance(raw, str | bool | int | float)
