"""A process that forks while it uses a store: `python -m support.forked TARGET`."""

import os
import sys

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings

CALLS = 50


def use(project: Project, name: str) -> None:
    for number in range(CALLS):
        memory = project.remember(f"{name} {number}", agent=name, force=True)
        assert project.get_memory(memory.id).content == f"{name} {number}"


def child(hansard: Hansard, project: Project) -> None:
    use(project, "child")
    hansard.close()
    sys.stdout.write("child ok\n")
    sys.stdout.flush()
    os._exit(0)


def main(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        use(project, "before")
        with hansard.store.read(project.id) as tx:
            forked = os.fork()
            if forked == 0:
                child(hansard, project)
            use(project, "parent")
            assert os.waitpid(forked, 0)[1] == 0
            # The transaction that was open is the parent's still.
            assert [one.key for one in tx.projects.all()] == ["shop"]
        assert project.verify().ok
    sys.stdout.write("parent ok\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
