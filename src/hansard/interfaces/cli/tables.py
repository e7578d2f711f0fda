"""Owns how a table is laid out: texts share what is left of the line, and nothing else is ever cut or wrapped."""

import os
from collections.abc import Sequence

from hansard.domain.layout import OUTSIDE_MARK
from hansard.domain.text import visible
from hansard.interfaces.cli.calling import Column, encodable

PIPE_WIDTH = 160
TEXT_WIDTH_MIN = 24
"""Below this a text says too little, and another column is left out if one can be."""
TEXT_WIDTH_FLOOR = 8
GAP = 2
MARK_SHORT = "(outside)"


def draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[encodable(visible(" ".join(cell.split()))) for cell in row] for row in rows]
    natural = [
        max(cell_len(column.name), *(cell_len(row[place]) for row in cells)) for place, column in enumerate(columns)
    ]
    width = terminal_width()
    widths = fitted(columns, natural, width)
    # A line too long is broken by the terminal, which can still be read; a cut id cannot be used.
    total = sum(widths.values()) + GAP * len(widths)
    console = Console(width=max(width, total), soft_wrap=False)
    style = "" if os.environ.get("NO_COLOR") else "bold"
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style=style)
    for place, wide in widths.items():
        # Folded, or of a long word in a narrow column only the beginning would be seen.
        drawn.add_column(columns[place].name, width=wide, no_wrap=not columns[place].wrap, overflow="fold")
    for row in cells:
        drawn.add_row(*(Text(_cut(row[place], columns[place], wide)) for place, wide in widths.items()))
    # Captured, because rich would end the whole program by itself when the reader of a pipe goes away.
    with console.capture() as captured:
        console.print(drawn)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def terminal_width() -> int:
    """How many characters a line may have; of a pipe, as many as most tables need."""
    import shutil

    return shutil.get_terminal_size((PIPE_WIDTH, 24)).columns


def fitted(columns: Sequence[Column], natural: Sequence[int], width: int) -> dict[int, int]:
    """The columns to show by their place, each with its width."""
    kept = list(range(len(columns)))
    spare = sorted((place for place in kept if columns[place].rank), key=lambda place: columns[place].rank)
    while True:
        widths = _shared(columns, natural, kept, width)
        enough = all(wide >= min(natural[place], TEXT_WIDTH_MIN) for place, wide in widths.items())
        if not spare or (enough and sum(widths.values()) + GAP * (len(kept) - 1) <= width):
            return widths
        kept.remove(spare.pop())


def _shared(columns: Sequence[Column], natural: Sequence[int], kept: Sequence[int], width: int) -> dict[int, int]:
    """The natural widths, with the widest texts made narrower until the line fits."""
    widths = {place: min(natural[place], width) if columns[place].text else natural[place] for place in kept}
    texts = [place for place in kept if columns[place].text]
    excess = sum(widths.values()) + GAP * (len(kept) - 1) - width
    while texts and excess > 0:
        widest = max(texts, key=lambda place: widths[place])
        if widths[widest] <= TEXT_WIDTH_FLOOR:
            break
        widths[widest] -= 1
        excess -= 1
    return widths


def _cut(text: str, column: Column, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    if column.wrap or cell_len(text) <= width:
        return text
    if text.startswith(OUTSIDE_MARK) and width - len(OUTSIDE_MARK) < TEXT_WIDTH_MIN:
        # The whole mark would leave no room for what it is about, and this one says the same.
        text = MARK_SHORT + text.removeprefix(OUTSIDE_MARK)
        if cell_len(text) <= width:
            return text
    mark = "…" if encodable("…") == "…" else "~"
    if column.cut_front:
        return mark + text[-(width - 1) :]
    return set_cell_size(text, width - 1).rstrip() + mark
