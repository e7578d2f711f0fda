"""Owns the public calls about what the guard holds back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard import services
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Listing, window
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from hansard.services.quarantine import Held


class GuardCalls(SeatedProject):
    """What waits for review because of what it says or where it comes from. People review it, and say why."""

    def list_quarantined(
        self, *, limit: int = PAGE_ITEMS_MAX, cursor: str | None = None, by: str | None = None
    ) -> Listing[Held]:
        """Memories and pending entries that wait for review, the longest waiting first.

        A tuple of them, whose `next_cursor` says where the next call goes on.
        """
        return services.quarantine.list_quarantined(self.seat(by=by), window(limit, cursor))

    def get_quarantined(self, reference: str, *, by: str | None = None) -> Held:
        return services.quarantine.get_quarantined(self.seat(by=by), reference)

    def release(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        """Back among the others, as what it is."""
        return services.quarantine.release(
            self.seat(by=by), reference, reason=reason, expected_version=expected_version
        )

    def confirm(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        """Back among the others, and as good as what a person says."""
        return services.quarantine.confirm(
            self.seat(by=by), reference, reason=reason, expected_version=expected_version
        )

    def hold(self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None) -> Held:
        """Into quarantine, or back into it."""
        return services.quarantine.hold(self.seat(by=by), reference, reason=reason, expected_version=expected_version)

    def redact(
        self, reference: str, *, reason: str, by: str | None = None, expected_version: int | None = None
    ) -> Held:
        """Takes the words of what waits out of every version for good. Hold anything else first."""
        return services.quarantine.redact(self.seat(by=by), reference, reason=reason, expected_version=expected_version)
