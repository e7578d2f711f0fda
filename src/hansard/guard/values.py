"""Judges a value by itself: how random it is, whether it is a placeholder, a word, a path or a digest."""

import re
from functools import lru_cache
from itertools import pairwise
from math import log2

from hansard.guard.mixture import SHORT_CHARACTERS_MIN, SHORT_SCORE_MIN, is_jumbled
from hansard.guard.rules import table

MARK_OPEN = "[REDACTED:"
VALUE_CHARACTERS_MAX = 512
"""Of a longer value only the beginning is judged: a secret does not become harmless by what follows it."""
ENCODED_CHARACTERS_MIN = 12
CODED_CHARACTERS_MIN = 16
PASSWORD_CHARACTERS_MIN = 6
KEY_CHARACTERS_MIN = 12
KEY_ENTROPY_MIN = 3.0
KEY_HEXADECIMAL_MIN = 20
"""Shorter behind the name of an image or a file, it is a commit."""
UUID_HEAD_CHARACTERS = 23
"""Of a UUID all but its last group."""
RANDOM_BITS_MIN = 4.4
"""Bits per character that no sentence and no filled-out example has."""
_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")
_JOINTS = str.maketrans("-./_:,+~|@", "          ")
_ADDRESSES = ("./", "../", "~/", "@/", "arn:aws")
_DIGESTS = ("sha1", "sha224", "sha256", "sha384", "sha512", "md5", "blake2", "crc32", "hmac-", "data:", "urn:", "0x",
            "$", *_ADDRESSES)  # fmt: skip
_PINS = ("@sha256", "@sha512")
_ENDINGS = ("password", "passwd", "passphrase", "secret", "apikey", "token")
"""Words that also end a name written in one: `PGPASSWORD`, `authtoken`."""
_STRONG = frozenset("!#$%^&*?+~=")
_ALPHABET = "abcdefghijklm"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_UNITS = frozenset(("char", "character", "word", "letter", "digit", "symbol", "byte", "bit", "day", "hour", "minute"))
"""What is counted when somebody says how a password must be: `min12chars`."""
_WORD_PATTERN = (
    r"[A-Za-z]+[0-9]{0,4}|[0-9v]*[A-Za-uw-z][A-Za-z]*[0-9]{0,4}|[0-9]+"
    rf"|(?:[A-Za-z]+[0-9]{{1,4}}|[0-9v]*[A-Za-uw-z][A-Za-z]*[0-9]{{1,4}}|[0-9]+)(?i:{'|'.join(sorted(_UNITS))})[sS]?"
)
_WORDS = re.compile(rf"[-./_:,+~|@\s]*+(?:(?>(?:{_WORD_PATTERN})(?![A-Za-z0-9]))[-./_:,+~|@\s]*+)*+")
_MODIFIERS = ("ctrl+", "control+", "alt+", "shift+", "cmd+", "command+", "meta+", "super+", "option+", "win+", "fn+")
_BASE64_SIGNS = str.maketrans("", "", "+/=_-")
_HASH_SIZES = frozenset((32, 40, 48, 56, 64, 96, 128))
_IDEOGRAPHS = "\u2e80"
_NEVER_OPENS = frozenset("<{[(")
_GROUPS = ("?:", "?P<", "?i)")
"""What the bracket of a regular expression is followed by."""
_SIGNS = frozenset("$%*#")
"""They open variables, formats, masks, colours and anchors, and passwords as well."""
_NAMED = re.compile(r"[\w.:/>-]+", re.ASCII)
_COLOUR = re.compile(r"[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}")
_AMOUNT = re.compile(r"[0-9][0-9.,]*[KMBkmb]?(?:[/-][a-z-]+)?")
_FORMAT = re.compile(r"%[-+0-9.]*[sdir](?![A-Za-z0-9]).*|(?:%-?[A-Za-z][^\w%]*)+|(?:%[A-Za-z_][\w.:-]*%[-\w./:@]*)+")
_CRYPT = re.compile(r"\$(?:[1-7]|2[abxy]|y|gy|[PHS]|apr1|md5|sha1|scrypt|argon2\w*|pbkdf2[\w-]*)\$")
_SUMMED = re.compile(r"(?:hmac-)?(?:sha(?:1|224|256|384|512)|md5|blake2[bs]?|crc32)(.*)", re.IGNORECASE)
_SUM_JOINTS = re.compile(r"[:=$_/.,@…-]+")
_SUM_SIZES = frozenset((22, 24, 27, 28, 38, 40, 43, 44, 64, 86, 88))
"""How long digests are in base64, with and without padding."""
_IN_HEX = re.compile(r"(?:0x[0-9a-f_]+[-:+,.…]*)+")
_ACCOUNT = re.compile(r"0x[0-9A-Fa-f]{40}")
_FIGURES = re.compile(r"[A-Za-z_]{1,16}=[0-9.]{1,6}(?:,[A-Za-z_]{1,16}=[0-9.]{1,6})+")
_PACKAGE = re.compile(r"[a-z]{2,}[.][a-z]{2,}[.]")
_CAMEL = re.compile(r"(?:[A-Z]?[a-z]{2,}+|(?>[A-Z]{2,}(?![a-z]))|[0-9]{1,4}+(?![0-9]))++")
_METHOD_PART = (
    r"(?:sha-?[0-9]*|md5|hmac|scram|sasl|plain|bcrypt|scrypt|yescrypt|argon2(?:id|i|d)?|pbkdf2|crypt|salt(?:ed)?|cost|rounds?"
    r"|iterations?|then|plus|v[0-9]+|2[abxy]|(?:[hrep]s|rsa)[0-9]{3,4}k?1?|[a-z]=?[0-9]{1,6}|[0-9]{1,7})"
)
_METHOD = re.compile(
    r"(?=sha|md5|hmac|scram|sasl|bcrypt|scrypt|yescrypt|argon2|pbkdf2|[hrep]s(?:256|384|512))"
    rf"{_METHOD_PART}(?:[-_:/$,.]{_METHOD_PART})*+",
    re.IGNORECASE,
)
"""How a password is kept or checked: `scram-sha-256`, `bcrypt-cost-12`."""
_CHECK = r"[a-z_]+(?::[\w,./-]+)?"
_CHECKS = re.compile(
    rf"(?:{_CHECK}\|)*(?:required|nullable|sometimes|string|confirmed|(?:min|max|size|between):[0-9,]+)(?:\|{_CHECK})*"
)
"""What a form asks of a password: `required|string|min:8`."""
_DATA = re.compile(r"data:(?:[\w.+-]+/[\w.+-]+)?[;,]")
_URN = re.compile(r"urn:[a-z0-9-]+:")
_ANCHORED = re.compile(
    r"(?:[\w.-]+/)*(?:[\w-]+(?:\.[a-z]{1,4})+|[A-Z]{4,}|RFC[0-9]{3,5})#L?[0-9.]+|[a-z0-9-]+(?:/[a-z0-9-]+)+#[a-z]+"
)
"""A line or a chapter of a file, or a field of a record: `README.md#L42`, `RFC6749#10.12`, `kv/shop#db`."""
_PHRASE = re.compile(r"[^\W_]+(?:-[^\W_]+){2,6}")
_VERSION = re.compile(r"v[0-9]+")
_ULID = re.compile(r"01[0-9A-HJKMNP-TV-Z]{24}")
"""A number with a time in front, as records have. Keys in base32 have no 0 and no 1."""


def entropy(value: str) -> float:
    """Bits per character, from how often each character comes in the value."""
    size = len(value)
    return -sum((share := value.count(one) / size) * log2(share) for one in set(value)) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Whether it stands for a secret and is none: a variable, a template, an example, or a word everybody uses."""
    if not value or value[0] in _NEVER_OPENS or "${" in value or "{{" in value or "%(" in value:
        return True
    if value.startswith(_GROUPS) or is_stand_in(value):
        return True
    called, bracket, _ = value.partition("(")
    if bracket and called and value.endswith(")") and is_wordlike(called):
        return True
    return is_worded(value)


def is_worded(value: str) -> bool:
    """Whether its words say that it is no secret: an example, a placeholder, a password that everybody knows."""
    known, lowered = table(), value.lower()
    if lowered in known.placeholder_values or len(set(lowered)) < 4 or _ALPHABET in lowered:
        return True
    return len(value) <= 64 and any(map(lowered.__contains__, known.placeholders))


def is_token(value: str, floor: float, digits: int) -> bool:
    """Whether something that matched a rule is random enough to be what it looks like."""
    judged = value[:VALUE_CHARACTERS_MAX]
    if digits and sum(map(_DIGITS.__contains__, judged)) < digits:
        return False
    return entropy(judged) >= floor and not _is_example(judged)


def is_password(value: str) -> bool:
    """Whether the value of something named a password is one; a plain word is taken for a word."""
    value = bare(value)
    if len(value) < PASSWORD_CHARACTERS_MIN or _has_space(value) or not any(map(str.isalpha, value)):
        return False
    digits = not _DIGITS.isdisjoint(value)
    strong = not _STRONG.isdisjoint(value[1:].rstrip("=")) or "@" in value
    if not (digits or strong or _is_padded(value) or _is_encoded(value)) or _is_code(value):
        return False
    return not is_placeholder(value) and not is_address(value)


def _is_encoded(value: str) -> bool:
    """Whether it is text in base64, as in a Secret of Kubernetes: words are hardly ever."""
    if len(value) < ENCODED_CHARACTERS_MIN or len(value) % 4 or not value.isascii():
        return False
    from binascii import a2b_base64

    try:
        decoded = a2b_base64(value, strict_mode=True)
    except ValueError:
        return False
    return all(0x20 <= one < 0x7F for one in decoded)


def is_key(value: str) -> bool:
    """Whether the value of something named a key, a token or a secret is one."""
    value = bare(value)
    if len(value) < KEY_CHARACTERS_MIN or _has_space(value):
        return False
    if not (_is_padded(value) or is_uuid(value) or _is_random(value)):
        return False
    # The words of the table are asked last: to look for each of them costs more than all the rest. A UUID is made up
    # from its beginning, if it is; at its end such a word stands by chance.
    judged = value[:UUID_HEAD_CHARACTERS] if is_uuid(value) else value
    return not is_placeholder(judged) and not is_address(value)


def _is_random(value: str) -> bool:
    if is_named(value) or _DIGITS.isdisjoint(value) or not any(map(str.isalpha, value)):
        return False
    return entropy(value) >= KEY_ENTROPY_MIN and (len(value) >= 16 or classes(value) >= 3)


def is_striking(value: str) -> bool:
    """Whether a word of running text near the word "password" can hardly be anything but one."""
    value = bare(value)
    # In a sentence such a sign opens an amount, a number of an issue or a word that is set off.
    if (
        len(value) < 8
        or value[0] in _SIGNS
        or is_named(value)
        or is_hexadecimal(value)
        or is_placeholder(value)
        or is_address(value)
    ):
        return False
    if value.lower().startswith(_MODIFIERS) and is_wordlike(value.rstrip("!?")):
        return False
    if sum(map(str.isalpha, value)) < 2 or is_uuid(value) or "@" in value or "=" in value.rstrip("="):
        return False
    if not _STRONG.isdisjoint(value.rstrip("=?!")) or value.endswith("!"):
        return not value.isdigit() and not _DIGITS.isdisjoint(value)
    groups = _digit_groups(value)
    mixed = value.lower() != value and value.upper() != value
    if mixed and value.isalnum() and value.isascii() and not is_jumbled(value):
        return False
    return len(value) >= 12 and groups >= (2 if len(value) >= 16 else 3) and (mixed or len(value) >= 20)


def bare(value: str) -> str:
    """The value without the marks of earlier redactions and without what ends a sentence."""
    value = value[:VALUE_CHARACTERS_MAX]
    if MARK_OPEN in value:
        first, *marked = value.split(MARK_OPEN)
        value = first + "".join(part.partition("]")[2] for part in marked)
    return value.rstrip(".,")


def is_wordlike(value: str) -> bool:
    """Whether it is made of words, numbers after words, and joints: a name, a path, a version, an algorithm."""
    value = value[:256]
    if value.isascii():
        # The same as below in one step: of all that is asked of a value this is asked most often.
        return _WORDS.fullmatch(value) is not None
    return all(_is_word(part) for part in value.translate(_JOINTS).split())


def is_named(value: str) -> bool:
    """Whether it is made of words, and its letters do not say otherwise; or a path of names: `shopApi/Db2Key`."""
    value = value.replace("OAuth2", "OAuth")
    if is_wordlike(value):
        return not is_jumbled(value)
    joint = "." if _PACKAGE.match(value) else "/"
    return joint in value and all(is_wordlike(part) or _CAMEL.fullmatch(part) for part in value.split(joint))


def is_open(value: str) -> bool:
    """Whether everybody may know it: the address of somebody in a chain of blocks, or figures by their names."""
    return _ACCOUNT.fullmatch(value) is not None or ("," in value and _FIGURES.fullmatch(value) is not None)


def is_address(value: str) -> bool:
    """Whether it leads somewhere or sums something up: a path, a web address, a digest."""
    lowered = value[:16].lower()
    if "://" in value[:16] or (lowered.startswith(_DIGESTS) and _leads(value)):
        return True
    if _METHOD.fullmatch(value) or ("|" in value and _CHECKS.fullmatch(value)) or _ULID.fullmatch(value):
        return True
    if ("#" in value and _ANCHORED.fullmatch(value)) or is_open(value):
        return True
    if lowered.startswith("sha-"):
        return is_hexadecimal(value[4:])
    if value.startswith("/"):
        return all(_is_word(part) for part in value.translate(_JOINTS).split())
    return ":" in value and _points(value)


def _points(value: str) -> bool:
    """Whether what stands before and behind a colon names something kept elsewhere: an image and its tag, a machine, a
    place in a store of secrets."""
    before, _, behind = value.rpartition(":")
    pieces = value.split(":")
    if before.lower().endswith(_PINS) or (
        len(pieces) >= 6 and all(len(one) < 5 and is_hexadecimal(one) for one in pieces)
    ):
        return True
    if "/" in before and is_wordlike(before):
        return is_hexadecimal(behind.removeprefix("sha-")) and len(behind) < KEY_HEXADECIMAL_MIN
    return pieces[0].lower() in table().pointers and is_wordlike(value.replace("#", " "))


def is_stand_in(value: str) -> bool:
    """Whether a value opens with a sign and is a variable, a format, a mask, a colour, an anchor or an amount."""
    if value[0] not in _SIGNS:
        return False
    rest = value.strip("$%*#")
    if not rest or rest[0] in _NEVER_OPENS or value.startswith("***"):
        return True
    if value[0] == "%":
        return _FORMAT.fullmatch(value) is not None
    if (value[0] == "#" and _COLOUR.fullmatch(rest)) or (value[0] == "$" and _AMOUNT.fullmatch(rest)):
        return True
    # A name has few numbers in it, or no small letters: `$k8sToken`, `$K8S_S3_TOKEN`.
    named = _NAMED.fullmatch(rest) is not None
    return named and (is_wordlike(rest) or rest.isupper() or _digit_groups(rest) < 2)


def _leads(value: str) -> bool:
    """Whether a value that begins like a digest, a number or an address goes on like one."""
    lowered = value.lower()
    if lowered.startswith(_ADDRESSES) or _DATA.match(lowered) or _URN.match(lowered) or _IN_HEX.fullmatch(lowered):
        return True
    if value[0] == "$":
        return _CRYPT.match(value) is not None
    summed = _SUMMED.fullmatch(value)
    if summed is None:
        return False
    rest = summed[1]
    if len(rest[1:]) in _SUM_SIZES and rest[1:].translate(_BASE64_SIGNS).isalnum():
        return True
    return all(is_hexadecimal(part) or (part.isalnum() and is_wordlike(part)) for part in _SUM_JOINTS.split(rest))


def is_phrase(value: str) -> bool:
    """Whether it is words and a number with hyphens between them, as people make passwords up, and no word of it says
    what a password is like, or where it is: `sha-256-hashed-twice`, `see-the-vault-2`."""
    if _PHRASE.fullmatch(value) is None or _DIGITS.isdisjoint(value) or is_uuid(value):
        return False
    parts, known = value.lower().split("-"), table()
    if sum(sum(map(str.isalpha, one)) > 2 for one in parts) < 2:
        return False
    told = any(
        one in known.names or one in known.pointers or one.removesuffix("s") in _UNITS
        or _VERSION.fullmatch(one) or _METHOD.fullmatch(one)
        for one in parts
    )  # fmt: skip
    return not told and not is_placeholder(value) and not is_address(value)


def is_hexadecimal(value: str) -> bool:
    return _HEX.issuperset(value)


def is_hash(value: str) -> bool:
    """Whether it is as long as a digest and written like one, as many keys and tokens are too."""
    return len(value) in _HASH_SIZES and is_hexadecimal(value) and not value.isdigit() and not value.isalpha()


def is_coded(value: str) -> bool:
    """Whether it is a run of bytes in base64, of either alphabet, and no words with hyphens or slashes between them."""
    if len(value) < CODED_CHARACTERS_MIN or _has_space(value):
        return False
    joined = is_jumbled(value.translate(_BASE64_SIGNS)) and not is_named(value)
    return (joined or _is_padded(value)) and not is_placeholder(value) and not is_address(value)


def latin(value: str) -> str:
    """The value up to where a sentence without blanks goes on in Chinese, Japanese or Korean."""
    if value.isascii() or not value[:1].isascii():
        return value
    return value[: next((place for place, one in enumerate(value) if one >= _IDEOGRAPHS), len(value))]


def is_uuid(value: str) -> bool:
    return (
        len(value) == 36
        and value[8] == value[13] == value[18] == value[23] == "-"
        and _HEX.issuperset(value.replace("-", ""))
    )


@lru_cache(maxsize=2_048)
def kind_of_name(name: str) -> str | None:
    """What something of that name holds: password, secret, token, api_key, key (of anything); None if no secret."""
    parts = _parts(name)
    known = table()
    if not parts or parts[-1] in known.harmless_names or "public" in parts or "example" in parts:
        return None
    for place in range(len(parts) - 1, -1, -1):
        # `token2` is a token; the 0 of `auth0` belongs to a name.
        part = parts[place].rstrip("123456789")
        if part.endswith("s") and (part[:-1] in known.names or part == "keys"):
            part = part[:-1]
        if part == "key" and place and parts[place - 1] in known.key_names:
            return "api_key"
        if part == "token" and place and parts[place - 1] in known.harmless_tokens:
            return None
        if part in known.names:
            return known.names[part]
        if place == len(parts) - 1 and part.endswith(_ENDINGS):
            return next(kind for word, kind in known.names.items() if word in _ENDINGS and part.endswith(word))
        if part.endswith(("pass", "pwd")) and part.removesuffix("pass").removesuffix("pwd") in known.owners:
            return "password"
    return "key" if "key" in parts else None


def is_plural(name: str) -> bool:
    """Whether a name says that there are several: `API_KEYS`. It is also said of what has to do with them."""
    last = _parts(name)[-1:]
    names = table().names
    return bool(last) and last[0] not in names and (last[0][:-1] in names or last[0] == "keys")


def is_of_request(name: str) -> bool:
    """Whether a name is that of the mark by which a request is known again, if its value is a UUID: `ClientToken`."""
    *_, before, last = "", "", *_parts(name)
    return last == "token" and before in table().request_tokens


def is_secret(kind: str, value: str, *, said: bool, strictly: bool) -> bool:
    """Whether the value of something of a kind is a secret. Behind what a person `said` a name is none, and `strictly`
    nothing is that could be one."""
    if strictly:
        return is_jumbled(value) or is_hash(value) or is_uuid(value) or is_coded(value)
    if kind == "password":
        named = said and is_named(value) and not is_jumbled(value, SHORT_SCORE_MIN, SHORT_CHARACTERS_MIN)
        return (not named or _is_encoded(value)) and is_password(value)
    return is_key(value)


def opens(name: str) -> bool:
    """Whether a name that ends in "key" may be that of a secret one, and not of a public, a primary or a cache key."""
    return kind_of_name(name) is not None and table().harmless_keys.isdisjoint(_parts(name))


def _parts(name: str) -> list[str]:
    """The words of an identifier, in lower case: of `dbPassword_2` db, password and 2."""
    spaced: list[str] = []
    before = ""
    for one in name:
        if one.isupper() and before.islower():
            spaced.append(" ")
        spaced.append(one if one.isalnum() else " ")
        before = one
    parts = "".join(spaced).lower().split()
    while parts and parts[-1].isdigit():
        parts.pop()
    return parts


def _is_word(part: str) -> bool:
    measured = part.rstrip(_LETTERS)
    if measured != part and part[len(measured) :].lower().removesuffix("s") in _UNITS:
        part = measured
    stem = part.rstrip("0123456789")
    if len(part) - len(stem) > 4 and stem:
        return False
    return not stem or stem.isalpha() or stem.lstrip("0123456789v").isalpha()


def _is_code(value: str) -> bool:
    """Whether it names something in a program instead of holding it: `settings.DB_PASSWORD2`, `process.env.PW1`."""
    value = value.replace("?.", ".")
    return "." in value and is_wordlike(value) and not any(part[:1].isdigit() for part in value.split("."))


def _is_example(value: str) -> bool:
    lowered = value.lower()
    if len(value) > 200:
        return False
    if "example" in lowered or "redact" in lowered:
        return True
    # One in 16,000 random texts of 43 characters holds one of these by chance.
    return ("xxxx" in lowered or "your" in lowered) and entropy(value) < RANDOM_BITS_MIN


def _is_padded(value: str) -> bool:
    """Whether it is base64 that shows by its padding, though it may happen to hold no digit."""
    size = len(value)
    if size < KEY_CHARACTERS_MIN or size % 4 or not value.endswith("=") or not value.isascii():
        return False
    body = value.rstrip("=")
    turns = sum(first.isupper() != second.isupper() for first, second in pairwise(body))
    return body.isalnum() and turns * 4 >= len(body)


def _has_space(value: str) -> bool:
    return len(value.split()) > 1 or value != value.strip()


def classes(value: str) -> int:
    """How many of these it holds: small letters, capitals, digits, signs."""
    return (
        any(map(str.islower, value))
        + any(map(str.isupper, value))
        + (not _DIGITS.isdisjoint(value))
        + (not all(map(str.isalnum, value)))
    )


def _digit_groups(value: str) -> int:
    return sum(one in _DIGITS and (place == 0 or value[place - 1] not in _DIGITS) for place, one in enumerate(value))
