"""Providers of vectors: down, back, replaced by another, and never mixed up with each other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Invalid, StoreCorrupt
from hansard.embedding.http import HttpEmbedder
from hansard.embedding.ports import EmbedderDown
from hansard.index.shelf import FILL_BATCH_UNITS, RETRIEVALS_BUFFERED_MAX
from hansard.project import Project
from hansard.services.recall import NOTE_NO_VECTORS_YET
from hansard.settings import Settings
from support import provider as scripted
from support.clock import FakeClock
from support.marks import invariant
from support.provider import Provider, serving
from support.raw import raw

WAIT_SECONDS = 30.0


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as provider:
        yield provider


@contextmanager
def opened(
    target: str, kind: str, provider: Provider | None = None, *, model: str = "small", dimensions: int = 64
) -> Iterator[tuple[Hansard, Project]]:
    """A process of its own with another provider. Over HTTP it does not wait between attempts."""
    settings = Settings(user="ana", embedding_provider=kind)
    with Hansard.open(target, settings=settings, clock=FakeClock()) as hansard:
        if provider is not None:
            hansard.shelf._embedder = HttpEmbedder(
                base_url=provider.url, model=model, dimensions=dimensions, key=None, timeout_seconds=WAIT_SECONDS,
                pause=lambda _: None,
            )  # fmt: skip
            hansard.shelf._chosen = True
        yield hansard, hansard.project("shop", create=True)


def sizes(target: str) -> dict[str, dict[int, int]]:
    """For each model the sizes of its vectors in bytes, and how many there are of each."""
    found: dict[str, dict[int, int]] = {}
    with raw(target) as connection:
        rows: Any = connection.execute(
            "SELECT m.name, length(v.vector), count(*) FROM models m JOIN vectors v"
            " ON v.project_id = m.project_id AND v.model_id = m.id GROUP BY 1, 2"
        )
        for name, size, count in rows:
            found.setdefault(name, {})[size] = count
    return found


def cosine(project: Project, query: str) -> float:
    return project.recall(query, agent="tank", limit=1)[0].cosine


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
        assert project.embedding() == (hansard.shelf.model.identity, ("small", provider.url, dimensions), 0, 266)

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
        found = project.recall("zeppelin 7", agent="tank")
        assert {hit.cosine for hit in found} == {0.0}
        assert "this process cannot embed a question with small (" in found.notes[0]
        assert "`hansard memory reembed` makes them anew" in found.notes[1]


@invariant("INV-16")
def test_a_process_that_was_open_meanwhile_follows_to_the_new_model(target: str, provider: Provider) -> None:
    with opened(target, "bundled") as (_, here), opened(target, "http", provider) as (_, there):
        here.remember("zeppelin seven", agent="tank")
        assert cosine(here, "zeppelin seven") > 0.9
        there.reembed()
        assert here.recall("zeppelin seven", agent="tank")[0].cosine == 0.0
        assert cosine(there, "zeppelin seven") == pytest.approx(1.0, abs=1e-3)
        here.remember("tractor", agent="tank")
        assert sizes(target) == {"small": {128: 1}}


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
        assert "cannot embed a question with small (" in found.notes[0]
        project.reembed()
        assert cosine(project, "zeppelin") == pytest.approx(1.0, abs=1e-3)


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


@invariant("INV-16")
def test_a_vector_made_for_the_former_model_is_not_filed_under_the_new_one(
    target: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(target, "bundled") as (here, project), opened(target, "http", provider, dimensions=256) as (_, there):
        project.remember("zeppelin", agent="tank")
        prepare = here.shelf.prepare

        def overtaken(*arguments: Any) -> Any:
            made = prepare(*arguments)
            there.reembed()
            return made

        monkeypatch.setattr(here.shelf, "prepare", overtaken)
        project.remember("tractor", agent="tank")
        assert sizes(target) == {"small": {512: 1}}
        there.recall("anything", agent="tank")
        there.reembed()
        assert cosine(there, "tractor") == pytest.approx(1.0, abs=1e-3)


def test_words_that_were_edited_away_leave_no_vector(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        provider.always = provider.slow
        memory = project.remember("zeppelin", agent="tank")
        assert provider.entered.wait(WAIT_SECONDS)
        project.edit_memory(memory.id, agent="tank", content="tractor")
        provider.always = scripted.good
        provider.release.set()
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        project.recall("anything", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "tractor") == pytest.approx(1.0, abs=1e-3)


@invariant("INV-16")
def test_a_change_of_models_that_was_overtaken_never_writes_under_the_others_number(
    target: str, provider: Provider
) -> None:
    with opened(target, "bundled") as (bundled, home), opened(target, "http", provider) as (here, project):
        home.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(FILL_BATCH_UNITS + 9)])
        with here.store.write(project.id) as tx:
            mine = tx.vectors.register(here.shelf.embedder.identity)  # type: ignore[union-attr]
        assert here.shelf.fill_once(project.id, mine, here.shelf.embedder).units == FILL_BATCH_UNITS  # type: ignore[arg-type]
        home.reembed()
        with opened(target, "http", provider, model="large") as (_, other):
            other.reembed()
        assert here.shelf.fill_once(project.id, mine, here.shelf.embedder).units  # type: ignore[arg-type]
        assert sizes(target)["large"] == {128: FILL_BATCH_UNITS + 9}
        assert project.reembed().model.name == "small"
        assert cosine(project, "zeppelin 7") == pytest.approx(1.0, abs=1e-3)
        assert bundled.shelf.model.identity.name not in sizes(target)


def test_a_text_the_provider_refuses_does_not_keep_the_others_waiting(target: str, provider: Provider) -> None:
    def picky(asked: scripted.Asked) -> scripted.Answer:
        poisoned = any("poison" in text for text in asked.texts)
        return scripted.status(400)(asked) if poisoned else scripted.good(asked)

    with opened(target, "http", provider) as (hansard, project):
        provider.always = picky
        project.remember_many([{"content": text, "agent": "tank"} for text in ("zeppelin", "poison", "tractor")])
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "zeppelin") == pytest.approx(1.0, abs=1e-3)
        assert cosine(project, "tractor") == pytest.approx(1.0, abs=1e-3)
        assert [hit.memory.content for hit in project.recall("poison", agent="tank")] == ["poison"]
        assert project.embedding()[2:] == (3, 3)
        assert project.reembed(again=True)[1:] == (3, 1)
        provider.always = scripted.status(422)
        project.remember("submarine", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert project.embedding()[2:] == (3, 4)
        with pytest.raises(EmbedderDown):
            project.reembed()


def test_a_damaged_vector_counts_as_missing_and_is_made_again(target: str) -> None:
    with opened(target, "bundled") as (hansard, project):
        project.remember("the zeppelin lands at noon", agent="tank")
        whole = cosine(project, "the zeppelin lands at noon")
    with raw(target) as connection:
        connection.execute("UPDATE vectors SET vector = ?", (b"\0",))
    with opened(target, "bundled") as (hansard, project):
        assert project.embedding()[2:] == (0, 1)
        project.recall("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "the zeppelin lands at noon") == whole
        assert project.embedding()[2:] == (1, 1)


def test_keywords_only_means_keywords_only_where_vectors_are(target: str) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember("the zeppelin lands at noon", agent="tank")
    with opened(target, "none") as (_, project):
        project.remember("the tractor is green", agent="tank")
        found = project.recall("zeppelin", agent="tank")
        assert (found[0].cosine, found.notes) == (0, ())
    with opened(target, "bundled") as (_, project):
        assert project.embedding()[2:] == (1, 2)


def test_a_project_begun_without_a_provider_is_embedded_once_somebody_searches_with_one(target: str) -> None:
    with opened(target, "none") as (_, project):
        project.remember("the zeppelin lands at noon", agent="tank")
    with opened(target, "bundled") as (hansard, project):
        assert project.recall("zeppelin", agent="tank").notes == (NOTE_NO_VECTORS_YET,)
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "the zeppelin lands at noon") > 0.9
        assert project.recall("zeppelin", agent="tank").notes == ()


@pytest.mark.parametrize("dimensions", [0, -5, 10**9])
def test_a_damaged_model_is_a_clear_error(target: str, dimensions: int) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember("zeppelin", agent="tank")
    with raw(target) as connection:
        connection.execute("UPDATE models SET dimensions = ?", (dimensions,))
    with opened(target, "bundled") as (_, project), pytest.raises(StoreCorrupt):
        project.recall("zeppelin", agent="tank")


def test_a_damaged_place_in_the_index_is_a_clear_error_and_a_lost_model_is_found_again(target: str) -> None:
    with opened(target, "bundled") as (_, project):
        project.remember("zeppelin", agent="tank")
    with raw(target) as connection:
        connection.execute("UPDATE heads SET model_id = 77")
    with opened(target, "bundled") as (hansard, project):
        project.recall("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert cosine(project, "zeppelin") > 0.9
    with raw(target) as connection:
        connection.execute("UPDATE heads SET stamp = -5")
    with opened(target, "bundled") as (_, project), pytest.raises(StoreCorrupt):
        project.recall("zeppelin", agent="tank")


def test_a_search_whose_provider_failed_does_not_ask_it_for_more(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        provider.always = scripted.status(503)
        project.remember("tractor", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        provider.asked.clear()
        assert project.recall("tractor", agent="tank").notes
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert provider.texts == ["tractor"]


def test_a_log_that_cannot_be_written_fails_no_search_and_is_written_later(
    target: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(user="ana", store_busy_seconds=0.05)
    with Hansard.open(target, settings=settings) as here, Hansard.open(target, settings=settings) as other:
        project = here.project("shop", create=True)
        project.remember("zeppelin", agent="tank")
        with other.store.write(project.id):
            for _ in range(RETRIEVALS_BUFFERED_MAX + 1):
                assert project.recall("zeppelin", agent="tank")
        assert "not in the log yet" in caplog.text
        here.shelf.flush(project.id)
        assert project.memory_usage().calls == RETRIEVALS_BUFFERED_MAX + 1
