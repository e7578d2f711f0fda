"""Traces what somebody says to what they brought from outside: with a few words more it does not become their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.quotations import Quotable, Quotations, least_trusted
from hansard.domain.trust import Trust, is_indexed, less_trusted, trust_of
from hansard.domain.vocabulary import Clearance, EntryStatus, Origin
from hansard.services import doubt
from hansard.services.withhold import COMPARED_CHARACTERS_MAX, newest
from hansard.services.wording import pieces_of, told_by
from hansard.store.filters import EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.store.ports import Transaction


class Traces:
    """What authors brought from outside and nobody confirmed, read when it is first asked for.

    `beside` is what the same write records, which is not in the store yet.
    """

    def __init__(self, tx: Transaction, beside: Sequence[Memory] = ()) -> None:
        self._tx, self._beside = tx, beside
        self._brought: dict[str, Quotations] = {}

    def origin_of(self, record: Memory | Entry, voices: Iterable[str], texts: Sequence[str] = ()) -> Origin | None:
        """The origin of a record, or a less trusted one from which one of these brought what it says."""
        origin = record.origin
        if origin is not Origin.IMPORTED_FILE and trust_of(origin) is Trust.OUTSIDE:
            # It can fall no lower.
            return origin
        found = self.brought_from(voices, [*told_by(record), *texts, " ".join(pieces_of(record))])
        return origin if found is None else less_trusted(origin, found)

    def brought_from(self, voices: Iterable[str], texts: Sequence[str]) -> Origin | None:
        """The least trusted place that one of these brought something from which one of the texts says."""
        return least_trusted(one for voice in voices for text in texts for one in self._said(voice, text))

    def _said(self, voice: str, text: str) -> Iterator[Quotable]:
        key = key_of(voice)
        if key not in self._brought:
            self._brought[key] = Quotations(_shortest([*self._brought_beside(key), *_brought_by(self._tx, key)]))
        for one in self._brought[key].in_text(text):
            # A person may have confirmed the same words in another record.
            if not doubt.is_vouched_for(self._tx, voice, one.text):
                yield one

    def _brought_beside(self, key: str) -> Iterator[Quotable]:
        for one in self._beside:
            if key_of(one.agent) == key and _is_doubtful(one):
                yield Quotable(one.content, one.origin)  # type: ignore[arg-type]


def _brought_by(tx: Transaction, key: str) -> Iterator[Quotable]:
    entries = EntryFilter(author_key=key, quarantined=None, outside=True)
    memories = MemoryFilter(agent_key=key, quarantined=None, outside=True)
    for one in newest(tx, entries, memories):
        # What was accepted was reviewed, and its memory says what of it is doubted still.
        accepted = getattr(one, "status", None) is EntryStatus.MERGED
        if not accepted and one.origin is not None:
            yield Quotable(one.content, one.origin)


def _is_doubtful(memory: Memory) -> bool:
    outside = memory.origin is not None and trust_of(memory.origin) is Trust.OUTSIDE
    return outside and memory.cleared is not Clearance.CONFIRMED and not is_indexed(memory)


def _shortest(brought: Iterable[Quotable]) -> Iterator[Quotable]:
    """As much of it as one write has time for, the shortest first, so that no long text takes the time for all."""
    spare = COMPARED_CHARACTERS_MAX
    for one in sorted(dict.fromkeys(brought), key=lambda one: len(one.text)):
        spare -= len(one.text)
        if spare < 0:
            return
        yield one
