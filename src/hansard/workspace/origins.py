"""Owns where a note was indexed from, and so where it has to be missing before it counts as gone."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from hansard.workspace import roots
from hansard.workspace.notes import is_gone

ROOT = "root"
TREE = "tree"
"""What the history keeps beside a change: marks of the project's folder and, if it was another, of the work tree."""


class Origins:
    """The folder a run indexes for, on this machine, with all work trees of its repository."""

    def __init__(self, machine: str, root: Path) -> None:
        self._machine = machine
        self._home = roots.main_place(root)
        self._root = root

    def told(self, ref: str, base: Path) -> dict[str, str]:
        """What the history is to keep of a file indexed from this folder."""
        if PurePosixPath(ref).is_absolute():
            return {ROOT: roots.mark(self._machine)}
        root = {ROOT: roots.mark(self._machine, self._home)}
        return root if base == self._home else root | {TREE: roots.mark(self._machine, base)}

    def is_own(self, ref: str, told: Mapping[str, str]) -> bool:
        """Whether the file was indexed for this very folder; another clone and another machine are none of ours."""
        return told.get(ROOT) == self.told(ref, self._home)[ROOT]

    def is_gone(self, ref: str, told: Mapping[str, str]) -> bool:
        """Whether neither the main checkout nor the work tree that it was indexed from last has the file."""
        # A work tree that was removed is not among them, and has nothing any more.
        last = self._trees.get(told.get(TREE, ""))
        return self.is_own(ref, told) and is_gone(self._home, ref) and (last is None or is_gone(last, ref))

    @cached_property
    def _trees(self) -> dict[str, Path]:
        return {roots.mark(self._machine, place): place for place in roots.places_in_trees(self._root)}
