"""Owns what the guard keeps: values that look like a secret and are none, known again by a salted digest only."""

from typing import NamedTuple

DIGEST_BYTES = 16


class Allowance(NamedTuple):
    """What a person said is no secret, and why. The value itself is kept nowhere."""

    id: str
    kind: str
    salt: bytes
    digest: bytes
    reason: str
    allowed_by: str
    at: int

    def covers(self, value: str) -> bool:
        return digest_of(self.salt, value) == self.digest


def digest_of(salt: bytes, value: str) -> bytes:
    from hashlib import blake2b

    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES, key=salt).digest()
