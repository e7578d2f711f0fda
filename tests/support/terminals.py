"""Shows what a person sees of a command on the terminal that it is started from."""

import os
import pty
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("hansard")


def seen_by_a_person(*arguments: str) -> str:
    """What a command shows on the terminal that it is started from."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([str(PROGRAM), *arguments], stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            pass  # The other end was closed.
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()
