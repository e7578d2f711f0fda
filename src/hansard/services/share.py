"""Moves memories between people: shares them with the team, hands lessons to an agent, reads them with a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import memories, text
from hansard.domain.actors import clean_name, key_of
from hansard.domain.errors import Forgotten, Invalid, Quarantined, TooManyWrites, UnknownAgent
from hansard.domain.identifiers import is_uuid
from hansard.domain.limits import CONTENT_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.policy import Act, Matter, may, require
from hansard.domain.runs import clean_task
from hansard.domain.tags import with_scope
from hansard.domain.usage import Retrieval, Surfacing
from hansard.domain.versions import pinned, refuse_stale
from hansard.domain.vocabulary import Category, Importance, MemoryType, Origin, Scope, Subject, parse
from hansard.services import chronicle
from hansard.services.admission import hands_on, overreaches, raised, refuse_unseen, repeated, screen, screen_text
from hansard.services.find_known import find_equal
from hansard.services.hide import hide_memory
from hansard.services.limit import count_write
from hansard.services.reindex import reindex
from hansard.services.remember import find_memory, remember
from hansard.services.repeat import note_work
from hansard.services.seat import Seat, find_run
from hansard.services.speak_for import require_name

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

NAME_CHARACTERS = 60


def share(seat: Seat, memory_id: str, *, expected_version: int | None = None) -> Memory:
    """Makes a memory one of the team's: its owner or a lead. Sharing twice changes nothing.

    With `expected_version`, or a reference such as `ID@2`, only if nobody changed it since. A person vouches for what
    comes from outside by it, and names the version that they read where others changed it.

    If the agent has shared the same words already, that memory is returned, marked as a duplicate.
    """
    with seat.writing() as tx:
        reference, version = pinned(memory_id, expected_version)
        wanted = text.reference(reference, field="memory")
        before = tx.memories.get(wanted) if is_uuid(wanted) else None
        if before is None or not may(seat.actor, Act.SHARE, Matter(owner=before.agent)):
            # Whoever may not share it learns no more than whoever may not read it.
            before = find_memory(tx, seat, reference)
        require(seat.actor, Act.SHARE, Matter(owner=before.agent))
        hide_memory(seat, before)
        if before.is_forgotten:
            raise Forgotten(f"The memory {before.id} was forgotten; its content is gone.")
        refuse_stale("The memory", before.version, version)
        if before.scope is Scope.TEAM:
            return before
        tags, scope = with_scope(before.tags, Scope.TEAM)
        if before.is_quarantined:
            raise Quarantined(f"The memory {before.id} waits for review. Release, confirm or redact it first.")
        own = before
        if overreaches(before, before._replace(scope=scope)):
            own = raised(seat, before)
            if version is None:
                refuse_unseen(tx, seat, before, "share")
        known = find_equal(tx, before._replace(scope=scope))
        if known is not None:
            return known._replace(duplicate=True)
        said, _ = screen(seat, own, tx)
        (said,) = repeated(tx, seat, [said._replace(tags=tags, scope=scope)])
        after = said._replace(version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        reindex(tx, seat, before, after)
        chronicle.changed(tx, seat.actor, "memory.shared", Subject.MEMORY, before, after)
        return after


def inject_learning(
    seat: Seat, *, agent: str, learning: str | None = None, category: str, memory_id: str | None = None
) -> Memory:
    """Hands a lesson to an agent: a lead or a person only. It is the agent's memory and the team sees it.

    The lesson is a text, or a memory that is named. What a memory says stays from where it came.
    """
    kind = parse(Category, category, field="category")
    target = clean_name(agent)
    require_name(seat, Act.INJECT, target)
    if (learning is None) == (memory_id is None):
        raise Invalid("Give the lesson as a text or name a memory that has it; one of both.")
    with seat.reading() as tx:
        known = {one.key for one in tx.actors.all()}
        named = None if memory_id is None else _find_said(tx, seat, memory_id)
    if named is not None and named.is_quarantined:
        raise Quarantined(f"The memory {named.id} waits for review. Release, confirm or redact it first.")
    said = learning if named is None else named.content
    lesson = text.prose(said or "", field="learning", bytes_max=CONTENT_BYTES_MAX // 2)
    origin = None
    if named is None:
        with seat.reading() as tx:
            origin = Origin.EXTERNAL if hands_on(tx, seat, lesson) else None
    if key_of(target) not in known:
        raise UnknownAgent(f"No agent {target!r} has acted in this project.")
    note = memories.note(
        f"[Lead Feedback — {kind}]\n\n{lesson}",
        agent=target,
        type=MemoryType.LEARNING,
        importance=Importance.HIGH,
        scope=Scope.TEAM,
        name=f"{memories.LESSON_NAME}{kind} — {' '.join(lesson.split())[:NAME_CHARACTERS]}",
        tags=[kind.value],
        category=kind.value,
    )
    return remember(seat, note._replace(origin=origin), for_another=True, words_of=named)


def use_memory(seat: Seat, memory_id: str, *, run_id: str | None = None, task: str | None = None) -> Memory:
    """Reads a memory and counts the access, expired or not. Searching counts nothing.

    The access is a write. Over the limit of writes the memory is read all the same, and nothing is counted.
    """
    asked_for = clean_task(task)
    asked_for = None if asked_for is None else screen_text(seat, asked_for, field="task")
    try:
        with seat.writing() as tx:
            memory = _find_said(tx, seat, memory_id)
            run = find_run(tx, run_id)
            tx.memories.count_access(memory.id, now=tx.now)
            call = tx.new_id()
            tx.usage.log([
                Retrieval(
                    call, 0, memory.id, seat.actor.key, run.id if run else None, asked_for, Surfacing.GET, 1.0, 1.0,
                    shown=True, at=tx.now,
                )
            ])  # fmt: skip
            # It is no event, by which a seat knows that something was written and a request done.
            count_write(tx, seat)
            note_work(seat.store, tx)
            return memory._replace(access_count=memory.access_count + 1, accessed_at=tx.now)
    except TooManyWrites:
        with seat.reading() as tx:
            return _find_said(tx, seat, memory_id)


def _find_said(tx: Transaction, seat: Seat, memory_id: str) -> Memory:
    memory = find_memory(tx, seat, memory_id)
    if memory.is_forgotten:
        raise Forgotten(f"The memory {memory.id} was forgotten; its content is gone.")
    return memory
