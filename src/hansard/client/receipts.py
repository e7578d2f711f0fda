"""Owns the calls about receipts that were kept, made to a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hansard.client import records, references
from hansard.client.seated import RemoteSeat, said
from hansard.domain.kept import KeptReceipt
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.domain.receipts import Receipt
from hansard.facade.receipts import ReceiptCalls

if TYPE_CHECKING:
    from hansard.services.replay import Replayed


class ListedReceipt(KeptReceipt):
    """A kept receipt in a list. A server lists it without its lines, so they are fetched when somebody asks."""

    fetched: Callable[[], Receipt]

    def receipt(self) -> Receipt:
        return self.fetched()


class RemoteReceipts(RemoteSeat, ReceiptCalls):
    """What agents were told, on a server."""

    def list_receipts(
        self, *, agent: str | None = None, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None
    ) -> Page[KeptReceipt]:
        query = said(agent=agent, **window(limit, cursor)._asdict())
        shape = self._ask("GET", "receipts", query=query)
        return records.page_of(self._listed, shape)

    def get_receipt(self, receipt_id: str, *, agent: str | None = None) -> Receipt:
        self._named(agent=agent)
        found: Receipt = records.receipt(self._ask("GET", "receipts", references.named("receipt", receipt_id)))
        return found

    def replay(self, receipt_id: str, *, agent: str | None = None) -> Replayed:
        self._named(agent=agent)
        wanted = references.named("receipt", receipt_id)
        made: Replayed = records.replayed(self._ask("GET", "receipts", wanted, "replay"))
        return made

    def purge_receipts(self, *, days: int | None = None, dry_run: bool = False, by: str | None = None) -> int:
        self._named(by=by)
        return records.number(self._ask("POST", "receipts", "purge", body=said(days=days, dry_run=dry_run)), "old")

    def _listed(self, shape: dict[str, object]) -> KeptReceipt:
        found = records.read(ListedReceipt, shape | {"body": ""})
        found.fetched = lambda: self.get_receipt(found.id)
        return found
