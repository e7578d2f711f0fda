"""Owns the headers that every answer carries, whoever gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import MutableHeaders

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


def dress(headers: MutableHeaders, id: str, *, has_tls: bool) -> None:
    """Adds what every answer carries; what an answer says for itself stays."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if has_tls:
        headers["Strict-Transport-Security"] = STRICT
    headers["X-Request-Id"] = id
