"""Owns the gate: takes the secrets out of the texts of a record, and says where they were."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from hansard.domain import limits
from hansard.guard.batch import scan_many
from hansard.guard.familiar import familiar
from hansard.guard.floods import FLOOD
from hansard.guard.leaks import Leak, redacted
from hansard.guard.rules import table
from hansard.guard.secrets import scan
from hansard.guard.values import kind_of_name

Text: TypeAlias = str | tuple[str, ...] | None
"""What a field of a record may hold: a text, several, or nothing."""
Allowed: TypeAlias = Callable[[str], bool]

BYTES_MAX: Mapping[str, int] = {
    "content": limits.CONTENT_BYTES_MAX,
    "title": limits.TITLE_BYTES_MAX,
    "name": limits.TITLE_BYTES_MAX,
    "rationale": limits.RATIONALE_BYTES_MAX,
    "reason": limits.REASON_BYTES_MAX,
    "note": limits.REASON_BYTES_MAX,
    "task": limits.TASK_BYTES_MAX,
    "output": limits.CONTENT_BYTES_MAX,
    "focus": limits.SESSION_FOCUS_BYTES_MAX,
    "issues": limits.ISSUE_BYTES_MAX,
    "summary": limits.SESSION_SUMMARY_BYTES_MAX,
    "state": limits.SESSION_STATE_BYTES_MAX,
    "citations": limits.CITATION_BYTES_MAX,
    "category": limits.WORD_BYTES_MAX,
    "subject": limits.WORD_BYTES_MAX,
    "source_ref": limits.WORD_BYTES_MAX,
    "task_type": limits.WORD_BYTES_MAX,
}
"""How long a field may be. The mark of a redaction may be longer than what it stands for."""


NAMING = ("name", "title", "subject")
"""The fields that say what the content is: `DB password` makes a secret of a value that alone says nothing."""
NAMED = "content"
LABEL_CHARACTERS_MAX = 200
"""Of a longer name only the end is read, where the noun stands."""
_AROUND = " \t\r\"'`*.,;"
"""What may stand beside a value that is all that a line says."""
MARK_CHARACTERS_MAX = 200
"""How long a name, a tag or a slug may be."""


class Redaction(NamedTuple):
    """One secret that was found: in which field, at which character, and of which kind. Never the secret."""

    field: str
    kind: str
    start: int


class Passed(NamedTuple):
    """The texts as they may be stored, and what was taken out of them."""

    texts: dict[str, Text]
    found: tuple[Redaction, ...]


def suspects(texts: Sequence[str]) -> set[int]:
    """The places of texts with a secret in them."""
    return set(scan_many(texts))


def found_in(
    records: Sequence[tuple[Any, ...]],
    fields: Sequence[str],
    search: Callable[[Sequence[str]], set[int]],
    ignored: str | None = None,
) -> set[int]:
    """The places of records of one kind that have a text which the search finds.

    What many of them say is searched once, and what is `ignored` is not.
    """
    columns = dict(zip(records[0]._fields, zip(*records, strict=True), strict=True))  # type: ignore[attr-defined]
    different = {name: dict.fromkeys(columns[name]) for name in fields}
    texts: dict[str, None] = {}
    for value in chain.from_iterable(different.values()):
        if isinstance(value, str):
            texts[value] = None
        elif value:
            texts.update(dict.fromkeys(value))
    texts.pop(ignored or "", None)
    known = list(texts)
    found = {known[place] for place in search(known)}
    if not found:
        return set()
    places: set[int] = set()
    for name, values in different.items():
        told = {value for value in values if not found.isdisjoint(_parts(value))}
        if told:
            places.update(place for place, value in enumerate(columns[name]) if value in told)
    return places


def passed(texts: Mapping[str, Text], allowed: Allowed) -> Passed:
    """The texts without their secrets, each cut to what its field may hold."""
    scanned = [*(one for value in texts.values() for one in _parts(value)), *introduced(texts)]
    leaks = {scanned[place]: leaks for place, leaks in scan_many(scanned).items()}
    if not leaks:
        return Passed({}, ())
    found: list[Redaction] = []
    changed: dict[str, Text] = {}
    labels = labels_of(texts)
    for field, value in texts.items():
        named = labels if field == NAMED else ()
        clean = tuple(_clean(field, one, _leaks(one, named, leaks), allowed, found) for one in _parts(value))
        if clean != _parts(value):
            changed[field] = clean[0] if isinstance(value, str) else clean
    return Passed(changed, tuple(found))


def introduced(texts: Mapping[str, Text]) -> list[str]:
    """The content behind each name of it that may make a secret of it, as somebody would write it in one line."""
    content = texts.get(NAMED)
    return [_introduced(label, content) for label in labels_of(texts)] if isinstance(content, str) and content else []


def _introduced(label: str, content: str) -> str:
    return f"{label}: {content}"


def may_name(*labels: str) -> bool:
    """Whether something of one of these names may be a secret, whatever it is."""
    lowered = "\0".join(labels).lower()
    return any(word in lowered for word in _naming_words())


@cache
def _naming_words() -> tuple[str, ...]:
    known = table()
    words = sorted({"key", "cred", *known.names, *(one.lower() for one in known.foreign_names)}, key=len)
    # A word that begins or goes on with a shorter one is found by that.
    return tuple(one for place, one in enumerate(words) if not any(other in one for other in words[:place]))


def labels_of(texts: Mapping[str, Text]) -> tuple[str, ...]:
    """Those of the names that say that what they name is a secret."""
    said = [texts.get(field) for field in NAMING]
    cut = [one[-LABEL_CHARACTERS_MAX:] for one in said if isinstance(one, str)]
    return tuple({one: None for one in cut if may_name(one) and kind_of_name(familiar(one)) is not None})


def holds_secret(mark: str) -> Leak | None:
    """The secret in a word that is kept in small letters, such as a tag or a slug: its case is gone, and a slug has
    dashes where a token had underscores."""
    spellings = [mark, mark.upper()]
    if "-" in mark:
        spellings.append(mark.replace("-", "_"))
    leaks = scan("\n\0\n".join(spellings))
    return leaks[0] if leaks else None


def _parts(value: Text) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _clean(field: str, text: str, leaks: Sequence[Leak], allowed: Allowed, found: list[Redaction]) -> str:
    leaks = _forbidden(text, leaks, allowed)
    if not leaks:
        return text
    found += [Redaction(field, leak.kind, leak.start) for leak in leaks]
    clean = redacted(text, leaks)
    if text[:1] in ("{", "[") and _parsed(clean) is None:
        clean = _cleaned_inside(text, clean, allowed)
    return _fitted(clean, BYTES_MAX.get(field))


def _forbidden(text: str, leaks: Sequence[Leak], allowed: Allowed) -> list[Leak]:
    """What nobody allowed. What follows in a dump was not judged, and cannot be allowed."""
    return [leak for leak in leaks if leak.kind == FLOOD or not allowed(text[leak.start : leak.end])]


def _leaks(text: str, labels: Sequence[str], scanned: Mapping[str, Sequence[Leak]]) -> list[Leak]:
    """The secrets of a text, and those that only what stands above it makes one."""
    leaks = list(scanned.get(text, ()))
    for label in labels:
        shift = len(_introduced(label, ""))
        for one in scanned.get(_introduced(label, text), ()):
            start, end = max(0, one.start - shift), one.end - shift
            known = any(start < other.end and other.start < end for other in leaks)
            if end > start and not known and _is_alone(text, start, end):
                leaks.append(one._replace(start=start, end=end))
    return sorted(leaks)


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a line says nothing but the value. What stands in a sentence is judged by the sentence."""
    before = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    rest = text[before:start] + (text[end:] if after < 0 else text[end:after])
    return not rest.strip(_AROUND)


def _cleaned_inside(text: str, clean: str, allowed: Allowed) -> str:
    """JSON whose strings were cleaned one by one, if taking the secrets out of it as a text broke it."""
    parsed = _parsed(text)
    if parsed is None:
        return clean
    import json

    whole = json.dumps(_deep(parsed, allowed), ensure_ascii=False)
    mended = redacted(whole, _forbidden(whole, scan(whole), allowed))
    return clean if _parsed(mended) is None else mended


def _deep(said: object, allowed: Allowed) -> object:
    if isinstance(said, str):
        return redacted(said, _forbidden(said, scan(said), allowed))
    if isinstance(said, list):
        return [_deep(one, allowed) for one in said]
    if isinstance(said, dict):
        return {_deep(name, allowed): _deep(one, allowed) for name, one in said.items()}
    return said


def _parsed(text: str) -> object | None:
    import json

    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed


def _fitted(text: str, bytes_max: int | None) -> str:
    if bytes_max is None or len(text.encode()) <= bytes_max:
        return text
    return text.encode()[:bytes_max].decode("utf-8", "ignore").rstrip()
