"""Owns one search of a text: a pattern, what judges its matches, where it begins and ends, and how it goes on."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hansard.guard import forms
from hansard.guard.floods import FLOOD, Tally
from hansard.guard.forms import Near
from hansard.guard.generated import RUN_CHARACTERS_MAX
from hansard.guard.leaks import Found
from hansard.guard.patterns import GROUP_CHARACTERS_MAX, Regexps, Span

AGAIN_CHARACTERS = 256
"""What is gone through once more counts once for each piece of that length."""
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
    opening: str | None = None
    """How all begin that can be found, if that is told at less cost."""
    further: str | None = None
    """What is looked for behind a match, once more and once more."""


def walk(
    search: Search, regexps: Regexps, text: str, data: bytes, tally: Tally, refused: dict[tuple[str, str], int]
) -> Iterator[Found]:
    """Every match of the pattern that the judge takes for a secret. What is refused once is not judged again unless
    something else stands around it, which `near` tells of what has a name."""
    judge, near, clear = search.judge, search.near, search.clear
    spans, again = _spans(search, regexps, data), search._replace(further=None)
    while (span := next(spans, None)) is not None:
        start, end = span
        matched = text[start:end]
        found = None
        if clear is not None and (count := clear(text, start, end)):
            step = forms.another(matched, text[end : end + forms.HEAD_CHARACTERS_MAX])
            tally.cleared(count)
        else:
            # Keyed by the text, not by the bytes: two values of another script have the same bytes.
            whole = matched if near is None else matched + forms.following(text, matched, end)
            key = (whole, forms.beside(text, (start, end)) if near is None else near(start))
            known = refused.get(key)
            found = judge(text, start, end) if known is None else None
            step = known or 0
            if known is None and near is not None:
                step = forms.another(matched, text[end : end + forms.HEAD_CHARACTERS_MAX])
            if found is not None:
                tally.found(end - start)
                yield found
            else:
                if search.loose:
                    step = forms.first_word(matched)
                before = 0 if near is not None else max(0, len(whole) - RUN_CHARACTERS_MAX)
                tally.refused(whole[before:], known=known is not None, before=before)
                if end - start < GROUP_CHARACTERS_MAX:
                    refused[key] = step
        if step:
            # The rest of a long match is gone through once more.
            tally.cleared((end - start - step) // AGAIN_CHARACTERS)
            spans = _spans(again, regexps, data, start + step)
        if tally.is_full():
            yield -1, end, len(text), None, FLOOD
            return


def _spans(search: Search, regexps: Regexps, data: bytes, start: int = 0) -> Iterator[Span]:
    if search.further is not None:
        return regexps.chains(search.pattern, search.further, search.places, data)
    if search.opening is not None:
        return regexps.opened(search.opening, search.pattern, data, start)
    if search.places is not None and not search.begins:
        return regexps.inside(search.pattern, search.places, data, start)
    return regexps.spans(search.pattern, search.places, data, start)
