"""The budget: never over, never wasteful, always in order."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import budget
from hansard.domain.budget import Candidate
from hansard.domain.receipts import Fate
from hansard.domain.vocabulary import IMPORTANCE_RANK, Importance, MemoryType
from support.examples import examples
from support.marks import invariant
from support.records import memory


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    made = []
    for number in range(draw(st.integers(0, 15))):
        record = memory(
            f"words {number}",
            id=f"memory-{number:03}",
            importance=draw(st.sampled_from(Importance)),
            type=draw(st.sampled_from([MemoryType.CORE_CONTEXT, MemoryType.LEARNING, MemoryType.PATTERN])),
            created_at=draw(st.integers(0, 5)),
        )
        made.append(Candidate(record, "x" * draw(st.integers(1, 120))))
    return made


limits = st.tuples(st.integers(1, 12), st.integers(1, 150))


@examples(200)
@given(candidates(), limits)
def test_a_selection_is_never_over_its_items_or_its_tokens(given_: list[Candidate], limit: tuple[int, int]) -> None:
    shown = budget.select(given_, items_max=limit[0], tokens_max=limit[1]).shown
    assert len(shown) <= limit[0]
    assert sum(one.tokens for one in shown) <= limit[1]


@examples(200)
@given(candidates(), limits)
def test_nothing_that_still_fits_is_left_out(given_: list[Candidate], limit: tuple[int, int]) -> None:
    selection = budget.select(given_, items_max=limit[0], tokens_max=limit[1])
    used = count = 0
    for candidate, fate in selection.fates:
        fits = count < limit[0] and used + candidate.tokens <= limit[1]
        assert (fate is Fate.INCLUDED) is fits
        assert (fate is Fate.ITEMS) is (count >= limit[0])
        if fits:
            used += candidate.tokens
            count += 1


@invariant("INV-14")
@examples(200)
@given(candidates(), limits, st.randoms(use_true_random=False))
def test_the_choice_accounts_for_all_and_does_not_depend_on_their_order(
    given_: list[Candidate], limit: tuple[int, int], random: object
) -> None:
    shuffled = list(given_)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (budget.select(these, items_max=limit[0], tokens_max=limit[1]) for these in (given_, shuffled))
    assert one == other
    assert sorted(candidate.memory.id for candidate, _ in one.fates) == [candidate.memory.id for candidate in given_]
    assert {candidate.memory.id for candidate, fate in one.fates if fate is Fate.INCLUDED} == {
        candidate.memory.id for candidate in one.shown
    }


@examples(200)
@given(candidates())
def test_candidates_are_judged_by_importance_then_recency_and_read_core_first(given_: list[Candidate]) -> None:
    selection = budget.select(given_, items_max=99, tokens_max=9_999)
    ranks = [(-IMPORTANCE_RANK[one.memory.importance], -one.memory.created_at) for one, _ in selection.fates]
    assert ranks == sorted(ranks)
    core = [one.memory.created_at for one in selection.shown if one.memory.type is MemoryType.CORE_CONTEXT]
    rest = [one.memory.created_at for one in selection.shown if one.memory.type is not MemoryType.CORE_CONTEXT]
    assert core == sorted(core)
    assert rest == sorted(rest, reverse=True)
    assert [one.memory.created_at for one in selection.shown] == core + rest
