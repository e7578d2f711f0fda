"""Projects to back up, and what must hold of a copy of them."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import apsw

from hansard import Hansard
from hansard.domain.jobs import JobKind
from hansard.project import Project
from hansard.services.transfer import compare_project
from support.fakes import fake_secret


def fill(hansard: Hansard, key: str, root: Path) -> Project:
    """A project with something in every table."""
    project = hansard.project(key, create=True, root=root)
    project.remember_many(
        {"content": f"zeppelin {number} lands at gate {number % 7}", "agent": "tank", "tags": ["air"]}
        for number in range(40)
    )
    run = project.start_run(agent="tank", task="Paint the zeppelin")
    entry = project.propose(agent="tank", slug="helium", type="architectural", content="Helium only.", run_id=run.id)
    project.merge(entry.id, by="ana")
    memory = project.remember("the old hangar leaks", agent="tank", scope="team", citations=["hangar.md"])
    project.edit_memory(memory.id, agent="tank", content="the old hangar leaks when it rains")
    project.forget(project.remember("the combination is 1234", agent="tank").id, agent="tank")
    project.rate_memory(memory.id, agent="neo", useful=True)
    project.start_session(focus="Landing", issues=["#1"])
    project.recall("zeppelin", agent="tank")
    project.compile(agent="tank", keep=True)
    project.allow_secret(fake_secret(), reason="It is made for this test.", by="ana")
    hansard.create_token(agent="tank", projects=[project.key])
    with hansard.store.write(project.id) as tx:
        hansard.store.jobs(tx).take(JobKind.EXPORT, "here", "somebody", lease_us=10**12)
    return project


def assert_same(ours: Hansard, theirs: Hansard) -> None:
    assert ours.projects() == theirs.projects()
    for project in ours.projects():
        compare_project(ours.store, theirs.store, project)
        assert theirs.project(project.key).verify().ok


def files_beside(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def stopped(process: subprocess.Popen[str], word: str) -> None:
    """Kills a process that has come to a step whose name begins with the word."""
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(word):
                break
        else:
            raise AssertionError(process.stderr.read() if process.stderr else "")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def unhinge(path: Path, index: str, change: str) -> None:
    """Changes rows behind the back of one of their indexes, as a disk does that lost a write."""
    known = _alone(path, "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = ?", (index,))
    for statement, values in (
        ("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = ?", (index,)),
        (change, ()),
        ("PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", known[0]),
    ):
        _alone(path, statement, values)


def _alone(path: Path, statement: str, values: tuple[Any, ...]) -> list[Any]:
    """Runs a statement in a connection of its own, which reads the schema anew."""
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()
