"""Owns requests that may come twice: the answer that is kept under a caller's key, and for how long."""

from collections.abc import Mapping
from typing import NamedTuple

KEY_BYTES_MAX = 255
KEPT_SECONDS = 86_400
"""For how long a repeated request is answered as before."""
WORKED_SECONDS_MAX = 120
"""After how long a request without an answer is given up: whoever worked on it is gone."""
DIGEST_BYTES = 16
UNANSWERED = 0
"""The status of a request whose work is in the record, and whose answer is not kept yet."""


class KeptAnswer(NamedTuple):
    """What a request was answered. Without a status it is still being worked on, since `started_at`.

    Without a body it is known that the request was done, and no longer what it was answered.
    """

    digest: bytes
    started_at: int
    status: int | None
    headers: Mapping[str, str]
    body: bytes | None

    @property
    def is_done(self) -> bool:
        return bool(self.status)

    def is_given_up(self, now: int) -> bool:
        return not self.is_done and self.started_at + WORKED_SECONDS_MAX * 1_000_000 <= now


def digest_of(*parts: bytes) -> bytes:
    """What tells a request from another one. Each part has its length before it, so that no two lists look alike."""
    from hashlib import blake2b

    made = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        made.update(len(part).to_bytes(8) + part)
    return made.digest()
