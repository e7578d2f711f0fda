"""Owns how git is asked what a tree holds: its files, and where words stand, whatever the repository's settings are."""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.errors import Invalid
from hansard.workspace import roots
from hansard.workspace.files import Enclosure, read_plain

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
    from subprocess import Popen

OWN_FOLDERS = (".squad/", ".agentweaver/context/", ".hansard/")
"""What Hansard writes or reads as memory. A memory that was mirrored there is no evidence for itself."""
PATTERN_CHARACTERS_MAX = 30_000
"""How long one alternation gets: a system takes an argument of 131,072 bytes, and a character may take four."""
ROUND_BYTES = 262_144
"""After so much output the search goes on without the words that were found: a common word is found everywhere."""
ROUNDS_MAX = 4
SUBMODULES_MAX = 50
SPECIAL_FILES_MAX = 2_000
SPECIAL_FILE_BYTES_MAX = 4_194_304
BINARY_HEAD_BYTES = 8_000
"""As git sees it: a file with a NUL byte so near its beginning is no text."""
MODULES_BYTES_MAX = 262_144
NO_REPOSITORY = "this is no git repository"
NO_GIT = "git cannot be run here"
NO_GIT_CODES = (126, 127)
"""How a shell ends that cannot run what it was told to."""
FAILED = "git failed"
TOO_SLOW = "the search took too long"
TOO_MANY = "git passes over too many files"
TOO_LONG = "git passes over a file that is very long"
PARTIAL = "only a part of the tree is checked out"

_SETTINGS = (
    "core.fsmonitor=", "core.hooksPath=/dev/null", "core.excludesFile=/dev/null", "core.attributesFile=/dev/null",
    "core.untrackedCache=false", "protocol.allow=never", "submodule.recurse=false",
)  # fmt: skip
"""So that a repository cannot have a program run, or the network asked, by what its own settings say."""
_SEARCH = (
    "grep", "--untracked", "--word-regexp", "--only-matching", "--null", "-I", "--no-color", "--no-textconv",
    "--no-line-number", "--no-column", "--no-full-name", "--no-recurse-submodules", "--extended-regexp",
)  # fmt: skip
_PASSED_OVER = (
    ("--cached", "--ignored", "--exclude-standard"),
    # What its attributes call binary may be text all the same: generated code and lock files often are.
    ("--cached", "--others", "--exclude-standard", "--", ":(attr:-diff)."),
)
_SHELL = "/bin/sh"
_LIFELINE = 'exec 3<&0; (read -r _ <&3; kill -9 0) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null'
"""Runs a command that ends with us, however we end: our end of the pipe closes, and the whole group is killed.

The kernel's own way, a signal at the death of a parent, means the thread that began it and not the process, and does
not reach what git starts itself.
"""
_SUBMODULE = re.compile(rb"^[ \t]*path[ \t]*=[ \t]*([^\r\n]+?)[ \t\r]*$", re.MULTILINE)
_SPARSE = re.compile(rb"^[ \t]*sparsecheckout[ \t]*=[ \t]*true\b", re.MULTILINE | re.IGNORECASE)
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(rb"[0-9A-Za-z_]+")


class Tree(NamedTuple):
    """A folder that is searched, how its files are named from the root, and the repository that it is in."""

    folder: Path
    prefix: str
    top: Path
    git: Path


class Search:
    """One look at the files below a folder that git tracks or would offer to track, submodules included.

    All of it takes a bounded time. Nothing is raised: `hindrance` says what kept git from answering.
    """

    def __init__(self, root: Path, *, seconds_max: float) -> None:
        self._deadline = time.monotonic() + seconds_max
        self.hindrance: str | None = None
        self._trees = self._found_trees(root)
        self.is_partial = any(_is_sparse(one) for one in self._trees)
        """Whether what is missing here may be in the part of the tree that is not checked out."""
        if not self._trees:
            self.hindrance = NO_REPOSITORY

    def files(self) -> list[str]:
        """Every file by its path from the root. One that was deleted may still be among them."""
        found: list[str] = []
        for tree in self._trees:
            listed = self._all_of(tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
            found += [tree.prefix + os.fsdecode(one) for one in listed.split(b"\0") if one]
        return found

    def words(self, wanted: Collection[str]) -> dict[str, str]:
        """For each word that stands somewhere, a file that it stands in."""
        found: dict[str, str] = {}
        for tree in self._trees:
            left = [one for one in wanted if one not in found and _WORD.fullmatch(one)]
            for portion in _portions(left):
                self._search(tree, portion, found)
        left = [one for one in wanted if one not in found]
        if left and self.hindrance is None:
            self._search_special(left, found)
        return found

    def _search(self, tree: Tree, left: set[str], found: dict[str, str]) -> None:
        for round_ in range(1, ROUNDS_MAX + 1):
            if not left or self.hindrance is not None:
                return
            before, ended = len(left), True
            alternation = "|".join(sorted(left))
            excluded = [f":(exclude){one.removesuffix('/')}" for one in OWN_FOLDERS]
            command = (*_SEARCH, "-e", alternation, "--", ".", *excluded)
            with closing(self._output(tree, command)) as output:
                read = 0
                for file, word in _matches(output):
                    read += len(file) + len(word)
                    text = os.fsdecode(word)
                    if text in left:
                        left.discard(text)
                        found[text] = tree.prefix + os.fsdecode(file)
                    if not left or (read > ROUND_BYTES and len(left) < before and round_ < ROUNDS_MAX):
                        ended = not left
                        break
            if ended:
                return

    def _search_special(self, left: Sequence[str], found: dict[str, str]) -> None:
        """Looks into files that git passes over in a search: tracked and ignored, or binary by their attributes."""
        many = 0
        for tree in self._trees:
            listed = [self._all_of(tree, "ls-files", "-z", *options) for options in _PASSED_OVER]
            names = dict.fromkeys(one for names in listed for one in names.split(b"\0") if one)
            for name in map(os.fsdecode, names):
                if time.monotonic() >= self._deadline:
                    self.hindrance = TOO_SLOW
                    return
                text = None if name.startswith(OWN_FOLDERS) else _read_text(tree.folder, name)
                if not text:
                    continue
                many += 1
                if many > SPECIAL_FILES_MAX:
                    self.hindrance = TOO_MANY
                    return
                if len(text) >= SPECIAL_FILE_BYTES_MAX:
                    self.hindrance = TOO_LONG
                for word in _standing((one for one in left if one not in found), text):
                    found[word] = tree.prefix + name

    def _all_of(self, tree: Tree, *command: str) -> bytes:
        with closing(self._output(tree, command)) as output:
            return b"".join(output)

    def _output(self, tree: Tree, command: Sequence[str]) -> Generator[bytes, None, None]:
        """What git prints, as it comes. Whoever stops reading ends it."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            self.hindrance = TOO_SLOW
            return
        import subprocess
        from threading import Timer

        lifeline = [_SHELL, "-c", _LIFELINE, "sh"] if os.path.exists(_SHELL) else []  # noqa: PTH110 - once a search
        settings = [part for one in _SETTINGS for part in ("-c", one)]
        places = (f"--git-dir={tree.git}", f"--work-tree={tree.top}")
        try:
            process = subprocess.Popen(  # noqa: S603
                [*lifeline, "git", "--no-pager", *places, *settings, *command],
                cwd=tree.folder, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError):
            self.hindrance = NO_GIT
            return
        timer = Timer(left, _end, (process,))
        try:
            timer.start()
            yield from _chunks(process)
            code = process.wait()
            if time.monotonic() >= self._deadline:
                # A wrapper may have ended well, and only its child was ended before it had said all.
                self.hindrance = TOO_SLOW
            elif code not in (0, 1):
                self.hindrance = NO_GIT if lifeline and code in NO_GIT_CODES else FAILED
        except RuntimeError:
            # Where no thread can be had, nothing would end a search that hangs.
            self.hindrance = FAILED
        finally:
            timer.cancel()
            _end(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def _found_trees(self, root: Path) -> list[Tree]:
        """The root's own tree, and those of the submodules below it that are checked out."""
        found: list[Tree] = []
        waiting = [root]
        while waiting and len(found) <= SUBMODULES_MAX:
            folder = waiting.pop()
            try:
                tree = roots.tree_of(folder)
                git = None if tree is None else roots.own_git_folder(tree.top)
            except (Invalid, OSError):
                continue
            if tree is None or git is None or (found and tree.top != folder):
                continue
            prefix = "" if folder == root else folder.relative_to(root).as_posix() + "/"
            found.append(Tree(folder, prefix, tree.top, git))
            waiting += [one for one in _submodules(tree.top) if one.is_relative_to(folder)]
        return found


def _portions(words: Sequence[str]) -> Iterator[set[str]]:
    portion: set[str] = set()
    length = 0
    for one in words:
        if portion and length + len(one) > PATTERN_CHARACTERS_MAX:
            yield portion
            portion, length = set(), 0
        portion.add(one)
        length += len(one) + 1
    if portion:
        yield portion


def plain_text(data: bytes) -> bytes:
    """The text of a file, as UTF-8 also if it is in UTF-16, which is all that Windows writes in some places."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data


def stands_in(word: str, text: bytes) -> bool:
    """Whether the word stands there as a whole one, as git sees words."""
    return re.search(rb"(?<![0-9A-Za-z_])" + re.escape(word.encode()) + rb"(?![0-9A-Za-z_])", text) is not None


def _is_sparse(tree: Tree) -> bool:
    shared = roots.git_folder(tree.top) or tree.git
    for file in (tree.git / "config.worktree", shared / "config"):
        try:
            if _SPARSE.search(read_plain(file, bytes_max=MODULES_BYTES_MAX) or b""):
                return True
        except OSError:
            continue
    return False


def _submodules(top: Path) -> list[Path]:
    try:
        listed = read_plain(top / ".gitmodules", bytes_max=MODULES_BYTES_MAX) or b""
    except OSError:
        return []
    found: list[Path] = []
    for one in _SUBMODULE.findall(listed)[:SUBMODULES_MAX]:
        folder = top / os.fsdecode(one.strip(b'"'))
        try:
            # A name may lead anywhere, by dots or by a link.
            if ".." not in folder.parts and folder.is_relative_to(top) and roots.resolved(folder) == folder:
                found.append(folder)
        except Invalid:
            continue
    return found


def _standing(words: Iterable[str], text: bytes) -> list[str]:
    """Those of the words that stand in a text."""
    tokens = set(_TOKEN.findall(text))
    return [one for one in words if (one.encode() in tokens if one.isascii() else stands_in(one, text))]


def _read_text(folder: Path, name: str) -> bytes | None:
    """The file if it is text; of any other one only the beginning is read."""
    try:
        with Enclosure(folder) as files:
            head = files.read(name, bytes_max=BINARY_HEAD_BYTES)
            if not head or b"\0" in head:
                return None
            return head if len(head) < BINARY_HEAD_BYTES else files.read(name, bytes_max=SPECIAL_FILE_BYTES_MAX)
    except (OSError, Invalid):
        return None


def _matches(output: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Each match with its file. After a name comes NUL, after a match a line end; only a name can have line ends."""
    rest = b""
    name: bytes | None = None
    for chunk in output:
        *pieces, rest = (rest + chunk).split(b"\0")
        for piece in pieces:
            if name is None:
                name = piece
                continue
            word, _, following = piece.partition(b"\n")
            yield name, word
            name = following
    if name is not None and rest:
        yield name, rest.partition(b"\n")[0]


def _end(process: Popen[bytes]) -> None:
    """Ends git with everything that it started: a child of a wrapper would hold our end of the pipe open."""
    if process.returncode is not None:
        # Its number may be somebody else's by now.
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):
        # Where there are no groups of processes, or the group is gone.
        process.kill()


def _chunks(process: Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None, "the output was asked for"
    while chunk := os.read(process.stdout.fileno(), 65_536):
        yield chunk


def _environment() -> dict[str, str]:
    """The caller's own, without what a git that runs us in a hook has set for itself."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C",
    }  # fmt: skip
