"""Now, and the text of an instant."""

import pytest

from hansard.clock import Clock, SystemClock, iso, parse_instant
from hansard.domain.errors import Invalid
from support.clock import START, FakeClock


@pytest.mark.parametrize("clock", [SystemClock(), FakeClock()], ids=["system", "fake"])
def test_a_clock_answers_microseconds_that_never_go_back(clock: Clock) -> None:
    times = [clock.now() for _ in range(1_000)]
    assert times == sorted(times)
    assert all(isinstance(time, int) and time >= START for time in times)


def test_an_instant_is_shown_in_utc_with_microseconds_and_a_z() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000000Z"
    assert iso(1_767_225_600_000_001) == "2026-01-01T00:00:00.000001Z"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-03-01T14:30:00Z", "2026-03-01T14:30:00.000000Z"),
        ("2026-03-01T14:30:00+02:00", "2026-03-01T12:30:00.000000Z"),
        ("2026-03-01T14:30", "2026-03-01T14:30:00.000000Z"),
        (" 2026-03-01 14:30:00.5 ", "2026-03-01T14:30:00.500000Z"),
    ],
)
def test_an_instant_without_a_zone_is_utc(text: str, shown: str) -> None:
    assert iso(parse_instant(text)) == shown


@pytest.mark.parametrize("text", ["2026-03-01", "20260301", "2026-W09-7", "9999-12-31"])
def test_a_date_alone_means_its_last_microsecond(text: str) -> None:
    assert iso(parse_instant(text)).endswith("T23:59:59.999999Z")


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "2026-02-30", "1767225600", "\x00", "\ud800"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Invalid, match="Write it like"):
        parse_instant(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_times_at_the_edge_of_the_calendar_are_read(text: str) -> None:
    assert isinstance(parse_instant(text), int)
