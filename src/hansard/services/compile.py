"""Compiles the block an agent is given before a turn, with a receipt; a part that fails leaves the others standing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from hansard.clock import SystemClock
from hansard.domain import budget, rendering, text
from hansard.domain.actors import Actor, clean_name, key_of
from hansard.domain.errors import HansardError, Invalid
from hansard.domain.limits import CHARTER_BYTES_MAX, PATH_BYTES_MAX, PROMPT_BYTES_MAX, TASK_BYTES_MAX
from hansard.domain.policy import Act, Matter
from hansard.domain.receipts import Block, Fate, Kind, Layer, LayerTotal, Receipt, ReceiptLine, digest_of
from hansard.domain.runs import clean_task
from hansard.domain.turns import Mode, asks_to_ignore, phrases_in
from hansard.domain.vocabulary import Role, parse
from hansard.services import observe
from hansard.services.choose import Check, Choice, choose_knowledge, choose_memories, said_above
from hansard.services.compare import own_of, telling
from hansard.services.gather import State, Turn, gather
from hansard.services.look_up import NOTE_UNCHECKED, Lookup, lookup_of, nothing
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.domain.memories import Memory
    from hansard.domain.runs import Run
    from hansard.services.guide import Guidance
    from hansard.services.recall import Hits

NOTE_IGNORED = "The prompt asks for a turn without memory; decisions stay."
NOTE_NO_GUIDANCE = "The consolidated memory could not be read"
NOTE_NO_MEMORY = "Memory could not be shown"
NOTE_MORE_CORE = "Of the core memories {count:,} more were counted and not read: others are more important or newer."
NOTE_NO_SESSION = "The session could not be shown"
NOTE_NO_RECALL = "Recall was not available"
NOTE_NOT_LOGGED = "What was shown is not in the log"
NOTE_TASK_CUT = "Of the task only the first {kept:,} of {given:,} bytes were used."
QUERY_CHARACTERS_MAX = 4_000
SECRET_NAME_CHARACTERS_MIN = 16
"""A shorter name is no secret that the scanner knows, which takes longer to load than a block to compile."""
_UNPRINTABLE = "[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]"
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
    """What is asked for, in normal form. Raises Invalid for arguments that make no sense.

    A task that is too long is cut, with a note: it is a turn's subject, and no turn ends because there is much of it.
    """
    used, notes = _within_limit(task)
    return Turn(
        agent=clean_name(agent),
        reader_key=key_of(clean_name(agent)),
        mode=parse(Mode, mode, field="mode"),
        task=clean_task(used),
        prompt=_clean_prompt(prompt),
        charter=_clean_charter(charter),
        cwd=_clean_path(cwd),
        run_id=None if run_id is None else text.reference(run_id, field="run"),
        notes=notes,
    )


def _without_secrets(said: str) -> str:
    """A charter is told to a model, as everything else in a block; receipts tell it, the task, the agent and notes."""
    from hansard.services.admission import safe

    return safe(said)


def _safe_name(agent: str) -> str:
    return agent if len(agent) < SECRET_NAME_CHARACTERS_MIN else _without_secrets(agent)


def compile_block(seat: Seat, turn: Turn, *, as_of: str | int | None = None) -> Block | None:
    """The agent's block, or None if there is nothing to tell and nothing to say about it.

    The same state gives the same bytes. If there were candidates or notes, there is a block, though its text be empty.

    Raises for what the policy refuses, for a time that cannot be looked back to, and for nothing else: what cannot be
    read is left out, and the receipt's notes say so. If nothing at all can be read, the charter is the block.
    """
    seat.require(Act.READ_PRIVATE, Matter(owner=turn.agent))
    notes: list[str] = [*seat.settings.faults, *turn.notes]
    if turn.mode is not Mode.CHILD and turn.prompt is not None:
        phrases = phrases_in(seat.settings.context_ignore_phrases)
        if turn.mode is not Mode.IGNORE and asks_to_ignore(turn.prompt, phrases):
            turn = turn._replace(mode=Mode.IGNORE)
            notes.append(NOTE_IGNORED)
    if as_of is not None:
        from hansard.services.look_back import look_back

        return compose(seat, turn, look_back(seat, turn, as_of), notes, past=True)
    hurried = seat._replace(wait_seconds=seat.settings.context_wait_seconds)
    block = compose(hurried, turn, gather(hurried, turn), notes)
    observe.tell(observe.COMPILED_CHARACTERS, 0 if block is None else len(block.text))
    return block


def compose(seat: Seat, turn: Turn, state: State, notes: Sequence[str] = (), *, past: bool = False) -> Block | None:
    """The block of a state. Of the past only the record is known: nothing is looked for, checked or read from files."""
    told = [*state.notes, *notes]
    layers = [_boundaries(seat, turn, state)]
    if turn.wants_memory:
        looked = None if past else _attempt(told, NOTE_UNCHECKED, lambda: lookup_of(turn, state, seat.settings, told))
        lookup = looked or nothing()
        guidance = None if past else _attempt(told, NOTE_NO_GUIDANCE, lambda: _read_guidance(seat, lookup))
        careful = _careful(lookup, told)
        memory = (
            _attempt(told, NOTE_NO_MEMORY, lambda: choose_memories(state, turn, seat.settings, careful)) or Choice()
        )
        layers.append(_memory_layer(memory, seat, state))
        if state.more_memories:
            told.append(NOTE_MORE_CORE.format(count=state.more_memories))
        if not past:
            layers.append(_guidance(seat, guidance, lookup, told))
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
    return Block(whole, _receipt(turn, State(), (), whole, (reason, *turn.notes)))


def _receipt(turn: Turn, state: State, layers: Sequence[Layered], whole: str, notes: Sequence[str]) -> Receipt:
    return Receipt(
        id=None,
        # A store that could not be read told no time.
        at=state.now or SystemClock().now(),
        # They were used as they were given. A receipt is shown and logged, kept or not.
        agent=_safe_name(turn.agent),
        mode=turn.mode,
        task=None if turn.task is None else _without_secrets(turn.task),
        prompt_sha256=None if turn.prompt is None else digest_of(turn.prompt),
        charter=turn.charter,
        run_id=turn.run_id,
        lines=tuple(line for one in layers for line in one.lines),
        totals=tuple(_total(one) for one in layers),
        superseded=state.superseded,
        more_runs=sum(one.more for one in layers),
        shaping=tuple((f"{one.layer}_tokens_max", one.cut_at) for one in layers if one.cut_at is not None),
        sha256=digest_of(whole),
        ledger_seq=state.seq,
        tokens=budget.tokens(whole),
        notes=tuple(_without_secrets(one) for one in notes),
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


def _memory_layer(memory: Choice, seat: Seat, state: State) -> Layered:
    whole = rendering.memories(memory.texts) if memory.texts else ""
    held = tuple(
        ReceiptLine(
            Layer.MEMORY, one.id, budget.tokens(one.content), Fate.QUARANTINED, Kind.MEMORY, version=one.version
        )
        for one in state.quarantined
    )
    limit = seat.settings.context_memory_tokens_max
    return Layered(Layer.MEMORY, whole, (*memory.lines, *held), limit, unread=state.more_memories)


def _read_guidance(seat: Seat, lookup: Lookup) -> Guidance | None:
    from hansard.services.guide import guidance_for

    found = guidance_for(seat, check=seat.settings.context_stale != "off")
    if found is not None:
        lookup.take_along(found.claims)
    return found


def _guidance(seat: Seat, found: Guidance | None, lookup: Lookup, notes: list[str]) -> Layered:
    limit = seat.settings.context_guidance_tokens_max
    if found is None:
        return Layered(Layer.GUIDANCE, "", (), limit)
    from hansard.services.guide import drawn, remarks

    checked = _attempt(notes, NOTE_UNCHECKED, lambda: lookup.stale({rendering.GUIDANCE_ADDRESS: found.claims}))
    stale = remarks((checked or {}).get(rendering.GUIDANCE_ADDRESS, ()))
    line = ReceiptLine(
        Layer.GUIDANCE, rendering.GUIDANCE_ADDRESS, budget.tokens(found.shown),
        Fate.SHRUNK if found.left_out else Fate.INCLUDED, Kind.GUIDANCE, digest=digest_of(found.text), stale=stale,
        note=f"{found.left_out:,} tokens were cut" if found.left_out else None,
    )  # fmt: skip
    return Layered(Layer.GUIDANCE, drawn(found.text, stale, tokens_max=limit), (line,), limit, limit)


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
        note_shown(reader, seen, at=state.now, seq=state.seq, run_id=turn.run_id, task=turn.task)

    _attempt(notes, NOTE_NOT_LOGGED, log)
    return Layered(Layer.KNOWLEDGE, rendering.knowledge(choice.texts), choice.lines, limit)


def _session(seat: Seat, turn: Turn, state: State) -> Layered:
    limit = seat.settings.context_session_tokens_max
    own = own_of(turn)
    every = [(one, *telling(one, own, state.citations.get(one.id, ()))) for one in state.runs]
    # Whoever is at the same thing is told first, however long ago that run began.
    every.sort(key=lambda one: not one[2])
    first, others = every[: seat.settings.context_runs_max], every[seat.settings.context_runs_max :]
    wanted = [(one, files, overlap) for one, files, overlap in first]
    # A session may take half, and what it does not take is for the runs; then it gets what they leave.
    half = 0 if state.session is None else budget.tokens(rendering.session(state.session, tokens_max=limit // 2 or 1))
    runs, unfit = _affordable(wanted, limit - min(limit // 2, half))
    texts = [rendering.run_line(one, files=files, overlap=overlap) for one, files, overlap in runs]
    room = max(limit - sum(map(budget.tokens, texts)), 1)
    lines: list[ReceiptLine] = []
    if state.session is not None:
        alone = rendering.session(state.session, tokens_max=room)
        left_out = budget.tokens(rendering.session(state.session)) - budget.tokens(alone)
        lines.append(
            ReceiptLine(
                Layer.SESSION, state.session.id, budget.tokens(alone), Fate.SHRUNK if left_out > 0 else Fate.INCLUDED,
                Kind.SESSION, version=state.session.version,
                note=f"{left_out:,} tokens were cut" if left_out > 0 else None,
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


def _careful(lookup: Lookup, notes: list[str]) -> Check:
    def checked(memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
        found = _attempt(notes, NOTE_UNCHECKED, lambda: lookup.of_memories(memories))
        return {one.id: () for one in memories} if found is None else found

    return checked


def _within_limit(task: str | None) -> tuple[str | None, tuple[str, ...]]:
    if not isinstance(task, str) or len(task) * 4 <= TASK_BYTES_MAX:
        return task, ()
    told = task.strip().encode("utf-8", "surrogatepass")
    if len(told) <= TASK_BYTES_MAX:
        return task, ()
    kept = told[:TASK_BYTES_MAX].decode("utf-8", "ignore")
    return kept, (NOTE_TASK_CUT.format(kept=TASK_BYTES_MAX, given=len(told)),)


def _clean_prompt(value: str | None) -> str | None:
    """The prompt without what cannot be printed. It is somebody's own words and is never refused for them."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Invalid(f"prompt must be text, not {type(value).__name__}.")
    text.within(value, field="prompt", bytes_max=PROMPT_BYTES_MAX)
    return re.sub(_UNPRINTABLE, " ", value.replace("\r\n", "\n")) if value.strip() else None


def _clean_charter(value: str | None) -> str | None:
    """The charter as it is, but for secrets: the caller trusts it, and so its bytes do not change."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Invalid(f"charter must be text, not {type(value).__name__}.")
    text.within(value, field="charter", bytes_max=CHARTER_BYTES_MAX)
    return _without_secrets(value) if value.strip() else None


def _clean_path(value: str | Path | None) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | Path):
        raise Invalid(f"cwd must be a path, not {type(value).__name__}.")
    return Path(text.line(str(value), field="cwd", bytes_max=PATH_BYTES_MAX))
