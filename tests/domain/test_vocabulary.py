"""The closed vocabularies, and how a word outside them is refused."""

from enum import StrEnum

import pytest

from hansard.domain import vocabulary
from hansard.domain.errors import UnknownValue
from hansard.domain.vocabulary import (
    DecisionStatus,
    DecisionType,
    EntryStatus,
    Importance,
    MemoryType,
    Role,
    RunOutcome,
    Scope,
    Source,
    parse,
    parse_optional,
)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (DecisionType, "architectural scope process technical learning pattern update"),
        (EntryStatus, "pending merged rejected"),
        (DecisionStatus, "active superseded archived"),
        (MemoryType, "core_context learning pattern update"),
        (Importance, "high medium low"),
        (Scope, "agent team"),
        (Source, "manual file_index session_summary task_completion extraction"),
        (Role, "human coordinator agent service"),
        (RunOutcome, "completed failed declined"),
    ],
)
def test_the_vocabularies_hold_exactly_the_words_of_the_design(kind: type[StrEnum], words: str) -> None:
    assert [member.value for member in kind] == words.split()


def test_a_word_is_read_in_any_case_and_with_blanks_around_it() -> None:
    assert parse(Importance, " High ", field="importance") is Importance.HIGH
    assert parse(Importance, Importance.LOW, field="importance") is Importance.LOW


def test_lead_means_coordinator_and_swarm_means_team() -> None:
    assert parse(Role, "Lead", field="role") is Role.COORDINATOR
    assert parse(Scope, "swarm", field="scope") is Scope.TEAM


@pytest.mark.parametrize("value", ["urgent", "", "hi\x00gh", "\ud800", 5, None, ["high"]])
def test_an_unknown_word_is_refused_with_the_words_that_would_do(value: object) -> None:
    with pytest.raises(UnknownValue, match="importance must be one of high, medium, low") as caught:
        parse(Importance, value, field="importance")  # type: ignore[arg-type]
    assert caught.value.code == "input.unknown_value"


def test_a_long_unknown_word_is_not_repeated_in_full() -> None:
    with pytest.raises(UnknownValue) as caught:
        parse(Importance, "x" * 10_000, field="importance")
    assert len(caught.value.message) < 200


def test_an_optional_word_may_be_absent() -> None:
    assert parse_optional(Importance, None, field="importance") is None
    with pytest.raises(UnknownValue):
        parse_optional(Importance, "", field="importance")


def test_boundary_and_routine_types_do_not_overlap() -> None:
    assert {"architectural", "scope"} == vocabulary.BOUNDARY_TYPES
    assert {"learning", "pattern", "update"} == vocabulary.ROUTINE_TYPES
