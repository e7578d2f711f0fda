"""Finds the memories that matter for a question, and orders them by relevance, recency and access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import questions, text
from hansard.domain.actors import key_of
from hansard.domain.limits import QUERY_BYTES_MAX, RECALL_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.numbers import whole
from hansard.domain.policy import Act, Matter, may
from hansard.domain.ranking import Factors, factors
from hansard.domain.runs import clean_task
from hansard.domain.usage import Retrieval, Surfacing
from hansard.domain.vocabulary import Reach, Scope, Source, parse, parse_optional
from hansard.services import observe
from hansard.services.admission import safe
from hansard.services.open_index import asked, indexed, query_vector
from hansard.services.reindex import fill_vectors
from hansard.services.seat import Seat, find_run, lived_until

if TYPE_CHECKING:
    from hansard.domain.units import ModelIdentity
    from hansard.index.project import Found, Sight
    from hansard.store.ports import Transaction

NOTE_KEYWORDS_ONLY = "No vectors were used: {why} Results come from keywords alone."
NOTE_CUT = "The query is long; only its first {characters:,} characters were used."
NOTE_FORMER_MODEL = (
    "The vectors of this project are of {former}; {configured} is configured. {advice} Until then searches use the"
    " vectors that are there."
)
NOTE_UNREACHABLE_MODEL = (
    "No vectors were used: those of this project are of {former}, which this process cannot ask; {configured} is"
    " configured. Results come from keywords alone. {advice} Or configure the former model again."
)
ADVICE = "`hansard memory reembed` makes them anew."
ADVICE_ASK = "Ask a person to run `hansard memory reembed`, which makes them anew."
"""For who may not run it: an agent is not sent to a command that refuses it."""
NOTE_NO_VECTORS_YET = "Vectors are being made for the first time; this search used keywords alone."
NOTE_SOME_VECTORS = "Some memories have no vectors yet; words alone find those. They are being made."
NOTE_DAMAGED = "The index of some memories ({count:,}) is damaged and cannot be made anew; this search left them out."
NOTE_CHANGED = "Recall left out {count:,} that changed while the block was made; the next turn finds them."
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
    held: float = 0.0
    """The share of the question's telling words that it holds itself."""


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
    whole(limit, "limit", 1, RECALL_ITEMS_MAX)
    reach = parse(Reach, scope, field="scope")
    wanted_source = parse_optional(Source, source, field="source")
    asked_for = clean_task(task)
    question = questions.read(text.prose(query, field="query", bytes_max=QUERY_BYTES_MAX))
    if not question.words:
        return Hits((), [*_cut(question), NOTE_EMPTY])
    depth = limit * seat.settings.memory_candidate_multiplier
    with _searched(seat, question, reach, wanted_source, depth) as search:
        run = find_run(search.tx, run_id)
        ranked = _best(seat, search, limit)
        surfaced = _surfaced(seat, search.tx, ranked, run.id if run else None, asked_for)
    # After the transaction: a full log is written at once, and a writer must not wait for its own reader.
    seat.shelf.remember_retrievals(seat.project.id, surfaced, seq=search.seq)
    _tell_arms(ranked.hits)
    return Hits(ranked.hits, search.notes)


def recollect(seat: Seat, query: str, *, depth: int, seq: int | None = None) -> Hits:
    """So many memories that may answer, by relevance alone: no clock changes that order.

    With the number of an event, none that was not there after that event, or was other than it is now. It is in no
    log: whoever shows some of them says so with `note_shown`.
    """
    question = questions.read(query)
    if not question.words:
        return Hits((), [NOTE_EMPTY])
    with _searched(seat, question, Reach.ALL, None, depth) as search:
        hits = _best(seat, search, depth, by_relevance=True).hits
        if seq is not None:
            known = _known_at(seat, search, hits, seq)
            if len(known) < len(hits):
                search.notes.append(NOTE_CHANGED.format(count=len(hits) - len(known)))
            hits = known
    _tell_arms(hits)
    return Hits(hits, search.notes)


def _tell_arms(hits: Sequence[Hit]) -> None:
    """Tells which arms spoke for what was found."""
    if any(hit.coverage > 0 for hit in hits):
        observe.tell(observe.RECALL_WORDS)
    if any(hit.cosine > 0 for hit in hits):
        observe.tell(observe.RECALL_VECTORS)


def _known_at(seat: Seat, search: _Search, hits: list[Hit], seq: int) -> list[Hit]:
    """The hits that are as they were right after this event: a block is of one state, and its receipt says which."""
    if search.seq <= seq:
        return hits
    tx = search.tx
    event = tx.ledger.get(seq)
    past = seat.store.past(tx, event.at if event else 0, now=lived_until(tx))
    then = {hit.memory.id: past.memory(hit.memory.id) for hit in hits}
    return [hit for hit in hits if (was := then[hit.memory.id]) is not None and was.version == hit.memory.version]


def note_shown(seat: Seat, hits: Sequence[Hit], *, at: int, seq: int, run_id: str | None, task: str | None) -> None:
    """Has the log tell that a block of the state after this event showed these."""
    call, task = seat.store.new_id(), None if task is None else safe(task)
    shown_ones = [
        Retrieval(
            call, rank, hit.memory.id, seat.actor.key, run_id, task, Surfacing.CONTEXT, hit.relevance, hit.score,
            shown=True, at=at,
        )
        for rank, hit in enumerate(hits)
    ]  # fmt: skip
    seat.shelf.remember_retrievals(seat.project.id, shown_ones, seq=seq)


class _Search(NamedTuple):
    """What the index found, and the transaction in which that holds. The last notes come when that is over."""

    tx: Transaction
    found: list[Found]
    notes: list[str]
    seq: int
    """The last event of the transaction."""


@contextmanager
def _searched(
    seat: Seat, question: questions.Question, reach: Reach, source: Source | None, depth: int
) -> Iterator[_Search]:
    notes = _cut(question)
    with asked(seat, question.text) as (tx, held, vector, why):
        serving, configured = held.serving, seat.shelf.embedder
        if why:
            notes.append(NOTE_KEYWORDS_ONLY.format(why=why))
        if serving is not None and configured is not None and configured.identity != serving[1]:
            notes.append(_former_model(seat, serving[1], configured.identity))
        found = held.units.search(question, vector, _sight(seat, lived_until(tx), reach, source), depth)
        if serving is None and configured is not None and held.units.count:
            notes.append(NOTE_NO_VECTORS_YET)
        elif vector is not None and seat.shelf.lacks_vectors(seat.project.id):
            notes.append(NOTE_SOME_VECTORS)
        if held.units.damaged:
            notes.append(NOTE_DAMAGED.format(count=len(held.units.damaged)))
        yield _Search(tx, found, notes, held.seq)
    if not why:
        # A provider that has just failed to answer one question is not asked to embed more.
        fill_vectors(seat, beginning=serving is None)


def _cut(question: questions.Question) -> list[str]:
    return [NOTE_CUT.format(characters=questions.QUESTION_CHARACTERS_MAX)] if question.cut else []


def glance(seat: Seat, query: str, *, limit: int) -> list[tuple[str, float]]:
    """Ids and relevance of what a search would find. It is in no log and starts nothing."""
    question = questions.read(text.prose(query, field="query", bytes_max=QUERY_BYTES_MAX))
    with seat.reading() as tx:
        serving = tx.units.serving()
    vector, _ = query_vector(seat, serving, question.text)
    with indexed(seat) as (tx, held):
        asked_for = vector if held.serving == serving else None
        found = held.units.search(question, asked_for, _sight(seat, lived_until(tx), Reach.ALL, None), limit)
        memories = tx.memories.by_seqs([one.memory_seq for one in found])
    return [(memories[one.memory_seq].id, one.relevance) for one in found if one.memory_seq in memories]


def _sight(seat: Seat, now: int, reach: Reach, source: Source | None) -> Sight:
    from hansard.index.project import Sight

    return Sight(
        agent=_reader_key(seat),
        now=now,
        own=reach is not Reach.TEAM,
        team=reach is not Reach.AGENT,
        source=source,
    )


def _reader_key(seat: Seat) -> str | None:
    """Who looks, if that is not one who may read everything."""
    return None if may(seat.actor, Act.READ_PRIVATE, Matter(owner=None)) else seat.actor.key


def _former_model(seat: Seat, former: ModelIdentity, configured: ModelIdentity) -> str:
    """What to know and to do where the project's vectors are not of the configured model."""
    note = NOTE_UNREACHABLE_MODEL if seat.shelf.embedder_of(former) is None else NOTE_FORMER_MODEL
    advice = ADVICE if may(seat.actor, Act.CONFIGURE) else ADVICE_ASK
    return note.format(former=former, configured=configured, advice=advice)


class _Ranked(NamedTuple):
    """What was found, best first: what is shown of it, and what was passed over."""

    hits: list[Hit]
    passed_over: list[tuple[str, float, float]]
    """Id, relevance and score of each."""


def _best(seat: Seat, search: _Search, limit: int, *, by_relevance: bool = False) -> _Ranked:
    """The best of what was found, by score or by relevance alone. Only what is shown is read whole."""
    from hansard.index.relevance import INJECTION_FLOOR

    tx, ranking = search.tx, seat.settings.ranking()
    standings = tx.units.standings([one.memory_seq for one in search.found], now=lived_until(tx))
    ranked = [
        (factors(one.relevance, standing, ranking), one, standing.memory_id)
        for one in search.found
        if one.relevance > 0 and (standing := standings.get(one.memory_seq))
    ]
    # Two may be as good; then the newer one, because ids ascend.
    ranked.sort(key=lambda one: one[2], reverse=True)
    ranked.sort(key=lambda one: -(one[1].relevance if by_relevance else one[0].score))
    hits: list[Hit] = []
    runs: set[tuple[str, str]] = set()
    waiting, step = iter(ranked), limit
    while len(hits) < limit and (some := list(islice(waiting, step))):
        memories = tx.memories.by_seqs([one.memory_seq for _, one, _ in some])
        for place, (parts, one, _) in enumerate(some):
            if len(hits) == limit:
                waiting = chain(some[place:], waiting)
                break
            memory = memories.get(one.memory_seq)
            run = None if memory is None else _result_of(memory)
            # The index follows the store, and this is the second lock on the same door. A run that shared its result
            # left it twice, for its agent and for the team.
            if memory is None or run in runs or not _visible(seat, memory, lived_until(tx)):
                continue
            if run is not None:
                runs.add(run)
            hits.append(
                Hit(memory, one.relevance, parts.score, parts, one.coverage, one.cosine, one.corrections, one.held)
            )
    # Below the floor it is chance: to log it would say of everything that it was surfaced.
    rest = [(id, one.relevance, parts.score) for parts, one, id in waiting if one.relevance >= INJECTION_FLOOR]
    return _Ranked(hits, rest)


def _result_of(memory: Memory) -> tuple[str, str] | None:
    """Whose run left it, if it is the result of one. Nobody names a run of somebody else to hide what that left."""
    if memory.source is not Source.TASK_COMPLETION or memory.source_ref is None:
        return None
    return key_of(memory.agent), memory.source_ref


def _visible(seat: Seat, memory: Memory, now: int) -> bool:
    matter = Matter(owner=memory.agent, team=memory.scope is Scope.TEAM)
    return may(seat.actor, Act.READ_PRIVATE, matter) and not memory.is_forgotten and not memory.is_expired(now)


def _surfaced(seat: Seat, tx: Transaction, ranked: _Ranked, run_id: str | None, task: str | None) -> list[Retrieval]:
    """What the log keeps: what is shown, and the candidates that it was preferred to."""
    shown = [(hit.memory.id, hit.relevance, hit.score) for hit in ranked.hits]
    call, agent, now = tx.new_id(), seat.actor.key, tx.now
    task = None if task is None else safe(task)
    return [
        Retrieval(
            call, rank, memory_id, agent, run_id, task, Surfacing.SEARCH, relevance, score,
            shown=rank < len(shown), at=now,
        )
        for rank, (memory_id, relevance, score) in enumerate(shown + ranked.passed_over)
    ]  # fmt: skip
