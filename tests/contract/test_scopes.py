"""Scopes: who finds, reads, shares and hands out what, and that the caller alone says who is asking."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import (
    Denied,
    Forgotten,
    HansardError,
    Impersonation,
    Invalid,
    TooLarge,
    UnknownAgent,
    UnknownMemory,
    UnknownValue,
)
from hansard.domain.vocabulary import Category, Importance, MemoryType, Scope, Source
from hansard.project import Project
from support.marks import invariant
from support.raw import raw

WEAK = "Somewhere in a long list of other things the word zeppelin is mentioned once, among tractors and cabinets."


def found(project: Project, query: str = "zeppelin", **wanted: object) -> set[str]:
    return {hit.memory.content for hit in project.recall(query, limit=200, **wanted)}  # type: ignore[arg-type]


@pytest.fixture
def tank(hansard: Hansard, project: Project) -> Project:
    return hansard.project("shop", actor=Actor("Tank"))


@pytest.fixture
def neo(hansard: Hansard, project: Project) -> Project:
    return hansard.project("shop", actor=Actor("neo"))


@pytest.fixture
def lead(hansard: Hansard, project: Project) -> Project:
    return hansard.project("shop", actor=Actor("morpheus", role="lead"))


@pytest.fixture
def spread(tank: Project, neo: Project, lead: Project) -> None:
    tank.remember("zeppelin of tank alone")
    tank.remember("zeppelin of tank for all", scope="team")
    neo.remember("zeppelin of neo alone")
    neo.remember("zeppelin of neo for all", tags="cross-team")
    lead.remember("zeppelin of the lead alone")


TEAM = {"zeppelin of tank for all", "zeppelin of neo for all"}


@invariant("INV-09")
@pytest.mark.usefixtures("spread")
def test_every_search_sees_its_own_and_the_teams_and_no_more(tank: Project, neo: Project, lead: Project) -> None:
    assert found(tank) == TEAM | {"zeppelin of tank alone"}
    assert found(tank, scope="all") == found(tank)
    assert found(tank, scope="agent") == {"zeppelin of tank alone"}
    assert found(tank, scope="team") == found(tank, scope="Swarm") == TEAM
    assert found(neo) == TEAM | {"zeppelin of neo alone"}
    assert found(lead) == TEAM | {"zeppelin of the lead alone"}
    assert found(lead, scope="agent") == {"zeppelin of the lead alone"}


@invariant("INV-09")
@pytest.mark.usefixtures("spread")
def test_a_service_is_no_person_and_an_actor_without_a_role_is_nobody(hansard: Hansard) -> None:
    assert found(hansard.project("shop", actor=Actor("syncer", role="service"))) == TEAM
    with pytest.raises(Denied):
        found(hansard.project("shop", actor=Actor("tank", role=[])))


@pytest.mark.usefixtures("spread")
def test_a_person_sees_everything(hansard: Hansard, project: Project) -> None:
    assert len(found(project)) == 5
    assert found(hansard.project("shop", actor=Actor("ana", role="human")), scope="team") == TEAM
    assert len(found(project, scope="agent")) == 3


@invariant("INV-09")
@pytest.mark.usefixtures("spread")
def test_the_caller_says_who_asks_and_never_the_request(tank: Project, project: Project) -> None:
    for name in ("neo", "NEO", "morpheus"):
        with pytest.raises(Impersonation):
            found(tank, agent=name)
    assert found(tank, agent=" TANK ") == found(tank)
    assert found(project, agent="neo") == TEAM | {"zeppelin of neo alone"}


@invariant("INV-09")
def test_three_hundred_secrets_that_match_better_never_push_mine_out(tank: Project, neo: Project) -> None:
    neo.remember_many([{"content": f"zeppelin zeppelin number {number}"} for number in range(300)])
    tank.remember(WEAK)
    for limit in (1, 5, 200):
        for query in ("zeppelin", "zeppelin number 7"):
            assert [hit.memory.content for hit in tank.recall(query, limit=limit)] == [WEAK]
            assert [hit.memory.content for hit in tank.recall(query, limit=limit, scope="agent")] == [WEAK]
            assert tank.recall(query, limit=limit, scope="team") == ()


@invariant("INV-09")
@pytest.mark.parametrize("change", ["scope = 'agent'", "expires_at = 1", "forgotten_at = 1, salt = NULL"])
def test_the_store_has_the_last_word_on_what_may_be_seen(tank: Project, neo: Project, target: str, change: str) -> None:
    tank.remember("zeppelin for all", scope="team")
    assert found(neo) == {"zeppelin for all"}
    with raw(target) as connection:
        connection.execute(f"UPDATE memories SET {change}")
    assert found(neo) == set()


@invariant("INV-09")
def test_a_lead_never_reads_anothers_private_text_and_deletes_only_the_teams(tank: Project, lead: Project) -> None:
    private, shared = tank.remember("zeppelin alone"), tank.remember("zeppelin for all", scope="team")
    for call in (lead.get_memory, lead.use_memory, lead.forget, lead.memory_versions):
        with pytest.raises(UnknownMemory):
            call(private.id)
    with pytest.raises(UnknownMemory):
        lead.rate_memory(private.id, useful=True)
    assert tank.get_memory(private.id) == private
    assert lead.get_memory(shared.id) == shared
    assert lead.forget(shared.id).is_forgotten


def test_sharing_makes_a_memory_the_teams_and_is_in_the_ledger(tank: Project, neo: Project, project: Project) -> None:
    memory = tank.remember("zeppelin plans", tags="plans")
    assert found(neo) == set()
    shared = tank.share_memory(memory.id)
    assert (shared.scope, shared.tags, shared.version) == (Scope.TEAM, ("plans", "cross-team"), 2)
    assert found(neo) == {"zeppelin plans"}
    assert neo.get_memory(memory.id) == shared
    event = project.list_events(subject_id=memory.id).items[0]
    assert (event.action, event.actor) == ("memory.shared", "Tank")
    assert tank.share_memory(memory.id) == shared
    assert project.list_events(subject_id=memory.id).items[0] == event
    assert project.verify().ok


def test_a_lead_or_a_person_shares_for_an_agent(tank: Project, lead: Project, project: Project) -> None:
    assert lead.share_memory(tank.remember("by the lead").id).scope is Scope.TEAM
    assert project.share_memory(tank.remember("by a person").id, by="ana").scope is Scope.TEAM


@invariant("INV-09")
def test_another_agent_cannot_share_and_learns_nothing(tank: Project, neo: Project, project: Project) -> None:
    private, shared = tank.remember("private"), tank.remember("shared", scope="team")
    with pytest.raises(UnknownMemory):
        neo.share_memory(private.id)
    with pytest.raises(Denied):
        neo.share_memory(shared.id)
    for id in ("", "nope", "01900000-0000-7000-8000-000000000000", "\x00"):
        with pytest.raises(UnknownMemory):
            neo.share_memory(id)
    assert project.get_memory(private.id) == private
    assert project.list_events().items[0].action == "policy.refused"


def test_what_was_forgotten_cannot_be_shared(tank: Project) -> None:
    memory = tank.remember("private")
    tank.forget(memory.id)
    with pytest.raises(Forgotten):
        tank.share_memory(memory.id)


def test_a_version_from_before_the_sharing_stays_private(tank: Project, neo: Project) -> None:
    memory = tank.remember("draft with a password")
    tank.edit_memory(memory.id, content="clean text")
    tank.share_memory(memory.id)
    _, versions = neo.memory_versions(memory.id)
    assert versions == ()
    assert found(neo, "password draft clean text") == {"clean text"}


def test_a_lesson_is_the_agents_and_the_team_sees_it(lead: Project, tank: Project, neo: Project) -> None:
    tank.remember("something")
    lesson = "Run the migrations before the tests, zeppelin. " * 3
    made = lead.inject_learning(lesson, agent="TANK", category="best-practice")
    assert made.content == f"[Lead Feedback — best-practice]\n\n{lesson.strip()}"
    assert made.name == f"Lead feedback: best-practice — {lesson[:60].strip()}"
    assert (made.agent, made.scope, made.source) == ("Tank", Scope.TEAM, Source.MANUAL)
    assert (made.type, made.importance, made.category) == (MemoryType.LEARNING, Importance.HIGH, "best-practice")
    assert set(made.tags) == {"best-practice", "cross-team"}
    assert made.expires_at is None
    assert found(neo) == {made.content} <= found(tank)
    assert lead.list_events(subject_id=made.id).items[0].actor == "morpheus"


@pytest.mark.parametrize("category", Category)
def test_there_are_four_kinds_of_lesson(lead: Project, tank: Project, category: Category) -> None:
    tank.remember("something")
    made = lead.inject_learning("Do it.", agent="tank", category=category.value.upper())
    assert made.content.startswith(f"[Lead Feedback — {category}]\n\n")


def test_only_a_lead_or_a_person_hands_out_lessons(
    hansard: Hansard, project: Project, tank: Project, neo: Project
) -> None:
    neo.remember("something")
    head = len(project.list_memories().items)
    for caller in (tank, neo, hansard.project("shop", actor=Actor("syncer", role="service"))):
        with pytest.raises(Denied):
            caller.inject_learning("Do it.", agent="neo", category="preference")
    assert len(project.list_memories().items) == head
    assert project.inject_learning("Do it.", agent="neo", category="preference", by="ana").agent == "neo"


def test_a_lesson_needs_a_known_agent_a_known_kind_and_a_text(lead: Project, tank: Project) -> None:
    tank.remember("something")
    with pytest.raises(UnknownAgent, match="'smith'"):
        lead.inject_learning("Do it.", agent="smith", category="preference")
    with pytest.raises(UnknownValue, match="category must be one of mistake-pattern, best-practice"):
        lead.inject_learning("Do it.", agent="tank", category="opinion")
    with pytest.raises(TooLarge):
        lead.inject_learning("x" * 40_000, agent="tank", category="preference")
    for bad in ("", "  ", "\x00"):
        with pytest.raises(Invalid, match="learning"):
            lead.inject_learning(bad, agent="tank", category="preference")


@pytest.mark.parametrize("agent", [5, ["tank"], None, "", "\x00"])
@pytest.mark.parametrize("role", ["agent", "lead", "human"])
def test_a_target_that_is_no_name_is_refused(hansard: Hansard, project: Project, agent: object, role: str) -> None:
    caller = hansard.project("shop", actor=Actor("morpheus", role=role))
    with pytest.raises(HansardError):
        caller.inject_learning("Do it.", agent=agent, category="preference")  # type: ignore[arg-type]
