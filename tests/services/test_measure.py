"""Checks how recall is counted, on dialogues small enough to count by hand."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from hansard import Hansard
from hansard.app import keyword_search
from hansard.domain.errors import Invalid
from hansard.domain.memories import Memory
from hansard.project import Project
from hansard.services import measure
from hansard.services.recall import Hits
from support.dialogues import SAILING, document


class Scripted:
    """A project whose answers are written down: the places of the turns it finds, best first."""

    def __init__(self, project: Project, found: Iterable[int]) -> None:
        self.project = project
        self.found = tuple(found)
        self.made: tuple[Memory, ...] = ()

    def remember_many(self, items: Iterable[Mapping[str, Any]]) -> tuple[Memory, ...]:
        self.made = self.project.remember_many(items)
        return self.made

    def recall(self, query: str, *, limit: int) -> Hits:
        hits = {hit.memory.id: hit for hit in self.project.recall(query, limit=200)}
        every = next(iter(hits.values()))
        return Hits(every._replace(memory=self.made[place]) for place in self.found[:limit])


@pytest.fixture
def fresh(hansard: Hansard) -> Callable[[str], Project]:
    return lambda key: hansard.project(key, create=True)


def test_a_turn_says_who_spoke_and_what_was_shared() -> None:
    dialogue = measure.read(document())[0]

    assert dialogue.turns[1].text == "Ben: It is blue now. [shares a boat on a trailer]"
    assert [turn.id for turn in dialogue.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert [(turn.session, turn.position) for turn in dialogue.turns][2:] == [("D2", 1), ("D2", 2)]


def test_the_time_of_a_session_is_read_if_it_is_there() -> None:
    turns = measure.read(document())[0].turns

    assert turns[0].at == 1_683_554_160_000_000
    assert turns[2].at is None


def test_evidence_counts_only_where_the_turn_exists() -> None:
    questions = measure.read(document())[0].questions

    assert [sorted(question.gold) for question in questions] == [["D1:2"], ["D2:1", "D2:2"]]


def test_a_limit_reads_only_the_first_dialogues() -> None:
    assert len(measure.read(document(), dialogues_max=1)) == 1


def test_recall_is_the_share_of_answering_turns_and_mrr_the_best_rank(hansard: Hansard) -> None:
    dialogues = measure.read(json.dumps([SAILING]))
    made = measure.measure(
        dialogues, lambda key: Scripted(hansard.project(key, create=True), [0, 2, 3, 1]), keyword_search
    )

    found = made.figures[measure.HANSARD][measure.ALL]
    assert found.questions == 2
    assert found.shares == {5: 1.0, 10: 1.0, 25: 1.0}
    assert found.mrr == pytest.approx((1 / 4 + 1 / 2) / 2)


def test_what_is_not_found_counts_as_nothing(hansard: Hansard) -> None:
    dialogues = measure.read(json.dumps([SAILING]))
    made = measure.measure(dialogues, lambda key: Scripted(hansard.project(key, create=True), [0, 2]), keyword_search)

    found = made.figures[measure.HANSARD][measure.ALL]
    assert found.shares[5] == pytest.approx((0 + 1 / 2) / 2)
    assert found.mrr == pytest.approx((0 + 1 / 2) / 2)


def test_every_method_is_measured_for_every_group(fresh: Callable[[str], Project]) -> None:
    made = measure.measure(measure.read(document()), fresh, keyword_search)

    assert list(made.figures) == [measure.HANSARD, measure.HANSARD_TIMED, measure.FTS_ALL, measure.FTS_TELLING]
    for groups in made.figures.values():
        assert list(groups) == ["all", "half A", "half B", "1 multi-hop", "4 single hop"]
        assert groups["all"].questions == 3
        assert groups["half A"].questions == 2


def test_the_product_finds_what_is_said_in_plain_words(fresh: Callable[[str], Project]) -> None:
    made = measure.measure(measure.read(document()), fresh, keyword_search)

    assert made.figures[measure.HANSARD]["half B"].shares[5] == 1.0
    assert (made.dialogues, made.turns) == (2, 6)
    assert 0 < made.p50_seconds <= made.p99_seconds


def test_a_question_reaches_the_floor_at_home_more_often_than_elsewhere(fresh: Callable[[str], Project]) -> None:
    calibration = measure.measure(measure.read(document()), fresh, keyword_search).calibration

    assert calibration.foreign is not None
    assert 0 <= calibration.foreign < calibration.own <= 1


def test_one_dialogue_alone_has_nobody_to_be_compared_with(fresh: Callable[[str], Project]) -> None:
    dialogues = measure.read(document(), dialogues_max=1)

    assert measure.measure(dialogues, fresh, keyword_search).calibration.foreign is None


def test_no_memory_is_newer_than_another(fresh: Callable[[str], Project]) -> None:
    projects: list[Project] = []

    def kept(key: str) -> Project:
        projects.append(fresh(key))
        return projects[-1]

    measure.measure(measure.read(document(), dialogues_max=1), kept, keyword_search)
    plain, timed = (project.list_memories().items for project in projects)

    assert len({memory.created_at for memory in plain}) == 1
    assert {memory.occurred_at for memory in plain} == {None}
    assert len({memory.occurred_at for memory in timed}) == 2


def test_progress_is_told_up_to_the_last_question(fresh: Callable[[str], Project]) -> None:
    told: list[tuple[int, int]] = []
    measure.measure(measure.read(document()), fresh, keyword_search, lambda done, total: told.append((done, total)))

    assert told == [(1, 3), (2, 3), (3, 3)]


def _one_turn(turn: dict[str, str], *questions: object) -> str:
    return json.dumps([{"conversation": {"session_1": [turn]}, "qa": questions}])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "no dialogues"),
        ("[]", "no dialogues"),
        ("[1]", "dialogue 1 conversation or qa is missing"),
        ('[{"conversation": {}, "qa": []}]', "no turn"),
        (_one_turn({"speaker": "A", "text": "x"}), "session 1, turn 1"),
        (_one_turn({"speaker": "A", "text": "x", "dia_id": "7"}), "like D1:2"),
        (_one_turn({"speaker": "A", "text": "x", "dia_id": "D1:1"}, 3), "question 1"),
        (_one_turn({"speaker": "A", "text": "x", "dia_id": "D1:1"}), "No question"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(text: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        measure.read(text)


def test_two_turns_with_one_id_are_refused() -> None:
    said = [{"speaker": "A", "text": "x", "dia_id": "D1:1"}] * 2

    with pytest.raises(Invalid, match="same dia_id"):
        measure.read(json.dumps([{"conversation": {"session_1": said}, "qa": []}]))
