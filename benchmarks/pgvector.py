"""What ADR 15 decided by: a whole recall in the process, beside a search of the vectors alone in the server."""

import os
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.bar import Bar
from benchmarks.postgres import LIMIT, QUERIES, SIZES, WARM_QUERIES, filled, milliseconds, seconds
from benchmarks.servers import running
from benchmarks.texts import AGENT, items, questions
from hansard import Hansard
from hansard.embedding.ports import Embedder, Floats
from hansard.embedding.static import bundled
from hansard.settings import Settings

if TYPE_CHECKING:
    import psycopg

LIVE = 2_000
SHARE = 10_000
"""How many texts are made vectors of at once."""
PERCENT = 100


def measure(folder: Path) -> Iterator[Bar]:
    import psycopg

    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    with (
        running(folder) as url,
        Hansard.open(url, settings=Settings(user="ana")) as hansard,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        connection.execute("CREATE EXTENSION vector")
        for size in SIZES:
            given = items(size)
            filled(hansard.project(f"of-{size}", create=True), size, given)
            _filled(connection, _table(size), given)
            yield from _searched(hansard, connection, size)
        given, size = items(LIVE), SIZES[-1]
        written = seconds(partial(hansard.project("written", create=True).remember_many, given))
        copied = seconds(partial(_copied, connection, _table(size), given))
        yield Bar(
            f"{LIVE:,} memories in one remember_many", f"{LIVE / written:,.0f}/s",
            f"their vectors into an HNSW index of {size:,}: {LIVE / copied:,.0f}/s", written / copied,
            LIVE / written, "at least", None,
        )  # fmt: skip


def _searched(hansard: Hansard, connection: "psycopg.Connection[Any]", size: int) -> Iterator[Bar]:
    project, table = hansard.project(f"of-{size}"), _table(size)
    recalled = _median(lambda question: project.recall(question, agent=AGENT, limit=LIMIT))
    ask = partial(_nearest, connection, table, bundled())
    scanned = _median(ask)
    exact = {question: ask(question) for question in questions(QUERIES, seed=2)}
    built = seconds(partial(connection.execute, f"CREATE INDEX ON {table} USING hnsw (vector vector_ip_ops)"))
    # So that rows of others which nobody may see do not leave too few.
    connection.execute("SET hnsw.iterative_scan = strict_order")
    indexed = _median(ask)
    same = sum(len(set(ask(question)) & set(known)) for question, known in exact.items())
    share = PERCENT * same / max(1, sum(map(len, exact.values())))
    what = f"recall in a project of {size:,}, words and vectors, p50"
    yield Bar(
        what, milliseconds(recalled), f"the vectors alone, scanned by pgvector: {milliseconds(scanned)}",
        recalled / scanned, recalled, "at most", None,
    )  # fmt: skip
    yield Bar(
        what, milliseconds(recalled),
        f"by HNSW: {milliseconds(indexed)}, {share:.1f} % of the {LIMIT} nearest, built at {size / built:,.0f}/s",
        recalled / indexed, recalled, "at most", None,
    )  # fmt: skip


def _filled(connection: "psycopg.Connection[Any]", table: str, given: list[dict[str, Any]]) -> None:
    """The vectors of the memories, with what says who may see them."""
    dimensions = bundled().identity.dimensions
    connection.execute(
        f"CREATE TABLE {table} (id bigserial PRIMARY KEY, agent text, scope text, vector vector({dimensions}))"
    )
    _copied(connection, table, given)
    connection.execute(f"ANALYZE {table}")


def _table(size: int) -> str:
    return f"vectors_{size}"


def _copied(connection: "psycopg.Connection[Any]", table: str, given: list[dict[str, Any]]) -> None:
    embedder = bundled()
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} (agent, scope, vector) FROM STDIN") as copy:
        for start in range(0, len(given), SHARE):
            share = given[start : start + SHARE]
            vectors = embedder.embed([str(item["content"]) for item in share])
            for item, vector in zip(share, vectors, strict=True):
                copy.write_row((item["agent"], item["scope"], _written(vector)))


def _nearest(connection: "psycopg.Connection[Any]", table: str, embedder: Embedder, question: str) -> list[int]:
    rows = connection.execute(
        f"SELECT id FROM {table} WHERE scope = 'team' OR agent = %s ORDER BY vector <#> %s::vector LIMIT {LIMIT}",
        (AGENT, _written(embedder.embed_query(question))),
    )
    return [row[0] for row in rows]


def _written(vector: Floats) -> str:
    return str(vector.tolist())


def _median(ask: Callable[[str], object]) -> float:
    for question in questions(WARM_QUERIES, seed=1):
        ask(question)
    return statistics.median(seconds(partial(ask, question)) for question in questions(QUERIES, seed=2))
