"""A process that may only read: `python -m support.reader TARGET BACKUP`. Prints as JSON what it could do."""

import json
import sys

from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.settings import Settings
from support.unprivileged import give_up_privileges


def main(target: str, backup: str) -> None:
    give_up_privileges()
    with Hansard.open(target, settings=Settings(user="ana", embedding_provider="none"), must_exist=True) as hansard:
        project = hansard.project("shop")
        said: dict[str, object] = {
            "list": [one.content for one in project.list_memories().items],
            "recall": len(project.recall("Bearer prefix", agent="tank")),
            "verify": project.verify().ok,
            "history": bool(project.list_events().items),
            "backup": hansard.backup(backup).place == backup,
        }
        try:
            project.remember("x", agent="tank")
        except HansardError as error:
            said |= {"refused": error.code, "why": error.message}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
