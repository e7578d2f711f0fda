"""What a server tells of itself: that it lives, what it lacks, and what it counts."""

import shutil
import threading
import time
from pathlib import Path

import anyio
import pytest
from prometheus_client import generate_latest

from hansard import Hansard
from hansard.domain.errors import StoreUnreachable
from hansard.interfaces.mcp.refusals import refusal_of
from hansard.interfaces.server import health
from hansard.interfaces.server.health import Health
from hansard.interfaces.server.metrics import Metrics
from hansard.services import observe
from hansard.settings import Settings
from support.engines import on_sqlite
from support.provider import Provider, status
from support.serving import Running

SHOP = "/api/v1/projects/shop"
PLACE = "10.0.0.7"


def _unreachable(*_: object, **__: object) -> None:
    raise StoreUnreachable


def test_a_server_that_has_all_it_needs_is_ready(served: Running) -> None:
    with served.nobody() as nobody:
        live, ready = nobody.get("/health/live"), nobody.get("/health/ready")

    assert (live.status_code, live.json()) == (200, {"status": "ok"})
    assert ready.status_code == 200
    assert ready.json() == {"status": "ok", "parts": {"database": "ok", "mirror": "off", "embedder": "ok"}}
    assert "shop" not in ready.text


@on_sqlite
def test_a_server_without_its_database_lives_and_is_not_ready(served: Running) -> None:
    served.hansard.store.read = _unreachable  # type: ignore[method-assign, assignment]
    with served.nobody() as nobody:
        live, ready = nobody.get("/health/live"), nobody.get("/health/ready")

    assert live.status_code == 200
    assert (ready.status_code, ready.json()["status"]) == (503, "down")
    assert ready.json()["parts"]["database"] == "store.unreachable"


@on_sqlite
def test_whether_a_server_lives_is_told_without_asking_whose_a_token_is(served: Running) -> None:
    with served.client() as tank:
        served.hansard.store.read = _unreachable  # type: ignore[method-assign, assignment]
        live, head, listed = tank.get("/health/live"), tank.head("/health/live"), tank.get("/api/v1/projects")

    assert (live.status_code, head.status_code) == (200, 200)
    assert listed.status_code == 503


@on_sqlite
def test_a_database_that_never_answers_is_told_soon_and_asked_once(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(health, "BELIEVED_SECONDS", 0.0)
    answers = threading.Event()
    asked: list[str] = []

    def silent(*_: object, **__: object) -> None:
        asked.append(threading.current_thread().name)
        assert answers.wait(60)
        raise StoreUnreachable

    served.hansard.store.read = silent  # type: ignore[method-assign, assignment]
    try:
        with served.nobody() as nobody:
            began = time.monotonic()
            told = [nobody.get("/health/ready") for _ in range(5)]
            took = time.monotonic() - began
    finally:
        answers.set()

    assert took < 30
    assert {one.status_code for one in told} == {503}
    assert {one.json()["parts"]["database"] for one in told} == {"silent"}
    assert len([name for name in asked if name != "hansard-keeper"]) == 1


@on_sqlite
def test_strangers_do_not_learn_where_the_database_is(served: Running, caplog: pytest.LogCaptureFixture) -> None:
    def gone(*_: object, **__: object) -> None:
        raise StoreUnreachable(f"PostgreSQL at {PLACE} cannot be reached.")

    served.hansard.store.read = gone  # type: ignore[method-assign, assignment]
    with served.nobody() as nobody:
        tokens = ("hansard_" + letter * 43 for letter in "AB")
        answers = [nobody.get(SHOP, headers={"Authorization": f"Bearer {one}"}) for one in tokens]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(503, "store.unreachable")}
    assert {one.headers["retry-after"] for one in answers} == {"1"}
    assert not [one for one in answers if PLACE in one.text]
    assert [record for record in caplog.records if PLACE in record.getMessage()]


@on_sqlite
def test_when_the_database_is_back_tokens_are_known_again(served: Running) -> None:
    read = served.hansard.store.read
    with served.client() as tank:
        served.hansard.store.read = _unreachable  # type: ignore[method-assign, assignment]
        out = tank.get(SHOP)
        served.hansard.store.read = read  # type: ignore[method-assign]
        back = tank.get(SHOP)

    assert (out.status_code, back.status_code) == (503, 200)


@on_sqlite
def test_a_tool_does_not_say_where_the_database_is_either(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreUnreachable(f"PostgreSQL at {PLACE} cannot be reached.")

    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_inbox", "arguments": {}}}
    accepted = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    with served.client() as tank:
        monkeypatch.setattr(Hansard, "project", broken)
        answer = tank.post("/mcp/shop", json=body, headers=accepted)

    assert "store.unreachable" in answer.text
    assert PLACE not in answer.text
    assert PLACE in refusal_of(StoreUnreachable(f"At {PLACE}.")).message, "on one's own machine it is told"


@on_sqlite
def test_a_folder_that_is_gone_is_behind(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "BELIEVED_SECONDS", 0.0)
    folder = tmp_path / "work"
    folder.mkdir()
    with Hansard.open(target, settings=Settings(user="ana", mirror_auto="off")) as hansard:
        project = hansard.project("shop", create=True, root=folder)
        project.export()
        looked = Health(hansard, follows_files=True)
        whole = anyio.run(looked.parts)
        shutil.rmtree(folder)
        lost = anyio.run(looked.parts)
        counted = generate_latest(Metrics(hansard, follows_files=True).registry).decode()

    assert (whole["mirror"], lost["mirror"]) == ("ok", "behind")
    assert "hansard_mirrors_behind 1.0" in counted


@on_sqlite
def test_files_that_stay_behind_are_told_after_a_while(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "BELIEVED_SECONDS", 0.0)
    with Hansard.open(target, settings=Settings(user="ana", mirror_auto="off")) as hansard:
        project = hansard.project("shop", create=True, root=tmp_path)
        project.export()
        project.decide(type="scope", title="One place", content="All data is in one place.", by="ana")
        looked = Health(hansard, follows_files=True)
        first = anyio.run(looked.parts)
        monkeypatch.setattr(health, "BEHIND_SECONDS", 0.0)
        later = anyio.run(looked.parts)

    assert (first["mirror"], later["mirror"]) == ("ok", "behind")


@on_sqlite
def test_a_file_that_was_moved_away_or_replaced_is_told(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "BELIEVED_SECONDS", 0.0)
    with Hansard.open(target) as hansard:
        looked = Health(hansard, follows_files=False)
        states = [anyio.run(looked.parts)["database"]]
        away = Path(target).rename(Path(target).with_suffix(".away"))
        states.append(anyio.run(looked.parts)["database"])
        Path(target).write_bytes(b"")
        states.append(anyio.run(looked.parts)["database"])
        away.replace(target)
        states.append(anyio.run(looked.parts)["database"])

    assert states == ["ok", "store.replaced", "store.replaced", "ok"]


@on_sqlite
def test_a_provider_that_is_down_degrades_the_server_and_no_more(target: str, provider: Provider) -> None:
    provider.script = [status(503)] * 9
    settings = Settings(
        user="ana", embedding_provider="http", embedding_base_url=provider.url, embedding_model="m",
        embedding_timeout_seconds=5,
    )  # fmt: skip
    with Hansard.open(target, settings=settings) as hansard:
        parts = anyio.run(Health(hansard, follows_files=False).parts)

    assert parts == {"database": "ok", "mirror": "off", "embedder": "down"}


@on_sqlite
def test_whoever_asks_for_health_does_not_make_work(hansard: Hansard) -> None:
    looked = Health(hansard, follows_files=False)

    async def twice() -> bool:
        return await looked.parts() is await looked.parts()

    assert anyio.run(twice)


def test_metrics_count_requests_writes_searches_blocks_and_jobs(served: Running) -> None:
    with served.client("tank") as tank, served.client("prometheus", "service", None) as scraper:
        tank.post(f"{SHOP}/memories", json={"content": "The API needs a Bearer prefix.", "type": "core_context"})
        tank.post(f"{SHOP}/memories/search", json={"query": "Which prefix does the API need?"})
        tank.get(f"{SHOP}/context")
        told = scraper.get("/metrics")
        refused = tank.get("/metrics")
    lines = dict(line.rsplit(" ", 1) for line in told.text.splitlines() if not line.startswith("#"))

    recorded = 'hansard_requests_total{method="POST",route="/api/v1/projects/{project}/memories",status="201"}'
    assert float(lines[recorded]) == 1
    assert float(lines['hansard_request_seconds_count{route="/api/v1/projects/{project}/context"}']) == 1
    assert float(lines['hansard_recalls_total{arm="words"}']) == 1
    assert float(lines['hansard_recalls_total{arm="vectors"}']) == 1
    assert float(lines["hansard_compiled_characters_count"]) == 1
    assert float(lines["hansard_compiled_characters_sum"]) > 0
    assert float(lines["hansard_writes_total"]) == len(served.hansard.project("shop").list_events().items)
    assert float(lines['hansard_jobs{kind="export",state="failed"}']) == 0
    assert float(lines["hansard_export_failures"]) == 0
    assert float(lines["hansard_database_up"]) == 1
    assert "shop" not in told.text
    assert "tank" not in told.text
    assert refused.status_code == 403


@on_sqlite
def test_paths_and_methods_that_are_made_up_are_counted_as_one(served: Running) -> None:
    with served.client("prometheus", "service", None) as scraper:
        for number in range(3):
            scraper.request("PROPFIND", f"/made/up/{number}")
        scraper.get("/mcp")
        scraper.get("/mcp/shop")
        told = scraper.get("/metrics").text

    assert 'hansard_requests_total{method="other",route="other",status="404"} 3.0' in told
    assert 'hansard_requests_total{method="GET",route="/mcp",status="405"} 1.0' in told
    assert 'hansard_requests_total{method="GET",route="/mcp/{project}",status="405"} 1.0' in told
    assert "made" not in told


@on_sqlite
def test_what_is_refused_is_counted_where_it_was_going(served: Running) -> None:
    with served.nobody() as nobody, served.client("prometheus", "service", None) as scraper:
        nobody.post(f"{SHOP}/memories", json={})
        scraper.get(SHOP, headers={"Host": "evil.example"})
        scraper.get(SHOP, headers={"Origin": "https://evil.example"})
        scraper.get("/api/v1/openapi.json")
        told = scraper.get("/metrics").text

    for method, route, answer in (
        ("POST", "/api/v1/projects/{project}/memories", 401),
        ("GET", "/api/v1/projects/{project}", 421),
        ("GET", "/api/v1/projects/{project}", 403),
        ("GET", "/api/v1/openapi.json", 200),
    ):
        assert f'hansard_requests_total{{method="{method}",route="{route}",status="{answer}"}} 1.0' in told


@on_sqlite
def test_nobody_is_told_of_work_after_the_server_has_ended(hansard: Hansard) -> None:
    heard: list[tuple[str, float]] = []
    end = observe.listen(lambda *one: heard.append(one))
    observe.tell("one")
    end()
    observe.tell("two")

    assert heard == [("one", 1.0)]
    assert Metrics(hansard).registry is not None
