"""Runs the benchmarks that are named, or all, and fails if a bar is missed."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import context, foundation, guard, load, mirror, outside, pgvector, postgres, recall, serve, verify
from benchmarks.bar import COLUMNS, Bar, cells
from benchmarks.servers import missing

BENCHMARKS: Mapping[str, Callable[[Path], Iterator[Bar]]] = {
    "foundation": foundation.measure,
    "recall": recall.measure,
    "context": context.measure,
    "mirror": mirror.measure,
    "guard": guard.measure,
    "outside": outside.measure,
    "postgres": postgres.measure,
    "pgvector": pgvector.measure,
    "load": load.measure,
    "serve": serve.measure,
    "verify": verify.measure,
}
FULL: Mapping[str, Callable[[Path], Iterator[Bar]]] = {
    "recall": recall.measure_full,
    "postgres": postgres.measure_full,
}
"""What a benchmark does instead when asked for all of it."""
SERVED = ("postgres", "pgvector", "load")
"""What starts a server of PostgreSQL."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    parser.add_argument("--folder", type=Path, help="where the databases are made; default: the temporary folder")
    parser.add_argument("--full", action="store_true", help=f"with a million memories too: {postgres.FULL_COSTS}")
    chosen = parser.parse_args(arguments)
    benchmarks = {**BENCHMARKS, **FULL} if chosen.full else BENCHMARKS
    unknown = sorted(set(chosen.names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}")
    served = [name for name in chosen.names or BENCHMARKS if name in SERVED]
    if served and (absent := missing()):
        # Before any of them: others may take an hour.
        told = f"Benchmarks with a PostgreSQL server ({', '.join(served)}) need {' and '.join(absent)}"
        parser.exit(2, f"{told}: run `make lint` once, which installs what developers need.\n")
    bars: list[Bar] = []
    with tempfile.TemporaryDirectory(prefix="hansard-bench-", dir=chosen.folder) as folder:
        for name in chosen.names or BENCHMARKS:
            place = Path(folder) / name
            place.mkdir()
            for bar in benchmarks[name](place):
                bars.append(bar)
                if not chosen.json:
                    print(f"measured: {bar.what}", file=sys.stderr)
    if chosen.json:
        print(json.dumps([asdict(bar) | {"met": bar.met} for bar in bars], indent=2))
    else:
        print(table(bars))
    return 0 if all(bar.met for bar in bars) else 1


def table(bars: Sequence[Bar]) -> str:
    rows = [COLUMNS, *(cells(bar) for bar in bars)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


if __name__ == "__main__":
    sys.exit(main())
