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
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may
from hansard.domain.receipts import Kind, Layer, Receipt, ReceiptLine, digest_of
from hansard.domain.turns import Mode
from hansard.guard.values import MARK_OPEN
from hansard.services import guide
from hansard.services.chronicle import RESTATED
from hansard.services.hide import held_now
from hansard.services.keep import EVENTS_READ_MAX, get_receipt
from hansard.services.scan import SAFE_MARK
from hansard.services.seat import Seat
from hansard.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hansard.domain.ledger import Event
    from hansard.store.ports import Past, Transaction

UNEXPLAINED = "The words are not those of then, and nothing on record explains it. Run `hansard history verify`."
REDACTED = "was redacted meanwhile"
QUOTES_REDACTED = "What the receipt quotes was redacted meanwhile: a remark about a memory, or what a run works on."
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
    """Makes the block of a kept receipt again. What was forgotten or redacted meanwhile is gone, and is said."""
    receipt = get_receipt(seat, receipt_id).receipt()
    with seat.reading() as tx:
        event = tx.ledger.get(receipt.ledger_seq)
        if event is None and receipt.lines:
            raise StoreCorrupt(f"The history has no event {receipt.ledger_seq:,}, which the receipt was made at.")
        # What a reviewer holds now is not told again, whatever the block of then told; whoever reviews may look.
        shown = (line.id for line in receipt.lines if line.kind is Kind.MEMORY and line.fate.is_shown)
        held = frozenset() if may(seat.actor, Act.REVIEW_GUARD) else frozenset(held_now(tx, shown))
        past = seat.store.past(tx, event.at if event else 0, now=receipt.at)
        redraw = _Redraw(receipt, past, partial(_guidance, seat), held, partial(_redactions, tx, receipt))
        text = redraw.text()
        digest = digest_of(text)
        differences: list[str] = []
        if digest != receipt.sha256:
            differences = [*redraw.differences, *_quotes_redacted(tx, receipt)] or [UNEXPLAINED]
    return Replayed(text, receipt, digest, tuple(differences))


class _Redraw:
    """The layers of a receipt, drawn from the record of then."""

    def __init__(
        self,
        receipt: Receipt,
        past: Past,
        guidance_then: Callable[[str], str | None],
        held: frozenset[str],
        redactions: Callable[[ReceiptLine], Iterator[Event]],
    ) -> None:
        self._receipt = receipt
        self._past = past
        self._guidance_then = guidance_then
        self._held = held
        self._redactions = redactions
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
            else:
                self._look(line, *record.words, *record.applies_to)
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
        self._look(line, memory.content)
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
        opened = next((line for line in shown if line.kind is Kind.SESSION), None)
        current = None if opened is None else self._past.session_by_id(opened.id)
        if opened is not None and current is not None:
            self._look(opened, current.focus, current.summary, *current.issues)
        runs = []
        for line in shown:
            if line.kind is not Kind.RUN:
                continue
            run = self._past.run(line.id)
            if run is None or run.task == FORGOTTEN_TEXT:
                self._gone(line, known=run is not None)
            else:
                self._look(line, run.task)
            if run is not None:
                runs.append(rendering.run_line(run, files=line.files, overlap=line.overlap))
        return rendering.session(
            current, runs, more_runs=self._receipt.more_runs, tokens_max=self._shaping.get("session_tokens_max", 0)
        )

    def _gone(self, line: ReceiptLine, *, known: bool) -> None:
        why = "was forgotten meanwhile" if known else MISSING
        # A reviewer's redaction takes all words; one that a scan made has left some to be forgotten later.
        if known and any(RESTATED not in one.details for one in self._redactions(line)):
            why = REDACTED
        self._differs(line, why)

    def _look(self, line: ReceiptLine, *words: str | None) -> None:
        """Says of a record whose words have the mark of a redaction that they had none in the block."""
        marked = any(one == SAFE_MARK or MARK_OPEN in one for one in words if one)
        if marked and next(self._redactions(line), None) is not None:
            self._differs(line, REDACTED)

    def _differs(self, line: ReceiptLine, why: str) -> None:
        self.differences.append(f"The {line.kind.value} {line.id} {why}.")


def _redactions(tx: Transaction, receipt: Receipt, line: ReceiptLine) -> Iterator[Event]:
    """The events since the receipt that say that words were taken out of the record of a line."""
    cursor: str | None = None
    while True:
        page = tx.ledger.page(Window(PAGE_ITEMS_MAX, cursor), subject_id=line.id)
        for event in page.items:
            if event.seq <= receipt.ledger_seq:
                return
            if event.action == f"{line.kind.value}.redacted":
                yield event
        cursor = page.next_cursor
        if cursor is None:
            return


def _quotes_redacted(tx: Transaction, receipt: Receipt) -> list[str]:
    """That a scan put a mark into what the receipt quotes. No event tells of receipts, but one of whom they quote."""
    shown = [line for line in receipt.lines if line.fate.is_shown]
    quoted = (one for line in shown for one in (*line.stale, *line.files, *line.overlap))
    if not any(MARK_OPEN in one for one in quoted):
        return []
    return [QUOTES_REDACTED] if any(RESTATED in one.details for one in _since(tx, receipt.ledger_seq)) else []


def _since(tx: Transaction, seq: int) -> Iterator[Event]:
    while events := tx.ledger.after(seq, EVENTS_READ_MAX):
        yield from events
        seq = events[-1].seq


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
