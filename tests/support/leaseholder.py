"""A process of its own that does one job again and again: `python -m support.leaseholder TARGET LOG COUNT`."""

import os
import sys

from hansard import Hansard
from hansard.domain.jobs import JobKind
from hansard.settings import Settings

LEASE_US = 60_000_000


def main(target: str, log: str, count: str) -> None:
    """Takes the lease as often as it can, and writes down when it has it and when no more."""
    name, done = f"worker-{os.getpid()}", 0
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        store, project = hansard.store, hansard.project("shop")
        while done < int(count):
            with store.write(project.id) as tx:
                lease = store.jobs(tx).take(JobKind.EXPORT, "here", name, lease_us=LEASE_US)
                job = store.jobs(tx).get(JobKind.EXPORT, "here")
            if lease is None or job is None:
                continue
            os.write(handle, f"begin {name}\n".encode())
            os.write(handle, f"end {name}\n".encode())
            with store.write(project.id) as tx:
                store.jobs(tx).finish(lease, job.done_position + 1, lease_us=0)
                store.jobs(tx).release(lease)
            done += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
