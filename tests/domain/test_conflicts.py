"""The entry that a conflict opens: every clone reads it back as it was written."""

import pytest

from hansard.domain import converge, lines
from hansard.domain.converge import TITLE_CHARACTERS_MAX, Conflict
from hansard.domain.lines import Line
from hansard.domain.vocabulary import Subject


def decision(title: str, content: str) -> Line:
    return {
        "id": "00000000-0000-7000-8000-000000000001", "version": 2, "state": "active", "number": 1, "type": "scope",
        "title": title, "content": content, "rationale": None, "tags": (), "applies_to": (), "author": "ana",
        "decided_by": "ana", "amended_by": None, "cleared": None, "entry_id": None, "superseded_by": None,
        "created_at": 1, "updated_at": 2,
    }  # fmt: skip


@pytest.mark.parametrize("before", range(TITLE_CHARACTERS_MAX - 2, TITLE_CHARACTERS_MAX + 2))
def test_a_title_that_is_cut_between_two_words_reads_back_as_it_was_written(before: int) -> None:
    title = f"{'a' * before} tail of the title"
    made = converge.entry_of(Conflict(Subject.DECISION, decision(title, "one"), decision(title, "two")))
    made["number"] = 1
    reading = lines.read(Subject.ENTRY, lines.file_of([made]).encode())
    assert (reading.faults, reading.warnings) == ([], [])
    assert [one.line for one in reading.found] == [made]
