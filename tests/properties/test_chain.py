"""The chain: any change of any field of any event breaks it at that event."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import chain
from hansard.domain.chain import ChainCheck
from hansard.domain.ledger import GENESIS, Draft, Event
from hansard.domain.vocabulary import Subject
from support.examples import examples
from support.marks import invariant

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
digests = st.none() | st.binary(min_size=32, max_size=32)
drafts = st.builds(
    Draft,
    action=words,
    subject=st.sampled_from(Subject),
    subject_id=words,
    actor_key=words,
    role=words,
    before=digests,
    after=digests,
    details=st.dictionaries(words, words, max_size=2),
)
CHANGES: dict[str, st.SearchStrategy[object]] = {
    "seq": st.integers(0, 20), "at": st.integers(0, 10_000), "actor_key": words, "role": words, "action": words,
    "subject": st.sampled_from(Subject), "subject_id": words, "before": digests, "after": digests,
    "details": st.dictionaries(words, words, max_size=2), "previous": st.binary(min_size=32, max_size=32),
    "hash": st.binary(min_size=32, max_size=32),
}  # fmt: skip


def sealed(given_: list[Draft], project: str = "project") -> list[Event]:
    events: list[Event] = []
    previous = GENESIS
    for seq, draft in enumerate(given_, 1):
        hash = chain.seal(project, seq, seq * 7, draft, previous)
        events.append(
            Event(seq, seq * 7, draft.actor_key, draft.actor_key, draft.role, draft.action, draft.subject,
                  draft.subject_id, draft.before, draft.after, draft.details, previous, hash)
        )  # fmt: skip
        previous = hash
    return events


def broken_at(events: list[Event], project: str = "project") -> int | None:
    check = ChainCheck(project)
    check.feed(events)
    return check.broken.seq if check.broken else None


@invariant("INV-23")
@examples(200)
@given(st.lists(drafts, max_size=8))
def test_an_untouched_chain_always_verifies(given_: list[Draft]) -> None:
    assert broken_at(sealed(given_)) is None


@invariant("INV-23")
@examples(200)
@given(st.lists(drafts, min_size=1, max_size=8), st.data())
def test_any_change_of_any_field_breaks_the_chain_at_that_event(given_: list[Draft], data: st.DataObject) -> None:
    events = sealed(given_)
    position = data.draw(st.integers(0, len(events) - 1))
    field = data.draw(st.sampled_from(sorted(CHANGES)))
    value = data.draw(CHANGES[field])
    changed = events[position]._replace(**{field: value})  # type: ignore[arg-type]
    if changed == events[position]:
        return
    events[position] = changed
    assert broken_at(events) == position + 1


@invariant("INV-23")
@examples(200)
@given(st.lists(drafts, min_size=2, max_size=8), st.data())
def test_losing_or_swapping_events_is_found_where_it_begins(given_: list[Draft], data: st.DataObject) -> None:
    events = sealed(given_)
    position = data.draw(st.integers(0, len(events) - 2))
    assert broken_at(events[:position] + events[position + 1 :]) == position + 1
    swapped = list(events)
    swapped[position], swapped[position + 1] = swapped[position + 1], swapped[position]
    assert broken_at(swapped) == position + 1


@examples(150)
@given(drafts, drafts, words, words)
def test_two_different_events_never_have_one_seal(one: Draft, other: Draft, project: str, another: str) -> None:
    if (one, project) != (other, another):
        assert chain.seal(project, 1, 1, one, GENESIS) != chain.seal(another, 1, 1, other, GENESIS)


@examples(200)
@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16), words, words)
def test_a_fingerprint_tells_contents_and_salts_apart(salt: bytes, other: bytes, content: str, changed: str) -> None:
    told = chain.fingerprint(salt, {"content": content})
    assert (told == chain.fingerprint(other, {"content": content})) is (salt == other)
    assert (told == chain.fingerprint(salt, {"content": changed})) is (content == changed)
