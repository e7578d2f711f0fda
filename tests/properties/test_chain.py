"""The chain: any change of any field of any event breaks it at that event."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import chain
from hansard.domain.chain import ChainCheck
from hansard.domain.ledger import GENESIS, Draft, Event
from hansard.domain.memories import BODY_FIELDS, Memory, bodies
from hansard.domain.vocabulary import Clearance, FactKind, Importance, MemoryType, Origin, Scope, Source, Subject
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
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(0, 3)
memories = st.builds(
    Memory,
    id=words, agent=words, type=st.sampled_from(MemoryType), importance=st.sampled_from(Importance),
    scope=st.sampled_from(Scope), source=st.sampled_from(Source), content=texts, name=st.none() | texts,
    tags=st.lists(texts, max_size=2).map(tuple), category=st.none() | texts,
    citations=st.lists(texts, max_size=2).map(tuple), kind=st.none() | st.sampled_from(FactKind),
    subject=st.none() | texts, reason=st.none() | texts, source_ref=st.none() | texts, position=st.none() | numbers,
    run_id=st.none() | words, session_id=st.none() | words, entry_id=st.none() | words, decision_id=st.none() | words,
    occurred_at=st.none() | numbers, expires_at=st.none() | numbers, forgotten_at=st.none() | numbers,
    access_count=numbers, accessed_at=st.none() | numbers, version=numbers, created_at=numbers, updated_at=numbers,
    salt=st.binary(min_size=1, max_size=16), origin=st.none() | st.sampled_from(Origin),
    quarantined_at=st.none() | numbers, signs=st.lists(texts, max_size=2).map(tuple),
    cleared=st.none() | st.sampled_from(Clearance),
)  # fmt: skip
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


@invariant("INV-23")
@examples(200)
@given(st.lists(memories, min_size=1, max_size=6))
def test_many_memories_at_once_have_the_fingerprints_that_each_has(given_: list[Memory]) -> None:
    alone = [chain.fingerprint(one.salt or b"", one.body()) for one in given_]

    assert list(chain.fingerprints([one.salt or b"" for one in given_], bodies(given_))) == alone


@given(memories)
def test_a_memory_says_the_same_by_itself_and_among_many(memory: Memory) -> None:
    assert {name: values[0] for name, values in bodies([memory]).items()} == memory.body()
    assert tuple(memory.body()) == BODY_FIELDS
