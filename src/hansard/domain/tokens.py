"""Owns tokens: the text that a caller shows, what is kept of it, and how long it is good."""

from typing import NamedTuple

from hansard.domain.errors import Invalid, quoted
from hansard.domain.vocabulary import Role

PREFIX = "hansard_"
SECRET_BYTES = 32
TEXT_CHARACTERS = len(PREFIX) + 43
"""The prefix and 256 bits in base64 without padding."""
EXPIRES_DAYS_MAX = 3_650
_UNITS_US = {"h": 3_600_000_000, "d": 86_400_000_000, "w": 604_800_000_000}


class Token(NamedTuple):
    """What is known of a token in one project. The text itself is kept nowhere."""

    project_id: str
    """The project that it opens; empty if it opens all of them, also those that are made later."""
    id: str
    digest: bytes
    agent: str
    role: Role
    created_by: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None


class Grant(NamedTuple):
    """One token with all the projects that it opens, by key; None stands for all of them."""

    id: str
    agent: str
    role: Role
    projects: frozenset[str] | None
    created_by: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None

    def is_good(self, now: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def new_text() -> str:
    """A text that nobody can guess. It is shown once."""
    from secrets import token_urlsafe

    secret = token_urlsafe(SECRET_BYTES)
    # One in 1,500 has no digit, and the scan would take it for a long name.
    return PREFIX + secret if any(map(str.isdigit, secret)) else new_text()


def looks_right(text: str) -> bool:
    """Whether a text can be a token at all; what cannot be one costs no look into the store."""
    return text.startswith(PREFIX) and len(text) == TEXT_CHARACTERS and text.isascii()


def digest_of(text: str) -> bytes:
    """What is kept of a token. Plain SHA-256: nobody guesses 256 random bits, so nothing has to slow a guess down."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def expiry(within: str | None, *, now: int) -> int | None:
    """When a token ends that is good for `90d`, `12h` or `4w`; nothing and `never` mean without an end."""
    if within is None or within.strip().lower() in {"", "never"}:
        return None
    wanted = within.strip().lower()
    number, unit = wanted[:-1], wanted[-1:]
    if unit not in _UNITS_US or not number.isascii() or not number.isdigit() or len(number) > 6 or int(number) == 0:
        raise Invalid(f"expires {quoted(within)} is no length of time; say 12h, 90d, 4w or never.")
    length = int(number) * _UNITS_US[unit]
    if length > EXPIRES_DAYS_MAX * _UNITS_US["d"]:
        raise Invalid(f"A token is good for {EXPIRES_DAYS_MAX:,} days at most; say never if it is not to end.")
    return now + length
