"""What a set of lines comes to takes as long as there are lines, whatever they say."""

import time
from collections.abc import Callable

import pytest

from hansard.domain import slugs
from hansard.domain.converge import Records, resolved
from hansard.domain.lines import Line

MANY = 20_000
SECONDS_MAX = 8.0
"""Of this process alone. With steps that grow with the square it takes many times as long."""


def uuid(kind: int, number: int) -> str:
    return f"019b7b1c-8f3e-7000-8{kind:03x}-{number:012x}"


def decision(number: int, **fields: object) -> Line:
    return {
        "id": uuid(0, number), "version": 1, "state": "active", "number": number + 1, "type": "process", "title": "t",
        "content": "c", "rationale": None, "tags": (), "applies_to": (), "author": "ana", "decided_by": "ana",
        "entry_id": None, "superseded_by": None, "amended_by": None, "cleared": None, "created_at": 1,
        "updated_at": 1, **fields,
    }  # fmt: skip


def entry(number: int, **fields: object) -> Line:
    return {
        "id": uuid(1, number), "version": 1, "state": "pending", "number": number + 1, "slug": f"s{number}x",
        "requested_slug": f"s{number}x", "type": "process", "title": "t", "content": "c", "rationale": None,
        "importance": None, "tags": (), "author": "ana", "reviewer": None, "note": None, "reviewed_at": None,
        "decision_id": None, "memory_id": None, "created_at": 1, "updated_at": 1, **fields,
    }  # fmt: skip


def records(decisions: list[Line], entries: list[Line]) -> Records:
    return Records({one["id"]: one for one in decisions}, {one["id"]: one for one in entries}, {})


def chain() -> Records:
    later = [decision(one, state="superseded", superseded_by=uuid(0, one + 1)) for one in range(MANY - 1)]
    # By the order of their ids each is looked at before the one that replaced it.
    return records([*later, decision(MANY - 1)], [])


def forgotten_one_by_one() -> Records:
    merged = {"state": "merged", "reviewer": "bob", "reviewed_at": 1}
    entries = [entry(one, decision_id=uuid(0, one), **merged) for one in range(MANY)]
    rest = [decision(one, entry_id=uuid(1, one - 1)) for one in range(1, MANY)]
    return records([decision(0, state="forgotten"), *rest], entries)


def same_slug() -> Records:
    return records([], [entry(one, slug="same", requested_slug="same") for one in range(MANY)])


def same_slug_of_authors_that_look_alike() -> Records:
    return records([], [entry(one, slug="same", requested_slug="same", author=f"a{'.' * one}") for one in range(400)])


@pytest.mark.parametrize("made", [chain, forgotten_one_by_one, same_slug, same_slug_of_authors_that_look_alike])
def test_a_long_ledger_takes_no_longer_than_it_is(made: Callable[[], Records]) -> None:
    given = made()
    start = time.process_time()
    resolved(given)
    assert time.process_time() - start < SECONDS_MAX


def test_forgetting_goes_as_far_as_the_words_do() -> None:
    after = resolved(forgotten_one_by_one())
    assert {one["state"] for one in after.decisions.values()} == {"forgotten"}
    # A tombstone names no proposal here, so the first one keeps its words unless its decision is the forgotten one.
    assert {one["state"] for one in after.entries.values()} == {"forgotten"}


def test_what_was_tried_for_one_slug_is_not_tried_again_for_the_next() -> None:
    asked: list[str] = []
    held: set[str] = set()

    def taken(slug: str) -> bool:
        asked.append(slug)
        return slug in held

    tried: dict[tuple[str, int], int] = {}
    given = []
    for _ in range(300):
        slug = slugs.first_free("same", "Tank", taken, tried)
        held.add(slug)
        given.append(slug)
    assert given[:3] == ["same", "same--tank", "same--tank--2"]
    assert given[-1] == "same--tank--299"
    assert len(set(given)) == 300
    assert len(asked) < 2_000


@pytest.mark.parametrize("requested", ["same", "a" * 200, "a" * 194 + "-b"])
def test_slugs_are_the_same_with_a_memory_of_what_was_tried_and_without(requested: str) -> None:
    with_memory: list[str] = []
    without: list[str] = []
    tried: dict[tuple[str, int], int] = {}
    for _ in range(120):
        with_memory.append(slugs.first_free(requested, "Tank", set(with_memory).__contains__, tried))
        without.append(slugs.first_free(requested, "Tank", set(without).__contains__))
    assert with_memory == without
