"""Joining lines is a semilattice, and what a set of lines comes to depends on nothing but the set."""

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import converge, lines
from hansard.domain.converge import KINDS, Records
from hansard.domain.lines import Line
from hansard.domain.vocabulary import Subject
from support.examples import examples
from support.marks import invariant

IDS = tuple(f"00000000-0000-7000-8000-00000000000{n}" for n in range(4))
SMALL = st.integers(1, 3)
NUMBERS = SMALL | st.sampled_from([lines.NUMBER_MAX, lines.NUMBER_MAX + 1, lines.NUMBER_MAX + 2, 2**62])
NAMES = st.sampled_from(["tank", "Tank", "beta"])
TEXTS = st.sampled_from(["a", "b"])
ORIGINS = st.sampled_from([None, "agent", "imported_file"])


@st.composite
def decision(draw: st.DrawFn) -> Line:
    state = draw(st.sampled_from(["active", "archived", "superseded", "forgotten"]))
    line: Line = {
        "id": draw(st.sampled_from(IDS)), "version": draw(SMALL), "state": state, "number": draw(NUMBERS),
        "type": "scope", "title": draw(TEXTS), "content": draw(TEXTS), "rationale": None, "tags": (), "applies_to": (),
        "author": draw(NAMES), "decided_by": draw(NAMES), "entry_id": draw(st.none() | st.sampled_from(IDS)),
        "superseded_by": draw(st.sampled_from(IDS)) if state == "superseded" else None, "created_at": 1,
        "updated_at": draw(SMALL), "amended_by": draw(st.none() | NAMES),
        "cleared": draw(st.sampled_from([None, "confirmed"])),
    }  # fmt: skip
    return lines.bare(Subject.DECISION, line) if state == "forgotten" else line


@st.composite
def entry(draw: st.DrawFn) -> Line:
    state = draw(st.sampled_from(["pending", "merged", "rejected", "forgotten"]))
    reviewed = state != "pending"
    line: Line = {
        "id": draw(st.sampled_from(IDS)), "version": draw(SMALL), "state": state,
        "number": draw(NUMBERS), "slug": draw(st.sampled_from(["x", "x--beta", "y"])),
        "requested_slug": draw(st.sampled_from(["x", "y"])), "type": "scope", "title": draw(TEXTS),
        "content": draw(TEXTS), "rationale": None, "importance": None, "tags": (), "author": draw(NAMES),
        "reviewer": draw(NAMES) if reviewed else None, "note": None, "reviewed_at": draw(SMALL) if reviewed else None,
        "decision_id": draw(st.sampled_from(IDS)) if state in ("merged", "forgotten") else None, "memory_id": None,
        "created_at": 1, "updated_at": draw(SMALL), "origin": draw(ORIGINS),
    }  # fmt: skip
    return lines.bare(Subject.ENTRY, line) if state == "forgotten" else line


@st.composite
def memory(draw: st.DrawFn) -> Line:
    state = draw(st.sampled_from(["active", "retired", "forgotten"]))
    line: Line = {
        "id": draw(st.sampled_from(IDS)), "version": draw(SMALL), "state": state, "agent": draw(NAMES),
        "type": "learning", "importance": "high", "scope": "team", "source": "manual", "content": draw(TEXTS),
        "name": None, "tags": ("cross-team",), "category": None, "citations": (), "kind": None, "subject": None,
        "reason": None, "source_ref": None, "position": None, "entry_id": None,
        "decision_id": draw(st.sampled_from(IDS)), "occurred_at": None,
        "expires_at": draw(SMALL) if state == "retired" else None, "created_at": 1, "updated_at": draw(SMALL),
        "origin": draw(ORIGINS),
    }  # fmt: skip
    return lines.bare(Subject.MEMORY, line) if state == "forgotten" else line


MADE = {Subject.DECISION: decision(), Subject.ENTRY: entry(), Subject.MEMORY: memory()}
KINDS_OF_LINES = st.sampled_from(KINDS)


@st.composite
def of_one_id(draw: st.DrawFn, count: int) -> tuple[Subject, list[Line]]:
    kind = draw(KINDS_OF_LINES)
    return kind, [{**draw(MADE[kind]), "id": IDS[0]} for _ in range(count)]


@examples(500)
@given(of_one_id(3))
def test_joining_is_commutative_associative_and_idempotent(given_: tuple[Subject, list[Line]]) -> None:
    kind, (a, b, c) = given_

    def join(one: Line, other: Line) -> Line:
        return converge.join(kind, one, other)

    assert join(a, a) == a
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(join(a, b), a) == join(a, b)


@invariant("INV-05")
@examples(300)
@given(entry(), entry())
def test_a_join_reopens_nothing_and_brings_nothing_back(one: Line, other: Line) -> None:
    joined = converge.join(Subject.ENTRY, {**one, "id": IDS[0]}, {**other, "id": IDS[0]})
    rank = ["pending", "rejected", "merged", "forgotten"]
    assert joined["state"] == max(one["state"], other["state"], key=rank.index)
    assert joined["version"] == max(one["version"], other["version"])
    if joined["state"] == "forgotten":
        assert joined["content"] is None


SETS = st.tuples(st.lists(decision(), max_size=6), st.lists(entry(), max_size=6), st.lists(memory(), max_size=6))


def come_to(some: tuple[list[Line], ...]) -> Records:
    found = [converge.gathered(kind, several) for kind, several in zip(KINDS, some, strict=True)]
    return converge.resolved(Records(*(one for one, _ in found)), [each for _, apart in found for each in apart])


@examples(300)
@given(SETS, st.randoms(use_true_random=False))
def test_a_set_of_lines_comes_to_the_same_in_every_order(some: tuple[list[Line], ...], dice: random.Random) -> None:
    before = come_to(closed(some))
    mixed = tuple([*several, *several] for several in closed(some))
    for several in mixed:
        dice.shuffle(several)
    assert come_to(mixed) == before


@invariant("INV-02")
@invariant("INV-04")
@examples(300)
@given(SETS)
def test_what_a_set_comes_to_breaks_no_rule_and_comes_to_itself(some: tuple[list[Line], ...]) -> None:
    made = come_to(closed(some))
    for several in (made.decisions, made.entries):
        numbers = [one["number"] for one in several.values()]
        assert len(set(numbers)) == len(numbers)
        assert min(numbers, default=1) >= 1
        assert max(numbers, default=1) <= lines.NUMBER_MAX + len(numbers)
    slugs = [one["slug"] for one in made.entries.values()]
    assert len(set(slugs)) == len(slugs)
    requests = [(one["author"].lower(), one["requested_slug"]) for one in made.entries.values()]
    assert len(set(requests)) == len(requests)
    for start in made.decisions:
        seen: list[str] = []
        at: Any = start
        while at is not None:
            assert at not in seen, "a circle"
            seen.append(at)
            at = made.decisions[at]["superseded_by"] if at in made.decisions else None
    again = come_to(tuple(list(one.values()) for one in written(made)))
    assert written(again) == written(made)


def closed(some: tuple[list[Line], ...]) -> tuple[list[Line], ...]:
    """Without links to what is not there, as the service sees to."""
    there = {one["id"] for one in some[0]}
    decisions = [
        one if one["superseded_by"] in there | {None} else {**one, "state": "archived", "superseded_by": None}
        if one["state"] == "superseded" else {**one, "superseded_by": None}
        for one in some[0]
    ]  # fmt: skip
    entries = [one for one in some[1] if one["decision_id"] in there | {None}]
    return decisions, entries, [one for one in some[2] if one["decision_id"] in there]


def written(records: Records) -> Records:
    """As the files have it: a tombstone has no slug."""
    bare = {
        id: lines.bare(Subject.ENTRY, one) if one["state"] == "forgotten" else one
        for id, one in records.entries.items()
    }
    return records._replace(entries=bare)


@examples(300)
@given(of_one_id(1))
def test_a_line_comes_back_as_it_was_written(given_: tuple[Subject, list[Line]]) -> None:
    kind, (line,) = given_
    reading = lines.read(kind, lines.file_of([line]).encode())
    assert (reading.faults, reading.warnings) == ([], [])
    assert [one.line for one in reading.found] == [line]


@invariant("INV-12")
@examples(300)
@given(KINDS_OF_LINES, st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_no_bytes_break_the_reader_of_a_ledger(kind: Subject, data: bytes) -> None:
    reading = lines.read(kind, data)
    assert reading.found == []


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@invariant("INV-12")
@examples(400)
@given(of_one_id(1), st.data())
def test_no_value_of_a_field_breaks_the_reader_of_a_ledger(
    given_: tuple[Subject, list[Line]], data: st.DataObject
) -> None:
    kind, (line,) = given_
    field = data.draw(st.sampled_from(sorted(line)))
    said = json.dumps({**line, field: data.draw(JSON)})
    reading = lines.read(kind, said.encode())
    assert len(reading.found) + len(reading.faults) == 1
