"""Owns what git ignores: the rules of `.git/info/exclude` and of every `.gitignore`, read as git reads them."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from hansard.workspace import roots
from hansard.workspace.files import read_plain

IGNORE_FILE = ".gitignore"
EXCLUDE_FILE = ".git/info/exclude"
IGNORE_FILE_BYTES_MAX = 262_144

Part: TypeAlias = re.Pattern[bytes] | bytes | None
"""What one name must be: a pattern, the name itself, or for `**` any number of names."""
Names: TypeAlias = tuple[bytes, ...]

_NEVER = re.compile(rb"(?!)")
_STARS = re.compile(rb"\*\*+")
_SPECIAL = re.compile(rb"[*?\[\\]")
# Spelled out: `string` has these too, and takes a millisecond of every cold start to say so.
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LETTERS = _LOWER + _LOWER.upper()
_CLASSES = {
    "alnum": _LETTERS + _DIGITS,
    "alpha": _LETTERS,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": _DIGITS,
    "graph": _LETTERS + _DIGITS + _PUNCTUATION,
    "lower": _LOWER,
    "print": _LETTERS + _DIGITS + _PUNCTUATION + " ",
    "punct": _PUNCTUATION,
    "space": " \t\n\r\x0b\x0c",
    "upper": _LOWER.upper(),
    "xdigit": f"{_DIGITS}abcdefABCDEF",
}
_CLASS = re.compile(rb"\[:([^\]]*):\]")


class Rule(NamedTuple):
    """One line: what the names of a path must be, whether it speaks of folders only, and whether it takes back."""

    parts: tuple[Part, ...]
    only_folders: bool
    taken_back: bool


class Rules(NamedTuple):
    """One file of rules: what it is called, and its rules in the order of its lines."""

    name: str
    lines: tuple[Rule, ...]

    def verdict(self, names: Names, *, is_folder: bool) -> bool | None:
        """Whether the last rule that speaks of this very path ignores it; None if none speaks of it."""
        for rule in reversed(self.lines):
            if (is_folder or not rule.only_folders) and _matches(rule.parts, names):
                return not rule.taken_back
        return None


class Ignored:
    """The rules for what is below a folder. A deeper file wins, and nothing below an ignored folder comes back.

    Files above the folder count up to the top of its repository. Without a repository, the folder is the top.
    The rules of the user, which git is told by its settings, are not read.
    """

    def __init__(self, below: Path, *, alone: bool = False) -> None:
        """With `alone`, neither the repository nor anything above the folder counts."""
        tree = None if alone else roots.tree_of(below)
        self._top = below if tree is None else tree.top
        self._first = len(below.relative_to(self._top).parts) + 1
        git = None if tree is None else roots.git_folder(tree.top)
        self._excluded = _read(EXCLUDE_FILE, None if git is None else git / "info" / "exclude")
        self._known: dict[Names, Rules] = {}
        self._verdicts: dict[tuple[Names, bool], str | None] = {}

    def by(self, path: Path, *, is_folder: bool) -> str | None:
        """The file whose rule ignores the path or a folder that it is in; None if it is not ignored."""
        names = tuple(os.fsencode(one) for one in path.relative_to(self._top).parts)
        levels = [(self._excluded, 0)]
        for count in range(1, len(names) + 1):
            rules = self._of(names[: count - 1])
            levels += [(rules, count - 1)] if rules.lines else []
            if count >= self._first:
                found = self._by(levels, names[:count], is_folder=is_folder or count < len(names))
                if found is not None:
                    return found
        return None

    def _by(self, levels: Sequence[tuple[Rules, int]], names: Names, *, is_folder: bool) -> str | None:
        if (names, is_folder) not in self._verdicts:
            told = ((rules, rules.verdict(names[depth:], is_folder=is_folder)) for rules, depth in reversed(levels))
            rules, ignored = next((one for one in told if one[1] is not None), (self._excluded, False))
            self._verdicts[names, is_folder] = rules.name if ignored else None
        return self._verdicts[names, is_folder]

    def _of(self, folder: Names) -> Rules:
        if folder not in self._known:
            inside = Path(*map(os.fsdecode, folder), IGNORE_FILE)
            self._known[folder] = _read(inside.as_posix(), self._top / inside)
        return self._known[folder]


def _read(name: str, file: Path | None) -> Rules:
    try:
        data = None if file is None else read_plain(file, bytes_max=IGNORE_FILE_BYTES_MAX)
    except OSError:
        data = None
    lines = (data or b"").removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return Rules(name, tuple(rule for line in lines if (rule := _rule(line)) is not None))


def _rule(line: bytes) -> Rule | None:
    pattern = _trimmed(line.removesuffix(b"\r"))
    if not pattern or pattern.startswith(b"#"):
        return None
    taken_back = pattern.startswith(b"!")
    pattern = pattern.removeprefix(b"!")
    only_folders = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    if not pattern:
        return None
    if b"/" not in pattern:
        return Rule((None, _part(pattern)), only_folders, taken_back)
    names = pattern.removeprefix(b"/").split(b"/")
    parts = (None if _STARS.fullmatch(name) else _part(name) for name in names)
    return Rule(tuple(parts), only_folders, taken_back)


def _trimmed(line: bytes) -> bytes:
    """The line without the blanks at its end, but for one that a backslash keeps."""
    bare = line.rstrip(b" ")
    escaping = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if escaping % 2 and len(bare) < len(line) else bare


def _part(pattern: bytes) -> Part:
    """What one name must be. Bytes, because to git a `?` is one of them."""
    if not _SPECIAL.search(pattern):
        return pattern
    pieces = [b""]
    place = 0
    while place < len(pattern):
        character = pattern[place : place + 1]
        place += 1
        if character == b"*":
            pieces.append(b"")
        elif character == b"?":
            pieces[-1] += b"."
        elif character == b"[":
            found = _one_of(pattern, place)
            if found is None:
                return _NEVER
            pieces[-1] += found[0]
            place = found[1]
        else:
            if character == b"\\":
                character = pattern[place : place + 1]
                place += 1
            if not character:
                return _NEVER
            pieces[-1] += re.escape(character)
    # Each star takes as little as it can and gives nothing back: otherwise many of them take for ever.
    middle = [b"(?>.*?" + piece + b")" for piece in pieces[1:-1]]
    last = [b".*" + pieces[-1]] if len(pieces) > 1 else []
    return re.compile(b"".join([pieces[0], *middle, *last]), re.DOTALL)


def _one_of(pattern: bytes, place: int) -> tuple[bytes, int] | None:
    """The set that begins here, as a pattern, and where it ends; None if it does not end."""
    negated = pattern[place : place + 1] in (b"!", b"^")
    place += negated
    found: set[int] = set()
    first, before = True, None
    while first or pattern[place : place + 1] != b"]":
        first = False
        named = _CLASS.match(pattern, place)
        if named is not None:
            if named[1].decode("ascii", "replace") not in _CLASSES:
                return None
            found |= set(_CLASSES[named[1].decode()].encode())
            place, before = named.end(), None
            continue
        spans = before is not None and pattern[place : place + 1] == b"-" and pattern[place + 1 : place + 2] != b"]"
        place += spans
        place += pattern[place : place + 1] == b"\\"
        if place >= len(pattern):
            return None
        found |= set(range(before if spans and before is not None else pattern[place], pattern[place] + 1))
        before = None if spans else pattern[place]
        place += 1
    allowed = set(range(256)) - found if negated else found
    shown = b"".join(re.escape(bytes([one])) for one in sorted(allowed))
    return (b"[" + shown + b"]" if shown else _NEVER.pattern), place + 1


def _matches(wanted: Sequence[Part], names: Names) -> bool:
    """Follows all readings of the pattern at once, since each `**` may stand for any number of names."""
    places = _past_stars({0}, wanted)
    for count, name in enumerate(names, 1):
        after: set[int] = set()
        for place in places:
            if place == len(wanted):
                continue
            part = wanted[place]
            if part is None:
                after.add(place)
                # At the end of a pattern it stands for at least one name.
                if place == len(wanted) - 1 and count == len(names):
                    return True
            elif part == name if isinstance(part, bytes) else part.fullmatch(name):
                after.add(place + 1)
        places = _past_stars(after, wanted)
    return len(wanted) in places


def _past_stars(places: set[int], wanted: Sequence[Part]) -> set[int]:
    reached = set(places)
    for place in sorted(places):
        following = place
        while following < len(wanted) - 1 and wanted[following] is None:
            following += 1
            reached.add(following)
    return reached
