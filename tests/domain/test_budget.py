"""What fits: sizes in tokens, and the choice among memories."""

import pytest

from hansard.domain import budget
from hansard.domain.budget import Candidate
from hansard.domain.receipts import Fate
from hansard.domain.vocabulary import Importance, MemoryType
from support.records import memory


def candidate(
    id: str,
    *,
    at: int,
    size: int = 10,
    importance: Importance = Importance.HIGH,
    type: MemoryType = MemoryType.LEARNING,
) -> Candidate:
    return Candidate(memory(id, id=id, created_at=at, importance=importance, type=type), "x" * size * 4)


def shown(selection: budget.Selection) -> list[str]:
    return [one.memory.id for one in selection.shown]


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 8, 2)])
def test_a_token_is_four_characters_rounded_up(text: str, tokens: int) -> None:
    assert budget.tokens(text) == tokens


def test_everything_is_in_if_it_fits() -> None:
    selection = budget.select([candidate("a", at=1), candidate("b", at=2)], items_max=2, tokens_max=20)
    assert {fate for _, fate in selection.fates} == {Fate.INCLUDED}


def test_importance_goes_before_recency_and_recency_before_age() -> None:
    given = [
        candidate("low", at=9, importance=Importance.LOW),
        candidate("old", at=1),
        candidate("medium", at=8, importance=Importance.MEDIUM),
        candidate("new", at=2),
    ]
    assert [one.memory.id for one, _ in budget.select(given, items_max=9, tokens_max=999).fates] == [
        "new", "old", "medium", "low",
    ]  # fmt: skip
    assert shown(budget.select(given, items_max=2, tokens_max=999)) == ["new", "old"]


def test_what_does_not_fit_is_skipped_and_a_smaller_later_one_taken() -> None:
    given = [candidate("big", at=3, size=30), candidate("small", at=2, size=5), candidate("next", at=1, size=5)]
    selection = budget.select(given, items_max=9, tokens_max=10)
    assert shown(selection) == ["small", "next"]
    assert {one.memory.id: fate for one, fate in selection.fates}["big"] is Fate.BUDGET


def test_exactly_full_fits_and_one_more_does_not() -> None:
    given = [candidate("a", at=2), candidate("b", at=1)]
    assert shown(budget.select(given, items_max=9, tokens_max=20)) == ["a", "b"]
    assert shown(budget.select(given, items_max=9, tokens_max=19)) == ["a"]


def test_past_the_item_limit_the_limit_is_the_reason() -> None:
    given = [candidate("a", at=3), candidate("b", at=2), candidate("c", at=1)]
    fates = [fate for _, fate in budget.select(given, items_max=1, tokens_max=999).fates]
    assert fates == [Fate.INCLUDED, Fate.ITEMS, Fate.ITEMS]


def test_core_is_read_first_oldest_first_and_learnings_newest_first() -> None:
    core = MemoryType.CORE_CONTEXT
    given = [
        candidate("learning-old", at=1),
        candidate("core-new", at=4, type=core, importance=Importance.LOW),
        candidate("learning-new", at=3),
        candidate("core-old", at=2, type=core),
    ]
    assert shown(budget.select(given, items_max=9, tokens_max=999)) == [
        "core-old", "core-new", "learning-new", "learning-old",
    ]  # fmt: skip


def test_the_same_words_are_in_once_the_most_important_ones() -> None:
    low = Candidate(memory("Use  JITTER.", id="low", created_at=9, importance=Importance.LOW), "- Use  JITTER.")
    high = Candidate(memory("use jitter.", id="high", created_at=1), "- use jitter.")
    selection = budget.select([low, high], items_max=9, tokens_max=999)
    assert shown(selection) == ["high"]
    assert {one.memory.id: fate for one, fate in selection.fates} == {
        "high": Fate.INCLUDED, "low": Fate.DUPLICATE,
    }  # fmt: skip
