"""Owns how much of a text is judged before the rest of it is taken for a dump, so that no text takes much time."""

from hansard.guard.mixture import ODD

FLOOD = "flood"
"""The kind of what is taken out whole because a dump goes on there."""
LEAKS_MAX = 400
REFUSALS_MAX = 8_000
JUDGEMENTS_MAX = 2_000
"""In each million characters: secrets, what only looks like one, and how much of that is different."""
JUDGED = 4
"""What is judged takes as long as that many more that are known."""
REFUSALS_MIN, JUDGEMENTS_MIN = 1_200, 500
"""What a search may refuse and judge whatever the others did."""
FOLLOWER_LEAKS_MIN, FOLLOWER_REFUSALS_MIN, FOLLOWER_JUDGEMENTS_MIN = 20, 200, 40
"""The same of one of many searches that share what one may take: there is one for each command that is known."""
PIECE_CHARACTERS = 32
DEAR, FOUND = 3, 2
"""What is refused counts once for each piece of that length, and three times that if it is no plain word."""
FOUND_CHARACTERS = 128
"""A secret counts twice, and once more for each piece of that length."""
ODD_CHARACTERS = 4_096
"""How much of what is refused is looked at for that. A longer one counts for its length."""
APART_CHARACTERS = 1_024
"""What stands before a value that has no name counts once for each piece of that length."""
_SHARE_CHARACTERS = 1_000_000


def share_of(limit: int, size: int) -> int:
    """How much a text of that size may have of what is limited in each million characters; a short one as much as a
    long one. Without steps: a text that is a little longer takes a little longer."""
    return limit * max(size, _SHARE_CHARACTERS) // _SHARE_CHARACTERS


class Tally:
    """Counts what the searches of one text have found, refused and judged."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._leaks = self._refusals = self._judgements = 0
        self._refusals_left, self._judgements_left = share_of(REFUSALS_MAX, size), share_of(JUDGEMENTS_MAX, size)
        self.begin()

    def begin(self) -> None:
        """Another search begins. It may refuse and judge what those before it left, so that they add up to one, and
        some more."""
        self._refusals_left = max(self._refusals_left - self._refusals, share_of(REFUSALS_MIN, self._size))
        self._judgements_left = max(self._judgements_left - self._judgements, share_of(JUDGEMENTS_MIN, self._size))
        self._refusals_max, self._judgements_max = self._refusals_left, self._judgements_left
        self._leaks_max = share_of(LEAKS_MAX, self._size)
        self._leaks = self._refusals = self._judgements = 0

    def follow(self) -> None:
        """The same, for one of many searches that together may take as much as one, and a little more each."""
        size = self._size
        self._leaks_max = max(self._leaks_max, self._leaks + share_of(FOLLOWER_LEAKS_MIN, size))
        self._refusals_max = max(self._refusals_max, self._refusals + share_of(FOLLOWER_REFUSALS_MIN, size))
        self._judgements_max = max(self._judgements_max, self._judgements + share_of(FOLLOWER_JUDGEMENTS_MIN, size))

    def found(self, size: int = 0) -> None:
        self._leaks += 1
        self._judgements += FOUND + size // FOUND_CHARACTERS

    def refused(self, value: str, *, known: bool, before: int = 0) -> None:
        """`known` says that the same was refused before, and was not judged again; `before`, how many characters had
        to be taken apart to come to it."""
        self._refusals += 1
        if not known:
            self._refusals += JUDGED
            pieces = 1 + len(value) // PIECE_CHARACTERS
            self._judgements += pieces * DEAR if "(" in value or ODD.search(value, 0, ODD_CHARACTERS) else pieces
            self._judgements += before // APART_CHARACTERS

    def cleared(self, count: int) -> None:
        """It was no secret at first sight."""
        self._refusals += count

    def is_full(self) -> bool:
        return (
            self._leaks > self._leaks_max
            or self._judgements > self._judgements_max
            or self._refusals > self._refusals_max
        )
