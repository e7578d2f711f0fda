"""Owns checking claims against a working tree: whether files are there, and whether symbols stand anywhere in it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from hansard.clock import Clock, SystemClock
from hansard.domain.claims import NOT_CHECKED, VERIFIED, Claim, ClaimKind, ClaimStatus, Verdict, last_part
from hansard.domain.errors import Invalid
from hansard.domain.text import visible
from hansard.workspace import roots
from hansard.workspace.files import read_plain
from hansard.workspace.ground import Ground, Listing, Place, inside_of
from hansard.workspace.ignored import Ignored
from hansard.workspace.search import NO_REPOSITORY, OWN_FOLDERS, PARTIAL, Search, plain_text, stands_in
from hansard.workspace.sightings import Absence, Sight, Sighting, Sightings
from hansard.workspace.signs import Sign, sign_of, watch_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Claim", "ClaimKind", "ClaimStatus", "Evidence", "Verdict", "evidence_of"]

ABSENCE_SECONDS = 5
ABSENCE_SECONDS_MAX = 300
"""How long a miss holds while nothing that is looked at changes: twice as long each time, and at once if all is."""
UNSEARCHED = "it may be in a place that is named with it and not searched"
BESIDE_BYTES_MAX = 16_777_216
"""How much of the files that are named beside symbols is read in one check."""
SEARCH_SECONDS_MAX = 5.0
REREAD_BYTES_MAX = 4_194_304
RACE_MICROSECONDS = 50_000
RACE_MICROSECONDS_COARSE = 2_000_000
"""A file that changed so lately may change again without a trace in its times; coarse clocks count whole seconds."""
ROOTS_MAX = 16

_WORD = re.compile(r"\w+")
_kept: dict[tuple[str, str], Evidence] = {}
_keeping = Lock()


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
    found stays so for a while, if HEAD, the index and the sign of the tree are the same. Safe in threads.
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
        self._ground = Ground(self._base)
        self._known = known
        self._now = now
        self._fresh = fresh
        self._seconds_max = seconds_max
        self._state: str | None = None
        self._signs: Sign | None = None
        self._texts: dict[str, bytes | None] = {}
        self._bytes_left = BESIDE_BYTES_MAX

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
        return {one: found[one] if one.sure else self._weighed(one, found[one]) for one in claims}

    def _weighed(self, claim: Claim, verdict: Verdict) -> Verdict:
        """Words that may mean something else are no claim unless they hold, or begin with a folder that is there."""
        if verdict.status is ClaimStatus.VERIFIED:
            return verdict
        if claim.kind is ClaimKind.SYMBOL:
            return Verdict(ClaimStatus.UNCHECKED, f"`{_shown(claim.name)}` may be no name in the code")
        if self._ground.place(claim.name.partition("/")[0]) is Place.THERE:
            return verdict
        return Verdict(ClaimStatus.UNCHECKED, f"`{_shown(claim.name)}` may be no file")

    def _known_path(self, claim: Claim) -> Verdict | None:
        """What is known without asking git; None if the path is not at its place."""
        inside = inside_of(claim.name, self._base)
        if inside is None:
            return _unchecked(claim.name, "it is outside of the project's folder")
        place = self._ground.place(inside)
        if place is Place.MISSING:
            elsewhere = self._known.places.get(self._known.key(f"path {inside}"))
            if elsewhere is not None and self._ground.place(elsewhere) is Place.THERE:
                return VERIFIED
            known = self._known_absence(self._known.key(f"path {inside}"))
            return None if known is None else _absent(claim, known.hindrance)
        return _verdict_on(claim.name, place)

    def _known_symbol(self, claim: Claim) -> Verdict | None:
        word = last_part(claim.name)
        if not _WORD.fullmatch(word):
            return _unchecked(claim.name, "it is no name that can be searched for")
        key = self._known.key(f"symbol {word}")
        seen = self._known.words.get(key)
        if seen is not None:
            if self._still_stands(word, seen):
                return VERIFIED
            del self._known.words[key]
            self._known.changed = True
        place = self._known.places.get(key)
        if place is not None and self._ground.place(place) is Place.THERE:
            return VERIFIED
        absence = self._absence_key(claim)
        known = self._known_absence(absence)
        beside = self._looks_beside(claim)
        if known is None or known.beside != beside:
            if self._stands_beside(word, claim):
                return VERIFIED
            if known is not None:
                self._known.absences[absence] = known._replace(beside=beside)
                self._known.changed = True
        return None if known is None else _absent(claim, known.hindrance)

    def _absence_key(self, symbol: Claim) -> str:
        """What a word said beside these files goes by: beside others it may be in one that git passes over."""
        return self._known.key("\n".join((f"absent {last_part(symbol.name)}", *symbol.beside)))

    def _known_absence(self, key: str) -> Absence | None:
        known = self._known.absences.get(key)
        if known is None or self._fresh:
            return None
        held = 0 <= self._now - known.at <= known.seconds * 1_000_000
        held = held and known.state == self._repository_state() and known.sign == self._sign().value
        return known if held else None

    def _looks_beside(self, claim: Claim) -> str:
        looks: list[str] = []
        for name in claim.beside:
            inside = inside_of(name, self._base)
            status = None if inside is None else self._ground.plain_file(inside)
            looks.append("-" if status is None else ".".join(map(str, _sight(status))))
        return " ".join(looks)

    def _stands_beside(self, word: str, claim: Claim) -> bool:
        """Whether the word stands in a file that is named with it, whatever git thinks of that file."""
        for name in claim.beside:
            inside = inside_of(name, self._base)
            text = None if inside is None else self._text(inside)
            if inside is not None and text is not None and stands_in(word, text):
                self._remember(word, inside)
                return True
        return False

    def _text(self, inside: str) -> bytes | None:
        """The text of a file, read once; None if there is none to read, or too much."""
        if inside not in self._texts:
            status = None if inside.startswith(OWN_FOLDERS) else self._ground.plain_file(inside)
            text = None
            if status is not None and status.st_size <= min(REREAD_BYTES_MAX, self._bytes_left):
                text = self._read(inside)
                self._bytes_left -= status.st_size
            self._texts[inside] = text
        return self._texts[inside]

    def _read(self, inside: str) -> bytes | None:
        try:
            data = read_plain(self._root / inside, bytes_max=REREAD_BYTES_MAX)
        except (OSError, ValueError):
            return None
        return None if data is None else plain_text(data)

    def _still_stands(self, word: str, seen: Sighting) -> bool:
        status = self._ground.plain_file(seen.file)
        if status is None:
            return False
        if _sight(status) == seen.sight:
            return True
        if not stands_in(word, self._read(seen.file) or b""):
            return False
        self._remember(word, seen.file)
        return True

    def _searched(self, paths: Sequence[Claim], symbols: Sequence[Claim]) -> dict[Claim, Verdict]:
        search = Search(self._root, seconds_max=self._seconds_max)
        words = {last_part(one.name): None for one in symbols}
        for word, file in search.words(words).items():
            self._remember(word, file)
        left = [one for one in symbols if self._known.key(f"symbol {last_part(one.name)}") not in self._known.words]
        files = search.files() if paths or left else []
        listed = Listing(files)
        hindrance = search.hindrance or (PARTIAL if search.is_partial else None)
        if paths or left:
            self._known.watch = watch_for([] if search.hindrance else files, self._base)
            self._signs = None
        found = dict.fromkeys(symbols, VERIFIED)
        ignored = _ignored(self._root) if paths or left else None
        for one in left:
            found[one] = self._symbol_by_name(one, listed, ignored, hindrance)
        for one in paths:
            found[one] = self._path_elsewhere(one, listed, ignored, hindrance)
        self._known.changed = True
        return found

    def _symbol_by_name(self, claim: Claim, listed: Listing, ignored: Ignored | None, hindrance: str | None) -> Verdict:
        """A module or a package is a name in the code too, although it may stand in none."""
        word = last_part(claim.name)
        for place in listed.named(word):
            if self._ground.place(place) is Place.THERE:
                self._known.places[self._known.key(f"symbol {word}")] = place
                return VERIFIED
        if hindrance is None and any(self._is_unsearched(one, listed, ignored) for one in claim.beside):
            hindrance = UNSEARCHED
        self._note_absence(self._absence_key(claim), hindrance or "", self._looks_beside(claim))
        return _absent(claim, hindrance or "")

    def _is_unsearched(self, name: str, listed: Listing, ignored: Ignored | None) -> bool:
        """Whether a place is one that neither git nor we have looked into, so that what is in it is not known."""
        inside = inside_of(name, self._base)
        if inside is None:
            return True
        if inside.startswith(OWN_FOLDERS):
            return False
        place = self._ground.place(inside)
        if place is Place.MISSING:
            return ignored is not None and _is_ignored(ignored, self._root / inside, name)
        if place is not Place.THERE:
            return True
        if listed.holds(inside):
            return False
        return self._text(inside) is None

    def _path_elsewhere(self, claim: Claim, listed: Listing, ignored: Ignored | None, hindrance: str | None) -> Verdict:
        """A path may be given from any folder, and a name alone be anywhere."""
        inside = inside_of(claim.name, self._base)
        assert inside is not None, "what is outside was answered before"
        key = self._known.key(f"path {inside}")
        for place in listed.ending(inside):
            if self._ground.place(place) is Place.THERE:
                self._known.places[key] = place
                return VERIFIED
        # Where there is no repository nobody lists the files, and a path is taken to begin at the root.
        if hindrance == NO_REPOSITORY and "/" in inside:
            hindrance = None
        if hindrance is None and ignored is not None and _is_ignored(ignored, self._root / inside, claim.name):
            hindrance = "git ignores it, so another checkout may have it"
        self._note_absence(key, hindrance or "")
        return _absent(claim, hindrance or "")

    def _note_absence(self, key: str, hindrance: str, beside: str = "") -> None:
        before = self._known.absences.pop(key, None)
        state, sign = self._repository_state(), self._sign()
        seconds = ABSENCE_SECONDS
        if before is not None and (before.state, before.sign) == (state, sign.value):
            seconds = min(before.seconds * 2, ABSENCE_SECONDS_MAX)
        if self._known.watch.is_whole and sign.is_settled:
            seconds = ABSENCE_SECONDS_MAX
        self._known.absences[key] = Absence(state, sign.value, self._now, seconds, hindrance, beside)

    def _sign(self) -> Sign:
        if self._signs is None:
            self._signs = sign_of(self._base, self._known.watch, self._now)
        return self._signs

    def _remember(self, word: str, file: str) -> None:
        status = self._ground.plain_file(file)
        sight = Sight(0, 0, 0) if status is None or self._may_race(status) else _sight(status)
        key = self._known.key(f"symbol {word}")
        self._known.words.pop(key, None)
        self._known.words[key] = Sighting(file, sight)
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


def _absent(claim: Claim, hindrance: str) -> Verdict:
    """The verdict on a claim that was not found; what kept us from looking everywhere leaves it unchecked."""
    if hindrance:
        return _unchecked(claim.name, hindrance)
    what = "is not found" if claim.kind is ClaimKind.SYMBOL else "no longer exists"
    return Verdict(ClaimStatus.STALE, f"`{_shown(claim.name)}` {what}")


def _unchecked(name: str, why: str) -> Verdict:
    return Verdict(ClaimStatus.UNCHECKED, f"`{_shown(name)}`{NOT_CHECKED}{why}")


def _shown(name: str) -> str:
    """The name on one line, with nothing in it that would end the back-ticks around it."""
    return " ".join(visible(name).split()).replace("`", "'")
