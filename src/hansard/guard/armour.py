"""Owns how far a private key in armour goes: over its own lines, and not over the text that follows them."""

import re

from hansard.guard.values import is_wordlike

_HEAD = re.compile(r"-{4,5} ?BEGIN[ A-Z0-9]{0,24} PRIVATE KEY(?: BLOCK)? ?-{4,5}", re.IGNORECASE)
_TAIL = re.compile(r"-{4,5} ?END[ A-Z0-9]{0,24} PRIVATE KEY(?: BLOCK)? ?-{4,5}", re.IGNORECASE)
_BREAK = r"(?:[\s\"'\x60*#>|;]|-{1,3}(?=\s)|//(?=\s)|\+(?=[\s\"'])|\\+[nrt]|\\(?=\s)|(?<=\s)[0-9]{1,5}(?:[:.)]|(?=\s)))"
"""What may stand between two pieces of a key: line breaks, also written out, quotes, comment marks, line numbers."""
_FIELD = re.compile(rf"{_BREAK}{{1,40}}[A-Z][A-Za-z-]{{2,20}}: (?:\"[^\"\r\n\\]{{0,99}}\"|[^\r\n\\\"]{{0,120}})")
_PIECE = re.compile(rf"{_BREAK}{{0,60}}([A-Za-z0-9+/_]{{16,}}={{0,2}})")
_REST = re.compile(r"(?:\\+[nr]|[\r\n])(?:\s|--\s|//\s|[#*>]){0,20}([A-Za-z0-9+/_]{1,63}={0,2})(?![A-Za-z0-9])")
_GAP = re.compile(rf"{_BREAK}{{0,60}}")
_LONG = re.compile(r"[A-Za-z0-9+/_]{16,}={0,2}")
FIELDS_MAX = 8
KEY_SHARE_MIN = 0.5


def reach(text: str) -> int:
    """How many characters of a text that begins with the head of a private key belong to it; 0 if there is no key."""
    head = _HEAD.match(text)
    if head is None:
        return 0
    place = head.end()
    for _ in range(FIELDS_MAX):
        field = _FIELD.match(text, place)
        if field is None:
            break
        place = field.end()
    end = _pieces(text, place)
    tail = _TAIL.search(text, max(len(text) - 80, head.end()))
    if tail is not None and tail.end() == len(text):
        gap = _GAP.match(text, end or place)
        closes = gap is not None and gap.end() == tail.start()
        if (end and closes) or _is_mostly_key(text[head.end() : tail.start()]):
            return len(text)
    return end


def _pieces(text: str, place: int) -> int:
    """Where the last piece of a key ends, 0 if there is none. A short one counts if it is the rest of a line."""
    end = 0
    while (piece := _PIECE.match(text, place)) is not None and not is_wordlike(piece[1]):
        end = place = piece.end()
    rest = _REST.match(text, end) if end else None
    return rest.end() if rest is not None and not rest[1].isalpha() else end


def _is_mostly_key(body: str) -> bool:
    """Whether an armour that is closed holds a key, however its lines are marked."""
    pieces = sum(len(one) for one in _LONG.findall(body) if not is_wordlike(one))
    return pieces > KEY_SHARE_MIN * len(body)
