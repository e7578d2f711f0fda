"""Owns the other ways to read a text: letters apart, digits for letters, markup inside, backwards, encoded."""

import re
from collections.abc import Iterator

DIGITS = str.maketrans("013457@$", "oieastas")
ENCODED_CHARACTERS_MIN = 32
ENCODED_PIECES_MAX = 8
ENCODED_CHARACTERS_MAX = 4_096
_DROPPING = ("ignor", "disregard", "forget", "overrid", "bypass", "discard")
BACKWARDS = ("snoitcurtsni", "suoiverp", "erongi", "dragersid")


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
    for found in re.findall(r"[A-Za-z0-9+/]{32,}={0,2}", plain)[:ENCODED_PIECES_MAX]:
        said = _unpacked(found[:ENCODED_CHARACTERS_MAX])
        if said:
            yield said
    if "rot13" in plain.lower():
        # Imported here: hardly any text speaks of it.
        from codecs import encode

        yield encode(plain[:ENCODED_CHARACTERS_MAX], "rot13")


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
    return raw.decode("ascii", "ignore") if raw.isascii() else ""
