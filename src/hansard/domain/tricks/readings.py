"""Owns the other ways to read a text: letters apart, digits for letters, markup inside, backwards, encoded."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from hansard.domain.text import has_any

DIGITS = str.maketrans("013457@$!|", "oieastasil")
_RULES = "previou|instruction|rule|prompt|directive|guideline|command|constraint|boundarie|decision|order"
FOR_LETTERS = (
    r"[a-z][013457@$!|][a-z]|\b[013457][a-z]{3}|![a-z]{3}|\|gnor|\ba(?:11|1l|l1)\b|(?:\b4|@)(?:ll|11|l1|1l|ny)\b"
    rf"|(?:{_RULES})[5$]"
)
"""Where a digit or a sign may stand for a letter. As `APART` and `ESCAPED`, tried on a batch by another engine too."""
_FOR_LETTER = (
    r"[013457@$!|](?:(?<=[a-z].)[a-z]|(?<=\b[013457])[a-z]{3}|(?<=!)[a-z]{3}|(?<=\|)gnor|(?<=\ba1)[1l]\b|(?<=\bal1)\b"
    r"|(?:(?<=\b4)|(?<=@))(?:ll|11|l1|1l|ny)\b|" + "|".join(f"(?<={word}[5$])" for word in _RULES.split("|")) + ")"
)
"""The same from the digit or the sign on, which few letters are: ten times as fast."""
_MIXED = r"[A-Za-z0-9@$!|]*[A-Za-z][A-Za-z0-9@$!|]*"
_WITH_L = {
    word.replace("l", "i"): word
    for word in (
        "all|rule|rules|follow|following|earlier|guideline|guidelines|tell|reveal|role|tool|url|upload|email|mail|leak"
        "|credential|credentials|longer|only|solely|believe|null|lifted|cancelled|silently|secretly|people|else|example"
        "|file|files|public|delete|pull|call|install|shell|curl|please|always|title|high|help|also|will|until".split(
            "|"
        )
    )
}
"""What a one stands for in these words, where it is an l. Everywhere else it is an i."""
_DOTS = dict.fromkeys(map(ord, "·•∙⋅‧・●"), ".")
"""Dots that are none of a sentence. The tests for letters and words apart know the plain one."""
_SIGN = r"\x20?[.*_/|~+:,'-]{1,2}\x20?"
_SINGLE = r"\b[A-Za-z][^A-Za-z0-9]{1,4}[A-Za-z](?![A-Za-z0-9])"
APART = rf"\b[a-z](?:{_SIGN}[a-z]){{2,}}(?:[.*_/|~+:,'-]|\b)|\b[a-z](?:\x20[a-z]){{3,}}\b"
_SPREAD = rf"(?<![A-Za-z0-9])[A-Za-z](?:(?:{_SIGN}|\x20)[A-Za-z])+(?![A-Za-z0-9])"
_CHAINED = r"[A-Za-z]+(?:[._/+~|=:][A-Za-z]+){3,}"
_CHAIN = r"[._/+~|=:][A-Za-z]+[._/+~|=:][A-Za-z]+[._/+~|=:][A-Za-z]"
"""Four words and more with a sign for each blank."""
HUMPED = r"[A-Z][a-z]+[A-Z][a-z]+[A-Z][a-z]+[A-Z][a-z]"
_NUMBER = (
    r"[0-9]{1,3}(?:(?:\.[0-9]{1,3})+(?=[\x20\t])|[.)]|[\x20\t]*\|)|\([0-9]{1,3}\)"
    r"|\(?(?:[a-z]|[ivx]{1,4})[.)](?=[\x20\t])"
)
NUMBERED = rf"(?:{_NUMBER}|rem[\x20\t]|\[x\])".replace("(?=", "(?:")
"""What has a letter or a digit of the marks below. Tried on a batch by another engine, which looks at nothing ahead
and for which a blank stands for more."""
_LINE_MARK = rf"(?:{_NUMBER}|[>#|*+;%•·‣◦-]|/[/*]|<!--|'(?=[\x20\t])|rem(?=[\x20\t])|\[[ x]\])"
_MARKED = rf"\n[\x20\t]*{_LINE_MARK}"
_MARK = rf"(?m)^[\x20\t]*(?:{_LINE_MARK}[/!]*[\x20\t]*)+"
"""What stands before each line of a quotation, a comment, a list or a table, in small letters."""
_CLOSED = r"(?m)(?:--+>|\*/)[\x20\t]*$"
"""The end of a comment."""
NUMBER_CELL = r"\|[\x20\t]*[0-9]{1,4}[.)]?[\x20\t]*\|"
"""As `NUMBERED`, for the rows of a table that are counted."""
_RUN_CHARACTERS_MIN = 8
"""Letters with the same sign between all of them, so that nothing shows where a word ends, are parted anew."""
_WORD_CHARACTERS_MAX = 16
_UNKNOWN_COST = 3
"""What a letter that is of no known word costs: more than a word does, so that as many as can be are of one."""
ESCAPED = r"%[0-9a-f]{2}|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}"
ENCODED_CHARACTERS_MIN = 32
ENCODED_CHARACTERS_MAX = 65_536
"""So much of all encoded pieces together is read: as much as a memory holds. Of more, the beginning and the end."""
READABLE_SHARE_MIN = 0.8
"""The share of bytes that are characters. Of a key or an image it is about a half."""
_ENCODED = r"[A-Za-z0-9+/]{32,}={0,2}"
_BYTES = r"(?:(?:[0-9a-f]{2}){1,4}[\s,:;./_|-]{1,3}(?:0x)?)"
SPACED_HEX = _BYTES + "{11}"
"""Bytes in hex with something between them. Twelve of them are the shortest order; a fingerprint says nothing."""
_SPACED = rf"(?i)(?<![0-9a-z])(?:0x)?{_BYTES}{{11,}}(?:[0-9a-f]{{2}}){{1,4}}(?![0-9a-z])"
_HEX_DIGITS = "4567"
_HEX_BYTES_MIN = 8
"""One of these begins every letter in hex."""
_DROPPING = ("ignor", "disregard", "forget", "overrid", "bypass", "discard")
HYPHENATED = tuple(
    f"{stem[:place]}-{stem[place:]}" for stem in (*_DROPPING, "previous", "instruct") for place in range(1, len(stem))
)
"""A word that is parted at the end of a line, or so that nobody finds it."""
BACKWARDS = ("snoitcurtsni", "suoiverp", "erongi", "dragersid", "eht ", "siht", "uoy", "dna ", "htiw", "tsum", "morf",
             "terces", "metsys", "tnega", "seiradnuob", "noisiced")  # fmt: skip
"""Of these a text that is written backwards has one: instructions, the, this, you. In plain words they are rare."""
ROTATED = ("vtabe", "qvfertne", "sbetrg", "bireevq", "olcnff", "vafgehpg", "cerivbhf", "cebzcg", "flfgrz", "nffvfgnag",
           "frperg", "perqragvny", "cnffjbeq", "gbxra", "uggc", "gur ", "guvf", "naq ", "nyjnlf", "ntrag", "lbh",
           "rot13")  # fmt: skip
"""Of these a text in rot13 has one: ignore, instruct, the, this, you. In plain words no language has many of them."""
MARKS = r"\*|\"|“|”|„|«|»|`|_(?:(?<!\w_)|(?!\w))"
STRESS = rf"{MARKS}|~~"
"""Emphasis and quotes. Each begins with its own character, so that a search goes from one to the next."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROTATION = str.maketrans(
    _LETTERS + _LETTERS.upper(), _LETTERS[13:] + _LETTERS[:13] + _LETTERS[13:].upper() + _LETTERS[:13].upper()
)


def spellings(plain: str) -> Iterator[str]:
    """The text with letters apart brought together, digits that stand for letters as letters, and so on."""
    if ("%" in plain or "\\" in plain) and re.search(ESCAPED, plain, re.IGNORECASE):
        plain = _unescaped(plain)
        yield plain
    dotted = plain if plain.isascii() else plain.translate(_DOTS)
    if re.search(_SINGLE, dotted) and re.search(APART, dotted, re.IGNORECASE):
        yield from _together(dotted)
    if stands_for_letters(plain):
        yield in_letters(plain)
    yield from _parted(dotted)
    bare = _unmarked(plain)
    if bare != plain:
        yield bare
    low = bare.lower()
    if any(word in low for word in _DROPPING):
        if re.search(r"[a-z][A-Z]", bare):
            yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
        loose = re.sub(r"[^\w\s.:'-]+|_|(?<!\S)-(?!\S)|\.{2,}", " ", bare)
        if loose != bare:
            yield loose
    if has_any(low, BACKWARDS):
        # A long text has such letters here or there, and need not be read twice for that.
        turned = "\n".join(line for line in bare.split("\n") if has_any(line.lower(), BACKWARDS))
        yield turned[::-1]
        yield re.sub(r"[A-Za-z']+", lambda word: word[0][::-1], turned)


def _parted(plain: str) -> Iterator[str]:
    """The text with blanks for what stands between its words instead of one, and without what parts one."""
    if re.search(r"[A-Za-z]-[A-Za-z]+-[A-Za-z]", plain):
        # The name of a flag is no sentence.
        yield re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", " ", re.sub(r"(?<![\w-])--[A-Za-z][\w-]*", " ", plain))
    if "-" in plain and any(word in plain.lower() for word in HYPHENATED):
        yield re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", "", plain)
    if re.search(_CHAIN, plain):
        yield re.sub(_CHAINED, lambda found: re.sub(r"[^A-Za-z]", " ", found[0]), plain)
    if re.search(HUMPED, plain):
        yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)


def written_out(plain: str) -> str:
    """The text without tags, and with the characters that its escapes and entities stand for."""
    escaped = ("%" in plain or "\\" in plain) and re.search(ESCAPED, plain, re.IGNORECASE)
    return _unmarked(_unescaped(plain) if escaped else plain)


def _unmarked(plain: str) -> str:
    """The text without tags, and with the characters that entities stand for."""
    bare = plain
    if "<" in plain and re.search(r"<[A-Za-z/!?]", plain):
        # A word does not go on behind the end of a paragraph.
        bare = re.sub(r"(?i)</?(?:h[1-6]|p|div|br|li|ul|ol|tr|td|th|table|section)\b[^<>]{0,200}>", "\n", plain)
        bare = re.sub(r"</?[A-Za-z][^<>]{0,200}>|<[!?][^<>]{0,200}>", "", bare)
    if "&" in bare and re.search(r"&#?\w{1,12};", bare):
        # Imported here: hardly any text has an entity.
        from html import unescape

        bare = unescape(bare)
    return bare


@lru_cache(maxsize=4)
def in_one_line(text: str) -> str:
    """The text with single blanks, and without the marks of a quotation, a comment, a list or a table.

    It is in small letters.
    """
    if "|" in text:
        text = re.sub(NUMBER_CELL, "|", text)
    if "\n" in text and re.search(_MARKED, text):
        text = re.sub(_MARK, "", text)
    if "-->" in text or "*/" in text:
        text = re.sub(_CLOSED, "", text)
    if "|" in text:
        text = text.replace("|", " ")
    return " ".join(text.split())


def _unescaped(plain: str) -> str:
    # Imported here: hardly any text has an escape.
    from urllib.parse import unquote

    told = unquote(plain) if "%" in plain else plain
    return re.sub(r"(?i)\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{0{0,2}([0-9a-f]{1,4})\})", _character, told)


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1] or escape[2] or escape[3], 16))


def stands_for_letters(plain: str) -> bool:
    """Whether a digit or a sign in a word of the text may stand for a letter."""
    return re.search(_FOR_LETTER, plain.lower()) is not None


def in_letters(plain: str) -> str:
    """The text with the letters that digits and signs in its words stand for."""
    return re.sub(_MIXED, lambda found: _lettered(found[0]), plain)


def _lettered(mixed: str) -> str:
    if mixed.isalpha():
        return mixed
    # A sentence may end with one.
    word = mixed.rstrip("!|")
    read = word.translate(DIGITS)
    if "1" in word or "|" in word:
        read = _WITH_L.get(read.lower().replace("l", "i"), read)
    return read + mixed[len(word) :]


def _together(plain: str) -> Iterator[str]:
    """The text with letters apart brought together: all of a row; and up to where something else stands between two."""
    yield re.sub(_SPREAD, lambda found: _joined(found[0]), plain)
    words = re.sub(_SPREAD, lambda found: _in_words(found[0]), plain)
    if words != plain:
        yield words


def _in_words(spread: str) -> str:
    """The words of a row, if most of its letters have the same between them: what is rare there parts two words."""
    gaps = re.findall(r"[^A-Za-z]+", spread)
    usual = max(dict.fromkeys(gaps), key=gaps.count)
    return "".join(one if one.isalpha() else "" if one == usual else " " for one in re.split(r"([^A-Za-z]+)", spread))


def _joined(spread: str) -> str:
    letters = re.sub(r"[^A-Za-z]", "", spread)
    return letters if len(letters) < _RUN_CHARACTERS_MIN else " ".join(_words_in(letters.lower()))


def _words_in(letters: str) -> list[str]:
    """A row of letters as the fewest words that the tests know, with as few letters beside them as can be."""
    known, sizes = _known(), _sizes()
    costs, starts = [0], [0]
    for end in range(1, len(letters) + 1):
        cost, start = costs[-1] + _UNKNOWN_COST, end - 1
        for size in sizes.get(letters[end - 2 : end], ()):
            first = end - size
            if first >= 0 and costs[first] < cost - 1 and letters[first:end] in known:
                cost, start = costs[first] + 1, first
        costs.append(cost)
        starts.append(start)
    found, end = [], len(letters)
    while end:
        found.append(letters[starts[end] : end])
        end = starts[end]
    return found[::-1]


@cache
def _known() -> frozenset[str]:
    """The words that the tests look for: by them a row of letters without blanks is parted."""
    # Imported here: hardly any text has such a row, and these import this module.
    from hansard.domain.likeness import SMALL_WORDS
    from hansard.domain.tricks.signs import patterns

    found = {*SMALL_WORDS}
    for pattern in patterns():
        plain = re.sub(r"\\.|\[[^\]]*\]|[a-z]*'[a-z]*|(?<=[a-z])\(\?:[a-z|]+\)\??", " ", pattern)
        found |= {*re.findall("[a-z]+", plain), *re.findall(r"([a-z]+)[a-z]\?", plain)}
    return frozenset(one for one in found if 1 < len(one) <= _WORD_CHARACTERS_MAX)


@cache
def _sizes() -> Mapping[str, tuple[int, ...]]:
    """How long the words are that end with two letters, the longest first: hardly any two letters end one."""
    found: dict[str, set[int]] = {}
    for one in _known():
        found.setdefault(one[-2:], set()).add(len(one))
    return {ending: tuple(sorted(sizes, reverse=True)) for ending, sizes in found.items()}


def decoded(plain: str) -> Iterator[str]:
    """What the text says in an encoding that a model reads as easily as plain words."""
    # All at once: an order may be cut in pieces, and none must be passed over because others stand before it.
    said = [one for piece in _within(_pieces(plain)) if (one := _unpacked(piece))]
    if said:
        yield "\n".join(said)
    if len(said) > 1:
        # The end of a line may cut a word.
        yield "".join(said)


def is_partly_read(plain: str) -> bool:
    """Whether more of the text is encoded than is read."""
    if len(plain) <= ENCODED_CHARACTERS_MAX:
        return False
    return sum(map(len, _pieces(plain))) > ENCODED_CHARACTERS_MAX


def _pieces(plain: str) -> list[str]:
    found = re.findall(_ENCODED, plain)
    if sum(map(plain.count, _HEX_DIGITS)) >= _HEX_BYTES_MIN:
        found += [re.sub(r"0x|[^0-9A-Fa-f]", "", one[0]) for one in re.finditer(_SPACED, plain)]
    return found


def _within(pieces: list[str]) -> list[str]:
    """The pieces, or as many of the first and of the last as are read."""
    if sum(map(len, pieces)) <= ENCODED_CHARACTERS_MAX:
        return pieces
    half = ENCODED_CHARACTERS_MAX // 2
    first, last = [], []
    left = half
    for piece in pieces:
        first.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            break
    left = half
    for piece in reversed(pieces):
        # Four characters are three bytes, so a piece is cut between fours.
        last.append(piece[-(-max(0, len(piece) - left) // 4) * 4 :])
        left -= len(piece)
        if left <= 0:
            break
    return first + last[::-1]


def rotated(plain: str) -> Iterator[str]:
    """What the text says in rot13, whether or not it tells so. All of it is read: the order may stand at its end."""
    low = plain.lower()
    if any(stem in low for stem in ROTATED):
        yield plain.translate(_ROTATION)


def _unpacked(piece: str) -> str:
    # Imported here: hardly any text has such a piece.
    from base64 import b64decode

    bare = piece.rstrip("=")
    try:
        if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", bare):
            raw = bytes.fromhex(bare)
        else:
            raw = b64decode(bare[: len(bare) - (len(bare) % 4 == 1)] + "=" * (-len(bare) % 4))
    except ValueError:
        return ""
    # Every other byte is empty in what Windows calls Unicode.
    raw = raw.replace(b"\0", b"")
    said = raw.decode("utf-8", "ignore")
    if len(said.encode()) >= READABLE_SHARE_MIN * len(raw):
        return said
    # What is no text must not hide what stands beside it. In random bytes no run of letters is that long.
    return b" ".join(re.findall(rb"[\t\n\r\x20-\x7e]{16,}", raw)).decode("ascii")
