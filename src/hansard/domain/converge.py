"""Owns how clones come to the same record: which line of an id stands, and what every set of lines comes to.

Joining two lines of one id is commutative, associative and idempotent. What joins only as a set (numbers, slugs,
circles, one decision for one proposal) is settled by rules that look at nothing but the set.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

from hansard.domain import slugs
from hansard.domain.actors import key_of
from hansard.domain.chain import canonical
from hansard.domain.inbox import CONFLICT_SLUG, FORGOTTEN_SLUG
from hansard.domain.limits import NUMBER_COUNTED_MAX
from hansard.domain.lines import ACTIVE, FORGOTTEN, NAMES, NUMBER_MAX, RETIRED, VERSION_MAX, Line, bare
from hansard.domain.memories import ENDED
from hansard.domain.trust import less_trusted, trust_of
from hansard.domain.vocabulary import DecisionStatus, DecisionType, EntryStatus, Origin, Subject, Trust

KINDS = (Subject.DECISION, Subject.ENTRY, Subject.MEMORY)
CLERK = "hansard"
"""Who opens the entry of a conflict."""
CONFLICT_TAG = "conflict"
SHOWN_BYTES_MAX = 30_000
TITLE_CHARACTERS_MAX = 100

_SETTLED = frozenset({"number", "slug", "requested_slug", "version"})
"""What no line decides by itself: joined on its own, or settled for the whole set."""
_TIMES = frozenset({"updated_at", "reviewed_at", "reviewer", "amended_by", "cleared", "expires_at"})
"""What differs when two clones did the same thing."""
_PROPOSED = ("type", "title", "content", "rationale", "importance", "tags")
_LINKS: Mapping[Subject, tuple[str, ...]] = {
    Subject.DECISION: ("id", "entry_id"),
    Subject.MEMORY: ("id", "entry_id", "decision_id"),
    Subject.ENTRY: ("id", "decision_id", "memory_id"),
}
"""Which records have the same words: what is forgotten in one is forgotten in all."""


class Records(NamedTuple):
    """The lines of one project by their ids."""

    decisions: dict[str, Line]
    entries: dict[str, Line]
    memories: dict[str, Line]

    def of(self, kind: Subject) -> dict[str, Line]:
        return self[KINDS.index(kind)]


class Conflict(NamedTuple):
    """Two lines of one id that cannot both stand: the one that does, and the one that does not.

    Who wrote each is known of what was written here, and of nothing else.
    """

    kind: Subject
    kept: Line
    lost: Line
    kept_by: str | None = None
    lost_by: str | None = None


def join(kind: Subject, one: Line, other: Line) -> Line:
    """What two lines of one id come to. Number, version and slug join on their own; the rest is the greater line's."""
    greater = max((one, other), key=lambda line: _order(kind, line))
    line = dict(greater)
    line["version"] = max(one["version"], other["version"])
    if kind is not Subject.MEMORY:
        line["number"] = max(one["number"], other["number"], key=lambda number: (is_believed(number), number))
    if kind is Subject.ENTRY and line["state"] != FORGOTTEN:
        line["slug"], line["requested_slug"] = max(
            ((each["slug"], each["requested_slug"]) for each in (one, other)),
            key=lambda pair: (len(pair[0]), pair[0], len(pair[1]), pair[1]),
        )
    return line


def is_believed(number: int) -> bool:
    """Whether a record may keep the number that its line claims.

    Numbers rise by one. If a line could claim any, one line would leave no higher ones for all that come after it.
    """
    return 0 < number <= NUMBER_MAX


def gathered(kind: Subject, lines: Iterable[Line]) -> tuple[dict[str, Line], list[Conflict]]:
    """One line for each id, and every line that lost to another one of its own version."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line["id"], []).append(line)
    found: dict[str, Line] = {}
    conflicts: list[Conflict] = []
    for id, group in groups.items():
        joined = group[0]
        for line in group[1:]:
            joined = join(kind, joined, line)
        found[id] = joined
        if len(group) > 1:
            conflicts += _conflicts(kind, joined, group)
    return found, conflicts


def resolved(records: Records, conflicts: Iterable[Conflict] = ()) -> Records:
    """The record that a set of lines comes to: links in step, nothing twice, nothing forgotten left."""
    made = Records(*({id: dict(line) for id, line in one.items()} for one in records))
    for conflict in conflicts:
        opened = entry_of(conflict)
        made.entries.setdefault(opened["id"], opened)
    _keep_one_decision(made)
    _break_circles(made.decisions)
    _let_memories_follow(made)
    _spread_forgetting(made)
    _give_numbers(made.decisions)
    _give_numbers(made.entries)
    _give_slugs(made.entries)
    _spell_names(made)
    return made


def entry_of(conflict: Conflict) -> Line:
    """The entry that shows both lines. It is the same one in every clone, because only the lost line names it."""
    kind, kept, lost, kept_by, lost_by = conflict
    seed = f"{kind}\n{lost['id']}\n{canonical(_said(kind, lost, _SETTLED | _TIMES))}"
    digest = hashlib.sha256(seed.encode()).hexdigest()
    moment = f"{lost['created_at'] // 1000 & ((1 << 48) - 1):012x}"
    # Version 8 is for ids that somebody made by a rule of their own: nobody else's id can look like this.
    id = f"{moment[:8]}-{moment[8:]}-8{digest[:3]}-8{digest[3:6]}-{digest[6:18]}"
    slug = f"{CONFLICT_SLUG}{lost['id']}--{digest[:12]}"
    at = max(kept["updated_at"], lost["updated_at"])
    noun = {Subject.DECISION: "decision", Subject.ENTRY: "proposal", Subject.MEMORY: "memory"}[kind]
    title = _title(kept) or _title(lost) or noun
    content = (
        f"Two clones changed the {noun} “{title}” apart from each other. The first of these stands; the second one"
        f" is kept here. If it was right, decide so, and reject this entry.\n\n{_shown('Stands', kept, kept_by)}\n\n"
        f"{_shown('Kept here', lost, lost_by)}"
    )
    return {
        "id": id, "version": 1, "created_at": at, "updated_at": at, "state": EntryStatus.PENDING.value, "number": 0,
        "type": DecisionType.UPDATE.value if kind is Subject.MEMORY else lost["type"], "author": CLERK,
        "reviewer": None, "reviewed_at": None, "decision_id": None, "memory_id": None, "slug": slug,
        "requested_slug": slug, "title": f"Two versions of a {noun}: {title}", "content": content, "rationale": None,
        "importance": None, "tags": (CONFLICT_TAG,), "note": None, "origin": _doubtful_origin(kept, lost),
    }  # fmt: skip


def _doubtful_origin(*shown: Line) -> str | None:
    """The least trusted origin of what the entry shows, if that is outside: nobody here vouches for it there either."""
    said = (one["origin"] for one in shown if one.get("origin"))
    least = reduce(less_trusted, map(Origin, said), None)
    return least.value if least is not None and trust_of(least) is Trust.OUTSIDE else None


def says_same(kind: Subject, one: Line, other: Line) -> bool:
    """Whether two lines differ in nothing but what is settled for the whole set, and in times."""
    return _said(kind, one, _SETTLED | _TIMES) == _said(kind, other, _SETTLED | _TIMES)


def is_derived(id: str) -> bool:
    """Whether the id is that of an entry that a conflict opened."""
    return id[14] == "8"


def conflict_about(line: Line) -> str | None:
    """The id of the record that the entry of a conflict shows."""
    slug = line.get("slug") or ""
    if not is_derived(line["id"]) or not slug.startswith(CONFLICT_SLUG):
        return None
    return str(slug[len(CONFLICT_SLUG) : len(CONFLICT_SLUG) + 36])


def _order(kind: Subject, line: Line) -> tuple[Any, ...]:
    """Where a line stands among those of its id: forgotten over reviewed over all else, then by version and time.

    A review is never undone, so between two reviews versions do not count.
    """
    rest = (line["updated_at"], canonical(_said(kind, line, _SETTLED)), tuple(str(line[one]) for one in NAMES[kind]))
    if line["state"] == FORGOTTEN:
        return (2, 0, 0, *rest)
    if kind is Subject.ENTRY and line["state"] != EntryStatus.PENDING:
        return (1, line["state"] == EntryStatus.MERGED, -line["reviewed_at"], *rest)
    return (0, line["version"], 0, *rest)


def _said(kind: Subject, line: Line, without: frozenset[str]) -> Line:
    names = NAMES[kind]
    return {
        name: key_of(value) if name in names and value is not None else value
        for name, value in line.items()
        if name not in without
    }


def _conflicts(kind: Subject, joined: Line, group: list[Line]) -> Iterator[Conflict]:
    if joined["state"] == FORGOTTEN or is_derived(joined["id"]):
        return
    kept = max(group, key=lambda line: _order(kind, line))
    rank = _order(kind, kept)[0]
    lost: dict[str, Line] = {}
    for line in group:
        if _order(kind, line)[0] == rank:
            fields = [_said(kind, each, _SETTLED | _TIMES) for each in (line, kept)]
            apart = fields[0] != fields[1] and (rank == 1 or line["version"] == kept["version"])
        else:
            # Reviewed here, changed there: what was changed is lost only if the review did not see it.
            apart = line["version"] >= kept["version"] and any(line[one] != kept[one] for one in _PROPOSED)
        if apart:
            lost[canonical(_said(kind, line, _SETTLED | _TIMES))] = line
    for said in sorted(lost):
        yield Conflict(kind, joined, lost[said])


def _raised(line: Line, at: int, **fields: Any) -> None:
    """Changes a line by a rule: a version more, so that it wins over the one it was made of, in every clone."""
    line.update(fields, version=min(line["version"] + 1, VERSION_MAX), updated_at=max(line["updated_at"], at))


def _keep_one_decision(records: Records) -> None:
    """A proposal that two clones merged became two decisions: the one that the entry names takes over."""
    for line in records.decisions.values():
        entry = records.entries.get(line["entry_id"] or "")
        other = records.decisions.get((entry and entry["decision_id"]) or "")
        if other is None or other["id"] == line["id"] or line["version"] != 1:
            continue
        if line["state"] == other["state"] == DecisionStatus.ACTIVE:
            _raised(line, other["updated_at"], state=DecisionStatus.SUPERSEDED.value, superseded_by=other["id"])


def _break_circles(decisions: Mapping[str, Line]) -> None:
    """Of decisions that replaced each other in a circle the newest stands again."""
    settled: set[str] = set()
    for start in sorted(decisions):
        path: dict[str, int] = {}
        at: str | None = start
        while at is not None and at not in settled and at not in path:
            path[at] = len(path)
            at = decisions[at]["superseded_by"] if at in decisions else None
        if at in path:
            circle = [decisions[id] for id in list(path)[path[at] :]]
            newest = max(circle, key=lambda line: (line["created_at"], line["id"]))
            last = max(line["updated_at"] for line in circle)
            _raised(newest, last, state=DecisionStatus.ACTIVE.value, superseded_by=None)
        settled.update(path)


def _let_memories_follow(records: Records) -> None:
    """What a merge made is told as long as its decision stands, and no longer."""
    for line in records.memories.values():
        decision = records.decisions.get(line["decision_id"] or "")
        if decision is None or FORGOTTEN in (decision["state"], line["state"]):
            continue
        stands = decision["state"] == DecisionStatus.ACTIVE
        if stands and line["expires_at"] is not None:
            _raised(line, decision["updated_at"], state=ACTIVE, expires_at=None)
        if not stands and line["expires_at"] is None:
            _raised(line, decision["updated_at"], state=RETIRED, expires_at=ENDED)


def _spread_forgetting(records: Records) -> None:
    """A merged proposal, its decision and its memory hold the same words, and so does the entry of a conflict."""
    naming: dict[str, list[tuple[Subject, str]]] = {}
    fresh: list[tuple[Subject, Line]] = []
    for kind in KINDS:
        for id, line in records.of(kind).items():
            if line["state"] == FORGOTTEN:
                fresh.append((kind, line))
                continue
            about = {line[one] for one in _LINKS[kind]} | {conflict_about(line) if kind is Subject.ENTRY else None}
            for named in about:
                naming.setdefault(str(named), []).append((kind, id))
    while fresh:
        gone: dict[str, int] = {}
        for kind, line in fresh:
            # The words of a decision or a memory are those of its proposal, and not the other way round.
            ids = ("id",) if kind is Subject.ENTRY else _LINKS[kind]
            for named in (line[one] for one in ids if line[one] is not None):
                gone[named] = max(gone.get(named, 0), line["updated_at"])
        since: dict[tuple[Subject, str], int] = {}
        for named, at in gone.items():
            for place in naming.pop(named, ()):
                since[place] = max(since.get(place, 0), at)
        fresh = []
        for (kind, id), at in since.items():
            line = records.of(kind)[id]
            if line["state"] != FORGOTTEN:
                line = records.of(kind)[id] = _erased(kind, line, at)
                fresh.append((kind, line))


def _erased(kind: Subject, line: Line, at: int) -> Line:
    made = dict(line)
    _raised(made, at)
    if kind is Subject.ENTRY and made["reviewer"] is None:
        made.update(reviewer=CLERK, reviewed_at=made["updated_at"])
    return bare(kind, made)


def _priority(line: Line) -> tuple[bool, str]:
    """Who keeps a number or a slug that two have: the older one, and a person's before a conflict's."""
    return is_derived(line["id"]), line["id"]


def _give_numbers(lines: Mapping[str, Line]) -> None:
    """Two clones gave out the same number: the later record gets a new one, and so does one that is not believed."""
    taken: set[int] = set()
    waiting: list[Line] = []
    for line in sorted(lines.values(), key=_priority):
        if is_believed(line["number"]) and line["number"] not in taken:
            taken.add(line["number"])
        else:
            waiting.append(line)
    last = counted(taken)
    for line in waiting:
        last += 1
        while last in taken:
            last += 1
        line["number"] = last


def counted(numbers: Iterable[int]) -> int:
    """The number that the next ones go on from: one line that claims a far higher one leaves it where it was."""
    return max((one for one in numbers if one <= NUMBER_COUNTED_MAX), default=0)


def _give_slugs(lines: Mapping[str, Line]) -> None:
    """As `first_free` would have done it, had both clones been one."""
    taken: set[str] = set()
    requests: set[tuple[str, str]] = set()
    waiting: list[Line] = []
    tried: dict[tuple[str, int], int] = {}

    def keep(line: Line) -> None:
        taken.add(line["slug"])
        requests.add((key_of(line["author"]), line["requested_slug"]))

    for line in sorted((one for one in lines.values() if one["state"] != FORGOTTEN), key=_priority):
        if line["slug"] in taken or (key_of(line["author"]), line["requested_slug"]) in requests:
            waiting.append(line)
        else:
            keep(line)
    for line in waiting:
        author = key_of(line["author"])

        def refused(slug: str, line: Line = line, author: str = author) -> bool:
            again = (author, line["requested_slug"]) in requests
            return slug in taken or (again and (author, slug) in requests)

        if refused(line["slug"]):
            line["slug"] = slugs.first_free(line["requested_slug"], line["author"], refused, tried)
        if (author, line["requested_slug"]) in requests:
            line["requested_slug"] = line["slug"]
        keep(line)
    for line in sorted((one for one in lines.values() if one["state"] == FORGOTTEN), key=_priority):
        line["slug"] = _unused(f"{FORGOTTEN_SLUG}{line['number']}", taken.__contains__)
        line["requested_slug"] = line["slug"]
        keep(line)


def _unused(slug: str, taken: Callable[[str], bool]) -> str:
    while taken(slug):
        slug += "--0"
    return slug


def spellings(records: Records) -> dict[str, str]:
    """One spelling for each name, whichever clone saw which one first."""
    found: dict[str, str] = {}
    for kind in KINDS:
        for line in records.of(kind).values():
            for field in NAMES[kind]:
                name = line[field]
                if name is not None:
                    key = key_of(name)
                    found[key] = min(found.get(key, name), name)
    return found


def _spell_names(records: Records) -> None:
    chosen = spellings(records)
    for kind in KINDS:
        for line in records.of(kind).values():
            for field in NAMES[kind]:
                if line[field] is not None:
                    line[field] = chosen[key_of(line[field])]


def _title(line: Line) -> str:
    said = line.get("title") or line.get("name") or line.get("content") or ""
    # A cut may fall behind a word, and a title is read back without the blanks around it.
    return " ".join(str(said).split())[:TITLE_CHARACTERS_MAX].rstrip()


def _shown(label: str, line: Line, by: str | None) -> str:
    # Who decided first is in both lines. That says nothing of who wrote these words.
    who = f"written by {by}" if by else "written in another clone"
    told = [f"{label}: version {line['version']}, {line['state']}, {who}"]
    told += [f"{field.capitalize()}: {line[field]}" for field in ("title", "name") if line.get(field)]
    if line.get("superseded_by"):
        told.append(f"Superseded by: {line['superseded_by']}")
    told += ["", str(line.get("content"))]
    if line.get("rationale"):
        told += ["", f"Rationale: {line['rationale']}"]
    if line.get("note"):
        told += ["", f"Note: {line['note']}"]
    text = "\n".join(told)
    cut = text.encode()[:SHOWN_BYTES_MAX].decode(errors="ignore")
    return cut if cut == text else f"{cut}\n… (cut)"
