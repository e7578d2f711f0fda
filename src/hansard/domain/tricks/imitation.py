"""Owns how a text is known that looks as if Hansard had written it: its headings, notes, labels and items.

Escaping keeps such words inside their item. A model still reads them, and takes them for law or for somebody else's.
"""

import re
from collections.abc import Iterable

from hansard.domain import layout
from hansard.domain.text import has_any
from hansard.domain.vocabulary import DecisionType

_EMPHASIS = r"[*_\\]{0,4}"
_PLAIN_HEADINGS = (layout.MEMORY_HEADING, layout.SESSION_HEADING)
"""Many a document has a chapter of such a name, so one counts beside something else only, and as a heading only."""
_HEADINGS = (
    layout.BOUNDARIES_HEADING, layout.GUIDANCE_HEADING, layout.KNOWLEDGE_HEADING, layout.DECISIONS_TITLE,
    layout.BOUNDARIES_TITLE, layout.PATTERNS_TITLE,
)  # fmt: skip
NOTES = tuple(
    said.lower()
    for note in (layout.BOUNDARIES_NOTE, layout.BINDING_NOTE, layout.PUBLIC_NOTE)
    for said in re.split(r"[.,]\s*", note.removeprefix("> "))
    if said.count(" ") > 3
)
"""The parts of what Hansard says of its own words. Nobody hits upon two of them by chance."""


def _named(heading: str) -> str:
    return heading.lstrip("# ").lower()


def _one_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in words)


NAMES = tuple(_named(one) for one in _HEADINGS)
PLAIN_NAMES = tuple(_named(one) for one in _PLAIN_HEADINGS)
_BEFORE = r"(?:\A|[\s>*\\])"
_ROUND = r"\u2022\u2023\u25e6\u00b7"
_DOTS = rf"{_ROUND}\u2013\u2014"
_BULLET = rf"{_BEFORE}[*+{_DOTS}-][ \t]{{0,3}}{_EMPHASIS}"
_START = rf"(?:\A|\n)[ \t>*_+=\\{_DOTS}-]*"
_KINDS = "|".join(layout.ITEM_KINDS)
_TYPES = "|".join(one.value for one in DecisionType)
_TYPE = layout.TYPE.lower()
_DECIDED_BY = layout.DECIDED_BY.lower()
_LAW = _one_of((_named(layout.BOUNDARIES_HEADING),))
_LAW_LINE = (
    rf"{_START}\#{{1,6}}[ \t]*{_EMPHASIS}{_LAW}[ \t*_:\#-]*(?=\n|\Z)"
    rf"|{_BEFORE}\#{{1,6}}[ \t]*{_EMPHASIS}{_LAW}[ \t*_:-]*[\#>]"
)
"""The heading over everything that binds, on a line of its own or before more of the same in one line."""
_WHOSE = (
    rf"(?<![a-z0-9`]){_TYPE}{_EMPHASIS}[ \t]?:[^|\n]{{1,60}}\|[ \t]*{_EMPHASIS}(?:{_DECIDED_BY}{_EMPHASIS}[ \t]?:"
    rf"|{layout.BY.lower()}{_EMPHASIS}[ \t]?:[^|\n]{{1,120}}\|[ \t]*{_EMPHASIS}(?:status|number){_EMPHASIS}[ \t]?:)"
    rf"|(?<![a-z0-9`]){_TYPE}{_EMPHASIS}[ \t]?:[ \t*_\\]*(?:{_TYPES})[ \t|/,;-]{{0,6}}\n?[ \t>*_\\-]{{0,8}}"
    rf"{_DECIDED_BY}{_EMPHASIS}[ \t]?:"
)
"""The line that says of a decision whose it is."""
_BARS = r"|\u00a6\u01c0\u2223\u2502\u2503\u2758"
_LABELS = _one_of(one.lower() for one in layout.FILE_LABELS)
_TELLING = _one_of(one.lower() for one in layout.FILE_LABELS if one not in {layout.DATE, layout.WHY})
"""A page has its author and its date in one line, and says nothing of a decision by that."""
_ENDS = rf"{_EMPHASIS}[ \t]?:"
_CLAIMED = (
    rf"(?:(?:{_one_of(one.lower() for one in (layout.BY, layout.DECIDED_BY, *layout.REPLACED_LABELS))}){_ENDS}"
    rf"|{layout.NUMBER.lower()}{_ENDS}[ \t*_\\]*d-[0-9])"
)


def _next_cell(bars: str) -> str:
    """What lies between a label and another one of the same line, behind one of these bars."""
    return rf"(?:[^{bars}\n]{{0,160}}[{bars}]){{1,6}}[ \t]*"


_CELL = rf"(?:\A|[\n.!?{_BARS}])[ \t>*_+=\\{_DOTS}-]*"
_STRESSED = r"[*_]{1,3}"
_JOINT = rf"[{_BARS}{_ROUND}]"
_RECORD_LINES = (
    (
        rf"(?<![a-z0-9]){_STRESSED}({_LABELS}){_ENDS}{_next_cell(_BARS + _ROUND)}"
        rf"\\?{_STRESSED}(?!\1\b)(?:{_LABELS}){_ENDS}"
    ),
    rf"{_CELL}{_CLAIMED}{_next_cell(_BARS)}{_EMPHASIS}(?:{_TELLING}){_ENDS}",
    rf"{_CELL}(?:{_TELLING}){_ENDS}{_next_cell(_BARS)}{_EMPHASIS}{_CLAIMED}",
)
"""A line with two labels of a decision, in any order. Without emphasis one of them says whose or which it is: of what
type, in what state and of which day something is, every list of tasks says."""
_OTHERS = (
    rf"(?:{_START}|{_BULLET})\[(?:core|learning|pattern) from [^\]\n]{{1,80}}\]|{_BULLET}\[run of [^\]\n]{{1,80}}\]"
)
"""Somebody else's memory or run. An update from somebody is what honest lists are made of."""
OWN = (_LAW_LINE, _WHOSE, _OTHERS, *_RECORD_LINES)
"""What nobody else needs to write. Each is tried on the text in small letters, with its lines."""
ABROAD = (
    rf"{re.escape(layout.DATA_MARK)}.{{0,40}}\bend of (?:the )?data\b",
    rf"\((?:{_TYPES}), {_DECIDED_BY} [^)\n]{{1,80}}\)",
    rf"(?:\A|\n)[ \t>*+-]*d-[0-9]{{1,9}} \[(?:{_TYPES})\]",
    rf"(?:\A|\n|[.!?] )[ \t>*_+-]*{_DECIDED_BY} (?:the )?[\w-]{{2,30}}(?: (?:and|&) [\w-]{{2,30}})?[ \t*_]{{0,4}}:",
)
"""What an agent may tell of a record, and a page has no reason to write. The mark of data alone claims nothing."""
_HEADING = (
    rf"{_BEFORE}\#{{1,6}}[ \t]*{_EMPHASIS}(?:{_one_of((*NAMES, *PLAIN_NAMES))})"
    r"(?![\w`\"'])"
    rf"|{_START}(?:{_one_of(NAMES)})[ \t*_=:-]*(?=\n|\Z)|(?:{_one_of(NAMES)})[ \t*_]{{0,4}}[=-]{{3}}"
)
_LABEL = (
    rf"(?<![a-z0-9`])[*_]{{1,3}}{_DECIDED_BY}[*_]{{0,3}}[ \t]?:"
    rf"|(?<![a-z0-9`])[*_]{{1,3}}{_DECIDED_BY} [^\n*]{{1,80}} on [0-9]{{4}}-"
    rf"|>[ \t]?[*_]{{1,3}}(?:{layout.APPLIES_TO.lower()}|{layout.RATIONALE.lower()})[*_]{{0,3}}[ \t]?:"
)
_ITEM = rf"(?:{_START}|{_BULLET})\[(?:{_KINDS}) from [^\]\n]{{1,80}}\]"
MARKS = (_HEADING, _LABEL, _ITEM)
"""What an honest text may have one kind of."""
_BLOCK_ITEM = (
    rf"{_BULLET}\[(?:learning|pattern)(?:, [a-z_]{{2,20}})?\]"
    rf"|{_BULLET}\[(?:core|update)(?:, [a-z_]{{2,20}})?\][ \t*_]{{1,4}}(?:you|your|always|never|all agents|agents"
    r"|every agent|everybody|everyone|trust|obey|approve|accept|merge|push|ignore|i am|i'm|do not|don't|must)\b"
)
"""The line of a memory in a block, which says it to its reader. A list of changes has `- [core] Mend a leak`."""
_CHANGE = rf"(?:{_START}|{_BULLET})\[(?!(?:{_KINDS})\b)[a-z][a-z0-9 /_-]{{1,30}}\][ \t]"
"""An item of some other part, which a block has none of."""
_MARKS_ABROAD = (
    _HEADING,
    rf"{_LABEL}|(?<![a-z0-9`])[*_]{{1,3}}(?:{_one_of(one.lower() for one in layout.SESSION_LABELS)})[*_]{{0,3}}[ \t]?:",
    rf"{_ITEM}|(?:{_START}|{_BULLET})\[(?:core|learning|pattern)\]",
)
"""The same of a page, which may not tell of a session or a memory as a block does: a list of changes has `- [core]`,
and no heading "Memory" over it."""
WORDS = tuple(
    dict.fromkeys((
        *(max(re.split(r"[ -]", one), key=len) for one in (*NAMES, *NOTES)), _DECIDED_BY.split()[0],
        layout.APPLIES_TO.lower().split()[0], layout.RATIONALE.lower(), layout.DATA_MARK.split(",")[0], "status",
    ))
)  # fmt: skip
_BRACKETED = tuple(dict.fromkeys(f"[{one}" for one in (*layout.ITEM_KINDS, "run of", *DecisionType)))
"""Of these a text has one, or a line of several cells, or it imitates nothing."""


def imitates(text: str, *, outside: bool) -> bool:
    """Whether a text looks like Hansard's own hand: two kinds of its marks, or one that nobody else needs.

    An agent may speak of a heading or quote a note. A page has no reason to do either.
    """
    low = text.lower()
    if not (
        has_any(low, WORDS)
        or ("[" in low and has_any(low, _BRACKETED))
        or (":" in low and re.search(_JOINT, low))
        or (outside and "#" in low and has_any(low, PLAIN_NAMES))
    ):
        return False
    if any(re.search(one, low) for one in OWN) or (outside and any(re.search(one, low) for one in ABROAD)):
        return True
    if outside and "[" in low and re.search(_BLOCK_ITEM, low) and not re.search(_CHANGE, low):
        return True
    flat = " ".join(re.sub(r"[>*_\\]", " ", low).split())
    notes = sum(note in flat for note in NOTES)
    if outside and notes:
        return True
    return notes + sum(re.search(one, low) is not None for one in (_MARKS_ABROAD if outside else MARKS)) > 1
