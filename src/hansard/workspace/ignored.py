"""Owns the rules of a project's `.gitignore`: names, `folder/`, `*.ext`, a leading `/`, `**`, and `!` to take back."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

IGNORE_FILE = ".gitignore"
IGNORE_FILE_BYTES_MAX = 262_144


class Rule(NamedTuple):
    """One line: the pattern's parts between slashes, whether it speaks of folders only, and whether it takes back."""

    parts: tuple[str, ...]
    only_folders: bool
    taken_back: bool


class Ignored:
    """The rules of one file, in its order. Files of subfolders and of the user are not read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for line in lines if (rule := _rule(line)) is not None]

    def ignores(self, ref: str, *, is_folder: bool) -> bool:
        """Whether the path or a folder that it is in is ignored."""
        parents = [one.as_posix() for one in PurePosixPath(ref).parents if one.name]
        return any(self.match(one, is_folder=True) for one in parents) or self.match(ref, is_folder=is_folder)

    def match(self, ref: str, *, is_folder: bool) -> bool:
        """Whether the last rule that speaks of this very path ignores it."""
        parts = PurePosixPath(ref).parts
        for rule in reversed(self._rules):
            if (is_folder or not rule.only_folders) and _matches(rule.parts, parts):
                return not rule.taken_back
        return False


def _rule(line: str) -> Rule | None:
    pattern = line.rstrip()
    if not pattern or pattern.startswith("#"):
        return None
    taken_back = pattern.startswith("!")
    pattern = pattern.removeprefix("!").removeprefix("\\")
    only_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    parts = [part for part in pattern.split("/") if part]
    if not parts:
        return None
    return Rule(tuple(parts if "/" in pattern else ["**", *parts]), only_folders, taken_back)


def _matches(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Follows all readings of the pattern at once, since each `**` may stand for any number of parts."""
    places = _past_stars({0}, wanted)
    for count, part in enumerate(parts, 1):
        after: set[int] = set()
        for place in places:
            if place < len(wanted) and wanted[place] == "**":
                after.add(place)
                # At the end of a pattern it stands for at least one part.
                if place == len(wanted) - 1 and count == len(parts):
                    return True
            elif place < len(wanted) and fnmatchcase(part, wanted[place]):
                after.add(place + 1)
        places = _past_stars(after, wanted)
    return len(wanted) in places


def _past_stars(places: set[int], wanted: Sequence[str]) -> set[int]:
    reached = set(places)
    for place in sorted(places):
        following = place
        while following < len(wanted) - 1 and wanted[following] == "**":
            following += 1
            reached.add(following)
    return reached
