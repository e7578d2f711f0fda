"""Providers of vectors: down, back, replaced by another, and never mixed up with each other."""

import threading

import pytest

from hansard import Actor
from hansard.domain.errors import Denied, Invalid
from hansard.embedding.ports import EmbedderDown
from hansard.index.shelf import FILL_BATCH_UNITS
from support import provider as scripted
from support.embedded import WAIT_SECONDS, cosine, opened, sizes
from support.marks import invariant
from support.provider import Provider


def test_vectors_over_http_are_made_after_the_write(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        for number in range(5):
            project.remember(f"zeppelin {number}", agent="tank")
            hansard.shelf.wait_for_vectors(WAIT_SECONDS)
            assert sizes(target) == {"small": {128: number + 1}}
        found = project.recall("zeppelin 3", agent="tank")
        assert found.notes == ()
        assert found[0].memory.content == "zeppelin 3"
        assert found[0].cosine == pytest.approx(1.0, abs=1e-3)
        edited = project.edit_memory(found[0].memory.id, agent="tank", content="submarine")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert edited.content in provider.texts
        assert cosine(project, "submarine") == pytest.approx(1.0, abs=1e-3)


def test_a_long_text_is_embedded_piece_by_piece(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember("The budget of the department was discussed at length. " * 30 + "zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert len(provider.texts) > 2
        assert "zeppelin" in provider.texts[-1]
        assert sizes(target) == {"small": {128: len(provider.texts)}}


def test_a_write_does_not_wait_for_a_slow_provider(target: str, provider: Provider) -> None:
    provider.always = provider.slow
    with opened(target, "http", provider) as (hansard, project):
        project.remember("zeppelin one", agent="tank")
        assert provider.entered.wait(WAIT_SECONDS)
        project.remember("zeppelin two", agent="tank")
        assert len(project.list_memories().items) == 2
        provider.release.set()
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "zeppelin one") > 0


@pytest.mark.parametrize(
    "reply",
    [scripted.status(503), scripted.malformed, scripted.wrong_dimensions, scripted.not_a_number, scripted.nested],
)
def test_a_provider_in_trouble_leaves_keywords_and_a_note(
    target: str, provider: Provider, reply: scripted.Reply
) -> None:
    provider.always = reply
    with opened(target, "http", provider) as (hansard, project):
        project.remember("the zeppelin lands at noon", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        found = project.recall("zeppelin", agent="tank")
        assert [hit.memory.content for hit in found] == ["the zeppelin lands at noon"]
        assert found[0].relevance == pytest.approx(1.0)
        (note,) = found.notes
        assert note.startswith("No vectors were used: ")
        assert note.endswith("Results come from keywords alone.")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert sizes(target) == {}


@pytest.mark.parametrize("deed", ["search", "write", "another process"])
def test_missing_vectors_are_filled_in_once_the_provider_is_back(target: str, provider: Provider, deed: str) -> None:
    provider.always = scripted.status(503)
    with opened(target, "http", provider) as (hansard, project):
        project.remember("the zeppelin lands at noon", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert sizes(target) == {}
        provider.always = scripted.good
        if deed == "search":
            project.recall("anything", agent="tank")
        if deed == "write":
            project.remember("the tractor is green", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert sizes(target) == {"search": {"small": {128: 1}}, "write": {"small": {128: 2}}}.get(deed, {})
    with opened(target, "http", provider) as (hansard, project):
        project.recall("anything", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "the zeppelin lands at noon") == pytest.approx(1.0, abs=1e-3)


def test_without_a_provider_there_are_keywords_only_and_no_note(target: str) -> None:
    with opened(target, "none") as (_, project):
        project.remember("the zeppelin lands at noon", agent="tank")
        found = project.recall("zeppelin", agent="tank")
        assert [(hit.memory.content, hit.cosine) for hit in found] == [("the zeppelin lands at noon", 0)]
        assert found.notes == ()
        assert project.recall("submarine", agent="tank") == ()
        with pytest.raises(Invalid, match=r"embedding\.provider is none"):
            project.reembed()


def test_a_large_batch_without_a_provider_is_indexed_by_the_next_search(target: str) -> None:
    with opened(target, "none") as (hansard, project):
        made = project.remember_many([{"content": f"zeppelin number {n}", "agent": "tank"} for n in range(1_001)])
        with hansard.store.read(project.id) as tx:
            assert len(tx.units.postponed(2_000)) == 1_001
        project.edit_memory(made[5].id, agent="tank", content="submarine number 5")
        project.share_memory(made[6].id, agent="tank")
        project.forget(made[7].id, agent="tank")
        assert project.recall("zeppelin number 1000", agent="tank", limit=1)[0].memory.id == made[1000].id
        assert project.recall("submarine", agent="tank", limit=1)[0].memory.id == made[5].id
        assert [hit.memory.id for hit in project.recall("zeppelin", agent="neo")] == [made[6].id]
        assert made[7].id not in {hit.memory.id for hit in project.recall("zeppelin number 7", agent="tank", limit=200)}
        with hansard.store.read(project.id) as tx:
            assert tx.units.postponed(2_000) == []


def test_a_process_that_searched_before_finds_what_another_put_off(target: str) -> None:
    with opened(target, "none") as (_, project), opened(target, "none") as (_, other):
        project.remember("zeppelin first", agent="tank")
        assert len(project.recall("zeppelin", agent="tank", limit=50)) == 1
        other.remember_many([{"content": f"zeppelin {number}", "agent": "tank"} for number in range(1_001)])
        assert len(project.recall("zeppelin", agent="tank", limit=50)) == 50
        assert project.recall("zeppelin 1000", agent="tank", limit=1)[0].memory.content == "zeppelin 1000"


def test_nothing_is_looked_for_once_all_that_was_put_off_is_made(target: str) -> None:
    with opened(target, "none") as (hansard, project):
        project.remember_many([{"content": f"zeppelin {number}", "agent": "tank"} for number in range(1_001)])
        project.reindex()
        project.recall("zeppelin", agent="tank")
        with hansard.store.read(project.id) as tx:
            assert not tx.units.mark().is_behind


def test_what_is_put_off_while_somebody_catches_up_is_not_lost(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def batch(word: str) -> list[dict[str, str]]:
        return [{"content": f"{word} {number}", "agent": "tank"} for number in range(1_001)]

    with opened(target, "none") as (hansard, project), opened(target, "none") as (_, other):
        project.remember_many(batch("zeppelin"))
        prepare, more = hansard.shelf.prepare, [batch("submarine")]

        def interrupted(*arguments: object) -> object:
            if more:
                other.remember_many(more.pop())
            return prepare(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(hansard.shelf, "prepare", interrupted)
        project.recall("zeppelin", agent="tank")
        assert project.recall("submarine 7", agent="tank", limit=1)[0].memory.content == "submarine 7"


def test_a_project_begun_without_a_provider_gets_vectors_from_the_bundled_model(target: str) -> None:
    with opened(target, "none") as (_, project):
        project.remember("the zeppelin lands at noon", agent="tank")
    with opened(target, "bundled") as (hansard, project):
        project.remember("the tractor is green", agent="tank")
        project.recall("anything", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "the zeppelin lands at noon") > 0.9


@invariant("INV-16")
@pytest.mark.parametrize("dimensions", [64, 256])
def test_another_model_serves_only_after_everything_was_embedded_anew(
    target: str, provider: Provider, dimensions: int
) -> None:
    with opened(target, "bundled") as (hansard, project):
        project.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(FILL_BATCH_UNITS + 10)])
        former = hansard.shelf.model.identity
        old = former.name
        before = [(hit.memory.id, hit.cosine) for hit in project.recall("zeppelin 7", agent="tank", limit=1)]
    with opened(target, "http", provider, dimensions=dimensions) as (hansard, project):
        during: list[tuple[int, int]] = []
        assert project.embedding() == (hansard.shelf.model.identity, ("small", "http", dimensions), 0, 266)

        def progress(done: int, total: int) -> None:
            during.append((done, total))
            now = project.recall("zeppelin 7", agent="tank", limit=1)
            assert [(hit.memory.id, hit.cosine) for hit in now] == before
            assert [note.partition(";")[0] for note in now.notes] == [f"The vectors of this project are of {former}"]
            assert project.embedding()[2:] == (done, total)

        assert [(hit.memory.id, hit.cosine) for hit in project.recall("zeppelin 7", agent="tank", limit=1)] == before
        project.remember("zeppelin meanwhile", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert sizes(target).get("small", {}) == {}
        before = [(hit.memory.id, hit.cosine) for hit in project.recall("zeppelin 7", agent="tank", limit=1)]
        count = FILL_BATCH_UNITS + 11
        assert sizes(target)[old] == {512: count}
        done = project.reembed(progress=progress)
        assert (done.model.name, done.model.dimensions, done.units) == ("small", dimensions, count)
        assert during == [(FILL_BATCH_UNITS, count), (count, count)]
        assert sizes(target) == {"small": {2 * dimensions: count}}
        assert cosine(project, "zeppelin 7") == pytest.approx(1.0, abs=1e-3)
        assert project.recall("zeppelin 7", agent="tank").notes == ()
    with opened(target, "bundled") as (_, project):
        found = project.recall("zeppelin 7")
        assert {hit.cosine for hit in found} == {0.0}
        (note,) = found.notes
        assert note.startswith("No vectors were used: those of this project are of small (")
        assert "`hansard memory reembed` makes them anew" in note


@invariant("INV-16")
def test_a_process_that_was_open_meanwhile_follows_to_the_new_model(target: str, provider: Provider) -> None:
    with opened(target, "bundled") as (_, here), opened(target, "http", provider) as (_, there):
        here.remember("zeppelin seven", agent="tank")
        assert cosine(here, "zeppelin seven") > 0.9
        there.reembed()
        assert here.recall("zeppelin seven", agent="tank")[0].cosine == 0.0
        assert cosine(there, "zeppelin seven") == pytest.approx(1.0, abs=1e-3)
        here.remember("tractor", agent="tank")
        # The other process may have filled in the vector of the second one by now.
        assert {name: set(found) for name, found in sizes(target).items()} == {"small": {128}}


@invariant("INV-16")
@pytest.mark.parametrize("dimensions", [64, 256])
def test_catching_up_never_files_vectors_under_another_model(target: str, provider: Provider, dimensions: int) -> None:
    with opened(target, "http", provider, dimensions=dimensions) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
    with opened(target, "none") as (_, project):
        project.remember_many([{"content": f"tractor {n}", "agent": "tank"} for n in range(1_001)])
    with opened(target, "bundled") as (_, project):
        assert project.recall("tractor 7", agent="tank", limit=1)[0].memory.content == "tractor 7"
    assert sizes(target) == {"small": {2 * dimensions: 1}}


@invariant("INV-16")
@pytest.mark.parametrize("change", [{"model": "large"}, {"dimensions": 32}])
def test_another_model_name_or_size_of_one_provider_is_another_model(
    target: str, provider: Provider, change: dict[str, str]
) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
    with opened(target, "http", provider, **change) as (hansard, project):  # type: ignore[arg-type]
        found = project.recall("zeppelin", agent="tank")
        assert found[0].cosine == 0
        assert "of small (http, 64 dimensions), which this process cannot ask" in found.notes[0]
        project.reembed()
        assert cosine(project, "zeppelin") == pytest.approx(1.0, abs=1e-3)


def test_a_provider_that_moved_still_has_the_same_model(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
    with scripted.serving() as elsewhere, opened(target, "http", elsewhere) as (_, project):
        assert elsewhere.url != provider.url
        found = project.recall("zeppelin", agent="tank")
        assert found.notes == ()
        assert found[0].cosine == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("former", ["http", "bundled"])
def test_an_agent_is_told_to_ask_a_person_where_it_may_not_change_the_model(
    target: str, provider: Provider, former: str
) -> None:
    with opened(target, former, provider if former == "http" else None) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
    with opened(target, "http", provider, model="large") as (hansard, project):
        mine = hansard.project("shop", actor=Actor("tank", role="agent"))
        (told,) = mine.recall("zeppelin").notes
        assert "Ask a person to run `hansard memory reembed`" in told
        assert ("Results come from keywords alone" in told) == (former == "http")
        assert ("Until then searches use the vectors that are there" in told) == (former == "bundled")
        assert "Ask a person" not in project.recall("zeppelin").notes[0]


def test_an_interrupted_change_of_models_goes_on_where_it_stopped(target: str, provider: Provider) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(FILL_BATCH_UNITS + 44)])
        before = cosine(project, "zeppelin 7")
    with opened(target, "http", provider) as (_, project):
        provider.script = [scripted.good] * 2
        provider.always = scripted.status(500)
        with pytest.raises(EmbedderDown):
            project.reembed()
        assert cosine(project, "zeppelin 7") == before
        provider.always = scripted.good
        assert project.reembed().units == 44


def test_only_people_and_services_change_the_model(target: str) -> None:
    with opened(target, "bundled") as (hansard, project):
        project.remember("zeppelin", agent="tank")
        for role in ("agent", "lead"):
            with pytest.raises(Denied):
                hansard.project("shop", actor=Actor("tank", role=role)).reembed()
        assert hansard.project("shop", actor=Actor("cron", role="service")).reembed().units == 0


def test_closing_ends_the_threads_that_fill_vectors(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (_, project):
        project.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(300)])
    assert "hansard-embed" not in {thread.name for thread in threading.enumerate()}
