"""Owns what a measurement says: a figure, what it is compared with, and the bar it has to clear."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Rule = Literal["at most", "at least", "exactly"]

COLUMNS = ("what", "figure", "reference", "ratio", "bar", "verdict")
_HOLDS: Mapping[Rule, Callable[[float, float], bool]] = {
    "at most": operator.le,
    "at least": operator.ge,
    "exactly": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One measured promise. `measured` is the number that the limit is about; the texts are for people.

    Without a limit it is a figure that nothing was promised about, and that is told all the same.
    """

    what: str
    figure: str
    reference: str
    ratio: float | None
    measured: float
    rule: Rule
    limit: float | None
    unit: str = "×"

    @property
    def met(self) -> bool:
        return self.limit is None or _HOLDS[self.rule](self.measured, self.limit)


def cells(bar: Bar) -> tuple[str, ...]:
    ratio = "" if bar.ratio is None else f"{bar.ratio:.2f} ×"
    if bar.limit is None:
        return bar.what, bar.figure, bar.reference, ratio, "none", ""
    limit = f"{bar.rule} {bar.limit:,g} {bar.unit}"
    return bar.what, bar.figure, bar.reference, ratio, limit, "met" if bar.met else "MISSED"
