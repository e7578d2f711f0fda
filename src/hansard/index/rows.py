"""Owns how a unit is packed for the store and unpacked from it: little-endian arrays, the same on every engine."""

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.domain.units import FORMAT_SHIFT, TERMS_SHIFT, UNIT_FORMAT, IndexRow

ASKS = 1
NAMES_TIME = 2
CHUNKS_MAX = 1 << 31
VECTOR_SCALE = 32_767
_FORMAT_MASK = (1 << TERMS_SHIFT - FORMAT_SHIFT) - 1
_TERM = np.dtype("<u2")
_DATE = np.dtype("<u4")
_PART = np.dtype("<i2")


def pack_flags(*, asks: bool, names_time: bool, terms: int) -> int:
    return ASKS * asks | NAMES_TIME * names_time | UNIT_FORMAT << FORMAT_SHIFT | terms << TERMS_SHIFT


def is_sound(row: IndexRow) -> bool:
    """Whether the unit is of today's format, and has as many terms as it says."""
    flags, terms, dates = row.flags, row.terms, row.dates
    return (
        # What is damaged can be of any type.
        0 <= row.chunk < CHUNKS_MAX
        and isinstance(flags, int)
        and isinstance(terms, bytes)
        and isinstance(dates, bytes)
        and len(terms) == flags >> TERMS_SHIFT << 1
        and flags >> FORMAT_SHIFT & _FORMAT_MASK == UNIT_FORMAT
        and not len(dates) % _DATE.itemsize
    )


def pack_terms(terms: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(terms)}H", *terms)


def unpack_terms(data: bytes) -> NDArray[np.uint16]:
    return np.frombuffer(data, _TERM).astype(np.uint16, copy=False)


def pack_dates(dates: Sequence[NamedDate]) -> bytes:
    return np.array([one.year << 9 | one.month << 5 | one.day for one in dates], _DATE).tobytes() if dates else b""


def unpack_dates(data: bytes) -> tuple[NamedDate, ...]:
    return tuple(NamedDate(value >> 9, value >> 5 & 15, value & 31) for value in np.frombuffer(data, _DATE).tolist())


def pack_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Fixed point of 16 bits: a four-thousandth of the error that 8 bits make in the order of neighbours."""
    rounded = np.rint(vectors * VECTOR_SCALE).astype(_PART)
    return [row.tobytes() for row in rounded]


def join_vectors(data: Sequence[bytes | None], dimensions: int) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """The vectors as they are packed, zero where there is none or one of another size, and which of them are there."""
    size = dimensions * _PART.itemsize
    there = np.fromiter((isinstance(one, bytes) and len(one) == size for one in data), np.bool_, len(data))
    blank = bytes(size)
    joined = b"".join(one if ok and one is not None else blank for one, ok in zip(data, there.tolist(), strict=True))
    return np.frombuffer(joined, _PART).reshape(len(data), dimensions), there


def unpack_vectors(data: Sequence[bytes | None], dimensions: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The vectors in full, and which of them are there."""
    parts, there = join_vectors(data, dimensions)
    return np.multiply(parts, np.float32(1 / VECTOR_SCALE), dtype=np.float32), there
