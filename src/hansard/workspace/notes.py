"""Owns which files are notes and how they are read: nothing outside the root that nobody named, nothing hidden."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hansard.domain import text
from hansard.domain.errors import Invalid
from hansard.domain.folders import HANSARD_FOLDER, NOTES_FOLDER
from hansard.domain.limits import PATH_BYTES_MAX
from hansard.workspace import roots
from hansard.workspace.files import read_plain
from hansard.workspace.ignored import Ignored
from hansard.workspace.roots import resolved

NOTE_FILE_BYTES_MAX = 1_048_576
BINARY_PROBE_BYTES = 8_192

BINARY = "binary"
NOT_UTF8 = "not UTF-8 text"
TOO_LARGE = f"larger than {NOTE_FILE_BYTES_MAX:,} bytes"
IGNORED = "ignored by {}"
HIDDEN = "hidden"
LEADS_OUT = "a link that leads out of the project"
FOLDER_LINK = "a link to a folder"
LINK = "a link to {}"
OTHER_TREE = "another work tree of the repository"
NOT_PLAIN = "not a plain file"
UNUSABLE_NAME = "its name is not usable text"
UNREADABLE = "cannot be read"
EMPTY = "empty"
GONE = "the file is gone"

Snapshot = Mapping[str, tuple[int, int, int]]
"""What tells that a file changed: its size, time and number on disk, by its name."""


class Found(NamedTuple):
    """A file to index: where it is, the name its memories go by, and the project's folder in its work tree.

    Named is what the user named itself. If a decisive one turns out to be no text, what was indexed of it ends.
    """

    path: Path
    ref: str
    base: Path
    named: bool
    decisive: bool


class Skipped(NamedTuple):
    """A file that is not indexed, and why. What was indexed of it before ends, unless it may be there unchanged."""

    ref: str
    reason: str
    ends: bool = True
    named: bool = False
    refused: bool = False
    """Whether it is for what it holds, which the guard lets nobody store."""


class Missing(NamedTuple):
    """A path that was named and is not there, and the name that memories of it would go by."""

    path: str
    ref: str


class Survey(NamedTuple):
    """What there is to index, what is left out or missing, and the folders of `home` that were looked through.

    Home is the project's folder in the main checkout, which every work tree has its names from.
    """

    home: Path
    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[Missing, ...]
    folders: tuple[str, ...]


def survey(paths: Sequence[str | Path], root: Path) -> Survey:
    """The files of these files and folders; without any, of the note folders of the root and the main checkout.

    Raises Invalid if the root is no folder.
    """
    root = resolved(root)
    if not root.is_dir():
        raise Invalid(f"There is no folder {str(root)[:200]!r}; the root of a project is one.")
    home = roots.main_place(root)
    look = _Look(home)
    # The tree that one stands in comes first: its file is the one meant if both have it.
    for base in () if paths else dict.fromkeys((root, home)):
        look.walk(base).follow_notes()
    for path in paths:
        # Not resolved: that would follow the link that has to be noticed.
        named = Path(os.path.abspath(path))  # noqa: PTH100
        walk = look.walk(_base(named, home))
        if _exists(path):
            walk.follow(named)
        else:
            look.missing.append(Missing(str(path), walk.ref(resolved(named.parent) / named.name)))
    files = sorted(look.files.values(), key=lambda one: one.ref)
    skipped = sorted(one for ref, one in look.skipped.items() if ref not in look.files)
    return Survey(home, tuple(files), tuple(skipped), tuple(look.missing), tuple(dict.fromkeys(look.folders)))


def read(found: Found) -> str | Skipped:
    """The file's text, or why it is not indexed."""
    try:
        data = read_plain(found.path, bytes_max=NOTE_FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return _unusable(found, GONE)
    except OSError as error:
        return Skipped(found.ref, f"{UNREADABLE}: {error.strerror}", ends=False)
    if data is None:
        return _unusable(found, NOT_PLAIN)
    if b"\0" in data[:BINARY_PROBE_BYTES]:
        return _unusable(found, BINARY)
    if len(data) > NOTE_FILE_BYTES_MAX:
        return _unusable(found, TOO_LARGE)
    try:
        document = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _unusable(found, NOT_UTF8)
    if "\0" in document:
        return _unusable(found, BINARY)
    return document if document.strip() else _unusable(found, EMPTY)


def _unusable(found: Found, reason: str) -> Skipped:
    return Skipped(found.ref, reason, found.decisive, found.named)


def is_gone(folder: Path, ref: str) -> bool:
    """Whether the folder has no such file any more. What cannot be looked at counts as still there."""
    try:
        return stat.S_ISDIR((folder / ref).lstat().st_mode)
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
        seen[found.ref] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return seen


def watched(paths: Sequence[str | Path], root: Path) -> list[Path]:
    """Where changes of these files show: the named paths, or the note folders of the project."""
    return [Path(path) for path in paths] or [root / NOTES_FOLDER]


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _base(named: Path, home: Path) -> Path:
    """The project's folder in the work tree that the path is in."""
    at = resolved(named.parent) / named.name
    base = roots.place_in_tree(home, at.parent if at.is_symlink() else at)
    return base if _within(at, base) else roots.place_in_tree(home, resolved(named))


class _Look:
    """One look through files and folders of a project, each file met once, whichever work tree it is in."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.files: dict[str, Found] = {}
        self.skipped: dict[str, Skipped] = {}
        self.missing: list[Missing] = []
        self.folders: list[str] = []
        self._walks: dict[Path, _Walk] = {}

    def walk(self, base: Path) -> "_Walk":
        if base not in self._walks:
            self._walks[base] = _Walk(base, self)
        return self._walks[base]


class _Walk:
    """A look through one work tree. A name counts from the project's folder in that tree."""

    def __init__(self, root: Path, look: _Look) -> None:
        self._root = root
        self._notes = root / NOTES_FOLDER
        self._look = look
        self._rules: dict[Path, Ignored] = {self._notes: Ignored(self._notes, alone=True)}

    def follow(self, named: Path) -> None:
        """What the user named: a file, or a folder with all that is below."""
        real = resolved(named)
        inside = _within(real, self._root)
        boundary = self._root if inside else real if real.is_dir() else real.parent
        if not inside and any(_within(resolved(one), self._root) for one in named.parents):
            self._skip(named, LEADS_OUT, named=True)
        elif self._hidden(real, boundary) - set(named.parts) or self._is_own(real):
            self._skip(named, HIDDEN, ends=False)
        elif rules := self._ignored(real, boundary, is_folder=real.is_dir()):
            # A shell's `*` names what is ignored; it never names what is hidden.
            self._skip(real, IGNORED.format(rules), named=True)
        elif real.is_dir():
            ref = self.ref(real)
            self._look.folders.append("" if ref == "." else f"{ref.rstrip('/')}/")
            self._folder(real, boundary)
        else:
            self._file(real, named=True)

    def follow_notes(self) -> None:
        self._look.folders.append(f"{NOTES_FOLDER}/")
        if self._notes.is_dir():
            real = resolved(self._notes)
            if _within(real, self._root):
                self._folder(real, self._root)
            else:
                self._skip(self._notes, LEADS_OUT)

    def _folder(self, folder: Path, boundary: Path) -> None:
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            try:
                entries = sorted(os.scandir(current), key=lambda entry: entry.name)
            except OSError as error:
                self._skip(current, f"{UNREADABLE}: {error.strerror}", ends=False)
                continue
            if current != folder and self._is_other_tree(current, entries):
                self._skip(current, OTHER_TREE, ends=False)
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
        if path == self._root / HANSARD_FOLDER:
            self.follow_notes()
        elif not _within(real, boundary):
            self._skip(path, LEADS_OUT)
        elif _is_hidden(entry.name) or self._hidden(real, path.parent if real == path else boundary):
            if entry.name != ".git":
                self._skip(path, HIDDEN, ends=False)
        elif is_folder and real != path:
            self._skip(path, FOLDER_LINK)
        elif real != path and _within(path, self._notes):
            # Whose it is shows in where a note is; a link could make it another's.
            self._skip(path, LINK.format(self.ref(real)))
        elif rules := self._ignored(real, boundary, is_folder=is_folder):
            self._skip(path, IGNORED.format(rules))
        elif is_folder:
            waiting.append(real)
        else:
            self._file(real, named=False)

    def _file(self, real: Path, *, named: bool) -> None:
        ref = self.ref(real)
        try:
            text.line(ref, field="path", bytes_max=PATH_BYTES_MAX)
        except Invalid:
            self._skip(real, UNUSABLE_NAME)
            return
        known = self._look.files.get(ref)
        if known is None:
            self._look.files[ref] = Found(real, ref, self._root, named, named or self._decides(ref))
        elif named:
            self._look.files[ref] = known._replace(named=True, decisive=True)

    def _skip(self, path: Path, reason: str, *, ends: bool = True, named: bool = False) -> None:
        ref = self.ref(path).encode("utf-8", "backslashreplace").decode()
        self._look.skipped.setdefault(ref, Skipped(ref, reason, ends and (named or self._decides(ref)), named))

    def _decides(self, ref: str) -> bool:
        """Whether a file that cannot be indexed here may end: not while the main checkout has it."""
        return self._root == self._look.home or not os.path.lexists(self._look.home / ref)

    def _is_other_tree(self, folder: Path, entries: Sequence[os.DirEntry[str]]) -> bool:
        """Whether a work tree of a repository begins here whose main checkout is in this project, or holds it."""
        if not any(one.name == ".git" and one.is_file() for one in entries):
            return False
        main = roots.main_checkout(folder)
        return main not in (None, folder) and (_within(main, self._root) or _within(self._root, main))

    def _ignored(self, real: Path, boundary: Path, *, is_folder: bool) -> str | None:
        """The file that has git ignore it. Note folders are outside version control as often as not, so only the
        rules inside them speak of them."""
        if _within(real, self._notes):
            boundary = self._notes
        if real == boundary:
            return None
        if boundary not in self._rules:
            self._rules[boundary] = Ignored(boundary)
        return self._rules[boundary].by(real, is_folder=is_folder)

    def _hidden(self, real: Path, boundary: Path) -> set[str]:
        """The hidden names on the way from the boundary; the note folders themselves are not hidden."""
        start = self._notes if _within(real, self._notes) and not _within(boundary, self._notes) else boundary
        return {one for one in real.relative_to(start).parts if _is_hidden(one)}

    def _is_own(self, real: Path) -> bool:
        """Settings and the like, which may hold secrets."""
        return _within(real, self._root / HANSARD_FOLDER) and not _within(real, self._notes)

    def ref(self, path: Path) -> str:
        return (path.relative_to(self._root) if _within(path, self._root) else path).as_posix()


def _is_hidden(name: str) -> bool:
    """Names that begin with a dot, and the copies that editors leave behind."""
    return name.startswith(".") or name.endswith("~")


def _within(path: Path, folder: Path) -> bool:
    return path == folder or path.is_relative_to(folder)
