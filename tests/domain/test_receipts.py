"""A receipt as plain values, and back."""

import json

from hansard.domain.receipts import Fate, Kind, Layer, LayerTotal, Receipt, ReceiptLine, receipt_of
from hansard.domain.turns import Mode

RECEIPT = Receipt(
    id=None, at=5, agent="neo", mode=Mode.FULL, task="fix login", prompt_sha256="ab", charter="c", run_id="r",
    lines=(
        ReceiptLine(Layer.BOUNDARIES, "d", 7, Fate.SHRUNK, Kind.DECISION, version=2),
        ReceiptLine(Layer.KNOWLEDGE, "m", 9, Fate.BELOW_FLOOR, Kind.MEMORY, relevance=0.25, stale=("`x` is gone",)),
        ReceiptLine(Layer.SESSION, "r", 3, Fate.INCLUDED, Kind.RUN, files=("a.py",), overlap=("login",)),
    ),
    totals=(LayerTotal(Layer.BOUNDARIES, 7, 8_000, 1, 0),), superseded=4, more_runs=1,
    shaping=(("session_tokens_max", 2_000),), sha256="cd", ledger_seq=11, tokens=20, notes=("Recall was away.",),
)  # fmt: skip


def test_a_receipt_survives_a_round_trip_through_json() -> None:
    assert receipt_of(json.loads(json.dumps(RECEIPT.body()))) == RECEIPT


def test_a_receipt_knows_what_stands_in_the_block() -> None:
    assert [line.id for line in RECEIPT.shown(Layer.BOUNDARIES)] == ["d"]
    assert RECEIPT.shown(Layer.KNOWLEDGE) == ()
    assert RECEIPT.lines[0].shrunk
    assert not RECEIPT.lines[2].shrunk
