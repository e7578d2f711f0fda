"""Owns which files are notes and how they are read: nothing outside the root that nobody named, nothing hidden."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hansard.domain import text
from hansard.domain.errors import Invalid
from hansard.domain.limits import PATH_BYTES_MAX
from hansard.workspace.ignored import IGNORE_FILE, IGNORE_FILE_BYTES_MAX, Ignored
from hansard.workspace.roots import resolved

HANSARD_FOLDER = ".hansard"
NOTES_FOLDER = f"{HANSARD_FOLDER}/notes"
SHARED_FOLDER = "shared"
NOTE_FILE_BYTES_MAX = 1_048_576
BINARY_PROBE_BYTES = 8_192

BINARY = "binary"
NOT_UTF8 = "not UTF-8 text"
TOO_LARGE = f"larger than {NOTE_FILE_BYTES_MAX:,} bytes"
IGNORED = f"ignored by {IGNORE_FILE}"
HIDDEN = "hidden"
LEADS_OUT = "a link that leads out of the project"
FOLDER_LINK = "a link to a folder"
NOT_PLAIN = "not a plain file"
UNUSABLE_NAME = "its name is not usable text"
UNREADABLE = "cannot be read"
EMPTY = "empty"
GONE = "the file is gone"

Snapshot = Mapping[str, tuple[int, int, int]]
"""What tells that a file changed: its size, time and number on disk, by its path."""


class Found(NamedTuple):
    """A file to index: where it is, and the name its memories go by."""

    path: Path
    ref: str
    named: bool


class Skipped(NamedTuple):
    """A file that is not indexed, and why. What was indexed of it before ends, unless it may be there unchanged."""

    ref: str
    reason: str
    ends: bool = True


class Survey(NamedTuple):
    """What there is to index, what is left out, and the folders that were looked through."""

    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]
    folders: tuple[str, ...]


def note_folder(ref: str) -> str | None:
    """The agent whose note folder the file is in, or the shared one; None for any other file."""
    parts = PurePosixPath(ref).parts
    inside = parts[: len(PurePosixPath(NOTES_FOLDER).parts)] == PurePosixPath(NOTES_FOLDER).parts
    return parts[2] if inside and len(parts) > 3 else None


def survey(paths: Sequence[str | Path], root: Path) -> Survey:
    """The files of these files and folders; without any, of the note folders. Raises Invalid if one is missing."""
    root = resolved(root)
    walk = _Walk(root)
    if not paths:
        walk.folders.append(f"{NOTES_FOLDER}/")
        walk.follow_notes()
    for path in paths:
        if not _exists(path):
            raise Invalid(f"There is no file or folder {str(path)[:200]!r}.")
    for path in paths:
        walk.follow(Path(path))
    files = sorted(walk.files.values(), key=lambda one: one.ref)
    skipped = sorted(one for ref, one in walk.skipped.items() if ref not in walk.files)
    return Survey(tuple(files), tuple(skipped), tuple(dict.fromkeys(walk.folders)))


def read(found: Found) -> str | Skipped:
    """The file's text, or why it is not indexed."""
    try:
        data = _plain(found.path, bytes_max=NOTE_FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return Skipped(found.ref, GONE)
    except OSError as error:
        return Skipped(found.ref, f"{UNREADABLE}: {error.strerror}", ends=False)
    if data is None:
        return Skipped(found.ref, NOT_PLAIN)
    if b"\0" in data[:BINARY_PROBE_BYTES]:
        return Skipped(found.ref, BINARY)
    if len(data) > NOTE_FILE_BYTES_MAX:
        return Skipped(found.ref, TOO_LARGE)
    try:
        document = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Skipped(found.ref, NOT_UTF8)
    if "\0" in document:
        return Skipped(found.ref, BINARY)
    return document if document.strip() else Skipped(found.ref, EMPTY)


def is_gone(root: Path, ref: str) -> bool:
    """Whether there is no such file any more. What cannot be looked at counts as still there."""
    try:
        return stat.S_ISDIR((resolved(root) / ref).lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def snapshot(paths: Sequence[str | Path], root: Path) -> Snapshot:
    """How the files look now, to be compared with how they look later. Named paths may be missing."""
    present = [path for path in paths if _exists(path)]
    seen: dict[str, tuple[int, int, int]] = {}
    for found in survey(present, root).files if present or not paths else ():
        try:
            status = found.path.stat()
        except OSError:
            continue
        seen[str(found.path)] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return seen


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


class _Walk:
    """One look through files and folders, each file met once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, Found] = {}
        self.skipped: dict[str, Skipped] = {}
        self.folders: list[str] = []
        self._rules = _rules(root)

    def follow(self, path: Path) -> None:
        """What the user named: a file, or a folder with all that is below."""
        # Not resolved: that would follow the link that has to be noticed.
        named = Path(os.path.abspath(path))  # noqa: PTH100
        real = resolved(path)
        inside = _within(real, self.root)
        if not inside and any(_within(resolved(one), self.root) for one in named.parents):
            self._skip(named, LEADS_OUT)
        elif self._hidden(real, self.root if inside else real) - set(named.parts) or self._is_own(real):
            self._skip(named, HIDDEN, ends=False)
        elif inside and self._ignores(real, is_folder=real.is_dir()):
            # A shell's `*` names what is ignored; it never names what is hidden.
            self._skip(real, IGNORED)
        elif real.is_dir():
            ref = self._ref(real)
            self.folders.append("" if ref == "." else f"{ref.rstrip('/')}/")
            self._folder(real, self.root if inside else real)
        else:
            self._file(real, named=True)

    def follow_notes(self) -> None:
        folder = self.root / NOTES_FOLDER
        if folder.is_dir():
            real = resolved(folder)
            if _within(real, self.root):
                self._folder(real, self.root)
            else:
                self._skip(folder, LEADS_OUT)

    def _folder(self, folder: Path, boundary: Path) -> None:
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            try:
                entries = sorted(os.scandir(current), key=lambda entry: entry.name)
            except OSError as error:
                self._skip(current, f"{UNREADABLE}: {error.strerror}", ends=False)
                continue
            for entry in entries:
                try:
                    self._entry(entry, boundary, waiting)
                except (OSError, Invalid):
                    self._skip(Path(entry.path), UNREADABLE, ends=False)

    def _entry(self, entry: os.DirEntry[str], boundary: Path, waiting: list[Path]) -> None:
        path = Path(entry.path)
        real = resolved(path) if entry.is_symlink() else path
        is_folder = entry.is_dir()
        if path == self.root / HANSARD_FOLDER:
            self.follow_notes()
        elif not _within(real, boundary):
            self._skip(path, LEADS_OUT)
        elif _is_hidden(entry.name) or self._hidden(real, path.parent if real == path else boundary):
            if entry.name != ".git":
                self._skip(path, HIDDEN, ends=False)
        elif is_folder and real != path:
            self._skip(path, FOLDER_LINK)
        elif self._ignores(real, is_folder=is_folder):
            self._skip(path, IGNORED)
        elif is_folder:
            waiting.append(real)
        else:
            self._file(real, named=False)

    def _file(self, real: Path, *, named: bool) -> None:
        ref = self._ref(real)
        try:
            text.line(ref, field="path", bytes_max=PATH_BYTES_MAX)
        except Invalid:
            self._skip(real, UNUSABLE_NAME)
            return
        known = self.files.get(ref)
        self.files[ref] = Found(real, ref, named or (known is not None and known.named))

    def _skip(self, path: Path, reason: str, *, ends: bool = True) -> None:
        ref = self._ref(path).encode("utf-8", "backslashreplace").decode()
        self.skipped[ref] = Skipped(ref, reason, ends)

    def _ignores(self, real: Path, *, is_folder: bool) -> bool:
        """Note folders are outside version control as often as not, so its rules do not speak of them."""
        if not _within(real, self.root) or real == self.root or _within(real, self.root / NOTES_FOLDER):
            return False
        return self._rules.ignores(self._ref(real), is_folder=is_folder)

    def _hidden(self, real: Path, boundary: Path) -> set[str]:
        """The hidden names on the way from the boundary; the note folders themselves are not hidden."""
        notes = self.root / NOTES_FOLDER
        start = notes if _within(real, notes) and not _within(boundary, notes) else boundary
        return {one for one in real.relative_to(start).parts if _is_hidden(one)}

    def _is_own(self, real: Path) -> bool:
        """Settings and the like, which may hold secrets."""
        return _within(real, self.root / HANSARD_FOLDER) and not _within(real, self.root / NOTES_FOLDER)

    def _ref(self, path: Path) -> str:
        return (path.relative_to(self.root) if _within(path, self.root) else path).as_posix()


def _is_hidden(name: str) -> bool:
    """Names that begin with a dot, and the copies that editors leave behind."""
    return name.startswith(".") or name.endswith("~")


def _within(path: Path, folder: Path) -> bool:
    return path == folder or path.is_relative_to(folder)


def _rules(root: Path) -> Ignored:
    try:
        data = _plain(root / IGNORE_FILE, bytes_max=IGNORE_FILE_BYTES_MAX)
    except OSError:
        data = None
    return Ignored((data or b"").decode("utf-8", "replace").splitlines())


def _plain(path: Path, *, bytes_max: int) -> bytes | None:
    """The beginning of a file; None if it is no plain one. A link is not followed, and a pipe not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        return file.read(bytes_max) if stat.S_ISREG(os.fstat(handle).st_mode) else None
