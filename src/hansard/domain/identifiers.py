"""Owns record ids: UUIDs of version 7, ordered by time and, within one transaction, by creation."""

import os
import re
from array import array
from collections.abc import Iterator

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_STEPS_DRAWN = 256
_RANDOM_BITS = 61
"""Half of the room behind the time, so that counting up from any start never runs out of it."""


class IdMaker:
    """Makes the ids of one transaction: same instant, then a random number that grows by random steps.

    Whoever knows the id of a record cannot tell the one made beside it, which may be private.
    """

    def __init__(self, now_microseconds: int) -> None:
        milliseconds, rest = divmod(max(now_microseconds, 0), 1_000)
        digits = f"{milliseconds & ((1 << 48) - 1):012x}"
        self._head = f"{digits[:8]}-{digits[8:]}-7{rest * 4096 // 1000:03x}-"
        self._tail = (0b10 << 62) | (int.from_bytes(os.urandom(8)) >> (64 - _RANDOM_BITS))
        self._steps = _steps()

    def next(self) -> str:
        digits = f"{self._tail:016x}"
        self._tail += next(self._steps)
        return f"{self._head}{digits[:4]}-{digits[4:]}"


def _steps() -> Iterator[int]:
    """Random steps. Most transactions make a few ids; whoever makes more gets the randomness of many at once."""
    count = 4
    while True:
        for step in array("I", os.urandom(4 * count)):
            yield step + 1
        count = _STEPS_DRAWN


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def parse_reference(value: str, *, prefix: str) -> int | None:
    """The number in a spoken reference such as `D-12`, `d12` or `12`; None if it is none."""
    found = re.fullmatch(rf"(?:{prefix}-?)?([0-9]{{1,15}})", value.strip(), re.IGNORECASE)
    return int(found.group(1)) if found else None
