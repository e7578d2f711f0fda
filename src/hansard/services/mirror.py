"""Mirrors a project into files below its folder, and brings proposals from files into the record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hansard.domain import mirror
from hansard.domain.errors import FolderGone, HansardError, Invalid, ProjectExists
from hansard.domain.inbox import Entry
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.mirror import ExportReport, Failed, ImportReport, SetAside, State
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act
from hansard.domain.projects import Root
from hansard.domain.vocabulary import Subject
from hansard.services import found
from hansard.services.admission import allowed_in, presentable
from hansard.services.adopt import adopt_files, has_news, printable, reason_of
from hansard.services.read_lines import FILE_BYTES_MAX
from hansard.services.recognise import Joint
from hansard.services.reunite import agents_here, announced, is_news, local_from, offered, reunite
from hansard.services.seat import Seat
from hansard.settings import data_folder
from hansard.store.filters import DecisionFilter, EntryFilter, MemoryFilter
from hansard.workspace import roots
from hansard.workspace.files import Enclosure, displaced_name, placed_name, refuse_link
from hansard.workspace.mirror import LOCK, LOCK_WAIT_SECONDS, MANIFEST, Manifest, agent_folders, histories, lock

if TYPE_CHECKING:
    from hansard.services.backup import Progress
    from hansard.store.ports import Transaction

Item = TypeVar("Item")
POSITION_DIGITS_MAX = 18


def home(seat: Seat, root: str | Path | None = None) -> Path:
    """The project's folder on this machine: the one we stand in, else the first one; or the one that is named.

    Raises Denied if somebody but a person or a service names a folder that is none of the project's, and Invalid if it
    is gone, or a link is on the way to one of the project's: it was registered without, so somebody else's folder is
    at the end.
    """
    machine = roots.machine_id(data_folder())
    registered = [one.path for one in found.roots_of(seat.store, seat.project) if one.machine == machine]
    if root is not None:
        if not isinstance(root, str | Path):
            raise Invalid(f"root must be the path of a folder, not {type(root).__name__}.")
        if os.path.abspath(root) in registered:  # noqa: PTH100 - links must not be resolved
            refuse_link(Path(os.path.abspath(root)))  # noqa: PTH100
        chosen = roots.resolved(Path(root))
        if str(chosen) not in registered:
            seat.require(Act.SET_UP)
            return chosen
        refuse_vanished(chosen, seat.project.key)
        return chosen
    start = roots.standing()
    here = [] if start is None else [str(folder) for folder in roots.candidates(start)]
    known = [folder for folder in here if folder in registered] or registered
    if not known:
        raise found.folderless(seat.project)
    refuse_link(Path(known[0]))
    refuse_vanished(Path(known[0]), seat.project.key)
    return Path(known[0])


def is_vanished(folder: Path) -> bool:
    """Whether a folder is not there any more. One that may not be looked at may be there."""
    try:
        return not folder.is_dir()
    except OSError:
        return False


def vanished(folder: Path, key: str) -> tuple[str, str]:
    """What to say of a project's folder that is not there any more, and what to do about it."""
    return f"{folder} is gone.", f"If it was moved, run `hansard init --project {key} --join` where it is now."


def refuse_vanished(folder: Path, key: str) -> None:
    if is_vanished(folder):
        raise FolderGone(" ".join(vanished(folder, key)))


def export(
    seat: Seat,
    root: str | Path | None = None,
    *,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    progress: Progress | None = None,
) -> ExportReport:
    """Brings the files of the mirror in step with the record. What others wrote is imported or set aside, never lost.

    A file that cannot be written does not stop the others; it is in the report. Raises Invalid if there is no such
    folder, and MirrorBusy if another process writes it for longer than the wait.
    """
    seat.require(Act.READ)
    place = home(seat, root)
    _refuse_foreign(seat, place)
    with Enclosure(place, unlinked=True) as files:
        try:
            handle = lock(files, wait_seconds=wait_seconds)
        except (OSError, Invalid) as error:
            # Without the lock nothing is written: two writers at once would set each other's files aside.
            return ExportReport(str(place), failed=(Failed(LOCK, reason_of(error, LOCK)),))
        try:
            return _Export(seat, files, progress).run()
        finally:
            os.close(handle)


def _refuse_foreign(seat: Seat, place: Path) -> None:
    """One folder shows one project: another one's files would be taken for edits by hand."""
    owner = found.find_by_root(seat.store, Root(roots.machine_id(data_folder()), str(place)))
    if owner is not None and owner.id != seat.project.id:
        raise ProjectExists(f"{place} belongs to the project {owner.key!r}; its files are not written over.")


def import_inbox(seat: Seat, root: str | Path | None = None, *, progress: Progress | None = None) -> ImportReport:
    """Takes in what other clones wrote to the ledger files, and what the files of the inbox folder propose.

    No file changes, and nothing of the record is lost: what another clone changed since is kept as an earlier version.
    """
    seat.require(Act.READ)
    with Enclosure(home(seat, root), unlinked=True) as files:
        ledger = reunite(seat, files)
        with seat.reading() as tx:
            manifest = believed(tx, Manifest.load(files))
        joint = Joint(seat, files, manifest)
        adoption = adopt_files(seat, files, {}, announced(seat, files), progress, joint.made)
        return adoption.report._replace(ledger=ledger)


def import_new(seat: Seat) -> ImportReport:
    """Takes in what the inbox folder of the project proposes, and leaves the ledger of other clones to an import.

    For the start of work: quick if nothing is new, and nothing if the project has no folder here.
    """
    seat.require(Act.READ)
    with suppress(Invalid), Enclosure(home(seat), unlinked=True) as files:
        with seat.reading() as tx:
            ours = believed(tx, Manifest.load(files)).standing(files)
        if has_news(files, ours):
            return adopt_files(seat, files, ours, announced(seat, files)).report
    return ImportReport()


def adopt_new(seat: Seat) -> None:
    """Takes in what is new when work starts. Work starts all the same if that fails; a later import tells of it."""
    with suppress(HansardError):
        import_new(seat)


class _Export:
    """One export into one folder, by whoever holds its lock."""

    def __init__(self, seat: Seat, files: Enclosure, progress: Progress | None = None) -> None:
        self._seat = seat
        self._files = files
        self._progress = progress
        with seat.reading() as tx:
            self._before = self._saved = believed(tx, Manifest.load(files))
        self._ours: dict[str, str] = self._before.standing(files)
        self._joint = Joint(seat, files, self._before)
        self._intended: dict[str, tuple[str, ...]] = {}
        self._kept: dict[str, str] = {}
        self._now = 0
        self._written: list[str] = []
        self._unchanged: list[str] = []
        self._removed: list[str] = []
        self._set_aside: list[SetAside] = []
        self._failed: list[Failed] = []
        self._waiting: list[Failed] = []

    def run(self) -> ExportReport:
        project = self._seat.project.id
        joint = self._joint.made
        adoption = adopt_files(self._seat, self._files, dict(self._ours), self._announced(), self._progress, joint)
        self._ours |= adoption.whole
        with self._seat.reading() as tx:
            self._now = tx.now
            state, position = _stamp(tx), tx.ledger.head()[0]
            if not adoption.whole and not adoption.stale and self._is_settled(project, state):
                unchanged = tuple(self._ours)
                return ExportReport(
                    str(self._files.root), unchanged=unchanged, inbox=adoption.report, position=position
                )
            shown = state_of(self._seat, tx)
        texts = mirror.rendered(shown)
        self._joint.look()
        self._leave_waiting(shown, texts)
        self._intend(project, state, texts)
        self._sweep_all(texts)
        for done, (path, data) in enumerate(texts.items()):
            self._attempt(path, partial(self._put, path, data))
            if self._progress is not None:
                self._progress("export", done + 1, len(texts))
        for path in sorted(set(self._ours) - set(texts)):
            self._attempt(path, partial(self._clear, path))
        for path in (*adoption.stale, *self._strays((*texts, *self._ours))):
            self._attempt(path, partial(self._put_aside, path))
        self._remember(project, state)
        return ExportReport(
            str(self._files.root), tuple(self._written), tuple(self._unchanged), tuple(self._removed),
            tuple(self._set_aside), tuple(self._failed), adoption.report, position, tuple(self._waiting),
        )  # fmt: skip

    def _is_foreign(self, path: str) -> bool:
        """Whether somebody else wrote the file since the last export. One that cannot be read is told later."""
        try:
            there = self._files.digest(path)
        except (OSError, Invalid):
            return False
        return there is not None and there not in self._before.all_of(path)

    def _announced(self) -> frozenset[tuple[str, str]]:
        foreign = self._is_foreign(mirror.LEDGER[Subject.ENTRY])
        return announced(self._seat, self._files) if foreign else frozenset()

    def _leave_waiting(self, shown: State, texts: dict[str, bytes]) -> None:
        """Takes ledger files out of the export while they have lines that the record does not know.

        A pull brought them. They are all that this clone has of what others made, so nothing is written over them.
        """
        foreign = {kind: path for kind, path in mirror.LEDGER.items() if self._is_foreign(path)}
        data: dict[Subject, bytes] = {}
        for kind, path in foreign.items():
            try:
                data[kind] = self._files.read(path, bytes_max=FILE_BYTES_MAX) or b""
            except (OSError, Invalid) as error:
                self._failed.append(Failed(path, reason_of(error)))
        if not any(said != texts.get(foreign[kind]) for kind, said in data.items()):
            return
        with self._seat.reading() as tx:
            # Judged as an import judges: what that refuses must not be waited for here.
            local = local_from(
                {one.id: one for one in shown.decisions},
                {one.id: one for one in (*shown.entries, *shown.held) if isinstance(one, Entry)},
                {one.id: one for one in (*shown.memories, *shown.held) if isinstance(one, Memory)},
                agents_here(tx),
            )
            offer = offered(local, data)
        waits = is_news(local, offer)
        for kind, path in foreign.items():
            if waits:
                # All or none: lines of one file name those of another.
                reason = "another clone's lines are in it that are not taken in yet; run `hansard import`"
                self._waiting.append(Failed(path, reason))
            elif not offer.faults.get(kind) and not any(one.kind is kind for one, _ in offer.refused):
                # Every line of it is in the record, so it need not be set aside.
                self._ours[path] = mirror.digest(data.get(kind, b""))
        if waits:
            for path in mirror.LEDGER.values():
                texts.pop(path, None)
                self._ours.pop(path, None)

    def _is_settled(self, project: str, state: str) -> bool:
        """Whether every file is as it was exported from this very state."""
        if (self._before.project, self._before.state) != (project, state):
            return False
        try:
            same = all(self._files.digest(path) == one for path, one in self._ours.items())
        except (OSError, Invalid):
            return False
        return same and not self._strays(self._ours)

    def _strays(self, known: Iterable[str]) -> list[str]:
        """Files at places of the mirror that neither the record nor the last export knows, as an old branch has them.

        They may hold what was forgotten since.
        """
        return sorted(set(histories(self._files)) - set(known))

    def _attempt(self, path: str, work: Callable[[], None]) -> None:
        try:
            work()
        except (OSError, Invalid) as error:
            self._failed.append(Failed(printable(path), reason_of(error, path)))
            # What is there now may still be ours; the next export tries again.
            if path in self._ours and mirror.is_mirror_path(path):
                self._kept[path] = self._ours[path]
        else:
            self._intended.pop(path, None)

    def _put(self, path: str, data: bytes) -> None:
        wanted, there = mirror.digest(data), self._files.digest(path)
        if there == wanted:
            self._unchanged.append(path)
        else:
            if there is not None and there != self._ours.get(path) and self._waiting:
                # It came with lines that are not taken in yet; after that it may be what would be written anyway.
                self._waiting.append(Failed(path, "it follows when the ledger is taken in"))
                return
            if there is not None and there not in self._before.all_of(path) and self._joint.made(path):
                self._ours[path] = there
            displaced = self._files.swap(path, data)
            if displaced is not None:
                self._settle(path, displaced)
            self._written.append(path)
        self._kept[path] = wanted

    def _clear(self, path: str) -> None:
        """Takes away what the mirror no longer has. A changed proposal stays where it is: nothing is written there."""
        there = self._files.digest(path)
        if there is None:
            return
        if there != self._ours[path] and mirror.is_entry_path(path):
            return
        # Somebody may have saved it since that look. What was moved away is looked at, and nobody writes to it.
        self._settle(path, self._files.take_away(path))
        self._removed.append(printable(path))

    def _put_aside(self, path: str) -> None:
        """Sets a file aside in whose place there is to be none."""
        if self._waiting:
            self._waiting.append(Failed(path, "it follows when the ledger is taken in"))
        elif self._files.digest(path) is not None:
            self._settle(path, self._files.take_away(path))

    def _sweep_all(self, texts: Mapping[str, bytes]) -> None:
        """Clears up behind an export that was killed, wherever it may have moved a file out of the way."""
        moved: dict[str, str] = {}
        for path in (*texts, *self._ours, *self._before.intended):
            folder, _, name = path.rpartition("/")
            moved[f"{folder}/{displaced_name(name)}"] = path
        folders = {one.rpartition("/")[0] for one in (*moved, MANIFEST)}
        for folder in sorted(folders | {mirror.INBOX_FOLDER, *agent_folders(self._files)}):
            # A folder that cannot be opened is told of with its files.
            with suppress(OSError, Invalid):
                self._sweep(folder, moved)

    def _sweep(self, folder: str, moved: Mapping[str, str]) -> None:
        """Drops what an export moved away if it was ours, and keeps it else. `moved` are places by where it is now."""
        for name in self._files.sweep(folder):
            displaced = f"{folder}/{name}"
            path = moved.get(displaced, f"{folder}/{placed_name(name)}")
            if mirror.is_mirror_path(path) or mirror.is_entry_path(path):
                self._settle(path, displaced)

    def _settle(self, path: str, displaced: str) -> None:
        """Decides about what stood in the place of a file: our own goes, and what somebody else wrote is kept."""
        try:
            there = self._files.digest(displaced)
        except (OSError, Invalid):
            there = ""
        known = {self._ours.get(path), *self._intended.get(path, ()), *self._before.all_of(path)}
        if there is None:
            return
        if there in known:
            self._files.remove(displaced)
        else:
            self._keep(path, displaced)

    def _keep(self, path: str, displaced: str) -> None:
        folder, _, name = path.rpartition("/")
        clean = self._cleaned(displaced)
        attempt = 1
        while True:
            kept = mirror.kept_name(name, self._now, attempt)
            try:
                if clean is None:
                    self._files.move(displaced, kept)
                else:
                    self._files.replace(displaced, kept, clean)
            except FileExistsError:
                attempt += 1
            else:
                self._set_aside.append(SetAside(path, f"{folder}/{kept}", clean is not None))
                return

    def _cleaned(self, path: str) -> bytes | None:
        """What a file says without its secrets; None if it has none. Nothing that we keep holds one."""
        from hansard.services.look_into import without_secrets

        try:
            data = self._files.read(path, bytes_max=FILE_BYTES_MAX + 1)
        except (OSError, Invalid):
            data = None
        # What is larger than any file of a mirror is kept as it is; a scan names it.
        return None if not data or len(data) > FILE_BYTES_MAX else without_secrets(data, allowed_in(self._seat))

    def _intend(self, project: str, state: str, texts: dict[str, bytes]) -> None:
        """Notes what is going to be written before the first file is.

        Else an export that is killed would leave files that the next one takes for somebody else's and sets aside,
        with words in them that may have been forgotten since.
        """
        for path, data in texts.items():
            wanted = mirror.digest(data)
            if self._ours.get(path) != wanted:
                self._intended[path] = tuple(sorted({*self._before.intended.get(path, ()), wanted}))
        # Without a state, so that what is left behind is looked for even if every file says what it should.
        meant = {**self._before.intended, **self._intended}
        noted = Manifest(project, "", self._before.files, state.partition(":")[2], meant)
        if noted != self._saved:
            # What cannot be noted is told of at the end, where it is tried again.
            with suppress(OSError, Invalid):
                noted.save(self._files)
                self._saved = noted

    def _remember(self, project: str, state: str) -> None:
        head = state.partition(":")[2]
        done = Manifest(project, "" if self._failed or self._waiting else state, self._kept, head, self._intended)
        try:
            if done != self._saved:
                done.save(self._files)
        except (OSError, Invalid) as error:
            self._failed.append(Failed(MANIFEST, reason_of(error)))


def state_of(seat: Seat, tx: Transaction) -> State:
    """What a mirror shows, from one state of the record. No secret leaves with it, whatever was stored once."""
    decisions = _all(lambda window: tx.decisions.page(DecisionFilter(), window))
    entries = _all(lambda window: tx.inbox.page(EntryFilter(), window))
    memories = _all(lambda window: tx.memories.page(MemoryFilter(forgotten=True), window))
    session = tx.sessions.current() or next(iter(tx.sessions.page(Window(1)).items), None)
    allowed = allowed_in(seat, tx)
    return State(
        presentable(decisions, allowed), presentable(entries, allowed), presentable(memories, allowed),
        presentable([session], allowed)[0] if session else None,
        held=[*_all(lambda window: tx.inbox.page(EntryFilter(quarantined=True), window)),
              *_all(lambda window: tx.memories.page(MemoryFilter(quarantined=True), window))],
    )  # fmt: skip


def _all(page: Callable[[Window], Page[Item]]) -> list[Item]:
    """Every item, oldest first."""
    items: list[Item] = []
    cursor: str | None = None
    while True:
        found_ = page(Window(PAGE_ITEMS_MAX, cursor))
        items += found_.items
        cursor = found_.next_cursor
        if cursor is None:
            return items[::-1]


def believed(tx: Transaction, kept: Manifest) -> Manifest:
    """What was kept of the last export, if it was one of this very record.

    A list that another project left says nothing of these files. Neither does one that was made of a later state than
    the record is in: a backup was restored, and the files hold what the record has lost.
    """
    if kept.project != tx.project_id:
        return Manifest()
    seq, _, hash_ = kept.head.partition(":")
    if seq.isascii() and seq.isdigit() and len(seq) <= POSITION_DIGITS_MAX:
        event = tx.ledger.get(int(seq))
        if event is None or event.hash.hex() != hash_:
            return Manifest()
    return kept


def _stamp(tx: Transaction) -> str:
    """What tells one state from another: every change of what a mirror shows is an event of the history."""
    seq, hash_ = tx.ledger.head()
    return f"{mirror.LAYOUT_VERSION}:{seq}:{bytes(hash_).hex()}"
