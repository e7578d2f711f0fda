"""What a server tells of itself: that it lives, what it lacks, and what it counts."""

from hansard import Hansard
from hansard.domain.errors import StoreUnreachable
from hansard.interfaces.server.health import Health
from hansard.interfaces.server.metrics import Metrics
from hansard.services import observe
from hansard.settings import Settings
from support.engines import on_sqlite
from support.provider import Provider, status
from support.serving import Running

SHOP = "/api/v1/projects/shop"


def test_a_server_that_has_all_it_needs_is_ready(served: Running) -> None:
    with served.nobody() as nobody:
        live, ready = nobody.get("/health/live"), nobody.get("/health/ready")

    assert (live.status_code, live.json()) == (200, {"status": "ok"})
    assert ready.status_code == 200
    assert ready.json() == {"status": "ok", "parts": {"database": "ok", "mirror": "off", "embedder": "ok"}}
    assert "shop" not in ready.text


@on_sqlite
def test_a_server_without_its_database_lives_and_is_not_ready(served: Running) -> None:
    def gone(*_: object, **__: object) -> None:
        raise StoreUnreachable

    served.hansard.store.read = gone  # type: ignore[method-assign, assignment]
    with served.nobody() as nobody:
        live, ready = nobody.get("/health/live"), nobody.get("/health/ready")

    assert live.status_code == 200
    assert (ready.status_code, ready.json()["status"]) == (503, "down")
    assert ready.json()["parts"]["database"] == "store.unreachable"


@on_sqlite
def test_a_provider_that_is_down_degrades_the_server_and_no_more(target: str, provider: Provider) -> None:
    provider.script = [status(503)] * 9
    settings = Settings(
        user="ana", embedding_provider="http", embedding_base_url=provider.url, embedding_model="m",
        embedding_timeout_seconds=5,
    )  # fmt: skip
    with Hansard.open(target, settings=settings) as hansard:
        parts = Health(hansard, follows_files=False).parts()

    assert parts == {"database": "ok", "mirror": "off", "embedder": "down"}


@on_sqlite
def test_whoever_asks_for_health_does_not_make_work(hansard: Hansard) -> None:
    health = Health(hansard, follows_files=False)

    assert health.parts() is health.parts()


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
def test_nobody_is_told_of_work_after_the_server_has_ended(hansard: Hansard) -> None:
    heard: list[tuple[str, float]] = []
    end = observe.listen(lambda *one: heard.append(one))
    observe.tell("one")
    end()
    observe.tell("two")

    assert heard == [("one", 1.0)]
    assert Metrics(hansard).registry is not None
