"""Owns how much of a text is judged before the rest of it is taken for a dump, so that no text takes much time."""

from hansard.guard.mixture import ODD

FLOOD = "flood"
"""The kind of what is taken out whole because a dump goes on there."""
LEAKS_MAX = 400
REFUSALS_MAX = 7_000
JUDGEMENTS_MAX = 2_000
"""In each million characters: secrets, what only looks like one, and how much of that is different."""
JUDGED, TAKEN_OUT = 4, 8
"""What is judged takes as long as that many more that are known. So does a secret, around which everything is scanned
again."""
REFUSALS_MIN, JUDGEMENTS_MIN = 1_200, 500
"""What a search may refuse and judge whatever the others did."""
FOLLOWER_LEAKS_MIN, FOLLOWER_REFUSALS_MIN, FOLLOWER_JUDGEMENTS_MIN = 20, 200, 40
"""The same of one of many searches that share what one may take: there is one for each command that is known."""
REFUSALS_RESERVE, JUDGEMENTS_RESERVE = 1_500, 1_000
"""What all of them together may take beyond the first two limits, with what is scanned again around the secrets."""
PIECE_CHARACTERS = 32
DEAR, FOUND = 3, 2
"""What is refused counts once for each piece of that length, and three times that if it is no plain word."""
FOUND_CHARACTERS = 128
"""A secret counts twice, and once more for each piece of that length."""
ODD_CHARACTERS = 4_096
"""How much of what is refused is looked at for that. A longer one counts for its length."""
APART_CHARACTERS = 1_024
"""What stands before a value that has no name counts once for each piece of that length."""
NAMES = 8
"""So many kinds of names of other languages in one passage of the text take as long as one thing that is refused."""
_SHARE_CHARACTERS = 1_000_000


def share_of(limit: int, size: int) -> int:
    """How much a text of that size may have of what is limited in each million characters; a short one as much as a
    long one. Without steps: a text that is a little longer takes a little longer."""
    return limit * max(size, _SHARE_CHARACTERS) // _SHARE_CHARACTERS


class _Purse:
    """What all searches of one text may spend, a reserve of which every search may have a little, and what one did."""

    def __init__(self, most: int, reserve: int) -> None:
        self._left, self._reserve = most, reserve
        self._most = most
        self._spent = 0

    def begin(self, least: int) -> None:
        """Another search has what those before it left, or so much from the reserve."""
        self._reserve -= max(0, self._spent - self._left)
        self._left = max(0, self._left - self._spent)
        self._most, self._spent = self._at_most(least), 0

    def follow(self, least: int) -> None:
        self._most = max(self._most, self._at_most(self._spent + least))

    def spend(self, count: int) -> None:
        self._spent += count

    def is_empty(self) -> bool:
        return self._spent > self._most

    def _at_most(self, least: int) -> int:
        return max(self._left, min(least, self._left + self._reserve))


class Tally:
    """Counts what all searches of one text have found, refused and judged: also those around the secrets of it."""

    _refusals: _Purse
    _judgements: _Purse
    _leaks_max: int

    def __init__(self, size: int, names: int = 0) -> None:
        """`names` says of how many foreign names the text was read, before any search."""
        self._size = size
        self._names = names
        self._leaks = -1

    def begin(self) -> None:
        """Another search begins. It may refuse and judge what those before it left, so that they add up to one, and
        some more."""
        if self._leaks < 0:
            # Not before: most texts hold nothing that is searched for.
            self._refusals = _Purse(share_of(REFUSALS_MAX, self._size), share_of(REFUSALS_RESERVE, self._size))
            self._judgements = _Purse(share_of(JUDGEMENTS_MAX, self._size), share_of(JUDGEMENTS_RESERVE, self._size))
            self._refusals.spend(self._names // NAMES)
        self._refusals.begin(share_of(REFUSALS_MIN, self._size))
        self._judgements.begin(share_of(JUDGEMENTS_MIN, self._size))
        self._leaks, self._leaks_max = 0, share_of(LEAKS_MAX, self._size)

    def follow(self) -> None:
        """The same, for one of many searches that together may take as much as one, and a little more each."""
        self._refusals.follow(share_of(FOLLOWER_REFUSALS_MIN, self._size))
        self._judgements.follow(share_of(FOLLOWER_JUDGEMENTS_MIN, self._size))
        self._leaks_max = max(self._leaks_max, self._leaks + share_of(FOLLOWER_LEAKS_MIN, self._size))

    def found(self, size: int = 0) -> None:
        self._leaks += 1
        self._refusals.spend(1 + JUDGED + TAKEN_OUT)
        self._judgements.spend(FOUND + size // FOUND_CHARACTERS)

    def refused(self, value: str, *, known: bool, before: int = 0) -> None:
        """`known` says that the same was refused before, and was not judged again; `before`, how many characters had
        to be taken apart to come to it."""
        if known:
            self._refusals.spend(1)
            return
        self._refusals.spend(1 + JUDGED)
        pieces = 1 + len(value) // PIECE_CHARACTERS
        dear = "(" in value or ODD.search(value, 0, ODD_CHARACTERS) is not None
        self._judgements.spend((pieces * DEAR if dear else pieces) + before // APART_CHARACTERS)

    def cleared(self, count: int) -> None:
        """It was no secret at first sight."""
        self._refusals.spend(count)

    def is_full(self) -> bool:
        return self._leaks > self._leaks_max or self._judgements.is_empty() or self._refusals.is_empty()
