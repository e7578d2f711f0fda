"""Owns what Prometheus is told: requests, writes, searches by arm, sizes of blocks, jobs and failed exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from starlette.responses import Response

from hansard.domain.errors import Denied, HansardError
from hansard.domain.jobs import JobKind
from hansard.domain.vocabulary import Role
from hansard.interfaces.server.access_log import OTHER, route_of
from hansard.interfaces.server.auth import caller_of
from hansard.interfaces.server.health import LOOK_SECONDS, Mirrors
from hansard.services import found, observe

if TYPE_CHECKING:
    from hansard.app import Hansard

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10)
CHARACTERS = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)


class Metrics:
    """Counts in the process; what the store knows is read when somebody asks."""

    def __init__(self, hansard: Hansard, *, follows_files: bool = False) -> None:
        self._hansard = hansard
        self.registry = CollectorRegistry()
        self._requests = Counter("hansard_requests", "Requests.", ["method", "route", "status"], registry=self.registry)
        self._seconds = Histogram(
            "hansard_request_seconds", "How long requests took.", ["route"], buckets=SECONDS, registry=self.registry
        )
        self._recalls = Counter(
            "hansard_recalls", "Searches, by the arm that found something.", ["arm"], registry=self.registry
        )
        self._blocks = Histogram(
            "hansard_compiled_characters", "Sizes of blocks.", buckets=CHARACTERS, registry=self.registry
        )
        # Looking up a counter by its labels takes longer than counting.
        self._counted: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        for arm in ("words", "vectors"):
            self._recalls.labels(arm)
        self.registry.register(_Stored(hansard, Mirrors(hansard) if follows_files else None))

    def count(self, scope: Mapping[str, Any], status: int, seconds: float) -> None:
        route = route_of(scope)
        method = scope["method"] if scope["method"] in METHODS else OTHER
        counted = self._counted.get((method, route, status))
        if counted is None:
            counted = self._requests.labels(method, route, str(status)), self._seconds.labels(route)
            self._counted[method, route, status] = counted
        requests, took = counted
        requests.inc()
        took.observe(seconds)

    def heard(self, measure: str, value: float) -> None:
        """What the services tell of their work."""
        match measure:
            case observe.RECALL_WORDS:
                self._recalls.labels("words").inc(value)
            case observe.RECALL_VECTORS:
                self._recalls.labels("vectors").inc(value)
            case observe.COMPILED_CHARACTERS:
                self._blocks.observe(value)


class _Stored:
    """What the record knows by itself: how many changes, and how the work beside it stands."""

    def __init__(self, hansard: Hansard, mirrors: Mirrors | None) -> None:
        self._hansard, self._mirrors = hansard, mirrors

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        writes = CounterMetricFamily("hansard_writes", "Events in the histories of all projects.")
        projects = GaugeMetricFamily("hansard_projects", "Projects.")
        jobs = GaugeMetricFamily("hansard_jobs", "Work beside the record.", labels=["kind", "state"])
        failures = GaugeMetricFamily("hansard_export_failures", "Folders whose last export failed.")
        behind = GaugeMetricFamily("hansard_mirrors_behind", "Folders that are gone, or whose files are behind.")
        up = GaugeMetricFamily("hansard_database_up", "Whether the database answered.")
        try:
            events, counts, failed, total = self._counted()
            behind.add_metric([], self._mirrors.behind() if self._mirrors is not None else 0)
        except HansardError:
            up.add_metric([], 0)
            yield up
            return
        writes.add_metric([], events)
        projects.add_metric([], total)
        for (kind, state), count in counts.items():
            jobs.add_metric([kind, state], count)
        failures.add_metric([], failed)
        up.add_metric([], 1)
        yield from (writes, projects, jobs, failures, behind, up)

    def _counted(self) -> tuple[int, dict[tuple[str, str], int], int, int]:
        store = self._hansard.store
        records = found.list_projects(store, wait_seconds=LOOK_SECONDS)
        events = failed = 0
        counts = {(str(kind), state): 0 for kind in JobKind for state in ("leased", "failed", "idle")}
        for record in records:
            with store.read(record.id, wait_seconds=LOOK_SECONDS) as tx:
                events, now = events + tx.ledger.head()[0], store.clock(tx)
                for job in store.jobs(tx).all():
                    state = "leased" if job.is_leased(now) else "failed" if job.error is not None else "idle"
                    counts[str(job.kind), state] += 1
                    failed += job.kind is JobKind.EXPORT and job.error is not None
        return events, counts, failed, len(records)


def router(metrics: Metrics) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/metrics")
    def scraped(request: Request) -> Response:
        caller = caller_of(request)
        # They count all projects together, so a token for some of them is not enough.
        if caller.projects is not None and not caller.actor.roles & {Role.HUMAN, Role.SERVICE}:
            raise Denied("Metrics are for people and services, or for a token of all projects.")
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return routes
