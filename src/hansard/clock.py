"""Owns the idea of now. Nothing else in the package asks the operating system for the time."""

import time
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Protocol

from hansard.domain.errors import Invalid, shown
from hansard.domain.numbers import is_whole

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BARE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC as well, and without a zone twice as quick to write out
INSTANTS_REMEMBERED_MAX = 256


class Clock(Protocol):
    """Answers the current instant in microseconds since 1970-01-01T00:00:00Z."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000


@lru_cache(maxsize=INSTANTS_REMEMBERED_MAX)
def iso(microseconds: int) -> str:
    """The instant as ISO 8601 in UTC with a trailing Z and microseconds."""
    # Remembered because most records of a list were made and last changed at the same instant.
    try:
        moment = _BARE_EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} microseconds since 1970"
    return moment.isoformat(timespec="microseconds") + "Z"


def parse_instant(text: str) -> int:
    """The microseconds of an ISO 8601 instant. A date alone means its last microsecond; no zone means UTC."""
    if not isinstance(text, str):
        raise Invalid(f"a time must be text, not {type(text).__name__}.")
    stripped = text.strip()
    try:
        moment = datetime.fromisoformat(stripped)
    except ValueError:
        raise Invalid(f"{shown(text)} is not a time. Write it like 2026-03-01 or 2026-03-01T14:30:00Z.") from None
    if _is_date(stripped):
        moment += timedelta(days=1, microseconds=-1)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def instant_of(given: str | int) -> int:
    """The microseconds of a time that a caller gave, as text or as microseconds."""
    if isinstance(given, str):
        return parse_instant(given)
    if not is_whole(given):
        raise Invalid(f"a time must be text or microseconds, not {type(given).__name__}.")
    if not -(2**62) < given < 2**62:
        raise Invalid(f"{shown(given)} is no time in microseconds since 1970.")
    return given


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
