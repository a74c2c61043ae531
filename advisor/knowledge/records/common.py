"""The parts that several kinds of record share: figures with source and status, bilingual text, days, ids.

A figure without unit, source and status is refused; a figure that nobody knows says why (`not a feature` and
`not found` are different). A text without one of the two languages, or with other placeholders in one, is refused.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from advisor.core.errors import BadData, UnitError
from advisor.core.text import Text, placeholders
from advisor.core.units import Quantity, check_unit

T = TypeVar("T")
# A YAML list becomes a tuple, so that a record can be shared between threads; its items stay strictly typed.
Items: TypeAlias = Annotated[tuple[T, ...], Field(strict=False)]

Status = Literal["verified", "derived", "unverified"]
Missing = Literal["not a feature", "not found"]
_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


class Record(BaseModel):
    """A frozen piece of one file; unknown keys and loose types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True, defer_build=False)


def _unit(name: str) -> str:
    try:
        return check_unit(name)
    except UnitError as error:
        raise ValueError(f"{error.what}; {error.do or 'expected ' + error.expected}") from None


def _day(value: object) -> object:
    # A bare year is a number to YAML; it is the only number that may stand for a date.
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        return value
    found = _DAY.fullmatch(text)
    if not found:
        raise ValueError(f'"{text}" is no date; expected YYYY-MM-DD, YYYY-MM or YYYY')
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        date(year, month, day)
    except ValueError:
        raise ValueError(f'"{text}" is no day of the calendar') from None
    return text


def _whole_day(text: str) -> str:
    if not (found := _DAY.fullmatch(text)) or not found[3]:
        raise ValueError(f'"{text}" is no whole date; expected YYYY-MM-DD')
    return text


def _https(text: str) -> str:
    if not re.fullmatch(r"https://[^\s]+", text):
        raise ValueError(f'"{text}" is no address; expected one that begins with https://')
    return text


Id = Annotated[str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)*$", max_length=120)]
Words = Annotated[str, Field(min_length=1, max_length=4000)]
Unit = Annotated[str, AfterValidator(_unit)]
# YYYY, YYYY-MM or YYYY-MM-DD: as exact as the source is.
Day = Annotated[str, BeforeValidator(_day)]
WholeDay = Annotated[str, BeforeValidator(_day), AfterValidator(_whole_day)]
Address = Annotated[str, AfterValidator(_https)]


class BiText(Record):
    """A sentence in both languages, `zh_hant` only where the converted wording would be wrong."""

    en: Words
    zh: Words
    zh_hant: Words | None = None

    @model_validator(mode="after")
    def _same_placeholders(self) -> BiText:
        for key, other in (("zh", self.zh), ("zh_hant", self.zh_hant)):
            if other is not None and set(placeholders(self.en)) != set(placeholders(other)):
                odd = sorted(set(placeholders(self.en)) ^ set(placeholders(other)))
                raise ValueError(f"en and {key} have different placeholders: {', '.join(odd)}")
        return self

    @property
    def text(self) -> Text:
        """The same as the core's bilingual text."""
        return Text(self.en, self.zh, self.zh_hant)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names inside `{...}`."""
        return placeholders(self.en)


class _Sourced(Record):
    """What figures and words of a record have in common: a source, a status, or the reason why there is no value."""

    source: Id | None = Field(default=None, alias="from")
    status: Status | None = None
    why: Missing | None = None
    note: Words | None = None

    def _check(self, value: object) -> None:
        if value is None:
            if self.why is None:
                raise ValueError('a value of null says why: "not a feature" or "not found"')
        elif self.why is not None:
            raise ValueError("a value that is known needs no `why`; did you mean `note`?")
        elif self.source is None or self.status is None:
            raise ValueError("a value has a source (`from`) and a status (verified, derived or unverified)")

    @property
    def absent(self) -> bool:
        """True where the thing has no such feature; an unknown value is not absent."""
        return self.why == "not a feature"


class Figure(_Sourced):
    """A number with unit, source and status, or null with the reason."""

    value: float | None
    unit: Unit | None = None

    @model_validator(mode="after")
    def _whole(self) -> Figure:
        self._check(self.value)
        if self.value is not None and self.unit is None:
            raise ValueError('a figure has a unit (`unit: ""` for a bare number)')
        return self

    @property
    def known(self) -> bool:
        """True where there is a value, zero included."""
        return self.value is not None

    @property
    def quantity(self) -> Quantity:
        """The figure as a quantity; raises `BadData` where it is unknown or absent (ask `known` first)."""
        if self.value is None or self.unit is None:
            raise BadData(f"a figure is asked for that is {self.why}")
        return Quantity(self.value, self.unit)

    def get(self) -> Quantity | None:
        """The figure as a quantity, or None where it is unknown or absent."""
        return None if self.value is None else self.quantity


class Said(_Sourced):
    """A short text with source and status (a version, a slot width), or null with the reason."""

    value: Words | None

    @model_validator(mode="after")
    def _whole(self) -> Said:
        self._check(self.value)
        return self

    @property
    def known(self) -> bool:
        """True where there is a value."""
        return self.value is not None


class Note(Record):
    """A remark with its source, in both languages."""

    text: BiText
    source: Id = Field(alias="from")
