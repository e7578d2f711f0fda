"""Owns the calls about what the guard holds back and lets through, made to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.client import records, references
from hansard.client.seated import RemoteSeat, refuse_local, said
from hansard.domain.guard import Allowance
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Listing, window
from hansard.facade.guard import GuardCalls
from hansard.facade.secrets import SecretCalls

if TYPE_CHECKING:
    from hansard.services.quarantine import Held
    from hansard.services.scan import Progress, ScanReport


class RemoteGuard(RemoteSeat, GuardCalls, SecretCalls):
    """Quarantine and secrets, on a server."""

    def list_quarantined(
        self, *, limit: int = PAGE_ITEMS_MAX, cursor: str | None = None, by: str | None = None
    ) -> Listing[Held]:
        self._named(by=by)
        found = self._ask("GET", "guard", "quarantine", query=said(**window(limit, cursor)._asdict()))
        return Listing(records.several(records.held, found), records.cursor(found))

    def get_quarantined(self, reference: str, *, by: str | None = None) -> Held:
        self._named(by=by)
        found: Held = records.held(self._ask("GET", "guard", "quarantine", references.held(reference)))
        return found

    def release(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        return self._reviewed(reference, "release", reason, by, expected_version)

    def confirm(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        return self._reviewed(reference, "confirm", reason, by, expected_version)

    def hold(self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None) -> Held:
        return self._reviewed(reference, "hold", reason, by, expected_version)

    def redact(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        return self._reviewed(reference, "redact", reason, by, expected_version)

    def scan(self, *, redact: bool = False, by: str | None = None, progress: Progress | None = None) -> ScanReport:
        refuse_local(progress=progress)
        self._named(by=by)
        report: ScanReport = records.scanned(self._ask("POST", "guard", "scan", body={"redact": redact}))
        return report

    def allow_secret(self, value: str, *, reason: str, by: str | None = None) -> Allowance:
        self._named(by=by)
        return records.read(
            Allowance, self._ask("POST", "guard", "allowances", body={"value": value, "reason": reason})
        )

    def disallow_secret(self, allowance_id: str, *, reason: str, by: str | None = None) -> Allowance:
        self._named(by=by)
        wanted = references.named("allowance", allowance_id)
        return records.read(Allowance, self._ask("DELETE", "guard", "allowances", wanted, query={"reason": reason}))

    def list_allowed_secrets(self) -> tuple[Allowance, ...]:
        return records.every(Allowance, self._ask("GET", "guard", "allowances"))

    def _reviewed(self, reference: str, verdict: str, reason: str, by: str | None, version: int | None) -> Held:
        self._named(by=by)
        wanted, body = references.held(reference), {"reason": reason}
        done: Held = records.held(self._ask("POST", "guard", "quarantine", wanted, verdict, body=body, version=version))
        return done
