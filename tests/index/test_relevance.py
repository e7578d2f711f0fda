"""Relevance: what neighbours lend, what a bonus adds, and that the numbers mean the same in every project."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard import Hansard
from hansard.domain.questions import read
from hansard.embedding.static import bundled
from hansard.index import relevance as rel
from hansard.index.project import ProjectIndex, Sight
from hansard.index.relevance import INJECTION_FLOOR, AskedTerms, Window, newest_contender, term_weights
from hansard.project import Project
from hansard.settings import Settings
from index import DAY, NOW, flat, rows_of
from support.clock import FakeClock
from support.examples import examples

SERVICES = (
    "billing", "search", "checkout", "mailer", "thumbnail", "inventory", "login", "export", "webhook", "audit",
    "scheduler", "gateway", "reporting",
)  # fmt: skip
FACTS = (
    ("The {} service retries a failed job {} times before it gives up.", "How often does {} retry failed jobs?"),
    ("Logs of the {} service are kept for {} days.", "For how many days do we keep the {} logs?"),
    ("The {} service listens on port 80{}.", "Which port does the {} service listen on?"),
    ("Memory of the {} containers is limited to {} hundred megabytes.", "What is the memory limit of {} containers?"),
    ("We deploy the {} service on the {}th of each month.", "On which day is the {} service deployed?"),
    ("The {} service answers half of its requests within {} milliseconds.", "How fast does {} answer requests?"),
    ("The database password of {} is rotated every {} weeks.", "How frequently is the {} database password rotated?"),
    ("On call for {} is whoever sits at desk {}.", "Who is on call for {}?"),
    ("The {} service was rewritten in Rust after outage {}.", "In which language was {} rewritten?"),
    ("Feature flags of {} are cached for {} seconds.", "How long are feature flags cached in {}?"),
)
CAKES = (
    "walnut cake", "rye bread", "plum tart", "cheese scones", "almond biscuits", "onion pie", "carrot muffins",
    "lemon sponge", "fig rolls", "poppy seed strudel", "pumpkin loaf", "cherry crumble", "oat crackers",
)  # fmt: skip
RECIPES = (
    ("Grandma bakes the {} for {} minutes in the lower oven.", "How many minutes does grandma bake the {}?"),
    ("The dough for the {} rests under a cloth for {} hours.", "How long must the dough of the {} rest?"),
    ("We sold {1} pieces of {0} at the village fair.", "How many pieces of {} did we sell at the fair?"),
    ("The {} needs {} spoons of honey and no sugar at all.", "How much honey goes into the {}?"),
    ("Uncle Piotr is allergic to the {}, he sneezed {} times.", "Who is allergic to the {}?"),
    ("The {} is cut with the serrated knife from drawer {}.", "Which knife is used to cut the {}?"),
    ("For the {} we gather eggs from {} of our hens.", "Where do the eggs for the {} come from?"),
    ("Wrapped in paper the {} stays fresh for {} days.", "How many days does the {} stay fresh?"),
    ("The recipe of the {} comes from page {} of the brown notebook.", "Which page has the recipe of the {}?"),
    ("Children under {1} get the {0} with warm milk.", "What do children drink with the {}?"),
)
ROBOTS = (
    "palletiser", "forklift", "gripper", "conveyor", "welder", "crane", "sorter", "lifter", "painter", "drill", "press",
    "scanner", "washer",
)  # fmt: skip
MACHINES = (
    ("The {} robot tries a missed grip {} times and then stops.", "How often does the {} try a missed grip again?"),
    ("Batteries of the {} robot last {} hours on a full charge.", "How long do the batteries of the {} last?"),
    ("The {} robot stands in hall {} next to the gate.", "Which hall is the {} robot in?"),
    ("The {} arm lifts at most {} kilograms.", "What is the most that the {} arm can lift?"),
    ("Firmware of the {} robot is updated on the {}th of the month.", "When is the firmware of the {} updated?"),
    ("The {} robot reaches the far shelf within {} seconds.", "How fast does the {} reach the far shelf?"),
    ("Oil in the {} joints is changed every {} weeks.", "How frequently is the oil of the {} changed?"),
    ("The key for the {} cage hangs at desk {}.", "Who has the key for the {} cage?"),
    ("The {} robot was painted yellow after accident {}.", "In which colour was the {} painted?"),
    ("Alarms of the {} robot ring for {} seconds.", "How long do alarms of the {} ring?"),
)
PROJECTS = {"services": (SERVICES, FACTS), "bakery": (CAKES, RECIPES), "robots": (ROBOTS, MACHINES)}
Sentences = tuple[tuple[str, str], ...]


def project_of(hansard: Hansard, key: str, things: tuple[str, ...], sentences: Sentences) -> Mapping[str, str]:
    """Fills a project and returns its questions with the memory that answers each."""
    project = hansard.project(key, create=True)
    told = [(fact.format(thing, 3 + place), question.format(thing)) for thing in things for place, (fact, question) in
            enumerate(sentences)]  # fmt: skip
    made = project.remember_many([{"content": fact, "agent": "tank"} for fact, _ in told])
    assert len(made) >= 120
    return {question: memory.id for (_, question), memory in list(zip(told, made, strict=True))[::2]}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hansard]:
    place = tmp_path_factory.mktemp("calibration") / "hansard.db"
    with Hansard.open(place, settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        yield hansard


@pytest.fixture(scope="module")
def asked(opened: Hansard) -> dict[str, Mapping[str, str]]:
    return {key: project_of(opened, key, *told) for key, told in PROJECTS.items()}


def best(project: Project, question: str) -> float:
    return max((hit.relevance for hit in project.recall(question, agent="tank", limit=1)), default=0.0)


@pytest.mark.parametrize("key", PROJECTS)
def test_an_answer_is_above_the_floor_and_chance_is_below(
    opened: Hansard, asked: dict[str, Mapping[str, str]], key: str
) -> None:
    questions = list(asked[key])
    assert len(questions) >= 60
    answered = [best(opened.project(key), question) for question in questions]
    by_chance = [best(opened.project(other), question) for other in PROJECTS if other != key for question in questions]
    assert np.mean(np.array(answered) >= INJECTION_FLOOR) >= 0.8
    assert np.mean(np.array(by_chance) >= INJECTION_FLOOR) <= 0.2
    assert np.percentile(answered, 5) > np.percentile(by_chance, 95) + 0.1


@pytest.mark.parametrize("key", PROJECTS)
def test_the_answer_is_among_the_first_hits(opened: Hansard, asked: dict[str, Mapping[str, str]], key: str) -> None:
    project = opened.project(key)
    firsts = [
        memory in {hit.memory.id for hit in project.recall(question, agent="tank", limit=3)}
        for question, memory in asked[key].items()
    ]
    assert sum(firsts) >= 0.95 * len(firsts)


def test_relevance_lies_between_nothing_and_one_whatever_the_limit(
    opened: Hansard, asked: dict[str, Mapping[str, str]]
) -> None:
    project = opened.project("services")
    for question in [
        *list(asked["services"])[:8],
        "What is the latest port?",
        "When was 4 May 2024?",
        "the",
        "billing",
    ]:
        every = {hit.memory.id: hit for hit in project.recall(question, agent="tank", limit=200)}
        assert every
        assert all(0 <= hit.relevance <= 1 for hit in every.values())
        for limit in (1, 5, 50):
            for hit in project.recall(question, agent="tank", limit=limit):
                assert hit.relevance == every[hit.memory.id].relevance


def test_relevance_in_a_long_conversation_does_not_depend_on_the_limit() -> None:
    random = np.random.default_rng(11)
    words = "zeppelin cabinet invoice tractor harbour engine ticket budget garden window".split()
    texts = [" ".join(random.choice(words, 6)) + ("?" if random.random() < 0.2 else ".") for _ in range(900)]
    index = ProjectIndex(bundled(), 256)
    index.apply(flat([rows_of(seq, text, ref="chat", position=seq) for seq, text in enumerate(texts)]), 1)
    for query in ("zeppelin invoice", "tractor in the garden", "ticket budget engine"):
        vector = bundled().embed([query])[0]
        many = {one.memory_seq: one for one in index.search(read(query), vector, Sight("tank", NOW), 900)}
        for one in index.search(read(query), vector, Sight("tank", NOW), 15):
            assert one.relevance == pytest.approx(many[one.memory_seq].relevance, abs=1e-6)


def window(following: list[int], asks: list[bool] | None = None) -> Window:
    units = np.arange(len(following), dtype=np.int64)
    return Window(units, np.array(following, np.int32), np.array(asks or [False] * len(following)))


def test_a_unit_lends_its_value_to_those_around_it_at_a_discount() -> None:
    own = np.array([0, 0, 0, 0, 1, 0, 0, 0, 0, 0], np.float32)
    spread = window([1, 2, 3, 4, 5, 6, 7, 8, 9, -1]).spread(own)
    before, after = rel.WEIGHTS_BEFORE, rel.WEIGHTS_AFTER
    assert spread.tolist() == pytest.approx([*after[::-1], 1, *before, 0])
    assert own.sum() == 1


def test_an_answer_inherits_the_whole_of_the_question_before_it() -> None:
    spread = window([1, 2, -1], [True, False, False]).spread(np.array([0.8, 0.1, 0.0], np.float32))
    assert spread.tolist() == pytest.approx([0.8, 0.8, 0.8 * rel.WEIGHTS_BEFORE[1]])


def test_without_neighbours_nothing_is_lent() -> None:
    own = np.array([1, 0, 0], np.float32)
    assert window([-1, -1, -1]).spread(own).tolist() == own.tolist()


@examples(100)
@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12), st.booleans())
def test_lending_takes_nothing_away_and_never_makes_more_than_there_is(values: list[float], chained: bool) -> None:
    own = np.array(values, np.float32)
    links = [*range(1, len(values)), -1] if chained else [-1] * len(values)
    spread = window(links).spread(own)
    assert (spread >= own).all()
    assert spread.max() == own.max()


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    model = bundled()
    terms = np.array([model.wordpiece.ids["the"], model.wordpiece.ids["zeppelin"]], np.int64)
    weights = term_weights(model, terms, np.array([5, 5], np.float32), 10)
    assert 0 <= weights[0] < weights[1]
    held = term_weights(model, terms, np.array([5, 10], np.float32), 10)
    assert held[1] < weights[1]


def test_the_words_asked_for_count_by_what_they_tell() -> None:
    model = bundled()
    ids = [model.wordpiece.ids[word] for word in ("zeppelin", "garden")]
    asked = AskedTerms(np.array(ids, np.int64), np.array([3.0, 1.0], np.float32))
    tokens, begins = np.array([ids[0], ids[1], ids[1]], np.uint16), np.array([0, 1], np.int64)
    covered = rel.coverage(model, asked, tokens, begins, window([-1, -1]))
    assert covered.around.tolist() == pytest.approx([0.75, 0.25], abs=0.15)
    assert covered.alone.tolist() == covered.around.tolist()


def test_what_a_unit_holds_itself_is_told_apart_from_what_stands_around_it() -> None:
    model = bundled()
    word = model.wordpiece.ids["zeppelin"]
    asked = AskedTerms(np.array([word], np.int64), np.array([1.0], np.float32))
    tokens, begins = np.array([word, model.wordpiece.ids["and"]], np.uint16), np.array([0, 1], np.int64)
    covered = rel.coverage(model, asked, tokens, begins, window([1, -1]))
    assert covered.alone.tolist() == pytest.approx([1.0, 0.0])
    assert covered.around.tolist() == pytest.approx([1.0, rel.WEIGHTS_BEFORE[0]])


def test_among_equals_the_newest_is_preferred() -> None:
    bonus = newest_contender(np.array([5, 9, 7, 99]) * DAY, np.array([0.6, 0.6, 0.55, 0.1], np.float32))
    assert bonus.tolist() == pytest.approx([0, rel.CURRENT_BONUS, rel.CURRENT_BONUS / 2, 0])
    assert newest_contender(np.array([5, 5]), np.array([0.6, 0.6], np.float32)).tolist() == [0, 0]


def relevances(query: str, *texts: tuple[str, int]) -> list[float]:
    index = ProjectIndex(bundled(), 256)
    index.apply(flat([rows_of(seq, text, moment=moment) for seq, (text, moment) in enumerate(texts)]), 1)
    found = index.search(read(query), bundled().embed([query])[0], Sight("tank", NOW), 50)
    by_seq = {one.memory_seq: one.relevance for one in found}
    return [by_seq[seq] for seq in range(len(texts))]


def test_a_question_for_a_time_prefers_what_names_one() -> None:
    dated, plain = relevances("When did the mailer move?", ("The mailer moved last week.", 0), ("The mailer moved.", 0))
    without, _ = relevances("Why did the mailer move?", ("The mailer moved last week.", 0), ("The mailer moved.", 0))
    assert dated > without
    assert plain == pytest.approx(relevances("When did the mailer move?", ("The mailer moved.", 0))[0], abs=0.05)


def test_a_date_in_the_question_prefers_what_is_of_that_date_or_names_it() -> None:
    query = "What happened to the mailer on 5 October 2024?"
    day = 20_001 * DAY  # 2024-10-05
    of_that_day, naming_it, other = relevances(
        query,
        ("The mailer was moved.", day),
        ("On 5 October the mailer was moved.", 0),
        ("The mailer was moved.", 19_000 * DAY),
    )
    assert of_that_day - other == pytest.approx(rel.DATE_BONUS, abs=1e-5)
    assert naming_it > other


def test_a_question_for_what_holds_now_prefers_the_newest() -> None:
    older, newer = ("The retry limit is 3.", NOW - 90 * DAY), ("The retry limit is 5.", NOW)
    assert np.diff(relevances("What is the current retry limit?", older, newer))[0] > 0.04
    assert np.diff(relevances("What is the retry limit?", older, newer))[0] == pytest.approx(0, abs=0.03)
