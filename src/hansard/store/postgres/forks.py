"""Owns what a forked child does with its parent's connections: it lets go of them, and ends none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol
from weakref import WeakSet

import psycopg

from hansard.store.postgres.line import Line


class Forked(Protocol):
    """Something with connections, of which a child has to part."""

    def part_from_parent(self) -> None: ...


def watch(one: Forked) -> None:
    """Has it part from its parent's connections in every child."""
    _watched.add(one)


def let_go(lines: Iterable[Line]) -> None:
    """Makes the descriptors lead nowhere: whatever the child still does with them fails here and reaches nobody.

    Closing one would end the parent's session.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for line in lines:
        with suppress(psycopg.Error):
            os.dup2(nowhere, line.fileno())
        _inherited.append(line)
    os.close(nowhere)


_watched: WeakSet[Forked] = WeakSet()
_inherited: list[Line] = []
"""Connections of a parent process. They are kept, because one that goes away unclosed is warned of."""


def _part_from_parents() -> None:
    for one in _watched:
        one.part_from_parent()


os.register_at_fork(after_in_child=_part_from_parents)
