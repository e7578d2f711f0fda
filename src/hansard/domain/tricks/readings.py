"""Owns the other ways to read a text: letters apart, digits for letters, markup inside, backwards, encoded."""

import re
from collections.abc import Iterator

DIGITS = str.maketrans("013457@$", "oieastas")
ENCODED_CHARACTERS_MIN = 32
ENCODED_CHARACTERS_MAX = 65_536
"""So much of all encoded pieces together is read: as much as a memory holds. Of more, the beginning and the end."""
READABLE_SHARE_MIN = 0.8
"""The share of bytes that are characters. Of a key or an image it is about a half."""
_ENCODED = r"[A-Za-z0-9+/]{32,}={0,2}"
_DROPPING = ("ignor", "disregard", "forget", "overrid", "bypass", "discard")
BACKWARDS = ("snoitcurtsni", "suoiverp", "erongi", "dragersid")
ROTATED = ("vtabe", "qvfertne", "sbetrg", "bireevq", "olcnff", "vafgehpg", "cerivbhf", "cebzcg", "flfgrz", "nffvfgnag",
           "frperg", "perqragvny", "cnffjbeq", "gbxra", "uggc", "gur ", "guvf", "naq ", "nyjnlf", "ntrag", "lbh",
           "rot13")  # fmt: skip
"""Of these a text in rot13 has one: ignore, instruct, the, this, you. In plain words no language has many of them."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROTATION = str.maketrans(
    _LETTERS + _LETTERS.upper(), _LETTERS[13:] + _LETTERS[:13] + _LETTERS[13:].upper() + _LETTERS[:13].upper()
)


def spellings(plain: str) -> Iterator[str]:
    """The text with letters apart brought together, digits that stand for letters as letters, and so on."""
    if re.search(r"(?:\b[A-Za-z][ .*_-]){6}", plain):
        yield re.sub(r"(?<=\b[A-Za-z])[ .*_-](?=[A-Za-z]\b)", "", plain)
    if re.search(r"[A-Za-z][013457@$][A-Za-z]", plain):
        yield plain.translate(DIGITS)
    if re.search(r"[A-Za-z]-[A-Za-z]+-[A-Za-z]", plain):
        # The name of a flag is no sentence.
        yield re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", " ", re.sub(r"(?<![\w-])--[A-Za-z][\w-]*", " ", plain))
    bare = plain
    if "<" in plain and re.search(r"<[A-Za-z/!?]", plain):
        bare = re.sub(r"</?[A-Za-z][^<>]{0,200}>|<[!?][^<>]{0,200}>", "", plain)
    if "&" in bare and re.search(r"&#?\w{1,12};", bare):
        # Imported here: hardly any text has an entity.
        from html import unescape

        bare = unescape(bare)
    if bare != plain:
        yield bare
    low = bare.lower()
    if any(word in low for word in _DROPPING):
        if re.search(r"[a-z][A-Z]", bare):
            yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
        loose = re.sub(r"[^\w\s.:'-]+|_|(?<!\S)-(?!\S)|\.{2,}", " ", bare)
        if loose != bare:
            yield loose
    if any(word in low for word in BACKWARDS):
        yield bare[::-1]


def decoded(plain: str) -> Iterator[str]:
    """What the text says in an encoding that a model reads as easily as plain words."""
    # All at once: an order may be cut in pieces, and none must be passed over because others stand before it.
    said = [one for piece in _within(re.findall(_ENCODED, plain)) if (one := _unpacked(piece))]
    if said:
        yield "\n".join(said)
    if len(said) > 1:
        # The end of a line may cut a word.
        yield "".join(said)


def is_partly_read(plain: str) -> bool:
    """Whether more of the text is encoded than is read."""
    if len(plain) <= ENCODED_CHARACTERS_MAX:
        return False
    return sum(map(len, re.findall(_ENCODED, plain))) > ENCODED_CHARACTERS_MAX


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
