"""Completions: what a finished run or an ended conversation leaves in memory, and what it does not."""

from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Invalid, RunEnded, TooLarge, UnknownRun
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory
from hansard.domain.runs import FinishedRun, Run
from hansard.domain.vocabulary import Importance, MemoryType, Scope, Source
from hansard.project import Project
from support.clock import FakeClock
from support.raw import bytes_on_disk, everything

TASK = "Move the ledger to the new database"
LESSON = "The task failed. Take this as a lesson and avoid the same way next time."
SECRET = "xyzzy-plugh-7"
LEARNED = "The ledger must be closed before it is moved, or its head is lost."


def started(project: Project, task: str | None = TASK, **fields: str) -> Run:
    return project.start_run(agent="tank", task=task, **fields)


def ended(project: Project, run: Run, output: str | None = None) -> FinishedRun:
    done = project.finish_run(run.id, outcome="completed", output=output)
    assert isinstance(done, FinishedRun)
    return done


def left(project: Project) -> list[Memory]:
    return list(project.list_memories(source="task_completion").items)


def test_a_completed_task_leaves_its_output(project: Project) -> None:
    run = started(project)
    project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    (memory,) = left(project)
    assert memory.content == f"Task: {TASK}\n\nOutput:\nAll rows were copied."
    assert memory.name == f"Task: {TASK}"
    assert (memory.agent, memory.scope, memory.source) == ("tank", Scope.AGENT, Source.TASK_COMPLETION)
    assert (memory.type, memory.importance, memory.run_id) == (MemoryType.LEARNING, Importance.MEDIUM, run.id)
    assert memory.expires_at == memory.created_at + 7 * MICROSECONDS_PER_DAY
    assert project.verify().ok


def test_a_task_without_output_says_so(project: Project) -> None:
    project.finish_run(started(project).id, outcome="completed")
    project.finish_run(started(project).id, outcome="completed", output="  \n ")
    assert {one.content for one in left(project)} == {f"Task: {TASK}\n\nOutput:\n(no output)"}


def test_a_failed_task_says_what_went_wrong(project: Project) -> None:
    project.finish_run(started(project).id, outcome="failed", reason="The disk was full.", output="half of it")
    (memory,) = left(project)
    assert memory.content == f"Task: {TASK}\n\nFailure reason:\nThe disk was full.\n\n{LESSON}"


def test_a_failed_task_without_a_reason_says_that(project: Project) -> None:
    project.finish_run(started(project, "x").id, outcome="failed")
    (memory,) = left(project)
    assert memory.content == f"Task: x\n\nFailure reason:\nNo reason provided\n\n{LESSON}"


def test_a_declined_task_is_no_failure(project: Project) -> None:
    project.finish_run(started(project).id, outcome="declined", reason="The ledger is frozen until Monday.")
    project.finish_run(started(project).id, outcome="declined")
    nothing_said, memory = left(project)
    assert memory.content == f"Task: {TASK}\n\nDeclined: The ledger is frozen until Monday."
    assert nothing_said.content == f"Task: {TASK}\n\nDeclined: No reason provided"


def test_a_run_without_a_task_leaves_nothing(project: Project) -> None:
    project.finish_run(started(project, None).id, outcome="completed", output="A long enough output of something.")
    assert left(project) == []


@pytest.mark.parametrize(
    ("task", "output", "kept"), [("a" * 6, "b" * 7, 0), ("a" * 6, "b" * 8, 1), ("ab", None, 0), ("abc", None, 1)]
)
def test_what_is_too_short_to_say_anything_is_not_kept(
    project: Project, task: str, output: str | None, kept: int
) -> None:
    project.finish_run(started(project, task).id, outcome="completed", output=output)
    assert len(left(project)) == kept


def test_a_long_task_has_a_short_name_and_a_long_output_is_cut_to_fit(project: Project) -> None:
    project.finish_run(started(project, "word \n" * 100).id, outcome="completed", output="é" * 32_700)
    (memory,) = left(project)
    assert memory.name == "Task: " + ("word " * 16)[:80].strip()
    assert 65_530 < len(memory.content.encode()) <= 65_536
    assert memory.content.endswith("éé\n[cut at 64 kB]")
    with pytest.raises(TooLarge):
        project.finish_run(started(project).id, outcome="completed", output="x" * 70_000)
    with pytest.raises(Invalid):
        project.finish_run(started(project).id, outcome="completed", output="\x00")


def test_what_fits_to_the_byte_is_kept_whole(project: Project) -> None:
    room = 65_536 - len(f"Task: {TASK}\n\nOutput:\n")
    for size in (room, room + 1):
        project.finish_run(started(project).id, outcome="completed", output="x" * size)
    cut, whole = left(project)
    assert (len(whole.content), whole.content.endswith("x")) == (65_536, True)
    assert (len(cut.content), cut.content.endswith("x\n[cut at 64 kB]")) == (65_536, True)


def test_the_end_of_a_run_says_what_is_remembered(project: Project) -> None:
    run = started(project, task_type="research")
    done = ended(project, run, output="All rows were copied.")
    (_, own) = left(project)
    assert (done.memory_id, done.not_remembered) == (own.id, None)
    assert project.get_run(run.id) == done


@pytest.mark.parametrize(
    ("task", "fields", "why"),
    [
        (None, {}, "the run has no task"),
        ("ab", {}, "task and result are too short to say anything"),
        (TASK, {"tags": "scheduled"}, "nobody asked for the task, it is an automatic one"),
    ],
)
def test_the_end_of_a_run_says_why_nothing_is_remembered(
    project: Project, task: str | None, fields: dict[str, str], why: str
) -> None:
    done = ended(project, started(project, task, **fields))
    assert (done.memory_id, done.not_remembered) == (None, why)
    assert left(project) == []


def forget(project: Project, run: Run, memory: Memory) -> Run:
    project.forget(memory.id, agent="tank")
    return project.get_run(run.id)


def test_forgetting_what_a_run_left_blanks_the_run(project: Project, target: str) -> None:
    run = started(project, f"Tell {SECRET}")
    project.finish_run(run.id, outcome="failed", reason=f"{SECRET} hung up")
    (memory,) = left(project)
    before = project.get_run(run.id)
    blank = forget(project, run, memory)
    assert (blank.task, blank.reason, blank.version) == ("[forgotten]", "[forgotten]", before.version + 1)
    assert (blank.agent, blank.outcome, blank.ended_at) == (before.agent, before.outcome, before.ended_at)
    assert blank.salt != before.salt, "a guess at the words can be checked against the ledger"
    assert SECRET not in repr(everything(target))
    assert SECRET.encode() not in bytes_on_disk(target)
    assert [one.action for one in project.list_events(limit=2).items] == ["run.forgotten", "memory.forgotten"]
    assert project.verify().ok
    assert forget(project, run, memory) == blank
    assert project.list_events(limit=1).items[0].action == "run.forgotten"
    assert project.verify().ok


def test_a_run_without_a_reason_gets_none_by_being_blanked(project: Project) -> None:
    run = started(project)
    project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    blank = forget(project, run, left(project)[0])
    assert (blank.task, blank.reason) == ("[forgotten]", None)


def test_a_purge_leaves_the_run_and_forgetting_reaches_it_still(project: Project, clock: FakeClock) -> None:
    run = started(project)
    project.finish_run(run.id, outcome="failed", reason="The disk was full.")
    (memory,) = left(project)
    clock.advance(days=8)
    assert project.purge() == 1
    assert project.get_run(run.id).reason == "The disk was full."
    assert forget(project, run, memory).reason == "[forgotten]"
    assert project.verify().ok


@pytest.mark.parametrize(
    "fields",
    [{}, {"source": "task_completion"}, {"source": "task_completion", "source_ref": "run:elsewhere"}],
    ids=repr,
)
def test_forgetting_another_memory_of_a_run_leaves_the_run(project: Project, fields: dict[str, Any]) -> None:
    run = started(project)
    memory = project.remember("learned on the way", agent="tank", run_id=run.id, **fields)
    project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    assert forget(project, run, memory).task == TASK


def test_the_tombstone_of_another_memory_of_a_run_reaches_the_run_neither(project: Project) -> None:
    run = started(project)
    memory = project.remember("learned on the way", agent="tank", run_id=run.id)
    project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    assert [forget(project, run, memory).task for _ in range(2)] == [TASK, TASK]


def test_a_memory_that_only_says_it_came_from_a_run_blanks_nothing(hansard: Hansard, project: Project) -> None:
    theirs, open_run = project.start_run(agent="neo", task=TASK), started(project)
    person = hansard.project("shop", actor=Actor("ana", "human"))
    made = [
        (run, person.remember(f"forged {run_id}", agent="tank", source="task_completion", run_id=run_id,
                              source_ref=f"run:{run.id}"))
        for run in (theirs, open_run)
        for run_id in (None, run.id)
    ]  # fmt: skip
    project.finish_run(theirs.id, outcome="completed", output="All rows were copied.")
    for run, memory in made:
        assert forget(project, run, memory).task == TASK


def test_a_run_is_remembered_once(project: Project) -> None:
    run = started(project)
    project.finish_run(run.id, outcome="completed", output="done and dusted")
    with pytest.raises(RunEnded):
        project.finish_run(run.id, outcome="failed", reason="again")
    assert len(left(project)) == 1


def test_two_runs_of_the_same_task_are_two_memories(project: Project) -> None:
    for _ in range(2):
        project.finish_run(started(project).id, outcome="completed", output="done and dusted")
    assert len({one.id for one in left(project)}) == 2


def test_what_a_run_came_to_is_found(project: Project) -> None:
    project.finish_run(started(project).id, outcome="failed", reason="The zeppelin exploded.")
    hits = project.recall("zeppelin", agent="tank")
    assert "The zeppelin exploded." in hits[0].memory.content
    assert project.recall("zeppelin", agent="neo") == ()


AUTOMATIC: list[dict[str, str]] = [
    {"task_type": kind}
    for kind in (
        "automatic", "Automatic", "automated", "cron", "periodic", "recurring",
        "heartbeat", "Heartbeat", "heartbeat-checklist", "boot-triage", "health-check", "health-probe", "monitor",
        "monitoring", "disk-monitor", "daily-digest", "schedule", "system",
    )
] + [
    {"tags": tag} for tag in ("scheduled", "automatic", "cron", "auto-generated", "schedule:daily", "x, Scheduled")
]  # fmt: skip


@pytest.mark.parametrize("fields", AUTOMATIC, ids=repr)
def test_a_task_nobody_asked_for_is_kept_only_on_request(project: Project, fields: dict[str, str]) -> None:
    for outcome in ("completed", "failed"):
        project.finish_run(started(project, **fields).id, outcome=outcome, output="nothing to report today")
    assert project.summarise_session(LEARNED, agent="tank", run_id=started(project, **fields).id) is None
    assert project.list_memories().items == ()
    project.finish_run(started(project, **fields).id, outcome="completed", output="something", persist=True)
    assert len(left(project)) == 1
    kept = project.summarise_session(LEARNED, agent="tank", run_id=started(project, **fields).id, persist=True)
    assert kept is not None


@pytest.mark.parametrize(
    "fields", [{}, {"task_type": "bug"}, {"task_type": "monitors"}, {"tags": "schedules, heartbeats"}], ids=repr
)
def test_any_other_task_is_kept(project: Project, fields: dict[str, str]) -> None:
    project.finish_run(started(project, **fields).id, outcome="completed", output="a good result")
    (memory,) = left(project)
    assert memory.scope is Scope.AGENT


@pytest.mark.parametrize(
    "fields", [{"task_type": "research"}, {"task_type": "Research"}, {"tags": "knowledge"}, {"tags": "a, Shared"}]
)
def test_research_and_shared_knowledge_is_also_the_teams(project: Project, fields: dict[str, str]) -> None:
    project.finish_run(started(project, **fields).id, outcome="completed", output="zeppelins are faster")
    shared, own = left(project)
    assert (own.scope, shared.scope) == (Scope.AGENT, Scope.TEAM)
    assert shared.content == f"Task completed by agent tank:\n\n{own.content}"
    assert shared.name == f"Shared: {TASK}"
    assert shared.agent == "tank"
    assert shared.expires_at == own.expires_at
    assert [hit.memory.id for hit in project.recall("zeppelins", agent="neo")] == [shared.id]


def test_a_search_shows_what_a_run_left_twice_only_once(hansard: Hansard, project: Project) -> None:
    for task in (TASK, f"{TASK} again"):
        run = project.start_run(agent="tank", task=task, task_type="research")
        project.finish_run(run.id, outcome="completed", output="All rows were copied.")
    assert len(left(project)) == 4
    for reader in (project.recall("ledger in the new database", agent="tank"), project.recall("ledger database")):
        assert len(reader) == 2
        assert len({hit.memory.run_id for hit in reader}) == 2
    neo = hansard.project("shop", actor=Actor("neo"))
    assert {hit.memory.scope for hit in neo.recall("ledger in the new database")} == {Scope.TEAM}
    assert len(project.recall("ledger in the new database", agent="tank", scope="team")) == 2


@pytest.mark.parametrize("fields", [{"task_type": "research"}, {"tags": "knowledge"}, {"tags": "shared"}])
@pytest.mark.parametrize("outcome", ["failed", "declined"])
def test_what_did_not_succeed_is_never_the_teams(project: Project, fields: dict[str, str], outcome: str) -> None:
    project.finish_run(started(project, **fields).id, outcome=outcome, reason="no way")
    assert [one.scope for one in left(project)] == [Scope.AGENT]


def test_a_completion_belongs_to_the_agent_of_the_run_whoever_ends_it(hansard: Hansard, project: Project) -> None:
    run = started(project)
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("neo")).finish_run(run.id, outcome="completed", output="mine")
    assert left(project) == []
    project.finish_run(run.id, outcome="completed", output="closed by a person")
    assert left(project)[0].agent == "tank"


def test_a_conversation_leaves_what_it_taught_for_three_days(project: Project) -> None:
    run = started(project)
    memory = project.summarise_session(LEARNED, agent="tank", run_id=run.id)
    assert memory is not None
    assert (memory.content, memory.name, memory.run_id) == (LEARNED, f"Session: {TASK}", run.id)
    assert (memory.source, memory.scope, memory.agent) == (Source.SESSION_SUMMARY, Scope.AGENT, "tank")
    assert memory.expires_at == memory.created_at + 3 * MICROSECONDS_PER_DAY
    project.finish_run(run.id, outcome="completed")
    later = project.summarise_session("Another thing that was learned after it.", agent="tank", run_id=run.id)
    assert later is not None
    assert later.run_id is None
    alone = project.summarise_session("A thing that was learned without a run.", agent="tank")
    assert alone is not None
    assert alone.name == "Session: A thing that was learned without a run."


@pytest.mark.parametrize(
    "summary",
    ["No significant learnings.", "There were NO SIGNIFICANT LEARNINGS in this session at all.", "tiny", "x" * 20],
)
def test_a_conversation_that_taught_nothing_leaves_nothing(project: Project, summary: str) -> None:
    assert project.summarise_session(summary, agent="tank") is None
    assert project.list_memories().items == ()


def test_a_summary_that_cannot_be_kept_is_refused(hansard: Hansard, project: Project) -> None:
    for bad in ("", " ", "\x00", None):
        with pytest.raises(Invalid, match="summary"):
            project.summarise_session(bad, agent="tank")  # type: ignore[arg-type]
    with pytest.raises(TooLarge):
        project.summarise_session("x" * 70_000, agent="tank")
    with pytest.raises(UnknownRun):
        project.summarise_session(LEARNED, agent="tank", run_id="nope")
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("neo")).summarise_session(LEARNED, agent="tank")


def test_the_same_lesson_twice_is_one_memory(project: Project) -> None:
    first = project.summarise_session(LEARNED, agent="tank")
    again = project.summarise_session(LEARNED, agent="tank")
    assert first is not None
    assert again is not None
    assert (again.id, again.duplicate) == (first.id, True)
