"""Records, shows, edits and forgets memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import addresses, memories, tags, text
from hansard.domain.actors import filter_key, key_of
from hansard.domain.decisions import FORGOTTEN_TEXT, Decision
from hansard.domain.errors import (
    Forgotten,
    HiddenMemory,
    Invalid,
    RunEnded,
    StoreFull,
    TooLarge,
    UnknownMemory,
    UnknownRun,
    of_number,
    quoted,
)
from hansard.domain.identifiers import is_uuid
from hansard.domain.inbox import CONFLICT_SLUG, Entry
from hansard.domain.ledger import Revision
from hansard.domain.limits import PAGE_ITEMS_MAX, REMEMBER_MANY_ITEMS_MAX, SEARCH_TEXT_BYTES_MAX
from hansard.domain.memories import Memory, Note, digests, file_mark, normalised
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, may, require
from hansard.domain.runs import completion_ref
from hansard.domain.trust import default_origin, is_indexed
from hansard.domain.versions import pinned, refuse_stale
from hansard.domain.vocabulary import (
    Clearance,
    DecisionStatus,
    EntryStatus,
    Importance,
    MemoryType,
    Origin,
    Scope,
    Source,
    Subject,
    parse,
    parse_optional,
)
from hansard.services import chronicle
from hansard.services.admission import (
    edited,
    handed_on,
    held,
    judged,
    names_secret,
    note_outside,
    origins_of,
    overreaches,
    own_origin,
    refuse_unseen,
    remarks_ahead,
    repeated,
    screen,
    screen_all,
    screen_named,
    takes_over,
    tell_held,
)
from hansard.services.find_known import find_duplicates, refuse_equal
from hansard.services.hide import hide_memory, hide_versions
from hansard.services.keep import forget_memory, forget_run
from hansard.services.reindex import (
    NOTHING_PREPARED,
    fill_vectors,
    insert_indexed,
    prepare_ahead,
    prepare_between,
    reindex,
)
from hansard.services.seat import Seat, find_own_run, fresh_salt, lived_until, register, register_agent
from hansard.services.speak_for import refuse_core, require_name
from hansard.store.filters import EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


ROOM = (
    "It is still remembered. Free as much space as the database has, since forgetting rewrites it, and forget it again."
)


class Correction(NamedTuple):
    """What changes in a memory; None leaves a field as it is."""

    content: str | None = None
    name: str | None = None
    type: str | None = None
    importance: str | None = None
    tags: Iterable[str] | str | None = None
    citations: Iterable[str] | None = None


def remember(
    seat: Seat, note: Note, *, force: bool = False, for_another: bool = False, words_of: Memory | None = None
) -> Memory:
    return remember_many(seat, [note], force=force, for_another=for_another, words_of=words_of)[0]


def remember_many(
    seat: Seat,
    notes: Sequence[Note],
    *,
    force: bool = False,
    for_another: bool = False,
    words_of: Memory | None = None,
) -> tuple[Memory, ...]:
    """Records all notes in one transaction, or none of them.

    What is known already is not written again: the known memory is returned, marked as a duplicate, unless forced.
    `for_another` is for a caller that asked the policy itself. `words_of` is the memory whose words are handed on: they
    stay from where they came.
    """
    if len(notes) > REMEMBER_MANY_ITEMS_MAX:
        raise TooLarge(f"{len(notes):,} notes given; one call records at most {REMEMBER_MANY_ITEMS_MAX:,}.")
    if not for_another:
        require_name(seat, Act.RECORD, *{note.agent for note in notes})
    if not notes:
        return ()
    _refuse_note_files(notes)
    origins = origins_of(seat, notes, words_of)
    refuse_core(seat, notes, origins)
    notes, screened = screen_all(seat, notes)
    remarked = remarks_ahead(notes, origins)
    # Embed before the write: the only write lock is not held while vectors are made.
    packed = prepare_between(seat, [note.content for note in notes])
    with seat.writing() as tx:
        _find_runs(tx, seat, notes)
        if not for_another:
            # A lesson is told to its agent, and was read by none of its runs.
            note_outside(tx, ((origins[one.origin, one.source], one.run_id, one.agent) for one in notes))
        # Once more: what one of them, or another process, brought from outside meanwhile counts for all.
        origins = origins_of(seat, notes, words_of, tx)
        keys = digests(note.content for note in notes)
        same = tx.memories.with_digests(keys)
        known = {} if force else find_duplicates(tx, seat, notes, keys, packed, same, origins)
        fresh = [place for place in range(len(notes)) if place not in known]
        made_of = [notes[place] for place in fresh] if known else notes
        recorded = [
            judged(seat, one, tx.now, found)
            for one, found in zip(memories_of(tx, made_of, origins), (remarked[place] for place in fresh), strict=True)
        ]
        if words_of is not None:
            recorded = [handed_on(seat, words_of, one) for one in recorded]
        recorded = repeated(tx, seat, recorded, same)
        if screened:
            recorded = [held(one, screened.get(place), tx.now) for place, one in zip(fresh, recorded, strict=True)]
        units = [packed[place] for place in fresh] if packed else []
        insert_indexed(tx, seat, recorded, units, [keys[place] for place in fresh])
        chronicle.created(tx, seat.actor, "memory.recorded", Subject.MEMORY, recorded)
        made = dict(zip(fresh, recorded, strict=True))
        done = tuple(made[place] if place in made else _repeated(known[place], made) for place in range(len(notes)))
        if not for_another:
            _note_what_is_outside(tx, notes, done)
    fill_vectors(seat)
    if known:
        tell_held(seat, tx, done)
    return done


def _note_what_is_outside(tx: Transaction, notes: Sequence[Note], done: Sequence[Memory]) -> None:
    """Taints the runs of notes that are known, or only now turned out, to be from outside."""
    doubted = [one.cleared is not Clearance.CONFIRMED and not is_indexed(one) for one in done]
    told = zip(notes, done, doubted, strict=True)
    note_outside(tx, ((one.origin, note.run_id, note.agent) for note, one, is_doubted in told if is_doubted))


def _find_runs(tx: Transaction, seat: Seat, notes: Sequence[Note]) -> None:
    """Refuses notes of runs that there are not, or that others are at; which of the notes it is, is said."""
    first: dict[tuple[str | None, str], int] = {}
    for place, note in enumerate(notes):
        first.setdefault((note.run_id, note.agent), place)
    for (run_id, agent), place in first.items():
        try:
            find_own_run(tx, seat, run_id, agent)
        except (UnknownRun, RunEnded) as error:
            raise of_number(error, place, len(notes)) from None


def _refuse_note_files(notes: Iterable[Note]) -> None:
    """A note file stands where its team put it, and is believed for that. So only the index says what is one."""
    for note in notes:
        if note.source is Source.FILE_INDEX and note.source_ref is not None and note.position is not None:
            raise Invalid(
                "source file_index with source_ref and position is what `hansard notes index` records of a note file."
                " Put the file into .hansard/notes, or leave the position out."
            )


def _repeated(known: Memory | int, made: Mapping[int, Memory]) -> Memory:
    memory = made[known] if isinstance(known, int) else known
    return memory._replace(duplicate=True)


def get_memory(seat: Seat, memory_id: str) -> Memory:
    """The memory, expired or not. What belongs to another agent is not found."""
    with seat.reading() as tx:
        return find_memory(tx, seat, memory_id)


def memory_versions(seat: Seat, memory_id: str) -> tuple[Memory, tuple[Revision, ...]]:
    with seat.reading() as tx:
        memory = find_memory(tx, seat, memory_id)
        earlier = hide_versions(seat, memory, tx.revisions.of(Subject.MEMORY, memory.id))
        return memory, tuple(one for one in earlier if _was_visible(seat, memory, one))


def list_memories(
    seat: Seat,
    window: Window,
    *,
    agent: str | None = None,
    type: str | None = None,
    importance: str | None = None,
    scope: str | None = None,
    source: str | None = None,
    tag_values: Iterable[str] | str | None = None,
    containing: str | None = None,
    expired: bool = False,
) -> Page[Memory]:
    """What the caller may see, newest first. Tags are whole words; a memory with any of them is listed."""
    seat.require(Act.READ)
    sees_all = may(seat.actor, Act.READ_PRIVATE, Matter(owner=None))
    kind = parse_optional(MemoryType, type, field="type")
    with seat.reading() as tx:
        wanted = MemoryFilter(
            reader_key=None if sees_all else seat.actor.key,
            agent_key=filter_key(agent),
            types=frozenset({kind} if kind else ()),
            importance=parse_optional(Importance, importance, field="importance"),
            scope=parse_optional(Scope, scope, field="scope"),
            source=parse_optional(Source, source, field="source"),
            tags=tags.normalise(tag_values),
            text=text.optional_line(containing, field="text", bytes_max=SEARCH_TEXT_BYTES_MAX),
            live_at=None if expired else lived_until(tx),
        )
        return tx.memories.page(wanted, window)


def edit(seat: Seat, memory_id: str, correction: Correction, *, expected_version: int | None = None) -> Memory:
    """Changes a memory. With `expected_version`, only if nobody changed it since. MemoryKnown if another says it.

    What is the team's stays the team's. A private memory that gets the tag cross-team is shared by it.
    """
    if correction == Correction():
        raise Invalid("Nothing to change was given: content, name, type, importance, tags or citations.")
    memory_id, version = pinned(memory_id, expected_version)
    correction, screened = screen(seat, _cleaned(correction))
    ahead = NOTHING_PREPARED
    if correction.content is not None:
        ahead = prepare_ahead(seat, memories.clean_content(correction.content))
    with seat.writing() as tx:
        before = find_memory(tx, seat, memory_id)
        promoted = before.entry_id is not None
        require(seat.actor, Act.EDIT_MEMORY, Matter(owner=before.agent, promoted=promoted))
        if before.is_forgotten:
            raise Forgotten(f"The memory {before.id} was forgotten; its content is gone.")
        refuse_stale("The memory", before.version, version)
        # Once more as a whole: the name that it has already may make a secret of the new content.
        corrected, again = screen_named(seat, _corrected(before, correction), tx)
        doubtful = names_secret(corrected)
        if doubtful:
            from hansard.services.scan import take_back

            before = take_back(tx, seat, Subject.MEMORY, before, {"name": corrected.name, "subject": corrected.subject})
            corrected = corrected._replace(version=before.version, updated_at=before.updated_at, salt=before.salt)
        own = own_origin(seat, tx)
        said = held(edited(seat, before, corrected, tx.now, own), again if again.found else screened, tx.now)
        if version is None and (overreaches(before, said) or takes_over(before, said)):
            given = [field for field, value in correction._asdict().items() if value is not None]
            refuse_unseen(tx, seat, before, "edit", given)
        if said == before:
            return before
        (said,) = repeated(tx, seat, [said])
        shares = said.scope is not before.scope
        if shares:
            require(seat.actor, Act.SHARE, Matter(owner=before.agent))
        if (normalised(said.content), said.scope) != (normalised(before.content), before.scope) and not again.found:
            # What was just taken out of it must not come back because another memory says the rest too.
            refuse_equal(tx, said)
        after = said._replace(version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        reindex(tx, seat, before, after, ahead)
        deed = "memory.shared" if shares else "memory.edited"
        chronicle.changed(tx, seat.actor, deed, Subject.MEMORY, before, after)
    fill_vectors(seat)
    if doubtful:
        seat.store.erase_traces(seat.project.id)
    return after


def forget(seat: Seat, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Removes a memory's content from every table and every version, and leaves a tombstone.

    With `expected_version`, only if nobody changed it since.

    A memory that came from a merged proposal takes the proposal's and the decision's text with it, and one that a
    run left takes the run's: the same words stand there. One that is indexed of a file leaves a mark, by which the next
    index knows the words and leaves them out.
    """
    try:
        with seat.writing(ends=True) as tx:
            before = find_memory(tx, seat, memory_id)
            matter = Matter(owner=before.agent, team=before.scope is Scope.TEAM, promoted=before.entry_id is not None)
            require(seat.actor, Act.FORGET, matter)
            refuse_stale("The memory", before.version, expected_version)
            after = before if before.is_forgotten else erase(tx, seat, before, mark_of(tx, before))
            blank_run(tx, seat, before)
    except StoreFull as full:
        raise StoreFull(f"{full.message} {ROOM}") from full
    seat.store.erase_traces(seat.project.id)
    return after


def mark_of(tx: Transaction, memory: Memory) -> int | None:
    """By what the next index knows the words of a file again and leaves them out, when they are to be gone."""
    return file_mark(tx.project_id, memory.content) if memory.source is Source.FILE_INDEX else None


def erase(tx: Transaction, seat: Seat, before: Memory, mark: int | None = None) -> Memory:
    """The forgetting itself, inside the caller's transaction and after the caller asked the policy."""
    after = _tombstone(before, tx.now)
    tx.memories.update(after, mark)
    tx.units.drop(tx.memories.seq_of(before.id))
    tx.usage.erase(before.id)
    forget_memory(tx, seat, before)
    chronicle.erased(tx, seat.actor, "memory.forgotten", Subject.MEMORY, before, after)
    _blank_origin(tx, seat, before)
    for about in (before.id, before.entry_id, before.decision_id):
        _blank_conflicts(tx, seat, about)
    tx.ledger.mark_erasure()
    return after


def find_memory(tx: Transaction, seat: Seat, memory_id: str) -> Memory:
    """The memory, if the caller may see it. To a reader, forbidden equals missing."""
    wanted = addresses.named_by(text.reference(memory_id, field="memory"), addresses.MEMORIES)
    memory = tx.memories.get(wanted) if is_uuid(wanted) else None
    if memory is not None:
        matter = Matter(owner=memory.agent, team=memory.scope is Scope.TEAM)
        if may(seat.actor, Act.READ_PRIVATE, matter):
            hide_memory(seat, memory)
            return memory
    missing = UnknownMemory if memory is None else HiddenMemory
    told = f"There is no memory {quoted(wanted)} in this project."
    number = wanted.lower().removeprefix(addresses.DECISIONS)
    if number != wanted.lower() and number.isdecimal():
        told += f" That is where a decision is: `hansard decisions show {addresses.DECISIONS}{number[:15]}`."
    raise missing(told)


def _was_visible(seat: Seat, memory: Memory, version: Revision) -> bool:
    """A memory shared today may have been private before; that version stays private."""
    was_team = version.body.get("scope") == Scope.TEAM
    return may(seat.actor, Act.READ_PRIVATE, Matter(owner=memory.agent, team=was_team))


def memory_of(tx: Transaction, note: Note) -> Memory:
    return next(memories_of(tx, [note], {}))


def memories_of(
    tx: Transaction, notes: Sequence[Note], origins: Mapping[tuple[Origin | None, Source], Origin]
) -> Iterator[Memory]:
    """The notes as memories, each with an id of its own. What many of them share is looked up once."""
    now, until, new_id = tx.now, lived_until(tx), tx.new_id
    names: dict[str, str] = {}
    ends = {source: memories.expires_at(source, until) for source in {note.source for note in notes}}
    for note in notes:
        # Taken apart at once: by name, each of ten thousand costs three times as much.
        (agent, type, importance, scope, source, content, name, tags, category, citations, kind, subject, reason,
         source_ref, position, run_id, session_id, occurred_at, origin) = note  # fmt: skip
        if agent not in names:
            names[agent] = register_agent(tx, agent)
        yield Memory(
            new_id(), names[agent], type, importance, scope, source, content, name, tags, category, citations, kind,
            subject, reason, source_ref, position, run_id, session_id, None, None, occurred_at, ends[source], None, 0,
            None, 1, now, now, fresh_salt(), 1.0, 1.0,
            origins.get((origin, source)) or origin or default_origin(source, None),
        )  # fmt: skip


def _cleaned(correction: Correction) -> Correction:
    """The correction in normal form, as far as it is text; a blank name stays one, because it removes the name."""
    return correction._replace(
        content=None if correction.content is None else memories.clean_content(correction.content),
        name=None if correction.name is None else memories.clean_memory_name(correction.name) or "",
        tags=None if correction.tags is None else tags.normalise(correction.tags),
        citations=None if correction.citations is None else memories.clean_citations(correction.citations),
    )


def _corrected(before: Memory, correction: Correction) -> Memory:
    said = before
    if correction.content is not None:
        said = said._replace(content=memories.clean_content(correction.content))
    if correction.name is not None:
        said = said._replace(name=memories.clean_memory_name(correction.name))
    if correction.type is not None:
        said = said._replace(type=parse(MemoryType, correction.type, field="type"))
    if correction.importance is not None:
        said = said._replace(importance=parse(Importance, correction.importance, field="importance"))
    if correction.tags is not None:
        new_tags, scope = tags.with_scope(tags.normalise(correction.tags), before.scope)
        said = said._replace(tags=new_tags, scope=scope)
    if correction.citations is not None:
        said = said._replace(citations=memories.clean_citations(correction.citations))
    return said


def _tombstone(before: Memory, now: int) -> Memory:
    return before._replace(
        content="",
        name=None,
        tags=(),
        category=None,
        citations=(),
        subject=None,
        reason=None,
        source_ref=None,
        session_id=None,
        signs=(),
        quarantined_at=None,
        forgotten_at=now,
        version=before.version + 1,
        updated_at=now,
        salt=None,
    )


def _blank_origin(tx: Transaction, seat: Seat, memory: Memory) -> None:
    """Blanks every entry that was merged into the memory, and its decision."""
    if memory.entry_id is None:
        return
    merged = tx.inbox.page(EntryFilter(memory_id=memory.id, quarantined=None), Window(PAGE_ITEMS_MAX)).items
    entries = {one.id: one for one in (*merged, tx.inbox.get(memory.entry_id)) if one is not None}
    for entry in entries.values():
        blank_entry = _blank_entry(entry, _unused_slug(tx, entry), tx.now)
        tx.inbox.update(blank_entry)
        chronicle.erased(tx, seat.actor, "entry.forgotten", Subject.ENTRY, entry, blank_entry)
    for decision_id in dict.fromkeys((memory.decision_id, *(one.decision_id for one in entries.values()))):
        decision = tx.decisions.get(decision_id) if decision_id else None
        if decision:
            blank_decision = _blank_decision(decision, tx.now)
            tx.decisions.update(blank_decision)
            chronicle.erased(tx, seat.actor, "decision.forgotten", Subject.DECISION, decision, blank_decision)


def _blank_conflicts(tx: Transaction, seat: Seat, about: str | None) -> None:
    """Blanks the entries that show two versions of the record: the same words stand there."""
    if about is None:
        return
    wanted = EntryFilter(slug_prefix=f"{CONFLICT_SLUG}{about}--", quarantined=None)
    for entry in tx.inbox.page(wanted, Window(PAGE_ITEMS_MAX)).items:
        blank_entry(tx, seat, entry, register(tx, seat.actor))


def blank_entry(tx: Transaction, seat: Seat, entry: Entry, reviewer: str) -> Entry:
    """Takes the words out of an entry and its versions, and rejects it if it was pending."""
    blank = _blank_entry(entry, _unused_slug(tx, entry), tx.now)
    if entry.status is EntryStatus.PENDING:
        blank = blank._replace(status=EntryStatus.REJECTED, reviewer=reviewer, reviewed_at=tx.now)
    tx.inbox.update(blank)
    chronicle.erased(tx, seat.actor, "entry.forgotten", Subject.ENTRY, entry, blank)
    return blank


def blank_run(tx: Transaction, seat: Seat, memory: Memory) -> None:
    """Blanks the run that left the memory. Not part of `erase`: what only expired leaves its run as it is.

    A tombstone no longer says what it came from, so one that a purge left is taken at its run.
    """
    if memory.source is not Source.TASK_COMPLETION or memory.run_id is None:
        return
    run = tx.runs.get(memory.run_id)
    if run is None or run.is_open or key_of(run.agent) != key_of(memory.agent):
        return
    if not memory.is_forgotten and memory.source_ref != completion_ref(run.id):
        return
    blank = run._replace(
        task=run.task and FORGOTTEN_TEXT, reason=run.reason and FORGOTTEN_TEXT, version=run.version + 1,
        updated_at=tx.now, salt=fresh_salt(),
    )  # fmt: skip
    if (blank.task, blank.reason) != (run.task, run.reason):
        tx.runs.update(blank)
        tx.usage.erase_task(run.id, run.task or FORGOTTEN_TEXT)
        forget_run(tx, seat, run)
        chronicle.erased(tx, seat.actor, "run.forgotten", Subject.RUN, run, blank)
        tx.ledger.mark_erasure()


def _unused_slug(tx: Transaction, entry: Entry) -> str:
    """A slug that says nothing, and that nobody can have taken to keep the words in place."""
    wanted = f"forgotten--{entry.number}"
    while tx.inbox.by_slug(wanted) is not None:
        wanted += "--0"
    return wanted


def _blank_entry(entry: Entry, slug: str, now: int) -> Entry:
    return entry._replace(
        slug=slug, requested_slug=slug, title=FORGOTTEN_TEXT, content=FORGOTTEN_TEXT, rationale=None, tags=(),
        note=None, version=entry.version + 1, updated_at=now, salt=fresh_salt(), quarantined_at=None, signs=(),
    )  # fmt: skip


def _blank_decision(decision: Decision, now: int) -> Decision:
    status = DecisionStatus.ARCHIVED if decision.status is DecisionStatus.ACTIVE else decision.status
    return decision._replace(
        title=FORGOTTEN_TEXT, content=FORGOTTEN_TEXT, rationale=None, tags=(), applies_to=(), status=status,
        version=decision.version + 1, updated_at=now, salt=fresh_salt(),
    )  # fmt: skip
