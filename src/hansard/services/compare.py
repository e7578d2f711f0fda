"""Compares what a turn is about with the runs that others have open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hansard.domain.runs import Run
    from hansard.services.gather import Turn

FILES_SHOWN_MAX = 5
WORDS_SHOWN_MAX = 3
OWN_CHARACTERS_MAX = 8_000
"""Of a longer prompt both ends are looked at: what somebody pasted stands between their own words."""
TASK_CHARACTERS_MAX = 1_000
"""How much of the task of each run is looked at; there may be hundreds of them."""
REMEMBERED_TASKS_MAX = 512
_GENERIC = frozenset(
    """
    fix fixes add adds update updates implement write make change changes create remove delete refactor test tests
    testing bug bugs issue issues task tasks code file files work review check checks use using new improve clean docs
    documentation run runs build support handle move rename need needs want look project repository feature features
    """.split()
)
"""Words that are in every second task and tell nothing about what two have in common."""


class Own(NamedTuple):
    """What a turn is about, read once, however many runs it is compared with."""

    paths: frozenset[str]
    endings: frozenset[str]
    """The same paths as somebody may give them who stands further down."""
    words: frozenset[str]

    def names(self, path: str) -> bool:
        """Whether the turn names this file, from whichever folder."""
        return path in self.endings or any(one in self.paths for one in _endings(path))


def own_of(turn: Turn) -> Own | None:
    """What the task is about, or the prompt if there is no task; None if there is neither."""
    said = turn.task or turn.prompt
    if said is None:
        return None
    if len(said) > OWN_CHARACTERS_MAX:
        half = OWN_CHARACTERS_MAX // 2
        said = f"{said[:half]}\n{said[-half:]}"
    paths = _paths(said)
    return Own(frozenset(paths), frozenset(end for one in paths for end in _endings(one)), frozenset(_words(said)))


def telling(run: Run, own: Own | None, citations: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that a run cites, and what of it is this task as well: a path, or words that tell something."""
    task = (run.task or "")[:TASK_CHARACTERS_MAX]
    files = _paths(task, citations)
    if own is None:
        return tuple(files[:FILES_SHOWN_MAX]), ()
    shared = [one for one in files if own.names(one)][:WORDS_SHOWN_MAX]
    words = [one for one in _remembered_words(task) if one in own.words and one not in _GENERIC and len(one) > 3]
    return tuple(files[:FILES_SHOWN_MAX]), (*shared, *words[:WORDS_SHOWN_MAX])[:FILES_SHOWN_MAX]


def _paths(said: str, citations: Sequence[str] = ()) -> list[str]:
    from hansard.domain.claims import ClaimKind, claims_of

    return [one.name for one in claims_of(said, citations) if one.kind is ClaimKind.PATH]


def _endings(path: str) -> list[str]:
    """The path, and what is left of it without its first folders."""
    parts = path.split("/")
    return ["/".join(parts[place:]) for place in range(len(parts))]


def _words(said: str) -> tuple[str, ...]:
    from hansard.domain import questions

    return questions.read(said).words


_remembered_words = lru_cache(maxsize=REMEMBERED_TASKS_MAX)(_words)
"""Turn after turn meets the same runs."""
