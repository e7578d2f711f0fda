"""Memories: recorded, seen by the right agents, listed by whole tags, edited."""

from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Invalid, StaleVersion, TooLarge, UnknownMemory, UnknownRun, UnknownValue
from hansard.domain.vocabulary import Importance, MemoryType, Scope, Source
from hansard.project import Project
from support.marks import invariant


def contents(project: Project, **wanted: object) -> list[str]:
    return [one.content for one in project.list_memories(**wanted).items]  # type: ignore[arg-type]


def test_a_memory_has_sensible_defaults(project: Project) -> None:
    memory = project.remember("x", agent="smith")
    assert (memory.type, memory.importance, memory.scope) == (MemoryType.LEARNING, Importance.MEDIUM, Scope.AGENT)
    assert (memory.source, memory.tags, memory.version) == (Source.MANUAL, (), 1)
    assert project.get_memory(memory.id) == memory


def test_a_memory_keeps_everything_it_was_given(project: Project) -> None:
    run = project.start_run(agent="smith")
    memory = project.remember(
        "x", agent="smith", type="pattern", importance="low", tags=["a", "b"], scope="team", source="extraction",
        name="n", category="c", citations=["f.py:1", "f.py:1", "g.py"], kind="reference", subject="s", reason="r",
        source_ref="chat-7", position=3, run_id=run.id, session_id="sess-1", origin="agent",
    )  # fmt: skip
    assert (memory.tags, memory.scope, memory.source) == (("a", "b", "cross-team"), "team", "extraction")
    assert (memory.name, memory.category, memory.citations) == ("n", "c", ("f.py:1", "g.py"))
    assert (memory.kind, memory.subject, memory.reason) == ("reference", "s", "r")
    assert (memory.source_ref, memory.position, memory.run_id) == ("chat-7", 3, run.id)
    assert memory.session_id == "sess-1"
    assert project.list_memories().items == (memory,)


def test_many_at_once_are_what_each_would_be_and_their_history_verifies(project: Project) -> None:
    several: list[dict[str, Any]] = [
        {"tags": ["a"]}, {"scope": "team", "name": "n"}, {"citations": ["f.py"], "category": "c"}, {"position": 3},
        {"origin": "external", "importance": "high"}, {"kind": "reference", "subject": "s"}, {"source": "extraction"},
        {},
    ]  # fmt: skip
    items = [{"content": f"Lesson {n}", "agent": "Tank", **one} for n, one in enumerate(several * 2)]

    made = project.remember_many(items, force=True)
    alone = [project.remember(one.pop("content"), force=True, **one) for one in items]

    own: dict[str, Any] = {
        "id": "",
        "created_at": 0,
        "updated_at": 0,
        "quarantined_at": 0,
        "expires_at": 0,
        "salt": b"",
    }
    assert [one._replace(**own) for one in made] == [one._replace(**own) for one in alone]
    assert [one.is_quarantined for one in made] == [one.is_quarantined for one in alone]
    assert [project.get_memory(one.id) for one in made] == list(made)
    assert project.verify().ok


def test_many_are_recorded_in_one_go_or_not_at_all(project: Project) -> None:
    made = project.remember_many({"content": str(number), "agent": "a", "tags": "x"} for number in range(50))
    assert [one.content for one in made] == [str(number) for number in range(50)]
    assert contents(project, tags="x") == [str(number) for number in range(49, -1, -1)]
    head = project.verify().events
    with pytest.raises(Invalid, match=r"^number 2: "):
        project.remember_many([{"content": "fine", "agent": "a"}, {"content": "\x00", "agent": "a"}])
    with pytest.raises(UnknownRun, match=r"^number 2: "):
        project.remember_many([{"content": "fine", "agent": "a"}, {"content": "b", "agent": "a", "run_id": "?"}])
    with pytest.raises(Invalid, match="no field 'colour'"):
        project.remember_many([{"content": "fine", "agent": "a", "colour": "red"}])
    with pytest.raises(Invalid, match="needs content and agent"):
        project.remember_many([{"content": "fine"}])
    assert project.remember_many([]) == ()
    assert project.verify().events == head


def test_lists_filter_by_agent_type_importance_scope_and_source(project: Project) -> None:
    project.remember("a", agent="Smith", type="learning", importance="high")
    project.remember("b", agent="smith", type="learning", importance="low", scope="swarm")
    project.remember("c", agent="smith", type="pattern", importance="high", source="extraction", origin="agent")
    project.remember("d", agent="neo", type="learning", importance="high")
    assert contents(project, agent="SMITH", type="learning", importance="high") == ["a"]
    assert contents(project, agent="smith") == ["c", "b", "a"]
    assert contents(project, scope="team") == ["b"]
    assert contents(project, source="extraction") == ["c"]
    assert contents(project, agent="nobody") == []
    assert contents(project, text="D") == ["d"]
    with pytest.raises(UnknownValue):
        contents(project, type="scope")
    with pytest.raises(UnknownValue):
        contents(project, importance="urgent")


@invariant("INV-10")
def test_tags_match_as_whole_words_and_any_of_them_is_enough(project: Project) -> None:
    project.remember("a", agent="x", tags="cross-team, database")
    project.remember("b", agent="x", tags=["unrelated"])
    project.remember("c", agent="x", tags=["data"])
    assert contents(project, tags="database") == ["a"]
    assert contents(project, tags="team") == []
    assert contents(project, tags="base") == []
    assert contents(project, tags="%") == []
    assert contents(project, tags=["nothing", "Database", "data"]) == ["c", "a"]
    assert contents(project, tags="database", type="pattern") == []


@invariant("INV-09")
def test_a_memory_is_seen_by_its_agent_and_by_others_only_if_shared(hansard: Hansard, project: Project) -> None:
    tank = hansard.project("shop", actor=Actor("Tank"))
    neo = hansard.project("shop", actor=Actor("neo"))
    private = tank.remember("private", importance="high")
    shared = tank.remember("shared", scope="team", importance="high")
    tagged = tank.remember("tagged", tags="cross-team", importance="high")
    core = tank.remember("core", type="core_context", tags="cross-team")
    assert contents(neo) == ["core", "tagged", "shared"]
    assert contents(tank) == ["core", "tagged", "shared", "private"]
    assert contents(project) == ["core", "tagged", "shared", "private"]
    assert neo.get_memory(shared.id) == shared
    for call in (neo.get_memory, neo.forget, neo.memory_versions):
        with pytest.raises(UnknownMemory):
            call(private.id)
    with pytest.raises(UnknownMemory):
        neo.edit_memory(private.id, content="x")
    with pytest.raises(UnknownMemory):
        project.get_memory(private.id, agent="neo")
    block = neo.compile()
    assert block is not None
    assert block.text.endswith("\n- [learning from Tank] tagged\n- [learning from Tank] shared\n")
    assert {line.id for line in block.receipt.lines} == {shared.id, tagged.id}
    with pytest.raises(Denied):
        neo.compile(agent="tank")
    assert core.id not in block.text


@invariant("INV-09")
def test_a_shared_memory_is_changed_by_its_own_agent_only(hansard: Hansard, project: Project) -> None:
    shared = project.remember("shared", agent="tank", scope="team")
    neo = hansard.project("shop", actor=Actor("neo"))
    with pytest.raises(Denied):
        neo.edit_memory(shared.id, content="mine now")
    with pytest.raises(Denied):
        neo.forget(shared.id)
    assert project.get_memory(shared.id) == shared


def test_an_edit_is_versioned_and_guarded_by_the_expected_version(project: Project) -> None:
    memory = project.remember("v1", agent="tank", tags="a")
    edited = project.edit_memory(
        memory.id, agent="tank", expected_version=1, content="v2", name="n", type="pattern", importance="high",
        tags="b", citations=["x"],
    )  # fmt: skip
    assert (edited.version, edited.content, edited.type, edited.tags) == (2, "v2", "pattern", ("b",))
    with pytest.raises(StaleVersion, match="version 2, not 1"):
        project.edit_memory(memory.id, by="ana", expected_version=1, content="v3")
    assert (contents(project, tags="a"), contents(project, tags="b")) == ([], ["v2"])
    current, revisions = project.memory_versions(memory.id)
    assert current == edited
    assert [(one.version, one.body["content"], one.body["tags"]) for one in revisions] == [(1, "v1", ["a"])]


def test_an_edit_without_a_change_changes_nothing(project: Project) -> None:
    memory = project.remember("v1", agent="tank")
    assert project.edit_memory(memory.id, agent="tank", content="v1") == memory
    with pytest.raises(Invalid, match="Nothing to change"):
        project.edit_memory(memory.id, agent="tank")
    with pytest.raises(Invalid, match="'agent_key' of a memory cannot be changed"):
        project.edit_memory(memory.id, agent_key="neo")


@pytest.mark.parametrize("id", ["", "x", "01900000-0000-7000-8000-000000000000", "\x00", "\ud800"])
def test_an_unknown_memory_is_not_found(project: Project, id: str) -> None:
    for call in (project.get_memory, project.forget, project.memory_versions):
        with pytest.raises(UnknownMemory):
            call(id)


@pytest.mark.parametrize(
    "fields",
    [
        {"citations": ["c" * 1_001]}, {"citations": [str(n) for n in range(51)]}, {"name": "n" * 501},
        {"reason": "r" * 4_097}, {"category": "c" * 201}, {"tags": [str(n) for n in range(33)]},
    ],
)  # fmt: skip
def test_fields_have_limits(project: Project, fields: dict[str, Any]) -> None:
    with pytest.raises(TooLarge):
        project.remember("x", agent="tank", **fields)
    assert contents(project) == []
