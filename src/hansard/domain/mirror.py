"""Owns the mirror: which files show the state of a project, what each says, and what became of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from hansard.domain import frontmatter, layout, lines, rendering
from hansard.domain.actors import key_of
from hansard.domain.decisions import Decision
from hansard.domain.frontmatter import Warned, scalar
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.domain.sessions import Session
from hansard.domain.slugs import words
from hansard.domain.vocabulary import DecisionStatus, DecisionType, EntryStatus, FactKind, MemoryType, Scope, Subject

LAYOUT_VERSION = 7
"""Raised when the same state gives other bytes, so that every mirror is written anew."""

DECISIONS = ".squad/decisions.md"
INBOX_FOLDER = ".squad/decisions/inbox"
AGENTS_FOLDER = ".squad/agents"
NOW = ".squad/identity/now.md"
BOUNDARIES = ".agentweaver/context/boundaries.md"
PATTERNS = ".agentweaver/context/patterns.md"
LEDGER_FOLDER = ".hansard/ledger"
LEDGER: Mapping[Subject, str] = {
    Subject.DECISION: f"{LEDGER_FOLDER}/decisions.jsonl",
    Subject.ENTRY: f"{LEDGER_FOLDER}/inbox.jsonl",
    Subject.MEMORY: f"{LEDGER_FOLDER}/memories.jsonl",
}
"""The files that other clones are brought in step by."""
FOLDERS = (".squad", ".agentweaver/context", LEDGER_FOLDER)

FOLDER_CHARACTERS_MAX = 40
FOLDER_HASH_CHARACTERS = 12
HISTORY_TYPES = frozenset({MemoryType.LEARNING, MemoryType.UPDATE})

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SAFE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_SLUG_FILE = re.compile(rf"{re.escape(INBOX_FOLDER)}/[a-z0-9]+(?:--?[a-z0-9]+)*_?\.md")
_HISTORY_FILE = re.compile(rf"{re.escape(AGENTS_FOLDER)}/[a-z0-9]+(?:-[a-z0-9]+)*(?:_[0-9a-f]+)?/history\.md")
_COLON = r"(?:[:\u02d0\u02f8\u0589\u05c3\u205a\u2236\ua789\ufe13\ufe30\ufe55\uff1a]|&\#?\w{1,31};)"
"""A colon, what looks like one, and an entity, which may be shown as one."""
_NAMES = "|".join(layout.FILE_LABELS).replace(" ", r"[ \t]+")
_LABELS = re.compile(
    rf"{rendering.LEAD}()(?>[*_]+)(?:(?:{_NAMES})[ \t*_]*[:&]|.*?(?:{_COLON}[ \t]*[*_]|[*_][ \t]*{_COLON}))",
    re.IGNORECASE,
)
"""What a line says of a decision in the name of the record. Letters have many spellings, so any label counts."""
KEPT_NAME_BYTES_MAX = 200
_KEPT = re.compile(r".+\.kept-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?\.md")


class State(NamedTuple):
    """What a mirror shows: every decision, entry and memory, tombstones too, and the last session; oldest first."""

    decisions: Sequence[Decision]
    entries: Sequence[Entry]
    memories: Sequence[Memory]
    session: Session | None
    held: Sequence[Entry | Memory] = ()
    """What waits for review: in no file, but known if a file of another clone brings it."""


class Imported(NamedTuple):
    """A file whose proposal is in the record now, and the slug it got."""

    path: str
    slug: str
    ref: str


class Skipped(NamedTuple):
    """A file that was left alone, and why."""

    path: str
    reason: str
    known: bool = False
    settled: bool = False
    """The record has every word of it, so there is nothing to say of it."""
    differs: bool = False
    """The record has its slug, and other words."""


class FileWarning(NamedTuple):
    """Something in a file that is not as it should be: where, what, and how to put it right."""

    path: str
    line: int
    problem: str
    fix: str


class Renamed(NamedTuple):
    """A record of this clone that got another number or slug, because another clone's record has the one it had."""

    kind: Subject
    before: str
    after: str
    title: str


class LedgerReport(NamedTuple):
    """What was taken in of the ledger files: what is new, what changed, the slugs of entries that conflicts opened."""

    decisions: int = 0
    proposals: int = 0
    memories: int = 0
    updated: int = 0
    forgotten: int = 0
    conflicts: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[FileWarning, ...] = ()
    renamed: tuple[Renamed, ...] = ()


class ImportReport(NamedTuple):
    """What became of the files of the inbox folder, and of the ledger files."""

    imported: tuple[Imported, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[FileWarning, ...] = ()
    ledger: LedgerReport = LedgerReport()


class SetAside(NamedTuple):
    """A file that somebody else wrote, and the name it is kept under; redacted if the copy lacks a secret of it."""

    path: str
    kept: str
    redacted: bool = False


class Failed(NamedTuple):
    """A file that could not be brought in step, and why."""

    path: str
    reason: str


class ExportReport(NamedTuple):
    """What became of the files of the mirror. `inbox` is what was imported first, `position` the last event shown.

    `waiting` are ledger files with lines from other clones, which stay as they are until they are imported.
    """

    root: str
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    failed: tuple[Failed, ...] = ()
    inbox: ImportReport = ImportReport()
    position: int = 0
    waiting: tuple[Failed, ...] = ()


def rendered(state: State) -> dict[str, bytes]:
    """Every file of the mirror by its path below the root. The same state gives the same bytes."""
    decisions = sorted(state.decisions, key=_oldest_first)
    shown = sorted((one for one in state.memories if is_public(one) or _has_history(one)), key=_oldest_first)
    texts = {
        DECISIONS: _decisions(decisions),
        BOUNDARIES: _boundaries(decisions),
        PATTERNS: _patterns([one for one in shown if one.type is MemoryType.PATTERN and is_public(one)]),
    }
    # One that has become empty stays: git stops a pull at a file that one side removed and the other one changed.
    for agent, several in _by_agent(one for one in shown if _has_history(one)).items():
        texts[history_path(agent)] = _history(several[0].agent, [one for one in several if is_public(one)])
    texts |= {
        entry_path(one.slug): frontmatter.written(one) for one in state.entries if one.status is EntryStatus.PENDING
    }
    # Sessions stay in their clone. One that never had any leaves the file as somebody else wrote it.
    texts |= {NOW: _now(state.session)} if state.session is not None else {}
    texts |= {LEDGER[kind]: lines.file_of(several) for kind, several in _travelling(state).items() if several}
    return {path: texts[path].encode() for path in sorted(texts)}


def _oldest_first(record: Decision | Memory) -> tuple[int, str]:
    # An id from another clone may be of any time.
    return record.created_at, record.id


def _travelling(state: State) -> dict[Subject, list[lines.Line]]:
    return {
        Subject.DECISION: [lines.of_decision(one) for one in state.decisions],
        Subject.ENTRY: [lines.of_entry(one) for one in state.entries],
        Subject.MEMORY: [lines.of_memory(one) for one in state.memories if lines.travels(one)],
    }


def _has_history(memory: Memory) -> bool:
    """Whether the memory is in its agent's file, or was there and travels still, without its words or retired."""
    return memory.type in HISTORY_TYPES and (is_public(memory) or lines.travels(memory))


def is_public(memory: Memory) -> bool:
    """Whether the whole team may read the memory, for good: shared or accepted by review, and not about a person."""
    shared = memory.scope is Scope.TEAM or memory.decision_id is not None
    lasting = memory.expires_at is None and not memory.is_forgotten
    return shared and lasting and memory.kind is not FactKind.USER


def entry_path(slug: str) -> str:
    """The file of a pending entry. Some file systems refuse a few names; no slug has the mark these get."""
    return f"{INBOX_FOLDER}/{slug}{'_' if _RESERVED.fullmatch(slug) else ''}.md"


def history_path(agent: str) -> str:
    return f"{AGENTS_FOLDER}/{folder_of(agent)}/history.md"


def folder_of(agent: str) -> str:
    """A folder for an agent that no other agent has, readable and fit for every file system.

    A name that is fit as it stands is the folder; any other one gets a hash behind a mark that no fit name has.
    """
    key = key_of(agent)
    if len(key) <= FOLDER_CHARACTERS_MAX and _SAFE.fullmatch(key) and not _RESERVED.fullmatch(key):
        return key
    readable = words(key)[:FOLDER_CHARACTERS_MAX].strip("-") or "agent"
    return f"{readable}_{sha256(key.encode()).hexdigest()[:FOLDER_HASH_CHARACTERS]}"


def is_mirror_path(path: str) -> bool:
    """Whether a mirror may have a file of this path. A list of files that came with a repository is not believed."""
    fixed = path in {DECISIONS, NOW, BOUNDARIES, PATTERNS} or is_ledger_path(path)
    return fixed or any(one.fullmatch(path) is not None for one in (_SLUG_FILE, _HISTORY_FILE))


def is_ledger_path(path: str) -> bool:
    return path in LEDGER.values()


def is_entry_path(path: str) -> bool:
    return path.startswith(f"{INBOX_FOLDER}/")


def kept_name(name: str, now: int, attempt: int) -> str:
    """The name under which a file is set aside. A long one is cut, as names have a limit."""
    moment = f"{_EPOCH + timedelta(microseconds=now):%Y%m%dT%H%M%SZ}"
    again = "" if attempt == 1 else f"-{attempt}"
    stem = name.removesuffix(".md").encode("utf-8", "surrogateescape")[:KEPT_NAME_BYTES_MAX]
    return f"{stem.decode('utf-8', 'ignore')}.kept-{moment}{again}.md"


def is_kept_name(name: str) -> bool:
    return _KEPT.fullmatch(name) is not None


def kept_of(path: str) -> str:
    """The file that a copy was set aside from."""
    name = path[: path.rindex(".kept-")]
    return name if is_ledger_path(name) else f"{name}.md"


def file_warning(path: str, warned: Warned) -> FileWarning:
    return FileWarning(path, *warned)


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _decisions(decisions: Sequence[Decision]) -> str:
    refs = {one.id: one.ref for one in decisions}
    replaced: dict[str, list[str]] = {}
    for one in decisions:
        if one.superseded_by is not None:
            replaced.setdefault(one.superseded_by, []).append(one.ref)
    items = [_decision(one, refs, replaced.get(one.id, [])) for one in decisions]
    return "\n".join([f"{layout.DECISIONS_TITLE}\n", *(items or ["Nothing has been decided yet.\n"])])


def _decision(decision: Decision, refs: Mapping[str, str], replaced: Sequence[str]) -> str:
    by = rendering.deciders(decision)
    told = [(layout.TYPE, decision.type), (layout.BY, by), ("Status", decision.status), ("Number", decision.ref)]
    lines = [
        f"## {rendering.unlabelled(decision.title)}",
        " | ".join(f"**{label}:** {value}" for label, value in (*told, ("Date", _day(decision)))),
    ]
    if decision.superseded_by is not None:
        lines.append(f"> **Superseded by:** {refs.get(decision.superseded_by, 'a decision that is not here')}")
    if replaced:
        lines.append(f"> **Supersedes:** {', '.join(replaced)}")
    lines += ["", *_body(decision, layout.RATIONALE), "", "---", ""]
    return "\n".join(lines)


def _boundaries(decisions: Sequence[Decision]) -> str:
    parts = [f"{layout.BOUNDARIES_TITLE}\n", f"{layout.BINDING_NOTE}\n"]
    for type, heading in ((DecisionType.ARCHITECTURAL, "Architectural"), (DecisionType.SCOPE, "Scope")):
        active = [one for one in decisions if one.type is type and one.status is DecisionStatus.ACTIVE]
        parts += [f"## {heading}\n", *(_boundary(one) for one in active)] if active else []
    return "\n".join(parts if len(parts) > 2 else [*parts, "There are none yet.\n"])


def _boundary(decision: Decision) -> str:
    lines = [
        f"### {rendering.unlabelled(decision.title)}",
        f"*Decided by {rendering.deciders(decision)} on {_day(decision)} ({decision.ref})*",
        "",
        *_body(decision, "Why"),
        "",
        "---",
        "",
    ]
    return "\n".join(lines)


def _body(decision: Decision, reason: str) -> list[str]:
    lines = [_said(decision.content)]
    if decision.applies_to:
        paths = ", ".join(decision.applies_to)
        lines += [
            "",
            f"> **{layout.APPLIES_TO}:** {rendering.unlabelled(paths)}",
        ]
    if decision.rationale is not None:
        lines += ["", f"> **{reason}:** {_quoted(_said(decision.rationale))}"]
    return lines


def _quoted(drawn: str) -> str:
    return drawn.replace("\n", "\n> ")


def _said(text: str) -> str:
    """Stored text that cannot pretend to be a line of the record: of whom a decision is, and whether it holds."""
    return "\n".join(rendering.escaped(_LABELS, line) for line in rendering.content(text).split("\n"))


def _history(agent: str, memories: Sequence[Memory]) -> str:
    # No words for none: joined with another clone's lines they would make a file that nobody wrote.
    items = [_item(one, one.type.value) for one in memories]
    return "\n".join([f"# {rendering.name(agent)} History\n", f"{layout.PUBLIC_NOTE}\n{layout.NOTES_NOTE}\n", *items])


def _patterns(memories: Sequence[Memory]) -> str:
    items = [_item(one, rendering.name(one.agent)) for one in memories]
    return "\n".join(
        [
            f"{layout.PATTERNS_TITLE}\n",
            f"{layout.PUBLIC_NOTE}\n{layout.NOTES_NOTE}\n",
            *(items or ["There are none yet.\n"]),
        ]
    )


def _item(memory: Memory, label: str) -> str:
    return f"### [{label}{rendering.foreign(memory)}] {_day(memory)}\n{rendering.words(memory)}\n"


def _now(session: Session) -> str:
    focus, issues = (session.focus, session.issues) if session.is_open else ("", ())
    outside = session.origin is not None
    pairs = [
        ("updated_at", f'"{_moment(session.updated_at)}"'),
        ("focus_area", scalar(rendering.inline(focus))),
        ("active_issues", f"[{', '.join(_quoted_issue(one) for one in issues)}]"),
    ]
    parts = [frontmatter.front(pairs), "# What We're Focused On\n"]
    if not session.is_open:
        return "\n".join([*parts, "No session is open.\n"])
    parts.append(f"{layout.SESSION_NOTE}\n\n{rendering.framed(rendering.inline(session.focus), outside)}\n")
    if session.summary:
        parts.append(f"## Summary\n\n{rendering.framed(session.summary, outside)}\n")
    return "\n".join(parts)


def _quoted_issue(issue: str) -> str:
    """Inside brackets a comma or a bracket would end a plain value."""
    plain = scalar(rendering.inline(issue))
    return plain if plain.startswith('"') else f'"{plain}"'


def _by_agent(memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for one in memories:
        found.setdefault(key_of(one.agent), []).append(one)
    return found


def _day(record: Decision | Memory) -> str:
    return _moment(record.created_at)[:10]


def _moment(microseconds: int) -> str:
    try:
        return f"{_EPOCH + timedelta(microseconds=microseconds):%Y-%m-%dT%H:%M:%SZ}"
    except OverflowError:
        return "9999-12-31T23:59:59Z"
