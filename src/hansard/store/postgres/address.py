"""Owns the address of a server: what of it may be shown, and what is wrong with one that cannot be used."""

from __future__ import annotations

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
    if "@" in host + name or (port and not port.replace(",", "").isdecimal()):
        raise _unreadable(url)
    if any(int(one) not in range(1, PORT_MAX + 1) for one in port.split(",") if one):
        raise Invalid(f"The port of db must be a number from 1 to {PORT_MAX}; PostgreSQL's own is 5432.")
    return f"PostgreSQL {name} at {host or 'this machine'}{port and f':{port}'}"


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
