"""Makes secrets that never were any, when a test runs: no file holds one."""

from random import Random
from string import ascii_letters, digits


def fake_secret(seed: int = 7) -> str:
    """A token as GitHub gives them out. The same seed makes the same one."""
    random = Random(seed)
    return "gh" + "p_" + "".join(random.choice(ascii_letters + digits) for _ in range(36))


def fake_key(seed: int = 7) -> str:
    """The id of a key as Amazon gives them out: capitals and digits only, so that small letters do not hide it."""
    random = Random(seed)
    return "AK" + "IA" + "".join(random.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(16))


def fake_hex_token(seed: int = 7) -> str:
    """A token as DigitalOcean gives them out: it is small letters already, so that only underscores tell of it."""
    random = Random(seed)
    return "do" + "p_v1_" + "".join(random.choice("0123456789abcdef") for _ in range(64))
