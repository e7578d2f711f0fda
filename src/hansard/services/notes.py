"""Indexes the notes in files: each chunk is a memory that follows its text through edits, renames and deletion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
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
from hansard.services.reindex import insert_indexed, model_for_writing, prepare_units
from hansard.services.remember import memory_of
from hansard.services.seat import Seat
from hansard.workspace import notes as files
from hansard.workspace.notes import Found, Skipped

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

RENEWED_AFTER_DAYS = 1
"""Indexing a file again lets its memories live longer. Less than this is not worth a line in the ledger."""

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
    return _Indexing(seat, agent, parse_optional(Scope, scope, field="scope"), Path(root)).run(paths, only, progress)


class _Indexing:
    """One run over some files. Each file is brought in step in a transaction of its own."""

    def __init__(self, seat: Seat, agent: str | None, scope: Scope | None, root: Path) -> None:
        self._seat = seat
        self._root = root
        self._scope = scope or Scope.AGENT
        acts_itself = bool(seat.actor.roles - {Role.HUMAN})
        self._agent = clean_name(agent) if agent is not None else seat.actor.name if acts_itself else None
        self._gone: dict[str, tuple[Memory, ...]] = {}
        seat.require(Act.RECORD, Matter(owner=self._agent or seat.actor.name))

    def run(self, paths: Sequence[str | Path], only: Collection[str] | None, progress: Progress | None) -> NotesReport:
        survey = files.survey(paths, self._root)
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
            if isinstance(done, Skipped):
                skipped.append(done)
            else:
                rows.append(done)
            if progress is not None:
                progress(count, len(homes))
        ended = {ref: self._end(known) for ref, known in self._gone.items() if known}
        rows += [NoteFile(one.ref, NoteStatus.SKIPPED, one.reason, ended=ended.pop(one.ref, 0)) for one in skipped]
        rows += [NoteFile(ref, NoteStatus.ENDED, files.GONE, ended=count) for ref, count in ended.items()]
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
        elif not may(self._seat.actor, Act.RECORD, Matter(owner=owner)):
            return Skipped(found.ref, f"belongs to {owner}", ends=False)
        return _Home(owner, Scope.AGENT)

    def _lost(self, tx: Transaction, survey: files.Survey, kept_out: set[str]) -> list[str]:
        """The files that were indexed once and now are missing, or are not to be indexed any more."""
        lost = {one.ref for one in survey.skipped if one.ends}
        for folder in survey.folders:
            for ref in tx.memories.files_under(folder, now=tx.now):
                elsewhere = not folder and PurePosixPath(ref).is_absolute()
                if not elsewhere and files.is_gone(self._root, ref):
                    lost.add(ref)
        return sorted(lost - kept_out)

    def _give_up(self, tx: Transaction, ref: str) -> None:
        """Notes what is to end with the file, unless a new file turns out to be the same one."""
        known = tuple(
            one
            for one in tx.memories.of_file(ref)
            if not one.is_expired(tx.now)
            and (one.scope is Scope.TEAM or may(self._seat.actor, Act.RECORD, Matter(owner=one.agent)))
        )
        if known:
            self._gone[ref] = known

    def _index(self, found: Found, home: _Home) -> NoteFile | Skipped:
        document = files.read(found)
        chunks = () if isinstance(document, Skipped) else notes.chunks(document)
        if isinstance(document, Skipped) or not chunks:
            reason = document if isinstance(document, Skipped) else Skipped(found.ref, files.EMPTY)
            if reason.ends:
                with self._seat.reading() as tx:
                    self._give_up(tx, found.ref)
            return reason
        text = _Text(found.ref, home, chunks)
        with self._seat.reading() as tx:
            known = [one for one in tx.memories.of_file(found.ref) if home.holds(one)]
            is_new = all(one.is_expired(tx.now) for one in known)
            was, moved = self._renamed(text) if is_new else (None, ())
            before = {one.content for one in (*known, *moved)}
            # Embed before the write: the only write lock is not held while vectors are made.
            fresh = list(dict.fromkeys(one.content for one in chunks if one.content not in before))
            packed = dict(zip(fresh, prepare_units(tx, self._seat, fresh), strict=True))
        if was is not None:
            self._gone[was] = tuple(one for one in self._gone[was] if one not in moved)
        return self._write(text, packed, was, [one.id for one in moved])

    def _renamed(self, text: _Text) -> tuple[str | None, tuple[Memory, ...]]:
        """The missing file that this new one is, and its memories: at least half of the chunks are the same."""
        said = {normalised(one.content) for one in text.chunks}
        best: tuple[str | None, tuple[Memory, ...]] = (None, ())
        most = 0
        for ref, known in self._gone.items():
            mine = tuple(one for one in known if text.home.holds(one) or self._may_take(one, text.home))
            same = sum(normalised(one.content) in said for one in mine)
            if same > most and same * 2 >= max(len(mine), len(text.chunks)):
                best, most = (ref, mine), same
        return best

    def _may_take(self, memory: Memory, home: _Home) -> bool:
        """Moving a private file to the team's folder shares it, if the one who indexes may write for its owner."""
        return home.scope is Scope.TEAM and may(self._seat.actor, Act.RECORD, Matter(owner=memory.agent))

    def _write(self, text: _Text, packed: Packed, was: str | None, moved: Sequence[str]) -> NoteFile:
        with self._seat.writing() as tx:
            taken = [one for one in map(tx.memories.get, moved) if one is not None and not one.is_forgotten]
            known = [*taken, *(one for one in tx.memories.of_file(text.ref) if text.home.holds(one))]
            was_live = any(not one.is_expired(tx.now) for one in known)
            olds = [Known(normalised(one.content), one.position or 0, _is_ended(one)) for one in known]
            links = notes.align(olds, [normalised(one.content) for one in text.chunks])
            edited = sum(
                self._follow(tx, known[link], _said(known[link], text, place, tx.now), packed)
                for place, link in enumerate(links)
                if link is not None
            )
            created = self._create(tx, text, [place for place, link in enumerate(links) if link is None], packed)
            followed = set(links)
            ended = _end(tx, self._seat, [one for place, one in enumerate(known) if place not in followed])
        if self._seat.shelf.embedder is not None and any(
            one.vector is None for all_ in packed.values() for one in all_
        ):
            self._seat.shelf.fill_in_background(self._seat.project.id)
        untouched = not (created or edited or ended)
        status = NoteStatus.UNCHANGED if untouched else NoteStatus.CHANGED
        status = NoteStatus.MOVED if was is not None else status if was_live else NoteStatus.NEW
        return NoteFile(
            text.ref, status, None if was is None else f"was {was}", text.home.owner, text.home.scope,
            created, edited, len(text.chunks) - created - edited, ended,
        )  # fmt: skip

    def _follow(self, tx: Transaction, before: Memory, said: Memory, packed: Packed) -> bool:
        """Writes what changed of a memory down, if anything did, and says whether its text did."""
        reworded = normalised(before.content) != normalised(said.content)
        if said == before:
            return False
        after = said._replace(version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        seq = tx.memories.seq_of(after.id)
        if before.content == after.content:
            tx.units.touch(seq)
        else:
            tx.units.replace(seq, self._units(tx, after.content, packed), model_for_writing(tx, self._seat))
        placed = (before.source_ref, before.position) == (after.source_ref, after.position)
        action = "memory.edited" if reworded else "memory.renewed" if placed else "memory.moved"
        chronicle.changed(tx, self._seat.actor, action, Subject.MEMORY, before, after)
        return reworded

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

    def _end(self, known: Iterable[Memory]) -> int:
        with self._seat.writing() as tx:
            found = [(tx.memories.get(one.id), one.source_ref) for one in known]
            return _end(tx, self._seat, [one for one, ref in found if one is not None and one.source_ref == ref])


def _end(tx: Transaction, seat: Seat, known: Sequence[Memory]) -> int:
    """Ends memories whose text is gone: no search finds them from now on, and each is still read by its id."""
    live = [one for one in known if not one.is_expired(tx.now)]
    for before in live:
        after = before._replace(expires_at=tx.now, version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        tx.units.touch(tx.memories.seq_of(after.id))
        chronicle.changed(tx, seat.actor, "memory.ended", Subject.MEMORY, before, after)
    return len(live)


def _is_ended(memory: Memory) -> bool:
    """Whether it was ended, rather than left to run out."""
    return memory.expires_at is not None and memory.expires_at <= memory.updated_at


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
