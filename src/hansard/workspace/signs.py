"""Owns the cheap sign of a tree: how some of its places look, so that a change is noticed without asking git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES_MAX = 64
"""How many places are looked at in a turn: this takes about a fifth of a millisecond."""
FOLDERS_MAX = 32
"""How many of them are folders of a tree that has more: they cannot show every change anyway."""
RACE_MICROSECONDS = 50_000
SETTLING_MICROSECONDS = 60_000_000
"""A place that changed while git searched may have been read before. No search takes longer than this."""


class Watch(NamedTuple):
    """The places that are looked at, and whether they are all of the tree: its folders first, the nearest ones first.

    A folder looks different as soon as something in it is made, removed or replaced.
    """

    places: tuple[str, ...] = ()
    is_whole: bool = False


class Sign(NamedTuple):
    """How the places looked, in few characters, and whether none of them changed just now."""

    value: str = ""
    is_settled: bool = False


def watch_for(files: Sequence[str]) -> Watch:
    folders = {""}
    for file in files:
        above = file.rpartition("/")[0]
        while above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    every = sorted(folders, key=lambda one: (one.count("/"), one))
    is_whole = len(every) + len(files) <= PLACES_MAX
    return Watch(tuple(every + sorted(files) if is_whole else every[:FOLDERS_MAX]), is_whole)


def sign_of(root: str, watch: Watch, now: int) -> Sign:
    from zlib import crc32

    looks: list[tuple[int, int, int] | None] = []
    newest = 0
    for place in watch.places:
        try:
            status = os.lstat(f"{root}/{place}")
        except (OSError, ValueError):
            looks.append(None)
            continue
        looks.append((status.st_mtime_ns, status.st_ctime_ns, status.st_size))
        newest = max(newest, status.st_mtime_ns, status.st_ctime_ns)
    settled = not now - RACE_MICROSECONDS <= newest // 1000 <= now + SETTLING_MICROSECONDS
    return Sign(f"{crc32(repr(looks).encode()):08x}", settled) if watch.places else Sign()
