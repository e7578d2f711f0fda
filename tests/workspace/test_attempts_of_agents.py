"""The counts of failures: one agent with many tasks neither fills the file for everybody nor loses others' counts."""

from pathlib import Path

from hansard.workspace import spills
from hansard.workspace.spills import AGENT_TASKS_MAX, count_name


def test_of_an_agents_many_tasks_the_latest_are_known(tmp_path: Path) -> None:
    with spills.attempts(tmp_path) as known:
        known.keep("a", 1)
        known.keep(count_name("a", "dozer"), 2)
        for number in range(AGENT_TASKS_MAX):
            known.keep(count_name(f"t{number}", "tank"), 3)
        known.keep(count_name("t0", "tank"), 4)
        known.keep(count_name("last", "tank"), 5)
    with spills.attempts(tmp_path) as known:
        told = [known.failures(count_name(task, "tank")) for task in ("t0", "t1", "t2", "last")]
        others = known.failures("a"), known.failures(count_name("a", "dozer"))

    assert (told, others) == ([4, 0, 3, 5], (1, 2))


def test_a_task_is_forgotten_for_everybody_and_no_other_is(tmp_path: Path) -> None:
    names = ("login", count_name("login", "tank"), count_name("login", "a/b"), "login-2", count_name("other", "login"))
    with spills.attempts(tmp_path) as known:
        for name in names:
            known.keep(name, 2)
    with spills.attempts(tmp_path, mending=True) as known:
        assert known.forget("login") == 6
        assert known.forget("login") == 0
    with spills.attempts(tmp_path) as known:
        assert [known.failures(name) for name in names] == [0, 0, 0, 2, 2]


def test_names_as_long_as_they_can_be_leave_room_for_many_agents(tmp_path: Path) -> None:
    with spills.attempts(tmp_path) as known:
        for number in range(AGENT_TASKS_MAX * 2):
            known.keep(count_name(f"{number:0100}", "n" * 200), 1)

    assert (tmp_path / spills.ATTEMPTS).stat().st_size < spills.ATTEMPTS_BYTES_MAX / 40
