"""A process of its own that proposes and exports in turn: `python -m support.exporter TARGET ROOT NAME COUNT`."""

import sys

from hansard import Hansard
from hansard.settings import Settings


def main(target: str, root: str, name: str, count: str) -> None:
    set_aside = failed = 0
    with Hansard.open(target, settings=Settings(user="ana", embedding_provider="none")) as hansard:
        project = hansard.project("shop")
        for number in range(int(count)):
            project.propose(agent=name, slug=f"{name}-idea-{number}", type="scope", content="x")
            report = project.export(root)
            set_aside += len(report.set_aside)
            failed += len(report.failed)
    sys.stdout.write(f"{set_aside} {failed}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
