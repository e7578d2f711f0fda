"""Owns what one search of a text is: a pattern, what judges its matches, and where it begins and ends."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hansard.guard.forms import Near
from hansard.guard.leaks import Found

Judge = Callable[[str, int, int], Found | None]
Refused = dict[str, dict[tuple[str, str], int]]
"""Of each pattern, what it found that was no secret, with what stood around it, and how much of it need not be read
again. It holds for every text."""


class Search(NamedTuple):
    """A pattern, and what judges its matches."""

    pattern: str
    judge: Judge
    near: Near | None = None
    """What else counts for a match that has a name; of one without a name only the match itself counts."""
    clear: Callable[[str, int, int], int] | None = None
    """What a match counts as that is no secret at first sight, so that a text may have many of these; 0 if it may."""
    until: int | None = None
    """Where nothing can be found any more."""
    stops: int | None = None
    """Where something could, and is taken out unseen."""
    places: Sequence[int] | None = None
    """Where all begin that can be found, if these are few."""
    begins: bool = True
    """Whether they begin there, or stand around it."""
    follows: bool = False
    """Whether it shares with the search before it what one may take."""
    loose: bool = False
    """Whether it finds more than the rules do: what is none of theirs is read again behind its first word."""
    further: str | None = None
    """What is looked for behind a match, once more and once more."""
