"""Owns in which other spellings words are the same words, when something said before is to be known again."""

from hansard.domain.tricks.readings import in_letters, stands_for_letters, written_out

_STANDS_FOR_OTHERS = "&%\\<"
"""What an entity, an escape and a tag begin with."""
LETTERED_CHARACTERS_MAX = 4_096
"""Digits are read as letters in no longer text: it is done while others wait to write, word by word."""


def rewritings_of(text: str) -> tuple[str, ...]:
    """The text; what its entities, escapes, tags and digits stand for; and beyond ASCII what each looks like."""
    found = [text]
    if any(one in text for one in _STANDS_FOR_OTHERS):
        found.append(written_out(text))
    if len(text) <= LETTERED_CHARACTERS_MAX and stands_for_letters(found[-1]):
        found.append(in_letters(found[-1]))
    if all(one.isascii() for one in found):
        return tuple(dict.fromkeys(found))
    # Imported here: most texts need no table of letters.
    from hansard.domain.tricks.lookalikes import shapes_of

    return tuple(dict.fromkeys(shape for one in found for shape in shapes_of(one)))
