"""Owns record ids: UUIDs of version 7, ordered by time and, within one transaction, by creation."""

import os
import re

from hansard.domain.errors import Invalid

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_COUNTER_BITS = 20
_RANDOM_BITS = 62 - _COUNTER_BITS
_COUNTER_MAX = (1 << _COUNTER_BITS) - 1


class IdMaker:
    """Makes the ids of one transaction: same instant, ascending counter, the rest random."""

    def __init__(self, now_microseconds: int) -> None:
        milliseconds, rest = divmod(max(now_microseconds, 0), 1_000)
        self._head = ((milliseconds & ((1 << 48) - 1)) << 80) | (0x7 << 76) | ((rest * 4096 // 1000) << 64)
        self._counter = 0

    def next(self) -> str:
        if self._counter > _COUNTER_MAX:
            raise Invalid(f"one transaction makes at most {_COUNTER_MAX + 1:,} records.")
        tail = (0b10 << 62) | (self._counter << _RANDOM_BITS) | (int.from_bytes(os.urandom(6)) >> (48 - _RANDOM_BITS))
        self._counter += 1
        digits = f"{self._head | tail:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def parse_reference(value: str, *, prefix: str) -> int | None:
    """The number in a spoken reference such as `D-12`, `d12` or `12`; None if it is none."""
    found = re.fullmatch(rf"(?:{prefix}-?)?([0-9]{{1,15}})", value.strip(), re.IGNORECASE)
    return int(found.group(1)) if found else None
