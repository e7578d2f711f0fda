"""A process of its own that backs up or restores: `python -m support.archivist backup|restore TARGET FILE …`.

It says every step it takes, and waits for ever at the one whose name begins with the word it was given.
"""

import os
import resource
import sys
import tempfile  # noqa: F401

import hansard.store.sqlite.examine
import hansard.store.sqlite.store  # noqa: F401  (loaded while its files can still be read)
from hansard import Hansard
from hansard.domain.errors import HansardError
from hansard.services import audit, backup  # noqa: F401
from hansard.settings import Settings

ME = Settings(user="ana")


def stopping(word: str) -> backup.Progress:
    def progress(label: str, done: int, total: int) -> None:
        sys.stdout.write(f"{label} {done}/{total}\n")
        sys.stdout.flush()
        if word and label.startswith(word):
            sys.stdin.read()

    return progress


def run(job: str, target: str, file: str, word: str) -> None:
    if job == "backup":
        with Hansard.open(target, settings=ME) as opened:
            opened.backup(file, progress=stopping(word))
    else:
        Hansard.restore(file, target, settings=ME, progress=stopping(word))


def main(job: str, target: str, file: str, word: str = "", user: str = "", bytes_max: str = "") -> None:
    """Does the job, as another user or with a disk on which files stay small, and says the error's code at the end."""
    if bytes_max:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(bytes_max), int(bytes_max)))
    if user:
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    try:
        run(job, target, file, word)
    except HansardError as error:
        sys.stdout.write(error.code)
    else:
        sys.stdout.write("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
