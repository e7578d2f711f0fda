"""Review: merging and rejecting, alone and in bulk."""

from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import (
    AlreadyReviewed,
    Denied,
    Impersonation,
    Invalid,
    StaleVersion,
    TooLarge,
    UnknownEntry,
    VersionNeeded,
)
from hansard.domain.inbox import Entry
from hansard.domain.vocabulary import DecisionStatus, EntryStatus, Importance
from hansard.project import Project
from hansard.services.review import Failure, Promotion
from support.marks import invariant


def submit(project: Project, slug: str = "a", type: str = "scope", agent: str = "tank") -> Entry:
    return project.propose(agent=agent, slug=slug, type=type, content="c", title="T", rationale="r", tags="x")


def test_a_merge_makes_a_decision_and_links_it(project: Project) -> None:
    entry = submit(project)
    decision = project.merge(entry.id, by="ana", note="well seen")
    merged = project.get_entry(entry.id)
    assert (merged.status, merged.decision_id, merged.reviewer) == (EntryStatus.MERGED, decision.id, "ana")
    assert (merged.note, merged.reviewed_at, merged.memory_id) == ("well seen", decision.created_at, None)
    assert (decision.title, decision.content, decision.rationale, decision.tags) == ("T", "c", "r", ("x",))
    assert (decision.author, decision.decided_by, decision.entry_id) == ("tank", "ana", entry.id)
    assert (decision.status, decision.ref) == (DecisionStatus.ACTIVE, "D-1")
    assert project.list_decisions().items == (decision,)


@pytest.mark.parametrize("type", ["learning", "pattern", "update"])
def test_merging_what_was_learned_also_records_a_memory(project: Project, type: str) -> None:
    decision = project.merge(submit(project, type=type).id, by="ana")
    memory_id = project.get_entry("a").memory_id
    assert memory_id is not None
    memory = project.get_memory(memory_id)
    assert (memory.type, memory.importance, memory.agent, memory.content) == (type, Importance.HIGH, "tank", "c")
    assert (memory.decision_id, memory.entry_id, memory.tags) == (decision.id, decision.entry_id, ("x",))


@pytest.mark.parametrize("type", ["architectural", "scope", "process", "technical"])
def test_merging_a_rule_records_no_memory(project: Project, type: str) -> None:
    project.merge(submit(project, type=type).id, by="ana")
    assert project.list_memories().items == ()


def test_an_entrys_own_importance_and_scope_carry_over(project: Project) -> None:
    project.propose(agent="tank", slug="a", type="learning", content="c", importance="low", tags="cross-team")
    project.merge("a", by="ana")
    (memory,) = project.list_memories().items
    assert (memory.importance, memory.scope) == ("low", "team")


def test_the_next_compile_is_richer_for_a_merged_learning(project: Project) -> None:
    entry = submit(project, type="learning")
    assert project.compile(agent="tank") is None
    project.merge(entry.id, by="ana")
    block = project.compile(agent="tank")
    assert block is not None
    assert "- [learning] c\n" in block.text


def test_a_reviewer_may_edit_and_the_proposal_keeps_its_words(project: Project) -> None:
    entry = submit(project, type="learning")
    decision = project.merge(entry.id, by="ana", title="New", content="better", rationale="")
    assert (decision.title, decision.content, decision.rationale) == ("New", "better", None)
    kept = project.get_entry(entry.id)
    assert (kept.title, kept.content, kept.rationale) == ("T", "c", "r")
    (memory,) = project.list_memories().items
    assert (memory.name, memory.content) == ("New", "better")


@invariant("INV-06")
def test_a_rejected_proposal_stays_in_the_record(project: Project) -> None:
    entry = submit(project)
    rejected = project.reject(entry.id, by="ana", reason="out of scope")
    assert (rejected.status, rejected.reviewer, rejected.note) == (EntryStatus.REJECTED, "ana", "out of scope")
    assert (rejected.decision_id, rejected.content) == (None, "c")
    assert project.list_inbox(status="all").items == (rejected,) == (project.get_entry("a"),)
    assert project.list_decisions(status="all").items == ()
    assert [one.version for one in project.entry_versions("a")[1]] == [1]


@pytest.mark.parametrize("verdict", ["merge", "reject"])
def test_a_second_review_is_a_conflict_and_an_unknown_id_not_found(project: Project, verdict: str) -> None:
    entry = submit(project)
    review = getattr(project, verdict)
    review(entry.id, by="ana")
    with pytest.raises(AlreadyReviewed, match="nothing was changed"):
        review(entry.id, by="ana")
    with pytest.raises(UnknownEntry):
        review("01900000-0000-7000-8000-000000000000", by="ana")
    assert len(project.list_decisions(status="all").items) == (verdict == "merge")


@pytest.mark.parametrize(
    "edits",
    [{"title": ""}, {"title": "a\nb"}, {"content": " "}, {"content": "\0"}, {"rationale": "\ud800"}, {"note": "\x1b"}],
)
def test_a_bad_edit_reviews_nothing(project: Project, edits: dict[str, Any]) -> None:
    entry = submit(project)
    head = project.verify().events
    with pytest.raises(Invalid):
        project.merge(entry.id, by="ana", **edits)
    assert project.get_entry(entry.id) == entry
    assert project.list_decisions(status="all").items == ()
    assert project.verify().events == head


def test_an_over_long_reason_is_refused(project: Project) -> None:
    entry = submit(project)
    with pytest.raises(TooLarge):
        project.reject(entry.id, by="ana", reason="x" * 4_097)
    assert project.get_entry(entry.id) == entry


def test_a_bulk_merge_reports_each_and_one_failure_stops_nobody(project: Project) -> None:
    for slug in ("one", "two"):
        submit(project, slug, type="learning")
    results = project.merge_many(["one", "nope", "one", "P-2"], by="ana", note="batch")
    first, missing, again, last = results
    assert isinstance(first, Promotion)
    assert isinstance(last, Promotion)
    assert first.memory is not None
    assert (first.entry.note, last.entry.slug) == ("batch", "two")
    assert isinstance(missing, Failure)
    assert isinstance(missing.error, UnknownEntry)
    assert isinstance(again, Failure)
    assert isinstance(again.error, AlreadyReviewed)
    assert len(project.list_decisions().items) == 2


def test_a_bulk_reject_keeps_the_reason_with_each(project: Project) -> None:
    for slug in ("one", "two"):
        submit(project, slug)
    results = project.reject_many(["one", "two"], by="ana", reason="stale")
    assert [one.note for one in results if isinstance(one, Entry)] == ["stale", "stale"]


def test_a_bulk_of_too_many_is_refused_before_the_first(project: Project) -> None:
    submit(project, "one")
    with pytest.raises(Invalid, match="at most 1,000"):
        project.merge_many(["one"] * 1_001, by="ana")
    assert len(project.list_inbox().items) == 1


@invariant("INV-24")
def test_an_agent_can_neither_accept_its_own_rule_nor_borrow_a_name(hansard: Hansard, project: Project) -> None:
    tank = hansard.project("shop", actor=Actor("Tank", role="agent"))
    own = tank.propose(slug="own", type="technical", content="c")
    boundary = submit(project, "boundary", agent="trinity")
    other = submit(project, "other", type="process", agent="trinity")
    for entry in (own, boundary):
        with pytest.raises(Denied):
            tank.merge(entry.id)
    with pytest.raises(Impersonation):
        tank.merge(own.id, by="ana")
    with pytest.raises(Denied):
        tank.reject(other.id)
    for call in (
        lambda: tank.propose(agent="trinity", slug="x", type="learning", content="c"),
        lambda: tank.remember("c", agent="trinity"),
        lambda: tank.remember_many([{"content": "c"}, {"content": "d", "agent": "trinity"}]),
        lambda: tank.start_run(agent="trinity"),
    ):
        with pytest.raises(Impersonation):
            call()
    assert len(project.list_inbox().items) == 3
    assert project.list_memories().items == ()
    assert tank.merge(other.id, by="tank").decided_by == "Tank"
    assert tank.reject(own.id, reason="withdrawn").status == EntryStatus.REJECTED


@invariant("INV-24")
def test_a_lead_accepts_others_boundaries_and_not_its_own(hansard: Hansard, project: Project) -> None:
    lead = hansard.project("shop", actor=Actor("morpheus", role="lead"))
    own = lead.propose(slug="own", type="architectural", content="c")
    with pytest.raises(Denied, match="finalising"):
        lead.merge(own.id)
    assert lead.merge(submit(project, "theirs").id).decided_by == "morpheus"


def test_what_became_binding_after_it_was_proposed_is_merged_only_by_its_version(project: Project) -> None:
    entry = project.propose(agent="tank", slug="a", type="learning", content="Harmless.")
    revised = project.propose(agent="tank", slug="a", type="architectural", content="Everything is rewritten in C.")
    assert (revised.id, revised.version) == (entry.id, 2)
    for reference in ("a", entry.ref, entry.id):
        with pytest.raises(VersionNeeded, match="P-1@2"):
            project.merge(reference, by="ana")
    (failed,) = project.merge_many(["P-1"], by="ana")
    assert isinstance(failed, Failure)
    assert isinstance(failed.error, VersionNeeded)
    with pytest.raises(StaleVersion):
        project.merge("P-1@1", by="ana")
    assert project.list_decisions().items == ()
    assert project.merge("P-1@2", by="ana").type == "architectural"


def test_what_was_binding_from_the_start_or_no_longer_is_needs_no_version(project: Project) -> None:
    for content in ("one", "two"):
        project.propose(agent="tank", slug="a", type="scope", content=content)
    for type_ in ("scope", "learning"):
        project.propose(agent="tank", slug="b", type=type_, content="x")
    assert [project.merge(slug, by="ana").content for slug in ("a", "b")] == ["two", "x"]


def test_a_bulk_review_takes_only_the_versions_that_were_read(project: Project) -> None:
    for slug in ("a", "b", "c"):
        project.propose(agent="tank", slug=slug, type="process", content=f"{slug}, as it was read")
    project.propose(agent="tank", slug="b", type="process", content="b, revised since")
    merged, stale = project.merge_many(["P-1@1", "b@1"], by="ana")
    assert isinstance(merged, Promotion)
    assert (merged.version, merged.entry.version) == (1, 2)
    assert isinstance(stale, Failure)
    assert (stale.reference, type(stale.error)) == ("b@1", StaleVersion)
    rejected = project.reject_many(["P-2@2", "P-3@9"], by="ana")
    assert [isinstance(one, Failure) for one in rejected] == [False, True]
    assert project.get_entry("b").status is EntryStatus.REJECTED


@pytest.mark.parametrize("reference", ["P-1@", "P-1@x", "P-1@-1", "P-1@1.0", "P-1@²", "@", f"P-1@{'9' * 30}"])
def test_a_version_that_is_none_is_refused(project: Project, reference: str) -> None:
    project.propose(agent="tank", slug="a", type="process", content="x")
    for review in (project.merge, project.reject):
        with pytest.raises(Invalid, match="names no version"):
            review(reference, by="ana")


def test_two_versions_at_once_are_refused(project: Project) -> None:
    project.propose(agent="tank", slug="a", type="process", content="x")
    with pytest.raises(Invalid, match="two versions"):
        project.merge("P-1@1", by="ana", expected_version=2)
    assert project.merge("P-1@1", by="ana", expected_version=1).ref == "D-1"
