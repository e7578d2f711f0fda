"""A process whose files may not grow, as on a full disk, and may again later: `python -m support.cramped TARGET`.

Prints as JSON what it could do.
"""

import json
import resource
import sys

from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.settings import Settings


def main(target: str) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    said: dict[str, object] = {}
    try:
        with Hansard.open(target, settings=Settings(user="ana", embedding_provider="none"), must_exist=True) as hansard:
            project = hansard.project("shop")
            block = project.compile(agent="tank")
            said["list"] = [one.content for one in project.list_memories().items]
            said["compile"] = block is not None and "Bearer" in block.text
            try:
                project.remember("x", agent="tank")
            except HansardError as error:
                said |= {"refused": error.code, "why": error.message}
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            project.remember("There is room again.", agent="tank")
            said["later"] = len(project.list_memories().items)
    except HansardError as error:
        said |= {"unopened": error.code, "because": error.message}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
