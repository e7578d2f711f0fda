"""Owns how many connections are open, in all and from one address, and keeps some for whoever asks for health."""

from __future__ import annotations

import ipaddress
from enum import Enum

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


class Doors:
    """Counts the connections that are open. Only the server's loop uses it."""

    def __init__(self, per_address_max: int, connections_max: int = CONNECTIONS_MAX) -> None:
        self._per_address_max, self._connections_max = per_address_max, connections_max
        self._from: dict[str, int] = {}
        self._open = 0

    def enter(self, place: str) -> Entry:
        """How somebody from this place gets in. Whoever is not shut out leaves some time."""
        here = self._from.get(place, 0)
        limit = self._per_address_max or self._connections_max
        if self._open >= self._connections_max + RESERVED or here >= limit + RESERVED_PER_ADDRESS:
            return Entry.SHUT
        self._from[place] = here + 1
        self._open += 1
        return Entry.BRIEF if self._open > self._connections_max or here >= limit else Entry.OPEN

    def leave(self, place: str) -> None:
        self._open -= 1
        left = self._from.get(place, 0) - 1
        if left > 0:
            self._from[place] = left
        else:
            self._from.pop(place, None)


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
