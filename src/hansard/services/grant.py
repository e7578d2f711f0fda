"""Grants tokens, finds whose a token is, and revokes them. In a project each change has its event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import text, tokens
from hansard.domain.actors import Actor, clean_name
from hansard.domain.errors import Invalid, UnknownToken, quoted
from hansard.domain.ledger import Draft
from hansard.domain.policy import Act, require
from hansard.domain.tokens import Grant, Token
from hansard.domain.vocabulary import Role, Subject, parse
from hansard.services import found
from hansard.services.admission import refuse_marks
from hansard.services.seat import refuse_unfit, register
from hansard.store.filters import NO_PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hansard.store.ports import Store, Transaction

PROJECTS_MAX = 100


def grant(
    store: Store, actor: Actor, *, agent: str, role: str, projects: Sequence[str] | None, expires: str | None = None
) -> tuple[Grant, str]:
    """Makes a token that acts as one agent, in one role, in these projects or in all, and returns its text as well.

    Raises Denied unless a person asks, UnknownProject, and Invalid for a role or an end that makes no sense.
    """
    require(actor, Act.GRANT)
    name, chosen = clean_name(agent), parse(Role, role, field="role")
    refuse_marks({"agent": name})
    if projects is not None and not 1 <= len(projects) <= PROJECTS_MAX:
        raise Invalid(f"A token is for 1 to {PROJECTS_MAX} projects, or for all of them.")
    records = None if projects is None else [found.find(store, key) for key in dict.fromkeys(projects)]
    places = [NO_PROJECT] if records is None else sorted({one.id for one in records})
    secret = tokens.new_text()
    made: Token | None = None
    for place in places:
        with store.write(place) as tx:
            if made is None:
                now = store.clock(tx)
                ends = tokens.expiry(expires, now=now)
                digest = tokens.digest_of(secret)
                made = Token(place, tx.new_id(), digest, name, chosen, actor.name, now, ends, None)
            refuse_unfit(tx, name, {chosen})
            _tell(tx, actor, "token.created", made)
            store.tokens(tx).insert(made._replace(project_id=place))
    assert made is not None, "there is at least one place"
    keys = None if records is None else frozenset(one.key for one in records)
    return _granted([made], keys), secret


def revoke(store: Store, actor: Actor, token_id: str) -> Grant:
    """Ends a token everywhere. Raises UnknownToken; one that has ended already stays as it is."""
    require(actor, Act.GRANT)
    wanted = text.reference(token_id, field="token")
    rows = [one for one in _rows(store) if one.id == wanted]
    if not rows:
        raise UnknownToken(f"There is no token {quoted(wanted)}; `hansard token list` shows them.")
    for row in rows:
        with store.write(row.project_id) as tx:
            if store.tokens(tx).revoke(row.id):
                _tell(tx, actor, "token.revoked", row)
    (done,) = (one for one in list_grants(store, actor) if one.id == wanted)
    return done


def list_grants(store: Store, actor: Actor) -> tuple[Grant, ...]:
    """Every token, oldest first; of none the text."""
    require(actor, Act.GRANT)
    return tuple(_grants(store, _rows(store)))


def whose(store: Store, secret: str) -> Grant | None:
    """Whose token this is; None if it is nobody's, was revoked or is past its end."""
    if not tokens.looks_right(secret):
        return None
    return whose_digest(store, tokens.digest_of(secret))


def whose_digest(store: Store, digest: bytes, *, wait_seconds: float | None = None) -> Grant | None:
    """The same for a token of which only the digest is at hand. `wait_seconds` is for whoever would rather give up."""
    with store.read(NO_PROJECT, wait_seconds=wait_seconds) as tx:
        rows, now = store.tokens(tx).by_digest(digest), store.clock(tx)
        sees_all = store.tokens(tx).sees_all()
    if not sees_all:
        rows += tuple(_each(store, lambda tx: store.tokens(tx).by_digest(digest)))
    granted = next(_grants(store, rows, wait_seconds), None)
    return granted if granted is not None and granted.is_good(now) else None


def carry(source: Store, target: Store) -> int:
    """Copies the tokens for all projects, which belong to no single one, and says how many; a known one stays."""
    with source.read(NO_PROJECT) as tx:
        rows = [one for one in source.tokens(tx).all() if one.project_id == NO_PROJECT]
    if not rows:
        return 0
    with target.write(NO_PROJECT) as tx:
        known = {one.id for one in target.tokens(tx).all() if one.project_id == NO_PROJECT}
        for row in rows:
            if row.id not in known:
                target.tokens(tx).insert(row)
    return len(rows)


def _rows(store: Store) -> list[Token]:
    with store.read(NO_PROJECT) as tx:
        rows = store.tokens(tx).all()
        sees_all = store.tokens(tx).sees_all()
    if not sees_all:
        rows += tuple(_each(store, lambda tx: store.tokens(tx).all()))
    return sorted(rows, key=lambda one: (one.id, one.project_id))


def _each(store: Store, look: Callable[[Transaction], Iterable[Token]]) -> Iterator[Token]:
    """What a look finds in each project, one after the other: row security shows one at a time."""
    for project in found.list_projects(store):
        with store.read(project.id) as tx:
            yield from look(tx)


def _grants(store: Store, rows: Iterable[Token], wait_seconds: float | None = None) -> Iterator[Grant]:
    by_id: dict[str, list[Token]] = {}
    for row in rows:
        by_id.setdefault(row.id, []).append(row)
    if not by_id:
        return
    keys = {one.id: one.key for one in found.list_projects(store, wait_seconds=wait_seconds)}
    for group in by_id.values():
        everywhere = any(row.project_id == NO_PROJECT for row in group)
        # A row that a copy left behind without its project opens nothing.
        opened = frozenset(keys[row.project_id] for row in group if row.project_id in keys)
        yield _granted(group, None if everywhere else opened)


def _granted(rows: Sequence[Token], keys: frozenset[str] | None) -> Grant:
    first = rows[0]
    ended = [row.revoked_at for row in rows if row.revoked_at is not None]
    return Grant(
        first.id, first.agent, first.role, keys, first.created_by, first.created_at, first.expires_at,
        min(ended, default=None),
    )  # fmt: skip


def _tell(tx: Transaction, actor: Actor, action: str, token: Token) -> None:
    if tx.project_id == NO_PROJECT:
        # What belongs to no project has no history to stand in.
        return
    register(tx, actor)
    details = {"token": token.id, "agent": token.agent, "role": str(token.role)}
    tx.ledger.append([Draft(action, Subject.PROJECT, tx.project_id, actor.key, actor.role, None, None, details)])
