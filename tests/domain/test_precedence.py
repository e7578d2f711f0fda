"""Precedence: one author has one place before the answers of others, and what has one author stays as it is."""

from hypothesis import assume, given
from hypothesis import strategies as st

from hansard.domain.precedence import (
    ABOUT_THE_SAME,
    FLOOD_ANSWERS_MIN,
    FLOOD_LOOKED_AT_MAX,
    GUARDED_MAX,
    Cause,
    Contender,
    arranged,
    causes,
)
from support.examples import examples

VOICES = ("smith", "neo", "trinity")
FLOODER = "mallory"


def said(voice: str, *, answers: bool = True, since: int = 0) -> Contender:
    return Contender(voice, answers, (since, 0))


def weak(voice: str, *, since: int = 0, matters: bool = True) -> Contender:
    """Less than an answer, and more than chance."""
    return Contender(voice, answers=False, since=(since, 0), matters=matters)


def in_a_row(count: int, *, since: int = 100, answers: bool = True) -> list[Contender]:
    return [said(FLOODER, answers=answers, since=since + number) for number in range(count)]


def answer(voice: str, relevance: float, *, since: int = 0) -> Contender:
    return Contender(voice, answers=True, since=(since, 0), matters=True, relevance=relevance)


def found(place: str, relevance: float, *, author: str = FLOODER, since: int = 0) -> Contender:
    """An answer that its author brought from outside."""
    return Contender(place, answers=True, since=(since, 0), matters=True, author=author, relevance=relevance)


def why(*contenders: Contender) -> dict[int, Cause]:
    return causes(contenders, arranged(contenders))


def order(*contenders: Contender) -> list[int]:
    return arranged(contenders).order


@st.composite
def lists(draw: st.DrawFn, *, voices: tuple[str, ...] = VOICES, max_size: int = GUARDED_MAX - 1) -> list[Contender]:
    """Hits of several authors, best first, each of which came at a time of its own."""
    worth = st.sampled_from([(True, True), (False, True), (False, False)])
    drawn = draw(st.lists(st.tuples(st.sampled_from(voices), worth), max_size=max_size))
    times = draw(st.permutations(range(len(drawn))))
    return [
        Contender(voice, answers, (at, at), matters)
        for (voice, (answers, matters)), at in zip(drawn, times, strict=True)
    ]


@st.composite
def floods(
    draw: st.DrawFn, *, fewest: int = 0, answers: tuple[bool, ...] = (True, False)
) -> tuple[list[Contender], list[Contender]]:
    """An honest list, and the same with what one more author adds anywhere in it."""
    before = draw(lists())
    after = list(before)
    for number in range(draw(st.integers(fewest, 60))):
        added = Contender(FLOODER, draw(st.sampled_from(answers)), (1_000 + number, number), matters=True)
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


def test_many_answers_in_a_row_stand_behind_weaker_ones_that_were_there_before_them() -> None:
    assert order(*in_a_row(4), weak("smith", since=1), weak("smith", since=2)) == [0, 4, 5, 1, 2, 3]


def test_a_weaker_one_that_comes_after_the_flood_stands_behind_it() -> None:
    assert order(*in_a_row(4), weak("smith", since=1), weak("neo", since=200)) == [0, 4, 1, 2, 3, 5]


def test_what_is_there_by_chance_moves_no_flood() -> None:
    assert order(*in_a_row(4), weak("smith", matters=False)) == [0, 1, 2, 3, 4]


def test_a_few_answers_in_a_row_are_no_flood() -> None:
    assert order(*in_a_row(FLOOD_ANSWERS_MIN - 1), weak("smith")) == [0, 1, 2, 3]


def test_answers_with_words_of_others_in_between_are_no_flood() -> None:
    several = [*in_a_row(2), *in_a_row(2, since=200), weak("smith"), weak("neo", since=150)]

    assert order(*several) == [0, 1, 2, 3, 4, 5]


def test_it_is_no_flood_if_most_of_it_answers_nothing() -> None:
    several = [*in_a_row(4), *in_a_row(5, since=200, answers=False), weak("smith")]

    assert order(*several) == list(range(10))


def test_what_is_added_behind_the_best_of_a_flood_hides_it_not() -> None:
    answers = FLOOD_LOOKED_AT_MAX // 2 + 1
    several = [*in_a_row(answers), *in_a_row(60, since=200, answers=False), weak("smith")]

    assert order(*several)[:3] == [0, len(several) - 1, 1]


def test_only_what_was_among_the_first_ten_before_a_flood_is_stood_behind_by_it() -> None:
    others = [weak(VOICES[number % 3], since=number) for number in range(GUARDED_MAX + 2)]
    found = order(*in_a_row(4), *others)

    assert found.index(1) == GUARDED_MAX + 1


@examples(600)
@given(floods(fewest=FLOOD_ANSWERS_MIN, answers=(True,)))
def test_a_flood_moves_what_is_more_than_chance_by_at_most_one_place(
    given_lists: tuple[list[Contender], list[Contender]],
) -> None:
    before, after = given_lists
    then = [before[place] for place in arranged(before).order]
    now = [after[place] for place in arranged(after).order]

    assert all(now.index(one) <= then.index(one) + 1 for one in then if one.matters)


@examples(200)
@given(lists(voices=("smith",), max_size=40))
def test_what_one_author_wrote_alone_stays_in_its_order(contenders: list[Contender]) -> None:
    assert arranged(contenders) == (list(range(len(contenders))), frozenset(), {})


@examples(200)
@given(lists(max_size=40))
def test_nothing_is_lost_and_the_memories_of_an_author_that_do_not_yield_keep_their_order(
    contenders: list[Contender],
) -> None:
    found, yielding, guards = arranged(contenders)

    assert sorted(found) == list(range(len(contenders)))
    assert yielding <= guards.keys()
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


PLACES = ("external", "tool_output", "imported_file", "extraction")


def recorded(place: str, author: str = FLOODER, *, since: int = 0) -> Contender:
    """Words from outside, and who recorded them."""
    return Contender(place, answers=True, since=(since, 0), matters=True, author=author)


@st.composite
def mixed_floods(draw: st.DrawFn) -> tuple[list[Contender], list[Contender]]:
    """An honest list, and the same with what one more author says and records of several places outside."""
    before = draw(lists())
    after = list(before)
    for number in range(draw(st.integers(0, 60))):
        answers, since = draw(st.booleans()), (1_000 + number, number)
        place = draw(st.sampled_from((None, *PLACES)))
        added = Contender(place or FLOODER, answers, since, matters=True, author=FLOODER if place else None)
        after.insert(draw(st.integers(0, len(after))), added)
    return before, after


@examples(600)
@given(mixed_floods())
def test_who_also_records_pages_files_and_output_of_tools_is_one_author_still(
    given_lists: tuple[list[Contender], list[Contender]],
) -> None:
    before, after = given_lists
    then = [before[place] for place in arranged(before).order]
    now = [after[place] for place in arranged(after).order]

    answers = [one for one in then if one.answers]
    assert all(now.index(one) <= then.index(one) + 1 for one in answers)


def test_what_an_author_recorded_has_one_place_if_the_author_said_nothing() -> None:
    flood = [recorded(place, since=5 + number) for number, place in enumerate(PLACES)]

    assert order(*flood, said("smith", since=1)) == [0, 4, 1, 2, 3]


def test_one_page_goes_before_what_its_reader_knows_and_no_second_one_does() -> None:
    pages = [recorded("external", since=5 + number) for number in range(3)]
    known = [said(FLOODER, since=1), said(FLOODER, since=2)]

    assert order(*pages, *known) == [0, 3, 4, 1, 2]


def test_a_page_takes_nothing_from_what_its_reader_says() -> None:
    several = [recorded("external", since=9), said(FLOODER, since=1), said("smith", since=2)]

    assert order(*several) == [1, 2, 0]


def test_a_note_about_something_else_takes_no_place_from_what_its_author_found_outside() -> None:
    found_out = found("tool_output", 0.94, since=5)
    others = [answer(voice, 0.7, since=1) for voice in VOICES]

    for note in (weak(FLOODER, since=9)._replace(relevance=0.05), weak(FLOODER)._replace(relevance=0.9)):
        assert order(found_out, *others, note) == [0, 1, 2, 3, 4]


def test_an_answer_of_its_own_goes_before_one_from_outside_that_is_about_as_relevant() -> None:
    page, smith = found("external", 0.94, since=5), answer("smith", 0.6, since=1)

    assert order(page, answer(FLOODER, 0.94 - ABOUT_THE_SAME, since=9), smith) == [1, 2, 0]
    assert order(page, answer(FLOODER, 0.93 - ABOUT_THE_SAME, since=9), smith) == [0, 2, 1]


def test_an_answer_of_its_own_that_was_there_before_is_buried_by_no_page_however_well_that_fits() -> None:
    page, smith = found("external", 0.99, since=9), answer("smith", 0.5, since=1)

    assert order(page, answer(FLOODER, 0.6, since=5), smith) == [1, 2, 0]


def test_a_further_page_changes_not_which_of_an_author_s_memories_has_the_place() -> None:
    page, more = found("external", 0.9, since=2), found("external", 0.95, since=9)
    known, smith = answer(FLOODER, 0.6, since=5), answer("smith", 0.5, since=1)

    assert order(page, known, smith) == [0, 2, 1]
    assert order(more, page, known, smith)[:2] == [0, 3]


def test_a_newer_one_with_a_better_score_takes_no_place_from_a_more_relevant_one() -> None:
    news, best = answer(FLOODER, 0.5, since=9), answer(FLOODER, 0.9, since=2)
    others = [answer("smith", 0.6, since=1), answer("neo", 0.6, since=1)]

    assert order(news, best, *others) == [1, 2, 3, 0]
    assert order(news, best) == [0, 1]


def test_of_two_that_are_about_as_relevant_the_one_with_the_better_score_has_the_place() -> None:
    news, old = answer(FLOODER, 0.85, since=9), answer(FLOODER, 0.9, since=2)

    assert order(news, answer("smith", 0.6, since=1), old) == [0, 1, 2]
    assert order(news, old, answer("smith", 0.6, since=1)) == [0, 2, 1]


def test_what_yields_says_truly_why() -> None:
    smith = answer("smith", 0.5, since=1)

    assert why(answer(FLOODER, 0.9), answer(FLOODER, 0.8), smith) == {1: Cause.BETTER}
    assert why(found("external", 0.9, since=5), answer(FLOODER, 0.6, since=9), smith) == {1: Cause.BETTER}
    assert why(found("external", 0.9, since=5), answer(FLOODER, 0.8), smith) == {0: Cause.OWN_WORDS}
    assert why(found("external", 0.9), found("external", 0.8, author="neo"), smith) == {1: Cause.SAME_PLACE}
    pages = [found("external", 0.9, since=5), found("external", 0.85, since=6)]
    assert why(*pages, answer(FLOODER, 0.8)) == {1: Cause.READER}


def by_relevance(contenders: list[Contender]) -> list[Contender]:
    """In the order of a block. A search has another one: what is new stands before what is more relevant."""
    return sorted(contenders, key=lambda one: -one.relevance)


@st.composite
def ranked(draw: st.DrawFn, *, both: bool = False) -> list[Contender]:
    """Hits of several authors, each of whom says things or brings them from outside, or does both."""
    brings = {voice: draw(st.booleans()) for voice in VOICES}
    worth = st.tuples(st.sampled_from(VOICES), st.booleans(), st.booleans(), st.integers(0, 20))
    drawn = draw(st.lists(worth, max_size=GUARDED_MAX - 1))
    times = draw(st.permutations(range(len(drawn))))
    return [
        Contender(
            f"pages of {voice}" if outside else voice, answers, (at, at), matters=True,
            author=voice if outside else None, relevance=relevance / 20,
        )
        for (voice, drawn_outside, answers, relevance), at in zip(drawn, times, strict=True)
        for outside in [drawn_outside if both else brings[voice]]
    ]  # fmt: skip


@st.composite
def visits(draw: st.DrawFn) -> tuple[list[Contender], list[Contender]]:
    """An honest list, and the same with what one more author says and brings, of any relevance."""
    before = draw(ranked())
    after = list(before)
    for number in range(draw(st.integers(0, 30))):
        place = draw(st.sampled_from((None, *PLACES)))
        visitor = Contender(
            place or FLOODER, draw(st.booleans()), (1_000 + number, number), matters=True,
            author=FLOODER if place else None, relevance=draw(st.integers(0, 20)) / 20,
        )  # fmt: skip
        after.insert(draw(st.integers(0, len(after))), visitor)
    return before, after


@st.composite
def notes(draw: st.DrawFn) -> tuple[list[Contender], Contender, Contender]:
    """A list, the most relevant memory of one of its authors, and a new one of that author that is less relevant."""
    before = by_relevance(draw(ranked(both=True).filter(bool)))
    author = draw(st.sampled_from(before)).speaker
    best = next(one for one in before if one.speaker == author)
    outside = draw(st.booleans())
    note = Contender(
        f"pages of {author}" if outside else author, draw(st.booleans()), (1_000, 0), matters=True,
        author=author if outside else None, relevance=best.relevance - draw(st.integers(1, 20)) / 20,
    )  # fmt: skip
    return before, best, note


def in_order(contenders: list[Contender]) -> list[Contender]:
    return [contenders[place] for place in arranged(contenders).order]


def others_before(contenders: list[Contender], one: Contender) -> int:
    return sum(other.speaker != one.speaker for other in contenders[: contenders.index(one)])


@examples(300)
@given(visits())
def test_whatever_one_author_says_and_brings_an_answer_of_another_falls_by_at_most_one_place(
    given_lists: tuple[list[Contender], list[Contender]],
) -> None:
    before, after = (by_relevance(one) for one in given_lists)
    then, now = in_order(before), in_order(after)

    assert len(set(now)) == len(after)
    assert all(now.index(one) <= then.index(one) + 1 for one in then if one.answers)


@examples(300)
@given(visits())
def test_whatever_one_author_adds_to_a_search_one_more_of_others_stands_before_an_answer(
    given_lists: tuple[list[Contender], list[Contender]],
) -> None:
    then, now = (in_order(one) for one in given_lists)

    assert len(set(now)) == len(given_lists[1])
    assert all(others_before(now, one) <= others_before(then, one) + 1 for one in then if one.answers)


@examples(300)
@given(notes())
def test_a_less_relevant_memory_never_moves_the_best_one_of_its_author(
    drawn: tuple[list[Contender], Contender, Contender],
) -> None:
    before, best, note = drawn
    assume(before.index(best) not in arranged(before).yielding)
    if best.author is not None and note.author is None and note.answers:
        # An answer in its author's own words, about as relevant, is the one thing that goes before it.
        assume(note.relevance < best.relevance - ABOUT_THE_SAME)
    now = in_order(by_relevance([*before, note]))

    assert now.index(best) == in_order(before).index(best)


@examples(300)
@given(ranked(), st.lists(st.tuples(st.booleans(), st.integers(0, 20)), max_size=30))
def test_whatever_an_author_brings_from_outside_its_own_answers_fall_by_at_most_one_place(
    several: list[Contender], brought: list[tuple[bool, int]]
) -> None:
    pages = [
        Contender(
            "new pages", answers, (1_000 + number, number), matters=True, author="smith", relevance=relevance / 20
        )
        for number, (answers, relevance) in enumerate(brought)
    ]
    before = by_relevance(several)
    then, now = in_order(before), in_order(by_relevance([*before, *pages]))

    assert all(now.index(one) <= then.index(one) + 1 for one in then if one.answers and one.voice == "smith")
