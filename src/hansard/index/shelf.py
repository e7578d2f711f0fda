"""Owns the indexes a process holds: one per project, kept in step with the store, and the embedder they use.

Nothing heavy is imported before the first text is indexed or searched.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.errors import StoreCorrupt, Unavailable
from hansard.index.binding import Binding
from hansard.index.trim import give_back

if TYPE_CHECKING:
    from hansard.domain.units import IndexRow, Mark, ModelIdentity, PackedUnit
    from hansard.domain.usage import Retrieval, Waiting
    from hansard.embedding.ports import Embedder, Floats
    from hansard.embedding.static import StaticModel
    from hansard.index.project import ProjectIndex
    from hansard.settings import Settings
    from hansard.store.ports import Store, Transaction

UNITS_HELD_MAX = 500_000
"""What a process keeps of all its projects together; about 420 MB."""
LOAD_ROWS = 1_024
"""Rows taken in at once while a project is loaded. More is no faster and leaves holes in memory."""
UNITS_WORTH_TRIMMING = 20_000
FILL_BATCH_UNITS = 256
HARMLESS = "text"
FLUSH_SECONDS_MAX = 5.0
RETRIEVALS_BUFFERED_MAX = 600
RETRIEVALS_KEPT_MAX = 10_000
RETRIEVALS_TRIMMED_MORE = 500
"""What a flush deletes beyond the lines it writes, so that a log that is too long gets shorter."""


class Held(NamedTuple):
    """An index, the model whose vectors it holds, and the last event of the transaction it was asked for in."""

    units: ProjectIndex
    serving: tuple[int, ModelIdentity] | None
    seq: int = 0
    is_behind: bool = False
    """Whether units are still to be made of what that transaction holds."""

    @property
    def model_id(self) -> int | None:
        return self.serving[0] if self.serving else None


class Filled(NamedTuple):
    """How many units were embedded at once, how many of their texts the provider refused, and the last of them."""

    units: int
    refused: int
    last: tuple[int, int] | None


class Shelf:
    """The indexes and the embedder of one open Hansard. Safe to use from many threads."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self.binding = Binding()
        self._lock = threading.RLock()
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._embedder: Embedder | None = None
        self._chosen = False
        self._retrievals: dict[str, list[Waiting]] = {}
        self._filling: dict[str, threading.Thread] = {}
        self._lacking: set[str] = set()
        self._closing = threading.Event()

    @property
    def model(self) -> StaticModel:
        """The bundled model. Its tokens are the terms of every index, whoever makes the vectors."""
        from hansard.embedding.static import bundled

        return bundled()

    @property
    def embedder(self) -> Embedder | None:
        """The configured embedder; None means keywords only."""
        if not self._chosen:
            with self._lock:
                if not self._chosen:
                    from hansard.embedding.choose import choose

                    self._embedder, self._chosen = choose(self._settings), True
        return self._embedder

    def embedder_of(self, identity: ModelIdentity) -> Embedder | None:
        """The embedder that made a project's vectors, if this process has it and is to use vectors at all."""
        if self.embedder is None or self.embedder.identity == identity:
            return self.embedder
        return self.model if self.model.identity == identity else None

    def prepare(self, texts: Sequence[str], serving: ModelIdentity | None) -> list[tuple[PackedUnit, ...]]:
        """The units of texts about to be stored, with vectors of the serving model if it is local."""
        from hansard.index.prepare import prepare

        embedder = self.embedder if serving is None else self.embedder_of(serving)
        return prepare(texts, self.model, embedder if embedder is not None and embedder.is_local else None)

    def index_of(self, tx: Transaction, *, settled: bool = False) -> Held | None:
        """The project's index as of this transaction. What another process wrote is in it.

        None if the index is not behind the transaction: an old reader, or a store that went back, and maybe on again
        since. Then `settle` it after the transaction, and ask again; a second connection while one is held could wait
        for itself.
        """
        from hansard.index.project import ProjectIndex

        with self._lock:
            held = self._held.get(tx.project_id)
            mark = tx.units.mark()
            serving = mark.serving
            if held is not None and held.serving == serving and not settled and _is_astray(held.units, mark, tx):
                return None
            if held is None or held.serving != serving:
                dimensions = serving[1].dimensions if serving else self.model.identity.dimensions
                held = Held(ProjectIndex(self.model, dimensions), serving)
                self._held[tx.project_id] = held
                self._give_up_oldest()
            self._held.move_to_end(tx.project_id)
        with held.units.lock:
            since = held.units.stamp
            if since < mark.stamp:
                whole = since == 0
                try:
                    lacking = self._apply(held.units, tx.units.changes(since, held.model_id), mark.stamp)
                except (OverflowError, ValueError) as error:
                    raise StoreCorrupt("A unit of the index is damaged; restore a backup.") from error
                if lacking and serving is not None:
                    self._lacking.add(tx.project_id)
                elif whole:
                    self._lacking.discard(tx.project_id)
                if whole and held.units.count >= UNITS_WORTH_TRIMMING:
                    give_back()
            if since <= mark.stamp and held.units.head[0] < mark.seq:
                held.units.head = (mark.seq, mark.hash)
        return held._replace(seq=mark.seq, is_behind=mark.is_behind)

    def last_held(self, project_id: str) -> Held | None:
        """The index as it was asked for last, which may be behind the store by now."""
        return self._held.get(project_id)

    def _give_up_oldest(self) -> None:
        """Forgets the indexes that were used longest ago, until the rest is small enough; never the newest."""
        sizes = {project_id: held.units.count for project_id, held in self._held.items()}
        total = sum(sizes.values())
        while total > UNITS_HELD_MAX and len(self._held) > 1:
            project_id, _ = self._held.popitem(last=False)
            total -= sizes[project_id]

    def settle(self, project_id: str) -> None:
        """Gives up an index that the store itself has left, as after a restore; an old reader is no reason."""
        held = self._held.get(project_id)
        with self._store.read(project_id) as latest:
            astray = held is not None and _is_astray(held.units, latest.units.mark(), latest)
        with self._lock:
            if astray and self._held.get(project_id) is held:
                del self._held[project_id]

    def lacks_vectors(self, project_id: str) -> bool:
        """Whether units without a vector were seen, and nobody has found since that there are none."""
        return project_id in self._lacking

    def remember_retrievals(self, project_id: str, retrievals: Iterable[Retrieval], *, seq: int) -> None:
        """Keeps what was surfaced for the log; it is written with the next batch, never in a reader's time.

        It was surfaced after the event `seq`: what is forgotten later takes its words out of these lines as well.
        """
        from hansard.domain.usage import Waiting

        with self._lock:
            kept = self._retrievals.setdefault(project_id, [])
            kept.extend(Waiting(seq, one) for one in retrievals)
            full = len(kept) >= RETRIEVALS_BUFFERED_MAX
        if full:
            self._flush_if_possible(project_id)

    def flush(self, project_id: str) -> None:
        """Writes what was surfaced so far; what cannot be written now is kept for the next time."""
        from hansard.domain.usage import still_told

        with self._lock:
            kept = self._retrievals.pop(project_id, [])
        if not kept:
            return
        try:
            with self._store.write(project_id) as tx:
                # Whoever forgot something meanwhile found nothing of this in the log to blank.
                tx.usage.log(still_told(kept, tx.ledger.erasures(min(one.seq for one in kept))))
        except Unavailable:
            with self._lock:
                waiting = kept + self._retrievals.get(project_id, [])
                self._retrievals[project_id] = waiting[-RETRIEVALS_KEPT_MAX:]
            raise
        with suppress(Unavailable):
            # What is written is written; a user without the right to delete only keeps a longer log.
            self._trim(project_id, len(kept) + RETRIEVALS_TRIMMED_MORE)

    def _trim(self, project_id: str, limit: int) -> None:
        """Lets go of the oldest lines of the log. By the last event at most: the clock of one machine may be ahead."""
        from hansard.domain.memories import MICROSECONDS_PER_DAY

        with self._store.read(project_id) as tx:
            last = tx.ledger.get(tx.ledger.head()[0])
            oldest = min(tx.now - tx.ledger.clock_behind, last.at if last else 0)
        oldest -= self._settings.memory_log_days * MICROSECONDS_PER_DAY
        with self._store.write(project_id) as tx:
            tx.usage.trim(before=oldest, limit=limit)

    def flush_all(self) -> None:
        """Writes what was surfaced in any project, as far as that is possible now."""
        for project_id in list(self._retrievals):
            self._flush_if_possible(project_id)

    def _flush_if_possible(self, project_id: str) -> None:
        """Whoever searched has the hits already; a log that cannot be written is no reason to fail."""
        try:
            self.flush(project_id)
        except Unavailable as error:
            _warn("What searches surfaced is not in the log yet: %s", error.message)

    def fill_in_background(self, project_id: str) -> None:
        """Has missing vectors made by a thread of its own; one at a time for each project."""
        with self._lock:
            running = self._filling.get(project_id)
            if self._closing.is_set() or (running is not None and running.is_alive()):
                return
            thread = threading.Thread(target=self._fill, args=(project_id,), name="hansard-embed", daemon=True)
            self._filling[project_id] = thread
        thread.start()

    def wait_for_vectors(self, timeout_seconds: float) -> None:
        """Waits until the threads that fill in vectors have ended, or the time is up."""
        for thread in list(self._filling.values()):
            thread.join(timeout_seconds)

    def close(self) -> None:
        self._closing.set()
        self.wait_for_vectors(5.0)
        waiting = sum(map(len, self._retrievals.values()))
        # In a thread: whoever has the answer does not wait for a log while somebody else writes.
        flushing = threading.Thread(target=self.flush_all, name="hansard-flush", daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS_MAX)
        if flushing.is_alive():
            _warn("%d lines of the retrieval log may be lost: the database took too long to write them.", waiting)
        self._held.clear()

    @staticmethod
    def _apply(index: ProjectIndex, rows: Iterable[IndexRow], stamp: int) -> bool:
        """Takes in what changed, and says whether some of it has no vector."""
        batch: list[IndexRow] = []
        lacking = False
        for row in rows:
            # Cut between memories only: the index replaces all units of a memory at once.
            if len(batch) >= LOAD_ROWS and row.memory_seq != batch[-1].memory_seq:
                index.apply(batch, index.stamp)
                batch = []
            batch.append(row)
            lacking = lacking or (row.vector is None and row.chunk >= 0)
        index.apply(batch, stamp)
        return lacking

    def _fill(self, project_id: str) -> None:
        from hansard.embedding.ports import EmbedderDown

        try:
            while not self._closing.is_set():
                serving = self._serving(project_id)
                embedder = self.embedder_of(serving[1]) if serving else None
                if serving is None or embedder is None:
                    return
                if not self.fill_once(project_id, serving[0], embedder).units:
                    self._lacking.discard(project_id)
                    return
        except EmbedderDown:
            return  # The provider is down: the next write or search tries again.
        except Unavailable as error:
            _warn("Missing vectors were not filled in: %s", error.message)

    def _serving(self, project_id: str) -> tuple[int, ModelIdentity] | None:
        """The model that serves; in a project that has none yet, the configured one begins to."""
        with self._store.read(project_id) as tx:
            serving = tx.units.serving()
        if serving is not None or self.embedder is None:
            return serving
        with self._store.write(project_id) as tx:
            tx.vectors.register(self.embedder.identity)
            return tx.units.serving()

    def fill_once(
        self,
        project_id: str,
        model_id: int,
        embedder: Embedder,
        *,
        patient: bool = False,
        after: tuple[int, int] | None = None,
    ) -> Filled:
        """Embeds one batch of units that the model has no vectors of, and says how many there were.

        With `after`, the batch is the units that follow this one, and their vectors are replaced. A text that the
        provider refuses gets a vector that is near nothing: it must not keep the others waiting, and words still find
        it.
        """
        from hansard.domain.units import pieces
        from hansard.index.rows import pack_vectors

        with self._store.read(project_id) as tx:
            if after is None:
                wanted = tx.vectors.missing(model_id, FILL_BATCH_UNITS)
            else:
                wanted = tx.vectors.following(after, FILL_BATCH_UNITS)
        if not wanted:
            return Filled(0, 0, after)
        # Embed outside any transaction: a slow provider must not hold the only write lock.
        # Each text is cut once, however many of its units are wanted.
        contents = {seq: content for seq, _, _, content in wanted}
        cut = {seq: pieces(content) for seq, content in contents.items()}
        texts = [cut[seq][chunk] if chunk < len(cut[seq]) else "" for seq, _, chunk, _ in wanted]
        vectors, refused = _embedded(embedder, texts, patient=patient)
        places = zip(wanted, pack_vectors(vectors), strict=True)
        with self._store.write(project_id) as tx:
            tx.vectors.fill(model_id, [(seq, version, chunk, vector) for (seq, version, chunk, _), vector in places])
        if refused:
            _warn("%s refused %d of %d texts; only words find them.", embedder.identity, refused, len(texts))
        return Filled(len(wanted), refused, (wanted[-1][0], wanted[-1][2]))


def _is_astray(held: ProjectIndex, now: Mark, tx: Transaction) -> bool:
    """Whether an index has seen what this state of the store has not.

    The stamp alone does not tell: a store that went back counts on from there, and soon is past it again.
    """
    seq, hash = held.head
    if held.stamp > now.stamp or seq > now.seq:
        return True
    if not seq or (seq, hash) == (now.seq, now.hash):
        return False
    return seq == now.seq or not tx.ledger.holds(seq, hash)


def _embedded(embedder: Embedder, texts: Sequence[str], *, patient: bool) -> tuple[Floats, int]:
    """The vectors of all texts, and how many were refused. A refused batch is halved until the culprit is alone."""
    import numpy as np

    from hansard.embedding.ports import EmbedderDown, TextRefused

    try:
        return embedder.embed(texts, patient=patient), 0
    except TextRefused:
        if len(texts) == 1:
            try:
                embedder.embed([HARMLESS], patient=patient)
            except TextRefused as refusal:
                # It takes nothing at all: that is a wrong model or setting, and not this text.
                raise EmbedderDown(refusal.message) from refusal
            return np.zeros((1, embedder.identity.dimensions), np.float32), 1
    half = len(texts) // 2
    first, refused = _embedded(embedder, texts[:half], patient=patient)
    second, more = _embedded(embedder, texts[half:], patient=patient)
    return np.concatenate([first, second]), refused + more


def _warn(message: str, *values: object) -> None:
    # Imported here because every command has a shelf, and few have anything to say.
    import logging

    logging.getLogger("hansard").warning(message, *values)
