"""Owns the receipt: what a context block holds, what was left out and why, and which state it was made from.

A receipt holds no text of any record. It names records by id and version, in the order they were shown, and keeps
what the records do not say: which claims were stale, which run overlaps, how long a layer might be.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from hansard.domain.turns import Mode


class Layer(StrEnum):
    """The parts of a block, in the order they are shown: what binds first, what changes most last."""

    BOUNDARIES = "boundaries"
    MEMORY = "memory"
    GUIDANCE = "guidance"
    KNOWLEDGE = "knowledge"
    SESSION = "session"


class Kind(StrEnum):
    """What a line of a receipt is about."""

    DECISION = "decision"
    MEMORY = "memory"
    GUIDANCE = "guidance"
    SESSION = "session"
    RUN = "run"


class Fate(StrEnum):
    """What became of a candidate."""

    INCLUDED = "included"
    SHRUNK = "shrunk"
    ITEMS = "items"
    BUDGET = "budget"
    BELOW_FLOOR = "below the floor"
    DUPLICATE = "duplicate"
    UNVERIFIED = "unverified"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"

    @property
    def is_shown(self) -> bool:
        return self in {Fate.INCLUDED, Fate.SHRUNK}


class ReceiptLine(NamedTuple):
    """One candidate of a block: where it would stand, how large it is, and whether it made it.

    `note` says more about the fate. `stale` are the remarks about claims that do not hold. Both stale and, for a run,
    `files` and `overlap` are shown in the block as they are here. `digest` is the SHA-256 of a text that is no record.
    """

    layer: Layer
    id: str
    tokens: int
    fate: Fate
    kind: Kind
    version: int | None = None
    relevance: float | None = None
    note: str | None = None
    stale: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    overlap: tuple[str, ...] = ()
    digest: str | None = None

    @property
    def shrunk(self) -> bool:
        return self.fate is Fate.SHRUNK


class LayerTotal(NamedTuple):
    """What a layer used of its budget; no budget is no limit. `left_out` counts candidates that are not shown."""

    layer: Layer
    tokens: int
    budget: int | None
    shown: int
    left_out: int


class Receipt(NamedTuple):
    """What a block contains, what was left out and why, and which state of the ledger it was made from.

    `id` is given when the receipt is kept. `at` is the time of the reading, which the text does not show. `task` is
    as it was given; of the prompt only a digest is kept. `charter` is the text that was joined before the block.
    `shaping` is where layers were cut, in tokens. `more_runs` counts open runs that are not listed.
    """

    id: str | None
    at: int
    agent: str
    mode: Mode
    task: str | None
    prompt_sha256: str | None
    charter: str | None
    run_id: str | None
    lines: tuple[ReceiptLine, ...]
    totals: tuple[LayerTotal, ...]
    superseded: int
    more_runs: int
    shaping: tuple[tuple[str, int], ...]
    sha256: str
    ledger_seq: int
    tokens: int
    notes: tuple[str, ...] = ()

    def shown(self, layer: Layer) -> tuple[ReceiptLine, ...]:
        """The lines of a layer that stand in the block, in its order."""
        return tuple(line for line in self.lines if line.layer is layer and line.fate.is_shown)

    def body(self) -> dict[str, object]:
        """The receipt as plain values, for keeping it."""
        return {
            **self._asdict(),
            "lines": [line._asdict() for line in self.lines],
            "totals": [total._asdict() for total in self.totals],
            "shaping": dict(self.shaping),
        }


class Block(NamedTuple):
    """The text for the prompt, and its receipt. The text is empty only if the store could not be read."""

    text: str
    receipt: Receipt


def receipt_of(body: Mapping[str, object]) -> Receipt:
    """The receipt that `body` made these values of, also after a round trip through JSON."""
    fields = dict(body)
    fields["mode"] = Mode(str(fields["mode"]))
    fields["lines"] = tuple(_line(one) for one in _rows(fields["lines"]))
    fields["totals"] = tuple(_total(one) for one in _rows(fields["totals"]))
    shaping = fields["shaping"]
    assert isinstance(shaping, Mapping)
    fields["shaping"] = tuple((str(name), int(value)) for name, value in shaping.items())
    fields["notes"] = _texts(fields["notes"])
    return Receipt(**fields)  # type: ignore[arg-type]


def _line(row: Mapping[str, object]) -> ReceiptLine:
    fields = dict(row)
    fields["layer"] = Layer(str(fields["layer"]))
    fields["fate"] = Fate(str(fields["fate"]))
    fields["kind"] = Kind(str(fields["kind"]))
    for name in ("stale", "files", "overlap"):
        fields[name] = _texts(fields[name])
    return ReceiptLine(**fields)  # type: ignore[arg-type]


def _total(row: Mapping[str, object]) -> LayerTotal:
    fields = dict(row)
    fields["layer"] = Layer(str(fields["layer"]))
    return LayerTotal(**fields)  # type: ignore[arg-type]


def _rows(value: object) -> list[Mapping[str, object]]:
    assert isinstance(value, list | tuple)
    return list(value)


def _texts(value: object) -> tuple[str, ...]:
    assert isinstance(value, list | tuple)
    return tuple(str(one) for one in value)


def digest_of(said: str) -> str:
    """By which a text is known again."""
    return str(_sha256()(said.encode("utf-8", "surrogatepass")).hexdigest())


@cache
def _sha256() -> Any:
    """Python's own, under the name it has in this version: `hashlib` loads OpenSSL for the same digest, which takes a
    process before a turn longer than reading the memories."""
    for module in ("_sha2", "_sha256"):
        try:
            return import_module(module).sha256
        except ImportError:
            continue
    return import_module("hashlib").sha256
