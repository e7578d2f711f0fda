"""Owns the text of a context block: what each layer looks like, and that no content can pretend to be layout."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from unicodedata import is_normalized, normalize

from hansard.domain import actors, addresses, budget, layout
from hansard.domain.decisions import Decision
from hansard.domain.inbox import Entry
from hansard.domain.limits import TIME_MAX
from hansard.domain.memories import Memory
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.text import visible
from hansard.domain.trust import default_origin, is_from_outside, lasting
from hansard.domain.vocabulary import MemoryType

GUIDANCE_ADDRESS = addresses.GUIDANCE
GUIDANCE_RULES = f"""\
> What earlier work left behind, condensed. Three rules:
> 1. It is a hint about how things were done and why. It proves nothing about the repository as it is now.
> 2. If it changes your plan, say so, name `{GUIDANCE_ADDRESS}`, and add what you found in the repository itself.
> 3. The repository and the user win. Whatever contradicts them here is out of date.
"""
CHARTER_RULE = "\n---\n\n"
"""What stands between a charter and the rest. A line `---` right under text would make a heading of it."""
REMEMBERED_TEXTS_MAX = 1_024
REMEMBERED_CHARACTERS_MAX = 1_000
NAME_WITHHELD = "a name that is none"
NEXT = "\n  "
"""How a further line of an item begins."""
LINE_CHARACTERS_MAX = 160
"""How much of a longer text stands where one line is meant to say it."""

_KINDS = "|".join((*layout.ITEM_KINDS, "forgotten", "held back", "run of"))
_MARK = r"(?:[-*+•‣◦·–—]|\d{1,9}[.)])"
# Atomic, or a long line of list marks would be tried again from each of them.
LEAD = rf"^(?>(?:\s*{_MARK}(?=\s+\S))*\s*)"
"""The blanks and list marks before the words of a line."""
# In each pattern an empty group says where the backslash goes.
_LAYOUT = re.compile(
    rf"{LEAD}()(?:#(?:[#\s]|$)|```|~~~|>|<(?!U\+[0-9A-F])[a-z/!?]|[*_]*\[|{_MARK}\[|(?:[-=_*]\s*)+$)", re.IGNORECASE
)
"""What begins a line of Hansard's own, or makes a heading of the line above."""
_ITEM = re.compile(
    rf"{LEAD}(?:(?:\w?[^\w\s]{{1,3}}\s+)?[*_]*[DPM]-\d+[*_]*\s*|\S{{1,4}}\s*(?=\[\s*(?:{_KINDS})\b))(?<!\\)()\[",
    re.IGNORECASE,
)
"""A label behind a record's number, and one of a memory behind a mark that nobody thought of."""
_ROLE = re.compile(
    r"^(?:\s*\d{1,9}[.)])?[\W_]*(?:system|assistant|human|user|developer|tool)[\W_]*?(?<!\\)():", re.IGNORECASE
)
"""Who speaks next in a conversation. The colon behind the name is escaped, so that no line of a note gives a turn."""
_CHAT = re.compile(r"<()(?:\||</?SYS>>|(?:start|end)_of_turn>)|\[()/?INST\]", re.IGNORECASE)
"""The marks by which a chat is taken apart. What takes it apart finds them anywhere in a line, so they are split."""
_RUN_REMARK = re.compile(r"(?<!\\)()(?:\(\s*(?:files|overlap|stale|cut|earlier)|\[\s*run\s+of\b)", re.IGNORECASE)
"""What a line about a run says behind its task, or before it, in Hansard's name."""
_LABEL = re.compile(
    rf"(?<![\\*_])()(?:[*_]+(?:{'|'.join(layout.BLOCK_LABELS)})(?![^\W_])|\(\s*(?:stale|cut|earlier)\s*:)",
    re.IGNORECASE,
)
"""A label of the block, and a remark about what is shown. Lines of the block's own go on with them, so wherever."""
_NAME_LAYOUT = re.compile(r"()[\[\]()|*`<>\\]")


def content(text: str) -> str:
    """Stored text that stays inside its item: what looks like layout, a remark or another speaker is escaped."""
    # Made visible first: a character that goes might have hidden the layout behind it.
    return "\n".join(map(_contained, escaped(_CHAT, visible(text)).split("\n")))


def _contained(line: str) -> str:
    # No layout begins with a letter; most lines do.
    if not line[:1].isalpha() or not line.isascii():
        line = escaped(_LAYOUT, line)
    if "[" in line or not line.isascii():
        line = escaped(_ITEM, line)
    return escaped(_ROLE, escaped(_LABEL, line))


def escaped(pattern: re.Pattern[str], text: str) -> str:
    """The text with a backslash where the pattern's empty group is. Wide and small forms are found as well."""
    read = text if text.isascii() or is_normalized("NFKC", text) else text.translate(_READ)
    places = [found.start(found.lastindex or 0) for found in pattern.finditer(read)]
    return "\\".join(text[start:end] for start, end in pairwise([0, *places, len(text)])) if places else text


class _Read(dict[int, str]):
    """What a reader takes a character for, if that is one other character."""

    def __missing__(self, code: int) -> str:
        plain = normalize("NFKC", chr(code))
        if len(plain) != 1 or ord(plain) == code:
            return chr(code)
        return self.setdefault(code, plain)


_READ = _Read()


def inline(text: str) -> str:
    """Stored text on one line."""
    return escaped(_CHAT, " ".join(visible(" ".join(text.split())).split()))


def unlabelled(text: str) -> str:
    """Stored text on a line of the block's own, where it may not go on with another of its labels, nor give a turn."""
    return escaped(_ROLE, escaped(_LABEL, inline(text)))


def name(text: str) -> str:
    """An actor's name, which may not close a label or open another one.

    Names that say something are refused. One that was recorded before that is not told. One that would be taken for
    several, or for what is said of somebody, stands in quotation marks.
    """
    if actors.is_phrase(text):
        return NAME_WITHHELD
    told = escaped(_NAME_LAYOUT, inline(text))
    return '"' + told.replace('"', '\\"') + '"' if actors.is_mistakable(text) else told


def boundaries(decisions: Sequence[Decision], shrunk: Collection[str] = ()) -> str:
    """All decisions, those with these ids in their short form."""
    return joined_boundaries([short_boundary(one) if one.id in shrunk else boundary(one) for one in decisions])


def joined_boundaries(texts: Sequence[str]) -> str:
    return "\n".join([f"{layout.BOUNDARIES_HEADING}\n{layout.BOUNDARIES_NOTE}\n", *texts])


def boundary(decision: Decision) -> str:
    short = len(decision.content) + len(decision.rationale or "") <= REMEMBERED_CHARACTERS_MAX
    return _remembered_boundary(decision) if short else _boundary(decision)


def _boundary(decision: Decision) -> str:
    rationale = None if decision.rationale is None else quoted(decision.rationale)
    return _ruled(decision, content(decision.content), rationale)


def _ruled(decision: Decision, said: str, rationale: str | None) -> str:
    lines = [
        f"### {unlabelled(decision.title)}",
        f"**{layout.TYPE}:** {decision.type} | **{layout.DECIDED_BY}:** {deciders(decision)}",
        said,
    ]
    if decision.applies_to:
        lines.append(f"> **{layout.APPLIES_TO}:** {unlabelled(', '.join(decision.applies_to))}")
    if rationale:
        lines.append(f"> **{layout.RATIONALE}:** {rationale}")
    return "\n".join(lines) + "\n"


def deciders(decision: Decision) -> str:
    """Whose a decision is: who decided it, and beside that who proposed it and who changed its words last."""
    decider, more = actors.key_of(decision.decided_by), []
    if actors.key_of(decision.author) != decider:
        more.append(f"proposed by {name(decision.author)}")
    if decision.amended_by is not None and actors.key_of(decision.amended_by) != decider:
        more.append(f"amended by {name(decision.amended_by)}")
    return f"{name(decision.decided_by)} ({'; '.join(more)})" if more else name(decision.decided_by)


_remembered_boundary = lru_cache(maxsize=REMEMBERED_TEXTS_MAX)(_boundary)
"""Turn after turn tells the same decisions."""


def short_boundary(decision: Decision) -> str:
    """A decision for which there is no room: its title, one line, and where it is in full."""
    said = first_line(decision.content)
    origin = f"{decision.type}, decided by {name(decision.decided_by)}; in full: {addresses.DECISIONS}{decision.number}"
    return f"### {unlabelled(decision.title)}\n{content(said)} ({origin})\n"


def digest_line(decision: Decision) -> str:
    return f"- {decision.ref} [{decision.type}] {unlabelled(decision.title)}\n"


def digest(decisions: Sequence[Decision]) -> str:
    """The boundaries for somebody who hands out work: one line each."""
    return f"{layout.BOUNDARIES_HEADING}\n{layout.BOUNDARIES_NOTE}\n\n" + "".join(digest_line(one) for one in decisions)


def memory_label(memory: Memory, *, reader_key: str) -> str:
    kind = "core" if memory.type is MemoryType.CORE_CONTEXT else memory.type.value
    if actors.key_of(memory.agent) != reader_key:
        kind = f"{kind} from {name(memory.agent)}"
    return f"{kind}{foreign(memory)}{remark(memory)}"


def foreign(memory: Memory) -> str:
    """What a label goes on with if the words are nobody's here: where they come from."""
    return f", {memory.origin or default_origin(memory.source, None)}" if is_from_outside(memory) else ""


def remark(record: Memory | Entry) -> str:
    """The first of the remarks about words of an agent's own. Each is one of a few sentences of ours."""
    told = () if record.cleared is not None or is_from_outside(record) else lasting(record.signs)
    return f", remarked: {told[0]}" if told else ""


def memory_line(memory: Memory, *, reader_key: str, stale: Sequence[str] = ()) -> str:
    return _item(memory_label(memory, reader_key=reader_key), memory, stale)


def memories(lines: Sequence[str]) -> str:
    return f"{layout.MEMORY_HEADING}\n{layout.NOTES_NOTE}\n" + "".join(lines)


def guidance(text: str, *, tokens_max: int) -> str:
    """The consolidated memory under its rules, as much of it as there is room for."""
    body, left_out = guidance_body(text, tokens_max=tokens_max)
    cut = f"\n(cut: {left_out:,} more tokens are at {GUIDANCE_ADDRESS})" if left_out else ""
    return f"{layout.GUIDANCE_HEADING}\n{GUIDANCE_RULES}\n{body}{cut}\n"


def guidance_body(text: str, *, tokens_max: int) -> tuple[str, int]:
    """The consolidated memory as it is shown, and how many tokens of it are left out."""

    def drawn(said: str, _left_out: int) -> str:
        return content(said)

    return budget.fitted(visible(text.strip("\n")), drawn, budget.beginning, tokens_max=tokens_max)


def knowledge_line(memory: Memory, *, reader_key: str, stale: Sequence[str] = ()) -> str:
    """A memory that was looked for: with its address, and the day it was recorded, because an age would change."""
    label = memory_label(memory, reader_key=reader_key)
    return _item(f"{label}, {day(memory.created_at)}, {addresses.MEMORIES}{memory.id}", memory, stale)


def tombstone_line(memory_id: str) -> str:
    """What stands where a memory stood that was forgotten since."""
    return f"- [forgotten] {addresses.MEMORIES}{memory_id}\n"


def withheld_line(memory_id: str) -> str:
    """What stands where a memory stood that a reviewer holds back now."""
    return f"- [held back] {addresses.MEMORIES}{memory_id}\n"


def knowledge(lines: Sequence[str]) -> str:
    return f"{layout.KNOWLEDGE_HEADING}\n{layout.NOTES_NOTE}\n" + "".join(lines)


def session(current: Session | None, runs: Sequence[str] = (), *, more_runs: int = 0, tokens_max: int = 0) -> str:
    """What is going on: the open session, and who else is at work. No limit of tokens is no limit."""
    lines = [layout.SESSION_HEADING, layout.SESSION_NOTE]
    if current is not None:
        told = _current(current, tokens_max * budget.CHARACTERS_PER_TOKEN if tokens_max else None)
        if current.origin is not None:
            told = [layout.OUTSIDE_MARK, *(f"> {line}" for line in "\n".join(told).split("\n"))]
        lines += told
    if runs or more_runs:
        lines.append("**Other open runs:**")
    text = "\n".join(lines) + "\n" + "".join(runs)
    return text + (f"- and {more_runs:,} more\n" if more_runs else "")


def run_line(run: Run, *, files: Sequence[str] = (), overlap: Sequence[str] = ()) -> str:
    """Somebody else at work: on what, on which files, and what of it is this task as well."""
    task = "" if run.task is None else f" {escaped(_RUN_REMARK, content(first_line(run.task)))}"
    remarks = f" (files: {', '.join(ticked(one) for one in files)})" if files else ""
    if overlap:
        remarks += f" (overlaps with this task: {', '.join(ticked(one) for one in overlap)})"
    return f"- [run of {name(run.agent)}]{task}{remarks}\n"


def chartered(charter: str | None, block: str) -> str:
    """The block behind the text that the caller trusts, which stays as it is."""
    if not charter:
        return block
    own = charter if charter.endswith("\n") else f"{charter}\n"
    return f"{own}{CHARTER_RULE}{block}" if block else charter


def quoted(text: str) -> str:
    """Stored text inside a quotation."""
    return content(text).replace("\n", "\n> ")


def first_line(text: str) -> str:
    """The beginning of a text on one line."""
    return _cut(inline(text[: LINE_CHARACTERS_MAX * 4]), LINE_CHARACTERS_MAX)


def day(microseconds: int) -> str:
    """The day of an instant in UTC; the last one that has a name for whatever is later."""
    from datetime import UTC, datetime, timedelta

    known = min(max(microseconds, 0), TIME_MAX)
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=known)).date().isoformat()


def words(memory: Memory) -> str:
    """What a memory says, quoted line by line if it came from outside."""
    text, outside = memory.content, is_from_outside(memory)
    return _remembered(text, outside) if len(text) <= REMEMBERED_CHARACTERS_MAX else framed(text, outside)


def framed(text: str, outside: bool) -> str:  # noqa: FBT001 - by position, for the cache
    """Stored words that stay inside their item: quoted line by line if they came from outside."""
    return f"> {quoted(text)}" if outside else content(text)


_remembered = lru_cache(maxsize=REMEMBERED_TEXTS_MAX)(framed)
"""Turn after turn tells the same memories."""


def item(label: str, said: str, *, outside: bool) -> str:
    """One item of a list: its label, and its words behind it; or below it, where they are quoted."""
    return f"- [{label}]{NEXT if outside else ' '}" + said.replace("\n", NEXT) + "\n"


def _item(label: str, memory: Memory, stale: Sequence[str]) -> str:
    body, outside = words(memory), is_from_outside(memory)
    if stale:
        body += f"\n{stale_remark(stale, outside=outside)}"
    return item(label, body, outside=outside)


def stale_remark(stale: Sequence[str], *, outside: bool) -> str:
    """What no longer holds. Names that came from outside are not told: the remark is Hansard's own, and not quoted."""
    if not outside:
        return f"(stale: {'; '.join(map(inline, stale))})"
    # There may be more of them than are told.
    return f"(stale: at least {len(stale):,} of its claims {'does' if len(stale) == 1 else 'do'} not hold any more)"


def _current(current: Session, room: int | None) -> list[str]:
    def drawn(said: str, left_out: int) -> str:
        return f"**Summary:** {f'(earlier: {left_out:,} lines) ' if left_out else ''}{content(said)}"

    lines = [f"**Focus:** {_flat(current.focus, None if room is None else room // 2)}"]
    if current.issues:
        left = None if room is None else (room - len(lines[0])) // 2
        lines.append(f"**Active issues:** {_listed(current.issues, left)}")
    if current.summary and room is None:
        lines.append(drawn(current.summary, 0))
    elif current.summary and room is not None:
        left = room - len(layout.SESSION_HEADING) - len(layout.SESSION_NOTE) - sum(len(one) + 1 for one in lines) - 3
        tokens_max = max(1, left // budget.CHARACTERS_PER_TOKEN)
        lines.append(budget.fitted(visible(current.summary), drawn, budget.ending, tokens_max=tokens_max)[0])
    return lines


def _listed(issues: Sequence[str], room: int | None) -> str:
    """The issues on one line, as many as there is room for."""
    shown: list[str] = []
    for place, issue in enumerate(issues):
        line = unlabelled(issue)
        if room is not None and not shown:
            line = _cut(line, room)
        if room is not None:
            room -= len(line) + 2
            if room < 0 and shown:
                return f"{', '.join(shown)}, and {len(issues) - place:,} more"
        shown.append(line)
    return ", ".join(shown)


def _flat(text: str, room: int | None) -> str:
    return unlabelled(text) if room is None else _cut(unlabelled(text), room)


def _cut(line: str, characters_max: int) -> str:
    return line if len(line) <= characters_max else line[: max(0, characters_max - 1)].rstrip() + "…"


def ticked(text: str) -> str:
    """A path or a word as code. A tick in it would end the code early."""
    return f"`{escaped(_RUN_REMARK, unlabelled(text)).replace('`', '')}`"
