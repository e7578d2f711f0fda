"""Owns receipts that are kept: how one is stored, and what is left of it when something it names is forgotten."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from hansard.domain.decisions import FORGOTTEN_TEXT
from hansard.domain.receipts import Receipt, ReceiptLine, receipt_of


class KeptReceipt(NamedTuple):
    """A receipt as it is stored: what lists and policies need beside it, and the receipt as canonical JSON."""

    id: str
    agent: str
    mode: str
    at: int
    ledger_seq: int
    sha256: str
    body: str

    def receipt(self) -> Receipt:
        import json

        return receipt_of(json.loads(self.body))


def kept(receipt: Receipt, *, id: str, agent: str) -> KeptReceipt:
    """The receipt under the id it is kept by."""
    from hansard.domain.chain import canonical

    named = receipt._replace(id=id, agent=agent)
    body = canonical(named.body())  # type: ignore[arg-type]
    return KeptReceipt(id, agent, named.mode.value, named.at, named.ledger_seq, named.sha256, body)


def without_words(receipt: Receipt, quoted: Collection[str]) -> Receipt:
    """The receipt without what it quotes of the records with these ids; that they were shown stays.

    Remarks about claims quote a memory, and the files of a run are cited by memories that were made in it.
    """
    lines = tuple(_bare(line) if line.id in quoted else line for line in receipt.lines)
    return receipt._replace(lines=lines)


def without_task(receipt: Receipt, run_id: str, task: str | None) -> Receipt:
    """The receipt without the task of a run: that of a turn in this run, and the same words elsewhere."""
    if receipt.task is None or (receipt.run_id != run_id and receipt.task != task):
        return receipt
    return receipt._replace(task=FORGOTTEN_TEXT)


def _bare(line: ReceiptLine) -> ReceiptLine:
    return line._replace(note=None, stale=(), files=(), overlap=())
