"""Owns how a stream of server-sent events is read: each event has its JSON on one line of data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hansard.client import records
from hansard.client.problems import foreign

if TYPE_CHECKING:
    from hansard.domain.ledger import Event

STREAM = "text/event-stream"
SILENCE_SECONDS = 45.0
"""A stream that is silent for so long is lost: a server says every fifteen seconds that it is there."""
LINE_BYTES_MAX = 16 * 1024 * 1024
_DATA = b"data: "


def events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream. Half a line at its end is none. Raises ServerUnreachable for what is no event."""
    for line in _lines(pieces):
        if line.startswith(_DATA):
            yield _event(line.removeprefix(_DATA))


@records.understood
def _event(line: bytes) -> Event:
    found: Event = records.event(json.loads(line))
    return found


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for line in ended:
            held += line
            yield bytes(held)
            held.clear()
        held += rest
        if len(held) > LINE_BYTES_MAX:
            raise foreign("The server", f"a line of more than {LINE_BYTES_MAX:,} bytes")
