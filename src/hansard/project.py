"""Owns the public face of one project: every call a Python program makes, handed to the service that does it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hansard import services
from hansard.domain.limits import EXPORT_WAIT_SECONDS_DEFAULT, PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.domain.turns import Mode
from hansard.facade.folder import FolderCalls
from hansard.facade.guard import GuardCalls
from hansard.facade.ledger import LedgerCalls
from hansard.facade.memories import MemoryCalls
from hansard.facade.receipts import ReceiptCalls
from hansard.facade.secrets import SecretCalls

if TYPE_CHECKING:
    from pathlib import Path

    from hansard.domain.actors import KnownActor
    from hansard.domain.findings import Finding
    from hansard.domain.ledger import Event
    from hansard.domain.mirror import ExportReport, ImportReport
    from hansard.domain.receipts import Block
    from hansard.domain.runs import FinishedRun, Run, ScribeReport
    from hansard.domain.sessions import Session
    from hansard.services.audit import Verification
    from hansard.services.backup import Progress
    from hansard.services.review import Promotion


class Project(MemoryCalls, LedgerCalls, ReceiptCalls, GuardCalls, SecretCalls, FolderCalls):
    """One project: its memories, its ledger and its receipts, and what is going on in it now."""

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
        """Opens a session; the one that was open ends. What is new in the inbox folder is imported first."""
        seat = self.seat(agent=agent, by=by)
        services.mirror.adopt_new(seat)
        return services.converse.start_session(
            seat, focus=focus, session_id=id, issues=issues, summary=summary, state=state, run_id=run_id
        )

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
        """Adds a line to the open session's summary, or replaces it with `replace=True`."""
        return services.converse.update_session(
            self.seat(agent=agent, by=by), summary, replace_summary=replace, focus=focus, issues=issues, state=state,
            session_id=id, expected_version=expected_version,
        )  # fmt: skip

    def end_session(
        self,
        id: str | None = None,
        *,
        agent: str | None = None,
        by: str | None = None,
        expected_version: int | None = None,
    ) -> Session:
        return services.converse.end_session(self.seat(agent=agent, by=by), id, expected_version=expected_version)

    def current_session(self) -> Session | None:
        return services.converse.current_session(self.seat())

    def get_session(self, id: str) -> Session:
        return services.converse.get_session(self.seat(), id)

    def list_sessions(self, *, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None) -> Page[Session]:
        return services.converse.list_sessions(self.seat(), window(limit, cursor))

    def start_run(
        self,
        *,
        agent: str | None = None,
        parent: str | None = None,
        task: str | None = None,
        task_type: str | None = None,
        tags: Iterable[str] | str | None = None,
    ) -> Run:
        """Opens a run of the agent. What is new in the inbox folder is imported first, as far as the agent may."""
        owner = self.owner(agent)
        seat = self.seat(agent=owner)
        services.mirror.adopt_new(seat)
        return services.run.start_run(
            seat,
            agent=owner,
            parent_id=parent,
            task=task,
            task_type=task_type,
            tag_values=tags,
        )

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
        """Closes a run: outcome completed, failed or declined. What came of its task is remembered once.

        The Scribe follows: `scribed` says what it did, `not_scribed` why it could not.
        """
        return services.run.finish_run(
            self.seat(), run_id, outcome=outcome, reason=reason, output=output, persist=persist,
            expected_version=expected_version,
        )  # fmt: skip

    def scribe(self, run_id: str, *, by: str | None = None) -> ScribeReport:
        """Has the Scribe look at a finished run again; what it did before is not done twice."""
        return services.scribe.scribe(self.seat(by=by), run_id)

    def finalize_run(self, run_id: str, *, by: str | None = None) -> list[Promotion]:
        """Accepts the architectural and scope entries that the run's own agent proposed in it."""
        return services.finalise.finalise(self.seat(by=by), run_id)

    def get_run(self, run_id: str) -> Run:
        return services.run.get_run(self.seat(), run_id)

    def list_runs(
        self,
        *,
        agent: str | None = None,
        open_only: bool = False,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Run]:
        return services.run.list_runs(self.seat(), window(limit, cursor), agent=agent, open_only=open_only)

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
        """What the agent is told before its turn; None if there is nothing to tell.

        Modes are full, child (charter and decisions), ignore (decisions only) and coordinator (a digest of decisions,
        and the session). A prompt that asks to ignore memory means `ignore`. What cannot be read is left out, and
        `receipt.notes` says so. With `keep` the receipt is stored and has an id, by which `replay` finds it.
        `as_of` an ISO time or microseconds makes the block from the record as it stood then.
        """
        owner = self.owner(agent)
        seat = self.seat(agent=owner)
        turn = services.compile.turn_of(
            agent=owner, task=task, prompt=prompt, mode=mode, charter=charter, cwd=cwd, run_id=run
        )
        block = services.compile.compile_block(seat, turn, as_of=as_of)
        return services.keep.keep_block(seat, block) if keep and block is not None else block

    def list_events(
        self, *, subject_id: str | None = None, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None
    ) -> Page[Event]:
        """The history, newest first; of one record if `subject_id` is its id, its number (`D-3`, `P-7`) or a slug."""
        return services.audit.list_events(self.seat(), window(limit, cursor), subject_id=subject_id)

    def follow(self, *, since: int | None = None, idle_seconds: float | None = None) -> Iterator[Event]:
        """Events as they happen, in whichever process: those after `since`, or from now on.

        Ends when nothing happened for `idle_seconds`; without that, never.
        """
        return services.audit.follow(self.seat(), since=since, idle_seconds=idle_seconds)

    def get_event(self, seq: int) -> Event:
        return services.audit.get_event(self.seat(), seq)

    def verify(self) -> Verification:
        """Checks the hash chain and every record against it."""
        return services.audit.verify(self.seat())

    def doctor(self, *, full: bool = False) -> tuple[Finding, ...]:
        """What is right and wrong with the project, and what to do about it; with `full`, slow checks as well."""
        return services.doctor.examine_project(self.seat(), full=full)

    def export(
        self,
        root: str | Path | None = None,
        *,
        by: str | None = None,
        wait_seconds: float = EXPORT_WAIT_SECONDS_DEFAULT,
        progress: Progress | None = None,
    ) -> ExportReport:
        """Brings the mirror files below the project's folder, or another one, in step with the record.

        Raises MirrorBusy if another process writes them for longer than `wait_seconds`.
        """
        seat = self.seat(by=by)
        return services.keep_up.export(seat, root, wait_seconds=wait_seconds, progress=progress)

    def import_inbox(
        self, root: str | Path | None = None, *, by: str | None = None, progress: Progress | None = None
    ) -> ImportReport:
        """Adds what the ledger files and the files of the inbox folder bring. Nothing that is known is lost."""
        return services.mirror.import_inbox(self.seat(by=by), root, progress=progress)

    def list_agents(self) -> tuple[KnownActor, ...]:
        return services.audit.list_agents(self.seat())
