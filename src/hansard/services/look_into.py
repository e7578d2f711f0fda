"""Looks into the files of a project for secrets: its mirror and what was set aside there, its notes, its guidance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.domain import mirror
from hansard.domain.errors import GuardRefused, Invalid
from hansard.guard import gate
from hansard.guard.floods import FLOOD
from hansard.services import found
from hansard.services.admission import BLOCK, Allowed, allowed_in, safe, said_in
from hansard.settings import data_folder
from hansard.workspace import guidance, notes, roots
from hansard.workspace.files import Enclosure
from hansard.workspace.mirror import Manifest, histories, kept_copies

if TYPE_CHECKING:
    from hansard.services.seat import Seat

FILE_BYTES_MAX = 256 * 1024 * 1024
"""Of a longer file only so much is looked at."""
EXPORTED = "run `hansard import`, then `hansard export`; commits in git keep it"
PROPOSED = "take it out of the file, or run `hansard import` and `hansard export`; commits in git keep it"
REFUSED = "take it out of the file, or delete the file; commits in git keep it"
"""Of a proposal that no import takes in, because the policy is to block."""
COPIED = "take it out of the copy, or delete the copy"
NOTED = "take it out of the note; commits in git keep it"
GUIDING = "take it out of the file; blocks show a mark in its place"
TOLD = "delete the copy; a replay of that block then says that the words are gone"
TEXT = "text"


class Spot(NamedTuple):
    """A secret in a text: the line it stands in, and its kind. Never the secret."""

    line: int
    kind: str


class FileSpot(NamedTuple):
    """A secret in a file, what somebody can do about it, and whether an export of this folder would."""

    root: str
    path: str
    line: int
    kind: str
    fix: str
    exported: bool


def spots(data: bytes, allowed: Allowed) -> list[Spot]:
    """Where the secrets of a file are."""
    text = _decoded(data)
    leaks = gate.passed({TEXT: text}, allowed).found
    several = {Spot(text.count("\n", 0, one.start) + 1, one.kind) for one in leaks if one.kind != FLOOD}
    if any(one.kind == FLOOD for one in leaks):
        # A long file of harmless lines is no dump: each of them is looked at.
        lines = text.split("\n")
        for place in gate.suspects(lines):
            several |= {Spot(place + 1, one.kind) for one in gate.passed({TEXT: lines[place]}, allowed).found}
    return sorted(several)


def without_secrets(data: bytes, allowed: Allowed) -> bytes | None:
    """The bytes of a file with a mark for each secret; None if there is none in them."""
    changed = gate.passed({TEXT: _decoded(data)}, allowed).texts.get(TEXT)
    return None if changed is None else str(changed).encode("utf-8", "surrogateescape")


def look_into(seat: Seat, allowed: Allowed) -> list[FileSpot]:
    """Every secret in the files of the project's folders on this machine. Nothing is changed."""
    machine = roots.machine_id(data_folder())
    several: list[FileSpot] = []
    for one in found.roots_of(seat.store, seat.project):
        # A folder that is gone, or stands behind a link now, has nothing that is the project's; the doctor says so.
        if one.machine == machine:
            with suppress(Invalid, OSError):
                several += _mirrored(seat, one.path, allowed)
            with suppress(Invalid, OSError):
                several += _noted(one.path, allowed)
    with suppress(Invalid, OSError):
        several += _guiding(seat, allowed)
    return list(dict.fromkeys(several))


def _mirrored(seat: Seat, root: str, allowed: Allowed) -> Iterator[FileSpot]:
    with Enclosure(Path(root), unlinked=True) as files:
        last = Manifest.load(files)
        ours = last.files if last.project == seat.project.id else {}
        for path in paths_of(files):
            with suppress(Invalid, OSError):
                data = files.read(path, bytes_max=FILE_BYTES_MAX) or b""
                for line, kind in _spots_of(path, data, allowed):
                    yield FileSpot(root, f"{root}/{safe(path)}", line, kind, _fix(seat, path), path in ours)


def paths_of(files: Enclosure) -> list[str]:
    """The files that a mirror has, or may have had, below its root, and the copies beside them."""
    fixed = (*mirror.LEDGER.values(), mirror.DECISIONS, mirror.BOUNDARIES, mirror.PATTERNS, mirror.NOW)
    try:
        names = files.names(mirror.INBOX_FOLDER)
    except (OSError, Invalid):
        names = []
    proposed = [f"{mirror.INBOX_FOLDER}/{one}" for one in names if one.casefold().endswith(".md")]
    return list(dict.fromkeys((*fixed, *histories(files), *proposed, *kept_copies(files))))


def _fix(seat: Seat, path: str) -> str:
    if mirror.is_kept_name(path.rpartition("/")[2]):
        return COPIED
    if not path.startswith(f"{mirror.INBOX_FOLDER}/"):
        return EXPORTED
    return REFUSED if seat.settings.guard_secrets == BLOCK else PROPOSED


def _spots_of(path: str, data: bytes, allowed: Allowed) -> list[Spot]:
    return _spots_of_lines(data, allowed) if path in mirror.LEDGER.values() else spots(data, allowed)


def _spots_of_lines(data: bytes, allowed: Allowed) -> list[Spot]:
    """The same of a ledger file. Each field is looked at by itself, as it is when it is written: two beside each other
    may look like a name and its value."""
    said = [_fields(raw) for raw in data.split(b"\n")]
    several: list[Spot] = []
    for place in sorted(gate.suspects([said_in(one) for one in said])):
        several += [Spot(place + 1, one.kind) for one in gate.passed(said[place], allowed).found]
    return several


def _fields(raw: bytes) -> dict[str, gate.Text]:
    try:
        line: Any = json.loads(raw)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict):
        return {TEXT: _decoded(raw)}
    fields: dict[str, gate.Text] = {"keys": tuple(line)}
    for name, value in line.items():
        if isinstance(value, str):
            fields[name] = value
        elif isinstance(value, list | dict):
            fields[name] = tuple(str(one) for one in value)
    return fields


def _noted(root: str, allowed: Allowed) -> Iterator[FileSpot]:
    for one in notes.survey((), Path(root)).files:
        document = notes.read(one)
        if isinstance(document, str):
            for line, kind in spots(document.encode("utf-8", "surrogateescape"), allowed):
                yield FileSpot(root, safe(str(one.path)), line, kind, NOTED, exported=False)


def _guiding(seat: Seat, allowed: Allowed) -> Iterator[FileSpot]:
    """What blocks told of the consolidated memory, and what was kept of it for a replay."""
    data, id = data_folder(), seat.project.id
    copies = [(guidance.copy_path(id, digest), TOLD) for digest in guidance.copies(data, id)]
    with Enclosure(data) as files:
        for path, fix in ((guidance.path_of(id), GUIDING), *copies):
            found = files.read(path, bytes_max=FILE_BYTES_MAX) or b""
            for line, kind in spots(found, allowed):
                yield FileSpot(str(data), str(data / path), line, kind, fix, exported=False)


def refuse_secrets(seat: Seat, root: Path, paths: Sequence[str]) -> None:
    """Raises GuardRefused if one of these files holds a secret: a commit cannot be taken back."""
    with Enclosure(root) as files:
        for path in paths:
            data = b""
            # git says itself what it cannot read.
            with suppress(Invalid, OSError):
                data = files.read(path, bytes_max=FILE_BYTES_MAX) or b""
            for line, kind in _spots_of(path, data, allowed_in(seat)):
                raise GuardRefused(
                    f"{path}:{line}: there is a secret ({kind}) in it; nothing was committed. Run `hansard export`,"
                    " take it out of the file, or have a person run `hansard guard allow`."
                )


def _decoded(data: bytes) -> str:
    """Any bytes as a text. What is no UTF-8 comes back as it was."""
    return data.decode("utf-8", "surrogateescape")
