"""Owns the text of a context block: what each layer looks like, and that no content can pretend to be layout."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from hansard.domain import actors, addresses, budget, layout
from hansard.domain.decisions import Decision
from hansard.domain.inbox import Entry
from hansard.domain.limits import TIME_MAX
from hansard.domain.memories import Memory
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.text import visible
from hansard.domain.tricks.seams import signs_across
from hansard.domain.tricks.signs import is_doubtful
from hansard.domain.trust import Sourced, Trust, default_origin, is_note, tier_of, trust_of
from hansard.domain.vocabulary import Clearance, MemoryType

GUIDANCE_ADDRESS = addresses.GUIDANCE
GUIDANCE_RULES = f"""\
> What earlier work left behind, condensed. Three rules:
> 1. It is a hint about how things were done and why. It proves nothing about the repository as it is now.
> 2. If it changes your plan, say so, name `{GUIDANCE_ADDRESS}`, and add what you found in the repository itself.
> 3. The repository and the user win. Whatever contradicts them here is out of date.
"""
CHARTER_RULE = "\n---\n\n"
"""What stands between a charter and the rest. A line `---` right under text would make a heading of it."""
DATA_MARK = layout.DATA_MARK
REMEMBERED_TEXTS_MAX = 1_024
REMEMBERED_CHARACTERS_MAX = 1_000
REMEMBERED_TASKS_MAX = 64
NAME_WITHHELD = "a name that reads like an instruction"
LINE_CHARACTERS_MAX = 160
"""How much of a longer text stands where one line is meant to say it."""

_LABELS = "|".join(layout.BLOCK_LABELS)
_REMARK = re.compile(r"^(\s*)(\((?:stale:|data, not|cut:|earlier:))", re.IGNORECASE)
_LAYOUT = re.compile(
    # Atomic, or a long line of list marks would be tried again from each of them.
    r"^((?>(?:\s*(?:[-*+•‣◦·–—]|\d{1,9}[.)])(?=\s+\S))*\s*))"
    r"(#{1,6}(?=\s|$)|```|~~~|>|<(?!U\+[0-9A-F])(?=[a-z/!?])|[*_]*\[|(?:[-*+•‣◦·–—]|\d{1,9}[.)])\[|(?:[-=_*]\s*)+$"
    rf"|[*_]{{1,3}}(?:{_LABELS})\b)",
    re.IGNORECASE,
)
_RUN_REMARK = re.compile(
    r"(?<!\\)(\((?=\s*(?:files|overlap|data\b|stale|cut|earlier))|\[(?=\s*run\s+of\b))", re.IGNORECASE
)
"""What a line about a run says behind its task, or before it, in Hansard's name."""
_ESCAPED = r"\\\1"
_LABEL = re.compile(rf"(?<!\\)([*_]{{1,3}}(?=(?:{_LABELS})\b))", re.IGNORECASE)
_INLINE_REMARK = re.compile(r"(?<!\\)(\((?=\s*(?:data, not|stale:|cut:|earlier:)))", re.IGNORECASE)
_KIND = re.compile(
    r"^(\s*\S{1,4}\s*)((?<!\\)\[(?=\s*(?:"
    rf"{'|'.join(layout.ITEM_KINDS)}|forgotten|held back|run of)\b))",
    re.IGNORECASE,
)
"""A label of an item behind a mark that nobody thought of."""
_NAME_LAYOUT = re.compile(r"[\[\]()|*`<>\\]")


def content(text: str) -> str:
    """Stored text that stays inside its item: a line that looks like the block's own layout, or remark, is escaped."""
    # Made visible first: a character that goes might have hidden the layout behind it.
    lines = visible(text).split("\n")
    # No layout begins with a letter; most lines do.
    return "\n".join(_contained(line) for line in lines)


def _contained(line: str) -> str:
    if not line[:1].isalpha():
        line = _REMARK.sub(r"\1\\\2", _LAYOUT.sub(r"\1\\\2", line))
    return _KIND.sub(r"\1\\\2", line) if "[" in line[:12] else line


def inline(text: str) -> str:
    """Stored text on one line."""
    return " ".join(visible(" ".join(text.split())).split())


def unlabelled(text: str) -> str:
    """Stored text on a line of the block's own, where it may not go on with another of its labels."""
    return _INLINE_REMARK.sub(_ESCAPED, _LABEL.sub(_ESCAPED, inline(text)))


def name(text: str) -> str:
    """An actor's name, which may not close a label or open another one.

    Names that say something are refused. One that was recorded before that is not told. One that would be taken for
    several, or for what is said of somebody, stands in quotation marks.
    """
    if actors.is_phrase(text):
        return NAME_WITHHELD
    told = _NAME_LAYOUT.sub(lambda found: "\\" + found.group(), inline(text))
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


def looked_up(decision: Decision) -> str:
    """A decision as it is shown to whoever asks for it: what no person vouched for and reads like an order is data."""
    said, why = decision.content, decision.rationale
    if why is not None:
        why = f"{DATA_MARK}\n> {quoted(why)}" if is_data(why, decision) else quoted(why)
    drawn = f"{DATA_MARK}\n{_marked(said)}" if is_data(said, decision) else content(said)
    return _ruled(decision, drawn, why, doubt_remark(decision.title, decision))


def _ruled(decision: Decision, said: str, rationale: str | None, remarked: str = "") -> str:
    lines = [
        f"### {unlabelled(decision.title)}{remarked}",
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


def is_data(text: str, decision: Decision) -> bool:
    """Whether a reader is told that words of a decision are data: no person vouched for them, and they give orders."""
    return decision.cleared is not Clearance.CONFIRMED and (is_doubtful(text) or _is_split(decision))


def _is_split(decision: Decision) -> bool:
    """Whether its words give an order in a row that none of them gives alone."""
    said = (decision.title, decision.content, *decision.applies_to, decision.rationale)
    return bool(signs_across([one for one in said if one]))


def is_split(session: Session) -> bool:
    """Whether a session tells an order in pieces. Then all of it is data."""
    return bool(signs_across(session.told()))


def doubt_remark(text: str, decision: Decision) -> str:
    """The mark of data with the blank before it, for words of a decision that need it; else nothing."""
    return f" {DATA_MARK}" if is_data(text, decision) else ""


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
    return f"{kind}{foreign(memory)}"


def foreign(memory: Memory) -> str:
    """What a label goes on with if the words are nobody's here: where they come from."""
    return f", {memory.origin or default_origin(memory.source, None)}" if is_from_outside(memory) else ""


def is_from_outside(memory: Sourced) -> bool:
    """Whether its words are nobody's here, so that they are shown as data with their origin.

    Not what a person vouched for, and not a note file: that stands where its team put it.
    """
    vouched = memory.cleared is Clearance.CONFIRMED or is_note(memory)
    return not vouched and trust_of(memory.origin, memory.source) is Trust.OUTSIDE


def is_doubted(record: Memory | Entry) -> bool:
    """Whether a reader is told that its words are data: for where they come from, or for what the guard saw in them."""
    if record.cleared is Clearance.CONFIRMED:
        # A person who vouched for it settled both.
        return False
    return bool(record.signs) or (
        tier_of(record) is Trust.OUTSIDE if isinstance(record, Entry) else is_from_outside(record)
    )


def memory_line(memory: Memory, *, reader_key: str, stale: Sequence[str] = ()) -> str:
    return _item(memory_label(memory, reader_key=reader_key), memory, stale)


def memories(lines: Sequence[str]) -> str:
    return f"{layout.MEMORY_HEADING}\n" + "".join(lines)


def guidance(text: str, *, tokens_max: int) -> str:
    """The consolidated memory under its rules, as much of it as there is room for."""
    body, left_out = guidance_body(text, tokens_max=tokens_max)
    cut = f"\n(cut: {left_out:,} more tokens are at {GUIDANCE_ADDRESS})" if left_out else ""
    return f"{layout.GUIDANCE_HEADING}\n{GUIDANCE_RULES}\n{body}{cut}\n"


def guidance_body(text: str, *, tokens_max: int) -> tuple[str, int]:
    """The consolidated memory as it is shown, and how many tokens of it are left out."""
    doubtful = is_doubtful_guidance(text, tokens_max=tokens_max)

    def drawn(said: str, _left_out: int) -> str:
        return _marked(said) if doubtful else content(said)

    return budget.fitted(visible(text.strip("\n")), drawn, budget.beginning, tokens_max=tokens_max)


def is_doubtful_guidance(text: str, *, tokens_max: int) -> bool:
    """Whether what a block shows of the consolidated memory is data."""
    return is_doubtful(text[: tokens_max * budget.CHARACTERS_PER_TOKEN])


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
    return f"{layout.KNOWLEDGE_HEADING}\n" + "".join(lines)


def session(current: Session | None, runs: Sequence[str] = (), *, more_runs: int = 0, tokens_max: int = 0) -> str:
    """What is going on: the open session, and who else is at work. No limit of tokens is no limit."""
    lines = [layout.SESSION_HEADING]
    if current is not None:
        lines += _current(current, tokens_max * budget.CHARACTERS_PER_TOKEN if tokens_max else None)
    if runs or more_runs:
        lines.append("**Other open runs:**")
    text = "\n".join(lines) + "\n" + "".join(runs)
    return text + (f"- and {more_runs:,} more\n" if more_runs else "")


def run_line(run: Run, *, files: Sequence[str] = (), overlap: Sequence[str] = ()) -> str:
    """Somebody else at work: on what, on which files, and what of it is this task as well."""
    on_label, below = ("", "") if run.task is None else _told_task(run.task)
    remarks = f" (files: {', '.join(_ticked(one) for one in files)})" if files else ""
    if overlap:
        remarks += f" (overlaps with this task: {', '.join(_ticked(one) for one in overlap)})"
    return f"- [run of {name(run.agent)}]{on_label}{remarks}{below}\n"


@lru_cache(maxsize=REMEMBERED_TASKS_MAX)
def _told_task(task: str) -> tuple[str, str]:
    """The task behind the label of its run, or in a quotation below, with the mark of data right before it."""
    line = _RUN_REMARK.sub(_ESCAPED, content(first_line(task)))
    return ("", f" {DATA_MARK}\n  > {line}") if is_doubtful(task) else (f" {line}", "")


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
    """What a memory says, behind the mark of data if it needs one."""
    text, doubted = memory.content, is_doubted(memory)
    return _remembered(text, doubted) if len(text) <= REMEMBERED_CHARACTERS_MAX else _drawn(text, doubted)


def marked(text: str, *, doubted: bool = False) -> str:
    """Stored text where it must stay on its line, behind the mark of data if it would like to be obeyed."""
    return f"{DATA_MARK} {text}" if doubted or is_doubtful(text) else text


def prose(text: str, *, doubted: bool = False) -> str:
    """Stored text of several lines, behind the mark of data if it needs one."""
    return _drawn(text, doubted)


def _item(label: str, memory: Memory, stale: Sequence[str]) -> str:
    body = words(memory)
    if stale:
        body += f"\n{stale_remark(stale, data=is_doubted(memory) or is_doubtful(memory.content))}"
    return f"- [{label}] " + body.replace("\n", "\n  ") + "\n"


def stale_remark(stale: Sequence[str], *, data: bool) -> str:
    """What no longer holds. Names that stand in data are not told: the remark is Hansard's own, outside the fence."""
    if not data:
        return f"(stale: {'; '.join(map(inline, stale))})"
    # There may be more of them than are told.
    return f"(stale: at least {len(stale):,} of its claims {'does' if len(stale) == 1 else 'do'} not hold any more)"


def _drawn(text: str, doubted: bool) -> str:  # noqa: FBT001 - by position, for the cache
    if doubted or is_doubtful(text):
        return f"{DATA_MARK}\n{_marked(text)}"
    return content(text)


_remembered = lru_cache(maxsize=REMEMBERED_TEXTS_MAX)(_drawn)
"""Turn after turn tells the same memories."""


def _marked(text: str) -> str:
    """Text that would like to be obeyed, as a quotation."""
    return f"> {quoted(text)}"


def _current(current: Session, room: int | None) -> list[str]:
    # As it was written, and as much as can be shown: what is made visible hides nothing any more.
    split = is_split(current)
    doubtful = split or (bool(current.summary) and is_doubtful((current.summary or "")[-room if room else 0 :]))

    def drawn(said: str, left_out: int) -> str:
        earlier = f"(earlier: {left_out:,} lines) " if left_out else ""
        if doubtful:
            return f"**Summary:** {earlier}{DATA_MARK}\n{_marked(said)}"
        return f"**Summary:** {earlier}{content(said)}"

    lines = [f"**Focus:** {_flat(current.focus, None if room is None else room // 2, doubted=split)}"]
    if current.issues:
        left = None if room is None else (room - len(lines[0])) // 2
        lines.append(f"**Active issues:** {_issues(current.issues, left, doubted=split)}")
    if current.summary and room is None:
        lines.append(drawn(current.summary, 0))
    elif current.summary and room is not None:
        left = room - len(layout.SESSION_HEADING) - sum(len(one) + 1 for one in lines) - 2
        tokens_max = max(1, left // budget.CHARACTERS_PER_TOKEN)
        lines.append(budget.fitted(visible(current.summary), drawn, budget.ending, tokens_max=tokens_max)[0])
    return lines


def _issues(issues: Sequence[str], room: int | None, *, doubted: bool) -> str:
    told, count = _listed(issues, room)
    if not doubted and not any(map(is_doubtful, issues[:count])):
        return told
    # One of them makes data of all: where one ends and the next begins is theirs to say.
    return _fenced(_listed(issues, None if room is None else room - len(_fenced("")))[0])


def _listed(issues: Sequence[str], room: int | None) -> tuple[str, int]:
    """The issues on one line, and how many of them stand there."""
    shown: list[str] = []
    for place, issue in enumerate(issues):
        line = unlabelled(issue)
        if room is not None and not shown:
            line = _cut(line, room)
        if room is not None:
            room -= len(line) + 2
            if room < 0 and shown:
                return f"{', '.join(shown)}, and {len(issues) - place:,} more", place
        shown.append(line)
    return ", ".join(shown), len(shown)


def _flat(text: str, room: int | None, *, doubted: bool) -> str:
    line = unlabelled(text) if room is None else _cut(unlabelled(text), room)
    return _fenced(line) if doubted or is_doubtful(text) else line


def _fenced(line: str) -> str:
    """A line in a quotation, behind the mark of data: whoever reads it has been told before."""
    return f"{DATA_MARK}\n{_marked(line)}"


def _cut(line: str, characters_max: int) -> str:
    return line if len(line) <= characters_max else line[: max(0, characters_max - 1)].rstrip() + "…"


def _ticked(text: str) -> str:
    """A path or a word as code. A tick in it would end the code early."""
    return f"`{inline(text).replace('`', '')}`"
