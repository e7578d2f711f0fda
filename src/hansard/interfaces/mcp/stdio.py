"""Owns serving one client over pipes: the handshake is answered before anything is opened."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.errors import BadSetting, HansardError, Invalid
from hansard.interfaces.mcp.calling import Calling
from hansard.interfaces.mcp.front import Front
from hansard.interfaces.mcp.refusals import BadStart
from hansard.interfaces.mcp.tools import offered
from hansard.interfaces.mcp.wire import Wire

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.domain.actors import Actor
    from hansard.settings import Settings


class Local(NamedTuple):
    """What the command line knows of the local user's own session. Nothing of it is asked before a call needs it."""

    settings: Callable[[], Settings]
    open: Callable[[Settings], Hansard]
    actor: Callable[[Settings], Actor]
    cwd: Path | None
    child: bool = False


class Opened:
    """The store, opened by the first call that needs it. One that cannot be opened is tried again by the next call."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self._lock = threading.Lock()
        self._hansard: Hansard | None = None

    def calling(self, _request: object) -> Calling:
        """Who calls. Raises BadStart for what the host said wrong: no argument of a call was looked at yet."""
        try:
            return self._calling()
        except BadSetting:
            raise
        except Invalid as error:
            raise BadStart(error.message) from None

    def _calling(self) -> Calling:
        opened = self._opened()
        settings = opened.settings
        project = opened.project(settings.project, actor=self._local.actor(settings), cwd=self._local.cwd)
        return Calling(project, self._local.cwd, self._local.child)

    def aliases(self) -> bool:
        """Whether tools have other names as well. Settings that cannot be read are told by the first call."""
        try:
            return self._local.settings().mcp_aliases == "on"
        except HansardError:
            return False

    def close(self) -> None:
        with self._lock:
            if self._hansard is not None:
                self._hansard.close()
                self._hansard = None

    def _opened(self) -> Hansard:
        with self._lock:
            if self._hansard is None:
                self._hansard = self._local.open(self._local.settings())
            return self._hansard


def serve(local: Local) -> None:
    """Serves standard input until it ends. A call that has begun is finished first."""
    wire = Wire()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: wire.end())
    opened = Opened(local)
    loading = _Loading(wire.knock)
    front = Front(lambda: offered(aliases=opened.aliases()), child=local.child)
    try:
        if _greet(wire, front, loading):
            loading.wait()
            wire.hand_over(front.held, front.opened)
            from hansard.interfaces.mcp import piped

            piped.run(wire, opened.calling, aliases=opened.aliases, child=local.child)
    finally:
        opened.close()


def _greet(wire: Wire, front: Front, loading: _Loading) -> bool:
    """Answers the first requests until the SDK is loaded. Whether there is anything left to serve."""
    while not loading.is_done and not front.is_full:
        line = wire.take()
        if line is None:
            continue
        if not line:
            wire.end()
            return not front.is_idle
        answer = front.answer(line)
        if answer is not None:
            wire.write(answer)
            wire.flush()
    return True


class _Loading:
    """Loads the SDK beside everything else, and tells when it is there."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._failure: BaseException | None = None
        self._done = threading.Event()
        self._tell = tell
        self._thread = threading.Thread(target=self._load, name="hansard-mcp-loader", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    def wait(self) -> None:
        """Raises what loading raised."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _load(self) -> None:
        try:
            import_module("hansard.interfaces.mcp.piped")
        except BaseException as error:  # noqa: BLE001 - raised again where somebody waits for it
            self._failure = error
        finally:
            # Before it is told: a thread that tells is still alive, and whoever wakes would go back to sleep for ever.
            self._done.set()
            self._tell()
