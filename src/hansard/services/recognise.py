"""Recognises files that git made of those of two clones: no line of them is anybody's but the record's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.domain import frontmatter, lines, mirror
from hansard.domain.errors import Invalid
from hansard.domain.mirror import State
from hansard.domain.vocabulary import EntryStatus, Subject
from hansard.services.reunite import FILE_BYTES_MAX, local_of, read_ledger
from hansard.services.take_over import decision_from, entry_from, memory_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hansard.services.seat import Seat
    from hansard.workspace.files import Enclosure
    from hansard.workspace.mirror import Manifest

_UPDATED = b"updated_at:"
_LINKS = re.compile(r"> \*\*Supersede(?:s|d by):\*\* (D-[0-9]+(?:, D-[0-9]+)*)")
"""Which numbers stand in such a line depends on what else its clone knew."""


class Joint:
    """What two clones wrote, as far as the record and the ledger files tell.

    A pull joins the readable files line by line, and the ledger files with them. So while there are ledger files that
    the last export did not write, a readable file with no line but those that a clone wrote is git's work. A line that
    no clone can have written is somebody's own, and then the file is left to its keeper.
    """

    def __init__(self, seat: Seat, files: Enclosure, manifest: Manifest) -> None:
        self._seat = seat
        self._files = files
        self._manifest = manifest
        self._pulled: dict[Subject, bytes] | None = None
        self._known: dict[str, set[str]] | None = None
        self._refs: set[str] = set()

    def look(self) -> None:
        """Reads the ledger files as they are now, before they are written over."""
        if self._pulled is None:
            foreign = any(self._is_foreign(path) for path in mirror.LEDGER.values())
            self._pulled = read_ledger(self._files)[0] if foreign else {}

    def made(self, path: str) -> bool:
        """Whether git made the file of this path of what clones wrote, and nobody else wrote a line of it."""
        self.look()
        if not self._pulled or not mirror.is_mirror_path(path):
            return False
        try:
            data = self._files.read(path, bytes_max=FILE_BYTES_MAX) or b""
        except (OSError, Invalid):
            return False
        if path == mirror.NOW:
            # A session stays in its clone, so the other one's lines are not known. Nobody writes two heads by hand.
            return sum(one.startswith(_UPDATED) for one in data.splitlines()) > 1
        try:
            said = data.decode().splitlines()
        except UnicodeDecodeError:
            return False
        known = self._lines().get(_place(path), set())
        return all(not one.strip() or one in known or self._is_link(one) for one in said)

    def _is_foreign(self, path: str) -> bool:
        try:
            there = self._files.digest(path)
        except (OSError, Invalid):
            return False
        return there is not None and there not in self._manifest.all_of(path)

    def _is_link(self, line: str) -> bool:
        found = _LINKS.fullmatch(line)
        return found is not None and self._refs.issuperset(found[1].split(", "))

    def _lines(self) -> Mapping[str, set[str]]:
        """Every line that a clone can have written, by the file it stands in."""
        if self._known is None:
            with self._seat.reading() as tx:
                local = local_of(self._seat, tx)
            records = (local.decisions, local.entries, local.memories)
            decisions, entries, memories = (list(one.values()) for one in records)
            here = State(decisions, entries, memories, None)  # type: ignore[arg-type]
            self._known = {}
            for state in (here, self._pulled_state(), State((), (), (), None)):
                self._refs.update(one.ref for one in state.decisions)
                for path, text in _texts(state):
                    self._known.setdefault(_place(path), set()).update(text.splitlines())
        return self._known

    def _pulled_state(self) -> State:
        found = {kind: list(self._live(kind)) for kind in mirror.LEDGER}
        return State(
            [decision_from(one, None) for one in found[Subject.DECISION]],
            [entry_from(one, None) for one in found[Subject.ENTRY]],
            [memory_from(one, None) for one in found[Subject.MEMORY]],
            None,
        )

    def _live(self, kind: Subject) -> Iterable[lines.Line]:
        said = (self._pulled or {}).get(kind, b"")
        return (one.line for one in lines.read(kind, said).found if one.line["state"] != lines.FORGOTTEN)


def _texts(state: State) -> Iterator[tuple[str, str]]:
    for path, data in mirror.rendered(state).items():
        if not mirror.is_ledger_path(path):
            yield path, data.decode()
    for one in state.entries:
        # Two clones may have given one slug, and so one file, to two proposals.
        if one.status is EntryStatus.PENDING:
            yield mirror.entry_path(one.slug), frontmatter.written(one)


def _place(path: str) -> str:
    """A proposal may have got another file since; all other records stay in theirs."""
    return mirror.INBOX_FOLDER if mirror.is_entry_path(path) else path
