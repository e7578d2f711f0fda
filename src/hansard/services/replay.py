"""Replays a block from its receipt: the records it names, as they were, rendered again and compared byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import rendering
from hansard.domain.actors import key_of
from hansard.domain.decisions import FORGOTTEN_TEXT
from hansard.domain.errors import Invalid, StoreCorrupt
from hansard.domain.policy import Act, may
from hansard.domain.receipts import Kind, Layer, Receipt, ReceiptLine, digest_of
from hansard.domain.turns import Mode
from hansard.services import guide
from hansard.services.hide import held_now
from hansard.services.keep import get_receipt
from hansard.services.seat import Seat
from hansard.settings import data_folder

if TYPE_CHECKING:
    from hansard.store.ports import Past

UNEXPLAINED = "The words are not those of then, and nothing on record explains it. Run `hansard history verify`."
MISSING = "is not in the record as it was at the receipt's event"
CHANGED = "The memory {id} was version {then} in the block, and version {now} at the receipt's event."


class Replayed(NamedTuple):
    """A block made again. `differences` is empty if and only if it has the very bytes that the agent was given."""

    text: str
    receipt: Receipt
    sha256: str
    differences: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        return self.sha256 == self.receipt.sha256


def replay(seat: Seat, receipt_id: str) -> Replayed:
    """Makes the block of a kept receipt again. What was forgotten meanwhile is a tombstone, and is said."""
    receipt = get_receipt(seat, receipt_id).receipt()
    with seat.reading() as tx:
        event = tx.ledger.get(receipt.ledger_seq)
        if event is None and receipt.lines:
            raise StoreCorrupt(f"The history has no event {receipt.ledger_seq:,}, which the receipt was made at.")
        # What a reviewer holds now is not told again, whatever the block of then told; whoever reviews may look.
        shown = (line.id for line in receipt.lines if line.kind is Kind.MEMORY and line.fate.is_shown)
        held = frozenset() if may(seat.actor, Act.REVIEW_GUARD) else frozenset(held_now(tx, shown))
        redraw = _Redraw(
            receipt, seat.store.past(tx, event.at if event else 0, now=receipt.at), partial(_guidance, seat), held
        )
        text = redraw.text()
    digest = digest_of(text)
    differences = redraw.differences
    if digest == receipt.sha256:
        differences = []
    elif not differences:
        differences = [UNEXPLAINED]
    return Replayed(text, receipt, digest, tuple(differences))


class _Redraw:
    """The layers of a receipt, drawn from the record of then."""

    def __init__(
        self, receipt: Receipt, past: Past, guidance_then: Callable[[str], str | None], held: frozenset[str]
    ) -> None:
        self._receipt = receipt
        self._past = past
        self._guidance_then = guidance_then
        self._held = held
        self._reader_key = key_of(receipt.agent)
        self._shaping: dict[str, int] = dict(receipt.shaping)
        self.differences: list[str] = []

    def text(self) -> str:
        layers = [self._boundaries(), self._memory(), self._guidance(), self._knowledge(), self._session()]
        return rendering.chartered(self._receipt.charter, "\n".join(layer for layer in layers if layer))

    def _boundaries(self) -> str:
        shown = self._receipt.shown(Layer.BOUNDARIES)
        if not shown:
            return ""
        found = [(line, self._past.decision(line.id)) for line in shown]
        known = [(line, record) for line, record in found if record is not None]
        for line, record in found:
            if record is None or record.is_forgotten:
                self._gone(line, known=record is not None)
        if self._receipt.mode is Mode.COORDINATOR:
            return rendering.digest([record for _, record in known])
        return rendering.boundaries([record for _, record in known], {line.id for line, _ in known if line.shrunk})

    def _memory(self) -> str:
        lines = [self._memory_line(line) for line in self._receipt.shown(Layer.MEMORY)]
        return rendering.memories(lines) if lines else ""

    def _knowledge(self) -> str:
        lines = [self._memory_line(line) for line in self._receipt.shown(Layer.KNOWLEDGE)]
        return rendering.knowledge(lines) if lines else ""

    def _memory_line(self, line: ReceiptLine) -> str:
        if line.id in self._held:
            self.differences.append(f"The memory {line.id} waits for review by a person now.")
            return rendering.withheld_line(line.id)
        memory = self._past.memory(line.id)
        if memory is None or memory.is_forgotten:
            self._gone(line, known=memory is not None)
            return rendering.tombstone_line(line.id)
        if line.version is not None and line.version != memory.version:
            self.differences.append(CHANGED.format(id=line.id, then=line.version, now=memory.version))
        draw = rendering.memory_line if line.layer is Layer.MEMORY else rendering.knowledge_line
        return draw(memory, reader_key=self._reader_key, stale=line.stale)

    def _guidance(self) -> str:
        shown = self._receipt.shown(Layer.GUIDANCE)
        if not shown:
            return ""
        said = self._guidance_then(shown[0].digest or "")
        if said is None:
            self.differences.append("The guidance of then is gone: its words are not on this machine.")
            said = FORGOTTEN_TEXT
        return guide.drawn(said, shown[0].stale, tokens_max=self._shaping["guidance_tokens_max"])

    def _session(self) -> str:
        shown = self._receipt.shown(Layer.SESSION)
        if not shown and not self._receipt.more_runs:
            return ""
        current = next((self._past.session_by_id(line.id) for line in shown if line.kind is Kind.SESSION), None)
        runs = []
        for line in shown:
            if line.kind is not Kind.RUN:
                continue
            run = self._past.run(line.id)
            if run is None or run.task == FORGOTTEN_TEXT:
                self._gone(line, known=run is not None)
            if run is not None:
                runs.append(rendering.run_line(run, files=line.files, overlap=line.overlap))
        return rendering.session(
            current, runs, more_runs=self._receipt.more_runs, tokens_max=self._shaping.get("session_tokens_max", 0)
        )

    def _gone(self, line: ReceiptLine, *, known: bool) -> None:
        self.differences.append(f"The {line.kind.value} {line.id} {'was forgotten meanwhile' if known else MISSING}.")


def _guidance(seat: Seat, digest: str) -> str | None:
    """The guidance with this digest: the one of now, or the copy that was kept with the receipt."""
    from hansard.services.guide import told_guidance
    from hansard.workspace.guidance import copy_of

    for find in (partial(told_guidance, seat), partial(copy_of, data_folder(), seat.project.id, digest)):
        with suppress(Invalid, OSError):
            said = find()
            if said is not None and digest_of(said) == digest:
                return said
    return None
