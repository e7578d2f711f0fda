"""Owns how a name and its value are written down: the patterns of assignments, options and sentences."""

import re
from collections.abc import Callable

from hansard.domain.text import has_any
from hansard.guard import generated, programs
from hansard.guard.rules import Table, table
from hansard.guard.values import MARK_OPEN, classes, is_hexadecimal, is_of_request, is_uuid, is_wordlike, kind_of_name

ASSIGNABLE = ("pass", "pw", "secret", "token", "key", "cred", "auth", "jwt", "bearer", "login", "contrasen", "kennwort",
              "senha", "wachtwoord", "heslo", "adgangskode", "salasana", "psk", "mdp", "clave")  # fmt: skip
"""Without one of these no name says that its value is a secret."""
_SHORT = "pat"
_SHORT_NAME = r"pat(?:[_0-9-]|\b)"
"""One more, a personal access token, looked for as a word: a path or a pattern is in every other text."""
MAY_ASSIGN = "|".join((*ASSIGNABLE, _SHORT_NAME))
QUOTES = "\"'`"
NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_TOKEN_CHARACTERS = frozenset(f"{NAME_CHARACTERS}:/+=~$")
BARE_CHARACTERS_MIN = 6
ENCODING = "base64:"
"""Says how the value behind it is written, and is no part of it."""
_PIECE = r"[^\s\"'\x60<>,;&|(){}\[\]\\=:]"
BARE = (
    rf"[^\s\"'\x60<>,;&|(){{}}\[\]\\$%*#=:?](?:{_PIECE}{{5,}}|{_PIECE}{{0,4}}(?::{_PIECE}{{1,4}}){{0,2}}:{_PIECE}{{5,}})"
    rf"(?::{_PIECE}+){{0,3}}={{0,2}}"
)
"""A value without quotes. Colons may stand in it, as in `id:…`, but few: behind more of them other names begin."""
_BARE = re.compile(BARE)
AGAIN_CHARACTERS_MAX = 512
_ESCAPED = re.compile(r"\A%[0-9A-Fa-f]{2}")
_KIND = re.compile(r"[a-z0-9_]{1,64}\]")
_FIRST_WORD = re.compile(r"\W*\w+")
ANY = rf"{generated.RUN}{{{generated.RUN_CHARACTERS_MIN}}}"
"""The beginning of a value that has other signs in it. Where it ends is for `generated` to say."""
QUOTED = r"\\{0,3}\"(?:\"\")?[^\"\r\n\\]{6,}|\\{0,3}'(?:'')?[^'\r\n\\]{6,}|\x60[^\x60\r\n\\]{6,}"
_MARKED = r"(?:[bruf]{1,2}|n|@|\$@?)?"
"""What a language puts before a quote: bytes, a raw string, a national one."""
_LITERAL = rf"{_MARKED}(?:{QUOTED})"
_TYPED = r"(?::[ \t]{0,2}[a-z]\w*(?:[\[<]\w*[\]>])?(?:\s?\|\s?\w+)?|\bstring)[ \t]{0,2}=[ \t]{0,4}"
"""Of a type without a colon before it only the one of texts is known: `var password string = "…"`."""
_PLAIN = (
    r"(?:=>|:[=-]|={1,3}|:|>|<(?:td|dd|string)(?: [^<>]*)?>)[*_]{0,3}(?:</[a-z]{1,6}>)?[ \t]*(?:\s|\\[tn]){0,8}"
    r"(?:<(?:code|b|kbd|tt)>)?(?:[|>][+-]?\s{1,12})?(?:\$\{[a-z0-9_.]+(?::[-=]?|[-=]))?"
)
_CALL = (
    r"(?:(?:new )?(?:\w+::)*(?:string::from|secret(?:str|string|bytes|value|box)?(?:::new)?|some|buffer[.]from)\("
    r"\s{0,4}|[\[(]\s{0,12}|\{\s{0,8}\\?[\"']?value\\?[\"']?\s{0,2}[:=]\s{0,4})"
)
_COMPARED = (
    r"\)(?:[.](?:not|to|be|deep|should)){0,3}[.](?:to[a-z]{2,14}|eql?|equals?|be|is_?equal_?to|contains?|includes?|fill"
    r"|type|send_?keys|set_?value)\("
)
"""What a test expects of it, or types into a field: `expect(password).toBe('…')`."""
_INSTEAD = rf"(?:\)?\s{{0,4}}(?:\|\||\?\?|\?:|\bor\b|\{{)|{_COMPARED})\s{{0,4}}"
_CELL = r"\|[ \t]{1,20}"
_PASSED = r"[,(]\s{0,4}(?:default ?= ?)?"
_LISTED = r",?\s{0,20}\\?[\"']?value\\?[\"']?\s{0,4}[:=]\s{0,4}"
_LISTING = frozenset(",[({<")
_BLOCKS = ("|", ">", "|-", ">-", "|+", ">+")
"""What opens a value in YAML that stands in the lines below."""
_LEAD = r"(?:\\{0,3}[\"'\x60])?\]?[*_]{0,3}(?:</[a-z]{1,6}>)?[ \t]*\s{0,4}"
ASSIGNED = (
    rf"{_LEAD}(?:(?:{_TYPED}|{_PLAIN}){_CALL}{_LITERAL}|(?:{_TYPED}|{_PLAIN}|{_LISTED}|{_CELL})(?:{_LITERAL}|{BARE}|{ANY})"
    rf"|{_PASSED}(?:{QUOTED})|{_INSTEAD}{_LITERAL})"
)
_NAME = r"(?i)[a-z0-9_.-]+(?: key)?"
_OPENING = rf"(?:{_MARKED}(?:\"\"\"|\'\'\'|\\{{0,3}}[\"'\x60]))?"
TYPED_HEAD = re.compile(rf"{_NAME}{_LEAD}(?:{_TYPED}(?:{_CALL})?|{_LISTED}){_OPENING}", re.ASCII)
PLAIN_HEAD = re.compile(rf"{_NAME}{_LEAD}(?:{_PLAIN}(?:{_CALL})?|{_PASSED}|{_CELL}|{_INSTEAD}){_OPENING}", re.ASCII)
GIVEN_HEAD = re.compile(rf"{_NAME}[ \t]+{_OPENING}", re.ASCII)
"""What stands before a value. The engine finds whole assignments without taking them apart, which is much faster."""
_GAP = r"(?:[ \t]+(?:[^\s0-9]+|\S{1,7})){0,6}[ \t]+[\"'\x60(*]{0,2}"
_WORD = r"[^\s\"'\x60]"
_PLAIN_WORD = re.compile(r"[^\s\"'\x60()<>\[\]{},;]*")
_SAID = (
    r"passwords?|passwd|passwort|passphrase|passcode|pass|pwd|kennwort|senha|contrasena|clave|wachtwoord|secrets?|tokens?"
    r"|credentials?|creds|(?:api)?keys?|login|pw|mdp|(?-i:PAT)"
)
PROSE = rf"(?i)(?:\b|_)(?:{_SAID})\b:?{_GAP}{_WORD}*[0-9]{_WORD}*"
TABLE_GAP_MAX = 40
ARN_CHARACTERS_MAX = 100
NAME_CHARACTERS_MAX = 64
HEAD_CHARACTERS_MAX = 24
WORD_CHARACTERS_MAX = 24
UUID_CHARACTERS = 36
_SIMPLE = re.compile(r"[A-Z]?[a-z]{2,}(?:[_-][a-z]+)*|[0-9]+|[A-Z_]+")
_JOINED = re.compile(r"_[0-9A-Za-z]{20,}(?![0-9A-Za-z_])")
_REST = re.compile(rf"{generated.RUN}{{1,{generated.RUN_CHARACTERS_MAX}}}")
_PINNED = re.compile(r"@sha(?:256|512):")
"""Behind a name and a version of an image: no password."""
_PUBLIC_HALF = re.compile(r"@o[0-9]+[.]ingest[.](?:[a-z]{2}[.])?sentry[.]io\b")
"""Behind the key in an address of Sentry that every client is given. An older kind has a password beside it."""

Near = Callable[[int], str]
"""Tells for the place of a name what counts for its value beside the name itself."""


class ByName:
    """Remembers which names of a text say of no value that it is a secret: `author`, `passed`, the `key` of nobody."""

    def __init__(self, near: Near) -> None:
        self._near = near
        self._kinds: dict[str, str | None] = {}

    def clear(self, text: str, start: int, end: int) -> int:
        """What a match counts as whose name says so; 0 if it may hold a secret."""
        name = whole_name_of(text[start:end])
        if name not in self._kinds:
            # The first of each is judged: to read a name takes as long as that.
            self._kinds[name] = kind_of_name(name[-NAME_CHARACTERS_MAX:])
            return 0
        kind = self._kinds[name]
        if kind is None or (kind == "token" and is_of_request(name) and is_uuid(text[end - UUID_CHARACTERS : end])):
            return 1
        # To look around takes as long again.
        return 2 if kind == "key" and len(name) <= HEAD_CHARACTERS_MAX and not self._near(start) else 0


def names(known: Table) -> tuple[str, str]:
    """The pattern of a name that says what its value is, and the same with names that only end in "key"."""
    words = "|".join(sorted((*(known.names.keys() - {_SHORT}), "credential"), key=len, reverse=True))
    keys = "|".join(sorted(known.key_names))
    name = rf"[a-z0-9_.-]*(?:(?:{words}|(?:{keys})[_. -]?key%s)[a-z0-9_-]*|{_SHORT}(?:[_0-9-][a-z0-9_-]*|\b))"
    return name % "", name % "|key"


def may_assign(lowered: str) -> bool:
    if has_any(lowered, ASSIGNABLE):
        return True
    return _SHORT in lowered and re.search(_SHORT_NAME, lowered) is not None


def another(matched: str, after: str) -> int:
    """How far behind the beginning of a match the next one may begin: behind its name if what follows may hold a name
    of its own, as in `secret_name: password=…`; else 0. An empty value must not swallow the name in the next line."""
    rest = matched.lstrip(NAME_CHARACTERS)
    # Of a short value the match may go on into the next name: `auth:true,pas` and `sword`.
    goes_on = after[: len(after) - len(after.lstrip(NAME_CHARACTERS))]
    if may_assign(f"{rest}{goes_on}".lower()) or after[1:4].lower() == "key":
        return max(1, len(matched) - len(rest))
    return 0


def first_word(matched: str) -> int:
    """Where what follows the first word of a match begins; 0 of a long match, whose words would be read many times."""
    found = _FIRST_WORD.match(matched) if len(matched) < AGAIN_CHARACTERS_MAX else None
    return found.end() if found is not None else 0


def name_of(matched: str) -> str:
    """The name that a match begins with, or behind a sign that is written as a number."""
    matched = _ESCAPED.sub("", matched, count=1)
    return matched[: len(matched) - len(matched.lstrip(NAME_CHARACTERS))]


def whole_name_of(matched: str) -> str:
    """The same with a "key" behind it: `api key`."""
    rest = matched.lstrip(NAME_CHARACTERS)
    return matched[: len(matched) - len(rest) + (4 if rest[:4].lower() == " key" else 0)]


def around(near: Near, text: str, place: int) -> str:
    """What counts for an assignment: whether its name is the user of a URL or in an ARN, and what is near."""
    if is_marked(text, place):
        return MARK_OPEN
    before = text[place - 1 : place]
    if before == " " and (word := _word_of_token(text, place)):
        return f"{word} {near(place)}"
    if (
        before in ("&", "?")
        and "?" in text[max(0, place - generated.RUN_CHARACTERS_MAX) : place].rsplit(maxsplit=1)[-1]
    ):
        return f"? {near(place)}"
    if before not in (":", "/"):
        return near(place)
    if text.startswith("://", max(0, place - 3)):
        return f"://{near(place)}"
    if before == ":" and programs.is_in_type(text, place):
        return f"::{near(place)}"
    return f"arn:{near(place)}" if _is_in_arn(text, place) else near(place)


def is_place_in_list(text: str, place: int) -> bool:
    """Whether what is called a token at a place is a position or a commit, as the word before it says: a page token."""
    return _word_of_token(text, place) in table().harmless_tokens


def is_of_request_at(text: str, place: int, name: str) -> bool:
    """Whether a name at a place, or that and the word before it, is that of the mark of a request: an update token."""
    return is_of_request(name) or is_of_request(f"{_word_of_token(text, place)} {name}")


def _word_of_token(text: str, place: int) -> str:
    """The word before what is called a token at a place, if that makes no secret of it."""
    if text[place : place + 5].lower() != "token":
        return ""
    before = text[max(0, place - WORD_CHARACTERS_MAX) : place].rpartition("\n")[2].rsplit(maxsplit=1)
    word = before[-1].lower().strip("\"'`(*-") if before else ""
    return word if word in table().harmless_tokens or word in table().request_tokens else ""


def _is_in_arn(text: str, place: int) -> bool:
    """Whether a name is a part of the name of a resource of AWS: `arn:aws:secretsmanager:…:secret:shop/db`."""
    if text[place - 1 : place] != ":":
        return False
    return "arn:aws" in text[max(0, place - ARN_CHARACTERS_MAX) : place].rsplit(maxsplit=1)[-1]


def following(text: str, matched: str, end: int) -> str:
    """What counts of the text behind a match: whether a cell of a table is closed, or a name was taken for a value, and
    how a value goes on."""
    stop = end + (TABLE_GAP_MAX if "|" in matched or "\n" in matched else 1)
    rest = _REST.match(text, end)
    return text[end : max(stop, rest.end() if rest is not None else end)]


def is_value(text: str, separator: str, places: tuple[int, int, int], *, quoted: bool) -> bool:
    """Whether what stands behind a separator can be a value at all, and not a call, a name or the host of a URL."""
    begin, start, end = places
    if not _may_follow(text, separator, begin):
        return False
    if quoted:
        return not (separator.rstrip(QUOTES)[-1:] in ("f", "F", "$") and "{" in text[start:end])
    if text.startswith("PWD=/", begin) and text.count("/", start, end) > 1:
        # A shell's name for the folder that it is in.
        return False
    after = text[end : end + TABLE_GAP_MAX]
    opened = after[:1] in ("(", "[", "{") and not after.startswith(MARK_OPEN)
    if opened or (separator.startswith(">") and after[:1] != "<"):
        return False
    if text.startswith("://", max(0, begin - 3)) and "@" in text[start:end]:
        return False
    if text[end - 1] == "=" and after[:1].isalnum() and is_wordlike(text[start:end].rstrip("=")):
        # A name, and not a value with its padding: `--units AccessToken=minutes`.
        return False
    name, colon, _ = text[start:end].partition(":")
    if "\n" in separator and after.lstrip(" \t")[:1] in ("=", ":"):
        return False
    # A name and its value in the next line: `token:`, and below it `port:8080`.
    if colon and separator.rstrip(" \t")[-1:] == "\n" and separator.strip()[-1:] in (":", "=") and is_wordlike(name):
        return False
    return not separator.lstrip().startswith("|") or after.lstrip(" \t*`\"'").startswith("|")


def _may_follow(text: str, separator: str, begin: int) -> bool:
    """Whether a name at that place may have a value. The kind in a mark is no name, and a letter that Latin-1 lacks is
    no sign, whatever the engine takes it for."""
    if is_marked(text, begin) or _is_in_arn(text, begin) or is_place_in_list(text, begin):
        return False
    return separator.isascii() or max(separator) <= "\xff"


def is_of_program(text: str, separator: str, places: tuple[int, int, int], *, named: bool) -> bool:
    """Whether what stands behind a name and a separator is a type, goes on from a type or a prompt that the name is a
    part of, or is kept by the name of a type. `named` says that it is called a password."""
    begin, start, end = places
    quote = text[start - 1]
    if quote in QUOTES:
        return programs.is_behind_prompt(text, start) or programs.is_entry_of_types(text, begin, text[start:end])
    if programs.is_reference(text, start):
        return True
    if separator == ":":
        return programs.is_scope(text, start) or programs.is_type(text, start, named=named)
    return separator.strip(" \t*\"'`") == ":" and programs.is_type(text, start, named=named)


def is_bare(text: str, start: int, end: int) -> bool:
    """Whether a value that no quote closes has none of the signs that end one, and may be judged by its letters."""
    return text[start : start + 1] <= "\xff" and _BARE.fullmatch(text, start, end) is not None


def end_of_mixed(text: str, separator: str, places: tuple[int, int], *, named: bool) -> int:
    """Where a value ends that no quote closes and that only a generator makes, whatever signs it has; 0 if it is none.
    `named` says that it is called a password."""
    begin, start = places
    if not generated.may_begin(text, start):
        return 0
    end = generated.reach(text, start)
    if end - start < generated.RUN_CHARACTERS_MIN or not _may_follow(text, separator, begin):
        return 0
    below = "\n" in separator and not separator.rstrip(" \n").endswith(_BLOCKS)
    if below or text.startswith("://", max(0, begin - 3)):
        return 0
    after = text[end : end + TABLE_GAP_MAX].lstrip(" \t*`\"'")
    if (separator.startswith(">") and not after.startswith("</")) or (
        separator.lstrip().startswith("|") and not after.startswith("|")
    ):
        return 0
    return end if generated.is_generated(text[start:end], named=named) else 0


def end_with_rest(text: str, start: int, end: int) -> int:
    """Where a value ends that is a secret up to `end`: behind what is joined to it and is no word, so that none of it
    is left."""
    reach = generated.reach(text, start)
    if reach <= end + 1 or classes(text[start:end]) < 3:
        return end
    if text[end] in "([{":
        return reach if generated.is_generated(text[start:reach], named=True) else end
    return end if _SIMPLE.fullmatch(text, end + 1, reach) else reach


def end_with_joined(text: str, end: int) -> int:
    """Where a token ends that another is joined to, which begins in what was taken for the first."""
    joined = _JOINED.match(text, end)
    return joined.end() if joined is not None and any(one.isdigit() for one in joined.group()) else end


def ends_of(text: str, start: int, end: int) -> tuple[int, ...]:
    """Where a value may end that no quote closes: behind all of it, or before its first colon. Words with colons
    between them say where something is, and are none."""
    colon = text.find(":", start, end)
    if colon < 0:
        return (end,)
    whole = () if is_wordlike(text[start:end]) else (end,)
    return (*whole, colon) if colon - start >= BARE_CHARACTERS_MIN else whole


def plain_word(value: str) -> str:
    """A value in running text up to a sign that also ends a part of a sentence."""
    word = _PLAIN_WORD.match(value)
    return word[0] if word is not None else ""


def is_marked(text: str, place: int) -> bool:
    """Whether a mark of a redaction begins right before a place. What has more in it than a kind is none."""
    opened = place >= len(MARK_OPEN) and text.startswith(MARK_OPEN, place - len(MARK_OPEN))
    return opened and _KIND.match(text, place) is not None


def is_public(text: str, begin: int, end: int) -> bool:
    """Whether what stands behind a value makes it one that everybody may know."""
    if text.startswith("://", max(0, begin - 3)) and _PUBLIC_HALF.match(text, end):
        return True
    return _PINNED.match(text, end) is not None


def beside(text: str, span: tuple[int, int]) -> str:
    """What counts of the text beside a match without a name: a mark of a redaction, or what makes a value public."""
    start, end = span
    if is_marked(text, start):
        return MARK_OPEN
    sign = text.rfind("@", start, end)
    places = (end, sign) if sign >= 0 else (end,)
    for place in places:
        if text.startswith("@", place) and (_PINNED.match(text, place) or _PUBLIC_HALF.match(text, place)):
            return "public"
    return ""


def end_before_quote(text: str, begin: int, end: int) -> int:
    """Where a value ends that a quote with a backslash follows: the backslash is no part of it."""
    if text[end - 1] != "\\" or text[end : end + 1] not in ('"', "'"):
        return end
    return begin + len(text[begin:end].rstrip("\\"))


def is_other_pat(name: str, value: str) -> bool:
    """Whether "pat" is no personal access token: a pattern, or somebody called Pat who names a commit or a run."""
    if name == "Pat" and (is_hexadecimal(value) or is_uuid(value)):
        return True
    return not _TOKEN_CHARACTERS.issuperset(value) and re.search(_SHORT_NAME, name.lower()) is not None


def is_said(separator: str) -> bool:
    """Whether a person may have written it, who also says what a password is like, or it stands beside others."""
    return ":" in separator or "|" in separator or is_listed(separator)


def is_listed(separator: str) -> bool:
    """Whether what follows is one of several, or inside of something else: it may name what a password is like."""
    return not _LISTING.isdisjoint(separator) and "value" not in separator.lower()
