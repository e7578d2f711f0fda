"""Compiles the block an agent is given before a turn, with a receipt; a part that fails leaves the others standing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from hansard.domain import budget, rendering, text
from hansard.domain.actors import Actor, clean_name, key_of
from hansard.domain.errors import HansardError, Invalid
from hansard.domain.limits import CHARTER_BYTES_MAX, PATH_BYTES_MAX, PROMPT_BYTES_MAX
from hansard.domain.policy import Act, Matter
from hansard.domain.receipts import Block, Fate, Kind, Layer, LayerTotal, Receipt, ReceiptLine
from hansard.domain.runs import clean_task
from hansard.domain.turns import Mode, asks_to_ignore, phrases_in
from hansard.domain.vocabulary import Role, parse
from hansard.services.choose import (
    NOTE_UNCHECKED,
    Check,
    Choice,
    checker,
    choose_knowledge,
    choose_memories,
    said_above,
    unchecked,
)
from hansard.services.gather import State, Turn, gather
from hansard.services.seat import Seat
from hansard.settings import data_folder

if TYPE_CHECKING:
    from hansard.domain.memories import Memory
    from hansard.domain.runs import Run
    from hansard.services.recall import Hits

NOTE_IGNORED = "The prompt asks for a turn without memory; decisions stay."
NOTE_NO_GUIDANCE = "The consolidated memory could not be read"
NOTE_NO_MEMORY = "Memory could not be shown"
NOTE_MORE_CORE = "Of the core memories {count:,} more were counted and not read: others are more important or newer."
NOTE_NO_SESSION = "The session could not be shown"
NOTE_NO_RECALL = "Recall was not available"
NOTE_NOT_LOGGED = "What was shown is not in the log"
FILES_SHOWN_MAX = 5
WORDS_SHOWN_MAX = 3
QUERY_CHARACTERS_MAX = 4_000
_UNPRINTABLE = "[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]"
_GENERIC = frozenset(
    """
    fix fixes add adds update updates implement write make change changes create remove delete refactor test tests
    testing bug bugs issue issues task tasks code file files work review check checks use using new improve clean docs
    documentation run runs build support handle move rename need needs want look project repository feature features
    """.split()
)
"""Words that are in every second task and tell nothing about what two have in common."""
Result = TypeVar("Result")


class Layered(NamedTuple):
    """One layer of a block: its text, empty if there is nothing to say, and its lines in the receipt."""

    layer: Layer
    text: str
    lines: tuple[ReceiptLine, ...]
    budget: int
    cut_at: int | None = None
    """The tokens its text was cut to; whoever draws the block again must cut there too."""
    more: int = 0
    """How many open runs are counted and not told."""
    unread: int = 0
    """How many candidates are counted and were not even read."""


def turn_of(
    *,
    agent: str,
    task: str | None = None,
    prompt: str | None = None,
    mode: str = Mode.FULL,
    charter: str | None = None,
    cwd: str | Path | None = None,
    run_id: str | None = None,
) -> Turn:
    """What is asked for, in normal form. Raises Invalid for arguments that make no sense."""
    return Turn(
        agent=clean_name(agent),
        reader_key=key_of(clean_name(agent)),
        mode=parse(Mode, mode, field="mode"),
        task=clean_task(task),
        prompt=_clean_prompt(prompt),
        charter=_clean_charter(charter),
        cwd=_clean_path(cwd),
        run_id=None if run_id is None else text.reference(run_id, field="run"),
    )


def compile_block(seat: Seat, turn: Turn, *, as_of: str | int | None = None) -> Block | None:
    """The agent's block, or None if there is nothing to tell and nothing to say about it.

    The same state gives the same bytes. If there were candidates or notes, there is a block, though its text be empty.

    Raises for what the policy refuses, for a time that cannot be looked back to, and for nothing else: what cannot be
    read is left out, and the receipt's notes say so. If nothing at all can be read, the charter is the block.
    """
    seat.require(Act.READ_PRIVATE, Matter(owner=turn.agent))
    notes: list[str] = list(seat.settings.faults)
    if turn.mode is not Mode.CHILD and turn.prompt is not None:
        phrases = phrases_in(seat.settings.context_ignore_phrases)
        if turn.mode is not Mode.IGNORE and asks_to_ignore(turn.prompt, phrases):
            turn = turn._replace(mode=Mode.IGNORE)
            notes.append(NOTE_IGNORED)
    if as_of is not None:
        from hansard.services.look_back import look_back

        return compose(seat, turn, look_back(seat, turn, as_of), notes, past=True)
    hurried = seat._replace(wait_seconds=seat.settings.context_wait_seconds)
    return compose(hurried, turn, gather(hurried, turn), notes)


def compose(seat: Seat, turn: Turn, state: State, notes: Sequence[str] = (), *, past: bool = False) -> Block | None:
    """The block of a state. Of the past only the record is known: nothing is looked for, checked or read from files."""
    told = [*state.notes, *notes]
    layers = [_boundaries(seat, turn, state)]
    if turn.wants_memory:
        check = unchecked if past else _attempt(told, NOTE_UNCHECKED, lambda: checker(turn, state, seat.settings, told))
        careful = _careful(check or unchecked, told)
        memory = (
            _attempt(told, NOTE_NO_MEMORY, lambda: choose_memories(state.memories, turn, seat.settings, careful))
            or Choice()
        )
        layers.append(_memory_layer(memory, seat, state.more_memories))
        if state.more_memories:
            told.append(NOTE_MORE_CORE.format(count=state.more_memories))
        if not past:
            layers.append(_guidance(seat, told))
            layers.append(_knowledge(seat, turn, state, memory, careful, told))
    if turn.wants_session:
        session = _attempt(told, NOTE_NO_SESSION, lambda: _session(seat, turn, state))
        layers.append(session or Layered(Layer.SESSION, "", (), seat.settings.context_session_tokens_max))
    body = "\n".join(one.text for one in layers if one.text)
    whole = rendering.chartered(turn.charter, body)
    if not (whole or told or state.superseded or any(one.lines for one in layers)):
        return None
    if past:
        from hansard.services.look_back import NOTE_WITHOUT

        told.append(NOTE_WITHOUT)
    return Block(whole, _receipt(turn, state, layers, whole, told))


def without_store(turn: Turn, reason: str) -> Block:
    """What a turn is given if the store or the settings cannot be used: its charter, and the reason."""
    whole = turn.charter or ""
    return Block(whole, _receipt(turn, State(), (), whole, (reason,)))


def _receipt(turn: Turn, state: State, layers: Sequence[Layered], whole: str, notes: Sequence[str]) -> Receipt:
    return Receipt(
        id=None,
        at=state.now,
        agent=turn.agent,
        mode=turn.mode,
        task=turn.task,
        prompt_sha256=None if turn.prompt is None else _sha256(turn.prompt),
        charter=turn.charter,
        run_id=turn.run_id,
        lines=tuple(line for one in layers for line in one.lines),
        totals=tuple(_total(one) for one in layers),
        superseded=state.superseded,
        more_runs=sum(one.more for one in layers),
        shaping=tuple((f"{one.layer}_tokens_max", one.cut_at) for one in layers if one.cut_at is not None),
        sha256=_sha256(whole),
        ledger_seq=state.seq,
        tokens=budget.tokens(whole),
        notes=tuple(notes),
    )


def _total(one: Layered) -> LayerTotal:
    shown = [line.tokens for line in one.lines if line.fate.is_shown]
    return LayerTotal(one.layer, sum(shown), one.budget, len(shown), len(one.lines) - len(shown) + one.unread)


def _boundaries(seat: Seat, turn: Turn, state: State) -> Layered:
    limit = seat.settings.context_decisions_tokens_max
    decisions = state.decisions
    if turn.mode is Mode.COORDINATOR:
        texts = [rendering.digest_line(one) for one in decisions]
        whole = rendering.digest(decisions) if decisions else ""
        shrunk = [False] * len(texts)
    else:
        texts = [rendering.boundary(one) for one in decisions]
        shrunk = [False] * len(texts)
        if sum(map(budget.tokens, texts)) > limit:
            short = [rendering.short_boundary(one) for one in decisions]
            sizes = [(budget.tokens(one), budget.tokens(other)) for one, other in zip(texts, short, strict=True)]
            shrunk = budget.shrinking(sizes, tokens_max=limit)
            texts = [other if small else one for one, other, small in zip(texts, short, shrunk, strict=True)]
        whole = rendering.joined_boundaries(texts) if decisions else ""
    lines = tuple(
        ReceiptLine(
            Layer.BOUNDARIES, one.id, budget.tokens(said), Fate.SHRUNK if small else Fate.INCLUDED, Kind.DECISION,
            version=one.version,
        )
        for one, said, small in zip(decisions, texts, shrunk, strict=True)
    )  # fmt: skip
    return Layered(Layer.BOUNDARIES, whole, lines, limit)


def _memory_layer(memory: Choice, seat: Seat, more: int) -> Layered:
    whole = rendering.memories(memory.texts) if memory.texts else ""
    return Layered(Layer.MEMORY, whole, memory.lines, seat.settings.context_memory_tokens_max, unread=more)


def _guidance(seat: Seat, notes: list[str]) -> Layered:
    limit = seat.settings.context_guidance_tokens_max
    from hansard.workspace.guidance import guidance_of

    said = _attempt(notes, NOTE_NO_GUIDANCE, lambda: guidance_of(data_folder(), seat.project.id))
    if said is None:
        return Layered(Layer.GUIDANCE, "", (), limit)
    shown, left_out = rendering.guidance_body(said, tokens_max=limit)
    line = ReceiptLine(
        Layer.GUIDANCE, rendering.GUIDANCE_ADDRESS, budget.tokens(shown), Fate.SHRUNK if left_out else Fate.INCLUDED,
        Kind.GUIDANCE, digest=_sha256(said), note=f"{left_out:,} tokens were cut" if left_out else None,
    )  # fmt: skip
    return Layered(Layer.GUIDANCE, rendering.guidance(said, tokens_max=limit), (line,), limit, limit)


def _knowledge(seat: Seat, turn: Turn, state: State, memory: Choice, check: Check, notes: list[str]) -> Layered:
    settings = seat.settings
    limit = settings.context_knowledge_tokens_max
    nothing = Layered(Layer.KNOWLEDGE, "", (), limit)
    query = "\n".join(one for one in (turn.task, turn.prompt) if one)[:QUERY_CHARACTERS_MAX]
    if state.lost or not query.strip() or settings.context_knowledge_max == 0:
        return nothing
    # Read with the eyes of the agent, whoever asks for its block.
    reader = seat._replace(actor=Actor(turn.agent, Role.AGENT))

    def look() -> Hits:
        from hansard.services.recall import recollect

        # What is shown above is found again; behind it there must be as much left to choose from as ever.
        wide = settings.context_knowledge_max * settings.memory_candidate_multiplier
        return recollect(reader, query, depth=wide + len(memory.shown), seq=state.seq or None)

    hits = _attempt(notes, NOTE_NO_RECALL, look)
    if hits is None:
        return nothing
    notes += hits.notes
    above = said_above(state, memory.shown)
    choice = _attempt(notes, NOTE_NO_RECALL, lambda: choose_knowledge(hits, above, turn, settings, check))
    if choice is None or not choice.texts:
        return nothing._replace(lines=choice.lines if choice else ())
    shown = {one.id for one in choice.shown}

    def log() -> None:
        from hansard.services.recall import note_shown

        seen = [hit for hit in hits if hit.memory.id in shown]
        note_shown(reader, seen, at=state.now, run_id=turn.run_id, task=turn.task)

    _attempt(notes, NOTE_NOT_LOGGED, log)
    return Layered(Layer.KNOWLEDGE, rendering.knowledge(choice.texts), choice.lines, limit)


def _session(seat: Seat, turn: Turn, state: State) -> Layered:
    limit = seat.settings.context_session_tokens_max
    every = [(one, *_telling(one, turn, state)) for one in state.runs]
    # Whoever is at the same thing is told first, however long ago that run began.
    every.sort(key=lambda one: not one[2])
    wanted, others = every[: seat.settings.context_runs_max], every[seat.settings.context_runs_max :]
    # A session may take half, and what it does not take is for the runs; then it gets what they leave.
    half = 0 if state.session is None else budget.tokens(rendering.session(state.session, tokens_max=limit // 2 or 1))
    runs, unfit = _affordable(wanted, limit - min(limit // 2, half))
    texts = [rendering.run_line(one, files=files, overlap=overlap) for one, files, overlap in runs]
    room = max(limit - sum(map(budget.tokens, texts)), 1)
    lines: list[ReceiptLine] = []
    if state.session is not None:
        alone = rendering.session(state.session, tokens_max=room)
        lines.append(
            ReceiptLine(
                Layer.SESSION, state.session.id, budget.tokens(alone), Fate.INCLUDED, Kind.SESSION,
                version=state.session.version,
            )
        )  # fmt: skip
    lines += [
        ReceiptLine(
            Layer.SESSION, one.id, budget.tokens(said), Fate.INCLUDED, Kind.RUN, version=one.version, files=files,
            overlap=overlap,
        )
        for (one, files, overlap), said in zip(runs, texts, strict=True)
    ]  # fmt: skip
    lines += [
        ReceiptLine(Layer.SESSION, one.id, _size(one, files, overlap), fate, Kind.RUN, version=one.version)
        for fate, some in ((Fate.BUDGET, unfit), (Fate.ITEMS, others))
        for one, files, overlap in some
    ]
    if not lines:
        return Layered(Layer.SESSION, "", (), limit)
    more = len(unfit) + len(others)
    whole = rendering.session(state.session, texts, more_runs=more, tokens_max=room)
    return Layered(Layer.SESSION, whole, tuple(lines), limit, room, more)


_Told: TypeAlias = "tuple[Run, tuple[str, ...], tuple[str, ...]]"
"""A run, its files, and what of it is this task as well."""


def _affordable(runs: Sequence[_Told], room: int) -> tuple[list[_Told], list[_Told]]:
    """The runs as they are told, and those for which there is no room at all.

    If all of it is too much, each has its share, and one that names more gives up its files first.
    """
    if sum(_size(*one) for one in runs) <= room:
        return list(runs), []
    share = room // len(runs)
    told: list[_Told] = []
    unfit: list[_Told] = []
    for run, files, overlap in runs:
        forms = ((run, files, overlap), (run, (), overlap), (run, (), ()))
        form = next((one for one in forms if _size(*one) <= share), forms[-1])
        if _size(*form) <= room:
            told.append(form)
            room -= _size(*form)
        else:
            unfit.append((run, files, overlap))
    return told, unfit


def _size(run: Run, files: Sequence[str], overlap: Sequence[str]) -> int:
    return budget.tokens(rendering.run_line(run, files=files, overlap=overlap))


def _telling(run: Run, turn: Turn, state: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that a run cites, and what of it is this task as well: a path, or words that tell something."""
    from hansard.domain.claims import ClaimKind, claims_of

    def paths(said: str, citations: Sequence[str] = ()) -> list[str]:
        return [one.name for one in claims_of(said, citations) if one.kind is ClaimKind.PATH]

    files = tuple(paths(run.task or "", state.citations.get(run.id, ())))
    own = turn.task or turn.prompt
    if own is None:
        return files[:FILES_SHOWN_MAX], ()
    wanted = paths(own)
    shared = [one for one in files if any(_same_path(one, other) for other in wanted)]
    return files[:FILES_SHOWN_MAX], (*shared[:WORDS_SHOWN_MAX], *_shared_words(run.task or "", own))[:FILES_SHOWN_MAX]


def _same_path(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _shared_words(one: str, other: str) -> list[str]:
    from hansard.domain import questions

    theirs = set(questions.read(other).words)
    return [
        word for word in questions.read(one).words if word in theirs and word not in _GENERIC and len(word) > 3
    ][:WORDS_SHOWN_MAX]  # fmt: skip


def _attempt(notes: list[str], told: str, act: Callable[[], Result]) -> Result | None:
    """What the part gives, or nothing and a note: an agent's turn goes on with what there is."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not end somebody's turn
        notes.append(f"{told}: {_fault(error, told)}")
        return None


def _fault(error: Exception, told: str) -> str:
    if isinstance(error, HansardError):
        return error.message
    import logging

    # What nobody foresaw is for a developer as well; the turn is only told that it happened.
    logging.getLogger("hansard").debug("%s.", told, exc_info=error)
    return f"{type(error).__name__}: {error}"


def _careful(check: Check, notes: list[str]) -> Check:
    def checked(memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
        found = _attempt(notes, NOTE_UNCHECKED, lambda: check(memories))
        return unchecked(memories) if found is None else found

    return checked


def _sha256(said: str) -> str:
    from hashlib import sha256

    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _clean_prompt(value: str | None) -> str | None:
    """The prompt without what cannot be printed. It is somebody's own words and is never refused for them."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Invalid(f"prompt must be text, not {type(value).__name__}.")
    text.within(value, field="prompt", bytes_max=PROMPT_BYTES_MAX)
    return re.sub(_UNPRINTABLE, " ", value.replace("\r\n", "\n")) if value.strip() else None


def _clean_charter(value: str | None) -> str | None:
    """The charter as it is: the caller trusts it, and so its bytes do not change."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Invalid(f"charter must be text, not {type(value).__name__}.")
    text.within(value, field="charter", bytes_max=CHARTER_BYTES_MAX)
    return value if value.strip() else None


def _clean_path(value: str | Path | None) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | Path):
        raise Invalid(f"cwd must be a path, not {type(value).__name__}.")
    return Path(text.line(str(value), field="cwd", bytes_max=PATH_BYTES_MAX))
