"""Owns how a receipt is told to a person: every candidate in a table, and how full each layer is."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from hansard.interfaces.cli.calling import Column, counted, encodable, say, table

if TYPE_CHECKING:
    from hansard.domain.receipts import LayerTotal, Receipt, ReceiptLine

BAR_CELLS = 20
_FULL, _EMPTY = "█", "░"


def explain(receipt: Receipt, names: Mapping[str, str]) -> None:
    """Tells it on standard error: standard output belongs to the block."""
    with redirect_stdout(sys.stderr):
        tell(receipt, names)


def tell(receipt: Receipt, names: Mapping[str, str]) -> None:
    """Every candidate in a row, with its name if there is one for its id, and the sums."""
    table(
        [
            "layer", Column("what", rank=2), Column("says", text=True), Column("tokens", rank=1), "fate",
            Column("why", text=True, wrap=True), Column("id", rank=3),
        ],
        [
            (line.layer.value, line.kind.value, names.get(line.id, ""), f"{line.tokens:,}", line.fate.value, _why(line),
             line.id)
            for line in receipt.lines
        ],
        empty="There were no candidates.",
    )  # fmt: skip
    for total in receipt.totals:
        say(bar(total))
    rest = receipt.tokens - sum(total.tokens for total in receipt.totals)
    if rest > 0:
        around = "Headings, rules and the charter" if receipt.charter else "Headings and rules"
        say(f"{around} are {counted(rest, 'token')} more.")
    said = f"{counted(receipt.tokens, 'token')} in all, mode {receipt.mode.value}, event {receipt.ledger_seq:,}"
    if receipt.superseded:
        said += f", {counted(receipt.superseded, 'superseded decision')} left out"
    say(f"{said}. sha256 {receipt.sha256}")


def bar(total: LayerTotal) -> str:
    """One line: how much of its budget a layer used."""
    label = f"{total.layer.value:<10}"
    told = f"{total.tokens:>6,} tokens"
    if total.budget:
        share = total.tokens / total.budget
        cells = min(BAR_CELLS, -(-total.tokens * BAR_CELLS // total.budget))
        told += f" of {total.budget:,} ({share:.0%})"
    else:
        cells = 0
        told += ", no limit"
    full, empty = (_FULL, _EMPTY) if encodable(_FULL + _EMPTY) == _FULL + _EMPTY else ("#", ".")
    told += f"; {total.shown:,} shown"
    if total.left_out:
        told += f", {total.left_out:,} left out"
    return f"{label} {full * cells}{empty * (BAR_CELLS - cells)} {told}"


def _why(line: ReceiptLine) -> str:
    said = [] if line.note is None else [line.note]
    if line.relevance is not None:
        said.append(f"relevance {line.relevance:.2f}")
    if line.stale:
        said.append(f"stale: {'; '.join(line.stale)}")
    if line.overlap:
        said.append(f"overlaps: {', '.join(line.overlap)}")
    return "; ".join(said)
