"""Sends an exporter on its way after a change, in a process of its own: no write waits for files."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from hansard.domain.errors import HansardError
from hansard.settings import BY_NAME, data_folder
from hansard.workspace import process, roots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hansard.domain.projects import Project
    from hansard.settings import Settings
    from hansard.store.ports import Store

EXPORTER = "hansard.interfaces.cli.keep_up"
AUTO = BY_NAME["mirror.auto"]
QUIET_SECONDS = 0.2
QUIET_SECONDS_MAX = 1.0
"""How long nothing must have changed before an exporter is started, and how long changes can put that off: starting a
process is work, and more changes often follow at once."""
RETRY_SECONDS_MIN = 1.0
RETRY_SECONDS_MAX = 60.0
"""How long after an exporter that failed the next one is started, at first and at most."""


def subject_of(machine: str, root: str) -> str:
    """Whose export it is: a project may have several folders on a machine, and each has files of its own."""
    return f"{machine}:{root}"


def due(store: Store, project: Project) -> list[str]:
    """The project's folders on this machine whose files are behind the record while nobody is at work on them."""
    # Imported here because most commands only read.
    from hansard.domain.jobs import JobKind

    machine = roots.machine_id(data_folder())
    with store.read(project.id) as tx:
        places = [one.path for one in tx.projects.roots(project.id) if one.machine == machine]
        if not places:
            return []
        head, jobs = tx.ledger.head()[0], store.jobs(tx)
        found = [(place, jobs.get(JobKind.EXPORT, subject_of(machine, place))) for place in places]
        now = store.clock(tx)
    return [
        place
        for place, job in found
        # Whoever holds a live lease looks at the record again before it lets go, so this change is not missed.
        if (job is None or (job.done_position < head and not (job.is_leased(now) and not is_gone(job.holder))))
        and os.path.isdir(place)  # noqa: PTH112 - on the path of every command that writes
    ]


def is_gone(holder: str | None) -> bool:
    return holder is None or process.is_gone(holder)


class Dispatcher:
    """Told of changes, it sees to it that an exporter runs, and never waits for one. Safe to use from many threads."""

    def __init__(self, store: Store, place: str, settings: Settings) -> None:
        self._store = store
        self._place = place
        self._on = is_on(place, settings)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()
        # Held while the store is asked, which may take its time; a write never waits for it.
        self._starting = threading.Lock()
        self._changed: dict[str, Project] = {}
        self._last = 0.0
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, project: Project) -> None:
        """Remembers that the project changed."""
        if not self._on or self._closed.is_set():
            return
        if self._process != os.getpid():
            # A forked process has our memory, but not our thread, and a lock may have been held just then.
            self._begin()
        with self._guard:
            self._changed[project.id] = project
            self._last = time.monotonic()
            if self._thread is None:
                import atexit

                # A program that ends without closing has changed something all the same.
                atexit.register(self.close)
                self._thread = threading.Thread(target=self._follow, name="hansard-dispatch", daemon=True)
                self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Starts what is still to be started, waits for nothing, and forgets the store."""
        if self._process != os.getpid():
            self._begin()
        with self._starting:
            if self._closed.is_set():
                return
            if self._thread is not None:
                import atexit

                atexit.unregister(self.close)
            self._closed.set()
            started = self._start_due()
        self._wake.set()
        for one in started:
            # A process that lives on must not keep the remains of those that it started.
            threading.Thread(target=process.wait_for, args=(one,), daemon=True).start()

    def _follow(self) -> None:
        pause = 0.0
        while not self._closed.is_set():
            self._wake.wait()
            self._closed.wait(pause)
            self._let_pass()
            with self._starting:
                if self._closed.is_set():
                    return
                self._wake.clear()
                started = self._start_due()
            codes = [process.wait_for(one) for one in started]
            if any(codes):
                pause = min(RETRY_SECONDS_MAX, max(RETRY_SECONDS_MIN, 2 * pause))
            elif codes:
                pause = 0.0

    def _let_pass(self) -> None:
        """Waits until a burst of changes is over, or has lasted long enough."""
        end = time.monotonic() + QUIET_SECONDS_MAX
        while (left := min(end, self._last + QUIET_SECONDS) - time.monotonic()) > 0:
            if self._closed.wait(left):
                return

    def _start_due(self) -> list[int]:
        """Starts an exporter for each folder that needs one. Whatever prevents it must not fail the change."""
        with self._guard:
            changed, self._changed = self._changed, {}
        started: list[int] = []
        for project in changed.values():
            with suppress(HansardError, OSError):
                started.extend(self._start(project))
        return started

    def _start(self, project: Project) -> Iterator[int]:
        for root in due(self._store, project):
            yield process.start(_command(root), _environment(self._place, project))


def is_on(place: str, settings: Settings) -> bool:
    """Whether changes of a store at this place are exported by themselves.

    The environment can switch it off for programs too that make their settings themselves.
    """
    off = os.environ.get(AUTO.env, "").strip().lower() == "off"
    # What is in memory is gone for any other process.
    return settings.mirror_auto == "on" and not off and place != ":memory:" and process.can_start()


def _command(root: str) -> list[str]:
    # -P: the working directory may be anybody's, and must not say what `json` or `hansard` is.
    return [sys.executable, "-P", "-m", EXPORTER, root]


def _environment(place: str, project: Project) -> dict[str, str]:
    """The address goes this way because everybody can read a command, and an address may hold a password."""
    ours = {"HANSARD_DB": place, "HANSARD_PROJECT": project.key, AUTO.env: "off"}
    return {name: value for name, value in os.environ.items() if name not in ("HANSARD_AGENT", "HANSARD_ROLE")} | ours
