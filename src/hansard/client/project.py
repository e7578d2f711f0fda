"""Owns the public face of a project on a server: the calls of an embedded one, sent over REST."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hansard.client import records, references
from hansard.client.connection import PAUSES_SECONDS
from hansard.client.events import SILENCE_SECONDS, STREAM, events
from hansard.client.folder import RemoteFolder
from hansard.client.guard import RemoteGuard
from hansard.client.ledger import RemoteLedger, moment
from hansard.client.memories import RemoteMemories
from hansard.client.receipts import RemoteReceipts
from hansard.client.refusals import OF_A_PROJECT, refusing
from hansard.client.seated import refuse_local, said, words
from hansard.domain.actors import KnownActor
from hansard.domain.errors import (
    NoOpenSession,
    ServerUnreachable,
    SessionEnded,
    UnknownSession,
    Unsupported,
    quoted,
)
from hansard.domain.limits import EXPORT_WAIT_SECONDS_DEFAULT, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX
from hansard.domain.paging import Page, window
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.turns import Mode
from hansard.domain.vocabulary import RunOutcome, parse
from hansard.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from hansard.domain.findings import Finding
    from hansard.domain.ledger import Event
    from hansard.domain.mirror import ExportReport, ImportReport
    from hansard.domain.receipts import Block
    from hansard.domain.runs import FinishedRun, ScribeReport
    from hansard.services.audit import Verification
    from hansard.services.backup import Progress
    from hansard.services.review import Promotion

CURRENT = "current"
TASK_CHARACTERS_MAX = 1_000
"""A longer task is no part of an address."""


@refusing(OF_A_PROJECT)
class RemoteProject(RemoteMemories, RemoteLedger, RemoteReceipts, RemoteGuard, RemoteFolder, Project):
    """One project of a server. What cannot be done from afar raises Unsupported."""

    def start_session(
        self,
        *,
        focus: str,
        id: str | None = None,
        issues: Iterable[str] | None = None,
        summary: str | None = None,
        state: str | None = None,
        run_id: str | None = None,
        agent: str | None = None,
        by: str | None = None,
    ) -> Session:
        self._named(by=by)
        body = said(focus=focus, id=id, issues=words(issues), summary=summary, state=state, run_id=run_id, agent=agent)
        return records.read(Session, self._ask("POST", "sessions", body=body))

    def update_session(
        self,
        summary: str | None = None,
        *,
        replace: bool = False,
        focus: str | None = None,
        issues: Iterable[str] | None = None,
        state: str | None = None,
        id: str | None = None,
        agent: str | None = None,
        by: str | None = None,
        expected_version: int | None = None,
    ) -> Session:
        self._named(by=by)
        body = said(summary=summary, replace=replace, focus=focus, issues=words(issues), state=state, agent=agent)
        done = self._ask("PATCH", "sessions", self._open_session(id), body=body, version=expected_version)
        return records.read(Session, done)

    def end_session(
        self,
        id: str | None = None,
        *,
        agent: str | None = None,
        by: str | None = None,
        expected_version: int | None = None,
    ) -> Session:
        self._named(by=by)
        wanted, body = self._open_session(id), said(agent=agent)
        return records.read(Session, self._ask("POST", "sessions", wanted, "end", body=body, version=expected_version))

    def current_session(self) -> Session | None:
        try:
            return records.read(Session, self._ask("GET", "sessions", CURRENT))
        except NoOpenSession:
            return None

    def get_session(self, id: str) -> Session:
        wanted = references.session(id)
        if not references.fits(wanted):
            return self._listed_session(wanted)
        return records.read(Session, self._ask("GET", "sessions", wanted))

    def list_sessions(self, *, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None) -> Page[Session]:
        return records.page(Session, self._ask("GET", "sessions", query=window(limit, cursor)._asdict()))

    def start_run(
        self,
        *,
        agent: str | None = None,
        parent: str | None = None,
        task: str | None = None,
        task_type: str | None = None,
        tags: Iterable[str] | str | None = None,
    ) -> Run:
        body = said(agent=agent, parent=parent, task=task, task_type=task_type, tags=words(tags, separated=True))
        return records.read(Run, self._ask("POST", "runs", body=body))

    def finish_run(
        self,
        run_id: str,
        *,
        outcome: str,
        reason: str | None = None,
        output: str | None = None,
        persist: bool = False,
        expected_version: int | None = None,
    ) -> FinishedRun:
        body = said(outcome=parse(RunOutcome, outcome, field="outcome"), reason=reason, output=output, persist=persist)
        wanted = references.named("run", run_id)
        shape = self._ask("POST", "runs", wanted, "finish", body=body, version=expected_version)
        done: FinishedRun = records.finished(shape)
        return done

    def scribe(self, run_id: str, *, by: str | None = None) -> ScribeReport:
        self._named(by=by)
        wanted = references.named("run", run_id)
        report: ScribeReport = records.scribed(self._ask("POST", "runs", wanted, "scribe"))
        return report

    def finalize_run(self, run_id: str, *, by: str | None = None) -> list[Promotion]:
        self._named(by=by)
        wanted = references.named("run", run_id)
        return list(records.several(records.promotion, self._ask("POST", "runs", wanted, "finalize")))

    def get_run(self, run_id: str) -> Run:
        return records.read(Run, self._ask("GET", "runs", references.named("run", run_id)))

    def list_runs(
        self,
        *,
        agent: str | None = None,
        open_only: bool = False,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Run]:
        query = said(agent=agent, open_only=open_only, **window(limit, cursor)._asdict())
        return records.page(Run, self._ask("GET", "runs", query=query))

    def compile(
        self,
        *,
        agent: str | None = None,
        task: str | None = None,
        prompt: str | None = None,
        mode: str = Mode.FULL,
        charter: str | None = None,
        cwd: str | Path | None = None,
        run: str | None = None,
        keep: bool = False,
        as_of: str | int | None = None,
    ) -> Block | None:
        refuse_local(cwd=cwd)
        run_id = None if run is None else references.named("run", run)
        turn = said(agent=agent, task=task, mode=parse(Mode, mode, field="mode"), run_id=run_id, as_of=moment(as_of))
        if keep or prompt is not None or charter is not None or len(task or "") > TASK_CHARACTERS_MAX:
            body = turn | said(prompt=prompt, charter=charter, keep=keep)
            shape = self._ask("POST", "context", body=body, writes=keep)
        else:
            shape = self._ask("GET", "context", query=turn)
        block: Block | None = records.block(shape)
        return block

    def list_events(
        self, *, subject_id: str | None = None, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None
    ) -> Page[Event]:
        shape = self._ask("GET", "history", query=said(subject=subject_id, **window(limit, cursor)._asdict()))
        return records.page_of(records.event, shape)

    def follow(self, *, since: int | None = None, idle_seconds: float | None = None) -> Iterator[Event]:
        """Events as they happen. A stream that is lost goes on after the last event that was seen."""
        seen = since if since is not None else next((one.seq for one in self.list_events(limit=1).items), 0)
        return self._followed(seen, idle_seconds)

    def get_event(self, seq: int) -> Event:
        found: Event = records.event(self._ask("GET", "history", references.event(seq)))
        return found

    def verify(self) -> Verification:
        verdict: Verification = records.verification(self._ask("GET", "history", "verify"))
        return verdict

    def doctor(self, *, full: bool = False) -> tuple[Finding, ...]:
        found: tuple[Finding, ...] = records.findings(self._ask("GET", "doctor", query={"full": full}))
        return found

    def export(
        self,
        root: str | Path | None = None,
        *,
        by: str | None = None,
        wait_seconds: float = EXPORT_WAIT_SECONDS_DEFAULT,
        progress: Progress | None = None,
    ) -> ExportReport:
        """Brings the files of the project's folder on the server's machine in step."""
        from hansard.domain.mirror import ExportReport

        refuse_local(root=root, progress=progress)
        if wait_seconds != EXPORT_WAIT_SECONDS_DEFAULT:
            raise Unsupported("wait_seconds cannot be given to a server; leave it out.")
        self._named(by=by)
        return records.read(ExportReport, self._ask("POST", "mirror", "export"))

    def import_inbox(
        self, root: str | Path | None = None, *, by: str | None = None, progress: Progress | None = None
    ) -> ImportReport:
        from hansard.domain.mirror import ImportReport

        refuse_local(root=root, progress=progress)
        self._named(by=by)
        return records.read(ImportReport, self._ask("POST", "mirror", "import"))

    def list_agents(self) -> tuple[KnownActor, ...]:
        return records.every(KnownActor, self._ask("GET", "agents"))

    def _open_session(self, id: str | None) -> str:
        """What stands for the session in an address. Only the open session can change."""
        if id is None:
            return CURRENT
        wanted = references.session(id)
        if references.fits(wanted):
            return wanted
        if not self._listed_session(wanted).is_open:
            raise SessionEnded(f"The session {wanted!r} has ended and cannot change.")
        raise Unsupported(f"An address has no room for the id {quoted(wanted)}. Leave id out: that session is open.")

    def _listed_session(self, id: str) -> Session:
        """A session that an address has no room for, but a list has."""
        pages = records.pages(lambda cursor: self.list_sessions(limit=PAGE_ITEMS_MAX, cursor=cursor))
        found = next((one for page in pages for one in page.items if one.id == id), None)
        if found is None:
            raise UnknownSession(f"There is no session {quoted(id)} in this project.")
        return found

    def _followed(self, seen: int, idle_seconds: float | None) -> Iterator[Event]:
        """The events after `seen`, over as many streams as it takes."""
        tries = 0
        while True:
            query = said(since=seen, idle_seconds=idle_seconds)
            try:
                with self._wire.streamed(
                    ["projects", self.key, "events"], query=query, accept=STREAM, silence_seconds=SILENCE_SECONDS
                ) as stream:
                    for event in events(stream):
                        seen, tries = event.seq, 0
                        yield event
                if idle_seconds is not None:
                    return
            except ServerUnreachable:
                if tries == len(PAUSES_SECONDS):
                    raise
            time.sleep(PAUSES_SECONDS[min(tries, len(PAUSES_SECONDS) - 1)])
            tries += 1
