"""Owns `hansard bench`: how well recall finds what is asked for, measured on a file of dialogues."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from hansard.domain.errors import Invalid
from hansard.interfaces.cli.calling import Call, Column, content_of, counted, say, table
from hansard.services import measure
from hansard.services.measure import DEPTHS, Figures, Measurement, Memories

MEMORY_DATABASE = ":memory:"
VECTOR_WAIT_SECONDS = 600.0
PROGRESS_QUESTIONS = 20
"""How many questions pass between two reports of progress."""


@click.group()
def bench() -> None:
    """Measure how well recall works.

    \b
    Example:
      hansard bench recall locomo10.json
    """


@bench.command()
@click.argument("path", type=click.Path(allow_dash=True))
@click.option("--limit-dialogues", metavar="N", type=click.IntRange(min=1), help="Only the first N dialogues.")
@click.option("--in", "database", metavar="DB", help="Measure in this database, which must hold no project yet.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON document and nothing else.")
def recall(path: str, limit_dialogues: int | None, database: str | None, json_: bool) -> None:  # noqa: FBT001
    """Measure recall on a file of dialogues in the form of LoCoMo.

    Each dialogue becomes a project, each turn a memory, in a database in memory or the one named by --in. Every
    question is asked, and counted is which of the turns that its evidence names are found. Your own database is not
    touched; the embedding provider is the one you configured.

    \b
    Example:
      hansard bench recall locomo10.json --limit-dialogues 2
      hansard bench recall locomo10.json --in postgresql://ana@db/bench
    """
    call = Call(dict(click.get_current_context().find_root().obj or {}), as_json=json_)
    dialogues = measure.read(content_of(None, path), dialogues_max=limit_dialogues)
    measured = _measured(call, dialogues, database or MEMORY_DATABASE)
    call.answer(_document(measured), lambda: _shown(measured))


def _measured(call: Call, dialogues: Sequence[measure.Dialogue], database: str) -> Measurement:
    from hansard.app import Hansard, keyword_search

    with Hansard.open(database, settings=call.settings()) as hansard:
        if hansard.projects():
            raise Invalid("The database named by --in holds projects; measuring would add to them. Name an empty one.")

        def new_project(key: str) -> Memories:
            hansard.shelf.wait_for_vectors(VECTOR_WAIT_SECONDS)
            project: Memories = hansard.project(key, create=True)
            return project

        return measure.measure(dialogues, new_project, keyword_search, _progress if sys.stderr.isatty() else None)


def _progress(done: int, total: int) -> None:
    if done % PROGRESS_QUESTIONS == 0 or done == total:
        print(f"\r{done:,} of {total:,} questions", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _shown(measured: Measurement) -> None:
    say(f"{counted(measured.dialogues, 'dialogue')}, {counted(measured.turns, 'turn')}.")
    columns = [Column(name) for name in ("method", "questions", "n", *(f"R@{depth}" for depth in DEPTHS), "MRR")]
    table(columns, list(_rows(measured)), empty="Nothing was measured.")
    calibration = measured.calibration
    foreign = "" if calibration.foreign is None else f", {calibration.foreign:.1%} when put to another dialogue"
    say(f"First hit at or above {calibration.floor:.2f}: {calibration.own:.1%} of questions{foreign}.")
    say(f"One recall: p50 {measured.p50_seconds * 1000:.2f} ms, p99 {measured.p99_seconds * 1000:.2f} ms.")


def _rows(measured: Measurement) -> Iterator[tuple[str, ...]]:
    """All methods for all questions first; then the product against the better reference, group by group."""
    for method, groups in measured.figures.items():
        yield method, measure.ALL, *_cells(groups[measure.ALL])
    for group in measured.figures[measure.HANSARD]:
        if group != measure.ALL:
            for method in (measure.HANSARD, measure.FTS_TELLING):
                yield method, group, *_cells(measured.figures[method][group])


def _cells(figures: Figures) -> tuple[str, ...]:
    return f"{figures.questions:,}", *(f"{figures.shares[depth]:.3f}" for depth in DEPTHS), f"{figures.mrr:.3f}"


def _document(measured: Measurement) -> dict[str, Any]:
    return {
        "dialogues": measured.dialogues,
        "turns": measured.turns,
        "figures": [
            {"method": method, "group": group, "questions": one.questions, "mrr": one.mrr}
            | {f"recall_at_{depth}": share for depth, share in one.shares.items()}
            for method, groups in measured.figures.items()
            for group, one in groups.items()
        ],
        "calibration": measured.calibration._asdict(),
        "p50_seconds": measured.p50_seconds,
        "p99_seconds": measured.p99_seconds,
    }
