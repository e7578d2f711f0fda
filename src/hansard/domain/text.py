"""Owns what counts as text: the checks and the normal form of every string that is stored."""

import re
from collections.abc import Iterable
from unicodedata import category

from hansard.domain.errors import Invalid, TooLarge

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HARMLESS = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_LINE_BREAKING = re.compile(r"[\n\t\u2028\u2029]")
_SELECTORS = "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
"""Characters that only choose the look of the one before them."""
_INVISIBLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Characters that show nothing, hide or reorder text, or are obeyed by a terminal."""
_JOINERS = "\u200c\u200d"
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
"""Scripts whose words are written with joiners, which stand behind a letter. Two of them never follow each other."""
_PICTURED, _KEYCAP = "\ufe0f", "\u20e3"
_KEY = "[#*0-9]"
_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\u3030-\u303d\u3297-\u3299"
    "\U0001f000-\U0001faff]"
)
_LANDS = ("gbeng", "gbsct", "gbwls")
_TAGGED = "|".join(f"\U0001f3f4{''.join(chr(0xE0000 + ord(one)) for one in land)}\U000e007f" for land in _LANDS)
"""The flags that are spelled with characters that show nothing, each as a whole."""
_GAPS = {
    **dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n"),
    **dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " "),
}
"""Those of them that a reader sees as the end of a line, or as a blank."""
_GAP = f"[{''.join(map(chr, _GAPS))}]"
_NUMBER = "[0-9A-F]{4,6}"
_CONTROL_NAMES = {"\x00": "a NUL byte", "\x1b": "an escape character"}


def prose(value: str, *, field: str, bytes_max: int) -> str:
    """Text of many lines: newlines become LF, blank lines before it and white space after it go."""
    text = _checked(value, field=field)
    text = _trimmed(text)
    if is_blank(text):
        raise Invalid(f"{field} is empty.")
    return within(text, field=field, bytes_max=bytes_max)


def optional_prose(value: str | None, *, field: str, bytes_max: int) -> str | None:
    """As `prose`, but nothing and blank both mean None."""
    if value is None:
        return None
    text = _trimmed(_checked(value, field=field))
    return None if is_blank(text) else within(text, field=field, bytes_max=bytes_max)


def line(value: str, *, field: str, bytes_max: int) -> str:
    """Text of one line, trimmed."""
    text = _checked(value, field=field).strip()
    if is_blank(text):
        raise Invalid(f"{field} is empty.")
    if _LINE_BREAKING.search(text):
        raise Invalid(f"{field} must be a single line.")
    return within(text, field=field, bytes_max=bytes_max)


def optional_line(value: str | None, *, field: str, bytes_max: int) -> str | None:
    """As `line`, but nothing and blank both mean None."""
    if value is None or (isinstance(value, str) and is_blank(value)):
        return None
    return line(value, field=field, bytes_max=bytes_max)


def reference(value: str, *, field: str) -> str:
    """Something a record is looked up by. It need not exist, but it must be text."""
    if not isinstance(value, str):
        raise Invalid(f"{field} must be text, not {type(value).__name__}.")
    return value.strip()


def within(text: str, *, field: str, bytes_max: int) -> str:
    """The text, if it is no longer than the limit in UTF-8."""
    if len(text) * 4 > bytes_max:
        size = len(text.encode())
        if size > bytes_max:
            raise TooLarge(f"{field} is {size:,} bytes long; the limit is {bytes_max:,}.")
    return text


def visible(text: str) -> str:
    """Characters that hide or reorder text are shown as their code points.

    A joiner stays where its script needs it, as in `می\u200cخواهم`, and where it makes one picture of several.
    """
    if text.isascii() and not _CONTROL.search(text):
        return text
    return re.sub(f"{_TAGGED}|{_INVISIBLE}|{_SELECTORS}", _shown, text)


def _shown(found: re.Match[str]) -> str:
    one, start, end = found.group(), found.start(), found.end()
    before, after = found.string[max(0, start - 2) : start], found.string[end : end + 1]
    if len(one) > 1:
        return one
    if one == _PICTURED:
        keeps = after == _KEYCAP if re.match(_KEY, before[-1:]) else re.match(_PICTURE, before[-1:])
        return one if keeps else ""
    if re.match(_SELECTORS, one):
        return ""
    if one in _JOINERS and re.match(_JOINING, before[-1:]) and category(before[-1])[0] in "LM":
        return one
    if one == _JOINERS[1] and re.search(f"{_PICTURE}{_PICTURED}?\\Z", before) and re.match(_PICTURE, after):
        return one
    return f"<U+{ord(one):04X}>"


def numbered(text: str) -> str:
    """The same so that nothing of it is lost: `unnumbered` gives the text back as it was."""
    if "<U+" in text:
        text = re.sub(f"<(?=U\\+{_NUMBER}>)", "<U+003C>", text)
    if text.isascii() and not _CONTROL.search(text):
        return text
    return re.sub(f"{_INVISIBLE}|{_SELECTORS}", lambda found: f"<U+{ord(found.group()):04X}>", text)


def unnumbered(text: str) -> str:
    """The text with the character itself for each number that stands for one."""
    return re.sub(f"<U\\+({_NUMBER})>", _character, text) if "<U+" in text else text


def _character(found: re.Match[str]) -> str:
    code = int(found.group(1), 16)
    is_one = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_one else found.group()


def shown_characters_min(text: str) -> int:
    """How many characters of a text are shown at least: whatever shows nothing has its number shown, save selectors."""
    return len(text) if text.isascii() else len(text) - len(re.findall(_SELECTORS, text))


def legible(text: str) -> str:
    """The text as somebody reads it who sees no character that shows nothing: to look for words in, not to show."""
    if text.isascii() and not _CONTROL.search(text):
        return text
    shown = text.translate(_GAPS) if re.search(_GAP, text) else text
    return re.sub(f"{_INVISIBLE}|{_SELECTORS}", "", shown)


def has_invisible(text: str) -> bool:
    # Compiled when a name first needs it: most are ASCII, and the two patterns cost more than a query.
    return not text.isascii() and re.search(f"{_INVISIBLE}|{_SELECTORS}", text) is not None


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: no character at all, or only blanks and ones that show nothing."""
    if text.isascii():
        return not text.strip()
    return re.search(rf"[^\s{_INVISIBLE[1:-1]}{_SELECTORS[1:-1]}]", text) is None


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, for a sentence."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def list_of(values: Iterable[str] | str | None, *, field: str) -> tuple[str, ...]:
    """Several texts, given as one or as a list. Raises Invalid for anything else."""
    if values is None:
        return ()
    if isinstance(values, str):
        return (values,)
    if not isinstance(values, Iterable):
        raise Invalid(f"{field} must be a list of texts, not {type(values).__name__}.")
    return tuple(values)


def _checked(value: str, *, field: str) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{field} must be text, not {type(value).__name__}.")
    text = value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value
    if text.isascii() and not text.encode().translate(None, _HARMLESS):
        # Most texts end here: taking all other bytes out costs a third of looking for one of these.
        return text
    found = _CONTROL.search(text)
    if found:
        name = _CONTROL_NAMES.get(found.group(), f"the control character U+{ord(found.group()):04X}")
        raise Invalid(f"{field} contains {name} at position {found.start()}; remove it.")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Invalid(f"{field} is not valid Unicode at position {error.start}.") from None
    return text


def _trimmed(text: str) -> str:
    text = text.rstrip()
    start = 0
    while (end := text.find("\n", start)) >= 0 and not text[start:end].strip():
        start = end + 1
    return text[start:]


def has_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands in the text. Every write asks for hundreds of them."""
    for word in words:  # noqa: SIM110 - a generator takes twice as long
        if word in text:
            return True
    return False
