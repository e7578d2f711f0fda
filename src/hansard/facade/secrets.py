"""Owns the public calls about secrets: what is stored of them, and what was allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard import services
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from hansard.domain.guard import Allowance
    from hansard.services.scan import Progress, ScanReport


class SecretCalls(SeatedProject):
    """Secrets: looked for in everything that is stored, taken out of it, and let through if they are none."""

    def scan(self, *, redact: bool = False, by: str | None = None, progress: Progress | None = None) -> ScanReport:
        """Looks for secrets in all records, their earlier versions and the logs; with `redact`, takes them out."""
        return services.scan.scan(self.seat(by=by), redact=redact, progress=progress)

    def allow_secret(self, value: str, *, reason: str, by: str | None = None) -> Allowance:
        """Lets a value through that looks like a secret and is none. It may be given with the words around it."""
        return services.allow.allow(self.seat(by=by), value, reason=reason)

    def disallow_secret(self, allowance_id: str, *, reason: str, by: str | None = None) -> Allowance:
        """Takes an allowance back."""
        return services.allow.disallow(self.seat(by=by), allowance_id, reason=reason)

    def list_allowed_secrets(self) -> tuple[Allowance, ...]:
        """What was allowed, by whom and why; never the values."""
        return services.allow.list_allowances(self.seat())
