"""A process of its own that writes to a store: `python -m support.writer JOB TARGET …`."""

import os
import sys
from collections.abc import Callable

import hansard.store.sqlite.store  # noqa: F401  (loaded while its files can still be read)
from hansard import Hansard
from hansard.domain.errors import HansardError, RunEnded
from hansard.settings import Settings


def proposals(target: str, worker: str, count: str, slugs: str) -> None:
    """Proposes `count` times as many agents as needed, on a few slugs everybody wants."""
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        for number in range(int(count)):
            topic, author = number % int(slugs), number // int(slugs)
            project.propose(
                agent=f"agent-{worker}-{author}", slug=f"topic {topic}", type="learning", content=f"{worker}/{number}"
            )


def acknowledge(target: str) -> None:
    """Writes for ever and says so, one line after each acknowledged write, until it is killed."""
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        number = 0
        while True:
            number += 1
            memory = project.remember(f"memory {number}", agent="tank")
            entry = project.propose(agent="tank", slug=f"slug-{number}", type="learning", content="c")
            decision = project.merge(entry.id, by="ana")
            sys.stdout.write(f"{memory.id} {entry.id} {decision.id}\n")
            sys.stdout.flush()


def open_(target: str, user: str = "") -> None:
    """Opens the store, founds the same project as everybody else, and says the error's code if it cannot.

    With a user, it becomes that user first: another user may not even be able to start this Python.
    """
    if user:
        # Once it is another user, nothing more may be found to import.
        from hansard.guard import gate as _gate  # noqa: F401
        from hansard.services import mirror as _mirror  # noqa: F401

        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    try:
        with Hansard.open(target, settings=Settings(user="ana")) as hansard:
            project = hansard.project("shop", create=True)
            # Vectors need packages that another user may not be able to read.
            project.start_session(focus="x") if user else project.remember("x", agent="tank", force=True)
    except HansardError as error:
        sys.stdout.write(error.code)
    else:
        sys.stdout.write("ok")


def finish(target: str, run_id: str) -> None:
    """Ends a run that others end too, has it written down again, and says what each of the two merged."""
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        try:
            ended = project.finish_run(run_id, outcome="failed")
            first = len(ended.scribed.merged) if ended.scribed else 0
        except RunEnded:
            first = 0
        sys.stdout.write(f"{first} {len(project.scribe(run_id).merged)}")


def runs(target: str) -> None:
    """Starts and ends runs for ever, each with a lesson and a session of its own, until it is killed."""
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        while True:
            run = project.start_run(agent="tank")
            project.start_session(focus="f", run_id=run.id, agent="tank")
            project.propose(agent="tank", slug=f"slug-{run.id}", type="learning", content="c", run_id=run.id)
            project.finish_run(run.id, outcome="completed")
            sys.stdout.write(f"{run.id}\n")
            sys.stdout.flush()


JOBS: dict[str, Callable[..., None]] = {
    "proposals": proposals, "acknowledge": acknowledge, "open": open_, "finish": finish, "runs": runs,
}  # fmt: skip

if __name__ == "__main__":
    JOBS[sys.argv[1]](*sys.argv[2:])
