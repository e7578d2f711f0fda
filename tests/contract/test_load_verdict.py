"""What the load suite makes of a store that did a request twice, or let an agent write more than it may."""

import random
from pathlib import Path

from benchmarks import load, served_load

from hansard import Hansard
from hansard.project import Project
from support.clock import FakeClock
from support.serving import running


def test_a_request_that_was_done_twice_is_counted_once_for_its_key(project: Project) -> None:
    first, again, other = (
        project.start_run(agent="tank", task=served_load.TASK + key).id for key in ("key-1", "key-1", "key-2")
    )
    assert served_load.done_twice(project, [("key-1", first), ("key-1", again), ("key-2", other)]) == 1
    assert served_load.done_twice(project, []) == 1, "also if nobody was told"


def test_a_request_that_was_answered_with_two_records_counts_as_done_twice(project: Project) -> None:
    made = project.start_run(agent="tank", task=f"{served_load.TASK}key-1").id
    assert served_load.done_twice(project, [("key-1", made), ("key-1", made)]) == 0
    assert served_load.done_twice(project, [("key-1", made), ("key-1", "another")]) == 1


def test_a_request_is_sent_until_servers_have_answered_it_twice(
    hansard: Hansard, project: Project, tmp_path: Path
) -> None:
    served_load.grant(hansard, tmp_path, (project.key,))
    with running(hansard) as server:
        (tmp_path / "0.address").write_text(server.address)
        (tmp_path / "1.address").write_text("http://127.0.0.1:1")
        told = served_load.answers(tmp_path, project.key, "key-1", random.Random(1))
    assert told == [one.id for one in project.list_runs().items] * 2
    assert served_load.done_twice(project, [("key-1", one) for one in told]) == 0


def test_a_minute_with_more_writes_than_the_limit_is_counted(project: Project, clock: FakeClock) -> None:
    for number in range(load.WRITES_PER_MINUTE):
        project.remember(f"Gate {number} is open.", agent=load.HASTY)
    assert load.minutes_over_limit(project) == 0
    clock.advance(seconds=60)
    for number in range(load.WRITES_PER_MINUTE + 1):
        project.remember(f"Gate {number} is shut.", agent=load.HASTY)
    assert load.minutes_over_limit(project) == 1
