"""Owns where claims were seen last, in memory and in a small file for processes that do one thing and end.

What a memory says is in neither: a name is kept as a digest, so that nothing of it is left when it is forgotten.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from hansard.workspace.files import read_plain
from hansard.workspace.signs import PLACES_MAX, Watch

if TYPE_CHECKING:
    from _blake2 import blake2s
    from pathlib import Path

FORMAT = 2
SALT_BYTES = 16
DIGEST_BYTES = 12
ENTRIES_MAX = 5_000
FILE_BYTES_MAX = 8_388_608
FILES_MAX = 100


class Sight(NamedTuple):
    """How a file looked when a word was seen in it. Nothing that we could compare is zero."""

    mtime_ns: int
    ctime_ns: int
    size: int


class Sighting(NamedTuple):
    """A file that a word stands in, by its path from the root."""

    file: str
    sight: Sight


class Absence(NamedTuple):
    """A claim that was not found: at which state of the repository and sign of the tree, when, and for how long.

    `hindrance` says why it is unchecked, and is empty if it is stale. `beside` is how the files looked that are named
    with it.
    """

    state: str
    sign: str
    at: int
    seconds: int
    hindrance: str
    beside: str


class Sightings:
    """What is known of one root. A file that is damaged, or of another root, is as good as none."""

    def __init__(self, root: Path, folder: Path | None) -> None:
        self.words: dict[str, Sighting] = {}
        self.places: dict[str, str] = {}
        """For a name that is not at its place, the file or folder that it is the end of."""
        self.absences: dict[str, Absence] = {}
        self.watch = Watch()
        self.changed = False
        self._salt = os.urandom(SALT_BYTES)
        self._digest = _keyed(self._salt)
        self._keys: dict[str, str] = {}
        self._root = os.fsencode(root).hex()
        self._file = None if folder is None else folder / f"claims-{_short(root)}.json"

    def key(self, name: str) -> str:
        """What a name goes by here. Whoever has the file can try a guess, but cannot read what was said."""
        known = self._keys.get(name)
        if known is None:
            if len(self._keys) > ENTRIES_MAX:
                self._keys.clear()
            made = self._digest.copy()
            made.update(name.encode("utf-8", "surrogatepass"))
            known = self._keys[name] = made.hexdigest()
        return known

    def load(self) -> None:
        import json

        if self._file is None:
            return
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            data = read_plain(self._file, bytes_max=FILE_BYTES_MAX + 1) or b""
            # What cannot be used is written over: an older one holds names as they are.
            self.changed = True
            if len(data) > FILE_BYTES_MAX:
                return
            known = json.loads(data)
            if known["format"] != FORMAT or known["root"] != self._root:
                return
            words = {one: Sighting(str(file), Sight(*map(int, sight))) for one, (file, sight) in known["words"].items()}
            places = {one: str(place) for one, place in known["places"].items()}
            absences = {
                one: Absence(str(state), str(sign), int(at), int(seconds), str(hindrance), str(beside))
                for one, (state, sign, at, seconds, hindrance, beside) in known["absences"].items()
            }
            watched, is_whole = known["watch"]
            watch = Watch(tuple(map(str, watched[:PLACES_MAX])), bool(is_whole))
            salt = bytes.fromhex(known["salt"])
            if len(salt) != SALT_BYTES:
                return
            self.words, self.places, self.absences, self.watch = words, places, absences, watch
            self._salt, self._digest, self.changed = salt, _keyed(salt), False

    def save(self) -> None:
        """Writes what is known, if it changed. That it cannot be written costs time and nothing else."""
        if not self.changed:
            return
        self.changed = False
        for entries in (self.words, self.places, self.absences):
            while len(entries) > ENTRIES_MAX:
                entries.pop(next(iter(entries)))
        if self._file is not None:
            with suppress(OSError, ValueError):
                self._write(self._file)

    def _write(self, file: Path) -> None:
        import json

        document = {
            "format": FORMAT, "root": self._root, "salt": self._salt.hex(), "watch": self.watch, "words": self.words,
            "places": self.places, "absences": self.absences,
        }  # fmt: skip
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            _make_room(file.parent)
        temporary = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        try:
            # Names of files are in it: nobody else's business.
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as writer:
                writer.write(json.dumps(document))
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    """Removes the files of roots that nobody asked about for longest: work trees come and go."""
    known = sorted(folder.glob("claims-*.json"), key=lambda one: one.stat().st_mtime_ns)
    for one in known[: max(0, len(known) - FILES_MAX + 1)]:
        one.unlink(missing_ok=True)


def _keyed(salt: bytes) -> blake2s:
    # The module behind hashlib: that one loads a library for every digest there is.
    from _blake2 import blake2s

    return blake2s(key=salt, digest_size=DIGEST_BYTES)


def _short(root: Path) -> str:
    """A name for the file. Two roots may share one, so the file says whose it is."""
    from zlib import crc32

    return f"{crc32(os.fsencode(root)):08x}"
