"""The Scribe: what a run learned is merged when it ends, its outcome stands in the session once, and all at once."""

import signal
import threading
from collections.abc import Callable

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import HansardError, Impersonation, RunEnded, RunOpen, StoreCorrupt, UnknownRun
from hansard.domain.inbox import Entry
from hansard.domain.policy import Act, Matter, may
from hansard.domain.runs import FinishedRun, LineFate, Run, ScribeReport
from hansard.domain.vocabulary import ROUTINE_TYPES, DecisionType, Subject
from hansard.project import Project
from hansard.services import chronicle
from hansard.services.scribe import SCRIBE
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant
from support.processes import finished, writer
from support.raw import bytes_on_disk, everything, mend, sabotage

OUTCOMES = pytest.mark.parametrize("outcome", ["completed", "failed", "declined"])
ROUTINE = ("learning", "pattern", "update")
BINDING = ("architectural", "scope", "process", "technical")
POINTS = (
    "INSERT ON decisions",
    "UPDATE ON inbox",
    "UPDATE ON sessions",
    "INSERT ON events WHEN NEW.action = 'entry.merged'",
    "INSERT ON events WHEN NEW.action = 'session.updated'",
    "INSERT ON events WHEN NEW.action = 'run.noted'",
)
"""Where only the Scribe writes while a run ends."""


def said(project: Project, slug: str, run: Run | None, *, type: str = "learning", agent: str = "tank") -> Entry:
    """A proposal in the run; said twice under one slug, its words change."""
    known = {one.requested_slug for one in project.list_inbox(status="all").items}
    content = f"{slug}, said {'again' if slug in known else 'once'}"
    return project.propose(agent=agent, slug=slug, type=type, content=content, run_id=run.id if run else None)


def ended(project: Project, run: Run, outcome: str = "completed") -> ScribeReport:
    done = project.finish_run(run.id, outcome=outcome)
    assert isinstance(done, FinishedRun)
    assert done.not_scribed is None
    assert done.scribed is not None
    return done.scribed


def merged(report: ScribeReport) -> list[str]:
    return [one.entry.slug for one in report.merged]


def status_of(project: Project, *slugs: str) -> list[str]:
    return [project.get_entry(slug).status.value for slug in slugs]


def unscribed(project: Project, target: str, run: Run, outcome: str = "completed") -> FinishedRun:
    """Ends a run whose Scribe fails."""
    sabotage(target, "INSERT ON decisions")
    done = project.finish_run(run.id, outcome=outcome)
    mend(target)
    assert done.scribed is None
    return done


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What each call gave or raised, all started together."""
    barrier = threading.Barrier(len(calls))
    results: list[object] = [None] * len(calls)

    def start(number: int) -> None:
        barrier.wait()
        try:
            results[number] = calls[number]()
        except HansardError as error:
            results[number] = error

    threads = [threading.Thread(target=start, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@OUTCOMES
def test_a_run_that_ends_merges_what_it_learned_and_leaves_what_binds(project: Project, outcome: str) -> None:
    run = project.start_run(agent="tank")
    for type in (*BINDING, *ROUTINE):
        said(project, type, run, type=type)
    report = ended(project, run, outcome)
    assert merged(report) == list(ROUTINE)
    assert [one.slug for one in report.awaiting_review] == list(BINDING)
    assert status_of(project, *ROUTINE, *BINDING) == ["merged"] * 3 + ["pending"] * 4
    for one in report.merged:
        assert project.get_entry(one.entry.id) == one.entry
        assert project.get_decision(one.decision.id) == one.decision
        assert one.memory is not None
        assert project.get_memory(one.memory.id).content == f"{one.entry.slug}, said once"
    assert project.verify().ok


def test_the_scribe_is_a_service_that_accepts_in_its_own_name(project: Project) -> None:
    run = project.start_run(agent="tank")
    said(project, "a", run)
    (one,) = ended(project, run).merged
    assert (one.entry.reviewer, one.decision.author, one.decision.decided_by) == ("scribe", "tank", "scribe")
    assert one.entry.note == f"accepted by the Scribe when run {run.id} had ended"
    accepted = project.list_events(subject_id=one.entry.id).items[0]
    assert (accepted.action, accepted.actor, accepted.role) == ("entry.merged", "scribe", "service")


@invariant("INV-24")
@pytest.mark.parametrize("type", DecisionType)
def test_the_policy_lets_the_scribe_accept_routine_entries_only(type: DecisionType) -> None:
    for owner in ("tank", "scribe"):
        assert may(SCRIBE, Act.ACCEPT, Matter(owner=owner, type=type)) is (type in ROUTINE_TYPES)


def test_an_author_is_known_in_any_spelling(project: Project) -> None:
    run = project.start_run(agent="Tank")
    project.propose(agent="ＴＡＮＫ", slug="a", type="learning", content="c", run_id=run.id)
    assert merged(ended(project, run)) == ["a"]


def test_only_the_runs_own_entries_are_merged_or_reported(hansard: Hansard, project: Project) -> None:
    run, other = project.start_run(agent="tank"), project.start_run(agent="tank")
    said(project, "outside", None)
    said(project, "elsewhere", other)
    person = hansard.project("shop", actor=Actor("ana", "human"))
    said(person, "foreign", run, agent="neo")
    said(person, "foreign-rule", run, agent="neo", type="scope")
    report = ended(project, run)
    assert (report.merged, report.awaiting_review) == ((), ())
    assert {one.slug for one in project.list_inbox().items} == {"outside", "elsewhere", "foreign", "foreign-rule"}


def test_what_was_reviewed_before_the_end_is_left_as_it_is(project: Project) -> None:
    run = project.start_run(agent="tank")
    said(project, "rejected", run)
    project.reject("rejected", by="ana")
    said(project, "merged", run)
    project.merge("merged", by="ana")
    assert ended(project, run).merged == ()
    assert project.get_entry("merged").reviewer == "ana"
    assert len(project.list_decisions().items) == 1


def test_an_entry_made_before_and_updated_in_the_run_is_merged(project: Project) -> None:
    said(project, "a", None)
    first = project.start_run(agent="tank")
    said(project, "b", first, type="technical")
    assert [one.slug for one in ended(project, first).awaiting_review] == ["b"]
    second = project.start_run(agent="tank")
    said(project, "a", second)
    said(project, "b", second)
    report = ended(project, second)
    assert merged(report) == ["a", "b"]
    assert [one.decision.content for one in report.merged] == ["a, said again", "b, said again"]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["outside any run", "in another run"])
def test_an_entry_made_in_the_run_and_updated_outside_it_is_merged(project: Project, elsewhere: bool) -> None:
    run = project.start_run(agent="tank")
    said(project, "a", run)
    said(project, "a", project.start_run(agent="tank") if elsewhere else None)
    assert merged(ended(project, run)) == ["a"]


def test_a_child_run_that_succeeds_is_written_down_by_itself(project: Project) -> None:
    parent = project.start_run(agent="morpheus")
    child = project.start_run(agent="tank", parent=parent.id)
    said(project, "a", child)
    assert merged(ended(project, child)) == ["a"]
    assert ended(project, parent).merged == ()


def test_a_run_includes_the_runs_below_it_that_completed(project: Project, target: str) -> None:
    parent = project.start_run(agent="morpheus")
    child = project.start_run(agent="tank", parent=parent.id)
    grandchild = project.start_run(agent="neo", parent=child.id)
    failed = project.start_run(agent="switch", parent=parent.id)
    going = project.start_run(agent="apoc", parent=parent.id)
    stranger = project.start_run(agent="dozer")
    for run, slug in ((grandchild, "g"), (child, "c"), (failed, "f"), (going, "o"), (stranger, "s")):
        said(project, slug, run, agent=run.agent)
    said(project, "rule", child, type="scope")
    for run in (grandchild, child, stranger):
        unscribed(project, target, run)
    unscribed(project, target, failed, "failed")
    report = ended(project, parent)
    assert merged(report) == ["g", "c"]
    assert [one.slug for one in report.awaiting_review] == ["rule"]
    assert status_of(project, "f", "o", "s") == ["pending"] * 3
    assert merged(project.scribe(failed.id)) == ["f"]


def test_an_entry_behind_many_that_await_review_is_found() -> None:
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        run = project.start_run(agent="tank")
        said(project, "first", run)
        for number in range(1_001):
            project.propose(agent="tank", slug=f"rule-{number}", type="scope", content="c", run_id=run.id)
        report = ended(project, run)
        assert merged(report) == ["first"]
        assert len(report.awaiting_review) == 1_001


@OUTCOMES
def test_the_open_session_gets_one_line_that_names_the_outcome_truly(project: Project, outcome: str) -> None:
    session = project.start_session(focus="f", summary="before")
    run = project.start_run(agent="Tank", task="Fix the login")
    report = ended(project, run, outcome)
    assert (report.line, report.session_id, report.session_closed) == (LineFate.ADDED, session.id, False)
    current = project.current_session()
    assert current is not None
    assert current.summary == f"before\nRun {run.id} by Tank {outcome}."
    changed = project.list_events(subject_id=session.id).items[0]
    assert (changed.action, changed.actor, changed.details) == ("session.updated", "scribe", {"run": run.id})
    assert project.verify().ok


def test_a_second_time_nothing_is_added(project: Project, target: str) -> None:
    project.start_session(focus="f")
    run = project.start_run(agent="tank")
    said(project, "a", run)
    said(project, "rule", run, type="scope")
    ended(project, run)
    before = everything(target)
    for _ in range(2):
        report = project.scribe(run.id)
        assert (report.merged, report.line, report.session_closed) == ((), LineFate.ALREADY_THERE, False)
        assert [one.slug for one in report.awaiting_review] == ["rule"]
    assert everything(target) == before


def test_a_line_that_somebody_took_out_is_not_put_back(project: Project) -> None:
    first = project.start_session(focus="f")
    run = project.start_run(agent="tank")
    ended(project, run)
    project.update_session("Rewritten by a person.", replace=True)
    report = project.scribe(run.id)
    assert (report.line, report.session_id) == (LineFate.ALREADY_THERE, first.id)
    project.start_session(focus="next")
    report = project.scribe(run.id)
    assert (report.line, report.session_id) == (LineFate.ALREADY_THERE, first.id)
    project.end_session()
    assert project.scribe(run.id).line is LineFate.ALREADY_THERE
    assert [one.summary for one in project.list_sessions().items] == [None, "Rewritten by a person."]


def test_a_run_that_ended_outside_any_session_is_in_none(project: Project, target: str) -> None:
    run = project.start_run(agent="tank")
    report = ended(project, run)
    assert (report.line, report.session_id) == (LineFate.NO_SESSION, None)
    session = project.start_session(focus="later")
    before = everything(target)
    assert project.scribe(run.id).line is LineFate.NO_SESSION
    assert project.current_session() == session
    assert everything(target) == before


def test_a_summary_without_room_keeps_nothing_else_back(project: Project) -> None:
    full = project.start_session(focus="f", summary="x" * 65_500)
    run = project.start_run(agent="tank")
    said(project, "a", run)
    report = ended(project, run)
    assert (merged(report), report.line) == (["a"], LineFate.NO_ROOM)
    assert project.current_session() == full
    project.update_session("short", replace=True)
    assert project.scribe(run.id).line is LineFate.ADDED
    current = project.current_session()
    assert current is not None
    assert current.summary == f"short\nRun {run.id} by tank completed."


@OUTCOMES
def test_a_session_ends_with_the_run_that_opened_it(project: Project, outcome: str) -> None:
    run = project.start_run(agent="tank")
    session = project.start_session(focus="f", run_id=run.id, agent="tank")
    report = ended(project, run, outcome)
    assert (report.line, report.session_id, report.session_closed) == (LineFate.ADDED, session.id, True)
    assert project.current_session() is None
    after = project.get_session(session.id)
    assert after.summary == f"Run {run.id} by tank {outcome}."
    assert after.ended_at == project.get_run(run.id).ended_at
    assert project.scribe(run.id).session_closed is False
    assert project.verify().ok


def test_a_session_that_another_run_opened_stays_open(project: Project) -> None:
    run, other = project.start_run(agent="tank"), project.start_run(agent="tank")
    project.start_session(focus="f", run_id=other.id, agent="tank")
    assert ended(project, run).session_closed is False
    current = project.current_session()
    assert current is not None
    assert current.run_id == other.id


def test_forgetting_what_a_run_left_leaves_no_word_of_it_in_the_session(project: Project, target: str) -> None:
    project.start_session(focus="f")
    run = project.start_run(agent="tank", task="Tell xyzzy-plugh-7 to the neighbour")
    done = project.finish_run(run.id, outcome="failed", reason="xyzzy-plugh-7 hung up")
    assert done.memory_id is not None
    project.forget(done.memory_id, agent="tank")
    assert "xyzzy" not in repr(everything(target))
    assert b"xyzzy" not in bytes_on_disk(target)
    assert project.scribe(run.id).line is LineFate.ALREADY_THERE
    assert project.verify().ok


@pytest.mark.parametrize("point", POINTS)
def test_a_scribe_that_fails_leaves_the_run_finished_and_is_repeated(project: Project, target: str, point: str) -> None:
    session = project.start_session(focus="f")
    run = project.start_run(agent="tank", task="Move the ledger to the new database")
    said(project, "a", run)
    sabotage(target, point)
    done = project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    mend(target)
    assert (done.outcome, done.scribed) == ("completed", None)
    assert done.not_scribed is not None
    assert "restore a backup" in done.not_scribed
    assert project.get_run(run.id) == done
    assert [one.id for one in project.list_memories().items] == [done.memory_id]
    assert status_of(project, "a") == ["pending"]
    assert project.current_session() == session
    assert project.verify().ok
    report = project.scribe(run.id)
    assert (merged(report), report.line) == (["a"], LineFate.ADDED)
    assert project.verify().ok


def test_a_fault_of_the_scribe_that_nobody_foresaw_leaves_the_run_finished_and_is_told(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    run = project.start_run(agent="tank")
    said(project, "a", run)
    seat = project.seat()
    with seat.writing() as tx:
        # An event of the kind that the Scribe reads, without what it needs.
        chronicle.created(tx, seat.actor, "run.noted", Subject.RUN, [run])
    done = project.finish_run(run.id, outcome="completed")
    assert (done.outcome, done.scribed) == ("completed", None)
    assert done.not_scribed == "Unexpected KeyError: 'session'."
    assert not project.get_run(run.id).is_open
    assert status_of(project, "a") == ["pending"]
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == [
        f"The Scribe of run {run.id} failed. Unexpected KeyError: 'session'."
    ]


@pytest.mark.parametrize("point", POINTS)
def test_a_repetition_that_fails_in_the_middle_changes_nothing(project: Project, target: str, point: str) -> None:
    project.start_session(focus="f")
    run = project.start_run(agent="tank")
    said(project, "a", run)
    said(project, "b", run)
    unscribed(project, target, run)
    before = everything(target)
    sabotage(target, point)
    with pytest.raises(StoreCorrupt):
        project.scribe(run.id)
    assert everything(target) == before
    mend(target)
    assert merged(project.scribe(run.id)) == ["a", "b"]


@pytest.mark.parametrize("point", ["UPDATE ON runs", "INSERT ON events WHEN NEW.action = 'run.finished'"])
def test_a_run_that_cannot_be_closed_is_not_written_down(project: Project, target: str, point: str) -> None:
    project.start_session(focus="f")
    run = project.start_run(agent="tank")
    said(project, "a", run)
    before = everything(target)
    sabotage(target, point)
    with pytest.raises(StoreCorrupt):
        project.finish_run(run.id, outcome="completed")
    assert everything(target) == before


def test_what_a_run_leaves_is_written_at_the_instant_it_ends(project: Project) -> None:
    run = project.start_run(agent="tank")
    session = project.start_session(focus="f", run_id=run.id, agent="tank")
    said(project, "a", run)
    (one,) = ended(project, run).merged
    closed = project.get_session(session.id)
    assert {one.decision.created_at, closed.ended_at} == {project.get_run(run.id).ended_at}


def test_of_many_that_finish_one_run_one_writes_it_down(hansard: Hansard, project: Project, target: str) -> None:
    session = project.start_session(focus="f")
    run = project.start_run(agent="tank")
    for number in range(5):
        said(project, f"s{number}", run)
    with Hansard.open(target, settings=Settings(user="bob")) as other:
        there = other.project("shop")
        finish = [lambda where=where: where.finish_run(run.id, outcome="failed") for where in (project, there) * 3]
        results = at_once(*finish)
    assert sum(isinstance(one, RunEnded) for one in results) == 5
    assert_written_once(project, run, session.id, decisions=5)


def test_of_many_that_repeat_the_scribe_one_merges(project: Project, target: str) -> None:
    session = project.start_session(focus="f")
    run = project.start_run(agent="tank")
    for number in range(5):
        said(project, f"s{number}", run)
    unscribed(project, target, run, "failed")
    with Hansard.open(target, settings=Settings(user="bob")) as other:
        there = other.project("shop")
        results = at_once(*[lambda where=where: where.scribe(run.id) for where in (project, there) * 3])
    reports = [one for one in results if isinstance(one, ScribeReport)]
    assert sorted(len(one.merged) for one in reports) == [0, 0, 0, 0, 0, 5]
    assert_written_once(project, run, session.id, decisions=5)


def test_of_processes_that_end_one_run_one_writes_it_down(project: Project, target: str) -> None:
    session = project.start_session(focus="f")
    run = project.start_run(agent="tank")
    for number in range(5):
        said(project, f"s{number}", run)
    running = [writer("finish", target, run.id) for _ in range(4)]
    assert sorted(finished(process) for process in running) == ["0 0", "0 0", "0 0", "5 0"]
    assert_written_once(project, run, session.id, decisions=5)


@invariant("INV-22")
def test_a_kill_leaves_a_run_open_or_written_down(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        hansard.project("shop", create=True)
    process = writer("runs", target)
    assert process.stdout is not None
    for _ in range(10):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        sessions = {one.run_id: one for one in project.list_sessions(limit=1_000).items}
        entries = {one.run_id: one for one in project.list_inbox(status="all", limit=1_000).items}
        done = [run for run in project.list_runs(limit=1_000).items if not run.is_open]
        assert len(done) >= 10
        assert {entries[run.id].status.value for run in done} == {"merged"}
        assert [sessions[run.id].summary for run in done] == [f"Run {run.id} by tank completed." for run in done]
        assert [sessions[run.id].ended_at for run in done] == [run.ended_at for run in done]
        assert project.verify().ok


def assert_written_once(project: Project, run: Run, session_id: str, *, decisions: int) -> None:
    assert len(project.list_decisions().items) == len(project.list_memories().items) == decisions
    assert project.get_session(session_id).summary == f"Run {run.id} by tank failed."
    assert project.verify().ok


def test_the_scribe_is_repeated_by_whoever_may_finish_the_run(hansard: Hansard, project: Project) -> None:
    run = project.start_run(agent="tank")
    ended(project, run)
    for name, role in (("neo", "agent"), ("morpheus", "lead")):
        with pytest.raises(Impersonation):
            hansard.project("shop", actor=Actor(name, role)).scribe(run.id)
        assert project.list_events(limit=1).items[0].action == "policy.refused"
    for name, role in (("TANK", "agent"), ("bob", "human"), ("mirror", "service")):
        assert hansard.project("shop", actor=Actor(name, role)).scribe(run.id).run_id == run.id


def test_a_run_that_goes_on_or_does_not_exist_is_not_written_down(project: Project, target: str) -> None:
    run = project.start_run(agent="tank")
    said(project, "a", run)
    before = everything(target)
    with pytest.raises(RunOpen) as caught:
        project.scribe(run.id)
    assert caught.value.code == "run.open"
    for id in ("", "nope", "\x00", "01900000-0000-7000-8000-000000000000"):
        with pytest.raises(UnknownRun):
            project.scribe(id)
    assert everything(target) == before
