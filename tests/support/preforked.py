"""A process that changes something, forks, and has its child change more: `python -m support.preforked TARGET`."""

import os
import sys

from hansard import Hansard
from hansard.settings import Settings


def main(target: str) -> None:
    """The child begins when it is told to. Neither side closes anything before it is told to end."""
    opened = Hansard.open(target, settings=Settings(user="ana", embedding_provider="none"))
    project = opened.project("shop")
    project.propose(agent="tank", slug="by-the-parent", type="scope", content="Yes.")
    child = os.fork()
    if child == 0:
        sys.stdin.readline()
        project.propose(agent="tank", slug="by-the-child", type="scope", content="Yes.")
        sys.stdin.read()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    opened.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
