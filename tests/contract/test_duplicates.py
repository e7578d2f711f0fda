"""Duplicates: what is known already is not written again, and nothing else is taken for it."""

from typing import Any

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock

TEXT = "The proxy cuts uploads at five megabytes."
CITED = "The retry limit of the mailer queue is five, as the operations team agreed with everybody last week."
NEARLY = "The retry limits of the mailer queue are five, as the operations team has agreed with everybody last week."
OTHER = "Deployments of the search service run every Tuesday morning after the stand-up meeting of the team."


@pytest.mark.parametrize(
    "again", [TEXT, TEXT.upper(), f"  {TEXT}\n", TEXT.replace(" ", "\n\t "), TEXT.replace("five", "FIVE")]
)
def test_the_same_words_come_back_as_the_known_memory(project: Project, again: str) -> None:
    first = project.remember(TEXT, agent="tank")
    assert not first.duplicate
    events = project.verify().events
    second = project.remember(again, agent="Tank")
    assert (second.id, second.content, second.duplicate) == (first.id, TEXT, True)
    assert project.verify().events == events
    assert len(project.list_memories().items) == 1
    assert not project.get_memory(first.id).duplicate


@pytest.mark.parametrize("again", [TEXT[:-1], TEXT + "!", TEXT.replace("five", "six"), TEXT.replace(" ", "")])
def test_other_words_are_another_memory(project: Project, again: str) -> None:
    first = project.remember(TEXT, agent="tank")
    assert project.remember(again, agent="tank").id != first.id


@pytest.mark.parametrize(
    "fields",
    [
        {"agent": "neo"},
        {"scope": "team"},
        {"tags": "cross-team"},
        {"source_ref": "chat-1"},
        {"source_ref": "chat-1", "position": 0},
        {"position": 4},
    ],
    ids=repr,
)
def test_another_agent_scope_or_place_is_never_a_duplicate(project: Project, fields: dict[str, Any]) -> None:
    first = project.remember(TEXT, agent="tank")
    second = project.remember(TEXT, **({"agent": "tank"} | fields))
    assert second.id != first.id
    assert not second.duplicate
    third = project.remember(TEXT, **({"agent": "tank"} | fields))
    assert (third.id, third.duplicate) == (second.id, True)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"source_ref": "a"}, {"source_ref": "b"}),
        ({"source_ref": "a", "position": 1}, {"source_ref": "a", "position": 2}),
        ({"source_ref": "a", "position": 0}, {"source_ref": "a"}),
    ],
)
def test_two_places_of_a_source_are_two_memories(project: Project, left: dict[str, str], right: dict[str, str]) -> None:
    made = project.remember_many([{"content": TEXT, "agent": "tank", **one} for one in (left, right, left)])
    assert made[0].id != made[1].id
    assert (made[2].id, made[2].duplicate) == (made[0].id, True)


def test_force_writes_it_again(project: Project) -> None:
    first = project.remember(TEXT, agent="tank")
    second = project.remember(TEXT, agent="tank", force=True)
    assert second.id != first.id
    assert not second.duplicate
    both = project.remember_many([{"content": TEXT, "agent": "tank"}] * 2, force=True)
    assert len({one.id for one in both} | {first.id, second.id}) == 4


def test_a_batch_holds_each_text_once_in_its_order(project: Project) -> None:
    known = project.remember("known", agent="tank")
    made = project.remember_many(
        [{"content": text, "agent": "tank"} for text in ("a", "known", "b", "A ", "known", "c", "b")]
    )
    assert [one.content for one in made] == ["a", "known", "b", "a", "known", "c", "b"]
    assert [one.duplicate for one in made] == [False, True, False, True, True, False, True]
    assert made[1].id == made[4].id == known.id
    assert made[3].id == made[0].id
    assert made[6].id == made[2].id
    assert len(project.list_memories().items) == 4
    assert project.verify().ok


def test_what_has_expired_or_was_forgotten_is_not_known_any_more(project: Project, clock: FakeClock) -> None:
    summary = project.remember(TEXT, agent="tank", source="session_summary")
    clock.advance(days=3)
    again = project.remember(TEXT, agent="tank")
    assert again.id != summary.id
    project.forget(again.id, agent="tank")
    assert not project.remember(TEXT, agent="tank").duplicate


def test_an_edit_makes_the_new_words_known_and_the_old_ones_not(project: Project) -> None:
    memory = project.remember(TEXT, agent="tank")
    project.edit_memory(memory.id, agent="tank", content=OTHER)
    assert project.remember(OTHER, agent="tank").id == memory.id
    assert not project.remember(TEXT, agent="tank").duplicate


def test_nearly_the_same_with_a_shared_citation_is_known(project: Project) -> None:
    first = project.remember(CITED, agent="tank", citations=["queue.py:12", "README.md"])
    again = project.remember(NEARLY, agent="tank", citations=["queue.py:12"])
    assert (again.id, again.duplicate) == (first.id, True)
    assert not project.remember(NEARLY, agent="tank", citations=["queue.py:12"], force=True).duplicate


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (NEARLY, {}),
        (NEARLY, {"citations": ["mailer.py:1"]}),
        (OTHER, {"citations": ["queue.py:12"]}),
        (NEARLY, {"citations": ["queue.py:12"], "agent": "neo"}),
        (NEARLY, {"citations": ["queue.py:12"], "scope": "team"}),
        (NEARLY, {"citations": ["queue.py:12"], "source_ref": "chat"}),
    ],
    ids=["no citation", "another citation", "another text", "another agent", "another scope", "another place"],
)
def test_nearness_alone_or_a_citation_alone_is_not_enough(project: Project, text: str, fields: dict[str, Any]) -> None:
    first = project.remember(CITED, agent="tank", citations=["queue.py:12"])
    second = project.remember(text, **({"agent": "tank"} | fields))
    assert second.id != first.id
    assert not second.duplicate


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Do not enable the flag.", "Do enable the flag."),
        ("Do enable the flag.", "Don't enable the flag."),
        ("Do enable the flag.", "Don’t enable the flag."),
        ("The install script needs sudo.", "The install script never needs sudo."),
        ("Das Skript braucht für die Installation sudo.", "Das Skript braucht für die Installation kein sudo."),
        (
            "The staging server of the web shop listens on port 8080 for everybody in the office.",
            "The staging server of the web shop listens on port 8081 for everybody in the office.",
        ),
        (CITED, CITED.replace("five", "six")),
        (CITED, CITED.replace("five", "55")),
        ("Use tabs instead of spaces in Python files.", "Use spaces instead of tabs in Python files."),
        ("Set DEBUG=true in config.yml before a deploy.", "Set DEBUG=false in config.yml before a deploy."),
        ("Service A calls service B over the queue.", "Service A calls service C over the queue."),
        (CITED, CITED.replace("last", "this")),
        (OTHER, OTHER.replace("Tuesday", "Monday")),
        ("Флаг кэширования включён на сервере.", "Флаг кэширования выключен на сервере."),
    ],
)
def test_another_number_a_negation_or_another_order_is_never_a_duplicate(
    project: Project, known: str, said: str
) -> None:
    first = project.remember(known, agent="tank", citations=["app.py"])
    second = project.remember(said, agent="tank", citations=["app.py"])
    assert (second.content, second.duplicate) == (said, False)
    assert second.id != first.id


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("You can't use the cache for sessions.", "You cannot use the cache for sessions."),
        (CITED, NEARLY.replace("five", "5")),
        (CITED, CITED.replace(",", " –")),
    ],
)
def test_the_same_number_and_negation_in_another_spelling_are_still_the_same(
    project: Project, known: str, said: str
) -> None:
    first = project.remember(known, agent="tank", citations=["app.py"])
    again = project.remember(said, agent="tank", citations=["app.py"])
    assert (again.id, again.duplicate) == (first.id, True)


def test_an_update_is_compared_with_every_memory_that_cites_the_same(project: Project) -> None:
    five, six = (project.remember(CITED.replace("five", word), agent="tank", citations=["q.py"]) for word in ("5", "6"))
    again = project.remember(NEARLY.replace("five", "6"), agent="tank", citations=["q.py"])
    assert (again.id, again.duplicate) == (six.id, True)
    assert five.id != six.id


def test_nearly_the_same_as_what_ends_sooner_is_new(project: Project) -> None:
    project.remember(CITED, agent="tank", citations=["queue.py:12"], source="session_summary")
    assert not project.remember(NEARLY, agent="tank", citations=["queue.py:12"]).duplicate


def test_nearly_the_same_as_an_expired_one_is_new(project: Project, clock: FakeClock) -> None:
    project.remember(CITED, agent="tank", citations=["queue.py:12"], source="session_summary")
    clock.advance(days=3)
    assert not project.remember(NEARLY, agent="tank", citations=["queue.py:12"]).duplicate


def test_without_vectors_only_the_same_words_are_known(target: str, clock: FakeClock) -> None:
    settings = Settings(user="ana", embedding_provider="none")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        first = project.remember(CITED, agent="tank", citations=["queue.py:12"])
        assert not project.remember(NEARLY, agent="tank", citations=["queue.py:12"]).duplicate
        assert project.remember(CITED, agent="tank").id == first.id


def test_two_processes_see_each_others_duplicates(project: Project, target: str, clock: FakeClock) -> None:
    first = project.remember(TEXT, agent="tank")
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as other:
        assert other.project("shop").remember(TEXT, agent="tank").id == first.id
