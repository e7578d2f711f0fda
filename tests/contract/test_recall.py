"""Recall: what was written is found at once, by whoever wrote it, and nothing that is asked makes trouble."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import HansardError, Invalid, StoreCorrupt, TooLarge, UnknownRun, UnknownValue
from hansard.domain.memories import Memory
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.sql.memories import SqlMemories
from support.clock import FakeClock
from support.raw import raw

UPLOAD = "The proxy cuts uploads at five megabytes."


def contents(project: Project, query: str, *, agent: str = "tank", limit: int = 10, **wanted: str) -> list[str]:
    return [hit.memory.content for hit in project.recall(query, agent=agent, limit=limit, **wanted)]


@pytest.fixture
def filled(project: Project) -> Project:
    project.remember_many(
        [
            {"content": UPLOAD, "agent": "tank"},
            {"content": "Deployments run on Tuesday morning.", "agent": "tank"},
            {"content": "The cat of the office is called Schrödinger.", "agent": "tank", "source": "extraction"},
            {"content": "parseConfigFile ignores unknown keys.", "agent": "tank"},
        ]
    )
    return project


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is the upload limit of the proxy?", UPLOAD),
        ("on which day do we deploy", "Deployments run on Tuesday morning."),
        ("SCHRODINGER", "The cat of the office is called Schrödinger."),
        ("config keys that are unknown", "parseConfigFile ignores unknown keys."),
    ],
)
def test_a_question_finds_its_answer_first(filled: Project, query: str, expected: str) -> None:
    assert contents(filled, query)[0] == expected


@pytest.mark.parametrize("name", ["zz0x{}", "E{}", "v1r{}b"])
def test_an_identifier_is_found_first_among_others_with_the_same_pieces(project: Project, name: str) -> None:
    told = [f"The build of {name.format(number)} failed on the runner." for number in range(1000, 1400)]
    project.remember_many([{"content": one, "agent": "tank"} for one in told])

    for place in range(0, len(told), 40):
        assert contents(project, name.format(1000 + place), limit=1) == [told[place]]


def test_a_hit_says_how_well_it_answers_and_what_its_score_is_made_of(filled: Project) -> None:
    hits = filled.recall("upload limit of the proxy", agent="tank")
    assert hits.notes == ()
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    first = hits[0]
    assert first.score == first.factors.score
    assert first.relevance == first.factors.relevance > 0.45
    assert 0 < first.coverage <= 1
    assert 0 < first.cosine <= 1
    assert first.memory == filled.get_memory(first.memory.id)


def test_the_limit_and_the_source_are_kept(filled: Project) -> None:
    assert len(contents(filled, "the", limit=2)) == 2
    assert contents(filled, "the", source="extraction") == ["The cat of the office is called Schrödinger."]
    assert contents(filled, "the", source="session_summary") == []


def test_older_and_unread_memories_give_way_to_newer_and_read_ones(project: Project, clock: FakeClock) -> None:
    older = project.remember("The retry limit is three.", agent="tank", source_ref="a")
    clock.advance(days=14)
    newer = project.remember("The retry limit is three.", agent="tank", source_ref="b")
    hits = project.recall("retry limit", agent="tank")
    assert [hit.memory.id for hit in hits] == [newer.id, older.id]
    assert hits[1].score == pytest.approx(hits[0].score / 2, rel=1e-4)
    assert hits[1].relevance == hits[0].relevance
    for _ in range(5):
        project.use_memory(newer.id, agent="tank")
    assert project.recall("retry limit", agent="tank")[0].factors.access == 1.5


def test_so_many_times_the_limit_are_compared_by_score(target: str, clock: FakeClock) -> None:
    with Hansard.open(target, settings=Settings(user="ana", memory_candidate_multiplier=1), clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        project.remember("The exact retry limit of the mailer.", agent="tank")
        clock.advance(days=60)
        project.remember("Some limit or other.", agent="tank")
        assert contents(project, "exact retry limit of the mailer", limit=1) == ["The exact retry limit of the mailer."]
        again = Project(hansard.store, project.record, Settings(user="ana"), hansard.shelf)
        assert contents(again, "exact retry limit of the mailer", limit=1) == ["Some limit or other."]


def test_what_another_process_writes_is_found_by_the_next_search(
    hansard: Hansard, project: Project, target: str, clock: FakeClock
) -> None:
    assert contents(project, "zeppelin") == []
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as other:
        there = other.project("shop")
        made = there.remember("The zeppelin lands at noon.", agent="tank")
        assert contents(project, "zeppelin") == ["The zeppelin lands at noon."]
        there.edit_memory(made.id, agent="tank", content="The submarine dives at noon.")
        assert contents(project, "zeppelin submarine") == ["The submarine dives at noon."]
        assert project.recall("submarine", agent="tank")[0].coverage == pytest.approx(1.0)
        assert contents(project, "submarine", agent="neo") == []
        there.share_memory(made.id, agent="tank")
        assert contents(project, "submarine", agent="neo") == ["The submarine dives at noon."]
        there.forget(made.id, agent="tank")
        assert contents(project, "submarine") == contents(project, "submarine", agent="neo") == []


def test_a_merged_lesson_and_its_later_words_are_found(project: Project) -> None:
    entry = project.propose(agent="tank", slug="a", type="learning", content="Flamingos stand on one leg.")
    decision = project.merge(entry.id, by="ana")
    assert contents(project, "flamingos", agent="tank") == ["Flamingos stand on one leg."]
    project.update_decision(decision.ref, content="Pelicans stand on two legs.")
    assert contents(project, "pelicans", agent="tank") == ["Pelicans stand on two legs."]


def test_projects_do_not_find_each_others_memories(hansard: Hansard, project: Project) -> None:
    others = [hansard.project(f"other-{number}", create=True) for number in range(20)]
    for number, other in enumerate(others):
        other.remember(f"The zeppelin of project {number}.", agent="tank", scope="team")
    assert contents(project, "zeppelin") == []
    for number, other in enumerate(others):
        assert contents(other, "zeppelin") == [f"The zeppelin of project {number}."]


def test_two_threads_search_while_one_writes(hansard: Hansard, project: Project) -> None:
    project.remember("zeppelin start", agent="tank")
    done = threading.Event()

    def reader() -> int:
        searches = 0
        while not done.is_set():
            found = contents(project, "zeppelin", limit=200)
            assert "zeppelin start" in found
            assert not any("secret" in one for one in found)
            searches += 1
        return searches

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(reader) for _ in range(2)]
        for number in range(40):
            project.remember(f"zeppelin {number}", agent="tank")
            project.remember(f"zeppelin secret {number}", agent="neo")
        done.set()
    assert all(one.result() > 0 for one in readers)
    assert len(contents(project, "zeppelin", limit=200)) == 41


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "\u200b", "a\x00b", "\x1b[31m", "\ud800"])
def test_a_query_that_is_no_text_is_refused(filled: Project, query: str) -> None:
    with pytest.raises(Invalid, match="query"):
        filled.recall(query, agent="tank")


@pytest.mark.parametrize("query", [None, 5, b"proxy", ["proxy"]])
def test_a_query_of_another_kind_is_refused(filled: Project, query: object) -> None:
    with pytest.raises(Invalid, match="query must be text"):
        filled.recall(query, agent="tank")  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["?!", "*", '"', "()", "^^^", "-- ;", "😀", "…", "___"])
def test_a_query_of_symbols_finds_nothing_and_says_why(filled: Project, query: str) -> None:
    found = filled.recall(query, agent="tank")
    assert len(found) == 0
    assert found.notes == ("The query has no words to look for.",)


@pytest.mark.parametrize(
    "query",
    [
        "proxy AND NOT upload", 'proxy "uploads', "proxy*", "(proxy", "col:proxy", "^proxy", "proxy NEAR/2 x", "-proxy",
        "proxy' OR 1=1 --", "%proxy%", "proxy;DROP TABLE memories", "{proxy}", "proxy\\", "pr\u00adoxy proxy",
    ],
)  # fmt: skip
def test_the_syntax_of_a_search_engine_is_only_text(filled: Project, query: str) -> None:
    assert contents(filled, query)[0] == UPLOAD


@pytest.mark.parametrize("query", ["the", "who are you", "is it the same as this", "what"])
def test_stop_words_alone_give_a_sensible_result(filled: Project, query: str) -> None:
    assert all(hit.relevance <= 1 for hit in filled.recall(query, agent="tank"))


def test_a_very_long_query_is_cut_with_a_note_and_an_endless_one_refused(filled: Project) -> None:
    found = filled.recall("upload limit of the proxy " * 4_000, agent="tank")
    assert found[0].memory.content == UPLOAD
    assert found.notes == ("The query is long; only its first 4,000 characters were used.",)
    assert filled.recall("x" * 100_000, agent="tank").notes[0].startswith("The query is long")
    with pytest.raises(TooLarge, match="query"):
        filled.recall("x" * 2_000_000, agent="tank")


@pytest.mark.parametrize(
    "text",
    [
        "会议纪要在蓝色柜子里", "データベースの移行は金曜日", "데이터베이스 이전은 금요일", "база данных переезжает",
        "قاعدة البيانات تنتقل", "מסד הנתונים עובר", "ฐานข้อมูล ย้าย วันศุกร์", "გადატანა პარასკევს ხდება",
        "डेटाबेस शुक्रवार को स्थानांतरित होगा", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "Cơ sở dữ liệu chuyển vào thứ sáu", "APRİL 2024 toplantısı",
    ],
)  # fmt: skip
def test_a_text_of_any_script_is_found_by_its_own_words(filled: Project, text: str) -> None:
    filled.remember(text, agent="tank")
    for query in (text, text.rsplit(maxsplit=1)[-1]):
        assert contents(filled, query)[0] == text


@pytest.mark.parametrize("limit", [0, -1, 201, 10**9, True, None, "5", 2.0])
def test_a_limit_that_makes_no_sense_is_refused(filled: Project, limit: object) -> None:
    with pytest.raises(Invalid, match="limit must be a whole number from 1 to 200"):
        filled.recall("proxy", agent="tank", limit=limit)  # type: ignore[arg-type]


def test_an_unknown_scope_source_or_run_is_refused(filled: Project) -> None:
    with pytest.raises(UnknownValue, match="scope must be one of all, agent, team"):
        filled.recall("proxy", agent="tank", scope="world")
    with pytest.raises(UnknownValue, match="source must be one of manual"):
        filled.recall("proxy", agent="tank", source="dream")
    with pytest.raises(UnknownRun):
        filled.recall("proxy", agent="tank", run_id="nope")


@pytest.mark.parametrize("task", ["\ud800", "a\x00b", ["x"], 5, "x" * 20_000])
def test_a_task_that_cannot_be_kept_is_refused_before_it_is_logged(filled: Project, task: object) -> None:
    memory = filled.list_memories().items[0]
    with pytest.raises(HansardError):
        filled.recall("proxy", agent="tank", task=task)  # type: ignore[arg-type]
    with pytest.raises(HansardError):
        filled.use_memory(memory.id, agent="tank", task=task)  # type: ignore[arg-type]
    assert filled.memory_usage().calls == 0


def test_damaged_vectors_are_left_out_and_the_words_still_count(filled: Project, target: str, clock: FakeClock) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE vectors SET vector = ?", (b"\x01\x02",))
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as again:
        found = again.project("shop").recall("upload limit of the proxy", agent="tank")
        assert found[0].memory.content == UPLOAD
        assert found[0].cosine == 0
        assert again.project("shop", actor=Actor("neo")).recall("proxy") == ()


@pytest.mark.parametrize(
    "damage", ["DELETE FROM units", "DELETE FROM vectors", "DELETE FROM vectors WHERE memory_seq = 1"]
)
def test_missing_rows_are_no_trouble(filled: Project, target: str, clock: FakeClock, damage: str) -> None:
    with raw(target) as connection:
        connection.execute(damage)
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as again:
        project = again.project("shop")
        assert all("proxy" in one for one in contents(project, "the proxy")[:1])
        project.remember("The zeppelin lands.", agent="tank")
        assert contents(project, "zeppelin")[0] == "The zeppelin lands."


@pytest.mark.parametrize("column", ["terms", "dates"])
def test_damaged_words_are_a_clear_error_or_left_out(
    filled: Project, target: str, clock: FakeClock, column: str
) -> None:
    with raw(target) as connection:
        connection.execute(f"UPDATE units SET {column} = ? WHERE memory_seq = 1", (b"\x01\x02\x03",))
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as again, suppress(StoreCorrupt):
        assert "Deployments run on Tuesday morning." in contents(again.project("shop"), "deployments")


def test_a_thousand_repetitions_take_a_search_few_questions(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """One question for each repetition took two seconds on a server."""
    said = "Deployed build {0} of the checkout service to the staging cluster, all {1} checks were green"
    project.remember_many([{"content": said.format(one, one % 90), "agent": "tank"} for one in range(1_500)])
    asked: list[int] = []
    by_seqs = SqlMemories.by_seqs

    def counted(memories: SqlMemories, seqs: Sequence[int]) -> dict[int, Memory]:
        asked.append(len(seqs))
        return by_seqs(memories, seqs)

    monkeypatch.setattr(SqlMemories, "by_seqs", counted)
    assert len(project.recall("was build 7 of checkout deployed to staging", agent="tank", limit=5)) == 5
    assert sum(asked) <= 1_000
    assert len(asked) < 20
