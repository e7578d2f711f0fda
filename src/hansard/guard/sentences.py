"""Judges a value in running text by the words that lead to it: the password is …, the primary key is …."""

import re
from itertools import takewhile

from hansard.guard import programs
from hansard.guard.forms import Near
from hansard.guard.generated import is_generated, may_begin, reach
from hansard.guard.mixture import LOOSELY_SAID_SCORE_MIN, is_jumbled
from hansard.guard.rules import table
from hansard.guard.values import MARK_OPEN, is_hash, is_named, is_open, is_phrase, is_striking, is_uuid, is_wordlike

WORDS_CHARACTERS_MAX = 24
RANDOM_CHARACTERS_MIN = 20
SHORT_CHARACTERS_MAX = 7
NUMBER_CHARACTERS_MAX = 16
"""What a word in a sentence may be shorter than and be no secret: any word, even with a sign before it, and one without
letters."""
LAST_CHARACTERS = 64
"""A word that long is judged."""
OPENING = "\"'`(*"
"""What may stand before a value and be no part of it."""
_HASHED = frozenset(
    ("password", "passwd", "passphrase", "pwd", "secret", "token", "key", "kennwort", "passwort", "senha", "wachtwoord")
)
"""What is called one of these may be digits and the letters to f: `The API key is …`."""
_PASSWORDS = frozenset(
    ("password", "passwords", "passwd", "passwort", "passphrase", "passcode", "pass", "pwd", "pw", "kennwort", "senha",
     "contrasena", "clave", "mdp", "wachtwoord", "heslo", "adgangskode", "salasana")
)  # fmt: skip
_COPULAS = frozenset(
    ("is", "are", "was", "were", "be", "to", "now", "set", "changed", "=", "->", "→", "-", "–", "—", "lautet", "ist",
     "es", "est")
)  # fmt: skip
_IS = frozenset(("is", "ist", "lautet", "es", "est"))
_BECOMES = frozenset((*_IS, "be", "changed", "set"))
"""What is said of a password, and of a token also when it is sent or stored."""
_NETWORKS = frozenset(("wlan", "wifi", "wi-fi", "fi", "wpa", "wpa2", "wpa3"))
"""What opens one of these is called a key, and is a password."""
_WHOSE = frozenset(("for", "of", "to", "für", "vom", "im", "pour", "du", "para", "de", "del", "a"))
_OWNERS = frozenset((*_NETWORKS, "admin", "root", "administrateur", "administrador"))
"""What follows the word for a password in Spanish and French with nothing between them: `clave wifi`."""
_REMARK = re.compile(r"\s\([^()]*\)")
"""What somebody adds in brackets, between a name and its value: `password (second floor): …`."""
_LOGINS = frozenset(("login", "credential", "credentials", "creds", *_PASSWORDS))
"""Behind which a user and a password may stand with a slash between them."""
_SUMS = frozenset(
    ("commit", "commits", "sha", "sha1", "sha256", "md5", "hash", "digest", "checksum", "revision", "rev", "blob")
)
_ARTICLES = frozenset(("the", "a", "this", "that", "my", "our", "your", "its", "their", "his", "her", "new", "old"))
_PUBLIC = frozenset(("public", "publishable", "pub"))
_KEYS = frozenset(("key", "keys"))
_API_KEYS = frozenset(("apikey", "apikeys"))
_TOKENS = frozenset(("token", "tokens"))
_OPENED_BY_UUID = ("key", "secret", "token")
"""What may be a UUID, if it is said of which kind it is: the API key, the client secret."""
_JOINTS = str.maketrans("", "", "-_+/=")
_ENDS = ".:?"
_MIXED_IN = frozenset("@|,+~")
"""Joints of words that a generator puts into passwords as well."""
_CACHED = re.compile(r"(?:v[0-9]+|[a-z]{2,})(?:-(?:[a-z]{2,}|[0-9]{1,4}))+-[0-9a-f]{7,64}")
"""A key by which something is kept, and no longer is when its contents change: `v1-deps-…`."""
_OPTION = re.compile(r"\s--?[a-z][a-z-]{2,}\s+[\"'\x60(*]*\Z")
_SIGNS = "\"'`(*:,;|#>._"


def clear(somebody: bool, text: str, start: int, end: int) -> bool:  # noqa: FBT001 - the first is bound
    """Whether the last word of a match is no secret at first sight: too short for one, a number, a date or a time,
    small letters that are words, or a UUID in a text that names nobody whose key it may be: `tokens: 1,532`; or what
    was judged as an assignment."""
    last = text[max(start, end - LAST_CHARACTERS) : end].rsplit(maxsplit=1)
    word = last[-1].lstrip(OPENING).rstrip(_ENDS)
    if len(last[-1]) == LAST_CHARACTERS:
        return False
    if is_assigned(text[start : end - len(last[-1].lstrip(OPENING))]):
        return True
    if len(word) < SHORT_CHARACTERS_MAX or (len(word) < NUMBER_CHARACTERS_MAX and not any(map(str.isalpha, word))):
        return True
    if not word.islower() or word.isalnum():
        return False
    if _MIXED_IN.isdisjoint(word) and is_wordlike(word):
        said = text[start : end - len(last[-1])]
        return word.count("-") < 2 or _named(text, start, said)[0] not in _PASSWORDS or not is_phrase(word)
    return is_uuid(word) and not somebody and last[0].lower().split()[-1] not in _IS


def is_assigned(said: str) -> bool:
    """Whether a value behind these words is that of an assignment, which was judged as one, and no more strictly."""
    name, colon, between = said.partition(":")
    return bool(colon) and not between.strip() and name.strip("_").lower() in _PASSWORDS


def tells_secret(text: str, places: tuple[int, int], value: str, *, mixed: bool = False) -> bool:
    """Whether a sentence that begins with a name at the first place says that the value at the second is a secret.
    `mixed` asks for one that only a generator makes, and that may have signs which end a part of a sentence."""
    start, begin = places
    jumbled, phrase = not mixed and is_jumbled(value), not mixed and is_phrase(value)
    if is_open(value) or not (mixed or jumbled or phrase or is_striking(value) or is_hash(value) or is_uuid(value)):
        return False
    said = _REMARK.sub("", text[start:begin])
    # Behind a mark stands something else: its secret is what was told, and what is redacted once must stay as it is.
    if MARK_OPEN in said or text[begin + len(value) : begin + len(value) + 1] == "(":
        return False
    if _OPTION.search(said) or (said.startswith("pass ") and "#" in said):
        # An option of a command is judged by its own name; `pass` is also a statement, and has a comment behind it.
        return False
    name, between = _named(text, start, said)
    if _is_of_program(text, begin, said, name, between):
        return False
    paired = _is_paired(name, said, between)
    jumbled = jumbled and (paired or _is_told(name, between, value))
    before = _word_before(text, start)
    if name in _API_KEYS:
        name, before = "key", "api"
    if not mixed and is_uuid(value):
        return bool(between) and between[-1] in _IS and _opens(name, before, said)
    striking = is_generated(value, named=paired or name in _PASSWORDS) if mixed else jumbled or is_striking(value)
    phrase = phrase and name in _PASSWORDS and name != "passwords"
    if not (striking or phrase or is_hash(value)):
        return False
    if before in _PUBLIC or (between and (name == "pass" or between[0] in table().harmless_nouns)):
        return False
    if name in _TOKENS and before in table().harmless_tokens:
        return False
    direct = _COPULAS.issuperset(between) or _is_introduced(name, said, between)
    if name == "clave" and not (direct and between):
        # Also what a list is sorted by.
        return False
    if name == "pat":
        # Also the name of a person, who does things with what the same sentence names.
        return bool(between) and direct and _is_random(value)
    if name in _KEYS:
        if before in table().key_names:
            return not is_named(value.replace("#", " ")) and (striking or direct)
        return striking and direct and _CACHED.fullmatch(value) is None and _is_key_of(before, said, value)
    # "Pass" alone is what tests do: `DB_PASS`, and not `pass`.
    owned = name == "pass" and said.startswith("_") and before in table().owners
    beside = name in _LOGINS and between[-1:] == ["/"]
    return striking or beside or (direct and (name in _HASHED or owned or phrase))


def _named(text: str, start: int, said: str) -> tuple[str, list[str]]:
    """The name that opens a match, and the words behind it. The key of a network is a password."""
    name, *between = [word for part in said.lower().split() if (word := part.strip(_SIGNS))]
    if name == "key":
        before = _word_before(text, start)
        opens = before == "network" or not _NETWORKS.isdisjoint((before, *_without_copulas(between)[-1:]))
        name = "password" if opens else name
    return name, between


def _without_copulas(between: list[str]) -> list[str]:
    """The words behind a name, up to those that lead to its value."""
    told = len(list(takewhile(_COPULAS.__contains__, reversed(between))))
    return between[: len(between) - told]


def _opens(name: str, before: str, said: str) -> bool:
    """Whether what is said to be a UUID opens something: the API key, `SNYK_TOKEN`; not the mark of a request."""
    known = table()
    if name in _TOKENS and (before in known.harmless_tokens or before in known.request_tokens):
        return False
    owned = said.startswith("_") and name not in _KEYS
    return name in _OPENED_BY_UUID and (owned or before in known.key_names)


def _is_of_program(text: str, begin: int, said: str, name: str, between: list[str]) -> bool:
    """Whether a program says there what the value is of, what type it has, or what it is compared with."""
    typed = not between and said.rstrip().endswith(":") and programs.is_type(text, begin, named=name in _PASSWORDS)
    return typed or "==" in between[1:] or programs.is_reference(text, begin)


def _is_introduced(name: str, said: str, between: list[str]) -> bool:
    """Whether the words say whose it is, and a colon or "is" that it follows: `token for staging: …`, `is now …`."""
    whose = _without_copulas(between)
    told = between[len(whose) :]
    owned = between[:1] and (between[0] in _OWNERS or (between[0] in _WHOSE and len(between) > 1))
    if not owned or not _SUMS.isdisjoint(whose[-1:]):
        return False
    return said.rstrip().endswith((":", "=")) or not (_BECOMES if name in _PASSWORDS else _IS).isdisjoint(told)


def _is_paired(name: str, said: str, between: list[str]) -> bool:
    """Whether a user and a slash lead to a value: the login is shop / …, `credentials: shop / …`."""
    if name not in _LOGINS or between[-1:] != ["/"]:
        return False
    if said[len(name) :].lstrip("_*").startswith(":"):
        return len(between) == 2
    return len(between) == 3 and between[0] in ("is", "are", "was", "=")


def _is_told(name: str, between: list[str], value: str) -> bool:
    """Whether the words lead to letters and digits as to what is named: the password for the shop is …. Elsewhere it
    takes more than it takes to be no word."""
    # A password is set to a value; a token goes to somebody.
    last = between[-2:-1] if between[-1:] == ["to"] else between[-1:]
    if last and last[0] in _COPULAS:
        return True
    return (not between and name in _PASSWORDS) or is_jumbled(value, LOOSELY_SAID_SCORE_MIN)


def run_at(text: str, start: int, begin: int) -> tuple[int, int]:
    """Where the run ends that a value in a sentence begins, and where it begins: with a bracket or a star before it
    that nothing closes, as generators open passwords with these too. The same place twice if it is no such run."""
    if not may_begin(text, begin):
        return begin, begin
    end = reach(text, begin)
    sign = text[begin - 1 : begin]
    closes = {"(": ")", "*": "*"}.get(sign)
    if closes is not None and begin - 1 > start and closes not in text[begin : end + 2]:
        return begin - 1, reach(text, begin - 1)
    return begin, end


def _is_key_of(before: str, said: str, value: str) -> bool:
    """Whether "key" is one that opens something: the key, or one of somebody; not a primary key or a cache key."""
    if not before or before in _ARTICLES:
        named = len(said.split()) > 1 or ":" in said
        return named and not is_named(value.replace("#", " "))
    # In a program and in a list of settings anything is called a key.
    return before not in table().harmless_keys and ":" not in said and "=" not in said and _is_random(value)


def _is_random(value: str) -> bool:
    mixed = value.lower() != value and value.upper() != value
    return len(value) >= RANDOM_CHARACTERS_MIN and mixed and value.translate(_JOINTS).isalnum()


def around(near: Near, text: str, place: int) -> str:
    """What counts for a sentence: the word before the name, and what is near."""
    return f"{_word_before(text, place)} {near(place)}"


def _word_before(text: str, place: int) -> str:
    """The word before a place in its own line and sentence, in lower case; empty if there is none."""
    line = text[max(0, place - WORDS_CHARACTERS_MAX) : place].rpartition("\n")[2].rpartition(". ")[2]
    parts = line.replace("_", " ").replace("-", " ").rsplit(maxsplit=1)
    while parts:
        word = parts.pop().strip(_SIGNS)
        if word:
            return word.lower()
        parts = parts[0].rsplit(maxsplit=1) if parts else parts
    return ""
