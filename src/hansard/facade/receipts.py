"""Owns the public calls about receipts that were kept, and what they bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard import services
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from hansard.domain.kept import KeptReceipt
    from hansard.domain.receipts import Receipt
    from hansard.services.replay import Replayed


class ReceiptCalls(SeatedProject):
    """What agents were told: kept on request, read by policy, replayed from the record."""

    def list_receipts(
        self, *, agent: str | None = None, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None
    ) -> Page[KeptReceipt]:
        """Kept receipts newest first; `agent` restricts to that agent's blocks. An agent sees its own."""
        return services.keep.list_receipts(self.seat(), window(limit, cursor), agent=agent)

    def get_receipt(self, receipt_id: str, *, agent: str | None = None) -> Receipt:
        return services.keep.get_receipt(self.seat(agent=agent), receipt_id).receipt()

    def replay(self, receipt_id: str, *, agent: str | None = None) -> Replayed:
        """The block a kept receipt is about, made again from the record as it was; `differences` says what is gone."""
        return services.replay.replay(self.seat(agent=agent), receipt_id)

    def purge_receipts(self, *, days: int | None = None, dry_run: bool = False, by: str | None = None) -> int:
        """Deletes receipts older than `context.receipts_days`, or so many days, and says how many there were."""
        return services.keep.purge_receipts(self.seat(by=by), days=days, dry_run=dry_run)
