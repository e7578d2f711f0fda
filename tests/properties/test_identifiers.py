"""Ids and instants: order and round trips for every time."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.clock import iso, parse_instant
from hansard.domain.identifiers import IdMaker, is_uuid, parse_reference
from support.examples import examples

times = st.integers(0, 4_000_000_000_000_000)


@examples(150)
@given(times, times)
def test_ids_sort_as_their_times_do(one: int, other: int) -> None:
    first, second = IdMaker(one).next(), IdMaker(other).next()
    assert is_uuid(first)
    assert is_uuid(second)
    if one != other:
        assert (first < second) is (one < other)


@examples(200)
@given(times, st.integers(1, 1_000))
def test_neighbouring_microseconds_never_share_an_order(time: int, count: int) -> None:
    maker = IdMaker(time)
    last = [maker.next() for _ in range(count)][-1]
    assert last < IdMaker(time + 1).next()


@examples(200)
@given(times)
def test_an_instant_survives_being_written_and_read(time: int) -> None:
    assert parse_instant(iso(time)) == time


@examples(200)
@given(times, times)
def test_written_instants_sort_as_they_are(one: int, other: int) -> None:
    assert (iso(one) < iso(other)) is (one < other)


@examples(200)
@given(st.integers(0, 10**15 - 1), st.sampled_from(["", "D-", "d-", "D", "d"]))
def test_a_reference_is_read_back(number: int, prefix: str) -> None:
    assert parse_reference(f"{prefix}{number}", prefix="D") == number


@examples(150)
@given(st.text(max_size=20))
def test_no_text_makes_a_reference_fail(value: str) -> None:
    number = parse_reference(value, prefix="D")
    assert number is None or value.strip().lower().endswith(str(number))
    assert isinstance(is_uuid(value), bool)
