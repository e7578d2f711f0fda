"""Owns what Hansard asks git for: what changed under the mirror, a commit of only that, and its own lines for git."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hansard.domain.errors import GitFailed, Invalid
from hansard.domain.mirror import FOLDERS, NOW, Failed, is_mirror_path
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
        "# Hansard: what is of use in this clone only. Added once by `hansard init`; remove at will.\n"
        ".hansard/mirror.json\n"
        ".hansard/mirror.lock\n"
        f"{NOW}\n"
        ".hansard-*.tmp\n"
        "*.kept-[0-9]*Z*.md\n"
    ),
}
EARLIER = (
    b"# Hansard: what is of use on this machine only. Added once by `hansard init`; remove at will.\n"
    b".hansard/mirror.json\n"
)
"""How the lines begin that an earlier `hansard init` added, and which did not have all of them."""
LATER = (f"# Hansard: a session is of one clone. Added once by `hansard init`; remove at will.\n{NOW}\n").encode()
_OF_A_REPOSITORY = frozenset(
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR
    GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE
    GIT_PREFIX GIT_SHALLOW_FILE GIT_COMMON_DIR GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE GIT_QUARANTINE_PATH
    """.split()
)
"""What `git rev-parse --local-env-vars` names, and what a hook gets besides."""
FILE_BYTES_MAX = 1_048_576
SAID_CHARACTERS_MAX = 400
NAMED_MAX = 10
REMOVED = "removed"
MERGE_ADVICE = (
    "Run `hansard import` and `hansard export`, then `git add .squad .agentweaver .hansard/ledger`, and finish what is"
    " under way, a merge with `git commit`."
)
_IN_WORK = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}


class Change(NamedTuple):
    """A file of the mirror that differs from the last commit: new, changed or removed."""

    path: str
    status: str


class Lines(NamedTuple):
    """The files that got our lines, and those that could not get them, each with the reason."""

    added: list[str]
    left: list[Failed]


def changes(root: Path) -> list[Change]:
    """What changed under the mirror since the last commit, and our own lines for git if they are new.

    Raises Invalid outside of a repository.
    """
    if not root.is_dir():
        raise Invalid(f"{root} is not a folder that can be opened.", root)
    if roots.tree_of(root) is None:
        raise Invalid("The project's folder is in no git repository, so there is nothing to compare with or commit to.")
    prefix = os.fsdecode(_git(root, "rev-parse", "--show-prefix")).rstrip("\n")
    asked = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", *FOLDERS)
    found: list[Change] = []
    for line in os.fsdecode(_git(root, *asked)).split("\0"):
        path = line[3:].removeprefix(prefix)
        # A session is of one clone: two that commit theirs would change each other's file for ever.
        if line and is_mirror_path(path) and path != NOW:
            found.append(Change(path, _word(line[:2])))
    with Enclosure(resolved(root)) as files:
        found += [one for name in LINES if (one := _own_lines(files, root, name)) is not None]
    return sorted(found)


def _own_lines(files: Enclosure, root: Path, name: str) -> Change | None:
    """The change of a file that git reads, if it is our lines and nothing that somebody else has yet to commit."""
    if not _git(root, "status", "--porcelain=v1", "-z", "--", name):
        return None
    # Of a file that is not committed yet git shows nothing.
    committed = _git(root, "cat-file", "--filters", f"HEAD:./{name}", codes=(0, 1, 128))
    try:
        there = files.read(name, bytes_max=2 * FILE_BYTES_MAX)
    except (OSError, Invalid):
        return None
    missing = _missing(name, committed)
    if not missing or there != _joined(committed, missing):
        return None
    return Change(name, "changed" if committed else "new")


def unmerged(root: Path) -> list[str]:
    """The files of the mirror at which a pull stopped: one side removed a file, and the other one changed it."""
    if roots.tree_of(root) is None:
        return []
    prefix = os.fsdecode(_git(root, "rev-parse", "--show-prefix")).rstrip("\n")
    listed = os.fsdecode(_git(root, "ls-files", "--unmerged", "-z", "--full-name", "--", *FOLDERS)).split("\0")
    paths = {one.partition("\t")[2].removeprefix(prefix) for one in listed if one}
    return sorted(one for one in paths if is_mirror_path(one))


def commit(root: Path, paths: Sequence[str], message: str) -> str:
    """Commits these files and nothing else, whatever else is staged. Returns the commit.

    If it fails, what was staged before is staged as before, and nothing else.
    """
    given = "\0".join(paths).encode()
    stopped = unmerged(root)
    if stopped:
        more = ", …" if len(stopped) > NAMED_MAX else ""
        raise GitFailed(f"Unmerged in {root}: {', '.join(stopped[:NAMED_MAX])}{more}. {MERGE_ADVICE}", root)
    git_dir = root / os.fsdecode(_git(root, "rev-parse", "--git-dir")).rstrip("\n")
    for name, what in _IN_WORK.items():
        if (git_dir / name).exists():
            raise GitFailed(f"A {what} is under way in {root}; finish or abort it, then sync again.", root)
    from_input = ("--pathspec-from-file=-", "--pathspec-file-nul")
    before = _staged(root, paths)
    try:
        _git(root, "add", "--all", *from_input, given=given)
        _git(root, "commit", "--quiet", "--message", message, "--only", *from_input, given=given)
    except BaseException:
        # Also if somebody grew tired of a hook and pressed Ctrl-C. The reason counts, not what follows from it.
        with suppress(GitFailed):
            _git(root, "update-index", "--force-remove", "-z", "--stdin", given=given)
            _git(root, "update-index", "-z", "--index-info", given=before)
        raise
    return os.fsdecode(_git(root, "rev-parse", "HEAD")).strip()


def _staged(root: Path, paths: Sequence[str]) -> bytes:
    """What the index has of these files, as git takes it back."""
    prefix = os.fsdecode(_git(root, "rev-parse", "--show-prefix")).rstrip("\n")
    wanted = {prefix + path for path in paths}
    listed = os.fsdecode(_git(root, "ls-files", "--stage", "-z", "--full-name", "--", *FOLDERS, *LINES)).split("\0")
    return os.fsencode("".join(f"{one}\0" for one in listed if one.partition("\t")[2] in wanted))


def add_lines(root: Path) -> Lines:
    """Adds our lines to the files git reads, unless they have some.

    Only in a repository. A file that is a link, or anything else but a plain file, is left alone.
    """
    done = Lines([], [])
    if roots.tree_of(root) is None:
        return done
    with Enclosure(resolved(root)) as files:
        for name in LINES:
            try:
                if _appended(files, name):
                    done.added.append(name)
            except Invalid as error:
                done.left.append(Failed(name, error.message.rstrip(".")))
            except OSError as error:
                done.left.append(Failed(name, error.strerror or str(error)))
    return done


def _missing(name: str, before: bytes) -> bytes:
    """Those of our lines that a file has never had. What somebody removed is not missing: its first line is left."""
    if MARK not in before:
        return LINES[name].encode()
    had = LATER.splitlines()[0] in before or NOW.encode() in before.split()
    return LATER if name == IGNORES and EARLIER in before.replace(b"\r\n", b"\n") and not had else b""


def _appended(files: Enclosure, name: str) -> bool:
    before = files.read(name, bytes_max=FILE_BYTES_MAX + 1) or b""
    lines = _missing(name, before)
    if not lines:
        return False
    if len(before) > FILE_BYTES_MAX:
        raise Invalid(f"{name} is larger than {FILE_BYTES_MAX:,} bytes.")
    files.write(name, _joined(before, lines))
    return True


def _joined(before: bytes, lines: bytes) -> bytes:
    gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
    return before + gap + lines


def _word(code: str) -> str:
    if "U" in code or code in {"AA", "DD"}:
        return "unmerged"
    if "D" in code:
        return REMOVED
    return "new" if code == "??" or "A" in code else "changed"


def _git(root: Path, *arguments: str, given: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
    command = ["git", "--literal-pathspecs", *arguments]
    try:
        ran = subprocess.run(  # noqa: S603
            command, cwd=root, input=given, env=_environment(), capture_output=True, check=False
        )
    except OSError as error:
        raise GitFailed(f"git could not be run in {root}: {error.strerror}.", root) from None
    if ran.returncode not in codes:
        # A hook says on either of the two why it refused, and the last words are the reason.
        said = " ".join((ran.stdout + b"\n" + ran.stderr).decode("utf-8", "replace").split())
        cut = f"… {said[-SAID_CHARACTERS_MAX:]}" if len(said) > SAID_CHARACTERS_MAX else said
        raise GitFailed(f"git {arguments[0]} failed in {root}: {cut or 'it gave no reason'}", root)
    return ran.stdout


def _environment() -> dict[str, str]:
    """Ours, without what a hook of another repository is told: git works on the folder it is started in."""
    return {name: value for name, value in os.environ.items() if name not in _OF_A_REPOSITORY}
