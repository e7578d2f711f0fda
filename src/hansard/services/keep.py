"""Keeps receipts of blocks on request, shows them to those who may see them, and lets go of old ones.

Keeping a receipt is no event: it changes nothing that was decided or learned, and the history tells of changes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from hansard.domain import text
from hansard.domain.actors import filter_key
from hansard.domain.decisions import FORGOTTEN_TEXT
from hansard.domain.errors import GuardRefused, Invalid, TooManyWrites, Unavailable, UnknownReceipt, quoted
from hansard.domain.identifiers import is_uuid
from hansard.domain.kept import KeptReceipt, kept, without_task, without_words
from hansard.domain.memories import MICROSECONDS_PER_DAY
from hansard.domain.numbers import whole
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, may
from hansard.domain.receipts import Layer, digest_of
from hansard.domain.vocabulary import Subject
from hansard.services.admission import safe
from hansard.services.limit import count_write
from hansard.services.repeat import note_work
from hansard.services.seat import Seat, lived_until, register_agent
from hansard.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hansard.domain.memories import Memory
    from hansard.domain.receipts import Block, Receipt
    from hansard.domain.runs import Run
    from hansard.store.ports import Receipts, Transaction

EVENTS_READ_MAX = 1_000
"""How much of the history is held at a time."""
RECEIPT_DAYS_MAX = 36_500
"""As many as the setting may be."""


def keep(seat: Seat, receipt: Receipt) -> Receipt:
    """Stores the receipt and returns it with its id. Whoever may have the block compiled may keep its receipt.

    It is a write like any other, or an agent could fill the disk. Raises TooManyWrites.
    """
    seat.require(Act.READ_PRIVATE, Matter(owner=receipt.agent))
    _refuse_redacted(receipt.agent)
    with seat.writing() as tx:
        still_known = _without_secrets(_without_forgotten(tx, receipt))
        record = kept(still_known, id=tx.new_id(), agent=register_agent(tx, receipt.agent))
        seat.store.receipts(tx).insert(record)
        # It is no event, by which a seat knows that something was written and a request done.
        count_write(tx, seat)
        note_work(seat.store, tx)
    _keep_guidance(seat, receipt)
    return record.receipt()


def _refuse_redacted(agent: str) -> None:
    """What stands in the place of a secret is nobody's name."""
    if "[" in agent:
        from hansard.guard.values import MARK_OPEN

        if MARK_OPEN in agent:
            raise GuardRefused(f"The name of the agent holds a secret: {agent}.")


def _keep_guidance(seat: Seat, receipt: Receipt) -> None:
    """Guidance is a file that is written anew, so its words are kept beside it; without them replay says so."""
    for line in receipt.shown(Layer.GUIDANCE):
        from hansard.services.guide import told_guidance
        from hansard.workspace import guidance

        with suppress(Invalid, OSError):
            said = told_guidance(seat)
            if said is not None and line.digest == digest_of(said):
                guidance.keep_copy(data_folder(), seat.project.id, line.digest, said)


def _drop_guidance(seat: Seat) -> None:
    """Lets go of the guidance of then that no receipt names any more."""
    from hansard.workspace import guidance

    with suppress(Invalid, OSError):
        for digest in guidance.copies(data_folder(), seat.project.id):
            with seat.reading() as tx:
                named = seat.store.receipts(tx).naming(f'"{digest}"')
            if not named:
                guidance.drop_copy(data_folder(), seat.project.id, digest)


def keep_block(seat: Seat, block: Block) -> Block:
    """The block with a receipt that is kept, or with a note that it could not be: the turn goes on."""
    if not block.receipt.ledger_seq:
        # A store that could not be read would keep the turn waiting once more.
        return not_kept(block, "the record could not be read, so nothing of it could be replayed.")
    try:
        hurried = seat._replace(wait_seconds=seat.settings.context_wait_seconds)
        return block._replace(receipt=keep(hurried, block.receipt))
    except (Unavailable, Invalid, TooManyWrites) as error:
        return not_kept(block, error.message)


def not_kept(block: Block, reason: str) -> Block:
    """The block with a note that its receipt is not kept."""
    notes = (*block.receipt.notes, f"The receipt could not be kept: {reason}")
    return block._replace(receipt=block.receipt._replace(notes=notes))


def list_receipts(seat: Seat, window: Window, *, agent: str | None = None) -> Page[KeptReceipt]:
    """Kept receipts, newest first: to people all of them, to anybody else their own."""
    seat.require(Act.READ)
    wanted = filter_key(agent)
    if not may(seat.actor, Act.READ_PRIVATE):
        if wanted is not None and wanted != seat.actor.key:
            return Page(())
        wanted = seat.actor.key
    with seat.reading() as tx:
        return seat.store.receipts(tx).page(window, agent_key=wanted)


def get_receipt(seat: Seat, receipt_id: str) -> KeptReceipt:
    """The receipt, if the caller may see it. To a reader, forbidden equals missing; the history knows better."""
    wanted = text.reference(receipt_id, field="receipt")
    with seat.reading() as tx:
        found = seat.store.receipts(tx).get(wanted) if is_uuid(wanted) else None
    refusal = UnknownReceipt(f"There is no receipt {quoted(wanted)} in this project.")
    if found is None:
        raise refusal
    if not may(seat.actor, Act.READ_PRIVATE, Matter(owner=found.agent)):
        seat.note_refusal(refusal)
        raise refusal
    return found


def purge_receipts(seat: Seat, *, days: int | None = None, dry_run: bool = False) -> int:
    """Deletes receipts that are older than so many days, or than the setting says, and says how many there were."""
    seat.require(Act.PURGE)
    lasting = seat.settings.context_receipts_days if days is None else whole(days, "days", 0, RECEIPT_DAYS_MAX)
    age = lasting * MICROSECONDS_PER_DAY
    if dry_run:
        with seat.reading() as tx:
            return seat.store.receipts(tx).count_before(lived_until(tx) - age)
    with seat.writing() as tx:
        receipts = seat.store.receipts(tx)
        count = receipts.count_before(lived_until(tx) - age)
        if count:
            receipts.delete_before(lived_until(tx) - age)
    if count:
        _drop_guidance(seat)
    return count


def forget_memory(tx: Transaction, seat: Seat, memory: Memory) -> None:
    """Takes what kept receipts quote of a memory that is being forgotten out of them."""
    quoted = {memory.id}
    if memory.run_id is not None and memory.citations:
        # The files that its run cites are told from its citations.
        quoted.add(memory.run_id)
    receipts = seat.store.receipts(tx)
    for one in _naming(receipts, [f'"{id}"' for id in sorted(quoted)]):
        _rewrite(receipts, one, without_words(one.receipt(), quoted))


def forget_run(tx: Transaction, seat: Seat, run: Run) -> None:
    """The same for a run, whose task may be that of a turn as well."""
    from hansard.domain.chain import canonical

    receipts = seat.store.receipts(tx)
    spelled = [f'"{run.id}"', *([canonical({"task": run.task})[1:-1]] if run.task else [])]
    for one in _naming(receipts, spelled):
        _rewrite(receipts, one, without_task(without_words(one.receipt(), {run.id}), run.id, run.task))


def _without_forgotten(tx: Transaction, receipt: Receipt) -> Receipt:
    """The receipt without what was forgotten since its block was made: whoever forgot it found no receipt to mend."""
    quoted: set[str] = set()
    runs: set[str] = set()
    for subject, subject_id in _changed_since(tx, receipt.ledger_seq):
        if subject is Subject.MEMORY:
            memory = tx.memories.get(subject_id)
            if memory is not None and memory.is_forgotten:
                quoted |= {memory.id} if memory.run_id is None else {memory.id, memory.run_id}
        elif subject is Subject.RUN:
            run = tx.runs.get(subject_id)
            if run is not None and run.task == FORGOTTEN_TEXT:
                runs.add(run.id)
    bare = without_words(receipt, quoted | runs)
    # The words of the task are gone, so nobody can tell any more whether they are those of the turn.
    return without_task(bare, next(iter(runs)), receipt.task) if runs else bare


def _without_secrets(receipt: Receipt) -> Receipt:
    """A receipt quotes what the turn was about, and remarks."""
    notes = tuple(safe(one) for one in receipt.notes)
    return receipt._replace(task=None if receipt.task is None else safe(receipt.task), notes=notes)


def _changed_since(tx: Transaction, seq: int) -> set[tuple[Subject, str]]:
    changed: set[tuple[Subject, str]] = set()
    while events := tx.ledger.after(seq, EVENTS_READ_MAX):
        changed |= {(one.subject, one.subject_id) for one in events}
        seq = events[-1].seq
    return changed


def _naming(receipts: Receipts, texts: Sequence[str]) -> list[KeptReceipt]:
    return list({one.id: one for wanted in texts for one in receipts.naming(wanted)}.values())


def _rewrite(receipts: Receipts, before: KeptReceipt, said: Receipt) -> None:
    after = kept(said, id=before.id, agent=before.agent)
    if after.body != before.body:
        receipts.rewrite(before.id, after.body)
