"""Recall: whatever is written and whoever asks, nobody gets what is another agent's alone, and no query fails."""

import uuid
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard import Actor, Hansard
from hansard.domain.errors import Invalid
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.examples import examples
from support.marks import invariant

AGENTS = ("tank", "Neo", "日本")
WORDS = ("zeppelin", "invoice", "retry", "limit", "blue", "2024", "may", "who", "データ", "parseConfig", "?", "😀")
LIVES = {"manual": None, "session_summary": 3, "task_completion": 7, "file_index": 30}

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join) | st.text(min_size=1, max_size=40)
notes = st.lists(
    st.fixed_dictionaries(
        {
            "content": texts,
            "agent": st.sampled_from(AGENTS),
            "scope": st.sampled_from(["agent", "team"]),
            "source": st.sampled_from(sorted(LIVES)),
            "source_ref": st.none() | st.sampled_from(["chat", "mail"]),
            "position": st.none() | st.integers(0, 4),
        }
    ),
    max_size=12,
)
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join) | st.text(max_size=60)


def usable(notes: list[dict[str, object]], project: Project) -> list[dict[str, object]]:
    """The notes that can be stored; what is no text is refused, and that is another test's matter."""
    kept = []
    for note in notes:
        try:
            project.remember_many([note])
        except Invalid:
            continue
        kept.append(note)
    return kept


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hansard, FakeClock]]:
    clock = FakeClock()
    place = tmp_path_factory.mktemp("recall") / "hansard.db"
    with Hansard.open(place, settings=Settings(user="ana"), clock=clock) as hansard:
        yield hansard, clock


@invariant("INV-09")
@examples(50)
@given(notes, queries, st.sampled_from(["all", "agent", "team"]), st.sampled_from([1, 5, 200]))
def test_nobody_finds_what_is_another_agents_alone(
    opened: tuple[Hansard, FakeClock], written: list[dict[str, object]], query: str, scope: str, limit: int
) -> None:
    hansard, _ = opened
    project = hansard.project(f"p-{uuid.uuid4().hex}", create=True)
    kept = usable(written, project)
    for name in (*AGENTS, "stranger"):
        for role in ("agent", "lead"):
            reader = hansard.project(project.key, actor=Actor(name, role=role))
            try:
                hits = reader.recall(query, scope=scope, limit=limit)
            except Invalid:
                continue
            for hit in hits:
                mine, shared = hit.memory.agent == name, hit.memory.scope == "team"
                assert {"all": mine or shared, "agent": mine and not shared, "team": shared}[scope]
                assert 0 <= hit.relevance <= 1
                assert reader.get_memory(hit.memory.id) == hit.memory
            assert len({hit.memory.id for hit in hits}) == len(hits) <= min(limit, len(kept))


@invariant("INV-15")
@examples(40)
@given(notes, st.sampled_from(WORDS[:8]), st.integers(0, 31))
def test_nobody_finds_what_has_expired(
    opened: tuple[Hansard, FakeClock], written: list[dict[str, object]], query: str, days: int
) -> None:
    hansard, clock = opened
    project = hansard.project(f"p-{uuid.uuid4().hex}", create=True)
    usable(written, project)
    project.recall(query, agent="tank")
    clock.advance(days=days)
    for hit in project.recall(query, limit=200):
        life = LIVES[hit.memory.source]
        assert life is None or days < life
    for memory in project.list_memories(expired=True).items:
        assert project.get_memory(memory.id) == memory


@invariant("INV-09")
@examples(40)
@given(notes, st.sampled_from(WORDS[:8]))
def test_own_and_shared_words_are_always_found_however_many_secrets_there_are(
    opened: tuple[Hansard, FakeClock], written: list[dict[str, object]], query: str
) -> None:
    hansard, _ = opened
    project = hansard.project(f"p-{uuid.uuid4().hex}", create=True)
    usable(written, project)
    project.remember_many([{"content": f"{query} {query} {number}", "agent": "smith"} for number in range(60)])
    mine = project.remember(f"a weak mention of {query} among many other words that say nothing", agent="tank")
    found = {hit.memory.id for hit in project.recall(query, agent="tank", limit=200)}
    assert mine.id in found
    asked = {word for word in query.split() if word.isalnum()}
    for memory in project.list_memories(expired=True).items:
        visible = memory.agent == "tank" or memory.scope == "team"
        if visible and asked & set(memory.content.split()):
            assert memory.id in found


@examples(150)
@given(st.text(max_size=300), st.integers(1, 200))
def test_any_query_is_answered_or_refused_as_no_text(opened: tuple[Hansard, FakeClock], query: str, limit: int) -> None:
    hansard, _ = opened
    project = hansard.project("any", create=True)
    project.remember_many([{"content": word, "agent": "tank"} for word in WORDS if word.isalnum()])
    try:
        hits = project.recall(query, agent="tank", limit=limit)
    except Invalid:
        return
    assert len(hits) <= limit
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
