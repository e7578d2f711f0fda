"""Owns how a text is made to look as the patterns know it: lines, blanks, quotes, foreign names, bytes."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

from hansard.domain.text import has_any
from hansard.guard.floods import share_of
from hansard.guard.rules import table

WIDE = (
    "\x85\xa0\u115f\u1160\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u2800\u3000\u3164\uffa0"
)
_SIGNS = dict.fromkeys(WIDE, " ") | {"‘": "'", "’": "'", "“": '"', "”": '"', "«": '"', "»": '"', "\ufeff": "\u200b"}
"""What a reader takes for a blank or a quote. The last is the one mark of its kind that lies behind the ideographs,
where a value in Latin letters is taken to end."""
_HIDDEN = "[\xad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
_EDGE = r"[\s=:>|,;()\[\]{}\"'\x60]"
_HIDDEN_RUN = rf"{_HIDDEN}(?:(?<={_EDGE}{_HIDDEN}){_HIDDEN}*+|(?<!{_HIDDEN}{_HIDDEN}){_HIDDEN}*+(?={_EDGE}))"
"""Characters that show nothing, at the edge of a word. Inside of one they may be part of a value, which goes whole."""
HIDDEN_RUNS_MAX = 60_000
"""In each million characters. No honest text has more, and no text may take much time."""
_PLAIN_NAMES = ("mot de passe", "zugangsdaten", "clave ", "chiave api", "chave de api", "chave api")
"""What of the foreign names is written in ASCII, in small letters."""
PASSAGE_CHARACTERS = 2_048
"""So much of a text is asked at once which of many words it holds."""
_NO_PART_OF_A_NAME = re.compile(r"[!-,./0-9;<>?@\n]")
CONTINUED_MAX = 40_000
"""Lines that go on, in each million characters. No honest text has more, and no text may take much time."""
_CONTINUED = re.compile(r"(\\(?<=[0-9A-Za-z_-]{4}\\)\r?\n[ \t]*)(?=[0-9A-Za-z_-])")
_ASCII = bytes(range(128))
_ESCAPES = {
    r"\\n": "\r\r\n", r"\\t": "\r\r\t", r"\\r": "\r\r\r", r"\n": "\r\n", r"\t": "\r\t", r"\r": "\r\r",
}  # fmt: skip
"""A text in JSON, in a log or in a program is read as what it says: in lines."""
_PATH = re.compile(
    r"(\\(?:(?<=[A-Z]:\\)(?<![A-Za-z0-9][A-Z]:\\)(?:\\(?:[^\s\"'<>|*?=\\]|\\\\)*+|\w[^\s\"'<>|*?=]*+)"
    r"|\\[\w.-]+\\(?!\\)[\w$][^\s\"'<>|*?=]*+))"
)
"""Of Windows, from its first backslash on: there a folder may begin with such a letter."""
PATHS_MAX = 10_000
"""In each million characters. No honest text has more, and no text may take much time."""


def familiar(text: str) -> str:
    """The text, as long as before, with names of other languages, other blanks and quotes as the table knows them."""
    return read(text)[0]


def read(text: str) -> tuple[str, int]:
    """The same, and how many names each passage had, which is what it cost."""
    foreign = _foreign(text)
    text = _with_blanks(text, foreign) if foreign else text
    if is_familiar(text):
        return text, 0
    passages = [_with_known_names(one) for one in _passages(text)]
    return "".join(text for text, _ in passages), sum(count for _, count in passages)


def _passages(text: str) -> Iterator[str]:
    """The text in passages. No name goes across their edges, and of many names each passage holds a few, so that only
    these need be looked for in it."""
    start = 0
    while start < len(text):
        edge = _NO_PART_OF_A_NAME.search(text, start + PASSAGE_CHARACTERS)
        end = edge.end() if edge is not None else len(text)
        yield text[start:end]
        start = end


def _with_known_names(text: str) -> tuple[str, int]:
    foreign, plain = _foreign(text), has_any(text.lower(), _PLAIN_NAMES)
    count = 0
    for name, (letters, known) in _names().items():
        if letters in foreign and (letters or plain):
            text = text.replace(name, known)
            count += 1
    return text, count


def is_familiar(text: str) -> bool:
    """Whether the text is as the table knows it already."""
    return text.isascii() and not has_any(text.lower(), _PLAIN_NAMES)


def in_lines(text: str) -> str:
    """The text, as long as before, with line breaks and tabs for what stands for them."""
    if "\\" not in text or not has_any(text, _ESCAPES):
        return text
    pieces = _PATH.split(text, share_of(PATHS_MAX, len(text)))
    for place in range(len(pieces)):
        # A name before `=` is no path. The pattern does not ask for that: it would begin again in each of its folders.
        if place % 2 and not pieces[place + 1].startswith("="):
            continue
        for escape, blank in _ESCAPES.items():
            pieces[place] = pieces[place].replace(escape, blank)
    return "".join(pieces)


def bytes_of(text: str) -> bytes:
    """One byte for each character, so that the engine's places are the text's. What Latin-1 lacks becomes "?": no rule
    asks for such a character, and values are judged by the text itself."""
    return text.encode("latin-1", "replace")


def lowered_of(text: str, data: bytes) -> str:
    """The text in small letters, as long as its bytes."""
    return text.lower() if text.isascii() else data.lower().decode("latin-1")


def unbroken(text: str) -> tuple[str, Callable[[int], int]]:
    """The text without the backslashes at the end of its lines, and what tells where a place in that is in the text."""
    # Cut in one step: one for each line would take longer than all the rest of the scan.
    pieces = _CONTINUED.split(text, share_of(CONTINUED_MAX, len(text)))
    starts = list(accumulate(map(len, pieces[:-1:2]), initial=0))
    moved = list(accumulate(map(len, pieces[1::2]), initial=0))
    return "".join(pieces[::2]), lambda place: place + moved[bisect_right(starts, place) - 1]


def _with_blanks(text: str, foreign: str) -> str:
    # Not `translate`, which takes thirty times as long for a text of another script.
    for sign, known in _SIGNS.items():
        if sign in foreign:
            text = text.replace(sign, known)
    if re.search(_HIDDEN, foreign) is None:
        return text
    most = share_of(HIDDEN_RUNS_MAX, len(text))
    return re.sub(_HIDDEN_RUN, lambda run: " " * len(run.group()), text, count=most)


def _foreign(text: str) -> str:
    """What of the text is not ASCII: of most texts a few characters, so that hundreds need not be looked for in all."""
    if text.isascii():
        return ""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


@cache
def _names() -> dict[str, tuple[str, str]]:
    """Each name, also with a capital and in capitals, with its letters that are not ASCII, and the name that the table
    knows."""
    return {
        written: (_foreign(written), known)
        for name, known in table().foreign_names.items()
        for written in (name, name[0].upper() + name[1:], name.upper())
    }
