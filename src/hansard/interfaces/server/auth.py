"""Owns who calls: a token or a signed-in browser becomes an actor, and only the projects of the token are there."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import HTTPConnection

from hansard.domain import tokens
from hansard.domain.actors import Actor
from hansard.domain.errors import Unauthenticated, UnknownProject
from hansard.domain.projects import canonical_key
from hansard.services import grant

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.project import Project

COOKIE = "hansard_session"
STATE = "hansard.caller"
BELIEVED_SECONDS = 1.0
"""How long a token is believed without looking again; for as long a revoked one may still work."""
BELIEVED_MAX = 4_096
LOOK_SECONDS = 2.0
"""How long a look into the store may take."""
NEEDED = "Send a token that is good: `Authorization: Bearer …`. `hansard token create` makes one."
SCHEME = "bearer "


class Caller(NamedTuple):
    """Who calls. `projects` are keys; None stands for all of them."""

    token_id: str
    actor: Actor
    projects: frozenset[str] | None

    def may_enter(self, key: str) -> bool:
        return self.projects is None or key in self.projects


class Callers:
    """Knows whose a token is, and asks the store again after a second. Safe to use from many threads."""

    def __init__(self, hansard: Hansard) -> None:
        self._hansard = hansard
        self._believed: OrderedDict[bytes, tuple[float, tokens.Grant | None]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, digest: bytes) -> tuple[bool, Caller | None]:
        """Whether the answer needs no look into the store, and the answer."""
        with self._lock:
            at, found = self._believed.get(digest, (0.0, None))
        if time.monotonic() - at > BELIEVED_SECONDS or not at:
            return False, None
        return True, _caller(found)

    def of_digest(self, digest: bytes) -> Caller | None:
        fresh, caller = self.known(digest)
        if fresh:
            return caller
        found = grant.whose_digest(self._hansard.store, digest, wait_seconds=LOOK_SECONDS)
        with self._lock:
            self._believed[digest] = (time.monotonic(), found)
            self._believed.move_to_end(digest)
            while len(self._believed) > BELIEVED_MAX:
                self._believed.popitem(last=False)
        return _caller(found)


def _caller(found: tokens.Grant | None) -> Caller | None:
    return None if found is None else Caller(found.id, Actor(found.agent, found.role), found.projects)


def bearer_of(connection: HTTPConnection) -> str | None:
    """The token that a request shows; None if it shows none."""
    given = connection.headers.get("authorization", "")
    return given[len(SCHEME) :].strip() if given[: len(SCHEME)].lower() == SCHEME else None


def caller_of(request: HTTPConnection) -> Caller:
    """Who calls. Raises Unauthenticated if nobody does who may.

    The server's gate has looked already; without it, as in a test of one router, the token is looked up here.
    """
    state = request.scope.get("state") or {}
    if STATE in state:
        caller: Caller | None = state[STATE]
    else:
        shown = bearer_of(request)
        looked = Callers(request.app.state.hansard)
        right = shown is not None and tokens.looks_right(shown)
        caller = looked.of_digest(tokens.digest_of(shown)) if right and shown is not None else None
    if caller is None:
        raise Unauthenticated(NEEDED)
    return caller


def bound_project(request: HTTPConnection, caller: Caller, key: str) -> Project:
    """The project, acted in as the caller. Raises UnknownProject if it is missing, or the token is not for it."""
    canonical = canonical_key(key)
    if not caller.may_enter(canonical):
        raise missing(key)
    hansard: Hansard = request.app.state.hansard
    try:
        return hansard.project(canonical, actor=caller.actor)
    except UnknownProject:
        raise missing(key) from None


def missing(key: str) -> UnknownProject:
    """The same words whether a project is not there or not for the caller."""
    from hansard.services.admission import safe_key

    return UnknownProject(f"There is no project {safe_key(key)!r}, or the token is not for it.")
