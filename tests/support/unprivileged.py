"""A process that may do no more than its rights say, even as root: `python -m support.unprivileged TARGET ROOT`.

It exports and imports, and prints as JSON what failed, what was written and what was skipped.
"""

import ctypes
import json
import os
import sys

from hansard import Hansard
from hansard.settings import Settings

CAPABILITY_VERSION = 0x20080522
WORDS = 6


class Header(ctypes.Structure):
    """Whose capabilities are set: version of the call, and the process, 0 for this one."""

    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


def give_up_privileges() -> None:
    """Root writes into every folder; without its capabilities it is held to the rights of the folder as anybody is."""
    if os.geteuid() != 0:
        return
    nothing = (ctypes.c_uint32 * WORDS)()
    assert ctypes.CDLL(None).capset(ctypes.byref(Header(CAPABILITY_VERSION, 0)), nothing) == 0


def main(target: str, root: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana", embedding_provider="none")) as hansard:
        project = hansard.project("shop")
        # A server of the tests has its socket in a folder that only root enters; the store is open by now.
        give_up_privileges()
        exported = project.export(root)
        imported = project.import_inbox(root)
    told = {
        "written": exported.written,
        "failed": [(one.path, one.reason) for one in exported.failed],
        "skipped": [(one.path, one.reason) for one in imported.skipped],
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
