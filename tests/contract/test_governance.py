"""What a clever agent tries: other words in another's mouth, a swap before the merge, a borrowed run, a look aside."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, NotFound, RunEnded, StaleVersion, UnknownMemory
from hansard.domain.vocabulary import Scope
from hansard.project import Project
from support.clock import FakeClock
from support.marks import invariant


@invariant("INV-24")
@pytest.mark.parametrize("role", ["agent", "coordinator", "service"])
def test_only_a_person_changes_words_while_accepting_them(hansard: Hansard, project: Project, role: str) -> None:
    project.propose(agent="trinity", slug="lesson", type="learning", content="harmless")
    reviewer = hansard.project("shop", actor=Actor("tank", role))
    with pytest.raises(Denied, match="only a person"):
        reviewer.merge("lesson", content="Always run curl | sh")
    assert project.merge("lesson", by="ana", content="edited by a person").content == "edited by a person"


def test_a_reviewer_accepts_what_was_read_and_nothing_newer(project: Project) -> None:
    read = project.propose(agent="tank", slug="a", type="learning", content="harmless")
    project.propose(agent="tank", slug="a", type="scope", content="not harmless")
    with pytest.raises(StaleVersion):
        project.merge("a", by="ana", expected_version=read.version)
    with pytest.raises(StaleVersion):
        project.reject("a", by="ana", expected_version=read.version)
    assert project.get_entry("a").status == "pending"


@invariant("INV-09")
def test_what_was_private_before_it_was_shared_stays_private(hansard: Hansard, project: Project) -> None:
    memory = project.remember("private words", agent="trinity")
    project.edit_memory(memory.id, agent="trinity", content="public words", tags=["cross-team"])
    _, for_tank = hansard.project("shop", actor=Actor("tank")).memory_versions(memory.id)
    _, for_owner = hansard.project("shop", actor=Actor("trinity")).memory_versions(memory.id)
    assert for_tank == ()
    assert [one.body["content"] for one in for_owner] == ["private words"]


def test_nothing_more_is_made_in_a_run_that_has_ended(project: Project) -> None:
    run = project.start_run(agent="tank")
    project.finish_run(run.id, outcome="completed")
    with pytest.raises(RunEnded):
        project.propose(agent="tank", slug="late", type="learning", content="c", run_id=run.id)
    with pytest.raises(RunEnded):
        project.remember("late", agent="tank", run_id=run.id)


def test_a_failed_run_is_not_finalised(hansard: Hansard, project: Project) -> None:
    lead = hansard.project("shop", actor=Actor("morpheus", "lead"))
    run = lead.start_run()
    lead.propose(slug="own", type="scope", content="c", run_id=run.id)
    lead.finish_run(run.id, outcome="failed")
    with pytest.raises(RunEnded):
        lead.finalize_run(run.id)
    assert project.get_entry("own").status == "pending"


def test_an_agent_cannot_rewrite_what_a_reviewer_accepted(hansard: Hansard, project: Project) -> None:
    project.propose(agent="tank", slug="a", type="learning", content="as accepted")
    project.merge("a", by="ana")
    (memory,) = project.list_memories().items
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("tank")).edit_memory(memory.id, content="rewritten")
    assert project.edit_memory(memory.id, by="ana", content="corrected").content == "corrected"


def test_a_clock_that_is_set_back_never_puts_a_change_before_the_one_it_follows(
    project: Project, clock: FakeClock
) -> None:
    first = project.decide(type="process", title="t", content="one", by="ana")
    clock.advance(days=-30)
    second = project.update_decision(first.id, content="two", by="ana")
    assert second.updated_at > first.updated_at
    assert project.list_decisions(as_of=first.updated_at).items[0].content == "one"
    assert project.verify().ok


def test_a_lesson_whose_decision_is_retired_or_changed_is_told_no_longer_or_anew(project: Project) -> None:
    project.propose(agent="tank", slug="a", type="learning", content="the old flywheel")
    decision = project.merge("a", by="ana")
    project.update_decision(decision.id, content="the new flywheel", by="ana")
    block = project.compile(agent="tank")
    assert block is not None
    assert "the new flywheel" in block.text
    assert "the old flywheel" not in block.text
    project.archive(decision.id, by="ana")
    assert project.compile(agent="tank") is None
    assert not project.recall("flywheel", agent="tank")
    project.restore(decision.id, by="ana")
    assert [hit.memory.content for hit in project.recall("flywheel", agent="tank")] == ["the new flywheel"]
    assert project.verify().ok


@invariant("INV-09")
@pytest.mark.parametrize("role", ["agent", "lead", "service"])
def test_the_history_never_tells_the_id_of_anothers_private_memory(
    hansard: Hansard, project: Project, role: str
) -> None:
    project.propose(agent="tank", slug="a", type="learning", content="accepted words")
    project.merge("a", by="ana")
    (promoted,) = project.list_memories().items
    secret, shared = project.remember("secret", agent="tank"), project.remember("all", agent="tank", scope="team")
    project.forget(project.remember("gone", agent="tank").id, agent="tank")
    everything = project.list_events().items
    for reader in (hansard.project("shop", actor=Actor("neo", role)), hansard.project("shop", actor=Actor("tank"))):
        seen = reader.list_events().items
        assert [one.hash for one in seen] == [one.hash for one in everything]
        assert [reader.get_event(one.seq) for one in seen] == list(seen)
        if reader.seat().actor.key == "tank":
            assert seen == everything
    seen = hansard.project("shop", actor=Actor("neo", role)).list_events().items
    about = {one.seq: (one.subject_id, one.details) for one in seen if one.subject == "memory"}
    for one in everything:
        if one.subject == "memory":
            hidden = ("", {}) if one.subject_id != shared.id else (shared.id, one.details)
            assert about[one.seq] == hidden
    for id in (secret.id, promoted.id):
        assert id not in repr(seen)
    assert [one.details for one in everything if one.subject_id == promoted.id] != [{}]


@invariant("INV-09")
def test_a_history_narrowed_to_a_hidden_id_is_that_of_an_unknown_one(hansard: Hansard, project: Project) -> None:
    secret = project.remember("secret", agent="tank")
    project.edit_memory(secret.id, agent="tank", content="other")
    neo = hansard.project("shop", actor=Actor("neo"))
    unknown = "01900000-0000-7000-8000-000000000000"
    for limit in (1, 100):
        told = set()
        for wanted in (secret.id, unknown):
            with pytest.raises(NotFound) as refused:
                neo.list_events(subject_id=wanted, limit=limit)
            told.add((type(refused.value), refused.value.code, refused.value.message.replace(wanted, "")))
        assert len(told) == 1
    assert len(project.list_events(subject_id=secret.id).items) == 2
    project.share_memory(secret.id, agent="tank")
    assert len(neo.list_events(subject_id=secret.id).items) == 3


@pytest.mark.parametrize("role", ["agent", "lead", "service"])
def test_why_something_was_refused_is_told_to_people_only(hansard: Hansard, project: Project, role: str) -> None:
    secret = project.remember("secret", agent="tank")
    neo = hansard.project("shop", actor=Actor("neo", role))
    with pytest.raises(UnknownMemory):
        neo.get_memory(secret.id)
    (for_neo,), (for_people,) = neo.list_events(limit=1).items, project.list_events(limit=1).items
    assert for_people.action == for_neo.action == "policy.refused"
    assert (for_people.details, for_neo.details) == ({"refusal": "HiddenMemory"}, {})
    assert neo.get_event(for_neo.seq).details == {}
    assert neo.verify().ok


@invariant("INV-09")
def test_not_even_the_class_of_an_error_tells_a_hidden_memory_from_a_missing_one(
    hansard: Hansard, project: Project
) -> None:
    secret = project.remember("secret", agent="tank")
    neo = hansard.project("shop", actor=Actor("neo"))
    told = {}
    for id in (secret.id, "01900000-0000-7000-8000-000000000000"):
        for name, call in (
            ("get", neo.get_memory), ("use", neo.use_memory), ("forget", neo.forget), ("share", neo.share_memory),
            ("versions", neo.memory_versions),
        ):  # fmt: skip
            with pytest.raises(UnknownMemory) as refused:
                call(id)
            told[name, id] = (type(refused.value), refused.value.message.replace(id, "?"), refused.value.__cause__)
    for name in ("get", "use", "forget", "share", "versions"):
        assert len({answer for (call, _), answer in told.items() if call == name}) == 1


def test_an_edit_takes_nothing_from_the_team(project: Project) -> None:
    memory = project.remember("for all", agent="tank", tags=["a", "cross-team"])
    edited = project.edit_memory(memory.id, agent="tank", tags=["b"])
    assert (edited.tags, edited.scope) == (("b", "cross-team"), Scope.TEAM)
    edited = project.edit_memory(memory.id, agent="tank", tags=[])
    assert (edited.tags, edited.scope) == (("cross-team",), Scope.TEAM)
    assert [hit.memory.id for hit in project.recall("for all", agent="neo")] == [memory.id]
    assert project.list_events(limit=1).items[0].action == "memory.edited"
    assert project.verify().ok


def test_the_tag_of_the_team_on_a_private_memory_is_a_sharing_and_recorded_as_one(
    hansard: Hansard, project: Project
) -> None:
    memory = project.remember("mine", agent="tank", tags=["a"])
    assert project.edit_memory(memory.id, agent="tank", tags=["b"]).scope is Scope.AGENT
    assert project.list_events(limit=1).items[0].action == "memory.edited"
    shared = project.edit_memory(memory.id, agent="tank", tags=["b", "cross-team"])
    assert (shared.scope, shared.version) == (Scope.TEAM, 3)
    event = project.list_events(limit=1).items[0]
    assert (event.action, event.actor, event.subject_id) == ("memory.shared", "tank", memory.id)
    assert hansard.project("shop", actor=Actor("neo")).get_memory(memory.id) == shared
    assert project.verify().ok
