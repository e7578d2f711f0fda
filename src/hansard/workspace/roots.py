"""Owns where a project stands on disk: its git root and work trees, and this machine's name for itself."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from hansard.domain.errors import Invalid

MACHINE_FILE = "machine-id"
MARK_BYTES = 8
_GIT_POINTER_BYTES_MAX = 4096


class Tree(NamedTuple):
    """A work tree: its top, and that of the main checkout, which is the same unless git added the tree."""

    top: Path
    main: Path


def standing() -> Path | None:
    """The working directory; None if somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def working_directory() -> Path:
    """The working directory. Raises Invalid if somebody removed it."""
    here = standing()
    if here is None:
        raise Invalid("The working directory is gone. Change to another one, or name the project with --project.")
    return here


def candidates(start: Path) -> list[Path]:
    """The folders a project of `start` may be registered under, nearest first.

    Inside a git worktree every folder is named by its place in the main checkout, so that all worktrees of a
    repository are one project. Git itself is not run: that costs more than a hook may take.
    """
    start = resolved(start)
    found: list[Path] = []
    for folder in (start, *start.parents):
        main = main_checkout(folder)
        if main is not None:
            inside = [one.relative_to(folder) for one in found]
            return [main / one for one in inside] + [main]
        found.append(folder)
    return found


def root_of(start: Path) -> Path:
    """The folder that names a project begun at `start`: the main checkout of its repository, else itself."""
    places = candidates(start)
    inside_git = places and main_checkout(places[-1]) is not None
    return places[-1] if inside_git else resolved(start)


def tree_of(path: Path) -> Tree | None:
    """The work tree that the path is in; None outside of any repository."""
    path = resolved(path)
    for folder in (path, *path.parents):
        main = main_checkout(folder)
        if main is not None:
            return Tree(folder, main)
    return None


def main_place(folder: Path) -> Path:
    """Where the folder is, or would be, in the main checkout: all work trees of a repository have it there."""
    return candidates(folder)[0]


def place_in_tree(folder: Path, start: Path) -> Path:
    """A folder of the main checkout as the work tree that `start` is in has it; itself if that has none."""
    tree = tree_of(start)
    if tree is None or not folder.is_relative_to(tree.main):
        return folder
    there = tree.top / folder.relative_to(tree.main)
    return there if there.is_dir() else folder


def places_in_trees(folder: Path) -> list[Path]:
    """The folder as each work tree of its repository on this machine has it; only itself outside of any."""
    tree = tree_of(folder)
    git = None if tree is None else git_folder(tree.top)
    if tree is None or git is None:
        return [resolved(folder)]
    inside = resolved(folder).relative_to(tree.top)
    pointers = [(one, _line(one / "gitdir")) for one in sorted((git / "worktrees").glob("*"))]
    added = [resolved(one / pointer).parent for one, pointer in pointers if pointer is not None]
    return [top / inside for top in (tree.main, *(one for one in added if main_checkout(one) == tree.main))]


def git_folder(top: Path) -> Path | None:
    """Where git keeps what all work trees of a repository share; None if no work tree has its top here."""
    git_dir = own_git_folder(top)
    return None if git_dir is None else _shared_folder(git_dir)


def own_git_folder(top: Path) -> Path | None:
    """Where git keeps what is of this work tree alone: its HEAD and index. None if no work tree has its top here."""
    if main_checkout(top) is None:
        return None
    pointed = _pointer(top / ".git")
    return top / ".git" if pointed is None else resolved(top / pointed)


def state_of(top: Path) -> str:
    """What changes with a commit, a checkout or anything that is staged. Read from files; git itself is not run."""
    git_dir = own_git_folder(top)
    if git_dir is None:
        return ""
    shared = _shared_folder(git_dir)
    head = _line(git_dir / "HEAD") or ""
    ref = head.removeprefix("ref:").strip()
    commit = _line(shared / ref) if head.startswith("ref:") and ".." not in ref else ""
    # Where the commit of a branch is in no file of its own, it is in one of these.
    others = () if commit is not None else (shared / "packed-refs", shared / "reftable" / "tables.list")
    return " ".join([head, commit or "", *(_sight(one) for one in (git_dir / "index", *others))])


def _shared_folder(git_dir: Path) -> Path:
    common = _line(git_dir / "commondir")
    return git_dir if common is None else resolved(git_dir / common)


def _sight(file: Path) -> str:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return "-"
    return f"{status.st_mtime_ns}.{status.st_size}.{status.st_ino}"


def mark(machine: str, folder: Path | None = None) -> str:
    """A short name for a folder of a machine, or for the machine, that tells nobody which one it is."""
    # Imported here because every command asks for roots, and few for this.
    from hashlib import blake2b

    told = machine if folder is None else f"{machine}\0{folder}"
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=MARK_BYTES).hexdigest()


def resolved(folder: Path) -> Path:
    """The folder without links. Raises Invalid for a path that is no text or leads in a circle."""
    try:
        real = folder.resolve()
        str(real).encode()
    except (OSError, RuntimeError, ValueError):
        raise Invalid(f"{str(folder)[:200]!r} is not a usable path.") from None
    return real


def main_checkout(folder: Path) -> Path | None:
    """The main checkout of the repository whose work tree has its top here; None if this is no such top."""
    marker = folder / ".git"
    try:
        if marker.is_dir():
            return folder
        pointed = _pointer(marker)
        return None if pointed is None else _pointed_checkout(folder, resolved(folder / pointed))
    except OSError:
        return None


def _pointed_checkout(folder: Path, git_dir: Path) -> Path | None:
    common = _line(git_dir / "commondir")
    if common is None:
        # A submodule, or a repository whose git folder lies elsewhere: it is its own project.
        return folder if git_dir.is_dir() else None
    common_dir = resolved(git_dir / common)
    back = _line(git_dir / "gitdir")
    moved = back is not None and not (git_dir / back).exists()
    named_back = back is not None and (moved or resolved(git_dir / back) == resolved(folder / ".git"))
    if git_dir.parent != common_dir / "worktrees" or not named_back:
        # A folder may name any repository as its own; the repository must keep it among its work trees.
        return None
    return common_dir.parent if common_dir.name == ".git" else common_dir


def machine_id(data_folder: Path) -> str:
    """A name of this machine that survives a change of host name, made once and kept beside the data."""
    file = data_folder / MACHINE_FILE
    known = _line(file)
    if known:
        return known
    fresh = os.urandom(8).hex()
    try:
        data_folder.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f"{MACHINE_FILE}.{os.getpid()}.{fresh}")
        temporary.write_text(fresh + "\n", encoding="ascii")
        try:
            # Linking fails if another process was first, and then its name counts.
            os.link(temporary, file)
        except FileExistsError:
            fresh = _line(file) or fresh
        finally:
            temporary.unlink()
    except OSError:
        # Without a place of its own the machine goes by its host name: worse, but nothing stops.
        return f"host-{os.uname().nodename if hasattr(os, 'uname') else 'unnamed'}"
    return fresh


def _pointer(marker: Path) -> str | None:
    text = _line(marker)
    prefix = "gitdir:"
    return text[len(prefix) :].strip() if text and text.startswith(prefix) else None


def _line(file: Path) -> str | None:
    try:
        # Anything but a plain file could keep a reader waiting for ever.
        if not stat.S_ISREG(file.stat().st_mode):
            return None
        with file.open("rb") as handle:
            return handle.read(_GIT_POINTER_BYTES_MAX).decode("utf-8", "surrogateescape").strip() or None
    except (OSError, ValueError):
        return None
