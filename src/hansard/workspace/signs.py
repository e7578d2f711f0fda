"""Owns the cheap sign of a tree: how some of its places look, so that a change is noticed without asking git."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES_MAX = 64
"""How many places are looked at in a turn: this takes about a fifth of a millisecond."""
FOLDERS_MAX = 32
"""How many of them are folders of a tree that has more: they cannot show every change anyway."""
ENTRIES_MAX = 1_000
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


def watch_for(files: Sequence[str], root: str | None = None) -> Watch:
    """The places to look at for these files and, below a root, for those that will be made in other folders."""
    folders = {""}
    for file in files:
        above = file.rpartition("/")[0]
        while above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    is_whole = len(folders) + len(files) <= PLACES_MAX
    if is_whole and root is not None:
        other, is_whole = _other_folders(root, folders)
        folders |= other
        is_whole = is_whole and len(folders) + len(files) <= PLACES_MAX
    every = sorted(folders, key=lambda one: (one.count("/"), one))
    return Watch(tuple(every + sorted(files) if is_whole else every[:FOLDERS_MAX]), is_whole)


def _other_folders(root: str, folders: set[str]) -> tuple[set[str], bool]:
    """Folders beside the files that hold none of them, and whether a new file in any of them would be noticed."""
    other: set[str] = set()
    flat = True
    for folder in sorted(folders):
        for name in _folders_in(f"{root}/{folder}"):
            inside = f"{folder}/{name}" if folder else name
            if inside in folders or inside == ".git":
                continue
            if len(other) >= PLACES_MAX:
                return other, False
            other.add(inside)
            flat = flat and not _folders_in(f"{root}/{inside}")
    return other, flat


def _folders_in(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [one.name for one in islice(entries, ENTRIES_MAX) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


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
