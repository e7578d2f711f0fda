"""Owns how many connections are open, in all and from one address, and keeps some for whoever asks for health."""

from __future__ import annotations

import ipaddress
from enum import Enum
from typing import Protocol

CONNECTIONS_MAX = 1_000
RESERVED = 64
"""Connections beyond the limit that are still heard: they get an answer, which is health or that there are too many."""
RESERVED_PER_ADDRESS = 16
NETWORK_BITS = 64
"""One customer has a whole network of this size in the newer address space."""


class Entry(Enum):
    """How a connection gets in: like all, only to hear that there are too many, or not at all."""

    OPEN = "open"
    BRIEF = "brief"
    SHUT = "shut"


class Guest(Protocol):
    """A connection, as far as the doors know it."""

    def make_way(self) -> None: ...


class Doors:
    """Counts the connections that are open. Only the server's loop uses it.

    Where there is no room left, the one that has been there longest without a good token makes way: strangers who hold
    connections open keep nobody out.
    """

    def __init__(self, per_address_max: int, connections_max: int = CONNECTIONS_MAX) -> None:
        self._per_address_max, self._connections_max = per_address_max, connections_max
        self._from: dict[str, int] = {}
        self._open = 0
        self._strangers: dict[Guest, str] = {}

    def enter(self, place: str, guest: Guest) -> Entry:
        """How somebody from this place gets in. Whoever is not shut out leaves some time."""
        limit = self._per_address_max or self._connections_max
        if self._from.get(place, 0) >= limit:
            self._make_room(place)
        elif self._open >= self._connections_max:
            self._make_room(None)
        here = self._from.get(place, 0)
        if self._open >= self._connections_max + RESERVED or here >= limit + RESERVED_PER_ADDRESS:
            return Entry.SHUT
        self._from[place] = here + 1
        self._open += 1
        self._strangers[guest] = place
        return Entry.BRIEF if self._open > self._connections_max or here >= limit else Entry.OPEN

    def know(self, guest: Guest) -> None:
        """Somebody with a good token came by this connection."""
        self._strangers.pop(guest, None)

    def leave(self, place: str, guest: Guest) -> None:
        self._strangers.pop(guest, None)
        self._open -= 1
        left = self._from.get(place, 0) - 1
        if left > 0:
            self._from[place] = left
        else:
            self._from.pop(place, None)

    def _make_room(self, place: str | None) -> None:
        guest = next((one for one, where in self._strangers.items() if place in {None, where}), None)
        if guest is not None:
            self.leave(self._strangers[guest], guest)
            guest.make_way()


def place_of(host: str) -> str:
    """Where somebody comes from: the address, or its network where everybody has as many addresses as he likes."""
    if ":" not in host:
        return host
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    mapped = address.ipv4_mapped
    if mapped is not None or address.is_loopback:
        return str(mapped or address)
    return str(ipaddress.IPv6Network((int(address) >> NETWORK_BITS << NETWORK_BITS, NETWORK_BITS)))
