"""Indexes the notes in files: each chunk is a memory that follows its text through edits, renames and deletion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import actors, memories, notes
from hansard.domain.actors import clean_name, key_of
from hansard.domain.errors import GuardRefused, Invalid, quoted
from hansard.domain.folders import HANSARD_FOLDER, NOTES_FOLDER, SHARED_FOLDER, is_shared, note_folder
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory, normalised
from hansard.domain.notes import Chunk, Known, NoteFile, NotesReport, NoteStatus
from hansard.domain.policy import Act, Matter, may
from hansard.domain.tags import CROSS_TEAM, with_scope
from hansard.domain.trust import SECRET_SIGN, is_from_outside, is_note
from hansard.domain.units import PackedUnit
from hansard.domain.vocabulary import Role, Scope, Source, Subject, parse_optional
from hansard.services import chronicle, mirror
from hansard.services.admission import (
    Screened,
    held,
    judged_file,
    note_outside,
    overreaches,
    refuse_marks,
    repeated,
    safe,
    screen_all,
    screen_texts,
    waiting,
)
from hansard.services.found import folderless, roots_of
from hansard.services.give_up import KEPT, Lost, end, row, stays, still
from hansard.services.reindex import fill_vectors, insert_indexed, model_for_writing, prepare_ahead, prepare_units
from hansard.services.remember import memory_of
from hansard.services.seat import Seat, lived_until, unfit
from hansard.settings import data_folder
from hansard.workspace import notes as files
from hansard.workspace import roots
from hansard.workspace.notes import Found, Skipped, Survey
from hansard.workspace.origins import Origins

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

__all__ = ["NoteFile", "NoteStatus", "NotesReport", "Progress", "index_notes"]
RENEWED_AFTER_DAYS = 1
"""Indexing a file again lets its memories live longer. Less than this is not worth a line in the ledger."""
NO_AGENT = "Say whose notes these are: name the agent, or set HANSARD_AGENT."
NO_FOLDER = (
    f"{{}} has no notes of its own: {NOTES_FOLDER}/{SHARED_FOLDER} is the team's, and what is in there"
    " is told to everybody. Give the agent another name."
)

_NO_FILE: tuple[str | None, tuple[Memory, ...]] = (None, ())
Packed = dict[str, tuple[PackedUnit, ...]]
Progress = Callable[[int, int], None]


class _Home(NamedTuple):
    """Whose the memories of a file are, and who sees them."""

    owner: str
    scope: Scope


class _Text(NamedTuple):
    """A file as it is to be remembered, and what the history tells of where it was indexed."""

    ref: str
    home: _Home
    chunks: tuple[Chunk, ...]
    origin: Mapping[str, str]
    waits: frozenset[str] = frozenset()
    """The contents that a reviewer is to see first, because a secret was taken out of them."""
    redacted: tuple[str, ...] = ()
    """The kinds of what was taken out."""
    forgotten: int = 0

    def name(self, place: int) -> str:
        return self.chunks[place].name(PurePosixPath(self.ref).stem)

    @property
    def remark(self) -> str | None:
        """What the report says of a file of which something was forgotten or taken out."""
        forgotten = f"left out what was forgotten: {self.forgotten}" if self.forgotten else ""
        redacted = f"redacted: {', '.join(self.redacted)}" if self.redacted else ""
        return "; ".join(filter(None, (forgotten, redacted))) or None


class _Plan(NamedTuple):
    """The memories that a file has, and for each of its chunks which of them it is."""

    known: list[Memory]
    links: list[int | None]

    @property
    def followed(self) -> list[Memory]:
        return [self.known[link] for link in self.links if link is not None]

    def is_settled(self, text: _Text, now: int) -> bool:
        followed = set(self.links)
        return all(
            link is not None and _said(self.known[link], text, place, now) == self.known[link]
            for place, link in enumerate(self.links)
        ) and all(
            one.is_expired(now) or stays(one, mended=True)
            for place, one in enumerate(self.known)
            if place not in followed
        )


FILE_NAME_BYTES_MAX = 255


def index_notes(
    seat: Seat,
    paths: Sequence[str | Path] = (),
    *,
    agent: str | None = None,
    scope: str | None = None,
    root: str | Path | None = None,
    only: Collection[str] | None = None,
    progress: Progress | None = None,
) -> NotesReport:
    """Brings the memories of these files and folders, or else of the note folders, in step with their text.

    A file in the note folder of an agent is private to it, one in the shared folder is the team's. Any other file
    is the acting agent's, private unless `scope` says team. With `only`, files of other names than these are known
    to be unchanged and are not read. Without a root it is the project's folder on this machine. Raises Invalid if the
    root is no folder, or if a named path does not exist and nothing is known of it, and Denied if an agent names a root
    that is none of the project's.
    """
    named, folder = _clean_paths(paths), mirror.home(seat) if root is None else _clean_root(seat, root)
    indexing = _Indexing(seat, agent, parse_optional(Scope, scope, field="scope"), folder)
    if not named:
        indexing.require_folder()
    return indexing.run(files.survey(named, folder), only, progress)


def _clean_paths(paths: Sequence[str | Path]) -> list[str | Path]:
    if isinstance(paths, str | bytes | Path) or not isinstance(paths, Iterable):
        raise Invalid(f"Give the files and folders as a list of paths, not as {type(paths).__name__}.")
    given = list(paths)
    for one in given:
        if not isinstance(one, str | Path):
            raise Invalid(f"A file or folder is given as its path, not as {type(one).__name__}.")
        if not str(one).strip():
            raise Invalid("The path of a file or folder is empty.")
        if any(len(part.encode("utf-8", "surrogateescape")) > FILE_NAME_BYTES_MAX for part in Path(one).parts):
            raise Invalid(f"There is no file or folder {quoted(str(one))}; its name is too long for any.")
    return given


def _clean_root(seat: Seat, root: str | Path) -> Path:
    """The folder that names count from. What is a note is told by them, so an agent names one of the project's."""
    if not isinstance(root, str | Path):
        raise Invalid(f"root must be the path of a folder, not {type(root).__name__}.")
    if HANSARD_FOLDER in roots.resolved(Path(root)).parts:
        raise Invalid(f"The root of a project is outside {HANSARD_FOLDER}; notes in there belong to their agents.")
    known = {_place(one) for one in _known_roots(seat)}
    if known and _place(root) not in known:
        seat.require(Act.SET_UP)
    return Path(root)


def _known_roots(seat: Seat) -> list[str]:
    machine = roots.machine_id(data_folder())
    return [one.path for one in roots_of(seat.store, seat.project) if one.machine == machine]


def _place(folder: str | Path) -> Path:
    return roots.main_place(roots.resolved(Path(folder)))


class _Indexing:
    """One run over some files. Each file is brought in step in a transaction of its own."""

    def __init__(self, seat: Seat, agent: str | None, scope: Scope | None, root: Path) -> None:
        self._seat = seat
        self._origins = Origins(roots.machine_id(data_folder()), root)
        self._scope = scope or Scope.AGENT
        acts_itself = bool(seat.actor.roles - {Role.HUMAN})
        self._agent = clean_name(agent) if agent is not None else seat.actor.name if acts_itself else None
        self._lost = Lost(seat, self._origins)
        self._is_known: bool | None = None
        """Whether the notes below the root are the project's; unknown until there is one."""
        seat.require(Act.RECORD, Matter(owner=self._agent or seat.actor.name))

    def require_folder(self) -> None:
        """Refuses an agent whose own note folder would be the one that everybody reads."""
        if self._agent is not None and key_of(self._agent) == SHARED_FOLDER:
            raise Invalid(NO_FOLDER.format(self._agent))

    def run(self, survey: Survey, only: Collection[str] | None, progress: Progress | None) -> NotesReport:
        # Who owns what is settled before anything is written.
        wanted = [found for found in survey.files if only is None or found.ref in only]
        homes = [(found, self._home(found)) for found in wanted]
        skipped = [*survey.skipped, *(home for _, home in homes if isinstance(home, Skipped))]
        with self._seat.reading() as tx:
            self._lost.look(tx, survey, skipped)
        rows: list[NoteFile] = []
        owned = [(found, home) for found, home in homes if isinstance(home, _Home)]
        for count, (found, home) in enumerate(owned, 1):
            done = self._index(found, home)
            skipped += [done] if isinstance(done, Skipped) else []
            rows += [done] if isinstance(done, NoteFile) else []
            if progress is not None:
                progress(count, len(owned))
        ordered = sorted([*rows, *self._lost.end(skipped)], key=lambda one: one.path)
        refused = (safe(one.ref) for one in skipped if one.refused)
        return NotesReport(tuple(map(_shareable, ordered)), tuple(refused))

    def _home(self, found: Found) -> _Home | Skipped:
        folder = note_folder(found.ref)
        if folder is not None:
            self._refuse_unknown_folder()
        if folder == SHARED_FOLDER:
            self.require_folder()
            return _Home(self._agent or self._seat.actor.name, Scope.TEAM)
        if folder is None:
            return self._home_of_any(found)
        try:
            owner = clean_name(folder)
        except Invalid as error:
            return Skipped(found.ref, f"its folder names no agent: {error.message}", ends=False)
        if key_of(owner) == SHARED_FOLDER:
            return Skipped(found.ref, f"its folder names no agent: the team's is {SHARED_FOLDER}", ends=False)
        if actors.unfit(owner):
            with self._seat.reading() as tx:
                why = unfit(tx, owner)
            if why:
                return Skipped(found.ref, f"its folder names no agent: {owner!r} {why}", ends=False)
        if found.named:
            self._seat.require(Act.RECORD, Matter(owner=owner))
        elif not self._writes_for(owner):
            return Skipped(found.ref, f"belongs to {owner}", ends=False)
        return _Home(owner, Scope.AGENT)

    def _refuse_unknown_folder(self) -> None:
        """A note is believed for the folder it stands in, so a person has said before that it is the project's."""
        if self._is_known is None:
            self._is_known = may(self._seat.actor, Act.SET_UP) or bool(_known_roots(self._seat))
        if not self._is_known:
            raise folderless(self._seat.project)

    def _home_of_any(self, found: Found) -> _Home | Skipped:
        """A file outside of the note folders is the acting agent's. Nobody has to say whose no text is."""
        if self._agent is not None:
            return _Home(self._agent, self._scope)
        document = files.read(found)
        if isinstance(document, Skipped):
            return document
        raise Invalid(NO_AGENT)

    def _writes_for(self, owner: str) -> bool:
        return may(self._seat.actor, Act.RECORD, Matter(owner=owner))

    def _may_follow(self, text: _Text) -> bool:
        """Whether the memories of this file may be changed. A note of the team has whoever indexes it for its owner."""
        # Services bring files in step for all agents, as they record for all of them.
        is_service = Role.SERVICE in self._seat.actor.roles
        return is_service or may(self._seat.actor, Act.EDIT_MEMORY, Matter(owner=text.home.owner))

    def _holds(self, text: _Text, one: Memory) -> bool:
        """Whether the memory is one of the file's: its owner's, and for a note of the team anybody's."""
        if is_shared(text.ref) and one.scope is Scope.TEAM and is_shared(one.source_ref or ""):
            return True
        is_owners = key_of(one.agent) == key_of(text.home.owner)
        return is_owners and (one.scope is Scope.TEAM or self._writes_for(one.agent))

    def _index(self, found: Found, home: _Home) -> NoteFile | Skipped:
        document = files.read(found)
        if isinstance(document, Skipped):
            with self._seat.reading() as tx:
                self._lost.give_up(tx, document)
            return document
        try:
            chunks, waits, redacted = self._screened(found.ref, document)
        except GuardRefused as refusal:
            return Skipped(found.ref, refusal.message.rstrip("."), ends=False, refused=True)
        text = _Text(found.ref, home, chunks, self._origins.told(found.ref, found.base), waits, redacted)
        with self._seat.reading() as tx:
            text = self._without_forgotten(tx, self._owned(tx, text))
            now = lived_until(tx)
            is_new = all(one.is_expired(now) for one in self._known(tx, text))
            was, moved = self._renamed(text) if is_new else _NO_FILE
            plan = self._plan(tx, text, moved)
            if plan.is_settled(text, now):
                # A write would wait for the lock and for the disk, for every file that nobody touched.
                return row(text.ref, NoteStatus.UNCHANGED, text.remark, plan.followed, kept=len(text.chunks))
            if not self._may_follow(text):
                return _kept(text, plan, now)
            before = {one.content for one in plan.known}
        # Between the transactions: neither a view of the database nor the only write lock is held meanwhile.
        fresh = dict.fromkeys(one.content for one in text.chunks if one.content not in before)
        packed = dict(prepare_ahead(self._seat, *fresh))
        if was is not None:
            self._lost.found_again(was, moved)
        return self._write(text, packed, was, moved)

    def _screened(self, ref: str, document: str) -> tuple[tuple[Chunk, ...], frozenset[str], tuple[str, ...]]:
        """The chunks as they may be stored, for a file may hold what a memory must not; which of them wait, and the
        kinds of what was taken out."""
        refuse_marks({"its path": ref})
        # Before it is cut: of a long secret only the piece with its beginning would be known again.
        changed, whole = screen_texts(self._seat, {"its text": document})
        chunks, parts = screen_all(self._seat, notes.chunks(str(changed.get("its text", document))))
        found = (*whole.found, *(one for part in parts.values() for one in part.found))
        if not found:
            return tuple(chunks), frozenset(), ()
        waits = (one.content for one in chunks if waiting(self._seat, one.content).waits)
        return tuple(chunks), frozenset(map(memories.clean_content, waits)), tuple(sorted({one.kind for one in found}))

    def _owned(self, tx: Transaction, text: _Text) -> _Text:
        """The text with the owner that it has already: a file of the team stays with the one who indexed it."""
        if text.home.scope is not Scope.TEAM or is_shared(text.ref):
            return text
        now = lived_until(tx)
        live = [one for one in tx.memories.of_file(text.ref) if not one.is_expired(now)]
        owners = [one.agent for one in live if one.scope is Scope.TEAM]
        if not owners or key_of(text.home.owner) in map(key_of, owners):
            return text
        return text._replace(home=_Home(owners[0], Scope.TEAM))

    def _without_forgotten(self, tx: Transaction, text: _Text) -> _Text:
        """The text without what somebody forgot: the file says it still, but it is not to be remembered again."""
        marks = [memories.file_mark(tx.project_id, one.content) for one in text.chunks]
        gone = tx.memories.with_digests(marks, forgotten=True)
        if not gone:
            return text
        kept = [
            one
            for one, mark in zip(text.chunks, marks, strict=True)
            if not any(_was_in(text.home, grave) for grave in gone.get(mark, ()))
        ]
        return text._replace(chunks=tuple(kept), forgotten=text.forgotten + len(marks) - len(kept))

    def _known(self, tx: Transaction, text: _Text) -> list[Memory]:
        return [one for one in tx.memories.of_file(text.ref) if self._holds(text, one)]

    def _plan(self, tx: Transaction, text: _Text, moved: Sequence[Memory]) -> _Plan:
        known = [*still(tx, moved), *self._known(tx, text)]
        olds = [Known(normalised(one.content), one.position or 0, one.is_ended, _heading(one)) for one in known]
        said = [normalised(one.content) for one in text.chunks]
        return _Plan(known, notes.align(olds, said, [one.heading for one in text.chunks]))

    def _renamed(self, text: _Text) -> tuple[str | None, tuple[Memory, ...]]:
        """The missing file that this new one is, and its memories: at least half of the chunks are the same."""
        # Moving a private file to the team's folder shares it, if the one who indexes may write for its owner.
        shares = text.home.scope is Scope.TEAM
        said = {normalised(one.content) for one in text.chunks}
        best, most = _NO_FILE, 0
        for ref, known in self._lost.like(said):
            mine = tuple(one for one in known if self._holds(text, one) or (shares and self._writes_for(one.agent)))
            same = sum(normalised(one.content) in said for one in mine)
            if same > most and same * 2 >= max(len(mine), len(text.chunks)):
                best, most = (ref, mine), same
        return best

    def _write(self, text: _Text, packed: Packed, was: str | None, moved: Sequence[Memory]) -> NoteFile:
        with self._seat.writing() as tx:
            # Somebody else may have indexed the file for the team meanwhile, or forgotten something.
            text = self._without_forgotten(tx, self._owned(tx, text))
            plan, now = self._plan(tx, text, moved), lived_until(tx)
            if not self._may_follow(text):
                return _kept(text, plan, now)
            known, links = plan
            was_live = any(not one.is_expired(now) for one in known)
            linked = [(known[link], _said(known[link], text, place, now)) for place, link in _linked(links)]
            edited = sum(self._follow(tx, text, before, said, packed) for before, said in linked)
            created = self._create(tx, text, [place for place, link in enumerate(links) if link is None], packed)
            gone = [one for place, one in enumerate(known) if place not in set(links)]
            ended = end(tx, self._seat, gone, mended=True)
        fill_vectors(self._seat)
        status = NoteStatus.CHANGED if created or edited or ended else NoteStatus.UNCHANGED
        status = NoteStatus.MOVED if was is not None else status if was_live else NoteStatus.NEW
        kept = len(links) - len(created) - edited
        return row(
            text.ref, status, text.remark if was is None else f"was {was}", [*(said for _, said in linked), *created],
            created=len(created), edited=edited, kept=kept, ended=len(ended),
        )  # fmt: skip

    def _follow(self, tx: Transaction, text: _Text, before: Memory, said: Memory, packed: Packed) -> bool:
        """Writes what changed of a memory down, if anything did, and says whether its text did."""
        if said == before:
            return False
        after, seq = said._replace(version=before.version + 1, updated_at=tx.now), tx.memories.seq_of(before.id)
        if before.content != after.content or overreaches(before, after):
            (after,) = repeated(tx, self._seat, [judged_file(self._seat, after, tx.now)])
            # What a person let out has the sign no more, and moving its file does not make it wait again.
            if before.content != after.content or SECRET_SIGN in before.signs:
                after = _asked(text, after, tx.now)
        tx.memories.update(after)
        if after.is_quarantined:
            tx.units.drop(seq)
        elif before.content == after.content and not before.is_quarantined:
            tx.units.touch(seq)
        else:
            tx.units.replace(seq, self._units(tx, after.content, packed), model_for_writing(tx, self._seat))
        chronicle.changed(tx, self._seat.actor, _deed(before, after), Subject.MEMORY, before, after, text.origin)
        return normalised(before.content) != normalised(after.content)

    def _create(self, tx: Transaction, text: _Text, places: Sequence[int], packed: Packed) -> list[Memory]:
        made: list[Memory] = []
        for place in places:
            note = memories.note(
                text.chunks[place].content, agent=text.home.owner, scope=text.home.scope, source=Source.FILE_INDEX,
                name=text.name(place), position=place,
            )  # fmt: skip
            made.append(judged_file(self._seat, memory_of(tx, note._replace(source_ref=text.ref)), tx.now))
        made = [_asked(text, one, tx.now) for one in repeated(tx, self._seat, made)]
        # An agent that points at a file has read it; the notes of a folder are the team's.
        note_outside(tx, ((one.origin, None, one.agent) for one in made if is_from_outside(one) and not is_note(one)))
        insert_indexed(tx, self._seat, made, [self._units(tx, one.content, packed) for one in made])
        chronicle.created(tx, self._seat.actor, "memory.recorded", Subject.MEMORY, made, text.origin)
        return made

    def _units(self, tx: Transaction, content: str, packed: Packed) -> tuple[PackedUnit, ...]:
        """The units made before the write, or made now because somebody changed the memories meanwhile."""
        if content not in packed:
            packed[content] = prepare_units(tx, self._seat, [content])[0]
        return packed[content]


def _asked(text: _Text, one: Memory, now: int) -> Memory:
    """The memory, waiting if a secret was taken out of it. Who names a file vouches for no more than was seen."""
    if one.content not in text.waits:
        return one
    return held(one._replace(cleared=None), Screened(waits=True), now)


def _shareable(one: NoteFile) -> NoteFile:
    """A line of the report as it may be shown: the name of a file is anybody's word, and may be a secret."""
    return one._replace(path=safe(one.path), reason=one.reason and safe(one.reason))


def _was_in(home: _Home, grave: Memory) -> bool:
    """Whether the forgotten memory would be one of this home: its owner's, or one of the team's as all of these."""
    if home.scope is Scope.TEAM and grave.scope is Scope.TEAM:
        return True
    return key_of(home.owner) == key_of(grave.agent)


def _linked(links: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    return ((place, link) for place, link in enumerate(links) if link is not None)


def _heading(one: Memory) -> str:
    return notes.heading_of(one.name or "", PurePosixPath(one.source_ref or "").stem)


def _kept(text: _Text, plan: _Plan, now: int) -> NoteFile:
    """The file says something else now, but its memories are another agent's and stay as they are."""
    live = [one for one in plan.known if not one.is_expired(now)]
    return row(text.ref, NoteStatus.SKIPPED, KEPT.format(text.home.owner), live, kept=len(live))


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
    unshared = is_shared(before.source_ref or "")
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
