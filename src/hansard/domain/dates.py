"""Owns dates as people write them, in questions and in memories."""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {short: number for number, full in enumerate(_NAMES, 1) for short in (full, full[:3])} | {"sept": 9}
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NOTATIONS = tuple(
    # ASCII, or a dotless i would match and then be no month.
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}})\b)?",
        rf"\b{_MONTH}\s+{_DAY}\b(?:,?\s+(?P<year>\d{{4}})\b)?",
        rf"\b{_MONTH},?\s+(?P<year>\d{{4}})\b",
        rf"\b(?:in|of|during|since|until|last|this)\s+{_MONTH}",
    )
)


class NamedDate(NamedTuple):
    """A date with what people leave out: 0 stands for a year or a day that is not named."""

    year: int
    month: int
    day: int

    def agrees_with_day(self, other: date) -> bool:
        """Whether the other day is one that this names."""
        return self.year in {0, other.year} and self.month == other.month and self.day in {0, other.day}

    def agreement(self, other: "NamedDate") -> float:
        """One if both name the same, a half if only one of them names the day, else nothing."""
        same_year = 0 in {self.year, other.year} or self.year == other.year
        same_day = 0 in {self.day, other.day} or self.day == other.day
        if not (same_year and same_day and self.month == other.month):
            return 0.0
        return 1.0 if (self.day == 0) == (other.day == 0) else 0.5


def dates_in(text: str) -> Iterator[NamedDate]:
    """The dates written out in a text, most exact notation first."""
    for notation in _NOTATIONS:
        for match in notation.finditer(text):
            part = match.groupdict()
            month = int(part["month"]) if part["month"].isdigit() else MONTHS[part["month"].lower()]
            day = int(part.get("day") or 0)
            if 1 <= month <= 12 and day <= 31:
                yield NamedDate(int(part.get("year") or 0), month, day)
