"""Recognises files that git made of those of two clones: no line of them is anybody's but the record's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hansard.domain import frontmatter, lines, mirror
from hansard.domain.errors import Invalid
from hansard.domain.layout import SESSION_NOTE
from hansard.domain.mirror import State
from hansard.domain.paging import Window
from hansard.domain.vocabulary import DecisionStatus, Subject
from hansard.services.read_lines import FILE_BYTES_MAX, read_ledger
from hansard.services.reunite import Local, local_of
from hansard.services.take_over import decision_from, entry_from, memory_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hansard.domain.sessions import Session
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction
    from hansard.workspace.files import Enclosure
    from hansard.workspace.mirror import Manifest

_UPDATED = "updated_at: "
_NOW_LAYOUT = re.compile(
    r"""---|updated_at: "[0-9TZ:-]+"|focus_area: .*|active_issues: \[.*\]|# What We're Focused On"""
    rf"|No session is open\.|## Summary|{re.escape(SESSION_NOTE)}"
)
_FOCUS = "focus_area: "
_LISTS = frozenset({"applies_to"})
_SHOWN = ("number", "type", "title", "content", "rationale", "slug", "requested_slug", *_LISTS)
"""What of an earlier version stands in readable files and can have been another one."""
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
        try:
            said = data.decode().splitlines()
        except UnicodeDecodeError:
            return False
        if path == mirror.NOW:
            return self._is_joined_session(said)
        known = self._lines().get(path, set())
        return all(not one.strip() or one in known or self._is_link(one) for one in said)

    def _is_foreign(self, path: str) -> bool:
        try:
            there = self._files.digest(path)
        except (OSError, Invalid):
            return False
        return there is not None and there not in self._manifest.all_of(path)

    def _is_joined_session(self, said: Sequence[str]) -> bool:
        """Whether it is what two clones said of their sessions: two heads, and no words but ours and a focus.

        A session stays in its clone, so what the other one's summary said is not known, and is kept.
        """
        if sum(one.startswith(_UPDATED) for one in said) < 2:
            return False
        with self._seat.reading() as tx:
            sessions = [one for one in (tx.sessions.current(), *tx.sessions.page(Window(1)).items) if one is not None]
        known = {line for one in sessions for line in _session_lines(one)}
        return all(not one.strip() or one in known or _NOW_LAYOUT.fullmatch(one) or _head(one) in said for one in said)

    def _is_link(self, line: str) -> bool:
        found = _LINKS.fullmatch(line)
        return found is not None and self._refs.issuperset(found[1].split(", "))

    def _lines(self) -> Mapping[str, set[str]]:
        """Every line that a clone can have written, by the file it stands in."""
        if self._known is None:
            with self._seat.reading() as tx:
                local = local_of(self._seat, tx)
                earlier = _earlier(tx, local)
            records = (local.decisions, local.entries, local.memories)
            decisions, entries, memories = (list(one.values()) for one in records)
            here = State(decisions, entries, memories, None)  # type: ignore[arg-type]
            self._known = {}
            for state in (here, earlier, self._pulled_state(), State((), (), (), None)):
                self._refs.update(one.ref for one in state.decisions)
                for path, text in _texts(state):
                    self._known.setdefault(path, set()).update(text.splitlines())
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
    for path, data in mirror.rendered(_as_once(state)).items():
        if not mirror.is_ledger_path(path) and not mirror.is_entry_path(path):
            yield path, data.decode()
    for path, data in mirror.rendered(state._replace(entries=())).items():
        if not mirror.is_ledger_path(path):
            yield path, data.decode()
    for one in state.entries:
        # Two clones may have given one slug, and so one file, to two proposals; one that was reviewed had a file too.
        for slug in {one.slug, one.requested_slug}:
            # What a person in one clone vouched for, the other one fences.
            for fenced in (False, True):
                yield mirror.entry_path(slug), frontmatter.written(one, fenced=fenced)


def _as_once(state: State) -> State:
    """The same decisions and memories while they were in force: the other clone may not know yet that they ended."""
    decisions = [one._replace(status=DecisionStatus.ACTIVE, superseded_by=None) for one in state.decisions]
    memories = [one._replace(expires_at=None) for one in state.memories]
    return State(decisions, (), memories, None)


def _earlier(tx: Transaction, local: Local) -> State:
    """What records that travel said before, as far as this clone keeps it."""
    found: dict[Subject, list[Any]] = {kind: [] for kind in mirror.LEDGER}
    known: Mapping[Subject, Mapping[str, Any]] = {
        Subject.DECISION: local.decisions, Subject.ENTRY: local.entries, Subject.MEMORY: local.memories,
    }  # fmt: skip
    for kind, id, revision in tx.revisions.walk():
        record = known.get(kind, {}).get(id)
        if record is not None:
            found[kind].append(_as_before(record, revision.body))
    return State(found[Subject.DECISION], found[Subject.ENTRY], found[Subject.MEMORY], None)


def _as_before(record: Any, body: Mapping[str, Any]) -> Any:
    """The record with what an earlier version has put into its files."""
    said = {name: body[name] for name in _SHOWN if name in body and name in record._fields}
    for name in _LISTS.intersection(said):
        said[name] = tuple(said[name])
    if "type" in said:
        said["type"] = type(record.type)(said["type"])
    return record._replace(**said)


def _head(line: str) -> str:
    """What the head of the file says of a focus that stands in this line below it."""
    return _FOCUS + frontmatter.scalar(line)


def _session_lines(session: Session) -> list[str]:
    return mirror.rendered(State((), (), (), session))[mirror.NOW].decode().splitlines()
