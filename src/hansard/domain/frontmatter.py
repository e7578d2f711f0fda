"""Owns how a proposal looks in a file of the inbox folder: front matter, body, rationale, and how it is read back."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from hansard.domain.errors import Invalid, shown
from hansard.domain.inbox import Entry, Proposal, from_origin, proposal
from hansard.domain.layout import OUTSIDE_MARK
from hansard.domain.text import has_invisible, numbered, unnumbered
from hansard.domain.trust import is_from_outside
from hansard.domain.vocabulary import Origin

FENCE = "---"
KEYS = ("agent", "slug", "type", "title", "origin")
REQUIRED = ("agent", "slug", "type")
RATIONALE = "**Rationale:**"
REMOVE_IT = "; remove it"

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9 _./()-]*[A-Za-z0-9_./()-])?")
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_MARKED = re.compile(rf"\\*{re.escape(RATIONALE)}")
_ESCAPED = re.compile(rf"\\+{re.escape(RATIONALE)}")
_KEY_LINE = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$", re.ASCII)
_COMMENT = re.compile(r"[ \t]#.*$")
_SINGLE = re.compile(r"'((?:[^']|'')*)'[ \t]*(#.*)?$")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t]*(#.*)?$')
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_LETTERS: Mapping[str, str] = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_COMMENT_LOST = ("a comment is not taken into the record", "move it into the body")
_MARKED_TITLE = f" {OUTSIDE_MARK}"
_SEVERAL_LINES = re.compile(r"[|>][-+0-9]*[ \t]*(#.*)?$")


class Warned(NamedTuple):
    """Something in a file that is not as it should be: where, what, and how to put it right."""

    line: int
    problem: str
    fix: str


class Reading(NamedTuple):
    """What a file proposes, or None and why not, with what else was noticed."""

    proposal: Proposal | None
    refusal: Warned | None
    warnings: tuple[Warned, ...]


class _Refused(Exception):
    """The file cannot be read as a proposal."""

    def __init__(self, line: int, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.why = Warned(line, problem, fix)


def scalar(value: str) -> str:
    """The value as YAML on one line: plain if no reader could take it for anything else, otherwise quoted."""
    if _PLAIN.fullmatch(value) and value.lower() not in _YAML_WORDS:
        return value
    return "".join(_spelled(char) for char in json.dumps(value, ensure_ascii=False))


def front(pairs: Iterable[tuple[str, str]]) -> str:
    """Front matter, its fences on lines of their own. Each value is YAML already."""
    lines = [f"{key}: {value}".rstrip() for key, value in pairs]
    return "\n".join([FENCE, *lines, FENCE]) + "\n"


def written(entry: Entry, *, fenced: bool | None = None) -> str:
    """The file of a pending entry. Reading it gives the same words back, also where they are quoted as from outside."""
    values = [entry.author, entry.slug, entry.type.value, entry.title]
    drawn = _kept
    if is_from_outside(entry) if fenced is None else fenced:
        values[-1:] = [f"{entry.title}{_MARKED_TITLE}", (entry.origin or Origin.EXTERNAL).value]
        drawn = _fenced
    parts = [front((key, scalar(value)) for key, value in zip(KEYS, values, strict=False)), drawn(entry.content)]
    if entry.rationale is not None:
        parts.append(f"{RATIONALE} {drawn(entry.rationale)}")
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def read(data: bytes) -> Reading:
    """The proposal in a file. Nothing is guessed: what is missing or said twice is a reason to leave the file alone."""
    warnings: list[Warned] = []
    try:
        lines = _lines(data)
        end = _closing(lines)
        values = _values(lines[1:end], warnings)
        return Reading(_proposal(values, lines[end + 1 :], end + 2), None, tuple(warnings))
    except _Refused as refused:
        return Reading(None, refused.why, tuple(warnings))


def _spelled(char: str) -> str:
    """A character as a quoted scalar may hold it: what shows nothing is written as its number."""
    code = ord(char)
    if char.isprintable() and not has_invisible(char):
        return char
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _kept(text: str) -> str:
    """The text with a mark before each line that would be taken for the rationale."""
    return "\n".join(f"\\{line}" if _MARKED.match(line) else line for line in text.split("\n"))


def _fenced(text: str) -> str:
    """The text as a quotation behind the mark, none of whose lines any reader could see outside of it."""
    quoted = numbered(text).replace("\n", "\n> ")
    return f"{OUTSIDE_MARK}\n> {quoted}"


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _Refused(line, f"byte {error.start} is not UTF-8", "save the file as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _closing(lines: list[str]) -> int:
    if lines[0].rstrip() != FENCE:
        raise _Refused(1, "the file does not begin with front matter", f"begin the first line with {FENCE}")
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            return place
    raise _Refused(len(lines), "the front matter does not end", f"close it with {FENCE} on a line of its own")


def _values(lines: list[str], warnings: list[Warned]) -> dict[str, tuple[int, str]]:
    """The keys we know with the line each stands on; what we do not know is warned about."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            warnings.append(Warned(number, *_COMMENT_LOST))
            continue
        matched = _KEY_LINE.fullmatch(line.rstrip())
        key = matched.group(1).lower() if matched else ""
        if matched is None:
            warnings.append(Warned(number, f"{shown(line.strip())} is no `key: value`", "remove the line"))
        elif key not in KEYS:
            known = ", ".join(KEYS)
            warnings.append(Warned(number, f"the key {shown(matched.group(1))} is not known", f"use {known}"))
        elif key in found:
            raise _Refused(number, f"{key} is given twice", f"keep one line for {key}")
        else:
            found[key] = number, _value(matched.group(2) or "", number, warnings)
    return found


def _value(raw: str, number: int, warnings: list[Warned]) -> str:
    raw = raw.strip()
    quoted = _SINGLE.fullmatch(raw) or _DOUBLE.fullmatch(raw)
    if quoted:
        if quoted.group(2):
            warnings.append(Warned(number, *_COMMENT_LOST))
        if raw.startswith("'"):
            return quoted.group(1).replace("''", "'")
        return _ESCAPE.sub(lambda found: _unescaped(found, number), quoted.group(1))
    if raw[:1] in {"'", '"', "[", "{", "&", "*", "!"} or _SEVERAL_LINES.fullmatch(raw):
        raise _Refused(number, f"{shown(raw)} is not one plain or quoted value", 'write it as "…" on one line')
    if raw.startswith("#"):
        return ""
    plain = _COMMENT.sub("", raw).rstrip()
    if plain != raw:
        warnings.append(Warned(number, "what follows ` #` is a comment", 'quote the value with "…" to keep it'))
    return plain


def _unescaped(found: re.Match[str], number: int) -> str:
    digits = found.group(1) or found.group(2) or found.group(3)
    code = int(digits, 16) if digits else -1
    if digits and code <= 0x10FFFF:
        return chr(code)
    if found.group(4) in _LETTERS:
        return _LETTERS[found.group(4)]
    raise _Refused(number, f"{shown(found.group())} is no escape of a quoted value", "write \\\\ for a backslash")


def _proposal(values: Mapping[str, tuple[int, str]], body: list[str], body_line: int) -> Proposal:
    missing = {key: values.get(key, (1, ""))[0] for key in REQUIRED if not values.get(key, (1, ""))[1].strip()}
    if missing:
        named = " and ".join([", ".join([*missing][:-1]), [*missing][-1]] if len(missing) > 1 else missing)
        lines = ", ".join(f"`{key}: …`" for key in missing)
        verb = "is" if len(missing) == 1 else "are"
        raise _Refused(min(missing.values()), f"{named} {verb} missing", f"add {lines} to the front matter")
    origin = values.get("origin", (1, ""))[1].strip() or None
    content, rationale = _parts(body, _unfenced if origin else _restored)
    title = values["title"][1] if "title" in values else None
    if title is not None and origin:
        title = title.removesuffix(_MARKED_TITLE)
    try:
        made = proposal(
            author=values["agent"][1], slug=values["slug"][1], type=values["type"][1], content=content,
            title=title, rationale=rationale,
        )  # fmt: skip
        return from_origin(made, origin)
    except Invalid as error:
        line = next((values[key][0] for key in values if error.message.startswith(key)), body_line)
        problem = error.message.rstrip(".")
        # Some faults say already what is to be done.
        said = problem.removesuffix(REMOVE_IT)
        raise _Refused(line, said, "correct it, then import again" if said == problem else "remove it") from None


def _parts(body: list[str], told: Callable[[list[str]], str]) -> tuple[str, str | None]:
    """Content and rationale: the first line that begins with the mark starts the rationale."""
    start = next((place for place, line in enumerate(body) if line.startswith(RATIONALE)), None)
    if start is None:
        return told(body), None
    first = body[start][len(RATIONALE) :].removeprefix(" ")
    return told(body[:start]), told([first, *body[start + 1 :]])


def _restored(lines: list[str]) -> str:
    return "\n".join(line[1:] if _ESCAPED.match(line) else line for line in lines)


def _unfenced(lines: list[str]) -> str:
    """What is quoted behind the mark. Without the mark it is somebody's own text, and stays as it is."""
    first = next((place for place, line in enumerate(lines) if line.strip()), None)
    if first is None or lines[first].strip() != OUTSIDE_MARK:
        return _restored(lines)
    return unnumbered("\n".join(_unquoted(line) for line in lines[first + 1 :]))


def _unquoted(line: str) -> str:
    # Editors take the blank off a line that has nothing else.
    return line[1:].removeprefix(" ") if line.startswith(">") else line
