"""Owns how much of a text is judged before the rest of it is taken for a dump, so that no text takes much time."""

from hansard.guard.mixture import ODD

FLOOD = "flood"
"""The kind of what is taken out whole because a dump goes on there."""
LEAKS_MAX = 600
REFUSALS_MAX = 8_000
JUDGEMENTS_MAX = 2_000
"""In each million characters: secrets, what only looks like one, and how much of that is different."""
JUDGED = 4
"""What is judged takes as long as that many more that are known."""
REFUSALS_MIN = 1_500
"""What a search may refuse whatever the others did."""
PIECE_CHARACTERS = 32
DEAR, FOUND = 3, 2
"""What is refused counts once for each piece of that length, and three times that if it is no plain word."""
_SHARE_CHARACTERS = 1_000_000


class Tally:
    """Counts what the searches of one text have found, refused and judged."""

    def __init__(self, size: int) -> None:
        self._share = 1 + (size - 1) // _SHARE_CHARACTERS
        self._leaks = self._refusals = self._judgements = 0
        self._refusals_max = REFUSALS_MAX * self._share

    def begin(self) -> None:
        """Another search begins. It may refuse what those before it left, so that they add up to one, and some more."""
        self._refusals_max = max(self._refusals_max - self._refusals, REFUSALS_MIN * self._share)
        self._leaks = self._refusals = self._judgements = 0

    def found(self) -> None:
        self._leaks += 1
        self._judgements += FOUND

    def refused(self, matched: str, *, known: bool) -> None:
        """`known` says that the same was refused before, and was not judged again."""
        self._refusals += 1
        if not known:
            self._refusals += JUDGED
            pieces = 1 + len(matched) // PIECE_CHARACTERS
            self._judgements += pieces * DEAR if "(" in matched or ODD.search(matched) else pieces

    def cleared(self, count: int) -> None:
        """It was no secret at first sight."""
        self._refusals += count

    def is_full(self) -> bool:
        return (
            self._leaks > LEAKS_MAX * self._share
            or self._judgements > JUDGEMENTS_MAX * self._share
            or self._refusals > self._refusals_max
        )
