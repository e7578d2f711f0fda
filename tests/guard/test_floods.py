"""Judging ends: whatever a text is a mixture of, all its searches together take no more than it may take."""

from collections.abc import Sequence

import pytest

from hansard.guard.floods import JUDGED, NAMES, REFUSALS_MAX, REFUSALS_MIN, REFUSALS_RESERVE, TAKEN_OUT, Tally
from hansard.guard.leaks import Leak
from hansard.guard.patterns import Regexps
from hansard.guard.remains import with_hidden
from hansard.guard.secrets import redact, scan

SEARCHES = 200
SECRET = "aB3dEf7" + "Hk9Lm2"


def taken(tally: Tally, *, follows: bool = False) -> int:
    """How much many searches take that all would take as much as they may."""
    count = 0
    for search in range(SEARCHES):
        (tally.follow if follows and search else tally.begin)()
        while not tally.is_full():
            tally.cleared(1)
            count += 1
    return count


@pytest.mark.parametrize("follows", [False, True])
def test_all_searches_of_a_text_together_have_an_end(follows: bool) -> None:
    count = taken(Tally(1_000), follows=follows)

    assert REFUSALS_MAX < count <= REFUSALS_MAX + REFUSALS_RESERVE + SEARCHES


def test_the_searches_after_one_that_took_everything_may_take_a_little() -> None:
    tally = Tally(1_000)
    tally.begin()
    tally.cleared(REFUSALS_MAX)
    tally.begin()
    tally.cleared(REFUSALS_MIN)

    assert not tally.is_full()


def test_names_of_other_languages_count_as_what_it_took_to_read_them() -> None:
    assert taken(Tally(1_000)) - taken(Tally(1_000, names=NAMES * 1_000)) == 1_000


def test_a_secret_takes_what_judging_it_and_scanning_around_it_takes() -> None:
    tally = Tally(1_000)
    tally.begin()
    for _ in range(300):
        tally.found()
    tally.begin()
    tally.cleared(REFUSALS_MAX - 300 * (1 + JUDGED + TAKEN_OUT))

    assert not tally.is_full()
    tally.cleared(1)
    assert tally.is_full()


def test_secrets_and_what_stands_around_them_add_up() -> None:
    """Neither the secrets nor what only looks like one would be too many by themselves."""
    beside = "key a1b2c3d4 " * 24
    text = "".join(f"pass{'word'}: h!{number:06d}x {beside}\n" for number in range(280))

    assert scan(text)[-1].kind == "flood"


def test_what_was_scanned_around_a_secret_without_finding_anything_is_not_scanned_again() -> None:
    text = "".join(f"{'word ' * 100}SECRET{number} " for number in range(20)) + "hidden"
    leaks = [Leak(place, place + 8, "x", "x") for place in (text.index(f"SECRET{number}") for number in range(20))]
    seen: list[int] = []

    def scanner(part: str) -> Sequence[Leak]:
        seen.append(len(part))
        place = part.find("hidden")
        return [Leak(place, place + 6, "y", "y")] if place >= 0 else []

    found = with_hidden(text, leaks, scanner)

    assert text[found[-1].start : found[-1].end] == "hidden"
    assert seen[1] < seen[0] / 5


def test_a_secret_that_hides_between_two_that_hid_each_other_is_found() -> None:
    assert SECRET not in redact(f"pass{'word'}: {SECRET} token={SECRET} Bearer {SECRET}x1\npass{'word'}={SECRET}")


def test_what_begins_like_a_token_is_read_to_its_end_only_there() -> None:
    spans = Regexps().opened("ab-[a-z]{2}", "ab-[a-z]{4,}", b"ab-cd ab-cdefgh ab-ab-cdef")

    assert list(spans) == [(0, 5), (6, 15), (16, 21), (19, 26)]
