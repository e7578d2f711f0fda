"""Owns checking claims against a working tree: whether files are there, and whether symbols stand anywhere in it."""

from __future__ import annotations

import os
import re
import stat
from enum import Enum, auto
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from hansard.clock import Clock, SystemClock
from hansard.domain.claims import NOT_CHECKED, VERIFIED, Claim, ClaimKind, ClaimStatus, Verdict, last_part
from hansard.domain.errors import Invalid
from hansard.domain.text import visible
from hansard.workspace import roots
from hansard.workspace.files import read_plain
from hansard.workspace.ignored import Ignored
from hansard.workspace.search import NO_REPOSITORY, OWN_FOLDERS, PARTIAL, Search, stands_in
from hansard.workspace.sightings import Absence, Sight, Sighting, Sightings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Claim", "ClaimKind", "ClaimStatus", "Evidence", "Verdict", "evidence_of"]

ABSENCE_SECONDS = 5
"""How long a miss holds while HEAD and the index stay the same: what somebody types meanwhile moves neither."""
SEARCH_SECONDS_MAX = 5.0
REREAD_BYTES_MAX = 4_194_304
RACE_MICROSECONDS = 50_000
RACE_MICROSECONDS_COARSE = 2_000_000
"""A file that changed so lately may change again without a trace in its times; coarse clocks count whole seconds."""
ROOTS_MAX = 16

_WORD = re.compile(r"\w+")
_ASTRAY = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
"""A step of a path that has no name, or whose name is one dot or two."""
_kept: dict[tuple[str, str], Evidence] = {}
_keeping = Lock()


class Place(Enum):
    """What is at a path, seen without following a link out of the root."""

    THERE = auto()
    MISSING = auto()
    NOWHERE = auto()
    OUTSIDE = auto()
    CLOSED = auto()


def evidence_of(root: Path, cache_folder: Path | None) -> Evidence:
    """The evidence of this root, the same for all of a process, so that what was seen is known to the next call."""
    key = (str(root), str(cache_folder))
    with _keeping:
        found = _kept.pop(key, None) or Evidence(root, cache_folder)
        # The one that was asked for last is the last to go.
        _kept[key] = found
        if len(_kept) > ROOTS_MAX:
            _kept.pop(next(iter(_kept)))
    return found


class Evidence:
    """Checks claims against the files below a root. Never raises: what cannot be checked is unchecked, and says why.

    What was found is looked at where it was found, and only if that file has changed is it read again. What was not
    found stays so for ABSENCE_SECONDS while HEAD and the index are the same. Safe in threads.
    """

    def __init__(self, root: Path, cache_folder: Path | None = None, *, clock: Clock | None = None) -> None:
        self._given = root
        self._folder = cache_folder
        self._clock = clock or SystemClock()
        self._lock = Lock()
        self._known: Sightings | None = None

    def check(
        self, claims: Iterable[Claim], *, fresh: bool = False, seconds_max: float = SEARCH_SECONDS_MAX
    ) -> dict[Claim, Verdict]:
        """A verdict on each claim. With `fresh`, what was not found before is looked for again."""
        wanted = dict.fromkeys(claims)
        if not wanted:
            return {}
        with self._lock:
            try:
                root = roots.resolved(self._given)
                if not root.is_dir():
                    return {one: _unchecked(one.name, "the project's folder is gone") for one in wanted}
            except (Invalid, OSError):
                return {one: _unchecked(one.name, "the project's folder cannot be opened") for one in wanted}
            known = self._sightings(root)
            look = _Look(root, known, self._clock.now(), fresh=fresh, seconds_max=seconds_max)
            verdicts = look.verdicts(list(wanted))
            known.save()
            return verdicts

    def _sightings(self, root: Path) -> Sightings:
        if self._known is None:
            folder = self._folder
            if folder is not None and Path(os.path.realpath(folder)).is_relative_to(root):
                # Nothing is written into the project's own folder.
                folder = None
            self._known = Sightings(root, folder)
            self._known.load()
        return self._known


class _Look:
    """One check: what it saw, each thing once."""

    def __init__(self, root: Path, known: Sightings, now: int, *, fresh: bool, seconds_max: float) -> None:
        self._root = root
        self._base = str(root)
        self._ground = _Ground(self._base)
        self._known = known
        self._now = now
        self._fresh = fresh
        self._seconds_max = seconds_max
        self._state: str | None = None

    def verdicts(self, claims: Sequence[Claim]) -> dict[Claim, Verdict]:
        found: dict[Claim, Verdict] = {}
        paths: list[Claim] = []
        symbols: list[Claim] = []
        for one in claims:
            known = self._known_path(one) if one.kind is ClaimKind.PATH else self._known_symbol(one)
            if known is not None:
                found[one] = known
            else:
                (paths if one.kind is ClaimKind.PATH else symbols).append(one)
        if paths or symbols:
            found |= self._searched(paths, symbols)
        return {one: found[one] for one in claims}

    def _known_path(self, claim: Claim) -> Verdict | None:
        """What is known without asking git; None if the path is not at its place."""
        inside = _inside(claim.name, self._base)
        if inside is None:
            return _unchecked(claim.name, "it is outside of the project's folder")
        place = self._ground.place(inside)
        if place is Place.MISSING:
            elsewhere = self._known.places.get(f"path {inside}")
            if elsewhere is not None and self._ground.place(elsewhere) is Place.THERE:
                return VERIFIED
            return self._known_absence(f"path {inside}")
        return _verdict_on(claim.name, place)

    def _known_symbol(self, claim: Claim) -> Verdict | None:
        word = last_part(claim.name)
        if not _WORD.fullmatch(word):
            return _unchecked(claim.name, "it is no name that can be searched for")
        seen = self._known.words.get(word)
        if seen is not None:
            if self._still_stands(word, seen):
                return VERIFIED
            del self._known.words[word]
            self._known.changed = True
        place = self._known.places.get(f"symbol {word}")
        if place is not None and self._ground.place(place) is Place.THERE:
            return VERIFIED
        return _renamed(self._known_absence(f"symbol {word}"), word, claim.name)

    def _known_absence(self, key: str) -> Verdict | None:
        known = self._known.absences.get(key)
        if known is None or self._fresh:
            return None
        held = 0 <= self._now - known.at <= ABSENCE_SECONDS * 1_000_000 and known.state == self._repository_state()
        return known.verdict if held else None

    def _still_stands(self, word: str, seen: Sighting) -> bool:
        status = self._ground.plain_file(seen.file)
        if status is None:
            return False
        if _sight(status) == seen.sight:
            return True
        try:
            text = read_plain(self._root / seen.file, bytes_max=REREAD_BYTES_MAX) or b""
        except (OSError, ValueError):
            return False
        if not stands_in(word, text):
            return False
        self._remember(word, seen.file)
        return True

    def _searched(self, paths: Sequence[Claim], symbols: Sequence[Claim]) -> dict[Claim, Verdict]:
        search = Search(self._root, seconds_max=self._seconds_max)
        words = {last_part(one.name): None for one in symbols}
        for word, file in search.words(words).items():
            self._remember(word, file)
        left = [one for one in symbols if last_part(one.name) not in self._known.words]
        listed = _Listing(search.files() if paths or left else [])
        hindrance = search.hindrance or (PARTIAL if search.is_partial else None)
        found = dict.fromkeys(symbols, VERIFIED)
        for one in left:
            found[one] = self._symbol_by_name(one, listed, hindrance)
        ignored = _ignored(self._root) if paths else None
        for one in paths:
            found[one] = self._path_elsewhere(one, listed, ignored, hindrance)
        self._known.changed = True
        return found

    def _symbol_by_name(self, claim: Claim, listed: _Listing, hindrance: str | None) -> Verdict:
        """A module or a package is a name in the code too, although it may stand in none."""
        word = last_part(claim.name)
        for place in listed.named(word):
            if self._ground.place(place) is Place.THERE:
                self._known.places[f"symbol {word}"] = place
                return VERIFIED
        if hindrance is None:
            verdict = Verdict(ClaimStatus.STALE, f"`{_shown(word)}` is not found")
        else:
            verdict = _unchecked(word, hindrance)
        self._note_absence(f"symbol {word}", verdict)
        return _renamed(verdict, word, claim.name) or verdict

    def _path_elsewhere(
        self, claim: Claim, listed: _Listing, ignored: Ignored | None, hindrance: str | None
    ) -> Verdict:
        """A path may be given from any folder, and a name alone be anywhere."""
        inside = _inside(claim.name, self._base)
        assert inside is not None, "what is outside was answered before"
        for place in listed.ending(inside):
            if self._ground.place(place) is Place.THERE:
                self._known.places[f"path {inside}"] = place
                return VERIFIED
        verdict = Verdict(ClaimStatus.STALE, f"`{_shown(claim.name)}` no longer exists")
        # Where there is no repository nobody lists the files, and a path is taken to begin at the root.
        from_root = hindrance == NO_REPOSITORY and "/" in inside
        if hindrance is not None and not from_root:
            verdict = _unchecked(claim.name, hindrance)
        elif ignored is not None and _is_ignored(ignored, self._root / inside, claim.name):
            verdict = _unchecked(claim.name, "git ignores it, so another checkout may have it")
        self._note_absence(f"path {inside}", verdict)
        return verdict

    def _note_absence(self, key: str, verdict: Verdict) -> None:
        self._known.absences.pop(key, None)
        self._known.absences[key] = Absence(self._repository_state(), self._now, verdict)

    def _remember(self, word: str, file: str) -> None:
        status = self._ground.plain_file(file)
        sight = Sight(0, 0, 0) if status is None or self._may_race(status) else _sight(status)
        self._known.words.pop(word, None)
        self._known.words[word] = Sighting(file, sight)
        self._known.changed = True

    def _may_race(self, status: os.stat_result) -> bool:
        """Whether the file may change once more within the same tick of its clock."""
        coarse = status.st_mtime_ns % 1_000_000_000 == 0
        return abs(self._now - status.st_mtime_ns // 1000) < (RACE_MICROSECONDS_COARSE if coarse else RACE_MICROSECONDS)

    def _repository_state(self) -> str:
        if self._state is None:
            try:
                tree = roots.tree_of(self._root)
                self._state = "" if tree is None else roots.state_of(tree.top)
            except (Invalid, OSError):
                self._state = ""
        return self._state


class _Ground:
    """The folders below a root, each looked at once. A link that leads out of the root is not followed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._below = root.rstrip("/") + "/"
        self._folders: dict[str, Place] = {"": Place.THERE}

    def place(self, inside: str) -> Place:
        above = self._folder(inside.rpartition("/")[0])
        return above if above is not Place.THERE else self._step(inside)

    def plain_file(self, inside: str) -> os.stat_result | None:
        """The file as it stands there itself: no link, and none on the way that leads out."""
        if _inside(inside, self._root) != inside or self._folder(inside.rpartition("/")[0]) is not Place.THERE:
            return None
        try:
            status = os.lstat(self._below + inside)
        except (OSError, ValueError):
            return None
        return status if stat.S_ISREG(status.st_mode) else None

    def _folder(self, inside: str) -> Place:
        known = self._folders.get(inside)
        if known is None:
            above = self._folder(inside.rpartition("/")[0])
            known = self._folders[inside] = above if above is not Place.THERE else self._step(inside)
        return known

    def _step(self, inside: str) -> Place:
        path = self._below + inside
        try:
            if not stat.S_ISLNK(os.lstat(path).st_mode):
                return Place.THERE
            real = os.path.realpath(path)
            if real != self._root and not real.startswith(self._below):
                return Place.OUTSIDE
            return Place.THERE if os.path.lexists(real) else Place.NOWHERE
        except (FileNotFoundError, NotADirectoryError):
            return Place.MISSING
        except (OSError, ValueError):
            return Place.CLOSED


class _Listing:
    """The files of a tree and their folders, by the last part of their names."""

    def __init__(self, files: Sequence[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        folders: dict[str, None] = {}
        for file in files:
            above, _, name = file.rpartition("/")
            self._by_name.setdefault(name, []).append(file)
            if not file.startswith(OWN_FOLDERS):
                self._by_stem.setdefault(name.partition(".")[0], []).append(file)
            while above and above not in folders:
                folders[above] = None
                above = above.rpartition("/")[0]
        for folder in folders:
            name = folder.rpartition("/")[2]
            self._by_name.setdefault(name, []).append(folder)
            self._by_stem.setdefault(name, []).append(folder)

    def ending(self, inside: str) -> list[str]:
        """What has this path at its end."""
        return [one for one in self._by_name.get(inside.rpartition("/")[2], ()) if f"/{one}".endswith(f"/{inside}")]

    def named(self, word: str) -> list[str]:
        """What has this name but for what follows a dot."""
        return self._by_stem.get(word, [])


def _inside(name: str, root: str) -> str | None:
    """The path from the root; None if it leads elsewhere, or nowhere in particular."""
    if name.startswith("/"):
        below = root.rstrip("/") + "/"
        if not name.startswith(below):
            return None
        name = name[len(below) :]
    name = name.removesuffix("/")
    return None if _ASTRAY.search(name) else name


def _verdict_on(name: str, place: Place) -> Verdict:
    match place:
        case Place.THERE:
            return VERIFIED
        case Place.OUTSIDE:
            return _unchecked(name, "a link on the way leads out of the project's folder")
        case Place.NOWHERE:
            return Verdict(ClaimStatus.STALE, f"`{_shown(name)}` is a link that leads nowhere")
        case Place.CLOSED | Place.MISSING:
            return _unchecked(name, "it cannot be looked at")


def _sight(status: os.stat_result) -> Sight:
    return Sight(status.st_mtime_ns, status.st_ctime_ns, status.st_size)


def _ignored(root: Path) -> Ignored | None:
    try:
        return Ignored(root)
    except (OSError, ValueError, Invalid):
        return None


def _is_ignored(ignored: Ignored, path: Path, name: str) -> bool:
    try:
        return ignored.by(path, is_folder=name.endswith("/")) is not None
    except (OSError, ValueError, Invalid):
        return False


def _renamed(verdict: Verdict | None, word: str, name: str) -> Verdict | None:
    """The verdict on a word as one on a name that ends with it."""
    if verdict is None:
        return None
    return verdict._replace(note=verdict.note.replace(f"`{_shown(word)}`", f"`{_shown(name)}`", 1))


def _unchecked(name: str, why: str) -> Verdict:
    return Verdict(ClaimStatus.UNCHECKED, f"`{_shown(name)}`{NOT_CHECKED}{why}")


def _shown(name: str) -> str:
    """The name on one line, with nothing in it that would end the back-ticks around it."""
    return " ".join(visible(name).split()).replace("`", "'")
