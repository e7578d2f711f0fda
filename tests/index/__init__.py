"""The index of a project: how units are packed, found and scored."""

from collections.abc import Sequence

from hansard.domain.units import GONE_CHUNK, IndexRow
from hansard.embedding.static import bundled
from hansard.index.prepare import prepare

DAY = 86_400_000_000
NOW = 20_000 * DAY
"""A day in 2024."""


def rows_of(
    seq: int,
    text: str,
    *,
    agent: str = "tank",
    team: bool = False,
    source: str = "manual",
    expires_at: int | None = None,
    ref: str | None = None,
    position: int | None = None,
    moment: int = NOW,
) -> list[IndexRow]:
    """The rows that the store would hand to an index for a memory with this text."""
    (units,) = prepare([text], bundled(), bundled())
    return [
        IndexRow(seq, chunk, *unit[:4], agent, int(team), source, expires_at, ref, position, moment)
        for chunk, unit in enumerate(units)
    ]


def gone(seq: int) -> IndexRow:
    return IndexRow(seq, GONE_CHUNK, 0, b"", b"", None, "tank", 0, "manual", None, None, None, NOW)


def flat(several: Sequence[Sequence[IndexRow]]) -> list[IndexRow]:
    return [row for rows in several for row in rows]
