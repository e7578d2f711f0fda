"""Owns the secret scan of many texts at once: joined, sifted, and only what may hold a secret scanned by itself."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from hansard.guard.familiar import CONTINUED_MAX, bytes_of, familiar, in_lines, is_familiar
from hansard.guard.forms import may_assign
from hansard.guard.leaks import Leak
from hansard.guard.secrets import engine, scan

BATCH_CHARACTERS = 500_000
SIFTED_CHARACTERS_MIN = 50_000
"""From here on a search for texts that nothing can be found in pays for itself."""
_BETWEEN = "\n\x00\n"
"""Stands between texts that are scanned at once. No value and no name goes across it."""


def scan_many(texts: Sequence[str]) -> dict[int, tuple[Leak, ...]]:
    """The secrets of each text that has any, by its place. Many short texts cost a fraction of scanning each."""
    found: dict[int, tuple[Leak, ...]] = {}
    first = 0
    while first < len(texts):
        last, size = first, 0
        while last < len(texts) and (size < BATCH_CHARACTERS or last == first):
            size += len(texts[last])
            last += 1
        for place in _suspects(texts[first:last]):
            leaks = scan(texts[first + place])
            if leaks:
                found[first + place] = leaks
        first = last
    return found


def _suspects(texts: Sequence[str]) -> Sequence[int]:
    """The places of texts that have to be scanned by themselves."""
    if len(texts) == 1:
        return [0]
    joined = _joined(texts)
    if len(joined) >= SIFTED_CHARACTERS_MIN:
        sifted = _sifted(texts, joined)
        if len(sifted) < len(texts):
            # What is left need not be looked through again by one search for everything.
            return [sifted[place] for place in _leaking([texts[place] for place in sifted])]
    return _leaking(texts, joined)


def _sifted(texts: Sequence[str], joined: str) -> list[int]:
    """The places of texts in which something may be found at all: of most batches, a few."""
    if "\\" not in joined and not engine().may_leak(bytes_of(joined)):
        return []
    return [place for place, text in enumerate(texts) if _may_leak(text)]


def _may_leak(text: str) -> bool:
    known = familiar(text)
    lines = in_lines(known)
    # It is scanned as it is written, too.
    return engine().may_leak(bytes_of(lines)) or (lines is not known and engine().may_leak(bytes_of(known)))


def _joined(texts: Sequence[str]) -> str:
    joined = _BETWEEN.join(texts)
    # Each by itself: how much is read of one text must not depend on the others.
    return joined if is_familiar(joined) else _BETWEEN.join(map(familiar, texts))


def _leaking(texts: Sequence[str], joined: str | None = None) -> Sequence[int]:
    if not texts:
        return []
    joined = _joined(texts) if joined is None else joined
    leaks = scan(joined)
    suspects: set[int] = set()
    data = bytes_of(joined)
    if engine.cache_info().currsize and engine().may_assign(data):
        starts = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0))
        # What stands near a value counts for it, so texts that name a vendor are not judged by what another text says.
        naming = {bisect_right(starts, place) - 1 for place in engine().vendors(data)}
        suspects = {place for place in naming if may_assign(texts[place].lower())}
        # Nor is a table left unread because that of another text was long, or a line that goes on.
        suspects |= {bisect_right(starts, place) - 1 for place in engine().headings(data)}
    if joined.count("\\") > CONTINUED_MAX:
        suspects.update(place for place, text in enumerate(texts) if "\\\n" in text or "\\\r\n" in text)
    start = place = 0
    for leak in leaks:
        while start < leak.end:
            end = start + len(texts[place]) + len(_BETWEEN)
            if end > leak.start:
                suspects.add(place)
            if end > leak.end or place == len(texts) - 1:
                break
            start, place = end, place + 1
    return sorted(suspects)
