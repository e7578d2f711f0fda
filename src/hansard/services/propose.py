"""Takes proposals into the inbox, and shows what is there."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import slugs, text
from hansard.domain.actors import filter_key, key_of
from hansard.domain.errors import AlreadyReviewed, UnknownEntry, quoted
from hansard.domain.identifiers import is_uuid, parse_reference
from hansard.domain.inbox import Entry, Proposal, proposal
from hansard.domain.ledger import Revision
from hansard.domain.limits import PAGE_ITEMS_MAX, SEARCH_TEXT_BYTES_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, may
from hansard.domain.trust import less_trusted
from hansard.domain.vocabulary import DecisionType, EntryStatus, Origin, Role, Subject, parse_optional, parse_unless_all
from hansard.services import chronicle
from hansard.services.admission import held, names_secret, note_outside, origin_of, screen, settled_entry, tell_held
from hansard.services.hide import hide_entry, hide_versions
from hansard.services.seat import Seat, find_own_run, fresh_salt, register_agent
from hansard.services.speak_for import require_name
from hansard.store.filters import EntryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


__all__ = [
    "Outcome",
    "Submission",
    "entry_versions",
    "find_entry",
    "find_known",
    "get_entry",
    "list_inbox",
    "proposal",
    "propose",
    "take_in",
    "tell_waiting",
]


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Submission(NamedTuple):
    """The entry as it now stands, and what the submission did to it."""

    entry: Entry
    outcome: Outcome


def propose(seat: Seat, wanted: Proposal) -> Submission:
    """Creates a pending entry, or updates the author's own pending one of the same slug.

    Raises AlreadyReviewed if the author's entry of that slug was merged or rejected.
    """
    require_name(seat, Act.PROPOSE, wanted.author)
    wanted = wanted._replace(origin=origin_of(seat, wanted.origin))
    with seat.writing() as tx:
        author = register_agent(tx, wanted.author)
        run = find_own_run(tx, seat, wanted.run_id, author)
        wanted = wanted._replace(run_id=run.id if run else None)
        note_outside(tx, [(wanted.origin, wanted.run_id, author)])
        own = _own_entry(tx, wanted)
        if own is None:
            return Submission(_create(tx, seat, wanted, author, _free_slug(tx, wanted, author)), Outcome.CREATED)
        if own.status is not EntryStatus.PENDING:
            raise AlreadyReviewed(
                f"{own.ref} ({own.slug}) was {own.status}; submit a new slug, or supersede the decision."
            )
        done, doubtful = _update(tx, seat, own, wanted)
    tell_held(seat, tx, [done.entry])
    if doubtful:
        seat.store.erase_traces(seat.project.id)
    return done


def take_in(tx: Transaction, seat: Seat, wanted: Proposal) -> Submission:
    """Adds a proposal that was found in a file, in the caller's transaction; one that is known is left alone.

    It keeps the slug that it has in the file, `--` parts included, unless another author holds that one.
    """
    # Anybody can write a file, so it is believed of itself only what makes it less trusted.
    wanted = wanted._replace(origin=less_trusted(Origin.IMPORTED_FILE, wanted.origin))
    # First: a conflict is in Hansard's own name, in which nobody proposes anything new.
    known = find_known(tx, wanted)
    if known is not None:
        return Submission(known, Outcome.UNCHANGED)
    author = register_agent(tx, wanted.author)
    spelled = wanted.spelled_slug
    if _is_given_out(spelled) and tx.inbox.by_slug(spelled) is None:
        requested = slugs.requested_part(spelled, author)
        taken = slugs.SEPARATOR in requested or tx.inbox.by_request(key_of(author), requested) is not None
        wanted = wanted._replace(requested_slug=spelled if taken else requested)
        return Submission(_create(tx, seat, wanted, author, spelled), Outcome.CREATED)
    return Submission(_create(tx, seat, wanted, author, _free_slug(tx, wanted, author)), Outcome.CREATED)


def find_known(tx: Transaction, wanted: Proposal) -> Entry | None:
    """The entry that a proposal in a file became before, whatever it says now."""
    author_key, spelled = key_of(wanted.author), wanted.spelled_slug
    there = tx.inbox.by_slug(spelled)
    if there is not None and key_of(there.author) == author_key:
        return there
    if there is None and _is_given_out(spelled):
        return None
    return tx.inbox.by_request(author_key, wanted.requested_slug)


def _is_given_out(spelled: str) -> bool:
    """Whether the slug has parts that only the record adds."""
    return slugs.is_effective(spelled) and slugs.SEPARATOR in spelled


def get_entry(seat: Seat, reference: str) -> Entry:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return find_entry(tx, seat, reference)


def entry_versions(seat: Seat, reference: str) -> tuple[Entry, tuple[Revision, ...]]:
    """The entry and every version it had before that the caller may see, oldest first."""
    seat.require(Act.READ)
    with seat.reading() as tx:
        entry = find_entry(tx, seat, reference)
        return entry, hide_versions(seat, entry, tx.revisions.of(Subject.ENTRY, entry.id))


def list_inbox(
    seat: Seat,
    window: Window,
    *,
    status: str = EntryStatus.PENDING,
    type: str | None = None,
    agent: str | None = None,
    containing: str | None = None,
) -> Page[Entry]:
    seat.require(Act.READ)
    kind = parse_optional(DecisionType, type, field="type")
    wanted = EntryFilter(
        status=parse_unless_all(EntryStatus, status, field="status"),
        types=frozenset({kind} if kind else ()),
        author_key=filter_key(agent),
        text=text.optional_line(containing, field="text", bytes_max=SEARCH_TEXT_BYTES_MAX),
    )
    with seat.reading() as tx:
        return tx.inbox.page(wanted, window)


def tell_waiting(seat: Seat) -> str | None:
    """That proposals wait for a person before they are listed; how many is told to whoever reviews them."""
    seat.require(Act.READ)
    with seat.reading() as tx:
        held = tx.inbox.page(EntryFilter(status=EntryStatus.PENDING, quarantined=True), Window(PAGE_ITEMS_MAX))
    if not held.items:
        return None
    if not may(seat.actor, Act.REVIEW_GUARD):
        return "Something waits for review by a person."
    count = f"{'More than ' if held.next_cursor else ''}{len(held.items):,}"
    told = "proposal waits" if count == "1" else "proposals wait"
    return f"{count} {told} for review: `hansard guard list`."


def find_entry(tx: Transaction, seat: Seat, reference: str) -> Entry:
    """The entry with this id, number (`P-7`) or slug. Raises UnknownEntry."""
    wanted = text.reference(reference, field="entry")
    number = parse_reference(wanted, prefix="P")
    if is_uuid(wanted):
        entry = tx.inbox.get(wanted)
    elif number is not None:
        # No slug can look like a number, so that nobody merges what a stranger named after it.
        entry = tx.inbox.by_number(number)
    else:
        entry = tx.inbox.by_slug(wanted.lower()) if slugs.is_effective(wanted.lower()) else None
    if entry is None:
        raise UnknownEntry(f"There is no inbox entry {quoted(wanted)} in this project.")
    hide_entry(seat, entry, wanted)
    return entry


def _own_entry(tx: Transaction, wanted: Proposal) -> Entry | None:
    author_key = key_of(wanted.author)
    if wanted.spelled_slug != wanted.requested_slug:
        # A de-collided author may repeat the effective slug it was given, `--` and all.
        there = tx.inbox.by_slug(wanted.spelled_slug)
        if there is not None and key_of(there.author) == author_key:
            return there
    return tx.inbox.by_request(author_key, wanted.requested_slug)


def _free_slug(tx: Transaction, wanted: Proposal, author: str) -> str:
    return slugs.first_free(wanted.requested_slug, author, lambda one: tx.inbox.by_slug(one) is not None)


def _create(tx: Transaction, seat: Seat, wanted: Proposal, author: str, slug: str) -> Entry:
    # With its title, which may make a secret of the content.
    wanted, screened = screen(seat, wanted._replace(title=wanted.title or slug), tx)
    entry = Entry(
        id=tx.new_id(),
        number=tx.inbox.next_number(),
        slug=slug,
        requested_slug=wanted.requested_slug,
        type=wanted.type,
        title=wanted.title or slug,
        content=wanted.content,
        rationale=wanted.rationale,
        importance=wanted.importance,
        tags=wanted.tags,
        author=author,
        run_id=wanted.run_id,
        status=EntryStatus.PENDING,
        reviewer=None,
        note=None,
        reviewed_at=None,
        decision_id=None,
        memory_id=None,
        version=1,
        created_at=tx.now,
        updated_at=tx.now,
        salt=fresh_salt(),
        origin=wanted.origin,
    )
    entry = held(settled_entry(tx, seat, entry), screened, tx.now)
    tx.inbox.insert(entry)
    chronicle.created(tx, seat.actor, "entry.proposed", Subject.ENTRY, [entry])
    return entry


def _update(tx: Transaction, seat: Seat, own: Entry, wanted: Proposal) -> tuple[Submission, bool]:
    """What became of the entry, and whether its title may have taken something out of its earlier versions."""
    wanted, screened = screen(seat, wanted._replace(title=wanted.title or own.slug), tx)
    said = own._replace(
        type=wanted.type,
        title=wanted.title or own.slug,
        content=wanted.content,
        rationale=wanted.rationale,
        importance=wanted.importance,
        tags=wanted.tags,
        run_id=wanted.run_id,
        origin=_origin(seat, own, wanted),
    )
    doubtful = names_secret(said)
    if doubtful:
        from hansard.services.scan import take_back

        own = take_back(tx, seat, Subject.ENTRY, own, {"title": said.title})
        said = said._replace(version=own.version, updated_at=own.updated_at, salt=own.salt)
    if said == own:
        return Submission(own, Outcome.UNCHANGED), doubtful
    said = said._replace(version=own.version + 1, updated_at=tx.now)
    if said._replace(run_id=own.run_id, version=own.version, updated_at=own.updated_at) != own:
        said = held(settled_entry(tx, seat, said, own), screened, tx.now)
    updated = said
    tx.inbox.update(updated)
    chronicle.changed(tx, seat.actor, "entry.revised", Subject.ENTRY, own, updated)
    return Submission(updated, Outcome.UPDATED), doubtful


def _origin(seat: Seat, own: Entry, wanted: Proposal) -> Origin | None:
    """Only a person makes somebody's own words of what was taken from elsewhere, also from a file that names them."""
    if Role.HUMAN in seat.actor.roles:
        return wanted.origin
    return less_trusted(own.origin, wanted.origin)
