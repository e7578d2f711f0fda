"""Dates: as people write them, how two of them agree, and that no text makes trouble."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.dates import MONTHS, NamedDate, dates_in
from support.examples import examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-05-08", NamedDate(2023, 5, 8)),
        ("on 8 May 2023", NamedDate(2023, 5, 8)),
        ("on 8 May, 2023", NamedDate(2023, 5, 8)),
        ("the 8th of May", NamedDate(0, 5, 8)),
        ("1st January", NamedDate(0, 1, 1)),
        ("May 8, 2023", NamedDate(2023, 5, 8)),
        ("MAY 8TH", NamedDate(0, 5, 8)),
        ("Sept. 3rd 2024", NamedDate(2024, 9, 3)),
        ("in October 2022", NamedDate(2022, 10, 0)),
        ("during february", NamedDate(0, 2, 0)),
        ("since Dec", NamedDate(0, 12, 0)),
    ],
)
def test_every_notation_is_read(text: str, expected: NamedDate) -> None:
    assert next(dates_in(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "it may rain", "march on", "2023-13-01", "2023-00-10", "45 May", "12345-06-07", "May", "version 1.2.3", "5/8"],
)
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert list(dates_in(text)) == []


def test_all_dates_of_a_text_are_found_the_exact_ones_first() -> None:
    text = "In June 2024 we planned it, on 3 July we began, on 2024-08-09 it was done."
    assert list(dates_in(text))[:3] == [NamedDate(2024, 8, 9), NamedDate(0, 7, 3), NamedDate(2024, 6, 0)]


@pytest.mark.parametrize("text", ["5 ſept", "auguſt 2024", "APRİL 2024", "aprıl 2024", "in ſeptember", "DECEMBER 2024"])
def test_letters_that_only_fold_to_a_month_make_no_trouble(text: str) -> None:
    assert all(one.month in range(1, 13) for one in dates_in(text))


@examples(300)
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from([*MONTHS, "ſept", "aprİl", "٣", "2024", "-05-", "8th", " of ", ", ", "in "])).map(
        " ".join
    )
)
def test_any_text_can_be_searched_for_dates(text: str) -> None:
    for one in (*dates_in(text), *dates_in(text.upper()), *dates_in(text.title())):
        assert 1 <= one.month <= 12
        assert 0 <= one.day <= 31
        assert 0 <= one.year <= 9999


@pytest.mark.parametrize(
    ("named", "day", "agrees"),
    [
        (NamedDate(2023, 5, 8), date(2023, 5, 8), True),
        (NamedDate(2023, 5, 8), date(2023, 5, 9), False),
        (NamedDate(2023, 5, 8), date(2024, 5, 8), False),
        (NamedDate(0, 5, 8), date(2024, 5, 8), True),
        (NamedDate(2023, 5, 0), date(2023, 5, 31), True),
        (NamedDate(0, 5, 0), date(1999, 6, 1), False),
    ],
)
def test_a_day_agrees_with_what_is_named_of_it(named: NamedDate, day: date, agrees: bool) -> None:
    assert named.agrees_with_day(day) is agrees


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (NamedDate(2023, 5, 8), NamedDate(2023, 5, 8), 1.0),
        (NamedDate(2023, 5, 8), NamedDate(0, 5, 8), 1.0),
        (NamedDate(2023, 5, 0), NamedDate(2023, 5, 8), 0.5),
        (NamedDate(2023, 5, 0), NamedDate(2023, 5, 0), 1.0),
        (NamedDate(2023, 5, 8), NamedDate(2023, 5, 9), 0.0),
        (NamedDate(2023, 5, 8), NamedDate(2022, 5, 8), 0.0),
        (NamedDate(2023, 5, 8), NamedDate(2023, 6, 8), 0.0),
    ],
)
def test_two_dates_agree_wholly_by_half_or_not(left: NamedDate, right: NamedDate, expected: float) -> None:
    assert left.agreement(right) == right.agreement(left) == expected
