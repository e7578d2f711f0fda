"""Writes down what a run leaves when it ends: its routine entries merged, and one line in the open session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import sessions
from hansard.domain.actors import Actor, key_of
from hansard.domain.errors import RunOpen, TooLarge
from hansard.domain.inbox import Entry
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Window
from hansard.domain.policy import Act, Matter, may, require
from hansard.domain.runs import LineFate, Merged, Run, ScribeReport, session_line
from hansard.domain.sessions import Session
from hansard.domain.vocabulary import EntryStatus, Role, Subject
from hansard.services import chronicle
from hansard.services.admission import safe
from hansard.services.review import matter_of, promote
from hansard.services.seat import Seat, need_run, register
from hansard.store.filters import EntryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

SCRIBE = Actor("scribe", Role.SERVICE)
"""Who accepts what a run learned. A service, so the policy leaves everything that binds to somebody else."""
NOTED = "run.noted"
"""The event that a run has its line in a session, whatever becomes of the session's words."""


class Line(NamedTuple):
    """What became of a run's line, and of the session it stands in."""

    fate: LineFate
    session_id: str | None = None
    closed: bool = False


def scribe(seat: Seat, run_id: str) -> ScribeReport:
    """Has the Scribe look at a run again: what it could not do before is done, and nothing is done twice.

    Whoever may finish the run may ask for it. Raises RunOpen while the run goes on.
    """
    with seat.writing() as tx:
        run = need_run(tx, run_id)
        require(seat.actor, Act.RUN, Matter(owner=run.agent))
        if run.is_open:
            raise RunOpen(f"The run {run.id} has not ended; finish it first, and the Scribe follows by itself.")
        return write_down(tx, seat, run)


def write_down(tx: Transaction, seat: Seat, run: Run) -> ScribeReport:
    """The Scribe's work, inside the caller's transaction and after the caller asked the policy."""
    own = seat._replace(actor=SCRIBE)
    left = left_by(tx, [run, *tx.runs.completed_below(run.id)])
    accepted = {entry.id for entry in left if may(SCRIBE, Act.ACCEPT, matter_of(tx, entry))}
    merged = [
        Merged(*promote(tx, own, entry, note=f"accepted by the Scribe when run {run.id} had ended"))
        for entry in left
        if entry.id in accepted
    ]
    line = _note_in_session(tx, run)
    awaiting = tuple(entry for entry in left if entry.id not in accepted)
    return ScribeReport(run.id, tuple(merged), awaiting, line.fate, line.session_id, line.closed)


def left_by(tx: Transaction, runs: Sequence[Run]) -> list[Entry]:
    """The pending entries that the agents of these runs made or updated in them, oldest first."""
    runs_of: dict[str, set[str]] = {}
    for run in runs:
        runs_of.setdefault(key_of(run.agent), set()).add(run.id)
    since = min(run.started_at for run in runs)
    found = [
        entry
        for author, ids in runs_of.items()
        for entry in _pending(tx, author)
        # Looking at versions costs a query each, and what nobody touched since then is not worth it.
        if entry.updated_at >= since and _was_in(tx, entry, ids)
    ]
    return sorted(found, key=lambda entry: entry.number)


def _pending(tx: Transaction, author_key: str) -> Iterator[Entry]:
    wanted = EntryFilter(status=EntryStatus.PENDING, author_key=author_key)
    cursor: str | None = None
    while True:
        page = tx.inbox.page(wanted, Window(PAGE_ITEMS_MAX, cursor))
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _was_in(tx: Transaction, entry: Entry, run_ids: set[str]) -> bool:
    """An entry names the run it was last said in; its earlier versions name the runs before that."""
    if entry.run_id in run_ids:
        return True
    return entry.version > 1 and any(
        version.body.get("run_id") in run_ids for version in tx.revisions.of(Subject.ENTRY, entry.id)
    )


def _note_in_session(tx: Transaction, run: Run) -> Line:
    """Adds the run's line to the session that was open when it ended, and closes the session if the run opened it."""
    session = tx.sessions.current()
    noted_in = _noted_in(tx, run)
    assert run.ended_at is not None, "only a run that ended is written down"
    if session is None or session.started_at > run.ended_at:
        return Line(LineFate.ALREADY_THERE, noted_in) if noted_in else Line(LineFate.NO_SESSION)
    closes = session.run_id == run.id
    said, fate = (session, LineFate.ALREADY_THERE) if noted_in else _with_line(session, run)
    if closes:
        said = said._replace(ended_at=tx.now)
    if said != session:
        _store(tx, run, session, said)
    if fate is LineFate.ADDED:
        chronicle.created(tx, SCRIBE, NOTED, Subject.RUN, [run], {"session": session.id})
    return Line(fate, noted_in or session.id, closes)


def _noted_in(tx: Transaction, run: Run) -> str | None:
    """The session the run has its line in. A run has few events, so they are read at once."""
    events = tx.ledger.page(Window(PAGE_ITEMS_MAX), subject_id=run.id).items
    return next((event.details["session"] for event in events if event.action == NOTED), None)


def _with_line(session: Session, run: Run) -> tuple[Session, LineFate]:
    try:
        summary = sessions.appended(session.summary, safe(session_line(run)))
    except TooLarge:
        # A summary that is full must not keep back what the run learned.
        return session, LineFate.NO_ROOM
    return session._replace(summary=summary), LineFate.ADDED


def _store(tx: Transaction, run: Run, before: Session, said: Session) -> None:
    register(tx, SCRIBE)
    after = said._replace(version=before.version + 1, updated_at=tx.now)
    tx.sessions.update(after)
    action = "session.updated" if after.is_open else "session.ended"
    chronicle.changed(tx, SCRIBE, action, Subject.SESSION, before, after, {"run": run.id})
