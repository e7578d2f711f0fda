"""Owns writing a file so that a reader sees the old bytes or the new ones, and reading none but plain files."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Self

from hansard.domain.errors import FolderLinked, Invalid
from hansard.workspace import renaming

TEMPORARY = ".hansard-"
"""How the name of a file begins that is being written."""
DISPLACED = f"{TEMPORARY}old-"
"""How the name of a file begins that was moved out of the way, until it is known whose it is."""
_SUFFIX = ".tmp"
_NAME_BYTES_MAX = 200


def confined(root: Path, inside: Path) -> Path:
    """The path below the root. Raises Invalid if a link on the way leads anywhere else."""
    path = root / inside
    if path.resolve() != root.resolve() / inside:
        raise Invalid(f"{path} leads out of {root} through a link; nothing is written there.", root)
    return path


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Writes beside the target, flushes, and renames. The folder is made if it is missing.

    A file that is there keeps its mode. A new one that is `private` can be read by its owner alone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    before = stat.S_IMODE(path.stat().st_mode) & 0o777 if path.is_file() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600 if private or before is not None else 0o666), "wb") as handle:
            # Not every disk has modes.
            with suppress(OSError):
                if before is not None:
                    temporary.chmod(before)
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_plain(path: Path, *, bytes_max: int) -> bytes | None:
    """The beginning of a file; None if it is no plain one. A link is not followed, and a pipe not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        return file.read(bytes_max) if stat.S_ISREG(os.fstat(handle).st_mode) else None


def refuse_link(folder: Path) -> None:
    """Raises FolderLinked if a link is on the way to a folder that was registered without one."""
    real = os.path.realpath(folder)
    if real != str(folder):
        raise FolderLinked(f"{folder} leads to {real} through a link; nothing is read or written there.")


def _is_at(handle: int, folder: Path) -> bool:
    """Whether the open folder is the one that stands there without a link. A folder above may have become one."""
    try:
        refuse_link(folder)
        return os.path.samestat(os.fstat(handle), folder.stat())
    except (OSError, Invalid):
        return False


def displaced_name(name: str) -> str:
    """The name of a file that was moved out of the way. A hash stands for a long one, as names have a limit."""
    if len(os.fsencode(name)) > _NAME_BYTES_MAX:
        from hashlib import sha256

        name = f"{sha256(os.fsencode(name)).hexdigest()}.md"
    return f"{DISPLACED}{name}{_SUFFIX}"


def placed_name(displaced: str) -> str:
    """The name that a file had before it was moved out of the way; a hash, if it was a long one."""
    return displaced.removeprefix(DISPLACED).removesuffix(_SUFFIX)


class Enclosure:
    """The files below one folder. Every step of a path is taken without following a link, so none leads out.

    The folders on the way are kept open, so that one that is replaced by a link meanwhile changes nothing.
    `unlinked` refuses a root that is itself reached through a link: it was none when it was registered.
    """

    def __init__(self, root: Path, *, unlinked: bool = False) -> None:
        self.root = root
        self._folders: dict[tuple[str, ...], int] = {}
        if unlinked:
            refuse_link(root)
        try:
            handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if unlinked else 0))
        except (OSError, ValueError):
            raise Invalid(f"{str(root)[:200]} is not a folder that can be opened.", str(root)[:200]) from None
        self._folders[()] = handle
        if unlinked and not _is_at(handle, root):
            os.close(self._folders.pop(()))
            raise Invalid(f"{root} was replaced just now; try again.", root)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._folders.values():
            os.close(handle)
        self._folders.clear()

    def read(self, inside: str, *, bytes_max: int) -> bytes | None:
        """The file, at most so much of it; None if there is none. Raises OSError or Invalid for all but plain files."""
        try:
            with self._plain(inside) as file:
                return file.read(bytes_max)
        except FileNotFoundError:
            return None

    def digest(self, inside: str) -> str | None:
        """The SHA-256 of the file, of any size; None if there is none. Raises what `read` raises."""
        from hashlib import file_digest

        try:
            with self._plain(inside) as file:
                return file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            return None

    def write(self, inside: str, data: bytes) -> None:
        """Replaces the file in one step, whatever it says, and keeps its mode. The folders on the way are made."""
        folder, name = self._place(inside, make=True)
        with self._written(folder, name, data) as temporary:
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)

    def swap(self, inside: str, data: bytes) -> str | None:
        """Puts the file in its place, and returns the path under which what stood there is now; None if nothing did.

        So somebody's save at that very moment is not lost: it is looked at afterwards. Raises FileExistsError if an
        earlier one was never looked at, or somebody saved while there was no file.
        """
        folder, name = self._place(inside, make=True)
        with self._written(folder, name, data) as temporary:
            old = displaced_name(name)
            with suppress(FileExistsError):
                renaming.move(folder, temporary, name)
                return None
            # From here on the name may hold what is not ours, so it is none that is swept away.
            renaming.move(folder, temporary, old)
            if not renaming.exchange(folder, old, name):
                os.rename(old, temporary, src_dir_fd=folder, dst_dir_fd=folder)
                renaming.move(folder, name, old)
                renaming.move(folder, temporary, name)
        return self._beside(inside, old)

    def take_away(self, inside: str) -> str:
        """Moves the file out of the way, and returns where it is now. Raises FileNotFoundError if there is none."""
        folder, name = self._place(inside)
        old = displaced_name(name)
        renaming.move(folder, name, old)
        return self._beside(inside, old)

    def move(self, inside: str, other: str) -> None:
        """Gives the file another name in its folder. Raises FileExistsError if that is taken."""
        folder, name = self._place(inside)
        renaming.move(folder, name, other)

    def replace(self, inside: str, other: str, data: bytes) -> None:
        """Puts other bytes, under another name in its folder, in the place of the file, with its mode.

        Raises FileExistsError if that name is taken.
        """
        folder, name = self._place(inside)
        with self._written(folder, name, data) as temporary:
            renaming.move(folder, temporary, other)
        os.unlink(name, dir_fd=folder)

    def sweep(self, inside: str) -> list[str]:
        """Removes what a writer left half written that was killed, and returns what it moved away, by its name now.

        The caller sees to it that no other one writes.
        """
        left: list[str] = []
        for name in self.names(inside):
            if name.startswith(DISPLACED) and name.endswith(_SUFFIX):
                left.append(name)
            elif name.startswith(TEMPORARY) and name.endswith(_SUFFIX):
                self.remove(f"{inside}/{name}")
        return left

    def remove(self, inside: str) -> None:
        folder, name = self._place(inside)
        os.unlink(name, dir_fd=folder)

    def names(self, inside: str) -> list[str]:
        """What the folder holds, sorted; nothing if there is no such folder."""
        try:
            folder, _ = self._place(f"{inside}/-")
        except FileNotFoundError:
            return []
        return sorted(os.listdir(folder))  # noqa: PTH208 - by open folder

    def open(self, inside: str, flags: int, *, make: bool = False) -> int:
        """A file handle, never through a link."""
        folder, name = self._place(inside, make=make)
        try:
            return os.open(name, flags | os.O_NOFOLLOW, 0o666, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Invalid(f"{inside} is a link; nothing is read or written through it.") from None
            raise

    @contextmanager
    def _written(self, folder: int, name: str, data: bytes) -> Iterator[str]:
        """The bytes under a name of their own, with the mode of the file that they are for. What is left goes."""
        temporary = f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}{_SUFFIX}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        try:
            with os.fdopen(os.open(temporary, flags, 0o666, dir_fd=folder), "wb") as file:
                file.write(data)
                # Not every disk has modes.
                with suppress(OSError):
                    before = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                    if stat.S_ISREG(before):
                        os.fchmod(file.fileno(), stat.S_IMODE(before) & 0o777)
            yield temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)

    @staticmethod
    def _beside(inside: str, name: str) -> str:
        above, slash, _ = inside.rpartition("/")
        return f"{above}{slash}{name}"

    def _plain(self, inside: str) -> BufferedReader:
        # Not waiting matters for a pipe, which would never open.
        handle = self.open(inside, os.O_RDONLY | os.O_NONBLOCK)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return os.fdopen(handle, "rb")
        os.close(handle)
        raise Invalid(f"{inside} is not a plain file; move it away.")

    def _place(self, inside: str, *, make: bool = False) -> tuple[int, str]:
        *steps, name = inside.split("/")
        if any(one in {"", ".", ".."} or "\0" in one for one in (*steps, name)):
            raise Invalid(f"{inside[:200]!r} is not a path below the project's folder.")
        return self._folder(tuple(steps), make=make), name

    def _folder(self, steps: tuple[str, ...], *, make: bool) -> int:
        known = self._folders.get(steps)
        if known is not None:
            return known
        above = self._folder(steps[:-1], make=make)
        if make:
            with suppress(FileExistsError):
                os.mkdir(steps[-1], dir_fd=above)
        try:
            handle = os.open(steps[-1], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise Invalid(
                    f"{'/'.join(steps)} is a link or a file, not a folder; nothing is read or written there."
                ) from None
            raise
        self._folders[steps] = handle
        return handle
