"""Finds secrets in tables: below a heading of Markdown or CSV that says what its column holds."""

from collections.abc import Callable, Iterator

from hansard.guard.floods import share_of
from hansard.guard.values import classes, is_key, is_named, is_password, is_wordlike, kind_of_name

_NAME = r"[ \t*\x60\"]{0,4}[a-z0-9_ -]*(?:passw(?:or)?d|passwort|pwd|pass|secret|token|api[ _-]?key)[ \t*\x60\"]{0,4}"
HEADING = rf"(?im)(?:(?:^|[|,;\t]){_NAME}[|,;\t]|[|,;\t]{_NAME}(?:\r|$))"
"""A cell that is a name and nothing else, beside another one. It is read as the heading of a table, if it is one."""
CELLS_MAX = 40
HEADING_CHARACTERS_MAX = 1_000
CELL_CHARACTERS_MAX = 40
SHORT_CHARACTERS_MAX = 10
ROWS_MAX = 20_000
"""In each million characters. More are not read: rows that short hold words and numbers."""
HEADING_ROWS, HEADING_CELL_ROWS = 4, 2
"""What a heading and each of its cells count as: the next one is looked for, and each takes as long as some rows."""
_MARKS = " \t*`\"'"


def cells_below(text: str, heading_from: Callable[[int], int]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret in a table, and once of each value that is none, with an empty kind.

    `heading_from` tells where a cell like a name is next, or -1. What is no secret counts too: to judge it takes time.
    """
    refused: set[tuple[str, str]] = set()
    left = share_of(ROWS_MAX, len(text))
    place = heading_from(0)
    while place >= 0 and left > 0:
        left -= HEADING_ROWS
        # The match may begin with the end of the line before.
        first = text.rfind("\n", 0, place + 1) + 1
        end = _line_end(text, max(first, place + 1))
        heading = text[first : min(end, first + HEADING_CHARACTERS_MAX)]
        mark = next((one for one in "|\t;," if one in heading), "")
        count, start = heading.count(mark) if mark else 0, end + 1
        # Each cell of a heading is judged by itself, so that a text of headings is read no longer than one of rows.
        left -= count * HEADING_CELL_ROWS
        columns = _columns(heading.rstrip("\r"), mark) if mark else {}
        while columns and left > 0 and start < len(text):
            end = _line_end(text, start)
            line = text[start:end]
            if line.count(mark) != count:
                break
            left -= 1
            yield from _judged(line.split(mark), start, columns, refused)
            start = end + 1
        place = heading_from(start) if start < len(text) else -1


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _columns(heading: str, mark: str) -> dict[int, str]:
    """Which columns hold secrets, and of which kind; none if the line is a sentence or a piece of a program."""
    cells = heading.split(mark)
    if len(cells) > CELLS_MAX or len(cells) < 2 or (mark in ",;" and any(cell != cell.strip() for cell in cells)):
        return {}
    names = [cell.strip(_MARKS) for cell in cells]
    inner = names[1:-1] if mark == "|" and not names[0] and not names[-1] else names
    if not all(name and len(name) <= CELL_CHARACTERS_MAX and is_wordlike(name) for name in inner):
        return {}
    kinds = {place: kind_of_name(name) for place, name in enumerate(names) if name}
    return {place: kind for place, kind in kinds.items() if kind is not None and kind != "key"}


def _judged(
    cells: list[str], start: int, columns: dict[int, str], refused: set[tuple[str, str]]
) -> Iterator[tuple[int, int, str]]:
    for place, kind in columns.items():
        value = cells[place].strip("\r").strip(_MARKS)
        if len(value) < 6 or value.isalpha() or (value, kind) in refused:
            continue
        stands = _is_set(value) if kind == "password" else is_key(value)
        if not stands:
            refused.add((value, kind))
        begin = start + sum(len(cell) + 1 for cell in cells[:place]) + cells[place].index(value)
        yield begin, begin + len(value), kind if stands else ""


def _is_set(value: str) -> bool:
    """Whether a cell of a column of passwords holds one, and not how it is kept: `argon2id`, `min12chars`."""
    return is_password(value) and not is_named(value) and (classes(value) >= 3 or len(value) >= SHORT_CHARACTERS_MAX)
