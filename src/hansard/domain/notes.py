"""Owns how a note is cut into chunks, which chunk of a changed note is which one of before, and what became of it."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.likeness import Likeness
from hansard.domain.limits import TITLE_BYTES_MAX
from hansard.domain.vocabulary import Scope

CHUNK_CHARACTERS_MAX = 2_000
CONTENT_CHARACTERS_MAX = 2_400
"""A chunk together with the headings it stands under."""
TINY_CHARACTERS = 200
"""A section below this says too little on its own and joins a neighbour."""
TITLE_CHARACTERS_MAX = 60
PATH_MARK = " > "
ALIKE_MIN = 0.5
"""Two texts are versions of one chunk if they share half of their words."""
SAME_HEADING = 0.2
"""What the same heading counts for in that."""

_CLUSTER_CHARACTERS_MAX = 32
_CLUSTER_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_MARK = re.compile(r"^ {0,3}(?:(#{1,6})[ \t]+(?=\S)([^\n]*)|(`{3,}|~{3,})([^\n]*)|(=+|-+)[ \t]*$)", re.MULTILINE)
_NO_TITLE = re.compile(r"[-*+>|#=`~]|\d+[.)]|\t| {4}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*[ \t]+|[。！？；｡][」』）”’]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHOWN_CONTROLS = (
    {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
    | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
    | dict.fromkeys((0x0B, 0x0C, 0x85), "\n")
    | dict.fromkeys(range(0x1C, 0x20), " ")
    | {0x7F: "\u2421"}
)


class Chunk(NamedTuple):
    """A piece of a note: its text, the headings it belongs to, and those of them its text does not begin with."""

    body: str
    path: tuple[str, ...]
    context: tuple[str, ...]

    @property
    def content(self) -> str:
        """The text with what it stands under as its first line, so that it can be understood alone."""
        return f"{PATH_MARK.join(self.context)}\n\n{self.body}" if self.context else self.body

    @property
    def heading(self) -> str:
        return PATH_MARK.join(self.path)

    def name(self, stem: str) -> str:
        full = f"{stem}: {self.heading}" if self.path else stem
        return full.encode()[:TITLE_BYTES_MAX].decode("utf-8", "ignore").strip()


class Known(NamedTuple):
    """A chunk of the note as it was: what its text is compared by, its place, and whether it was given up since."""

    text: str
    position: int
    ended: bool
    heading: str = ""


class _Pair(NamedTuple):
    """A text and a chunk that it may be. The most alike comes first, then what stands nearest."""

    unlike: float
    distance: int
    place: int
    one: int


class NoteStatus(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    ENDED = "ended"
    SKIPPED = "skipped"


class NoteFile(NamedTuple):
    """What became of one file, and of how many memories."""

    path: str
    status: NoteStatus
    reason: str | None = None
    agent: str | None = None
    scope: Scope | None = None
    created: int = 0
    edited: int = 0
    kept: int = 0
    ended: int = 0


class NotesReport(NamedTuple):
    """What became of every file, in the order of their paths."""

    files: tuple[NoteFile, ...]
    refused: tuple[str, ...] = ()
    """The paths of those that the guard refused, as it does with a secret where nothing is to be written then."""

    def count(self, status: NoteStatus) -> int:
        return sum(one.status is status for one in self.files)


class _Heading(NamedTuple):
    start: int
    body_start: int
    path: tuple[str, ...]
    parents: tuple[str, ...]


class _Outline(NamedTuple):
    """Where the headings of a note stand, and its fenced blocks."""

    headings: list[_Heading]
    fences: list[tuple[int, int]]


def readable(document: str) -> str:
    """The document with one kind of line break, and with a picture for whatever a terminal would obey."""
    text = document.replace("\r\n", "\n").replace("\r", "\n") if "\r" in document else document
    return text.translate(_SHOWN_CONTROLS) if _CONTROL.search(text) else text


def chunks(document: str) -> tuple[Chunk, ...]:
    """The document in pieces of bounded length that together hold all of its text, in order."""
    text = readable(document)
    outline = _outline(text)
    starts = [heading.start for heading in outline.headings]
    fence_starts = [start for start, _ in outline.fences]
    found: list[Chunk] = []
    for start, end in _joined(text, outline.headings):
        for first, last in _cuts(text, start, end, outline.fences, fence_starts):
            body = text[first:last].rstrip()
            inked = len(body) - len(body.lstrip())
            if inked < len(body):
                body = body[body.rfind("\n", 0, inked) + 1 :]
                found.append(_placed(body, first + inked, outline.headings, starts))
    return tuple(found)


def heading_of(name: str, stem: str) -> str:
    """The heading in the name of a chunk; none if it has none or was given another name."""
    prefix = f"{stem}: "
    return name.removeprefix(prefix) if name.startswith(prefix) else ""


def align(known: Sequence[Known], texts: Sequence[str], headings: Sequence[str] = ()) -> list[int | None]:
    """For each text, which known chunk it is: one with the same text, else the one most alike, else none.

    A text that shares little with what a chunk said is never that chunk, wherever it stands: ratings and shares
    would go over to other words. The same heading makes up for some of the difference, and a text that has all of
    the old one is alike enough. What was given up comes back only by its own text.
    """
    order = sorted(range(len(known)), key=lambda one: (known[one].ended, known[one].position))
    links: list[int | None] = [None] * len(texts)
    unused = set(order)
    exact = {(known[one].text, known[one].position): one for one in reversed(order) if not known[one].ended}
    for place, text in enumerate(texts):
        _link(links, unused, place, exact.get((text, place)))
    by_text: dict[str, list[int]] = {}
    for one in reversed(order):
        if one in unused:
            by_text.setdefault(known[one].text, []).append(one)
    for place, text in enumerate(texts):
        if links[place] is None and by_text.get(text):
            _link(links, unused, place, by_text[text].pop())
    if None in links and any(not known[one].ended for one in unused):
        for pair in sorted(_pairs(known, unused, texts, links, headings)):
            _link(links, unused, pair.place, pair.one)
    return links


def _pairs(
    known: Sequence[Known],
    unused: Collection[int],
    texts: Sequence[str],
    links: Sequence[int | None],
    headings: Sequence[str],
) -> Iterator[_Pair]:
    """The texts and chunks left that are alike enough. Each text is compared with a few chunks only."""
    live = sorted((one for one in range(len(known)) if not known[one].ended), key=lambda one: (one not in unused, one))
    left = [one for one in live if one in unused]
    likeness = Likeness([known[one].text for one in live], wanted=len(left))
    at = {known[one].position: number for number, one in enumerate(left)}
    for place, text in enumerate(texts):
        if links[place] is not None:
            continue
        said = likeness.said(text)
        expected = _expected(known, links, place)
        beside = [number for position in expected if (number := at.get(position)) is not None]
        for number in dict.fromkeys([*beside, *likeness.nearest(said)]):
            one = left[number]
            named_alike = bool(headings) and headings[place] == known[one].heading != ""
            alike = likeness.share(number, said) + (SAME_HEADING if named_alike else 0)
            if f" {known[one].text} " in f" {text} ":
                # A note that grows still says all that it said.
                alike = max(alike, ALIKE_MIN)
            if alike >= ALIKE_MIN:
                yield _Pair(-alike, abs(known[one].position - expected[0]), place, one)


def _expected(known: Sequence[Known], links: Sequence[int | None], place: int) -> list[int]:
    """Where the chunk of this text stood if nothing but itself changed: between those of its neighbours."""
    before = links[place - 1] if place else None
    after = links[place + 1] if place + 1 < len(links) else None
    follows = [] if before is None else [known[before].position + 1]
    precedes = [] if after is None else [known[after].position - 1]
    return [*follows, *precedes, place]


def _link(links: list[int | None], unused: set[int], place: int, one: int | None) -> None:
    if links[place] is None and one is not None and one in unused:
        links[place] = one
        unused.remove(one)


def _outline(text: str) -> _Outline:
    headings: list[_Heading] = []
    fences: list[tuple[int, int]] = []
    stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    fence, fence_start = "", 0
    for mark in _MARK.finditer(text):
        hashes, title, run, info, rule = mark.groups()
        if fence:
            if run and run.startswith(fence) and not info.strip():
                fences.append((fence_start, mark.end()))
                fence = ""
            continue
        if run:
            if run[0] == "~" or "`" not in info:
                fence, fence_start = run, mark.start()
            continue
        if hashes:
            level, start = len(hashes), mark.start()
        else:
            underlined = _underlined(text, mark.start(), headings[-1].body_start if headings else 0)
            if underlined is None:
                continue
            level, start = 1 if rule[0] == "=" else 2, underlined
            title = text[start : mark.start()]
        while stack[-1][0] >= level:
            stack.pop()
        parents = stack[-1][1]
        shown = _shown(title)
        path = (*parents, shown) if shown else parents
        stack.append((level, path))
        headings.append(_Heading(start, mark.end(), path, parents))
    if fence:
        fences.append((fence_start, len(text)))
    return _Outline(headings, fences)


def _underlined(text: str, rule: int, after: int) -> int | None:
    """Where the line above this rule begins, if the rule makes it a heading: one line of words, standing alone."""
    end = rule - 1
    start = text.rfind("\n", after, max(end, after)) + 1
    line = text[start : max(end, start)]
    if start < after or _NO_TITLE.match(line) or not line.strip():
        return None
    above = text.rfind("\n", after, max(start - 1, after)) + 1
    return start if start == 0 or not text[above : start - 1].strip() else None


def _shown(title: str) -> str:
    """The title on one line, not too long, without the hashes that may close it."""
    flat = " ".join(title.split())
    bare = flat.rstrip("#")
    if not bare or bare[-1] == " ":
        flat = bare.rstrip()
    return flat if len(flat) <= TITLE_CHARACTERS_MAX else flat[: TITLE_CHARACTERS_MAX - 1] + "…"


def _joined(text: str, headings: Sequence[_Heading]) -> list[tuple[int, int]]:
    """The sections, with tiny ones joined to the next, else to the one before; a bare heading always to the next."""
    sections = [(heading.start, heading.body_start) for heading in headings]
    if not sections or sections[0][0] > 0:
        sections.insert(0, (0, 0))
    joined: list[tuple[int, int]] = []
    start, bare = 0, True

    def settle(end: int) -> None:
        if joined and end - start < TINY_CHARACTERS and end - joined[-1][0] <= CHUNK_CHARACTERS_MAX:
            joined[-1] = (joined[-1][0], end)
        elif end > start:
            joined.append((start, end))

    ends = [begin for begin, _ in sections[1:]]
    for (begin, body), end in zip(sections, [*ends, len(text)], strict=True):
        fits = begin - start < TINY_CHARACTERS and end - start <= CHUNK_CHARACTERS_MAX
        if not (bare or fits):
            settle(begin)
            start, bare = begin, True
        bare = bare and not text[body:end].strip()
    settle(len(text))
    return joined


def _cuts(
    text: str, start: int, end: int, fences: Sequence[tuple[int, int]], fence_starts: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The span in pieces of at most the maximum, none of them tiny if that can be."""
    while end - start > CHUNK_CHARACTERS_MAX:
        enough = end - start >= CHUNK_CHARACTERS_MAX + TINY_CHARACTERS
        limit = start + CHUNK_CHARACTERS_MAX - (0 if enough else TINY_CHARACTERS)
        cut = _cut(text, start, limit, fences, fence_starts)
        yield start, cut
        start = cut
    yield start, end


def _cut(text: str, start: int, limit: int, fences: Sequence[tuple[int, int]], fence_starts: Sequence[int]) -> int:
    """The best place to cut: a blank line outside a fence, any blank line, a line, a sentence, a word, anywhere."""
    # A piece is at least a quarter full: otherwise a long text would fall into very many pieces.
    floor = start + (limit - start) // 4
    blanks = [found.end() for found in _BLANK_LINE.finditer(text, floor, limit)]
    for blank in reversed(blanks):
        place = bisect_right(fence_starts, blank - 1) - 1
        if place < 0 or fences[place][1] < blank:
            return blank
    if blanks:
        return blanks[-1]
    line = text.rfind("\n", floor, limit) + 1
    if line:
        return line
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, floor, limit)]
    if sentences:
        return sentences[-1]
    word = max(text.rfind(blank, floor, limit) for blank in " \t\u00a0\u3000") + 1
    return word or _whole(text, limit)


def _whole(text: str, limit: int) -> int:
    """The nearest place at or before the limit that does not part a character from its marks."""
    for cut in range(limit, limit - _CLUSTER_CHARACTERS_MAX, -1):
        joined = text[cut] in _CLUSTER_JOINERS or text[cut - 1] == "\u200d" or unicodedata.combining(text[cut])
        if not joined:
            return cut
    return limit


def _placed(body: str, offset: int, headings: Sequence[_Heading], starts: Sequence[int]) -> Chunk:
    place = bisect_right(starts, offset) - 1
    if place < 0:
        return Chunk(body, (), ())
    heading = headings[place]
    # A heading is indented by three blanks at most.
    begins_with_it = offset - heading.start <= 3
    return Chunk(body, heading.path, heading.parents if begins_with_it else heading.path)
