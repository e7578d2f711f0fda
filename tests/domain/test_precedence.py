"""Precedence: one author has one place before the answers of others, and what has one author stays as it is."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.precedence import GUARDED_MAX, Contender, arranged
from support.examples import examples

VOICES = ("smith", "neo", "trinity")
FLOODER = "mallory"


def said(voice: str, *, answers: bool = True, since: int = 0) -> Contender:
    return Contender(voice, answers, (since, 0))


def order(*contenders: Contender) -> list[int]:
    return arranged(contenders).order


@st.composite
def lists(draw: st.DrawFn, *, voices: tuple[str, ...] = VOICES, max_size: int = GUARDED_MAX - 1) -> list[Contender]:
    """Hits of several authors, best first, each of which came at a time of its own."""
    drawn = draw(st.lists(st.tuples(st.sampled_from(voices), st.booleans()), max_size=max_size))
    times = draw(st.permutations(range(len(drawn))))
    return [Contender(voice, answers, (at, at)) for (voice, answers), at in zip(drawn, times, strict=True)]


@st.composite
def floods(draw: st.DrawFn) -> tuple[list[Contender], list[Contender]]:
    """An honest list, and the same with what one more author adds anywhere in it."""
    before = draw(lists())
    after = list(before)
    for number in range(draw(st.integers(0, 60))):
        added = Contender(FLOODER, draw(st.booleans()), (1_000 + number, number))
        after.insert(draw(st.integers(0, len(after))), added)
    return before, after


def test_a_further_memory_of_an_author_stands_behind_what_others_had_answered() -> None:
    flood = [said(FLOODER, since=5 + number) for number in range(3)]
    answers = [said("smith", since=1), said("smith", since=2)]

    assert order(*flood, *answers) == [0, 3, 4, 1, 2]
    assert arranged([*flood, *answers]).yielding == {1, 2}


def test_the_best_answer_of_an_author_goes_before_what_came_earlier() -> None:
    flood = [said(FLOODER, since=number) for number in range(3)]

    assert order(*flood, said("smith", since=9), said("smith", since=10)) == [0, 3, 1, 2, 4]


def test_what_is_no_answer_moves_nobody() -> None:
    expert = [said("smith", since=5 + number) for number in range(4)]

    assert order(*expert, said("neo", answers=False), said("neo", answers=False)) == [0, 1, 2, 3, 4, 5]


def test_the_best_one_of_an_author_is_fetched_and_nobody_falls_behind_what_is_in_between() -> None:
    several = [said("smith"), said("smith", since=1), said("neo", answers=False), said("trinity", since=2)]

    assert order(*several) == [0, 3, 1, 2]


def test_only_the_first_of_the_others_are_stood_behind() -> None:
    flood = [said(FLOODER, since=100 + number) for number in range(2)]
    answers = [said("smith", since=number) for number in range(GUARDED_MAX + 1)]
    found = order(*flood, *answers)

    assert found.index(1) == GUARDED_MAX + 1
    assert sorted(found) == list(range(len(found)))


@examples(200)
@given(lists(voices=("smith",), max_size=40))
def test_what_one_author_wrote_alone_stays_in_its_order(contenders: list[Contender]) -> None:
    assert arranged(contenders) == (list(range(len(contenders))), frozenset())


@examples(200)
@given(lists(max_size=40))
def test_nothing_is_lost_and_the_memories_of_an_author_that_do_not_yield_keep_their_order(
    contenders: list[Contender],
) -> None:
    found, yielding = arranged(contenders)

    assert sorted(found) == list(range(len(contenders)))
    for voice in VOICES:
        kept = [place for place in found if contenders[place].voice == voice]
        assert not kept or kept[0] == min(kept)
        assert all(contenders[place] is not contenders[min(kept)] for place in yielding.intersection(kept))


@examples(600)
@given(floods())
def test_whatever_one_author_adds_an_answer_of_another_falls_by_at_most_one_place(
    given_lists: tuple[list[Contender], list[Contender]],
) -> None:
    before, after = given_lists
    then = [before[place] for place in arranged(before).order]
    now = [after[place] for place in arranged(after).order]

    answers = [one for one in then if one.answers]
    assert [one for one in now if one.voice != FLOODER and one.answers] == answers
    assert all(now.index(one) <= then.index(one) + 1 for one in answers)
