"""Owns what Hansard asks git for: what changed under the mirror, a commit of only that, and its own lines for git."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hansard.domain.errors import Invalid
from hansard.domain.mirror import FOLDERS, is_mirror_path
from hansard.workspace import roots
from hansard.workspace.files import Enclosure
from hansard.workspace.roots import resolved

MARK = b"# Hansard: "
ATTRIBUTES = ".gitattributes"
IGNORES = ".gitignore"
LINES = {
    ATTRIBUTES: (
        "# Hansard: files of two branches are joined line by line. Added once by `hansard init`; remove at will.\n"
        ".squad/decisions.md merge=union\n"
        ".squad/agents/*/history.md merge=union\n"
        ".squad/decisions/inbox/*.md merge=union\n"
        ".squad/identity/now.md merge=union\n"
        ".agentweaver/context/*.md merge=union\n"
        ".hansard/ledger/*.jsonl merge=union\n"
    ),
    IGNORES: (
        "# Hansard: what is of use on this machine only. Added once by `hansard init`; remove at will.\n"
        ".hansard/mirror.json\n"
        ".hansard/mirror.lock\n"
        ".hansard-*.tmp\n"
        "*.kept-[0-9]*Z*.md\n"
    ),
}
FILE_BYTES_MAX = 1_048_576


class Change(NamedTuple):
    """A file of the mirror that differs from the last commit: new, changed or removed."""

    path: str
    status: str


def changes(root: Path) -> list[Change]:
    """What changed under the mirror since the last commit. Raises Invalid outside of a repository."""
    prefix = os.fsdecode(_git(root, "rev-parse", "--show-prefix")).rstrip("\n")
    asked = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", *FOLDERS)
    found: list[Change] = []
    for line in os.fsdecode(_git(root, *asked)).split("\0"):
        path = line[3:].removeprefix(prefix)
        if line and is_mirror_path(path):
            found.append(Change(path, _word(line[:2])))
    return sorted(found)


def commit(root: Path, paths: Sequence[str], message: str) -> str:
    """Commits these files and nothing else, whatever else is staged. Returns the commit."""
    given = "\0".join(paths).encode()
    from_input = ("--pathspec-from-file=-", "--pathspec-file-nul")
    _git(root, "add", "--all", *from_input, given=given)
    _git(root, "commit", "--quiet", "--message", message, "--only", *from_input, given=given)
    return os.fsdecode(_git(root, "rev-parse", "HEAD")).strip()


def add_lines(root: Path) -> list[str]:
    """Adds our lines to the files git reads, unless they have some, and returns the files that got them.

    Only in a repository. A file that is a link, or anything else but a plain file, is left alone.
    """
    if roots.tree_of(root) is None:
        return []
    with Enclosure(resolved(root)) as files:
        return [name for name, lines in LINES.items() if _appended(files, name, lines.encode())]


def _appended(files: Enclosure, name: str, lines: bytes) -> bool:
    try:
        before = files.read(name, bytes_max=FILE_BYTES_MAX + 1) or b""
        if MARK in before or len(before) > FILE_BYTES_MAX:
            return False
        gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
        files.write(name, before + gap + lines)
    except (OSError, Invalid):
        return False
    return True


def _word(code: str) -> str:
    if "D" in code:
        return "removed"
    return "new" if code == "??" or "A" in code else "changed"


def _git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    command = ["git", "--literal-pathspecs", *arguments]
    try:
        ran = subprocess.run(command, cwd=root, input=given, capture_output=True, check=False)  # noqa: S603
    except OSError as error:
        raise Invalid(f"git could not be run in {root}: {error.strerror}.") from None
    if ran.returncode != 0:
        said = " ".join((ran.stderr or ran.stdout).decode("utf-8", "replace").split())
        raise Invalid(f"git {arguments[0]} failed in {root}: {said[:400]}")
    return ran.stdout
