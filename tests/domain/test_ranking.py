"""Ranking: every number of the reference, for the standard order and for the adaptive one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.errors import BadSetting
from hansard.domain.ranking import (
    MICROSECONDS_PER_DAY,
    MICROSECONDS_PER_HOUR,
    Factors,
    Ranking,
    Standing,
    access_boost,
    factors,
    recency_decay,
    usefulness,
)
from hansard.domain.vocabulary import Profile, Source
from hansard.settings import Settings, load
from support.examples import examples

STANDARD = Ranking()
ADAPTIVE = Ranking(profile=Profile.ADAPTIVE)
MANUAL, FILE, TASK, SESSION = Source.MANUAL, Source.FILE_INDEX, Source.TASK_COMPLETION, Source.SESSION_SUMMARY


def days(number: float) -> int:
    return round(number * MICROSECONDS_PER_DAY)


def hours(number: float) -> int:
    return round(number * MICROSECONDS_PER_HOUR)


def boost(count: int, hours_ago: float, *, boost_max: float = 1.5, recency_hours: float = 48.0) -> float:
    return access_boost(count, hours(hours_ago), boost_max=boost_max, recency_hours=recency_hours)


def scored(
    relevance: float,
    *,
    source: Source = MANUAL,
    age: float = 0,
    accesses: int = 0,
    hours_ago: float = 0,
    posterior: tuple[float, float] = (1.0, 1.0),
    ranking: Ranking = STANDARD,
) -> Factors:
    return factors(relevance, Standing(source, days(age), accesses, hours(hours_ago), *posterior), ranking)


@pytest.mark.parametrize(
    ("age", "expected"),
    [(0, 1.0), (1, 0.951695), (7, 0.707107), (14, 0.5), (28, 0.25), (30, 0.226431), (76, 0.023219)],
)
@pytest.mark.parametrize("source", Source)
def test_every_source_halves_in_two_weeks(source: Source, age: float, expected: float) -> None:
    assert scored(1.0, source=source, age=age).recency == pytest.approx(expected, abs=5e-7)


def test_a_year_leaves_next_to_nothing() -> None:
    assert 0 < scored(1.0, source=TASK, age=365).recency < 0.001


@pytest.mark.parametrize("age", [0, -1, -1e-9, -10_000])
@pytest.mark.parametrize("ranking", [STANDARD, ADAPTIVE])
def test_what_is_from_now_or_the_future_has_not_decayed(age: float, ranking: Ranking) -> None:
    assert scored(1.0, source=TASK, age=age, ranking=ranking).recency == 1.0


def test_an_endless_half_life_never_decays() -> None:
    assert recency_decay(days(1e5), math.inf) == 1.0


@pytest.mark.parametrize(
    ("source", "age", "expected"),
    [
        (TASK, 1, 0.951695), (TASK, 7, 0.707107), (TASK, 14, 0.5), (TASK, 28, 0.25), (TASK, 30, 0.226431),
        (TASK, 76, 0.023219), (SESSION, 3, 0.742997), (SESSION, 7, 0.5), (SESSION, 14, 0.25), (FILE, 30, 0.890899),
        (FILE, 180, 0.5), (MANUAL, 365, 1.0), (Source.EXTRACTION, 365, 1.0),
    ],
)  # fmt: skip
def test_in_the_adaptive_order_each_source_has_its_own_half_life(source: Source, age: float, expected: float) -> None:
    assert scored(1.0, source=source, age=age, ranking=ADAPTIVE).recency == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("count", "hours_ago", "expected"),
    [
        (0, 0, 1.0), (-3, 0, 1.0), (1, 0, 1.1), (3, 0, 1.3), (5, 0, 1.5), (10, 0, 1.5), (100, 0, 1.5), (1, 72, 1.05),
        (3, 72, 1.15), (5, 72, 1.25), (10, 72, 1.25), (10, 48.0, 1.5), (10, 48.0001, 1.25), (10, -5, 1.5),
    ],
)  # fmt: skip
def test_what_is_read_often_is_boosted_and_half_as_much_later(count: int, hours_ago: float, expected: float) -> None:
    assert boost(count, hours_ago) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("boost_max", "count", "expected"), [(3.0, 10, 2.0), (3.0, 100, 3.0), (1.0, 10, 1.0), (1.0, 0, 1.0)]
)
def test_the_largest_boost_can_be_set(boost_max: float, count: int, expected: float) -> None:
    assert boost(count, 0, boost_max=boost_max) == expected


def test_the_hours_in_which_a_reading_counts_fully_can_be_set() -> None:
    assert (boost(10, 1, recency_hours=1), boost(10, 1.001, recency_hours=1)) == (1.5, 1.25)
    assert (boost(10, 0, recency_hours=0), boost(10, 0.001, recency_hours=0)) == (1.5, 1.25)


@pytest.mark.parametrize(
    ("alpha", "beta", "floor", "expected"),
    [
        (1, 1, 1.0, 1.0), (1.5, 1, 1.0, 1.2), (2, 1, 1.0, 1.3333), (2.5, 1, 1.0, 1.4286), (3, 1, 1.0, 1.5),
        (10, 1, 1.0, 1.8182), (50, 1, 1.0, 1.9608), (10, 0, 1.0, 2.0), (1, 10, 1.0, 1.0), (1, 10, 0.5, 0.5),
        (1, 10, 0.0, 0.1818), (1, 1.25, 0.5, 0.8889), (0, 0, 1.0, 1.0), (0, 0, 0.0, 1.0), (10, 0, 3.0, 3.0),
    ],
)  # fmt: skip
def test_usefulness_is_twice_the_share_of_good_ratings(
    alpha: float, beta: float, floor: float, expected: float
) -> None:
    assert usefulness(alpha, beta, floor=floor) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("relevance", "age", "accesses", "hours_ago", "expected"),
    [
        (0.8, 0, 0, 0, 0.8), (0.8, 14, 0, 0, 0.4), (0.8, 7, 3, 1, 0.735391), (0.9, 28, 10, 72, 0.28125),
        (0.5, 1, 10, 0, 0.713771), (0.95, 30, 0, 0, 0.215109), (0.6, 0, 5, 100, 0.75),
    ],
)  # fmt: skip
def test_the_standard_score_is_relevance_times_recency_times_access(
    relevance: float, age: float, accesses: int, hours_ago: float, expected: float
) -> None:
    found = scored(relevance, source=TASK, age=age, accesses=accesses, hours_ago=hours_ago, posterior=(9, 1))
    assert found.score == pytest.approx(expected, abs=5e-7)
    assert (found.relevance, found.quality, found.usefulness) == (relevance, 1.0, 1.0)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (scored(0.8, ranking=ADAPTIVE), 1.2),
        (scored(0.8, source=TASK, age=14, ranking=ADAPTIVE), 0.28),
        (scored(0.8, age=76, ranking=ADAPTIVE), 1.2),
        (scored(0.05, source=TASK, age=1, ranking=ADAPTIVE), 0.033309),
        (scored(0.8, source=SESSION, age=14, ranking=ADAPTIVE), 0.1),
        (scored(0.5, ranking=ADAPTIVE), 0.75),
        (scored(0.5, posterior=(2.5, 1), ranking=ADAPTIVE), 1.071429),
        (scored(0.6, source=FILE, age=90, accesses=3, hours_ago=10, ranking=ADAPTIVE), 0.551543),
        (scored(0.6, source=FILE, age=90, accesses=3, hours_ago=100, ranking=ADAPTIVE), 0.487904),
        (scored(0.9, source=TASK, age=7, accesses=10, hours_ago=1, posterior=(10, 1), ranking=ADAPTIVE), 1.214938),
        (scored(0.9, source=SESSION, age=3, accesses=100, posterior=(1, 10), ranking=ADAPTIVE), 0.501523),
    ],
)
def test_the_adaptive_score_also_weighs_source_and_ratings(found: Factors, expected: float) -> None:
    assert found.score == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(("source", "quality"), [(MANUAL, 1.5), (FILE, 1.0), (TASK, 0.7), (SESSION, 0.5)])
def test_in_the_adaptive_order_each_source_has_its_quality(source: Source, quality: float) -> None:
    assert scored(0.5, source=source, ranking=ADAPTIVE).quality == quality


def test_the_floor_says_how_far_bad_ratings_push_down() -> None:
    lowered = ADAPTIVE._replace(demotion_floor=0.5)
    assert scored(1.0, posterior=(1, 10), ranking=ADAPTIVE).usefulness == 1.0
    assert scored(1.0, posterior=(1, 10), ranking=lowered).usefulness == 0.5


@examples(200)
@given(
    st.floats(0, 1), st.sampled_from(Source), st.integers(-(10**15), 10**16), st.integers(0, 10**6),
    st.integers(-(10**15), 10**16), st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from([STANDARD, ADAPTIVE]),
)  # fmt: skip
def test_the_score_is_the_product_of_its_factors_and_bounded(
    relevance: float, source: Source, age: int, accesses: int, access_age: int, alpha: float, beta: float,
    ranking: Ranking,
) -> None:  # fmt: skip
    found = factors(relevance, Standing(source, age, accesses, access_age, alpha, beta), ranking)
    assert found.score == math.prod(found)
    assert 0 <= found.score <= 4.5
    assert 0 <= found.recency <= 1 <= found.access <= 1.5


@pytest.fixture
def environment(tmp_path: object) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": f"{tmp_path}/config", "HOME": str(tmp_path)}


def test_without_settings_the_order_is_the_documented_one() -> None:
    assert Settings().ranking() == Ranking(Profile.STANDARD, None, 1.5, 48.0, 1.0)
    assert Settings().memory_candidate_multiplier == 3
    assert Settings().ranking().half_life_of(MANUAL) == 14.0


def test_the_environment_sets_every_number_of_the_order(environment: dict[str, str]) -> None:
    loaded = load(
        environment=environment
        | {
            "MEMORY_RECENCY_HALF_LIFE_DAYS": "3.5",
            "MEMORY_ACCESS_BOOST_MAX": "2",
            "MEMORY_ACCESS_RECENCY_HOURS": "12",
            "MEMORY_CANDIDATE_MULTIPLIER": "7",
            "MEMORY_DEMOTION_FLOOR": "0.25",
            "HANSARD_MEMORY_PROFILE": "Adaptive",
        }
    )
    assert loaded.ranking() == Ranking(Profile.ADAPTIVE, 3.5, 2.0, 12.0, 0.25)
    assert loaded.memory_candidate_multiplier == 7


@pytest.mark.parametrize("value", ["14", "5"])
def test_a_half_life_that_somebody_set_holds_for_every_source(value: str, environment: dict[str, str]) -> None:
    given = {"MEMORY_RECENCY_HALF_LIFE_DAYS": value, "HANSARD_MEMORY_PROFILE": "adaptive"}
    ranking = load(environment=environment | given).ranking()
    assert {ranking.half_life_of(source) for source in Source} == {float(value)}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("MEMORY_RECENCY_HALF_LIFE_DAYS", ["0", "-1", "nan", "inf", "-inf", "soon", "1e400", "1,5", "0x10"]),
        ("MEMORY_ACCESS_BOOST_MAX", ["0.5", "0", "-1", "nan", "inf", "twice"]),
        ("MEMORY_ACCESS_RECENCY_HOURS", ["-1", "nan", "inf", "two days"]),
        ("MEMORY_CANDIDATE_MULTIPLIER", ["0", "-3", "1.5", "nan", "inf", "many", "1000000"]),
        ("MEMORY_DEMOTION_FLOOR", ["-0.1", "2.1", "nan", "none"]),
        ("HANSARD_MEMORY_PROFILE", ["clever", "0"]),
    ],
)
def test_nonsense_is_refused_with_the_name_of_the_variable(
    name: str, values: list[str], environment: dict[str, str]
) -> None:
    for value in values:
        with pytest.raises(BadSetting, match=f"environment {name}: .* is not"):
            load(environment=environment | {name: value})


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_a_blank_variable_leaves_the_default(blank: str, environment: dict[str, str]) -> None:
    given = {"MEMORY_RECENCY_HALF_LIFE_DAYS": blank, "MEMORY_ACCESS_BOOST_MAX": blank}
    assert load(environment=environment | given).ranking() == Ranking()
