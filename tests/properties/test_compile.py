"""Compiling: the same state gives the same bytes, boundaries are never dropped, and nobody's secrets are shown."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain.receipts import Block
from hansard.domain.text import is_blank
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.examples import examples
from support.marks import invariant

AGENTS = ("tank", "neo")
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200).filter(
    lambda text: not is_blank(text)
)
memories = st.fixed_dictionaries(
    {
        "content": texts,
        "agent": st.sampled_from(AGENTS),
        "type": st.sampled_from(["core_context", "learning", "pattern", "update"]),
        "importance": st.sampled_from(["high", "medium", "low"]),
        "tags": st.lists(st.sampled_from(["cross-team", "cross-team-x", "team", "db"]), max_size=2),
    }
)
decisions = st.tuples(st.sampled_from(["architectural", "scope", "process"]), texts, st.booleans())
TIGHT = Settings(
    user="ana", context_items_max=2, context_memory_tokens_max=20, context_learnings_max=3, context_relevance_floor=0.0
)


def fill(project: Project, made: list[dict[str, object]], decided: list[tuple[str, str, bool]]) -> None:
    project.remember_many(made, force=True)
    for type, content, archived in decided:
        decision = project.decide(type=type, title="T", content=content)
        if archived:
            project.archive(decision.id)


def told(project: Project, task: str | None = None) -> list[Block | None]:
    """What each agent is told. When it was told is no part of it."""
    blocks = [project.compile(agent=agent, task=task) for agent in AGENTS]
    return [one and one._replace(receipt=one.receipt._replace(at=0)) for one in blocks]


@invariant("INV-14")
@examples(30)
@given(st.lists(memories, max_size=8), st.lists(decisions, max_size=3), st.booleans())
def test_the_same_state_gives_the_same_bytes_also_after_reopening(
    made: list[dict[str, object]], decided: list[tuple[str, str, bool]], session: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hansard.db"
        with Hansard.open(path, settings=TIGHT, clock=FakeClock()) as hansard:
            project = hansard.project("shop", create=True)
            fill(project, made, decided)
            if session:
                project.start_session(focus="f", summary="s")
            first = [told(project, task) for task in (None, "db and team")]
            assert [told(project, task) for task in (None, "db and team")] == first
        with Hansard.open(path, settings=TIGHT) as hansard:
            reopened = hansard.project("shop")
            assert [told(reopened, task) for task in (None, "db and team")] == first


@invariant("INV-14")
@examples(30)
@given(st.lists(memories, max_size=10), st.integers(1, 4), st.integers(1, 60))
def test_the_receipt_accounts_for_every_candidate(made: list[dict[str, object]], items: int, tokens: int) -> None:
    settings = Settings(user="ana", context_items_max=items, context_memory_tokens_max=tokens)
    with Hansard.open(":memory:", settings=settings, clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        project.decide(type="scope", title="T", content="c")
        recorded = project.remember_many(made, force=True)
        for agent in AGENTS:
            core = [one.id for one in recorded if one.type == "core_context" and one.agent == agent]
            high = [
                one.id
                for one in recorded
                if one.type in ("learning", "pattern") and one.importance == "high"
                and (one.agent == agent or one.scope == "team")
            ]  # fmt: skip
            block = project.compile(agent=agent)
            assert block is not None
            lines = [line for line in block.receipt.lines if line.layer == "memory"]
            assert sorted(line.id for line in lines) == sorted([*core, *high[-5:]])
            included = [line for line in lines if line.fate == "included"]
            assert len(included) <= items
            assert sum(line.tokens for line in included) <= tokens
            assert block.text.count("\n- [") == len(included)


@invariant("INV-08")
@examples(30)
@given(st.lists(memories, max_size=6), st.lists(decisions, min_size=1, max_size=5))
def test_active_boundaries_come_first_and_are_never_dropped(
    made: list[dict[str, object]], decided: list[tuple[str, str, bool]]
) -> None:
    with Hansard.open(":memory:", settings=TIGHT, clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        fill(project, made, [*decided, ("scope", "the last word " * 500, False)])
        expected = [one.id for one in project.list_decisions().items[::-1] if one.type in ("architectural", "scope")]
        for block in told(project):
            assert block is not None
            assert block.text.startswith("## Boundaries and Decisions\n")
            layers = [line.layer for line in block.receipt.lines]
            assert layers == sorted(layers, key=["boundaries", "memory", "session"].index)
            assert [line.id for line in block.receipt.lines if line.layer == "boundaries"] == expected
            assert block.text.count("\n### ") == len(expected)
            assert "the last word " * 500 in block.text.replace("\n", " ")


@invariant("INV-09")
@examples(30)
@given(st.lists(memories, min_size=1, max_size=10))
def test_nobody_is_told_what_is_another_agents_alone(made: list[dict[str, object]]) -> None:
    for number, one in enumerate(made):
        one["content"] = f"memory-{number:03}-ends"
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        project.remember_many(made, force=True)
        for agent in AGENTS:
            block = project.compile(agent=agent)
            text = block.text if block else ""
            for number, one in enumerate(made):
                if one["agent"] != agent and "cross-team" not in one["tags"]:  # type: ignore[operator]
                    assert f"memory-{number:03}-ends" not in text


@invariant("INV-10")
@examples(30)
@given(st.lists(memories, min_size=1, max_size=10), st.lists(st.sampled_from(["team", "db", "cross", "d"]), min_size=1))
def test_a_search_by_tags_finds_exactly_the_memories_with_one_of_them(
    made: list[dict[str, object]], wanted: list[str]
) -> None:
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        recorded = project.remember_many(made, force=True)
        found = {one.id for one in project.list_memories(tags=wanted).items}
        assert found == {one.id for one in recorded if set(one.tags) & set(wanted)}
