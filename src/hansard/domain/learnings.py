"""Owns which learnings a block tells, and in which order: the newest, and no author before what others had there.

Each author's newest has a place of its own, by age. A further one of the same author stands behind all that others had
there before it came, so whoever writes a hundred takes one place, and not all. Among its own, an author's newest always
goes first: that takes nothing from anybody. What has one author only is told newest first. docs/adr/0029 says why.
"""

from collections.abc import Collection, Container, Iterable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from hansard.domain.actors import key_of
from hansard.domain.memories import Memory
from hansard.domain.trust import voice_of


class Look(Protocol):
    """Reads the newest learnings, as many as a block tells; or so many of each author, if that is asked."""

    def __call__(self, *, of_each: bool) -> Sequence[Memory]: ...


class Behind(Enum):
    """Why a learning stands behind an older one of somebody else, or is not told at all."""

    NEWER = "its author has a newer one, and what others had before it goes first"
    OWN_WORDS = "it is from outside, and what its author says itself goes first"
    SAME_PLACE = "a newer one is from the same kind of place outside"
    OTHERS = "others have newer ones, one each"


class Learning(NamedTuple):
    """A learning in its place."""

    memory: Memory
    behind: Behind | None = None
    is_further: bool = False
    """Whether its author, or the place outside that it comes from, has a place before it."""


class Told(NamedTuple):
    """The learnings of a block in the order they are shown, and those that were looked at and are not."""

    shown: tuple[Learning, ...] = ()
    passed_over: tuple[Learning, ...] = ()

    @property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(one.memory for one in (*self.shown, *self.passed_over))

    def without(self, ids: Container[str]) -> "Told":
        left = ([one for one in some if one.memory.id not in ids] for some in self)
        return Told(*map(tuple, left))


def told(look: Look, limit: int, reader_key: str | None = None) -> Told:
    """The learnings of a block. Looks at each author only if one has several of the places: that reads more.

    Where the reader has all of them by its own words, nobody took them from it. Most projects have one agent.
    """
    found: Collection[Memory] = look(of_each=False)
    # A short look has all there is.
    if len(found) == limit and _is_crowded(found) and {_voice(one) for one in found} != {(reader_key, "")}:
        # What had a place by its age alone is named, also if it has none by its author.
        found = {one.id: one for one in (*found, *look(of_each=True))}.values()
    order = arranged(found)
    left = (one._replace(behind=one.behind or Behind.OTHERS) for one in order[limit:])
    return Told(tuple(order[:limit]), tuple(left))


def _is_crowded(rows: Collection[Memory]) -> bool:
    agents = {key_of(one.agent) for one in rows}
    places = [place for one in rows if (place := _place(one))]
    return len(agents) < len(rows) or len(set(places)) < len(places)


def arranged(memories: Iterable[Memory]) -> list[Learning]:
    """The order that gives each author one place before what others had there."""
    newest_first = sorted(memories, key=lambda one: one.id, reverse=True)
    firsts = _firsts(newest_first)
    groups: dict[tuple[str, str], list[Memory]] = {}
    for one in newest_first:
        groups.setdefault(_voice(one), []).append(one)
    places: list[tuple[tuple[int, str], tuple[str, str]]] = []
    for voice, several in groups.items():
        came = sorted(map(_since, several))
        # Its first place stands for the one that came first: whoever adds one adds a place behind all there are.
        places += [(since, voice) for since in came[sum(one.id in firsts for one in several) :]]
    further = {voice: iter([one for one in some if one.id not in firsts]) for voice, some in groups.items()}
    order = [one for one in newest_first if one.id in firsts]
    order += [next(further[voice]) for _, voice in sorted(places)]
    return [Learning(one, _behind(one, place, order, firsts), one.id not in firsts) for place, one in enumerate(order)]


def _firsts(newest_first: Sequence[Memory]) -> frozenset[str]:
    """The one of each author that has a place of its own: its newest, and its own words before words from outside."""
    taken: dict[str, str] = {}
    for one in newest_first:
        if not _place(one):
            taken.setdefault(key_of(one.agent), one.id)
    places: set[str] = set()
    for one in newest_first:
        place, agent = _place(one), key_of(one.agent)
        if place and place not in places and agent not in taken:
            taken[agent] = one.id
            places.add(place)
    return frozenset(taken.values())


def _behind(one: Memory, place: int, order: Sequence[Memory], firsts: frozenset[str]) -> Behind | None:
    if one.id in firsts or not any(other.id < one.id and _voice(other) != _voice(one) for other in order[:place]):
        return None
    if not _place(one):
        return Behind.NEWER
    mine = key_of(one.agent)
    own = any(key_of(other.agent) == mine and not _place(other) for other in order[:place])
    return Behind.OWN_WORDS if own else Behind.SAME_PLACE


def _voice(one: Memory) -> tuple[str, str]:
    return voice_of(key_of(one.agent), one.origin, one.source, one.cleared)


def _place(one: Memory) -> str:
    return _voice(one)[1]


def _since(one: Memory) -> tuple[int, str]:
    """When it came. An old memory with new words, or newly shared, is a new one."""
    return one.updated_at, one.id
