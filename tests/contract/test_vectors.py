"""Vectors stay with their model and their words, heal when they are damaged, and never keep a search waiting."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain import units
from hansard.domain.errors import StoreCorrupt
from hansard.embedding.ports import EmbedderDown
from hansard.index.shelf import FILL_BATCH_UNITS, RETRIEVALS_BUFFERED_MAX
from hansard.services.recall import NOTE_NO_VECTORS_YET, NOTE_SOME_VECTORS
from hansard.settings import Settings
from support import provider as scripted
from support.embedded import WAIT_SECONDS, cosine, opened, sizes
from support.marks import invariant
from support.provider import Provider
from support.raw import raw


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


def test_making_vectors_again_keeps_the_old_ones_until_the_new_ones_are_there(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(FILL_BATCH_UNITS + 9)])
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        provider.script = [scripted.good] * 2
        provider.always = scripted.status(500)
        with pytest.raises(EmbedderDown):
            project.reembed(again=True)
        assert project.embedding()[2:] == (FILL_BATCH_UNITS + 9, FILL_BATCH_UNITS + 9)
        provider.always = scripted.good
        provider.asked.clear()
        assert project.reembed(again=True).units == FILL_BATCH_UNITS + 9
        assert len(provider.texts) == FILL_BATCH_UNITS + 9


def test_a_change_of_models_ends_while_others_go_on_writing(target: str, provider: Provider) -> None:
    with opened(target, "bundled") as (_, home), opened(target, "http", provider) as (_, project):
        home.remember_many([{"content": f"zeppelin {n}", "agent": "tank"} for n in range(5)])

        def another(asked: scripted.Asked) -> scripted.Answer:
            home.remember(f"tractor {len(provider.asked)}", agent="tank")
            return scripted.good(asked)

        provider.always = another
        assert project.reembed().units == 5


def test_a_search_says_that_some_memories_have_no_vectors(target: str, provider: Provider) -> None:
    with opened(target, "http", provider) as (hansard, project):
        project.remember("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert project.recall("zeppelin", agent="tank").notes == ()

        def questions_only(asked: scripted.Asked) -> scripted.Answer:
            return scripted.good(asked) if asked.texts == ("zeppelin",) else scripted.status(503)(asked)

        provider.always = questions_only
        project.remember("tractor", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        for _ in range(2):
            assert project.recall("zeppelin", agent="tank").notes == (NOTE_SOME_VECTORS,)
            hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        provider.always = scripted.good
        project.recall("zeppelin", agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        assert project.recall("zeppelin", agent="tank").notes == ()


def test_many_threads_search_while_others_write(target: str) -> None:
    settings = Settings(user="ana", store_busy_seconds=20)
    with Hansard.open(target, settings=settings) as here, Hansard.open(target, settings=settings) as there:
        project, other = here.project("shop", create=True), there.project("shop")
        project.remember("zeppelin", agent="tank")
        over = threading.Event()

        def write() -> None:
            number = 0
            while not over.is_set():
                number += 1
                other.remember(f"tractor {number}", agent="tank")

        def search(_: int) -> int:
            return sum(bool(project.recall("zeppelin", agent="tank", limit=1)) for _ in range(10))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            with ThreadPoolExecutor(32) as pool:
                assert sum(pool.map(search, range(32))) == 320
        finally:
            over.set()
            writer.join()


def test_a_long_text_is_cut_once_for_all_of_its_units(
    target: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut: list[int] = []
    really = units.pieces

    def pieces(text: str) -> list[str]:
        cut.append(len(text))
        return really(text)

    with opened(target, "http", provider) as (hansard, project):
        provider.always = scripted.status(503)
        project.remember("The budget of the department was discussed at length. " * 100, agent="tank")
        hansard.shelf.wait_for_vectors(WAIT_SECONDS)
        provider.always = scripted.good
        monkeypatch.setattr(units, "pieces", pieces)
        assert project.reembed().units > 10
    assert len(cut) <= 2
