"""What was stored before there was a guard is found by a scan and taken out, and the history still verifies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, UnknownAllowance
from hansard.project import Project
from support.fakes import fake_secret
from support.marks import invariant
from support.raw import raw

TOKEN = fake_secret(11)
MARK = "[REDACTED:github_token]"


@pytest.fixture
def leaky(project: Project) -> Project:
    """A project with a secret in every kind of record, in earlier versions and in the logs."""
    allowed = project.allow_secret(TOKEN, reason="to have it stored", by="ana")
    past = project.remember(f"deploy with {TOKEN} at noon", agent="tank")
    project.edit_memory(past.id, agent="tank", content="deploy at noon")
    there = project.remember(f"the pipeline has {TOKEN} in it", agent="tank", scope="team", citations=[f"x {TOKEN}"])
    project.edit_memory(there.id, agent="tank", importance="high")
    entry = project.propose(agent="tank", slug="keyed", type="learning", content=f"use {TOKEN}")
    decision = project.merge(entry.id, by="ana", note=f"fine {TOKEN}")
    project.update_decision(decision.id, by="ana", title="Keyed")
    project.start_session(focus=f"focus {TOKEN}")
    project.update_session(f"line {TOKEN}")
    run = project.start_run(agent="tank", task=f"Deploy {TOKEN} to production")
    project.finish_run(run.id, outcome="completed", output=f"done with {TOKEN}")
    project.rate_memory(there.id, useful=True, agent="neo", note=f"good {TOKEN}")
    project.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    return project


def rows(project: Project) -> Iterator[tuple[str, str]]:
    store = project.seat().store
    with store.read(project.id) as tx:
        tables = store.tables(tx)
        for name in tables.names():
            for row in tables.rows(name, tables.columns(name)):
                yield name, repr([bytes(one) if isinstance(one, memoryview) else one for one in row])


def held_in(project: Project) -> set[str]:
    return {name for name, said in rows(project) if TOKEN in said}


def test_a_scan_names_every_place_and_changes_nothing(leaky: Project) -> None:
    before = leaky.verify()
    report = leaky.scan(by="ana")
    places = {one.place for one in report.findings}
    assert places == {"entry", "decision", "memory", "session", "run", "ratings"}
    assert any(one.version is not None for one in report.findings)
    assert {one.kind for one in report.findings} == {"github_token"}
    assert (report.redacted, report.found) == (0, len(report.findings))
    assert TOKEN not in repr(report)
    assert leaky.verify() == before
    assert "memories" in held_in(leaky)


@invariant("INV-20")
@invariant("INV-23")
def test_redacting_leaves_no_trace_and_a_history_that_verifies(leaky: Project, target: str) -> None:
    assert held_in(leaky) == {"memories", "inbox", "decisions", "sessions", "runs", "revisions", "ratings"}
    report = leaky.scan(redact=True, by="ana")
    assert report.redacted >= 7
    assert held_in(leaky) == set()
    assert leaky.verify().ok
    assert leaky.scan(by="ana").findings == ()
    if "://" not in target:
        assert not any(TOKEN.encode() in file.read_bytes() for file in Path(target).parent.glob("*.db*"))


def test_earlier_versions_stay_readable_without_the_secret(leaky: Project) -> None:
    leaky.scan(redact=True, by="ana")
    edited = next(one for one in leaky.list_memories(agent="tank").items if one.content == "deploy at noon")
    current, earlier = leaky.memory_versions(edited.id)
    assert current.content == "deploy at noon"
    assert [one.body["content"] for one in earlier] == [f"deploy with {MARK} at noon"]
    # Its own words were clean, so it is still the version it was.
    assert current.version == 2
    decision = leaky.list_decisions().items[0]
    history = leaky.decision_history(decision.id)
    assert [one.body["content"] for one in history.revisions] == [f"use {MARK}"] * 2
    assert history.events[-1].action == "decision.redacted"


def test_searches_find_the_redacted_words_and_not_the_secret(leaky: Project) -> None:
    leaky.scan(redact=True, by="ana")
    hits = leaky.recall("pipeline", agent="tank", limit=1)
    assert [hit.memory.content for hit in hits] == [f"the pipeline has {MARK} in it"]
    with leaky.seat().reading() as tx:
        assert tx.units.damaged() == tx.units.lost() == 0


def test_redacting_twice_changes_nothing_the_second_time(leaky: Project) -> None:
    leaky.scan(redact=True, by="ana")
    events = leaky.list_events(limit=1).items[0].seq
    assert leaky.scan(redact=True, by="ana").redacted == 0
    assert leaky.list_events(limit=1).items[0].seq == events


class Stop(Exception):
    """Ends a scan in the middle, as a kill would: what was committed stays."""


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_scan_that_was_interrupted_is_finished_by_the_next_one(leaky: Project, after: int) -> None:
    def stop(what: str, done: int, _total: int) -> None:
        if what == "redacting" and done == after:
            raise Stop

    with pytest.raises(Stop):
        leaky.scan(redact=True, by="ana", progress=stop)
    assert leaky.verify().ok
    assert held_in(leaky)
    leaky.scan(redact=True, by="ana")
    assert held_in(leaky) == set()
    assert leaky.verify().ok


def test_a_record_that_was_redacted_can_be_changed_and_forgotten_as_before(leaky: Project) -> None:
    leaky.scan(redact=True, by="ana")
    memory = next(one for one in leaky.list_memories(agent="tank").items if "pipeline" in one.content)
    leaky.edit_memory(memory.id, by="ana", content="the pipeline is clean")
    assert leaky.verify().ok
    leaky.forget(memory.id, by="ana")
    assert leaky.verify().ok


def test_tampering_with_a_redacted_version_is_still_noticed(leaky: Project, target: str) -> None:
    leaky.scan(redact=True, by="ana")
    with raw(target) as connection:
        connection.execute("UPDATE revisions SET valid_from = valid_from - 1 WHERE subject = 'memory'")
    broken = leaky.verify().broken
    assert broken is not None
    assert "was altered" in broken.problem


def test_a_redaction_without_its_fingerprints_would_not_verify(leaky: Project, target: str) -> None:
    leaky.scan(redact=True, by="ana")
    with raw(target) as connection:
        connection.execute("DELETE FROM revisions WHERE subject = 'decision'")
    broken = leaky.verify().broken
    assert broken is not None
    assert "is missing" in broken.problem


def test_what_was_allowed_is_not_found(leaky: Project) -> None:
    leaky.allow_secret(TOKEN, reason="it is in the manual", by="ana")
    assert leaky.scan(by="ana").findings == ()
    assert leaky.scan(redact=True, by="ana").redacted == 0


def test_an_agent_scans_nothing(hansard: Hansard, leaky: Project) -> None:
    agent = hansard.project(leaky.key, actor=Actor("tank", role="agent"))
    with pytest.raises(Denied):
        agent.scan()


def test_a_tag_that_is_a_secret_is_replaced(project: Project, target: str) -> None:
    made = project.remember("tagged", agent="tank", tags=["air"])
    assert project.scan(by="ana").findings == ()
    secret = TOKEN.lower()
    seat = project.seat(by="ana")
    from hansard.domain.vocabulary import Subject
    from hansard.services import chronicle

    with seat.writing() as tx:
        # As a version without a guard would have written it.
        after = made._replace(tags=(secret,), version=2, updated_at=tx.now)
        tx.memories.update(after)
        chronicle.changed(tx, seat.actor, "memory.edited", Subject.MEMORY, made, after)
    assert [(one.field, one.stays) for one in project.scan(by="ana").findings] == [("tags", False)]
    project.scan(redact=True, by="ana")
    assert project.get_memory(made.id).tags == ("redacted",)
    assert project.verify().ok


def test_an_unknown_allowance_cannot_be_taken_back(project: Project) -> None:
    with pytest.raises(UnknownAllowance):
        project.disallow_secret("nothing", reason="It is one after all.", by="ana")
