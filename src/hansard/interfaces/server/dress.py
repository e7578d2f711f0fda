"""Owns the headers that every answer carries, whoever gives it."""

from __future__ import annotations

POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer a browser hides the origin of our own forms too, and nobody could sign in.
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STRICT = "max-age=31536000"
_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def dress(headers: list[tuple[bytes, bytes]], id: str, *, has_tls: bool) -> None:
    """Adds what every answer carries to its headers, whose names are in small letters; what it says itself stays."""
    said = {name for name, _ in headers}
    headers += [one for one in _RAW if one[0] not in said]
    if has_tls:
        headers.append((b"strict-transport-security", STRICT.encode()))
    headers.append((b"x-request-id", id.encode()))
