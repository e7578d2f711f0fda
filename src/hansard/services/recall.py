"""Finds the memories that matter for a question, and orders them by relevance, recency and access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import questions, text
from hansard.domain.errors import Invalid, shown
from hansard.domain.limits import QUERY_BYTES_MAX, RECALL_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.policy import Act, Matter, may
from hansard.domain.ranking import Factors, Standing, factors
from hansard.domain.runs import clean_task
from hansard.domain.usage import Retrieval, Surfacing
from hansard.domain.vocabulary import Reach, Scope, Source, parse, parse_optional
from hansard.services.reindex import catch_up, fill_vectors
from hansard.services.seat import Seat, find_run

if TYPE_CHECKING:
    from hansard.domain.units import ModelIdentity
    from hansard.embedding.ports import Floats
    from hansard.index.project import Found, Sight
    from hansard.index.shelf import Held
    from hansard.store.ports import Transaction

NOTE_KEYWORDS_ONLY = "No vectors were used: {why} Results come from keywords alone."
NOTE_CUT = "The query is long; only its first {characters:,} characters were used."
NOTE_FORMER_MODEL = (
    "The vectors of this project are of {former}; {configured} is configured. `hansard memory reembed` makes them"
    " anew, and searches go on meanwhile."
)
NOTE_NO_VECTORS_YET = "Vectors are being made for the first time; this search used keywords alone."
NOTE_SOME_VECTORS = "Some memories have no vectors yet; words alone find those. They are being made."
NOTE_EMPTY = "The query has no words to look for."


class Hit(NamedTuple):
    """A memory that was found: how well it answers, and where it stands after recency and access."""

    memory: Memory
    relevance: float
    score: float
    factors: Factors
    coverage: float
    cosine: float
    corrections: float = 0.0


class Hits(tuple[Hit, ...]):
    """What was found, best first, and what the reader should know about the search."""

    notes: tuple[str, ...]

    def __new__(cls, hits: Iterable[Hit], notes: Iterable[str] = ()) -> Hits:
        made = super().__new__(cls, hits)
        made.notes = tuple(notes)
        return made


def recall(
    seat: Seat,
    query: str,
    *,
    limit: int = 5,
    scope: str = Reach.ALL,
    source: str | None = None,
    run_id: str | None = None,
    task: str | None = None,
) -> Hits:
    """The memories that answer the query best, as far as the caller may see them. Counts no access."""
    seat.require(Act.READ)
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= RECALL_ITEMS_MAX:
        raise Invalid(f"limit must be a whole number from 1 to {RECALL_ITEMS_MAX}; {shown(limit)} is not.")
    reach = parse(Reach, scope, field="scope")
    wanted_source = parse_optional(Source, source, field="source")
    asked_for = clean_task(task)
    question = questions.read(text.prose(query, field="query", bytes_max=QUERY_BYTES_MAX))
    notes = [NOTE_CUT.format(characters=questions.QUESTION_CHARACTERS_MAX)] if question.cut else []
    if not question.words:
        return Hits((), [*notes, NOTE_EMPTY])
    catch_up(seat)
    with seat.reading() as tx:
        serving = tx.units.serving()
    # Between two transactions: a provider that hangs must not hold a reader's view of the database.
    vector, why = _query_vector(seat, serving, question.text)
    if why:
        notes.append(NOTE_KEYWORDS_ONLY.format(why=why))
    configured = seat.shelf.embedder
    if serving is not None and configured is not None and configured.identity != serving[1]:
        notes.append(NOTE_FORMER_MODEL.format(former=serving[1], configured=configured.identity))
    with _indexed(seat) as (tx, held):
        run = find_run(tx, run_id)
        if serving is not None and held.model_id != serving[0]:
            vector = None  # The model changed in between; its vectors are never compared with this one.
        sight = _sight(seat, tx.now, reach, wanted_source)
        depth = limit * seat.settings.memory_candidate_multiplier
        found = held.units.search(question, vector, sight, depth)
        memories = tx.memories.by_seqs([one.memory_seq for one in found])
        hits = _ordered(seat, tx.now, found, memories, limit)
        if serving is None and configured is not None and held.units.count:
            notes.append(NOTE_NO_VECTORS_YET)
        elif vector is not None and seat.shelf.lacks_vectors(seat.project.id):
            notes.append(NOTE_SOME_VECTORS)
        surfaced = _surfaced(seat, tx, hits, run.id if run else None, asked_for)
    # After the transaction: a full log is written at once, and a writer must not wait for its own reader.
    seat.shelf.remember_retrievals(seat.project.id, surfaced)
    if not why:
        # A provider that has just failed to answer one question is not asked to embed more.
        fill_vectors(seat, beginning=serving is None)
    return Hits(hits, notes)


@contextmanager
def _indexed(seat: Seat) -> Iterator[tuple[Transaction, Held]]:
    """A transaction with the project's index, which is never behind it."""
    with seat.reading() as tx:
        held = seat.shelf.index_of(tx)
        if held is not None:
            yield tx, held
            return
    seat.shelf.settle(seat.project.id)
    with seat.reading() as tx:
        held = seat.shelf.index_of(tx, settled=True)
        assert held is not None, "a settled index is given out"
        yield tx, held


def glance(seat: Seat, query: str, *, limit: int) -> list[tuple[str, float]]:
    """Ids and relevance of what a search would find. It is in no log and starts nothing."""
    question = questions.read(text.prose(query, field="query", bytes_max=QUERY_BYTES_MAX))
    with seat.reading() as tx:
        serving = tx.units.serving()
    vector, _ = _query_vector(seat, serving, question.text)
    with _indexed(seat) as (tx, held):
        found = held.units.search(question, vector, _sight(seat, tx.now, Reach.ALL, None), limit)
        memories = tx.memories.by_seqs([one.memory_seq for one in found])
    return [(memories[one.memory_seq].id, one.relevance) for one in found if one.memory_seq in memories]


def _sight(seat: Seat, now: int, reach: Reach, source: Source | None) -> Sight:
    from hansard.index.project import Sight

    sees_all = may(seat.actor, Act.READ_PRIVATE, Matter(owner=None))
    return Sight(
        agent=None if sees_all else seat.actor.key,
        now=now,
        own=reach is not Reach.TEAM,
        team=reach is not Reach.AGENT,
        source=source,
    )


def _query_vector(
    seat: Seat, serving: tuple[int, ModelIdentity] | None, words: str
) -> tuple[Floats | None, str | None]:
    """The query's vector by the model that made the project's vectors, or why there is none."""
    from hansard.embedding.ports import EmbedderDown

    if serving is None or seat.shelf.embedder is None:
        return None, None
    embedder = seat.shelf.embedder_of(serving[1])
    if embedder is None:
        return None, f"this process cannot embed a question with {serving[1]}."
    try:
        return embedder.embed_query(words), None
    except EmbedderDown as error:
        return None, error.message


def _ordered(seat: Seat, now: int, found: list[Found], memories: dict[int, Memory], limit: int) -> list[Hit]:
    ranking = seat.settings.ranking()
    hits: list[Hit] = []
    for one in found:
        memory = memories.get(one.memory_seq)
        # The index follows the store; this is the second lock on the same door.
        if memory is None or one.relevance <= 0 or not _visible(seat, memory, now):
            continue
        seen = memory.accessed_at if memory.accessed_at is not None else memory.created_at
        standing = Standing(
            memory.source, now - memory.created_at, memory.access_count, now - seen, memory.alpha, memory.beta
        )
        parts = factors(one.relevance, standing, ranking)
        hits.append(Hit(memory, one.relevance, parts.score, parts, one.coverage, one.cosine, one.corrections))
    hits.sort(key=lambda hit: -hit.score)
    return hits[:limit]


def _visible(seat: Seat, memory: Memory, now: int) -> bool:
    matter = Matter(owner=memory.agent, team=memory.scope is Scope.TEAM)
    return may(seat.actor, Act.READ_PRIVATE, matter) and not memory.is_forgotten and not memory.is_expired(now)


def _surfaced(seat: Seat, tx: Transaction, hits: list[Hit], run_id: str | None, task: str | None) -> list[Retrieval]:
    call = tx.new_id()
    return [
        Retrieval(
            call, rank, hit.memory.id, seat.actor.key, run_id, task, Surfacing.SEARCH, hit.relevance, hit.score,
            shown=True, at=tx.now,
        )
        for rank, hit in enumerate(hits)
    ]  # fmt: skip
