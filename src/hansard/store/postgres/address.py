"""Owns the address of a server: what of it may be shown, and what is wrong with one that cannot be used."""

from __future__ import annotations

from itertools import zip_longest
from urllib.parse import parse_qsl, unquote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from hansard.domain.errors import Invalid

PORT_MAX = 65_535
_ALIKE = 0.75
"""How alike a word must be to a parameter to be taken for a slip, and so for no part of a password."""


def place_of(url: str) -> str:
    """The database's address without the password. A part of a password must not be taken for a host either."""
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except psycopg.Error:
        raise _unreadable(url) from None
    host, port, name = (parts.get(part, "") for part in ("host", "port", "dbname"))
    ports = port.split(",")
    if "@" in host + name or any(one and not one.isdecimal() for one in ports):
        raise _unreadable(url)
    if any(int(one) not in range(1, PORT_MAX + 1) for one in ports if one):
        raise Invalid(f"The port of db must be a number from 1 to {PORT_MAX}; PostgreSQL's own is 5432.")
    if "@" not in url and any(ports) and not all(ports):
        # A user and a password with a comma, of an address whose host was left out, look the same.
        raise Invalid("Of the hosts of db only some have a port; give each of them its port, or none.")
    # A single port is that of every host.
    every = port if len(ports) == 1 else ""
    hosts = [_with_port(*one) for one in zip_longest(host.split(","), ports, fillvalue=every)]
    # Without a name libpq takes the user's, which may come from elsewhere; it is not guessed.
    return f"PostgreSQL {name} at {','.join(hosts)}" if name else f"PostgreSQL at {','.join(hosts)}"


def _with_port(host: str, port: str) -> str:
    return f"{host or 'this machine'}{port and f':{port}'}"


def _unreadable(url: str) -> Invalid:
    slip = _mistyped(url)
    if slip:
        wrong, right = slip
        return Invalid(f"db has a parameter {wrong!r} that PostgreSQL does not know; did you mean {right!r}?")
    return Invalid(
        "db is no PostgreSQL address; write it as postgresql://user@host:5432/database,"
        " and special characters of a password as %40 for @, %2F for / and so on."
        " After a ? only parameters that libpq knows may stand."
    )


def _mistyped(url: str) -> tuple[str, str] | None:
    """A parameter that nearly is a known one, and the known one."""
    from difflib import get_close_matches

    known = [option.keyword.decode() for option in Conninfo.get_defaults()]
    try:
        given = [unquote(name) for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    except ValueError:
        return None
    for name in given:
        alike = get_close_matches(name.lower(), known, n=1, cutoff=_ALIKE)
        if name not in known and alike:
            return name, alike[0]
    return None
