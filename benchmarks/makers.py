"""Makes random values of known forms from alphabets, so that the repository never holds a secret as text."""

import base64
import json
import random
import string
from collections.abc import Callable

LOWER_HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"
BASE58 = "".join(one for one in ALNUM if one not in "0OIl")
BASE64 = ALNUM + "+/"

Make = Callable[[random.Random], str]


def of(alphabet: str, size: int, head: str = "", tail: str = "") -> Make:
    def make(chance: random.Random) -> str:
        body = "".join(chance.choices(alphabet, k=size))
        # A random body without a digit is possible and would be another kind of text.
        return f"{head}{body[:-2]}{chance.choice('23456789')}{body[-1]}{tail}"

    return make


def uuid(chance: random.Random) -> str:
    return "-".join("".join(chance.choices(LOWER_HEX, k=size)) for size in (8, 4, 4, 4, 12))


def uuid_after(head: str) -> Make:
    return lambda chance: head + uuid(chance)


def joined(*makes: Make, by: str = "") -> Make:
    return lambda chance: by.join(make(chance) for make in makes)


def web_token(chance: random.Random) -> str:
    claims = {"sub": str(chance.randrange(10**9)), "iat": chance.randrange(10**9)}
    parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps(claims)]
    coded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, of(URL_SAFE, 43)(chance)])


def password(chance: random.Random) -> str:
    letters = "".join(chance.choices(string.ascii_letters, k=7))
    return f"{letters[:4]}{chance.choice('!#%^')}{chance.randrange(10, 99)}{letters[4:]}"


SIGN_SETS = ("!@#$%^&*", "!@#$%^&*()_+-=", "!@#$%^&*()-_=+[]{}|;:,.<>?", "!@#$%^&*()_+-=[]{}|;:,.<>?~")
"""The signs that generators of passwords put into them by default."""


def generated(signs: str, size: int = 16) -> Make:
    """A password as a generator makes it, with a small letter, a capital, a digit and a sign."""

    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits, signs)

    def make(chance: random.Random) -> str:
        while True:
            made = "".join(chance.choices(ALNUM + signs, k=size))
            if not any(set(made).isdisjoint(one) for one in kinds):
                return made

    return make


def numbers(chance: random.Random) -> str:
    """A key of 64 bytes as a list of them."""
    return ",".join(str(chance.randrange(256)) for _ in range(64))
