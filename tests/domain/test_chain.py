"""The hash chain: how an event is sealed and how a break is found."""

import pytest

from hansard.domain import chain
from hansard.domain.chain import ChainCheck
from hansard.domain.ledger import GENESIS, Break, Draft, Event
from hansard.domain.vocabulary import Subject


def events_of(length: int, *, project: str = "project") -> list[Event]:
    events: list[Event] = []
    previous = GENESIS
    for seq in range(1, length + 1):
        draft = Draft("entry.proposed", Subject.ENTRY, f"e{seq}", "tank", "agent", None, bytes([seq]) * 32, {})
        sealed = chain.seal(project, seq, seq * 10, draft, previous)
        events.append(
            Event(seq, seq * 10, "Tank", "tank", "agent", draft.action, draft.subject, draft.subject_id, None,
                  draft.after, {}, previous, sealed)
        )  # fmt: skip
        previous = sealed
    return events


def broken_at(events: list[Event], *, project: str = "project") -> int | None:
    check = ChainCheck(project)
    check.feed(events)
    return check.broken.seq if check.broken else None


def test_an_untouched_chain_verifies() -> None:
    check = ChainCheck("project")
    check.feed(events_of(5))
    assert check.broken is None
    assert check.count == 5
    assert check.last_state[Subject.ENTRY, "e3"] == (3, bytes([3]) * 32)


def test_an_empty_chain_verifies() -> None:
    assert broken_at([]) is None


def test_a_chain_may_be_fed_in_pieces() -> None:
    events = events_of(6)
    check = ChainCheck("project")
    check.feed(events[:2])
    check.feed(events[2:])
    assert (check.broken, check.count) == (None, 6)


@pytest.mark.parametrize("position", range(5))
def test_a_changed_event_is_the_one_named(position: int) -> None:
    events = events_of(5)
    events[position] = events[position]._replace(action="entry.merged")
    assert broken_at(events) == position + 1


@pytest.mark.parametrize("position", range(4))
def test_a_missing_event_is_the_one_named(position: int) -> None:
    events = events_of(5)
    del events[position]
    assert broken_at(events) == position + 1


def test_events_that_changed_places_are_found() -> None:
    events = events_of(5)
    events[1], events[2] = events[2], events[1]
    assert broken_at(events) == 2


def test_a_resealed_event_breaks_the_next_one() -> None:
    events = events_of(3)
    changed = events[1]._replace(action="entry.merged")
    events[1] = changed._replace(hash=chain.reseal("project", changed))
    assert broken_at(events) == 3


def test_a_chain_of_another_project_does_not_verify() -> None:
    assert broken_at(events_of(2, project="other")) == 1


def test_nothing_after_the_first_break_counts() -> None:
    events = events_of(5)
    events[2] = events[2]._replace(at=0)
    check = ChainCheck("project")
    check.feed(events)
    check.feed(events_of(1))
    assert check.count == 2
    assert check.broken == Break(3, "what it says does not match its hash")


def test_a_fingerprint_depends_on_salt_and_content_and_not_on_key_order() -> None:
    assert chain.fingerprint(b"s", {"a": 1, "b": "é"}) == chain.fingerprint(b"s", {"b": "é", "a": 1})
    assert chain.fingerprint(b"s", {"a": 1}) != chain.fingerprint(b"t", {"a": 1})
    assert chain.fingerprint(b"s", {"a": 1}) != chain.fingerprint(b"s", {"a": 2})


def test_a_tuple_and_a_list_are_written_alike() -> None:
    assert chain.canonical({"tags": ("a", "b")}) == chain.canonical({"tags": ["a", "b"]}) == '{"tags":["a","b"]}'
