"""Owns the page to sign in at: a one-time link or a token becomes a cookie, and the page shows how the server is."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from hansard.domain import tokens
from hansard.interfaces.server import limits
from hansard.interfaces.server.auth import COOKIE, STATE, Caller, Callers
from hansard.interfaces.server.doors import place_of
from hansard.interfaces.server.health import Health

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import HTTPConnection

    from hansard.domain.actors import Actor

PAGES = Path(__file__).parent / "pages"
SESSION_SECONDS = 12 * 3_600
LINK_SECONDS = 900
SESSIONS_MAX = 1_000
SESSIONS_PER_TOKEN_MAX = 10
"""Browsers of one token; with one more, its own oldest is signed out, and nobody else's."""
FORM_FIELDS_MAX = 10
FORM_BYTES_MAX = 4_096
TRIES_PER_SECOND, TRIES_AT_ONCE = 0.2, 10.0
"""How often an address may guess, and a token may sign in."""
USED = "The link was used or is too old, or the token is not good."


class Session(NamedTuple):
    """A browser that signed in: by a link as the person who started the server, or by a token as its agent."""

    ends: float
    caller: Caller | None
    digest: bytes | None


class Entered(NamedTuple):
    """What became of signing in: a cookie, or nothing, or nothing for so many seconds."""

    cookie: str | None
    wait_seconds: int = 0


class Sessions:
    """The browsers that are signed in, and the links that are still to be used. They end with the server."""

    def __init__(self, callers: Callers, person: Actor) -> None:
        self._callers = callers
        self._person = person
        self._sessions: dict[bytes, Session] = {}
        self._links: dict[bytes, float] = {}
        self._lock = threading.Lock()
        self.tries = limits.Rates(TRIES_PER_SECOND, TRIES_AT_ONCE)
        self._entries = limits.Rates(TRIES_PER_SECOND, TRIES_AT_ONCE)

    def new_link(self) -> str:
        """A code that signs one browser in, once, for a quarter of an hour."""
        code = secrets.token_urlsafe(tokens.SECRET_BYTES)
        with self._lock:
            self._links[tokens.digest_of(code)] = time.monotonic() + LINK_SECONDS
        return code

    def by_form(self, given: Mapping[str, str]) -> Entered:
        """The cookie of a new session, if what was filled in is good for one."""
        return Entered(self.by_link(given["code"])) if given.get("code") else self.by_token(given.get("token", ""))

    def by_link(self, code: str) -> str | None:
        with self._lock:
            ends = self._links.pop(tokens.digest_of(code), 0.0)
        if ends < time.monotonic():
            return None
        id = f"session-{secrets.token_hex(4)}"
        return self._begin(Session(_end(), Caller(id, self._person, None), None))

    def by_token(self, text: str) -> Entered:
        if not tokens.looks_right(text):
            return Entered(None)
        digest = tokens.digest_of(text)
        if self._callers.of_digest(digest) is None:
            return Entered(None)
        wait = self._entries.take(digest.hex())
        return Entered(None, wait) if wait else Entered(self._begin(Session(_end(), None, digest)))

    def of(self, connection: HTTPConnection) -> Session | None:
        cookie = connection.cookies.get(COOKIE)
        if not cookie:
            return None
        with self._lock:
            session = self._sessions.get(tokens.digest_of(cookie))
        return session if session is not None and session.ends > time.monotonic() else None

    def end(self, connection: HTTPConnection) -> None:
        with self._lock:
            self._sessions.pop(tokens.digest_of(connection.cookies.get(COOKIE, "")), None)

    def _begin(self, session: Session) -> str:
        cookie = secrets.token_urlsafe(tokens.SECRET_BYTES)
        now = time.monotonic()
        with self._lock:
            kept = [(key, one) for key, one in self._sessions.items() if one.ends > now]
            own = [key for key, one in kept if session.digest is not None and one.digest == session.digest]
            surplus = set(own[: max(0, len(own) + 1 - SESSIONS_PER_TOKEN_MAX)])
            kept = [(key, one) for key, one in kept if key not in surplus]
            self._sessions = dict(kept[-(SESSIONS_MAX - 1) :])
            self._sessions[tokens.digest_of(cookie)] = session
        return cookie


def _end() -> float:
    return time.monotonic() + SESSION_SECONDS


def router(sessions: Sessions, health: Health, *, secure: bool) -> APIRouter:
    """The pages. None of them is part of the described interface."""
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    async def home(request: Request) -> Response:
        caller: Caller | None = request.scope["state"].get(STATE)
        if caller is None:
            return await _shown("signin.html", code=None, problem=None)
        parts = await health.parts()
        known = await anyio.to_thread.run_sync(request.app.state.hansard.projects)
        projects = [one for one in known if caller.may_enter(one.key)]
        return await _shown("home.html", caller=caller, parts=parts, projects=projects)

    @pages.get("/signin")
    def ask(code: str | None = None) -> Response:
        # Looking at a link does not use it up: programs that preview links only look.
        return _page("signin.html", code=code, problem=None)

    @pages.post("/signin")
    async def sign_in(request: Request) -> Response:
        if not limits.is_own_page(request.headers):
            return _page("signin.html", 403, code=None, problem="Sign in on this page itself.")
        given = _form(await request.body())
        cookie, wait = await anyio.to_thread.run_sync(sessions.by_form, given)
        if cookie is None and not wait:
            wait = sessions.tries.take(place_of(request.client.host) if request.client else "")
            if not wait:
                return _page("signin.html", 401, code=None, problem=USED)
        if cookie is None:
            problem = f"Too many tries. Wait {wait} second{'' if wait == 1 else 's'}."
            return _page("signin.html", 429, {"Retry-After": str(wait)}, code=None, problem=problem)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            COOKIE, cookie, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure, path="/"
        )
        return answer

    @pages.post("/signout")
    def sign_out(request: Request) -> Response:
        if limits.is_own_page(request.headers):
            sessions.end(request)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=secure, path="/")
        return answer

    @pages.get("/page.css")
    def style() -> Response:
        return FileResponse(PAGES / "page.css", media_type="text/css")

    return pages


def _form(body: bytes) -> dict[str, str]:
    if len(body) > FORM_BYTES_MAX:
        return {}
    try:
        fields = parse_qs(body.decode("ascii", "replace"), max_num_fields=FORM_FIELDS_MAX)
    except ValueError:
        # Too many of them; our own page sends one.
        return {}
    return {name: values[0].strip() for name, values in fields.items()}


@cache
def _templates() -> Environment:
    # Imported here because agents never see a page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined)


def _page(name: str, status: int = 200, headers: Mapping[str, str] | None = None, **values: object) -> Response:
    return HTMLResponse(_templates().get_template(name).render(**values), status, headers)


async def _shown(name: str, **values: object) -> Response:
    """The page, drawn in a thread: the first one loads what draws pages."""
    return await anyio.to_thread.run_sync(partial(_page, name, 200, None, **values))
