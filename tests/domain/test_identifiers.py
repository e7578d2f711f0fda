"""Record ids: version 7, in order, and the short numbers people say."""

import uuid
from itertools import pairwise

import pytest

from hansard.domain import identifiers
from hansard.domain.identifiers import IdMaker


def test_an_id_is_a_uuid_of_version_seven_with_its_instant_in_front() -> None:
    made = uuid.UUID(IdMaker(1_767_225_600_123_456).next())
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == 1_767_225_600_123


def test_ids_of_one_transaction_ascend() -> None:
    maker = IdMaker(1_767_225_600_000_000)
    made = [maker.next() for _ in range(5_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_of_a_later_microsecond_sort_after_all_of_an_earlier_one() -> None:
    earlier, later = IdMaker(1_000), IdMaker(1_001)
    assert max(earlier.next() for _ in range(100)) < later.next()


def test_an_id_of_a_time_before_1970_is_still_an_id() -> None:
    assert identifiers.is_uuid(IdMaker(-5).next())


@pytest.mark.parametrize("value", ["", "x", "P-1", "0" * 32, "01900000-0000-7000-8000-00000000000G"])
def test_what_is_no_uuid_is_not_taken_for_one(value: str) -> None:
    assert not identifiers.is_uuid(value)


@pytest.mark.parametrize(("value", "number"), [("D-12", 12), ("d12", 12), ("12", 12), (" D-7 ", 7), ("0", 0)])
def test_a_spoken_reference_is_its_number(value: str, number: int) -> None:
    assert identifiers.parse_reference(value, prefix="D") == number


@pytest.mark.parametrize("value", ["P-12", "D--1", "-1", "D-", "", "1.5", "１２", "9" * 16, "D-1\n2"])
def test_anything_else_is_no_reference(value: str) -> None:
    assert identifiers.parse_reference(value, prefix="D") is None


def test_the_id_of_a_record_does_not_tell_the_one_made_beside_it() -> None:
    maker = identifiers.IdMaker(1_700_000_000_000_000)
    numbers = [int(maker.next().replace("-", ""), 16) for _ in range(50)]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    assert len(steps) == 49
    assert max(steps) > 1 << 24
