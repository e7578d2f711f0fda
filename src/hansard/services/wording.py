"""Names the words of a record: those that a reader meets, in which order, and those by which it is known again."""

from __future__ import annotations

import re

from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory, Note
from hansard.domain.tags import CROSS_TEAM
from hansard.domain.trust import LABEL_WORDS_MIN
from hansard.services import doubt

TEXTS = ("content", "name", "subject", "reason", "category", "source_ref", "session_id", "citations", "tags")
"""The fields of a memory with words that a reader may meet."""
_JOINED = re.compile(r"[\w.!?-]+")
"""Words with something else for their blanks. Dots are of a sentence; with a slash or a colon it is a place."""


def texts_of(said: Memory | Note) -> tuple[str | None, ...]:
    return (said.content, *texts_beside(said))


def texts_beside(said: Memory | Note) -> tuple[str | None, ...]:
    """Every word of a memory that a reader may meet beside what it says."""
    # Whoever shares with the team says so by this tag; it is none of their words.
    tags = tuple(one for one in said.tags if one != CROSS_TEAM) if said.tags else ()
    return (
        said.name, said.subject, said.reason, said.category, said.source_ref, said.session_id, *said.citations, *tags,
    )  # fmt: skip


def entry_texts(entry: Entry) -> tuple[str, ...]:
    """What a proposal says, its content first; a title that is the slug says nothing more."""
    beside = (entry.title if entry.title != entry.slug else None, entry.rationale)
    return (entry.content, *(one for one in beside if one))


def told_by(record: Memory | Entry | Note) -> list[str]:
    """The texts of a record by which its words are known again."""
    tags = (one.replace("-", " ") for one in record.tags)
    if isinstance(record, Entry):
        return doubt.telling(*entry_texts(record), record.note, labels=(record.slug.replace("-", " "), *tags))
    named = map(_unjoined, (record.category, record.source_ref, record.session_id))
    labels = (*named, *record.citations, *tags)
    return doubt.telling(record.content, record.name, record.subject, record.reason, labels=labels)


def _unjoined(label: str | None) -> str | None:
    """A label with blanks for its dashes, if it is a sentence with them and no path or name with a time in it."""
    if label is None or not _JOINED.fullmatch(label):
        return label
    words = doubt.spelled(label)
    return words if sum(one.isalpha() for one in words.split()) >= LABEL_WORDS_MIN else label


def pieces_of(record: Memory | Entry | Note) -> list[str]:
    """Every text of a record in the order in which somebody reads it."""
    texts: tuple[str | None, ...]
    tags = [one.replace("-", " ") for one in record.tags if one != CROSS_TEAM]
    if isinstance(record, Entry):
        content, *beside = entry_texts(record)
        more = (one for one in beside if one != record.title)
        texts = (record.title.replace("-", " "), content, *more, *tags, record.note)
    else:
        texts = (
            record.name, record.content, record.subject, record.reason, record.category, record.source_ref,
            record.session_id, *record.citations, *tags,
        )  # fmt: skip
    return [one for one in texts if one]
