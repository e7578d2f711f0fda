"""Scans everything that is stored for secrets, and takes them out: of records, their earlier versions and the logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain.decisions import Decision
from hansard.domain.errors import HansardError
from hansard.domain.inbox import Entry
from hansard.domain.ledger import Event, Revision
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act
from hansard.domain.vocabulary import Subject
from hansard.guard import gate
from hansard.services import chronicle
from hansard.services.admission import BETWEEN, MARKS, TEXTS, Allowed, allowed_in, said_in
from hansard.services.look_into import FileSpot, look_into
from hansard.services.reindex import fill_vectors, reindex
from hansard.services.repeat import note_work
from hansard.services.seat import Seat, fresh_salt
from hansard.store.filters import DecisionFilter, EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

Fetch: TypeAlias = Callable[[Window], Page[Any]]
Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is looked at, how much of it is done, and how much there is; 0 if nobody knows."""

EVENTS_AT_ONCE = 5_000
EVENT, FILE, NAME = "event", "file", "name"
ACTOR = "actor"
"""Places beside the records and the logs."""
NAMED = "other records name it; revoke it"
SEALED = "an event of the history never changes; revoke it"
SPELLED = "events name whoever acted; revoke it"
WALKED = "the folder is found again by its path; rename it, and revoke it"
FINDINGS_MAX = 10_000
"""How many findings a report names; more are counted."""
REVISIONS_AT_ONCE = 500
LATER_NAMES_MAX = 20
"""Under how many later names a version is read: an author may rename a record a thousand times."""
SAFE_MARK = "redacted"
"""Stands in the place of a tag that is a secret."""
REPLACEABLE_MARKS = frozenset({"tags", "applies_to", "task_type", "session_id"})
KINDS: Mapping[Subject, str] = {
    Subject.ENTRY: "Entry", Subject.DECISION: "Decision", Subject.MEMORY: "Memory", Subject.SESSION: "Session",
    Subject.RUN: "Run",
}  # fmt: skip
LOGS = ("ratings", "retrievals", "receipts", "jobs")


class Finding(NamedTuple):
    """One secret that is stored: where, and of which kind. Never the secret."""

    place: str
    id: str
    version: int | None
    field: str
    kind: str
    stays: bool = False
    """Whether a redaction leaves it there."""
    ref: str = ""
    """What a person calls the record, such as D-7."""
    fix: str = ""
    """Why it stays, or what somebody can do about it."""


class ScanReport(NamedTuple):
    """What was looked at, what was found, and how many records or lines were mended."""

    texts: int
    findings: tuple[Finding, ...]
    found: int
    redacted: int


def scan(seat: Seat, *, redact: bool = False, progress: Progress | None = None) -> ScanReport:
    """Looks at everything that the project holds, and at its files on this machine. With `redact` each record is mended
    in a transaction of its own, and the files that show it are written anew.

    A scan that was interrupted is begun again: what is clean is left as it is.
    """
    seat.require(Act.SCAN)
    look = _Look(seat, progress)
    look.run()
    redacted = 0
    if redact and (look.dirty or look.loose):
        redacted = _mend(seat, look, progress)
    in_files = list(_in_files(seat, look.files, redact=redact))
    found = look.found + len(in_files)
    return ScanReport(look.texts, (*look.findings, *in_files)[:FINDINGS_MAX], found, redacted)


def _in_files(seat: Seat, before: Sequence[FileSpot], *, redact: bool) -> Iterator[Finding]:
    """What stands in files. They follow the record now, whatever is set: else the secret would be in them until
    something else changes."""
    after = before
    if redact and before:
        for root in dict.fromkeys(one.root for one in before if one.exported):
            _export(seat, root)
        after = look_into(seat, allowed_in(seat))
    left = {one.path for one in after}
    mended = [one for one in before if one.path not in left]
    yield from (_of_file(one, stays=False) for one in mended)
    yield from (_of_file(one, stays=redact or not one.exported) for one in after)


def _of_file(spot: FileSpot, *, stays: bool) -> Finding:
    return Finding(FILE, spot.path, None, f"line {spot.line:,}", spot.kind, stays, fix=spot.fix)


def _export(seat: Seat, root: str) -> None:
    from hansard.services.keep_up import export

    # The record is clean already; a file that could not be written is named by the look that follows.
    with suppress(HansardError):
        export(seat, root)


class _Look:
    """One walk over the project, and what it found."""

    def __init__(self, seat: Seat, progress: Progress | None) -> None:
        self._seat, self._progress = seat, progress
        self.texts = self.found = 0
        self.findings: list[Finding] = []
        self.dirty: dict[tuple[Subject, str], None] = {}
        self.loose: list[tuple[str, str]] = []
        self.files: list[FileSpot] = []
        self._refs: dict[str, str] = {}
        self._named: dict[tuple[Subject, str], None] = {}
        """Records with a name, now or earlier, that may make a secret of what they said before they had it."""

    def run(self) -> None:
        with self._seat.reading() as tx:
            allowed = allowed_in(self._seat, tx)
            for kind, fetch in _pages_of(tx).items():
                done = 0
                for page in _pages(fetch):
                    self._refs |= {one.id: one.ref for one in page if isinstance(one, Entry | Decision)}
                    self._look_at(kind, [(one.id, None, _said(one)) for one in page], allowed)
                    done += len(page)
                    self._tell(f"{kind.value} records", done)
            waiting: list[tuple[Subject, str, Revision]] = []
            done = 0
            for one in tx.revisions.walk():
                waiting.append(one)
                if len(waiting) == REVISIONS_AT_ONCE:
                    done += self._look_at_revisions(waiting, allowed)
                    self._tell("earlier versions", done)
            self._look_at_revisions(waiting, allowed)
            for kind, id in self._named:
                self._look_under_later_names(tx, kind, id, allowed)
            self._look_at_logs(tx, allowed)
            self._look_at_names(tx)
            self._look_at_events(tx, allowed)
        # Behind the view of the database: how long it takes is up to the files.
        self.files = look_into(self._seat, allowed_in(self._seat))

    def _look_at_revisions(self, waiting: list[tuple[Subject, str, Revision]], allowed: Allowed) -> int:
        count = len(waiting)
        for kind in KINDS:
            some = [(id, one.version, _body_said(kind, one.body)) for subject, id, one in waiting if subject is kind]
            self._look_at(kind, some, allowed)
        waiting.clear()
        return count

    def _look_at(
        self, kind: Subject, items: Sequence[tuple[str, int | None, dict[str, Any]]], allowed: Allowed
    ) -> None:
        """Scans all of them at once, and those by themselves that may hold something."""
        self.texts += len(items)
        self._named |= {(kind, id): None for id, _, said in items if gate.labels_of(said)}
        words = [BETWEEN.join((said_in(said), *_capitals(said))) for _, _, said in items]
        for place in sorted(gate.suspects(words)):
            id, version, said = items[place]
            marks = MARKS.get(KINDS[kind], ())
            passed = gate.passed({name: value for name, value in said.items() if name not in marks}, allowed)
            ref = self._refs.get(id, "")
            for one in passed.found:
                self._note(Finding(kind.value, id, version, one.field, one.kind, ref=ref), (kind, id))
            for name in marks:
                for mark in _flat({name: said.get(name)}):
                    leak = gate.holds_secret(mark)
                    if leak is not None:
                        stays = name not in REPLACEABLE_MARKS
                        fix = NAMED if stays else ""
                        self._note(Finding(kind.value, id, version, name, leak.kind, stays, ref, fix), (kind, id))

    def _look_under_later_names(self, tx: Transaction, kind: Subject, id: str, allowed: Allowed) -> None:
        now, earlier = _get(tx, kind, id), tx.revisions.of(kind, id)
        said = [*(_body_said(kind, one.body) for one in earlier), *([] if now is None else [_said(now)])]
        for one, (_, found) in zip(earlier, _under_later_names(kind, said, allowed), strict=False):
            for secret in found:
                ref = self._refs.get(id, "")
                self._note(Finding(kind.value, id, one.version, gate.NAMED, secret, ref=ref), (kind, id))

    def _look_at_logs(self, tx: Transaction, allowed: Allowed) -> None:
        for table in LOGS:
            texts = list(self._seat.store.guard(tx).loose_texts(table))
            self.texts += len(texts)
            for place in sorted(gate.suspects(texts)):
                if _reworded(texts[place], allowed) == texts[place]:
                    continue
                self.loose.append((table, texts[place]))
                for one in gate.passed({"text": texts[place]}, allowed).found:
                    self._note(Finding(table, "", None, "text", one.kind), None)
            self._tell(table, len(texts))

    def _look_at_names(self, tx: Transaction) -> None:
        """Names stand in every event they acted in, and a folder is found by its path: nobody can take them out."""
        names = [("name", one.name, SPELLED) for one in tx.actors.all()]
        names += [("folder", one.path, WALKED) for one in tx.projects.roots(tx.project_id)]
        for field, name, fix in names:
            leak = gate.holds_secret(name)
            if leak is not None:
                self._note(Finding(NAME, "", None, field, leak.kind, stays=True, fix=fix), None)

    def _look_at_events(self, tx: Transaction, allowed: Allowed) -> None:
        """What the history tells beside the records: the reasons of reviewers. No event ever changes."""
        waiting: list[tuple[int, dict[str, Any]]] = []
        done = 0
        # Those who are registered are told as names: they may have acted a thousand times.
        kinds: dict[str, str | None] = {one.key: None for one in tx.actors.all()}
        for event in tx.ledger.walk():
            self._look_at_actor(event, kinds)
            if event.details:
                waiting.append((event.seq, dict(event.details)))
            if len(waiting) == EVENTS_AT_ONCE:
                done += self._look_at_details(waiting, allowed)
                self._tell("history", done)
        self._look_at_details(waiting, allowed)

    def _look_at_actor(self, event: Event, kinds: dict[str, str | None]) -> None:
        key = event.actor_key
        if key not in kinds:
            leak = gate.holds_secret(key)
            kinds[key] = None if leak is None else leak.kind
        kind = kinds[key]
        if kind is not None:
            self._note(Finding(EVENT, str(event.seq), None, ACTOR, kind, stays=True, fix=SEALED), None)

    def _look_at_details(self, waiting: list[tuple[int, dict[str, Any]]], allowed: Allowed) -> int:
        count = len(waiting)
        self.texts += count
        for place in sorted(gate.suspects([said_in(told) for _, told in waiting])):
            seq, told = waiting[place]
            for one in gate.passed(told, allowed).found:
                self._note(Finding(EVENT, str(seq), None, one.field, one.kind, stays=True, fix=SEALED), None)
        waiting.clear()
        return count

    def _note(self, finding: Finding, record: tuple[Subject, str] | None) -> None:
        self.found += 1
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(finding)
        if record is not None and not finding.stays:
            self.dirty[record] = None

    def _tell(self, what: str, done: int) -> None:
        if self._progress is not None:
            self._progress(what, done, 0)


def _mend(seat: Seat, look: _Look, progress: Progress | None) -> int:
    mended, total = 0, len(look.dirty) + len(look.loose)
    for done, (kind, id) in enumerate(look.dirty, 1):
        with seat.writing() as tx:
            mended += _redact(tx, seat, kind, id)
        if progress is not None:
            progress("redacting", done, total)
    if look.loose:
        with seat.writing() as tx:
            allowed, guard = allowed_in(seat, tx), seat.store.guard(tx)
            for table, text in look.loose:
                guard.reword(table, text, _reworded(text, allowed))
                mended += 1
            tx.ledger.mark_erasure()
            # It is no event, by which a seat knows that a request was done.
            note_work(seat.store, tx)
    fill_vectors(seat)
    seat.store.erase_traces(seat.project.id)
    return mended


def _redact(tx: Transaction, seat: Seat, kind: Subject, id: str) -> int:
    """Takes the secrets out of one record and its earlier versions; 0 if somebody did so meanwhile."""
    before = _get(tx, kind, id)
    if before is None or before.salt is None:
        return 0
    allowed = allowed_in(seat, tx)
    said = before._replace(**_changes(kind, _said(before), allowed))
    earlier = tx.revisions.of(kind, id)
    bodies = [_body_said(kind, one.body) for one in earlier]
    clean = []
    for one, body, later in zip(
        earlier, bodies, _under_later_names(kind, [*bodies, _said(before)], allowed), strict=False
    ):
        content = {gate.NAMED: later.content} if later.found else {}
        clean.append(one._replace(body={**one.body, **_changes(kind, body, allowed), **content}))
    if said == before and clean == list(earlier):
        return 0
    _write(tx, seat, kind, before, said, clean)
    return 1


def take_back(tx: Transaction, seat: Seat, kind: Subject, before: Any, labels: Mapping[str, gate.Text]) -> Any:
    """The record without what new names make a secret of in its content, taken out of its earlier versions too."""
    if before.salt is None:
        return before
    allowed = allowed_in(seat, tx)

    def clean(content: str) -> gate.Text:
        return gate.passed({**labels, gate.NAMED: content}, allowed).texts.get(gate.NAMED, content)

    said = before._replace(content=clean(before.content))
    earlier = tx.revisions.of(kind, before.id)
    cleaned = [one._replace(body={**one.body, gate.NAMED: clean(str(one.body[gate.NAMED]))}) for one in earlier]
    if said == before and cleaned == list(earlier):
        return before
    return _write(tx, seat, kind, before, said, cleaned)


def _write(
    tx: Transaction, seat: Seat, kind: Subject, before: Any, said: Any, earlier: Sequence[Revision]
) -> Any:  # fmt: skip
    """The record as it is now: with other words, or only with a new salt because its earlier versions have others."""
    after = said._replace(salt=fresh_salt())
    if said != before:
        after = after._replace(version=before.version + 1, updated_at=tx.now)
    _store(tx, seat, kind, before, after)
    chronicle.redacted(tx, seat.actor, kind, before, after, earlier)
    return after


class _Reread(NamedTuple):
    """The content of a version without its secrets, and the kinds of those that only a later name makes one."""

    content: Any
    found: tuple[str, ...]


def _under_later_names(kind: Subject, versions: Sequence[Mapping[str, Any]], allowed: Allowed) -> list[_Reread]:
    """The versions of a record, oldest first, each read under the names that the record got after it too."""
    labels: dict[str, None] = {}
    reread: list[_Reread] = []
    for said in reversed(versions):
        content = _changes(kind, said, allowed).get(gate.NAMED, said.get(gate.NAMED))
        found: list[str] = []
        for label in islice(labels, LATER_NAMES_MAX):
            passed = gate.passed({gate.NAMING[0]: label, gate.NAMED: content}, allowed)
            content = passed.texts.get(gate.NAMED, content)
            found += [one.kind for one in passed.found if one.field == gate.NAMED]
        reread.append(_Reread(content, tuple(found)))
        labels |= dict.fromkeys(gate.labels_of(said))
    return reread[::-1]


def _changes(kind: Subject, said: Mapping[str, Any], allowed: Allowed) -> dict[str, Any]:
    """The fields of a record that must be changed, without their secrets."""
    marks = MARKS.get(KINDS[kind], ())
    changed: dict[str, Any] = dict(
        gate.passed({name: value for name, value in said.items() if name not in marks}, allowed).texts
    )
    for name in REPLACEABLE_MARKS.intersection(marks):
        value = said.get(name)
        if isinstance(value, str):
            clean: Any = SAFE_MARK if gate.holds_secret(value) else value
        else:
            clean = tuple(dict.fromkeys(SAFE_MARK if gate.holds_secret(one) else one for one in value or ()))
        if value and clean != value:
            changed[name] = clean
    return changed


def _store(tx: Transaction, seat: Seat, kind: Subject, before: Any, after: Any) -> None:
    match kind:
        case Subject.ENTRY:
            tx.inbox.update(after)
        case Subject.DECISION:
            tx.decisions.update(after)
        case Subject.SESSION:
            tx.sessions.update(after)
        case Subject.RUN:
            tx.runs.update(after)
        case _:
            tx.memories.update(after)
            reindex(tx, seat, before, after)


def _get(tx: Transaction, kind: Subject, id: str) -> Any:
    match kind:
        case Subject.ENTRY:
            return tx.inbox.get(id)
        case Subject.DECISION:
            return tx.decisions.get(id)
        case Subject.SESSION:
            return tx.sessions.get(id)
        case Subject.RUN:
            return tx.runs.get(id)
        case _:
            return tx.memories.get(id)


def _pages_of(tx: Transaction) -> dict[Subject, Fetch]:
    return {
        Subject.ENTRY: lambda window: tx.inbox.page(EntryFilter(quarantined=None), window),
        Subject.DECISION: lambda window: tx.decisions.page(DecisionFilter(), window),
        Subject.MEMORY: lambda window: tx.memories.page(MemoryFilter(quarantined=None), window),
        Subject.SESSION: tx.sessions.page,
        Subject.RUN: lambda window: tx.runs.page(agent_key=None, open_only=False, window=window),
    }


def _pages(fetch: Fetch) -> Iterator[Sequence[Any]]:
    cursor: str | None = None
    while True:
        page = fetch(Window(PAGE_ITEMS_MAX, cursor))
        yield page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _said(record: Any) -> dict[str, Any]:
    """The texts of a record, field by field."""
    kind = type(record).__name__
    return {name: getattr(record, name) for name in (*TEXTS[kind], *MARKS.get(kind, ()))}


def _body_said(kind: Subject, body: Mapping[str, Any]) -> dict[str, Any]:
    """The same of an earlier version, whose lists come from JSON."""
    names = (*TEXTS[KINDS[kind]], *MARKS.get(KINDS[kind], ()))
    said = {name: body.get(name) for name in names}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}


def _flat(said: Mapping[str, Any]) -> list[str]:
    """Every text of a record."""
    return [one for value in said.values() for one in ((value,) if isinstance(value, str) else value or ())]


def _capitals(said: Mapping[str, Any]) -> list[str]:
    """Words that are kept in small letters are looked at in capitals too."""
    return [one.upper() for one in _flat(said) if len(one) <= gate.MARK_CHARACTERS_MAX]


def _reworded(text: str, allowed: Allowed) -> str:
    """A text of a log without its secrets. One that is JSON stays JSON."""
    if text.startswith("{"):
        import json

        try:
            return _canonical(_deep(json.loads(text), allowed))
        except ValueError:
            pass
    return str(gate.passed({"text": text}, allowed).texts.get("text", text))


def _canonical(said: Any) -> str:
    from hansard.domain.chain import canonical

    return canonical(said)


def _deep(said: Any, allowed: Allowed) -> Any:
    if isinstance(said, str):
        return gate.passed({"text": said}, allowed).texts.get("text", said)
    if isinstance(said, list):
        return [_deep(one, allowed) for one in said]
    if isinstance(said, dict):
        return {name: _deep(one, allowed) for name, one in said.items()}
    return said
