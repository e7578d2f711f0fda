"""`hansard memory search` and its neighbours: what they print, and how they end."""

import os
import signal
import sqlite3
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard import Hansard
from hansard.domain.layout import NOTES_NOTE
from hansard.settings import Settings
from support import provider as scripted
from support.clock import FakeClock
from support.provider import Provider

PROXY = "The proxy cuts uploads at five megabytes."
NOBODY = "019b7b1c-8f3e-7000-8000-000000000001"
NOTHING: dict[str, object] = {"items": [], "next_cursor": None}


@pytest.fixture
def memory_id(project_cli: Cli) -> str:
    made = project_cli("memory", "record", PROXY, "--agent", "tank", "--json")
    assert made.code == 0
    return str(made.json["id"])


def expire(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "cli.db") as connection:
        connection.execute("UPDATE memories SET expires_at = 1 WHERE source = 'session_summary'")
    connection.close()


def test_a_search_shows_what_answers_best(project_cli: Cli, memory_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    project_cli("memory", "record", "Deployments run on Tuesday.", "--agent", "tank")
    ran = project_cli("memory", "search", "upload limit of the proxy", "--agent", "tank")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == NOTES_NOTE
    assert lines[1].split() == ["relevance", "score", "content", "agent", "id"]
    assert memory_id in ran.out
    assert ran.out.index("proxy") < ran.out.index("Deployments")
    assert "cosine" not in ran.out


def test_a_search_as_json_has_every_factor(project_cli: Cli, memory_id: str) -> None:
    found = project_cli("memory", "search", "upload limit", "--agent", "tank", "--json").json
    assert found["notes"] == []
    (hit,) = found["items"]
    assert set(hit) == {"relevance", "score", "factors", "memory"}
    assert set(hit["factors"]) == {
        "relevance", "recency", "access", "quality", "usefulness", "coverage", "cosine", "corrections", "held",
    }  # fmt: skip
    assert hit["memory"]["id"] == memory_id
    assert "salt" not in hit["memory"]
    assert 0 < hit["relevance"] <= 1


def test_explain_shows_every_factor_to_a_person(
    project_cli: Cli, memory_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran = project_cli("memory", "search", "upload limit", "--agent", "tank", "--explain")
    names = ["relevance", "score", "coverage", "cosine", "corrections", "recency", "access", "quality", "usefulness"]
    lines = ran.out.splitlines()
    assert lines[1].split()[:10] == [*names, "held"]
    assert lines[3].split()[4] == "+0.000"


@pytest.mark.parametrize(
    ("text", "question", "correction"),
    [
        ("On 8 May 2023 the zeppelin flew.", "Which machine crossed the sea on 8 May 2023?", 0.14),
        ("On 8 May 2023 the zeppelin flew.", "When did the zeppelin fly?", 0.07),
        ("Where does the zeppelin land?", "the place where the zeppelin lands", -0.07),
        ("The zeppelin flew.", "What flew?", 0.0),
    ],
)
def test_a_search_says_what_was_corrected_between_its_parts_and_relevance(
    project_cli: Cli, text: str, question: str, correction: float
) -> None:
    project_cli("memory", "record", text, "--agent", "tank")
    (hit,) = project_cli("memory", "search", question, "--agent", "tank", "--json").json["items"]
    factors = hit["factors"]
    assert factors["corrections"] == pytest.approx(correction, abs=1e-6)
    parts = factors["coverage"] * 2 / 3 + factors["cosine"] / 3
    assert parts + factors["corrections"] == pytest.approx(hit["relevance"], abs=1e-6)


def test_a_search_that_finds_nothing_is_no_failure(project_cli: Cli, memory_id: str) -> None:
    ran = project_cli("memory", "search", "proxy", "--agent", "neo")
    assert (ran.code, ran.out) == (0, "Nothing found.\n")
    ran = project_cli("memory", "search", "???", "--agent", "tank")
    assert (ran.code, ran.out, ran.err) == (0, "Nothing found.\n", "The query has no words to look for.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["search", ""], 6, "input.invalid"),
        (["search", "x", "--limit", "0"], 6, "input.invalid"),
        (["search", "x", "--limit", "1000000000"], 6, "input.invalid"),
        (["search", "x", "--limit", "many"], 2, "usage"),
        (["search", "x", "--scope", "world"], 6, "input.unknown_value"),
        (["search", "x", "--source", "dream"], 6, "input.unknown_value"),
        (["search", "x", "--run", "nope"], 3, "run.unknown"),
        (["search"], 2, "usage"),
        (["get", NOBODY], 3, "memory.unknown"),
        (["share", NOBODY], 3, "memory.unknown"),
        (["rate", NOBODY, "--useful"], 3, "memory.unknown"),
        (["rate", NOBODY], 2, "usage"),
        (["inject", "x", "--to", "tank", "--category", "opinion"], 6, "input.unknown_value"),
        (["inject", "x", "--to", "nobody", "--category", "preference"], 3, "agent.unknown"),
        (["inject", "x", "--to", "tank"], 2, "usage"),
        (["usage", "--days", "0"], 6, "input.invalid"),
        (["usage", "--memory", NOBODY], 3, "memory.unknown"),
        (["usage", "--task", "x", "--limit", "0"], 6, "input.invalid"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_ends_with_its_code(
    project_cli: Cli, memory_id: str, arguments: list[str], code: int, kind: str
) -> None:
    ran = project_cli("memory", *arguments, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (code, kind)


def test_scope_and_source_narrow_a_search(project_cli: Cli, memory_id: str) -> None:
    def ids(*more: str) -> list[str]:
        found = project_cli("memory", "search", "proxy uploads", "--agent", "tank", "--json", *more).json
        return [hit["memory"]["id"] for hit in found["items"]]

    assert ids() == ids("--scope", "agent") == ids("--source", "manual") == [memory_id]
    assert ids("--scope", "swarm") == ids("--source", "file_index") == []


def test_getting_a_memory_counts_and_showing_it_does_not(project_cli: Cli, memory_id: str) -> None:
    assert project_cli("memory", "get", memory_id, "--agent", "tank").out == f"{PROXY}\n"
    assert project_cli("memory", "get", memory_id, "--agent", "tank", "--json").json["access_count"] == 2
    assert project_cli("memory", "show", memory_id, "--json").json["access_count"] == 2
    assert project_cli("memory", "get", memory_id, "--agent", "neo").code == 3


def test_a_memory_is_shared_by_its_own_agent(project_cli: Cli, memory_id: str) -> None:
    assert project_cli("memory", "share", memory_id, "--agent", "neo").code == 3
    ran = project_cli("memory", "share", memory_id, "--agent", "tank")
    assert ran.out == f"{memory_id} is shared with the team.\n"
    found = project_cli("memory", "search", "proxy", "--agent", "neo", "--json").json["items"]
    assert [hit["memory"]["scope"] for hit in found] == ["team"]


def test_a_person_who_shares_or_raises_words_from_outside_is_told_that_this_confirms_them(project_cli: Cli) -> None:
    def recorded(words: str) -> str:
        record = ("memory", "record", words, "--agent", "tank", "--origin", "external", "--json")
        return str(project_cli(*record).json["id"])

    told = "from outside (external). They are confirmed by this and no longer quoted"
    limit, port = recorded("The vendor allows 60 calls a minute."), recorded("The vendor listens on port 9000.")
    assert told in project_cli("memory", "share", limit).out
    assert told in project_cli("memory", "edit", port, "--importance", "high").out
    assert project_cli("guard", "hold", limit, "--reason", "not checked").code == 0
    assert told not in project_cli("memory", "edit", recorded("It rains."), "--tag", "weather", "--agent", "tank").out


def test_a_lead_hands_out_a_lesson_and_an_agent_does_not(project_cli: Cli, memory_id: str) -> None:
    lesson = ("memory", "inject", "Run the migrations first.", "--to", "tank", "--category", "best-practice")
    assert project_cli(*lesson, "--agent", "neo").code == 5
    ran = project_cli(*lesson, "--agent", "morpheus", "--role", "lead")
    assert ran.code == 0
    assert ran.out.startswith("Handed to tank as ")
    made = project_cli(*lesson, "--json").json
    assert made["duplicate"] is True
    assert made["content"] == "[Lead Feedback — best-practice]\n\nRun the migrations first."


def test_a_lesson_that_is_a_memory_from_outside_waits_unless_a_person_hands_it_on(
    project_cli: Cli, memory_id: str
) -> None:
    words = "The vendor allows 60 calls a minute."
    as_lead = ("--agent", "morpheus", "--role", "lead")
    page = project_cli("memory", "record", words, "--origin", "external", "--json", *as_lead).json["id"]
    lesson = ("memory", "inject", "--memory", page, "--to", "tank", "--category", "best-practice")

    ran = project_cli(*lesson, *as_lead)
    assert ran.out.startswith("Kept for tank as ")
    assert "but it waits for review: asks to be a memory of the team; asks to be of high importance." in ran.out
    assert words not in project_cli("context", "--agent", "tank").out
    ran = project_cli(*lesson[:-1], "preference")
    assert ran.out.startswith("Handed to tank as ")
    assert "Its words are from outside (external). They are confirmed by this and no longer quoted;" in ran.out
    assert words in project_cli("context", "--agent", "tank").out
    assert project_cli(*lesson, "Both.").code == project_cli(*lesson[:2], *lesson[4:]).code == 6


def test_a_memory_is_rated_once_in_a_run(project_cli: Cli, memory_id: str) -> None:
    project_cli("memory", "share", memory_id, "--agent", "tank")
    run = project_cli("run", "start", "--agent", "neo", "--json").json["id"]
    rate = ("memory", "rate", memory_id, "--agent", "neo", "--run", run)
    assert project_cli(*rate, "--useful", "--note", "good").out == f"{memory_id} rated useful.\n"
    assert project_cli(*rate, "--useless").code == 4
    rated = project_cli("memory", "rate", memory_id, "--useless", "--agent", "neo", "--json").json
    assert (rated["alpha"], rated["beta"], rated["counts"]) == (2.0, 2.0, True)


def test_who_rates_its_own_memory_is_told_that_it_counts_for_nothing(project_cli: Cli, memory_id: str) -> None:
    ran = project_cli("memory", "rate", memory_id, "--useful", "--agent", "tank")
    assert ran.out == f"{memory_id} rated useful. It is your own memory, so this is kept and counts for nothing.\n"
    assert project_cli("memory", "rate", memory_id, "--useful", "--agent", "tank", "--json").json["counts"] is False


def test_usage_reports_what_was_surfaced_read_and_rated(project_cli: Cli, memory_id: str) -> None:
    assert "Nothing was surfaced or rated." in project_cli("memory", "usage").out
    project_cli("memory", "search", "proxy", "--agent", "tank", "--task", "fix uploads")
    project_cli("memory", "get", memory_id, "--agent", "tank")
    report = project_cli("memory", "usage", "--days", "7", "--json").json
    assert (report["calls"], report["never_surfaced"]) == (2, 0)
    assert report["by_source"]["manual"] == {
        "surfaced": 2, "memories": 1, "shown": 1, "read": 1, "rated_useful": 0, "rated_useless": 0,
    }  # fmt: skip
    used = {"surfaced": 2, "shown": 1, "read": 1, "rated_useful": 0, "rated_useless": 0}
    data: dict[str, object] = {"origin": None, "signs": []}
    assert report["top"] == [{"memory_id": memory_id, "text": PROXY, **used, **data}]
    told = project_cli("memory", "usage").out.splitlines()
    assert told[0] == "2 calls in 30 days; 0 memories never surfaced."
    assert told[3].split()[0] == "manual"
    assert told[4].split() == ["most", "used", "surfaced", "shown", "read", "useful", "useless", "id"]
    assert told[6].split() == [*PROXY.split(), "2", "1", "1", "0", "0", memory_id]


def test_the_retrieval_log_says_who_was_shown_what(
    project_cli: Cli, memory_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert project_cli("memory", "usage", "--memory", memory_id).out == "Nothing was surfaced.\n"
    project_cli("memory", "search", "proxy", "--agent", "tank", "--task", "Fix uploads")
    project_cli("memory", "get", memory_id, "--agent", "tank")
    lines = project_cli("memory", "usage", "--memory", memory_id).out.splitlines()
    assert lines[0].split() == ["at", "(UTC)", "who", "how", "rank", "shown", "task", "content", "id"]
    assert [line.split()[2:6] for line in lines[2:]] == [["tank", "get", "1", "yes"], ["tank", "search", "1", "yes"]]
    assert "Fix uploads" in lines[3]
    (line,) = project_cli("memory", "usage", "--task", "fix UPLOADS", "--json").json["items"]
    assert (line["agent"], line["memory_id"], line["text"], line["kind"]) == ("tank", memory_id, PROXY, "search")
    assert (line["rank"], line["shown"], line["task"], line["run_id"]) == (1, True, "Fix uploads", None)
    assert line["at"].endswith("Z")
    log = ("memory", "usage", "--json", "--memory", memory_id)
    assert len(project_cli(*log, "--limit", "1").json["items"]) == 1
    assert len(project_cli(*log, "--agent", "tank").json["items"]) == 2
    assert project_cli(*log, "--agent", "neo").code == 3
    assert project_cli("memory", "usage", "--task", "fix", "--json", "--agent", "neo").json == NOTHING


def test_purging_needs_to_be_confirmed(project_cli: Cli, memory_id: str, tmp_path: Path) -> None:
    old = project_cli("memory", "record", "old news", "--agent", "tank", "--source", "session_summary", "--json").json
    assert project_cli("memory", "purge", "--json").json == {"expired": 0, "purged": True}
    expire(tmp_path)
    assert project_cli("memory", "purge", "--dry-run").out == "1 expired memory found.\n"
    for more in ((), ("--json",)):
        ran = project_cli("memory", "purge", *more)
        assert ran.code == 2
        assert "--yes" in ran.err
    assert project_cli("memory", "get", old["id"], "--agent", "tank").out == "old news\n"
    assert project_cli("memory", "purge", "--yes", "--agent", "tank").code == 5
    assert project_cli("memory", "purge", "--yes").out == "1 expired memory forgotten.\n"
    gone = project_cli("memory", "get", old["id"], "--agent", "tank")
    assert gone.code == 4
    assert "was forgotten" in gone.err
    assert project_cli("memory", "get", memory_id, "--agent", "tank").out == f"{PROXY}\n"


def over_http(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    given = {"PROVIDER": "http", "BASE_URL": provider.url, "MODEL": "small", "DIMENSIONS": "16", "KEY": "sk-secret"}
    for name, value in given.items():
        monkeypatch.setenv(f"HANSARD_EMBEDDING_{name}", value)


def test_reindexing_makes_the_index_of_every_memory_anew(project_cli: Cli, memory_id: str) -> None:
    assert project_cli("memory", "reindex").out == "The index of 1 memory was made anew.\n"
    assert project_cli("memory", "reindex", "--json").json == {"memories": 1}
    assert project_cli("memory", "reindex", "--agent", "tank").code == 5
    found = project_cli("memory", "search", "proxy", "--agent", "tank", "--json").json
    assert [hit["memory"]["id"] for hit in found["items"]] == [memory_id]


def test_reembedding_changes_the_model_that_searches_use(
    project_cli: Cli, memory_id: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "0 units embedded" in project_cli("memory", "reembed").out
    over_http(monkeypatch, provider)
    assert project_cli("memory", "reembed", "--agent", "tank").code == 5
    assert project_cli("memory", "reembed").out == "1 unit embedded; searches use small.\n"
    done = project_cli("memory", "reembed", "--json").json
    assert done == {"model": {"name": "small", "revision": "http", "dimensions": 16}, "units": 0, "refused": 0}
    assert project_cli("memory", "reembed", "--again").out == "1 unit embedded; searches use small.\n"
    assert project_cli("memory", "search", "proxy", "--agent", "tank", "--json").json["notes"] == []
    assert {one.key for one in provider.asked} == {"Bearer sk-secret"}


def test_reembedding_in_the_background_goes_on_after_the_command_and_says_how_far_it_is(
    project_cli: Cli, memory_id: str, provider: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "1 of 1 unit embedded." in project_cli("memory", "reembed", "--status").out
    over_http(monkeypatch, provider)
    assert "is configured: 0 of 1 unit embedded." in project_cli("memory", "reembed", "--status").out
    assert "`hansard memory reembed`" in project_cli("memory", "search", "proxy", "--agent", "tank").err
    assert project_cli("memory", "reembed", "--background", "--agent", "tank").code == 5
    started = project_cli("memory", "reembed", "--background", "--json").json
    os.waitpid(started["process"], 0)
    status = project_cli("memory", "reembed", "--status", "--json").json
    assert status["serving"] == status["configured"]
    assert (status["serving"]["name"], status["embedded"], status["units"]) == ("small", 1, 1)
    assert (status["process"], status["error"]) == (None, None)
    provider.always = scripted.status(500)
    failed = project_cli("memory", "reembed", "--background", "--again", "--json").json
    os.waitpid(failed["process"], 0)
    assert "status 500" in project_cli("memory", "reembed", "--status").err
    assert "status 500" in project_cli("memory", "reembed", "--status", "--json").json["error"]
    provider.always = provider.slow
    slow = project_cli("memory", "reembed", "--background", "--again", "--json").json
    assert provider.entered.wait(30)
    second = project_cli("memory", "reembed", "--background", "--again")
    assert second.out.startswith(f"Process {slow['process']} is at work already;")
    monkeypatch.setenv("HANSARD_DB", str(tmp_path / "another.db"))
    assert project_cli("init", "--project", "web-shop").code == 0
    assert project_cli("memory", "reembed", "--status", "--json").json["process"] is None
    monkeypatch.setenv("HANSARD_DB", str(tmp_path / "cli.db"))
    assert f"Process {slow['process']} is at work." in project_cli("memory", "reembed", "--status").out
    os.kill(slow["process"], signal.SIGKILL)
    os.waitpid(slow["process"], 0)
    assert "ended before it was done" in project_cli("memory", "reembed", "--status").err
    provider.release.set()
    provider.always = scripted.good
    assert project_cli("memory", "reembed").code == 0
    assert project_cli("memory", "reembed", "--status").err == ""
    assert project_cli("memory", "reembed", "--background", "--status").code == 2
    monkeypatch.setenv("HANSARD_EMBEDDING_PROVIDER", "none")
    assert project_cli("memory", "reembed", "--background").code == 6
    assert "nothing new is embedded" in project_cli("memory", "reembed", "--status").out


def test_a_refusing_provider_is_a_note_for_a_search_and_an_error_for_reembedding(
    project_cli: Cli, memory_id: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    over_http(monkeypatch, provider)
    project_cli("memory", "reembed")
    project_cli("memory", "record", "another text", "--agent", "tank")
    provider.always = scripted.status(401)
    ran = project_cli("memory", "search", "proxy", "--agent", "tank")
    assert ran.code == 0
    assert memory_id in ran.out
    assert ran.err.startswith("No vectors were used: ")
    assert "status 401" in ran.err
    assert "sk-secret" not in ran.err
    project_cli("memory", "record", "a third text", "--agent", "tank")
    ran = project_cli("memory", "reembed", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "embedding.down")


def test_nothing_to_embed_with_is_said(project_cli: Cli, memory_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_EMBEDDING_PROVIDER", "none")
    ran = project_cli("memory", "reembed")
    assert ran.code == 6
    assert "embedding.provider is none" in ran.err
    monkeypatch.setenv("HANSARD_EMBEDDING_PROVIDER", "magic")
    assert project_cli("memory", "search", "proxy").code == 6


def test_a_ranking_that_makes_no_sense_is_refused_by_its_variable(
    project_cli: Cli, memory_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_RECENCY_HALF_LIFE_DAYS", "0")
    ran = project_cli("memory", "search", "proxy", "--agent", "tank")
    assert ran.code == 6
    assert "MEMORY_RECENCY_HALF_LIFE_DAYS" in ran.err


@pytest.mark.parametrize("days", ["0", "-5"])
def test_a_wrong_number_of_days_is_refused_for_the_log_as_well(project_cli: Cli, memory_id: str, days: str) -> None:
    for more in ((), ("--task", "x"), ("--memory", memory_id)):
        assert project_cli("memory", "usage", f"--days={days}", *more).code == 6


def test_a_purge_by_a_clock_in_doubt_says_how_to_vouch_for_it(project_cli: Cli, tmp_path: Path) -> None:
    place = str(tmp_path / "rested.db")
    with Hansard.open(place, settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        hansard.project("shop", create=True).remember("zeppelin", agent="tank", source="session_summary")
    purge = ("--db", place, "--project", "shop", "purge", "--yes")
    ran = project_cli(*purge)
    assert ran.code == 4
    assert "say so when you purge: `hansard purge --trust-clock`" in ran.err
    assert project_cli(*purge, "--trust-clock", "--json").json == {"expired": 1, "purged": True}
