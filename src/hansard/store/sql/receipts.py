"""Owns the SQL of receipts that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.kept import KeptReceipt
from hansard.domain.paging import Page, Window
from hansard.store.sql.rows import Row, Where, decoding, id_cursor, page

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT r.id, a.name, r.mode, r.at, r.ledger_seq, r.sha256, r.body
FROM receipts r
JOIN actors a ON a.project_id = r.project_id AND a.key = r.agent_key
WHERE """
_INSERT = """
INSERT INTO receipts (project_id, id, agent_key, mode, at, ledger_seq, sha256, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


class SqlReceipts:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def insert(self, receipt: KeptReceipt) -> None:
        self._connection.execute(
            _INSERT,
            (
                self._project_id, receipt.id, key_of(receipt.agent), receipt.mode, receipt.at, receipt.ledger_seq,
                receipt.sha256, receipt.body,
            ),
        )  # fmt: skip

    def get(self, receipt_id: str) -> KeptReceipt | None:
        row = self._connection.execute(
            f"{_SELECT}r.project_id = ? AND r.id = ?", (self._project_id, receipt_id)
        ).fetchone()
        return _receipt(row) if row else None

    def page(self, window: Window, *, agent_key: str | None) -> Page[KeptReceipt]:
        where = Where("r.project_id = ?", self._project_id)
        where.equals("r.agent_key", agent_key)
        if window.cursor:
            where.add("r.id < ?", id_cursor(window.cursor))
        rows = self._connection.execute(
            f"{_SELECT}{where} ORDER BY r.id DESC LIMIT ?", (*where.values, window.limit + 1)
        )
        return page(rows, window, _receipt, lambda receipt: receipt.id)

    def naming(self, text: str) -> tuple[KeptReceipt, ...]:
        """The receipts in which this text stands, as JSON spells it."""
        where = Where("r.project_id = ?", self._project_id)
        where.add("r.body LIKE ? ESCAPE '\\'", f"%{_literal(text)}%")
        return tuple(map(_receipt, self._connection.execute(f"{_SELECT}{where} ORDER BY r.id", where.values)))

    def rewrite(self, receipt_id: str, body: str) -> None:
        """Takes words out of a receipt; nothing else of it ever changes."""
        self._connection.execute(
            "UPDATE receipts SET body = ? WHERE project_id = ? AND id = ?", (body, self._project_id, receipt_id)
        )

    def count_before(self, at: int) -> int:
        return int(
            self._connection.execute(
                "SELECT count(*) FROM receipts WHERE project_id = ? AND at < ?", (self._project_id, at)
            ).get
        )

    def delete_before(self, at: int) -> None:
        self._connection.execute("DELETE FROM receipts WHERE project_id = ? AND at < ?", (self._project_id, at))


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


@decoding
def _receipt(row: Row) -> KeptReceipt:
    return KeptReceipt(*row)
