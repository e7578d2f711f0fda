"""Finds the memories that matter for a question, and orders them by relevance, recency and access."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import questions, text
from hansard.domain.actors import key_of
from hansard.domain.hit_order import CHANCE_RELEVANCE_MAX, Candidate, placed
from hansard.domain.likeness import shape_of, words_of
from hansard.domain.limits import QUERY_BYTES_MAX, RECALL_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.numbers import whole
from hansard.domain.policy import Act, Matter, may
from hansard.domain.precedence import GUARDED_MAX, Cause
from hansard.domain.ranking import Factors, Standing, factors
from hansard.domain.runs import clean_task
from hansard.domain.usage import Retrieval, Surfacing
from hansard.domain.vocabulary import Profile, Reach, Scope, Source, parse, parse_optional
from hansard.services import observe
from hansard.services.open_index import asked, indexed, query_vector
from hansard.services.reindex import fill_vectors
from hansard.services.screen import safe
from hansard.services.seat import Seat, find_run, lived_until

if TYPE_CHECKING:
    from hansard.domain.units import ModelIdentity
    from hansard.index.project import Found, Sight
    from hansard.store.ports import Transaction

READ_AT_ONCE_MAX = 200
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


REPEATED_SHARE = 0.8
REPEATED_WORDS_MIN = 6
REPEATED_CHARACTERS_MAX = 2_000
"""Two texts of one author are a repetition if so many of their telling words are the same; short ones are never."""
DEEPER = 10
SEARCHED_MAX = 1_000
"""Who floods a project fills what a search looks at; then it looks at ten times as many, and at so many at most."""
BEHIND_REPEATED = "its author says nearly the same in a better one"
BEHIND_OTHERS = "its author has a better one, and answers of others go first"
BEHIND_UNREAD = "readings and ratings lift it no higher"
BEHIND_OWN_WORDS = "it is from outside, its author has an answer of its own, and answers of others go first"
BEHIND_SAME_PLACE = "a better one is from the same kind of place outside, and answers of others go first"
BEHIND_READER = "it is from outside, and what its author says itself goes first"
BEHIND = {
    Cause.BETTER: BEHIND_OTHERS,
    Cause.OWN_WORDS: BEHIND_OWN_WORDS,
    Cause.SAME_PLACE: BEHIND_SAME_PLACE,
    Cause.READER: BEHIND_READER,
    Cause.UNREAD: BEHIND_UNREAD,
}


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
    behind: str | None = None
    """Why it stands behind some that have a lower score."""


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
        ranked = _best(seat, search, limit, depth)
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
        hits = _best(seat, search, depth, depth, by_relevance=True).hits
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
    look: Callable[[int, Collection[str]], list[Found]]
    """Looks again, so deep, and without what these agents wrote."""
    agents: int
    """How many agents wrote what the reader may see."""
    seq: int
    """The last event of the transaction."""
    known: dict[int, Memory]
    """What was read whole so far: a deeper look finds the same and more."""

    def read(self, seqs: Sequence[int]) -> Mapping[int, Memory]:
        missing = [seq for seq in seqs if seq not in self.known]
        if missing:
            self.known.update(self.tx.memories.by_seqs(missing))
        return self.known


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
        sight = _sight(seat, lived_until(tx), reach, source)

        def look(deep: int, without: Collection[str] = ()) -> list[Found]:
            return held.units.search(question, vector, sight, deep, without)

        found = look(depth)
        if serving is None and configured is not None and held.units.count:
            notes.append(NOTE_NO_VECTORS_YET)
        elif vector is not None and seat.shelf.lacks_vectors(seat.project.id):
            notes.append(NOTE_SOME_VECTORS)
        if held.units.damaged:
            notes.append(NOTE_DAMAGED.format(count=len(held.units.damaged)))
        yield _Search(tx, found, notes, look, held.units.view(sight).agents, held.seq, {})
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
    repeats: int = 0
    """How many were put behind the others, because their author had said it before."""
    crowding: frozenset[tuple[str, str]] = frozenset()
    """Whose words take so much room that answers of others may not have been looked at."""


class _Placed(NamedTuple):
    """A memory that was found, what orders it, and why it stands behind lesser ones."""

    parts: Factors
    one: Found
    standing: Standing
    unread: int
    """Where it would stand if nobody had read or rated anything."""
    behind: str | None = None


def _best(seat: Seat, search: _Search, limit: int, depth: int, *, by_relevance: bool = False) -> _Ranked:
    """The best of what was found, and of more than that if repetitions or one author took the places."""
    found = search.found
    ranked = _ordered(seat, search, found, limit, by_relevance=by_relevance)
    if agents := {agent for agent, _ in ranked.crowding if agent}:
        # However much they wrote, one look at the others is enough.
        found = _joined(found, search.look(depth, agents))
        ranked = _ordered(seat, search, found, limit, by_relevance=by_relevance)
    while depth < SEARCHED_MAX:
        fresh = len(ranked.hits) - ranked.repeats
        outside = any(not agent for agent, _ in ranked.crowding)
        if not outside and (not ranked.repeats or fresh >= limit):
            break
        depth = min(depth * DEEPER, SEARCHED_MAX)
        more = _joined(found, search.look(depth, ()))
        # A search may find fewer than it was asked for while there are more; only a deeper one tells.
        if len(more) == len(found):
            break
        found = more
        ranked = _ordered(seat, search, found, limit, by_relevance=by_relevance)
    return ranked


def _joined(found: list[Found], more: list[Found]) -> list[Found]:
    known = {one.memory_seq for one in found}
    every = found + [one for one in more if one.memory_seq not in known]
    return sorted(every, key=lambda one: (-one.relevance, one.memory_seq))


def _placed(seat: Seat, tx: Transaction, found: list[Found], *, by_relevance: bool) -> list[_Placed]:
    """What was found in the order it is shown in: the best first, and no author before all others."""
    ranking = seat.settings.ranking()
    voted = not by_relevance and ranking.profile is Profile.ADAPTIVE
    seqs = [one.memory_seq for one in found]
    standings = tx.units.standings(seqs, now=lived_until(tx), voted=voted, reader_key=_reader_key(seat))
    known = [(one, standing) for one in found if one.relevance > 0 and (standing := standings.get(one.memory_seq))]
    hits = [
        Candidate(one.memory_seq, one.relevance, one.held, factors(one.relevance, standing, ranking), standing)
        for one, standing in known
    ]
    return [
        _Placed(hits[at].parts, *known[at], unread, None if cause is None else BEHIND[cause])
        for at, unread, cause in placed(hits, ranking, by_relevance=by_relevance)
    ]


def _crowding(search: _Search, found: list[Found], ranked: list[_Placed], limit: int) -> frozenset[tuple[str, str]]:
    """Who has several of the first places, while too few others were found to stand before them."""
    if not ranked or found[-1].relevance < CHANCE_RELEVANCE_MAX:
        return frozenset()
    voices = Counter(placed.standing.voice for placed in ranked)
    if search.agents == 1 and all(agent for agent, _ in voices):
        return frozenset()
    # By who stands there unread: a reading must not decide how deep a search looks, and so who else is found.
    shown = Counter(one.standing.voice for one in ranked if one.unread < limit)
    room = len(ranked) - min(limit, GUARDED_MAX)
    return frozenset(voice for voice, count in shown.items() if count > 1 and voices[voice] > room)


def _ordered(seat: Seat, search: _Search, found: list[Found], limit: int, *, by_relevance: bool) -> _Ranked:
    """The best of what was found. Only what is shown is read whole: that is the dearer part of a search."""
    from hansard.index.relevance import INJECTION_FLOOR

    tx = search.tx
    ranked = _placed(seat, tx, found, by_relevance=by_relevance)
    hits: list[Hit] = []
    repeats: list[Hit] = []
    readable: dict[int, Memory] = {}
    heard = _Heard(ranked)
    runs: set[tuple[str, str]] = set()
    waiting, step = iter(ranked), limit
    while len(hits) < limit and (some := list(islice(waiting, step))):
        # More at once each time: whoever has said a thing a thousand times is passed over with a few questions.
        step = min(step * 2, READ_AT_ONCE_MAX)
        due = [one.one.memory_seq for one in heard.due(some)]
        memories = search.read(due)
        for seq in due:
            memory = memories.get(seq)
            # The index follows the store; this is the second lock on the same door.
            if memory is not None and _visible(seat, memory, lived_until(tx)):
                readable[seq] = memory
                heard.listen(memory)
        for place, (parts, one, _, _, behind) in enumerate(some):
            if len(hits) == limit:
                waiting = chain(some[place:], waiting)
                break
            memory = readable.get(one.memory_seq)
            run = None if memory is None else _result_of(memory)
            # A run that shared its result left it twice, for its agent and for the team.
            if memory is None or run in runs:
                continue
            if run is not None:
                runs.add(run)
            again = heard.is_again(memory)
            hit = Hit(
                memory, one.relevance, parts.score, parts, one.coverage, one.cosine, one.corrections, one.held,
                BEHIND_REPEATED if again else behind,
            )  # fmt: skip
            (repeats if again else hits).append(hit)
    hits += repeats[: limit - len(hits)]
    rest = [
        (standing.memory_id, one.relevance, parts.score)
        for parts, one, standing, _, _ in waiting
        # Below the floor it is chance: to log it would say of everything that it was surfaced.
        if one.relevance >= INJECTION_FLOOR
    ]
    return _Ranked(hits, rest, len(repeats), _crowding(search, found, ranked, limit))


def _result_of(memory: Memory) -> tuple[str, str] | None:
    """Whose run left it, if it is the result of one. Nobody names a run of somebody else to hide what that left."""
    if memory.source is not Source.TASK_COMPLETION or memory.source_ref is None:
        return None
    return key_of(memory.agent), memory.source_ref


class _Heard:
    """What authors have said in this answer. Whoever says a thing often takes one place with it, not all of them.

    Which of them says it first is told by where they stand unread: a reading must not make a repetition of the other.
    """

    def __init__(self, ranked: Sequence[_Placed]) -> None:
        self._waiting: dict[str, deque[_Placed]] = {}
        for one in sorted(ranked, key=lambda one: one.unread):
            self._waiting.setdefault(one.standing.agent_key, deque()).append(one)
        self._said: dict[str, list[frozenset[str]]] = {}
        self._again: dict[str, bool] = {}
        self._runs: dict[tuple[str, str], bool] = {}

    def due(self, some: Sequence[_Placed]) -> list[_Placed]:
        """What has to be heard before it is known which of these are repetitions: these and what was before them."""
        found: list[_Placed] = []
        for one in some:
            waiting = self._waiting[one.standing.agent_key]
            while waiting and waiting[0].unread <= one.unread:
                found.append(waiting.popleft())
        return found

    def listen(self, memory: Memory) -> None:
        run = _result_of(memory)
        # The two that one run left are one.
        again = self._runs.get(run) if run is not None else None
        if again is None:
            again = self._is_said(memory)
        if run is not None:
            self._runs[run] = again
        self._again[memory.id] = again

    def is_again(self, memory: Memory) -> bool:
        """Whether its author has nearly said it before."""
        return self._again[memory.id]

    def _is_said(self, memory: Memory) -> bool:
        """The same; if not, it counts as said from now on."""
        words = words_of(shape_of(memory.content[:REPEATED_CHARACTERS_MAX]))
        said = self._said.setdefault(key_of(memory.agent), [])
        if len(words) >= REPEATED_WORDS_MIN and any(_is_repeated(words, one) for one in said):
            return True
        said.append(words)
        return False


def _is_repeated(words: frozenset[str], said: frozenset[str]) -> bool:
    return len(words & said) >= REPEATED_SHARE * max(len(words), len(said))


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
