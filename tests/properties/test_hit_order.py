"""Order of hits: whatever one agent reads, rates and writes, an answer of another falls by at most one place."""

import uuid
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard import Actor, Hansard
from hansard.domain.hit_order import Candidate, placed
from hansard.domain.precedence import ANSWER_SHARE, GUARDED_MAX
from hansard.domain.ranking import MICROSECONDS_PER_DAY, Ranking, Standing, factors
from hansard.domain.vocabulary import Profile, Source
from hansard.project import Project
from hansard.services.recall import Hit
from hansard.settings import Settings
from support.clock import FakeClock
from support.examples import examples

AUTHORS = ("smith", "neo", "trinity")
ACTOR = "mallory"
OTHERS = ("ana", "switch", "dozer")
PLACES = {"smith": "external", "neo": "tool_output", "trinity": "conversation"}
OUTSIDE, OTHER_PLACES = tuple(PLACES.values()), ("imported_file", "extraction")

rankings = st.sampled_from([Ranking(one, demotion_floor=floor) for one in Profile for floor in (0.0, 0.9, 1.0)])


def candidate(seq: int, twentieths: int, answers: bool, author: str, place: str | None, days: int = 0) -> Candidate:
    relevance, held = twentieths / 20, ANSWER_SHARE if answers else ANSWER_SHARE - 0.1
    voice = ("", place) if place else (author, "")
    age = days * MICROSECONDS_PER_DAY
    standing = Standing(Source.MANUAL, age, 0, age, memory_id=f"{seq:06}", voice=voice, since=seq, agent_key=author)
    return Candidate(seq, relevance, held, factors(relevance, standing, Ranking()), standing)


@st.composite
def candidates(draw: st.DrawFn, *, mixed: bool = False, most: int = GUARDED_MAX - 1) -> list[Candidate]:
    """What authors say or bring from outside, each of any relevance; mixed in any way and of any age, or not.

    Who does both, or brings from a place that others bring from too, can fall farther by what somebody else writes. So
    can what has a worse score than a less relevant one of its author.
    """
    place_of = draw(st.fixed_dictionaries({author: st.sampled_from((None, place)) for author, place in PLACES.items()}))
    worth = st.tuples(
        st.integers(6, 20),
        st.booleans(),
        st.sampled_from(AUTHORS),
        st.sampled_from((None, *OUTSIDE)),
        st.integers(0, 20),
    )
    drawn = draw(st.lists(worth, max_size=most))
    times = draw(st.permutations(range(len(drawn))))
    return [
        candidate(at, relevance, answers, author, *((place, days) if mixed else (place_of[author],)))
        for (relevance, answers, author, place, days), at in zip(drawn, times, strict=True)
    ]


@st.composite
def written(draw: st.DrawFn) -> list[Candidate]:
    """What one more author adds, of any relevance, and from several places outside."""
    worth = st.tuples(st.integers(6, 20), st.booleans(), st.sampled_from((None, None, *OTHER_PLACES)))
    drawn = draw(st.lists(worth, max_size=30))
    return [candidate(1_000 + at, *one[:2], ACTOR, one[2]) for at, one in enumerate(drawn)]


class Say(NamedTuple):
    """What one agent does to a memory of another: nothing, or a reading, a rating, or both."""

    reads: bool
    useful: float | None

    def of(self, one: Candidate, agent: str) -> Candidate:
        standing = one.standing
        if agent == standing.agent_key:
            return one
        if self.reads:
            standing = standing.read_by([*standing.readings, (agent, 0)])
        if self.useful is not None:
            standing = standing.rated_by([*standing.ratings, (agent, self.useful)])
        return one._replace(standing=standing)


says = st.builds(Say, st.booleans(), st.sampled_from([None, 0.0, 1.0]))


def order(hits: Sequence[Candidate], ranking: Ranking) -> list[int]:
    hits = [one._replace(parts=factors(one.relevance, one.standing, ranking)) for one in hits]
    return [hits[place.at].seq for place in placed(hits, ranking, by_relevance=False)]


@examples(400)
@given(st.data(), candidates(mixed=True, most=30), rankings)
def test_whoever_reads_and_rates_whatever_no_memory_falls_by_more_than_one_place(
    data: st.DataObject, hits: list[Candidate], ranking: Ranking
) -> None:
    before = order(hits, ranking)
    for agent in data.draw(st.sets(st.sampled_from((*AUTHORS, ACTOR, *OTHERS)))):
        hits = [data.draw(says).of(one, agent) for one in hits]
    after = order(hits, ranking)

    assert sorted(after) == sorted(before)
    assert [one for place, one in enumerate(before) if after.index(one) > place + 1] == []


@examples(600)
@given(st.data(), candidates(), written(), rankings)
def test_whatever_one_agent_reads_rates_and_writes_an_answer_of_another_falls_by_at_most_one_place(
    data: st.DataObject, hits: list[Candidate], added: list[Candidate], ranking: Ranking
) -> None:
    before = order(hits, ranking)
    after = order([*(data.draw(says).of(one, ACTOR) for one in hits), *added], ranking)

    answers = {one.seq for one in hits if one.held >= ANSWER_SHARE}
    assert [one for place, one in enumerate(before) if one in answers and after.index(one) > place + 1] == []


TOPIC = ("deploy", "shop", "release", "gate")
ENDINGS = (
    "needs two people and the key of the office",
    "is logged in the ledger of the team",
    "happens on Tuesdays at ten in the morning",
    "takes nine minutes on the blue cluster",
    "closes when the tests of the night fail",
)
texts = st.builds(
    lambda words, ending: f"{' '.join(words).capitalize()} {ending}.",
    st.lists(st.sampled_from(TOPIC), min_size=2, max_size=6), st.sampled_from(ENDINGS),
)  # fmt: skip
QUESTION = "how does a deploy of the shop pass the release gate"


@pytest.fixture(scope="module", params=["standard", "adaptive"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hansard]:
    settings = Settings(user="ana", memory_profile=request.param, memory_demotion_floor=0.0)
    place = tmp_path_factory.mktemp("order") / "hansard.db"
    with Hansard.open(place, settings=settings, clock=FakeClock()) as hansard:
        yield hansard


def hits_of(project: Project) -> list[Hit]:
    return list(project.recall(QUESTION, agent="tank", limit=50))


@examples(25)
@given(
    st.lists(st.tuples(texts, st.sampled_from(AUTHORS)), max_size=9, unique=True),
    st.lists(says, min_size=9, max_size=9),
    st.lists(texts, max_size=12, unique=True),
)
def test_in_a_search_too_what_an_agent_reads_and_rates_moves_nothing_that_it_moved_by_writing(
    opened: Hansard, told: list[tuple[str, str]], said: list[Say], added: list[str]
) -> None:
    key = f"p-{uuid.uuid4().hex}"
    project = opened.project(key, create=True)
    known = [project.remember(content, agent=agent, scope="team", force=True) for content, agent in told]
    bound = opened.project(key, actor=Actor(ACTOR, "agent"))
    bound.remember_many([{"content": one, "scope": "team"} for one in added], force=True)
    before = hits_of(project)
    for memory, say in zip(known, said, strict=False):
        if say.reads:
            bound.use_memory(memory.id)
        if say.useful is not None:
            bound.rate_memory(memory.id, useful=bool(say.useful))
    after = [hit.memory.id for hit in hits_of(project)]

    for place, hit in enumerate(before):
        is_moved = any(one.memory.agent == ACTOR for one in before[:place])
        assert hit.memory.agent == ACTOR or after.index(hit.memory.id) <= place + (0 if is_moved else 1)
