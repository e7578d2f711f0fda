"""The index of a project: what changes is followed, what is not visible has no influence, arms are exact."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hansard.domain.questions import read
from hansard.domain.units import IndexRow
from hansard.embedding.static import bundled
from hansard.index.project import Found, ProjectIndex, Sight
from hansard.index.rows import pack_flags, pack_vectors
from hansard.index.search import nearest
from hansard.index.view import top
from index import NOW, flat, gone, rows_of
from support.examples import examples
from support.marks import invariant

TANK = Sight("tank", NOW)
QUESTION = "Where do we keep the quarterly invoices?"
ANSWER = "In the blue cabinet."


def filled(*several: list[IndexRow], dimensions: int = 256) -> ProjectIndex:
    index = ProjectIndex(bundled(), dimensions)
    index.apply(flat(several), 1)
    return index


def found(index: ProjectIndex, query: str, sight: Sight = TANK, limit: int = 50) -> list[Found]:
    return index.search(read(query), bundled().embed([query])[0], sight, limit)


def seqs(index: ProjectIndex, query: str, sight: Sight = TANK) -> list[int]:
    return [one.memory_seq for one in found(index, query, sight)]


def test_a_changed_memory_replaces_itself_and_one_that_is_gone_leaves() -> None:
    index = filled(rows_of(1, "The zeppelin lands at noon."), rows_of(2, "The tractor is green."))
    assert seqs(index, "zeppelin")[0] == 1
    index.apply(rows_of(1, "The submarine dives at noon."), 2)
    assert found(index, "zeppelin")[0].coverage < 0.5
    assert found(index, "submarine")[0].coverage == pytest.approx(1.0)
    assert (index.count, index.stamp) == (2, 2)
    index.apply([gone(1)], 3)
    assert seqs(index, "submarine") == [2]
    assert (index.count, index.stamp) == (1, 3)


def test_a_memory_says_how_much_of_the_question_it_holds_itself() -> None:
    index = filled(
        rows_of(1, QUESTION, ref="chat", position=0), rows_of(2, ANSWER, ref="chat", position=1),
    )  # fmt: skip
    held = {one.memory_seq: (one.held, one.coverage) for one in found(index, QUESTION)}

    assert held[1] == pytest.approx((1.0, 1.0), abs=0.01)
    assert held[2][0] < 0.3 < 0.9 < held[2][1]


def test_an_empty_index_finds_nothing() -> None:
    assert found(ProjectIndex(bundled(), 256), "anything") == []


def test_a_memory_of_many_pieces_is_found_by_a_word_in_its_last_one_and_once() -> None:
    text = "The meeting went on about the budget of the department. " * 60 + "Finally somebody mentioned the zeppelin."
    rows = rows_of(1, text)
    assert len(rows) > 5
    index = filled(rows, *[rows_of(seq, f"The budget of the department, part {seq}.") for seq in range(2, 40)])
    hits = found(index, "zeppelin")
    assert hits[0].memory_seq == 1
    assert hits[0].coverage == pytest.approx(1.0)
    assert len(hits) == len({one.memory_seq for one in hits})


@pytest.mark.parametrize(
    ("sight", "expected"),
    [
        (Sight("tank", NOW), {1, 2, 4}),
        (Sight("tank", NOW, team=False), {1}),
        (Sight("tank", NOW, own=False), {2, 4}),
        (Sight("neo", NOW), {2, 3, 4}),
        (Sight("nobody", NOW), {2, 4}),
        (Sight(None, NOW), {1, 2, 3, 4}),
        (Sight(None, NOW, team=False), {1, 3}),
        (Sight(None, NOW, own=False), {2, 4}),
        (Sight("tank", NOW, source="file_index"), {2}),
        (Sight("tank", NOW, source="unheard_of"), set()),
        (Sight("tank", NOW + 1_000), {1, 2}),
        (Sight("tank", NOW, own=False, team=False), set()),
    ],
)
@invariant("INV-09")
def test_a_reader_finds_what_is_its_own_or_the_teams(sight: Sight, expected: set[int]) -> None:
    index = filled(
        rows_of(1, "zeppelin one"),
        rows_of(2, "zeppelin two", team=True, source="file_index"),
        rows_of(3, "zeppelin three", agent="neo"),
        rows_of(4, "zeppelin four", agent="neo", team=True, expires_at=NOW + 1_000),
    )
    assert set(seqs(index, "zeppelin", sight)) == expected


def answer_coverage(*others: list[IndexRow], sight: Sight = TANK) -> float:
    index = filled(*others, rows_of(9, ANSWER, ref="chat", position=1))
    return next(one.coverage for one in found(index, QUESTION, sight) if one.memory_seq == 9)


def test_an_answer_is_found_by_the_words_of_the_question_before_it() -> None:
    assert answer_coverage(rows_of(1, QUESTION, ref="chat", position=0)) > 0.9
    assert answer_coverage() < 0.3


@invariant("INV-09")
def test_a_neighbour_that_cannot_be_seen_lends_no_words() -> None:
    alone = answer_coverage()
    assert answer_coverage(rows_of(1, QUESTION, agent="neo", ref="chat", position=0)) == alone
    assert answer_coverage(rows_of(1, QUESTION, agent="neo", team=True, ref="chat", position=0)) > 0.9


@invariant("INV-15")
def test_a_neighbour_that_has_expired_lends_no_words() -> None:
    alone = answer_coverage()
    assert answer_coverage(rows_of(1, QUESTION, ref="chat", position=0, expires_at=NOW)) == alone
    assert answer_coverage(rows_of(1, QUESTION, ref="chat", position=0, expires_at=NOW + 1)) > 0.9


@pytest.mark.parametrize(
    "other",
    [
        rows_of(1, QUESTION, ref="another chat", position=0),
        rows_of(1, QUESTION, ref="chat", position=7),
        rows_of(1, QUESTION),
    ],
    ids=["another source", "far away", "no source"],
)
def test_only_what_stands_next_to_it_is_a_neighbour(other: list[IndexRow]) -> None:
    assert answer_coverage(other) < 0.3


@invariant("INV-09")
def test_what_others_keep_of_the_same_conversation_changes_nothing() -> None:
    mine = [rows_of(seq, text, ref="chat", position=seq) for seq, text in enumerate([QUESTION, ANSWER, "Thanks."])]
    theirs = [
        rows_of(10 + seq, text, agent="neo", ref="chat", position=seq)
        for seq, text in enumerate([QUESTION, ANSWER, "You are welcome."])
    ]
    assert found(filled(*mine, *theirs), QUESTION) == found(filled(*mine), QUESTION)


TOPICS = ["zeppelin", "invoices", "blue cabinet", "tractor", "when", "may 2024", "deploy", "retry limit"]
NOTES = st.lists(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=5).map(" ".join), max_size=8)


@invariant("INV-09")
@examples(60)
@given(NOTES, NOTES, st.sampled_from([*TOPICS, "where is the tractor now"]))
def test_other_agents_secrets_do_not_even_move_a_number(mine: list[str], theirs: list[str], query: str) -> None:
    own = [rows_of(seq, text) for seq, text in enumerate(mine)]
    secret = [rows_of(1_000 + seq, text, agent="neo") for seq, text in enumerate(theirs)]
    alone, together = found(filled(*own), query), found(filled(*secret, *own), query)
    assert sorted(together) == sorted(alone)


def random_index(random: np.random.Generator, agents: list[str]) -> tuple[ProjectIndex, NDArray[np.float64]]:
    vectors = random.standard_normal((len(agents), 96))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    packed = pack_vectors(vectors.astype(np.float32))
    index = ProjectIndex(bundled(), 96)
    flags = pack_flags(asks=False, names_time=False, terms=1)
    index.apply(
        [
            IndexRow(seq, 0, flags, b"\x10\x27", b"", vector, agent, 0, "manual", None, None, None, NOW)
            for seq, (vector, agent) in enumerate(zip(packed, agents, strict=True))
        ],
        1,
    )
    return index, vectors


@pytest.mark.parametrize("depth", [200, 300])
@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_the_vector_arm_finds_what_an_exact_scan_finds(depth: int, share: float) -> None:
    random = np.random.default_rng(depth)
    agents = ["tank" if draw < share else "neo" for draw in random.random(50_000).tolist()]
    index, vectors = random_index(random, agents)
    mine = np.flatnonzero([agent == "tank" for agent in agents])
    view = index.view(TANK)
    for _ in range(10):
        query = random.standard_normal(96)
        query /= np.linalg.norm(query)
        exact = mine[np.argsort(-(vectors[mine] @ query), kind="stable")[:depth]]
        got = nearest(view, query.astype(np.float32), depth)
        assert len(got) == len(exact)
        assert len(set(got.tolist()) & set(exact.tolist())) >= 0.99 * len(exact)


def scores() -> Iterator[NDArray[np.float32]]:
    random = np.random.default_rng(5)
    yield np.arange(30_000, dtype=np.float32)
    yield np.arange(30_000, dtype=np.float32)[::-1].copy()
    yield np.zeros(30_000, np.float32)
    yield random.integers(0, 3, 30_000).astype(np.float32)
    yield np.where(np.arange(30_000) % 7 == 0, np.float32(0.9), np.float32(0.1))
    yield (random.random(30_000) ** 40).astype(np.float32)


@pytest.mark.parametrize("limit", [1, 200, 7_000, 29_999, 30_000, 50_000])
def test_the_largest_scores_are_taken_whatever_their_shape(limit: int) -> None:
    for one in scores():
        taken = one[top(one, limit)]
        assert sorted(taken.tolist()) == sorted(one.tolist())[-limit:]


@contextmanager
def switching_often() -> Iterator[None]:
    """Lets threads take turns as often as possible, so that a race has its chance."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def test_readers_search_while_a_writer_goes_on() -> None:
    index = filled(*[rows_of(seq, f"zeppelin number {seq} landed", ref="chat", position=seq) for seq in range(50)])
    changes = [rows_of(seq, f"zeppelin number {seq} left", ref="chat", position=seq) for seq in range(25, 125)]
    secret = [
        rows_of(1_000 + seq, f"zeppelin secret {seq}", agent="neo", ref="chat", position=seq) for seq in range(100)
    ]
    done = threading.Event()

    def reader() -> int:
        searches = 0
        while not done.is_set():
            assert all(one.memory_seq < 1_000 for one in found(index, "zeppelin left"))
            searches += 1
        return searches

    with switching_often(), ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(reader) for _ in range(2)]
        for stamp, (mine, theirs) in enumerate(zip(changes, secret, strict=True), 2):
            with index.lock:
                index.apply([*mine, *theirs], stamp)
        done.set()
    assert all(one.result() > 0 for one in readers)
    assert index.count == 225
    assert len(found(index, "zeppelin left", limit=500)) == 125


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.sampled_from(["tank", "neo"]),
        st.booleans(),
        st.sampled_from([None, 5, 40]),
        st.sampled_from([None, "chat"]),
        st.integers(0, 4),
        st.lists(st.sampled_from([*TOPICS, QUESTION]), max_size=4).map(" ".join),
    ),
    max_size=10,
)
ASKED = st.lists(st.tuples(st.sampled_from(["tank", "neo", None]), st.integers(0, 60)), min_size=1, max_size=3)


@invariant("INV-15")
@examples(40)
@given(CHANGES, ASKED, st.sampled_from([*TOPICS, QUESTION]))
def test_an_index_that_followed_many_changes_says_what_a_fresh_one_says(
    changes: list[tuple[int, str, bool, int | None, str | None, int, str]],
    asked: list[tuple[str | None, int]],
    query: str,
) -> None:
    index, current = ProjectIndex(bundled(), 256), dict[int, list[IndexRow]]()
    for stamp, (seq, agent, team, life, ref, position, text) in enumerate(changes, 1):
        expires = None if life is None else NOW + life
        rows = rows_of(seq, text, agent=agent, team=team, expires_at=expires, ref=ref, position=position)
        current[seq] = rows if text else []
        index.apply(rows if text else [gone(seq)], stamp)
        for reader, later in asked:
            sight = Sight(reader, NOW + later)
            fresh = found(filled(*(current[one] for one in sorted(current))), query, sight)
            assert rounded(found(index, query, sight)) == rounded(fresh)


def rounded(hits: list[Found]) -> list[tuple[float, ...]]:
    return sorted(tuple(round(float(number), 4) for number in hit) for hit in hits)
