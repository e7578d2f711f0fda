"""A damaged index: what is damaged is left out, told and made anew, and nothing else is touched by it."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied
from hansard.domain.findings import Severity
from hansard.index.prepare import prepare
from hansard.services.recall import NOTE_DAMAGED
from hansard.services.reindex import renew_damaged
from support.embedded import WAIT_SECONDS, opened
from support.provider import Provider
from support.raw import raw

FIRST = "(SELECT min(memory_seq) FROM units)"
TEXTS = ("the zeppelin lands at noon", "a tractor stands in the yard", "the invoice names no customer")
QUESTIONS = ("zeppelin landing", "tractor in the yard", "customer of the invoice")
DAMAGE = {
    "half a term": f"UPDATE units SET terms = substr(terms, 1, 5) WHERE memory_seq = {FIRST}",
    "a term is missing": f"UPDATE units SET terms = substr(terms, 1, 4) WHERE memory_seq = {FIRST}",
    "no terms": f"UPDATE units SET terms = substr(terms, 1, 0) WHERE memory_seq = {FIRST}",
    "an older format": f"UPDATE units SET flags = 0 WHERE memory_seq = {FIRST}",
}


def answers(hansard: Hansard) -> list[tuple[str, float]]:
    project = hansard.project("shop")
    hits = [project.recall(question, agent="tank", limit=1) for question in QUESTIONS]
    assert all(one.notes == () for one in hits)
    return [(one[0].memory.content, one[0].relevance) for one in hits]


def index_findings(hansard: Hansard) -> dict[Severity, str]:
    return {one.severity: f"{one.found} {one.advice}" for one in hansard.doctor() if one.check == "index"}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_unit_is_found_by_the_doctor_and_made_anew_by_the_next_search(target: str, damage: str) -> None:
    with opened(target, "bundled") as (hansard, project):
        project.remember_many([{"content": text, "agent": "tank"} for text in TEXTS])
        before = answers(hansard)
        assert list(index_findings(hansard)) == [Severity.OK]
    with raw(target) as connection:
        connection.execute(DAMAGE[damage])
    with opened(target, "bundled") as (hansard, _):
        assert "memory reindex" in index_findings(hansard)[Severity.WARNING]
        assert answers(hansard) == before
        assert list(index_findings(hansard)) == [Severity.OK]


def test_a_unit_in_an_impossible_place_is_made_anew(target: str) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember("zeppelin", agent="tank")
    with raw(target) as connection:
        connection.execute("UPDATE units SET chunk = 2147483648000")
    with opened(target, "bundled") as (_, project):
        assert project.recall("zeppelin", agent="tank")[0].memory.content == "zeppelin"


def test_what_cannot_be_made_anew_now_is_left_out_and_told(target: str) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember_many([{"content": text, "agent": "tank"} for text in TEXTS])
    with raw(target) as connection:
        connection.execute(DAMAGE["half a term"])
        connection.execute("CREATE TRIGGER spoil BEFORE INSERT ON units BEGIN SELECT RAISE (ABORT, 'spoiled'); END")
    with opened(target, "bundled") as (hansard, project):
        hits = project.recall("zeppelin tractor", agent="tank")
        assert hits.notes == (NOTE_DAMAGED.format(count=1),)
        assert [hit.memory.content for hit in hits][:1] == [TEXTS[1]]
        assert "of 3 units are damaged" in index_findings(hansard)[Severity.WARNING]


def test_lost_units_are_found_by_the_doctor_and_made_anew_on_request(target: str) -> None:
    with opened(target, "bundled") as (hansard, project):
        made = project.remember_many([{"content": text, "agent": "tank"} for text in TEXTS])
        before = answers(hansard)
        gone = project.remember("to be forgotten", agent="tank")
        project.forget(gone.id)
    with raw(target) as connection:
        connection.execute("DELETE FROM units WHERE chunk >= 0")
    with opened(target, "bundled") as (hansard, project):
        assert project.recall(QUESTIONS[0], agent="tank") == ()
        found = index_findings(hansard)[Severity.PROBLEM]
        assert "3 memories are not in the index" in found
        assert "hansard memory reindex" in found
        assert project.reindex() == len(made)
        assert answers(hansard) == before
        assert list(index_findings(hansard)) == [Severity.OK]


def test_what_waits_for_the_next_search_is_not_lost(target: str) -> None:
    with opened(target, "none") as (hansard, project):
        project.remember_many([{"content": f"zeppelin {number}", "agent": "tank"} for number in range(1_001)])
        assert list(index_findings(hansard)) == [Severity.OK]
        assert len(project.recall("zeppelin 7", agent="tank", limit=2)) == 2
        assert list(index_findings(hansard)) == [Severity.OK]


def test_making_units_anew_keeps_the_vectors_of_a_provider(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember_many([{"content": text, "agent": "tank"} for text in TEXTS])
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        before, asked = answers(hansard), len(provider.texts)
        assert project.reindex() == len(TEXTS)
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert answers(hansard) == before
        assert len(provider.texts) == asked + len(QUESTIONS), "only the questions were embedded again"


def test_a_memory_that_was_edited_meanwhile_keeps_its_new_units(target: str) -> None:
    with opened(target, "bundled") as (_, project):
        memory = project.remember(TEXTS[0], agent="tank")
        seat = project.seat()
        with seat.writing() as tx:
            seq = tx.memories.seq_of(memory.id)
            tx.units.renew(seq, prepare([TEXTS[1]], seat.shelf.model, seat.shelf.model)[0], tx.units.serving())
        assert renew_damaged(seat, [seq, 10**6])
        assert project.recall(QUESTIONS[0], agent="tank")[0].relevance > 0.4


def test_only_who_may_configure_makes_all_units_anew(target: str) -> None:
    with opened(target, "bundled") as (hansard, _), pytest.raises(Denied):
        hansard.project("shop", actor=Actor("tank", role="agent")).reindex()


@pytest.mark.parametrize(("provider_name", "severity"), [("bundled", Severity.OK), ("http", Severity.WARNING)])
def test_vectors_of_zeros_are_told(target: str, provider: Provider, provider_name: str, severity: Severity) -> None:
    with opened(target, provider_name, provider if provider_name == "http" else None) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        with raw(target) as connection:
            (size,) = connection.execute("SELECT length(vector) FROM vectors").fetchone() or (0,)
            connection.execute("UPDATE vectors SET vector = ?", (bytes(size),))
        told = [one for one in hansard.doctor() if one.check == "vectors" and "vector of zeros" in one.found]
        assert [one.severity for one in told] == [severity]
