"""Indexes the notes in files: each chunk is a memory that follows its text through edits, renames and deletion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import memories, notes
from hansard.domain.actors import clean_name, key_of
from hansard.domain.errors import Invalid
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory, normalised
from hansard.domain.notes import Chunk, Known, NoteFile, NotesReport, NoteStatus
from hansard.domain.policy import Act, Matter, may
from hansard.domain.tags import CROSS_TEAM, with_scope
from hansard.domain.units import PackedUnit
from hansard.domain.vocabulary import Role, Scope, Source, Subject, parse_optional
from hansard.services import chronicle
from hansard.services.reindex import fill_vectors, insert_indexed, model_for_writing, prepare_units
from hansard.services.remember import memory_of
from hansard.services.seat import Seat
from hansard.workspace import notes as files
from hansard.workspace.notes import Found, Skipped, Survey

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

__all__ = ["NoteFile", "NoteStatus", "NotesReport", "Progress", "index_notes"]
RENEWED_AFTER_DAYS = 1
"""Indexing a file again lets its memories live longer. Less than this is not worth a line in the ledger."""

_NO_FILE: tuple[str | None, tuple[Memory, ...]] = (None, ())
Packed = dict[str, tuple[PackedUnit, ...]]
Progress = Callable[[int, int], None]


class _Home(NamedTuple):
    """Whose the memories of a file are, and who sees them."""

    owner: str
    scope: Scope

    def holds(self, memory: Memory) -> bool:
        """A file of the team has one set of memories, whoever indexed it first; any other one for each agent."""
        return key_of(memory.agent) == key_of(self.owner) or (self.scope is memory.scope is Scope.TEAM)


class _Text(NamedTuple):
    """A file as it is to be remembered."""

    ref: str
    home: _Home
    chunks: tuple[Chunk, ...]

    def name(self, place: int) -> str:
        return self.chunks[place].name(PurePosixPath(self.ref).stem)


class _Plan(NamedTuple):
    """The memories that a file has, and for each of its chunks which of them it is."""

    known: list[Memory]
    links: list[int | None]

    def is_settled(self, text: _Text, now: int) -> bool:
        followed = set(self.links)
        return all(
            link is not None and _said(self.known[link], text, place, now) == self.known[link]
            for place, link in enumerate(self.links)
        ) and all(one.is_expired(now) for place, one in enumerate(self.known) if place not in followed)


def index_notes(
    seat: Seat,
    paths: Sequence[str | Path] = (),
    *,
    agent: str | None = None,
    scope: str | None = None,
    root: str | Path,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
) -> NotesReport:
    """Brings the memories of these files and folders, or else of the note folders, in step with their text.

    A file in the note folder of an agent is private to it, one in the shared folder is the team's. Any other file
    is the acting agent's, private unless `scope` says team. With `only`, files at other paths than these are
    known to be unchanged and are not read. Raises Invalid if a named path does not exist.
    """
    run = _Indexing(seat, agent, parse_optional(Scope, scope, field="scope"), Path(root)).run
    return run(files.survey(paths, Path(root)), only, progress)


class _Indexing:
    """One run over some files. Each file is brought in step in a transaction of its own."""

    def __init__(self, seat: Seat, agent: str | None, scope: Scope | None, root: Path) -> None:
        self._seat = seat
        self._root = root
        self._scope = scope or Scope.AGENT
        acts_itself = bool(seat.actor.roles - {Role.HUMAN})
        self._agent = clean_name(agent) if agent is not None else seat.actor.name if acts_itself else None
        self._gone: dict[str, tuple[Memory, ...]] = {}
        self._gone_texts: dict[str, set[str]] = {}
        seat.require(Act.RECORD, Matter(owner=self._agent or seat.actor.name))

    def run(self, survey: Survey, only: Collection[str] | None, progress: Progress | None) -> NotesReport:
        skipped = list(survey.skipped)
        # Who owns what is settled before anything is written.
        wanted = [found for found in survey.files if only is None or str(found.path) in only]
        homes = [(found, self._home(found)) for found in wanted]
        kept_out = {one.ref for one in skipped if not one.ends} | {found.ref for found in survey.files}
        with self._seat.reading() as tx:
            for ref in self._lost(tx, survey, kept_out):
                self._give_up(tx, ref)
        rows: list[NoteFile] = []
        for count, (found, home) in enumerate(homes, 1):
            done = home if isinstance(home, Skipped) else self._index(found, home)
            skipped += [done] if isinstance(done, Skipped) else []
            rows += [done] if isinstance(done, NoteFile) else []
            if progress is not None:
                progress(count, len(homes))
        ended: dict[str, int] = {}
        for ref in [ref for ref, known in self._gone.items() if known]:
            with self._seat.writing() as tx:
                ended[ref] = _end(tx, self._seat, _still(tx, self._gone[ref]))
        rows += [NoteFile(one.ref, NoteStatus.SKIPPED, one.reason, ended=ended.pop(one.ref, 0)) for one in skipped]
        rows += [NoteFile(ref, NoteStatus.ENDED, files.GONE, ended=count) for ref, count in ended.items() if count]
        return NotesReport(tuple(sorted(rows, key=lambda one: one.path)))

    def _home(self, found: Found) -> _Home | Skipped:
        folder = files.note_folder(found.ref)
        if folder == files.SHARED_FOLDER:
            return _Home(self._agent or self._seat.actor.name, Scope.TEAM)
        if folder is None:
            if self._agent is None:
                raise Invalid(f"Say which agent {found.ref} is for: agent=… , HANSARD_AGENT or --agent.")
            return _Home(self._agent, self._scope)
        try:
            owner = clean_name(folder)
        except Invalid as error:
            return Skipped(found.ref, f"its folder names no agent: {error.message}", ends=False)
        if found.named:
            self._seat.require(Act.RECORD, Matter(owner=owner))
        elif not self._writes_for(owner):
            return Skipped(found.ref, f"belongs to {owner}", ends=False)
        return _Home(owner, Scope.AGENT)

    def _writes_for(self, owner: str) -> bool:
        return may(self._seat.actor, Act.RECORD, Matter(owner=owner))

    def _lost(self, tx: Transaction, survey: Survey, kept_out: set[str]) -> list[str]:
        """The files that were indexed once and now are missing, or are not to be indexed any more."""
        lost = {one.ref for one in survey.skipped if one.ends}
        for folder in survey.folders:
            known = tx.memories.files_under(folder, now=tx.now)
            inside = [ref for ref in known if folder or not PurePosixPath(ref).is_absolute()]
            lost |= {ref for ref in inside if files.is_gone(self._root, ref)}
        return sorted(lost - kept_out)

    def _give_up(self, tx: Transaction, ref: str) -> None:
        """Notes what is to end with the file, unless a new file turns out to be the same one."""
        live = [one for one in tx.memories.of_file(ref) if not one.is_expired(tx.now)]
        self._gone[ref] = tuple(one for one in live if one.scope is Scope.TEAM or self._writes_for(one.agent))
        for one in self._gone[ref]:
            self._gone_texts.setdefault(normalised(one.content), set()).add(ref)

    def _index(self, found: Found, home: _Home) -> NoteFile | Skipped:
        document = files.read(found)
        if isinstance(document, Skipped):
            if document.ends:
                with self._seat.reading() as tx:
                    self._give_up(tx, found.ref)
            return document
        text = _Text(found.ref, home, chunks := notes.chunks(document))
        with self._seat.reading() as tx:
            is_new = all(one.is_expired(tx.now) for one in tx.memories.of_file(text.ref) if home.holds(one))
            was, moved = self._renamed(text) if is_new else _NO_FILE
            plan = _plan(tx, text, moved)
            if plan.is_settled(text, tx.now):
                # A write would wait for the lock and for the disk, for every file that nobody touched.
                return NoteFile(text.ref, NoteStatus.UNCHANGED, None, *home, kept=len(chunks))
            before = {one.content for one in plan.known}
            # Embed before the write: the only write lock is not held while vectors are made.
            fresh = list(dict.fromkeys(one.content for one in chunks if one.content not in before))
            packed = dict(zip(fresh, prepare_units(tx, self._seat, fresh), strict=True))
        if was is not None:
            self._gone[was] = tuple(one for one in self._gone[was] if one not in moved)
        return self._write(text, packed, was, moved)

    def _renamed(self, text: _Text) -> tuple[str | None, tuple[Memory, ...]]:
        """The missing file that this new one is, and its memories: at least half of the chunks are the same."""
        # Moving a private file to the team's folder shares it, if the one who indexes may write for its owner.
        shares = text.home.scope is Scope.TEAM
        said = {normalised(one.content) for one in text.chunks}
        best, most = _NO_FILE, 0
        for ref in sorted({ref for one in said for ref in self._gone_texts.get(one, ())}):
            known = self._gone[ref]
            mine = tuple(one for one in known if text.home.holds(one) or (shares and self._writes_for(one.agent)))
            same = sum(normalised(one.content) in said for one in mine)
            if same > most and same * 2 >= max(len(mine), len(text.chunks)):
                best, most = (ref, mine), same
        return best

    def _write(self, text: _Text, packed: Packed, was: str | None, moved: Sequence[Memory]) -> NoteFile:
        with self._seat.writing() as tx:
            known, links = _plan(tx, text, moved)
            was_live = any(not one.is_expired(tx.now) for one in known)
            linked = [(known[link], place) for place, link in enumerate(links) if link is not None]
            edited = sum(self._follow(tx, one, _said(one, text, place, tx.now), packed) for one, place in linked)
            created = self._create(tx, text, [place for place, link in enumerate(links) if link is None], packed)
            followed = set(links)
            ended = _end(tx, self._seat, [one for place, one in enumerate(known) if place not in followed])
        fill_vectors(self._seat)
        status = NoteStatus.CHANGED if created or edited or ended else NoteStatus.UNCHANGED
        status = NoteStatus.MOVED if was is not None else status if was_live else NoteStatus.NEW
        return NoteFile(
            text.ref, status, None if was is None else f"was {was}", *text.home, created, edited,
            len(text.chunks) - created - edited, ended,
        )  # fmt: skip

    def _follow(self, tx: Transaction, before: Memory, said: Memory, packed: Packed) -> bool:
        """Writes what changed of a memory down, if anything did, and says whether its text did."""
        if said == before:
            return False
        after, seq = said._replace(version=before.version + 1, updated_at=tx.now), tx.memories.seq_of(before.id)
        tx.memories.update(after)
        if before.content == after.content:
            tx.units.touch(seq)
        else:
            tx.units.replace(seq, self._units(tx, after.content, packed), model_for_writing(tx, self._seat))
        chronicle.changed(tx, self._seat.actor, _deed(before, after), Subject.MEMORY, before, after)
        return normalised(before.content) != normalised(after.content)

    def _create(self, tx: Transaction, text: _Text, places: Sequence[int], packed: Packed) -> int:
        made: list[Memory] = []
        for place in places:
            note = memories.note(
                text.chunks[place].content, agent=text.home.owner, scope=text.home.scope, source=Source.FILE_INDEX,
                name=text.name(place), position=place,
            )  # fmt: skip
            made.append(memory_of(tx, note._replace(source_ref=text.ref)))
        insert_indexed(tx, self._seat, made, [self._units(tx, one.content, packed) for one in made])
        chronicle.created(tx, self._seat.actor, "memory.recorded", Subject.MEMORY, made)
        return len(made)

    def _units(self, tx: Transaction, content: str, packed: Packed) -> tuple[PackedUnit, ...]:
        """The units made before the write, or made now because somebody changed the memories meanwhile."""
        if content not in packed:
            packed[content] = prepare_units(tx, self._seat, [content])[0]
        return packed[content]


def _still(tx: Transaction, known: Sequence[Memory]) -> list[Memory]:
    """The memories as they are now, without those that were forgotten or moved to another file meanwhile."""
    found = [(tx.memories.get(one.id), one.source_ref) for one in known]
    return [one for one, ref in found if one is not None and one.source_ref == ref]


def _plan(tx: Transaction, text: _Text, moved: Sequence[Memory]) -> _Plan:
    known = [*_still(tx, moved), *(one for one in tx.memories.of_file(text.ref) if text.home.holds(one))]
    # What was ended expired when it was last changed; what was left to run out did so later.
    olds = [Known(normalised(one.content), one.position or 0, one.is_expired(one.updated_at)) for one in known]
    return _Plan(known, notes.align(olds, [normalised(one.content) for one in text.chunks]))


def _end(tx: Transaction, seat: Seat, known: Sequence[Memory]) -> int:
    """Ends memories whose text is gone: no search finds them from now on, and each is still read by its id."""
    live = [one for one in known if not one.is_expired(tx.now)]
    for before in live:
        after = before._replace(expires_at=tx.now, version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        tx.units.touch(tx.memories.seq_of(after.id))
        chronicle.changed(tx, seat.actor, "memory.ended", Subject.MEMORY, before, after)
    return len(live)


def _deed(before: Memory, after: Memory) -> str:
    if before.content != after.content:
        return "memory.edited"
    if before.scope is not after.scope:
        return "memory.shared" if after.scope is Scope.TEAM else "memory.unshared"
    moved = (before.source_ref, before.position) != (after.source_ref, after.position)
    return "memory.moved" if moved else "memory.renewed"


def _said(before: Memory, text: _Text, place: int, now: int) -> Memory:
    """The memory as its file has it now. What was shared stays so, but new words are as private as their file."""
    content = memories.clean_content(text.chunks[place].content)
    unshared = files.note_folder(before.source_ref or "") == files.SHARED_FOLDER
    keeps_scope = normalised(content) == normalised(before.content) and not unshared
    scope = Scope.TEAM if keeps_scope and before.scope is Scope.TEAM else text.home.scope
    said = before._replace(content=content, name=text.name(place), source_ref=text.ref, position=place)
    if scope is not before.scope:
        tags, scope = with_scope(tuple(tag for tag in before.tags if tag != CROSS_TEAM), scope)
        said = said._replace(tags=tags, scope=scope)
    lasting = memories.expires_at(Source.FILE_INDEX, now)
    if before.expires_at is None or lasting is None:
        return said
    soon = lasting - before.expires_at >= RENEWED_AFTER_DAYS * MICROSECONDS_PER_DAY
    return said._replace(expires_at=lasting) if soon or said != before else said
