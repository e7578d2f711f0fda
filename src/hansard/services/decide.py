"""Makes, changes, replaces and retires decisions, and shows them now or at an earlier time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from hansard.clock import instant_of
from hansard.domain import addresses, decisions, tags, text
from hansard.domain.actors import filter_key, key_of
from hansard.domain.decisions import Decision
from hansard.domain.errors import DecisionNotActive, Forgotten, Invalid, UnknownDecision, quoted
from hansard.domain.identifiers import is_uuid, parse_reference
from hansard.domain.ledger import Event, Revision
from hansard.domain.limits import SEARCH_TEXT_BYTES_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, require
from hansard.domain.versions import refuse_stale
from hansard.domain.vocabulary import (
    Clearance,
    DecisionStatus,
    DecisionType,
    Role,
    Subject,
    Trust,
    parse,
    parse_optional,
    parse_unless_all,
)
from hansard.services import chronicle
from hansard.services.admission import hands_on, names_secret, passes_on, screen
from hansard.services.seat import Seat, find_own_run, fresh_salt, register
from hansard.store.filters import DecisionFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

HISTORY_EVENTS_MAX = 1_000


class Amendment(NamedTuple):
    """What changes in a decision; None leaves a field as it is, and a blank rationale removes it."""

    title: str | None = None
    content: str | None = None
    rationale: str | None = None
    tags: Iterable[str] | str | None = None
    applies_to: Iterable[str] | None = None


class DecisionHistory(NamedTuple):
    """A decision, what it said before, oldest first, and everything that was done to it."""

    decision: Decision
    revisions: tuple[Revision, ...]
    events: tuple[Event, ...]


def decide(
    seat: Seat,
    *,
    type: str,
    title: str,
    content: str,
    rationale: str | None = None,
    tag_values: Iterable[str] | str | None = None,
    applies_to: Iterable[str] | None = None,
    run_id: str | None = None,
) -> Decision:
    """Makes a decision directly, without the inbox."""
    kind = parse(DecisionType, type, field="type")
    seat.require(Act.DECIDE, Matter(type=kind))
    cleaned = (
        decisions.clean_title(title),
        decisions.clean_content(content),
        decisions.clean_rationale(rationale),
    )
    clean_tags, globs = tags.normalise(tag_values), decisions.clean_globs(applies_to)
    with seat.writing() as tx:
        run = find_own_run(tx, seat, run_id, seat.actor.name)
        maker = register(tx, seat.actor)
        decision = Decision(
            tx.new_id(), tx.decisions.next_number(), kind, *cleaned, clean_tags, globs, maker, maker,
            DecisionStatus.ACTIVE, None, None, run.id if run else None, 1, tx.now, tx.now, fresh_salt(),
            None, Clearance.CONFIRMED if Role.HUMAN in seat.actor.roles else None,
        )  # fmt: skip
        decision, _ = screen(seat, decision, tx)
        require(seat.actor, Act.DECIDE, Matter(type=kind, outside=hands_on(tx, seat, *cleaned)))
        tx.decisions.insert(decision)
        chronicle.created(tx, seat.actor, "decision.made", Subject.DECISION, [decision])
        return decision


def amend(seat: Seat, reference: str, amendment: Amendment, *, expected_version: int | None = None) -> Decision:
    """Changes what an active decision says. The earlier version stays readable."""
    with seat.writing() as tx:
        decision = find_decision(tx, reference)
        require(seat.actor, Act.AMEND, Matter(type=decision.type))
        refuse_stale(decision.ref, decision.version, expected_version)
        if decision.status is not DecisionStatus.ACTIVE:
            raise DecisionNotActive(f"{decision.ref} is {decision.status}; only an active decision can be changed.")
        said, _ = screen(seat, _amended(decision, amendment), tx)
        if said.words != decision.words:
            require(seat.actor, Act.AMEND, _change_of(tx, seat, decision))
        said = _signed(tx, seat, decision, said, amendment)
        doubtful = names_secret(said)
        if doubtful:
            decision = _take_back(tx, seat, decision, said.title)
            said = said._replace(version=decision.version, updated_at=decision.updated_at, salt=decision.salt)
        after = decision if said == decision else _store(tx, seat, decision, said, "decision.amended")
    if doubtful:
        seat.store.erase_traces(seat.project.id)
    return after


def supersede(seat: Seat, old: str, new: str, *, expected_version: int | None = None) -> Decision:
    """Replaces an active decision by another active one of the same project, and links them.

    Here and below, `expected_version` is the version of the decision that changes.
    """
    with seat.writing() as tx:
        before, successor = find_decision(tx, old), find_decision(tx, new)
        require(seat.actor, Act.AMEND, Matter(type=before.type))
        refuse_stale(before.ref, before.version, expected_version)
        decisions.check_supersession(before, successor)
        if before.status is not DecisionStatus.ACTIVE:
            raise DecisionNotActive(f"{before.ref} is {before.status} already.")
        said = before._replace(status=DecisionStatus.SUPERSEDED, superseded_by=successor.id)
        return _store(tx, seat, before, said, "decision.superseded", {"by": successor.id})


def archive(seat: Seat, reference: str, *, expected_version: int | None = None) -> Decision:
    """Retires a decision without a successor."""
    with seat.writing() as tx:
        decision = find_decision(tx, reference)
        require(seat.actor, Act.AMEND, Matter(type=decision.type))
        refuse_stale(decision.ref, decision.version, expected_version)
        if decision.status is not DecisionStatus.ACTIVE:
            raise DecisionNotActive(f"{decision.ref} is {decision.status} already.")
        return _store(tx, seat, decision, decision._replace(status=DecisionStatus.ARCHIVED), "decision.archived")


def restore(seat: Seat, reference: str, *, expected_version: int | None = None) -> Decision:
    """Makes an archived or superseded decision active again."""
    with seat.writing() as tx:
        decision = find_decision(tx, reference)
        require(seat.actor, Act.AMEND, Matter(type=decision.type))
        refuse_stale(decision.ref, decision.version, expected_version)
        if decision.status is DecisionStatus.ACTIVE:
            raise DecisionNotActive(f"{decision.ref} is active already.")
        if decision.is_forgotten:
            raise Forgotten(f"{decision.ref} was forgotten; there is nothing left to restore.")
        said = decision._replace(status=DecisionStatus.ACTIVE, superseded_by=None)
        return _store(tx, seat, decision, said, "decision.restored")


def _change_of(tx: Transaction, seat: Seat, decision: Decision) -> Matter:
    """What changing the words is about: whether a person accepted them from outside, or the caller hands such on."""
    # Imported here because a list of decisions needs nothing of what others may become.
    from hansard.domain.trust import tier_of

    entry = tx.inbox.get(decision.entry_id) if decision.entry_id else None
    persons = entry is not None and tier_of(entry) is Trust.OUTSIDE
    return Matter(type=decision.type, outside=persons or passes_on(seat, tx), promoted=persons)


def get_decision(seat: Seat, reference: str) -> Decision:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return find_decision(tx, reference)


def decision_history(seat: Seat, reference: str) -> DecisionHistory:
    seat.require(Act.READ)
    with seat.reading() as tx:
        decision = find_decision(tx, reference)
        events = tx.ledger.page(Window(HISTORY_EVENTS_MAX), subject_id=decision.id).items
        return DecisionHistory(decision, tx.revisions.of(Subject.DECISION, decision.id), events[::-1])


def list_decisions(
    seat: Seat,
    window: Window,
    *,
    status: str = DecisionStatus.ACTIVE,
    type: str | None = None,
    agent: str | None = None,
    containing: str | None = None,
    as_of: str | int | None = None,
) -> Page[Decision]:
    """Decisions newest first; with `as_of` as they stood at that time."""
    seat.require(Act.READ)
    kind = parse_optional(DecisionType, type, field="type")
    wanted = DecisionFilter(
        status=parse_unless_all(DecisionStatus, status, field="status"),
        types=frozenset({kind} if kind else ()),
        author_key=filter_key(agent),
        text=text.optional_line(containing, field="text", bytes_max=SEARCH_TEXT_BYTES_MAX),
    )
    with seat.reading() as tx:
        if as_of is None:
            return tx.decisions.page(wanted, window)
        return tx.decisions.as_of(wanted, window, instant_of(as_of))


def find_decision(tx: Transaction, reference: str) -> Decision:
    """The decision with this id, number (`D-12`) or address. Raises UnknownDecision."""
    wanted = addresses.named_by(text.reference(reference, field="decision"), addresses.DECISIONS)
    number = parse_reference(wanted, prefix="D")
    decision = None
    if is_uuid(wanted):
        decision = tx.decisions.get(wanted)
    elif number is not None:
        decision = tx.decisions.by_number(number)
    if decision is None:
        raise UnknownDecision(f"There is no decision {quoted(wanted)} in this project.")
    return decision


def _amended(decision: Decision, amendment: Amendment) -> Decision:
    if amendment == Amendment():
        raise Invalid("Nothing to change was given: title, content, rationale, tags or applies_to.")
    said = decision
    if amendment.title is not None:
        said = said._replace(title=decisions.clean_title(amendment.title))
    if amendment.content is not None:
        said = said._replace(content=decisions.clean_content(amendment.content))
    if amendment.rationale is not None:
        said = said._replace(rationale=decisions.clean_rationale(amendment.rationale))
    if amendment.tags is not None:
        said = said._replace(tags=tags.normalise(amendment.tags))
    if amendment.applies_to is not None:
        said = said._replace(applies_to=decisions.clean_globs(amendment.applies_to))
    return said


def _take_back(tx: Transaction, seat: Seat, decision: Decision, title: str) -> Decision:
    """The decision without what its new title makes a secret of. The proposal and the memory of it say the same."""
    from hansard.services.scan import take_back

    entry = tx.inbox.get(decision.entry_id) if decision.entry_id else None
    if entry is not None:
        take_back(tx, seat, Subject.ENTRY, entry, {"title": title})
        memory = tx.memories.get(entry.memory_id) if entry.memory_id else None
        if memory is not None:
            take_back(tx, seat, Subject.MEMORY, memory, {"name": title})
    cleaned: Decision = take_back(tx, seat, Subject.DECISION, decision, {"title": title})
    return cleaned


def _signed(tx: Transaction, seat: Seat, before: Decision, said: Decision, amendment: Amendment) -> Decision:
    """The decision with who changed it. A person who gives its content vouches for it; a model takes that away."""
    if said != before and key_of(before.decided_by) != seat.actor.key:
        said = said._replace(amended_by=register(tx, seat.actor))
    elif said != before and amendment.content is not None:
        # Whoever only adds a tag does not answer for what others made of the words.
        said = said._replace(amended_by=None)
    if Role.HUMAN in seat.actor.roles:
        return said if amendment.content is None else said._replace(cleared=Clearance.CONFIRMED)
    return said if said.words == before.words else said._replace(cleared=None)


def _store(
    tx: Transaction,
    seat: Seat,
    before: Decision,
    said: Decision,
    action: str,
    details: dict[str, str] | None = None,
) -> Decision:
    after = said._replace(version=before.version + 1, updated_at=tx.now)
    tx.decisions.update(after)
    chronicle.changed(tx, seat.actor, action, Subject.DECISION, before, after, details or chronicle.NO_DETAILS)
    _let_memory_follow(tx, seat, after)
    return after


def _let_memory_follow(tx: Transaction, seat: Seat, decision: Decision) -> None:
    """Keeps the memory that a merge made beside the decision in step: what is retired is told to nobody any more."""
    entry = tx.inbox.get(decision.entry_id) if decision.entry_id else None
    before = tx.memories.get(entry.memory_id) if entry and entry.memory_id else None
    if before is None or before.is_forgotten or before.decision_id != decision.id:
        return
    # Imported here because a list of decisions needs none of what memories do.
    from hansard.domain.memories import ENDED
    from hansard.services.admission import followed, own_origin
    from hansard.services.reindex import reindex

    stands = decision.status is DecisionStatus.ACTIVE
    said = before._replace(content=decision.content, name=decision.title, expires_at=None if stands else ENDED)
    said = followed(before, said, own_origin(seat, tx))
    if said != before:
        after = said._replace(version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        reindex(tx, seat, before, after)
        chronicle.changed(tx, seat.actor, "memory.followed", Subject.MEMORY, before, after, {"decision": decision.id})
