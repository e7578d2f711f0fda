"""Starts, updates and ends sessions: what the team is on right now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hansard.domain import sessions, text
from hansard.domain.errors import (
    Invalid,
    NoOpenSession,
    SessionEnded,
    SessionExists,
    UnknownSession,
    quoted,
)
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act
from hansard.domain.sessions import Session
from hansard.domain.versions import refuse_stale
from hansard.domain.vocabulary import Origin, Subject
from hansard.services import chronicle
from hansard.services.admission import passes_on, screen, screen_texts
from hansard.services.seat import Seat, find_own_run, fresh_salt, register

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


def start_session(
    seat: Seat,
    *,
    focus: str,
    session_id: str | None = None,
    issues: Iterable[str] | None = None,
    summary: str | None = None,
    state: str | None = None,
    run_id: str | None = None,
) -> Session:
    """Opens a session and closes the one that was open, in one transaction.

    Raises SessionExists, and then closes nothing, if the id was ever used in this project.
    """
    seat.require(Act.LEAD_SESSION)
    said = (sessions.clean_focus(focus), sessions.clean_issues(issues))
    more = (sessions.clean_summary(summary), sessions.clean_state(state))
    wanted_id = None if session_id is None else sessions.clean_id(session_id)
    wanted = Session(wanted_id or "", *said, *more, seat.actor.name, None, 1, 0, None, 0, fresh_salt())
    wanted, _ = screen(seat, wanted)
    with seat.writing() as tx:
        new_id = wanted_id or tx.new_id().replace("-", "")
        if tx.sessions.get(new_id):
            raise SessionExists(f"There is a session {new_id!r} already; ids are never reused.")
        run = find_own_run(tx, seat, run_id, seat.actor.name)
        current = tx.sessions.current()
        if current:
            _store(tx, seat, current, current._replace(ended_at=tx.now), "session.ended")
        opener = register(tx, seat.actor)
        session = wanted._replace(
            id=new_id, opened_by=opener, run_id=run.id if run else None, started_at=tx.now, updated_at=tx.now,
            origin=Origin.EXTERNAL if passes_on(seat, tx) else None,
        )  # fmt: skip
        tx.sessions.insert(session)
        chronicle.created(tx, seat.actor, "session.started", Subject.SESSION, [session])
        return session


def update_session(
    seat: Seat,
    summary: str | None = None,
    *,
    replace_summary: bool = False,
    focus: str | None = None,
    issues: Iterable[str] | None = None,
    state: str | None = None,
    session_id: str | None = None,
    expected_version: int | None = None,
) -> Session:
    """Adds a line to the open session's summary, or replaces it on request; focus, issues and state are replaced.

    With `expected_version`, only if it is still what the caller read. Raises StaleVersion otherwise.
    """
    seat.require(Act.LEAD_SESSION)
    if summary is None and focus is None and issues is None and state is None:
        raise Invalid("Nothing to change was given: summary, focus, issues or state.")
    with seat.reading() as ahead:
        before = _open_session(ahead, session_id)
        refuse_stale("The session", before.version, expected_version)
        given = _given(summary, focus, issues, state)
        # By itself first: whoever is refused counts the characters of what they gave, not of what stood there.
        given |= screen_texts(seat, given, ahead)[0]
    line = None if replace_summary else given.pop("summary", None)
    with seat.writing() as tx:
        before = _open_session(tx, session_id)
        refuse_stale("The session", before.version, expected_version)
        said = before._replace(**given)
        if line is not None:
            said = said._replace(summary=sessions.appended(before.summary, line))
        if said != before and passes_on(seat, tx):
            said = said._replace(origin=Origin.EXTERNAL)
        elif replace_summary and focus is not None:
            # Its words are the caller's own from now on.
            said = said._replace(origin=None)
        said, _ = screen(seat, said, tx)
        return before if said == before else _store(tx, seat, before, said, "session.updated")


def _given(summary: str | None, focus: str | None, issues: Iterable[str] | None, state: str | None) -> dict[str, Any]:
    """The fields that are given, checked and in normal form."""
    given: dict[str, Any] = {}
    if summary is not None:
        given["summary"] = sessions.clean_summary(summary)
    if focus is not None:
        given["focus"] = sessions.clean_focus(focus)
    if issues is not None:
        given["issues"] = sessions.clean_issues(issues)
    if state is not None:
        given["state"] = sessions.clean_state(state)
    return given


def end_session(seat: Seat, session_id: str | None = None, *, expected_version: int | None = None) -> Session:
    seat.require(Act.LEAD_SESSION)
    with seat.writing(ends=True) as tx:
        before = _open_session(tx, session_id)
        refuse_stale("The session", before.version, expected_version)
        return _store(tx, seat, before, before._replace(ended_at=tx.now), "session.ended")


def current_session(seat: Seat) -> Session | None:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return tx.sessions.current()


def get_session(seat: Seat, session_id: str) -> Session:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return _find_session(tx, session_id)


def list_sessions(seat: Seat, window: Window) -> Page[Session]:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return tx.sessions.page(window)


def _find_session(tx: Transaction, session_id: str) -> Session:
    wanted = text.reference(session_id, field="session")
    # A server refuses to look for a NUL byte, and a file finds nothing; no id has one.
    session = None if "\0" in wanted else tx.sessions.get(wanted)
    if session is None:
        raise UnknownSession(f"There is no session {quoted(wanted)} in this project.")
    return session


def _open_session(tx: Transaction, session_id: str | None) -> Session:
    session = tx.sessions.current() if session_id is None else _find_session(tx, session_id)
    if session is None:
        raise NoOpenSession("No session is open; start one first.")
    if not session.is_open:
        raise SessionEnded(f"The session {session.id!r} has ended and cannot change.")
    return session


def _store(tx: Transaction, seat: Seat, before: Session, said: Session, action: str) -> Session:
    after = said._replace(version=before.version + 1, updated_at=tx.now)
    tx.sessions.update(after)
    chronicle.changed(tx, seat.actor, action, Subject.SESSION, before, after)
    return after
