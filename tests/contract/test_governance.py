"""What a clever agent tries: other words in another's mouth, a swap before the merge, a borrowed run."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, RunEnded, StaleVersion
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
