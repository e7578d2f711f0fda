"""Owns the work beside the requests: files and record are kept in step, and missing vectors are filled in."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from hansard.domain.errors import HansardError, Invalid
from hansard.services import found, keep_up
from hansard.services.mirror import home
from hansard.services.seat import Seat
from hansard.services.watch import FOLDERS, keep_in_step
from hansard.workspace.watching import Lookout, steps

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.domain.projects import Project
    from hansard.services.watch import Happening
    from hansard.workspace.watching import Wait

LOOK_SECONDS = 2.0
FILL_SECONDS = 30.0
FOLDERS_MAX = 64
"""Each folder that is followed has a thread; more of them are left to `hansard watch`."""
RETRY_SECONDS = 30.0
TROUBLE = {"skipped": Invalid.code, "warned": Invalid.code, "failed": "mirror.failed", "left alone": "mirror.waiting"}
"""What somebody has to look at, and its code; whatever waits brings its own."""
log = logging.getLogger("hansard.background")


class Stopped(Exception):
    """The server stops; the work that was begun is done."""


class Background:
    """The threads of the server. `stop` waits for what they hold."""

    def __init__(self, hansard: Hansard, *, follows_files: bool) -> None:
        self._hansard = hansard
        self._follows_files = follows_files
        self._stopping = threading.Event()
        self._following: dict[tuple[str, str], threading.Thread] = {}
        self._keeper = threading.Thread(target=self._keep, name="hansard-keeper", daemon=True)

    def start(self) -> None:
        self._keeper.start()

    def stop(self, seconds: float) -> bool:
        """Ends everything, and says whether it ended in time: all of it together, however many folders are followed."""
        self._stopping.set()
        until = time.monotonic() + seconds
        threads = [self._keeper, *self._following.values()]
        for thread in threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _keep(self) -> None:
        """Looks for projects and folders that are new, as long as the server runs."""
        looks, hindrance = 0, None
        while not self._stopping.is_set():
            try:
                for record in found.list_projects(self._hansard.store):
                    if self._follows_files:
                        self._follow(record)
                    if looks % int(FILL_SECONDS / LOOK_SECONDS) == 0:
                        self._fill(record)
                hindrance = None
            except HansardError as error:
                # Once for each: it is looked again every few seconds.
                if error.code != hindrance:
                    log.warning("background work waits: %s", error.code)
                hindrance = error.code
            except Exception:
                log.exception("background work failed")
            looks += 1
            self._stopping.wait(LOOK_SECONDS)

    def _follow(self, record: Project) -> None:
        for root in self._hansard.roots(record):
            known = self._following.get((record.id, root))
            if known.is_alive() if known is not None else len(self._following) >= FOLDERS_MAX:
                continue
            name = f"hansard-follow-{len(self._following)}"
            thread = threading.Thread(target=self._in_step, args=(record, root), name=name, daemon=True)
            self._following[record.id, root] = thread
            thread.start()

    def _in_step(self, record: Project, root: str) -> None:
        opened = self._hansard
        seat = Seat(opened.store, record, keep_up.EXPORTER, opened.settings, opened.shelf)
        try:
            place = home(seat, root)
            with Lookout(lambda: steps(place, FOLDERS), deep=False) as lookout:
                happened: Counter[tuple[str, str | None]] = Counter()
                for one in keep_in_step(seat, Path(place), self._waiting(lookout, record, happened)):
                    happened[one.what, _code(one)] += 1
        except Stopped:
            return
        except HansardError as error:
            log.warning("a folder of %s is not followed: %s", record.key, error.code)
            self._stopping.wait(RETRY_SECONDS)
        except Exception:
            log.exception("a folder of %s is not followed", record.key)
            self._stopping.wait(RETRY_SECONDS)

    def _waiting(self, lookout: Lookout, record: Project, happened: Counter[tuple[str, str | None]]) -> Wait:
        """Waits for news of the files, and ends the work between two looks when the server stops."""

        def wait(seconds: float) -> bool:
            tell(record.key, happened)
            happened.clear()
            if self._stopping.is_set():
                raise Stopped
            return lookout.wait(seconds)

        return wait

    def _fill(self, record: Project) -> None:
        """Vectors that a provider could not make when something was written are made when it is back."""
        store = self._hansard.store
        with store.read(record.id) as tx:
            serving = tx.units.serving()
            lacks = serving is not None and bool(tx.vectors.missing(serving[0], 1))
        if lacks:
            self._hansard.shelf.fill_in_background(record.id)


def tell(key: str, happened: Counter[tuple[str, str | None]]) -> None:
    """Logs what one look brought. Files are counted, not named: a name may say something."""
    for (what, code), count in happened.items():
        files = "" if what in {"waiting", "back"} else f" ({count:,})"
        if code is None:
            log.info("%s: %s%s", key, what, files)
        else:
            log.warning("%s: %s%s: %s", key, what, files, code)


def _code(one: Happening) -> str | None:
    code: str | None = one.details.get("code") if one.what == "waiting" else TROUBLE.get(one.what)
    return code
