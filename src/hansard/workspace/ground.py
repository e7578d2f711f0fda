"""Owns what is at a place below a root, seen without following a link out of it, and how places are named."""

from __future__ import annotations

import os
import re
import stat
from enum import Enum, auto
from typing import TYPE_CHECKING

from hansard.workspace.search import OWN_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASTRAY = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
"""A step of a path that has no name, or whose name is one dot or two."""


class Place(Enum):
    """What is at a path, seen without following a link out of the root."""

    THERE = auto()
    MISSING = auto()
    NOWHERE = auto()
    OUTSIDE = auto()
    CLOSED = auto()


class Ground:
    """The folders below a root, each looked at once. A link that leads out of the root is not followed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._below = root.rstrip("/") + "/"
        self._folders: dict[str, Place] = {"": Place.THERE}

    def place(self, inside: str) -> Place:
        above = self._folder(inside.rpartition("/")[0])
        return above if above is not Place.THERE else self._step(inside)

    def plain_file(self, inside: str) -> os.stat_result | None:
        """The file as it stands there itself: no link, and none on the way that leads out."""
        if _ASTRAY.search(inside) or self._folder(inside.rpartition("/")[0]) is not Place.THERE:
            return None
        try:
            status = os.lstat(self._below + inside)
        except (OSError, ValueError):
            return None
        return status if stat.S_ISREG(status.st_mode) else None

    def _folder(self, inside: str) -> Place:
        known = self._folders.get(inside)
        if known is None:
            above = self._folder(inside.rpartition("/")[0])
            known = self._folders[inside] = above if above is not Place.THERE else self._step(inside)
        return known

    def _step(self, inside: str) -> Place:
        path = self._below + inside
        try:
            if not stat.S_ISLNK(os.lstat(path).st_mode):
                return Place.THERE
            real = os.path.realpath(path)
            if real != self._root and not real.startswith(self._below):
                return Place.OUTSIDE
            return Place.THERE if os.path.lexists(real) else Place.NOWHERE
        except (FileNotFoundError, NotADirectoryError):
            return Place.MISSING
        except (OSError, ValueError):
            return Place.CLOSED


class Listing:
    """The files of a tree and their folders, by the last part of their names."""

    def __init__(self, files: Sequence[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._files = frozenset(files)
        self._folders = folders = dict[str, None]()
        for file in files:
            above, _, name = file.rpartition("/")
            self._by_name.setdefault(name, []).append(file)
            if not file.startswith(OWN_FOLDERS):
                self._by_stem.setdefault(name.partition(".")[0], []).append(file)
            while above and above not in folders:
                folders[above] = None
                above = above.rpartition("/")[0]
        for folder in folders:
            name = folder.rpartition("/")[2]
            self._by_name.setdefault(name, []).append(folder)
            self._by_stem.setdefault(name, []).append(folder)

    def holds(self, inside: str) -> bool:
        """Whether git lists this file, or files in this folder. A repository in it that is none of ours it does not."""
        return inside in self._files or (inside in self._folders and f"{inside}/" not in self._files)

    def ending(self, inside: str) -> list[str]:
        """What has this path at its end."""
        return [one for one in self._by_name.get(inside.rpartition("/")[2], ()) if f"/{one}".endswith(f"/{inside}")]

    def named(self, word: str) -> list[str]:
        """What has this name but for what follows a dot."""
        return self._by_stem.get(word, [])


def inside_of(name: str, root: str) -> str | None:
    """The path from the root; None if it leads elsewhere, or nowhere in particular."""
    if name.startswith("/"):
        below = root.rstrip("/") + "/"
        if not name.startswith(below):
            return None
        name = name[len(below) :]
    name = name.replace("\\", "/").removesuffix("/")
    return None if _ASTRAY.search(name) else name
