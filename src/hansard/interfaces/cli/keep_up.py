"""Owns the exporter's process: `python -m hansard.interfaces.cli.keep_up ROOT`. Its environment names the project."""

import os
import sys
from pathlib import Path

from hansard import settings as settings_module
from hansard.domain.errors import HansardError

NICENESS = 10


def main(root: str) -> int:
    """Exports as long as there is something to export. What goes wrong is kept in the record, and said."""
    # Whoever writes has the machine first; the files may come a moment later.
    os.nice(NICENESS)
    from hansard.app import Hansard
    from hansard.services import keep_up

    try:
        # An export takes in what was dropped into the folder, and there the policy of its project counts.
        settings = settings_module.guarded(settings_module.load(), Path(root))._replace(mirror_auto="off")
        with Hansard.open(settings=settings, must_exist=True) as hansard:
            problem = keep_up.keep_up(hansard.project(settings.project, actor=keep_up.EXPORTER).seat(), root)
    except HansardError as error:
        problem = error.message
    if problem is None:
        return 0
    print(f"Error: {problem}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
