"""Owns the addresses of memories: recorded, found, used, changed, shared and forgotten."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response

from hansard.clock import parse_instant
from hansard.domain.actors import key_of
from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, folder_models, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened, placeless
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane

memories = in_project("memories")
_THE_MEMORY = Example("The memory.", models.Memory, examples.MEMORY)


@operation(
    memories,
    "POST",
    "/memories",
    Example("It was recorded.", models.Memory, examples.MEMORY),
    status=201,
    also={200: Example("It was known already; nothing was written.", models.Memory, examples.DUPLICATE)},
)
def record(request: Request, project: Key, body: bodies.NewMemory) -> Response:
    """Record a memory. What is known already comes back with `duplicate` set, unless forced."""
    at = opened(request, project)
    made = at.remember(**_said(body))
    return answer(
        shapes.record(made),
        status=200 if made.duplicate else 201,
        location=None if made.duplicate else place(at.key, "memories", made.id),
        version=made.version,
    )


@operation(
    memories,
    "POST",
    "/memories/batch",
    Example("All of them, in the order given.", models.Recorded, examples.RECORDED),
    status=201,
    also={200: Example("All were known already; nothing was written.", models.Recorded, examples.ALL_KNOWN)},
    lane=Lane.LONG,
)
def batch(request: Request, project: Key, body: bodies.Batch) -> Response:
    """Record many memories in one transaction, all or none."""
    items = [_said(one) for one in body.items]
    made = opened(request, project).remember_many(items, force=body.force)
    status = 200 if all(one.duplicate for one in made) else 201
    return answer({"items": [shapes.record(one) for one in made]}, status=status)


@operation(
    memories, "GET", "/memories", Example("A page of memories, newest first.", models.Memories, examples.MEMORIES)
)
def list_(request: Request, project: Key, wanted: Annotated[filters.MemoryFilter, Query()]) -> Response:
    """List the memories that the caller may see, newest first."""
    return answer(shapes.page(opened(request, project).list_memories(**wanted.given())))


@operation(
    memories, "POST", "/memories/search", Example("The best of them.", models.Hits, examples.HITS), lane=Lane.READ
)
def search(request: Request, project: Key, body: bodies.Search) -> Response:
    """Find the memories that answer a question, best first."""
    return answer(shapes.hits(opened(request, project).recall(**body.given())))


@operation(
    memories,
    "POST",
    "/memories/inject",
    Example("The memory that the agent has now.", models.Memory, examples.MEMORY),
    status=201,
)
def inject(request: Request, project: Key, body: bodies.Lesson) -> Response:
    """Hand a lesson to an agent. A coordinator or a person may."""
    at = opened(request, project)
    made = at.inject_learning(body.learning, agent=body.agent, category=body.category, memory_id=body.memory_id)
    return answer(shapes.record(made), status=201, location=place(at.key, "memories", made.id), version=made.version)


@operation(
    memories,
    "POST",
    "/memories/summarise",
    Example("What is kept of it; null if it taught nothing.", models.Summarised, {"memory": examples.MEMORY}),
)
def summarise(request: Request, project: Key, body: bodies.Summary) -> Response:
    """Keep what a conversation taught, for three days."""
    made = opened(request, project).summarise_session(**body.given())
    return answer({"memory": shapes.record(made) if made else None})


@operation(
    memories, "POST", "/memories/verify", Example("What was checked.", models.Claims, examples.CLAIMS), lane=Lane.LOOK
)
def verify(request: Request, project: Key, body: bodies.ClaimCheck | None = None) -> Response:
    """Find memories that name files or symbols that are gone from the project's folder on the server's machine."""
    said = body or bodies.ClaimCheck()
    report = opened(request, project).verify_memories(said.ids, agent=said.agent)
    return answer(placeless(request, shapes.claims(report, report.items if said.show_all else report.stale)))


@operation(memories, "GET", "/memories/usage", Example("The report.", models.Usage, examples.USAGE))
def usage(request: Request, project: Key, wanted: Annotated[filters.UsageFilter, Query()]) -> Response:
    """Report what gets surfaced, read and rated. An agent is told of its own calls."""
    return answer(shapes.usage(opened(request, project).memory_usage(days=wanted.days)))


@operation(
    memories, "GET", "/memories/retrievals", Example("The log, newest first.", models.Sightings, examples.SIGHTINGS)
)
def retrievals(request: Request, project: Key, wanted: Annotated[filters.SightingFilter, Query()]) -> Response:
    """Show who was shown what, newest first."""
    found = opened(request, project).retrievals(**wanted.given())
    return answer(shapes.page(found, shapes.sighting))


@operation(memories, "POST", "/memories/purge", Example("How many.", models.Expired, examples.EXPIRED), lane=Lane.LONG)
def purge(request: Request, project: Key, body: bodies.Purge | None = None) -> Response:
    """Forget what has expired, for good."""
    said = body or bodies.Purge()
    count = opened(request, project).purge(dry_run=said.dry_run, trust_clock=said.trust_clock)
    return answer({"expired": count, "purged": not said.dry_run})


@operation(memories, "GET", "/memories/embedding", Example("How far it is.", models.Embedding, examples.EMBEDDING))
def embedding(request: Request, project: Key) -> Response:
    """Say which model searches use, and how far the configured one is."""
    return answer(shapes.embedding(opened(request, project).embedding()))


@operation(
    memories,
    "POST",
    "/memories/reembed",
    Example("What was made.", models.Reembedded, examples.REEMBEDDED),
    lane=Lane.LONG,
)
def reembed(request: Request, project: Key, body: bodies.Reembedding | None = None) -> Response:
    """Make vectors with the configured model, where it has none yet."""
    again = body is not None and body.again
    return answer(shapes.reembedded(opened(request, project).reembed(again=again)))


@operation(
    memories, "POST", "/memories/reindex", Example("How many.", models.Reindexed, examples.REINDEXED), lane=Lane.LONG
)
def reindex(request: Request, project: Key) -> Response:
    """Make the search index of every memory anew from its text."""
    return answer({"memories": opened(request, project).reindex()})


@operation(
    memories, "POST", "/memories/index", Example("Every file.", folder_models.Indexed, examples.INDEXED), lane=Lane.LONG
)
def index(request: Request, project: Key, body: bodies.NoteIndex | None = None) -> Response:
    """Bring memories in step with the note folders of the project's folder, which is on the server's machine."""
    return answer(shapes.indexed(opened(request, project).index_notes(agent=body.agent if body else None)))


@operation(memories, "GET", "/memories/{memory_id}", _THE_MEMORY)
def get(request: Request, project: Key, memory_id: str) -> Response:
    """Show one memory, expired or not. The access is not counted; `use` counts it."""
    found = opened(request, project).get_memory(memory_id)
    return answer(shapes.record(found), version=found.version)


@operation(
    memories,
    "GET",
    "/memories/{memory_id}/versions",
    Example("All versions.", models.MemoryVersions, examples.MEMORY_VERSIONS),
)
def versions(request: Request, project: Key, memory_id: str) -> Response:
    """Show every version that a memory had."""
    return answer(shapes.versions(*opened(request, project).memory_versions(memory_id)))


@operation(memories, "PATCH", "/memories/{memory_id}", _THE_MEMORY, problems=(409, 412))
def edit(request: Request, project: Key, memory_id: str, body: bodies.Correction, if_match: IfMatch = None) -> Response:
    """Change a memory; earlier versions stay readable."""
    version = expected(if_match)
    changed = opened(request, project).edit_memory(memory_id, expected_version=version, **body.given())
    return answer(shapes.record(changed), version=changed.version)


@operation(
    memories,
    "DELETE",
    "/memories/{memory_id}",
    Example("The tombstone that is left.", models.Memory, examples.FORGOTTEN),
    problems=(409, 412),
)
def forget(request: Request, project: Key, memory_id: str, if_match: IfMatch = None) -> Response:
    """Remove a memory's content for good. This cannot be undone."""
    gone = opened(request, project).forget(memory_id, expected_version=expected(if_match))
    return answer(shapes.record(gone), version=gone.version)


@operation(memories, "POST", "/memories/{memory_id}/use", _THE_MEMORY)
def use(request: Request, project: Key, memory_id: str, body: bodies.Use | None = None) -> Response:
    """Read a memory and count the access."""
    found = opened(request, project).use_memory(memory_id, **(body or bodies.Use()).given())
    return answer(shapes.record(found), version=found.version)


@operation(memories, "POST", "/memories/{memory_id}/rate", Example("The memory.", models.RatedMemory, examples.RATED))
def rate(request: Request, project: Key, memory_id: str, body: bodies.Rating) -> Response:
    """Say whether a memory helped. `counts` is false for one's own memory."""
    at = opened(request, project)
    rated = at.rate_memory(memory_id, **body.given())
    own = key_of(rated.agent) == at.seat(agent=body.agent).actor.key
    return answer(shapes.record(rated) | {"counts": not own}, version=rated.version)


@operation(memories, "POST", "/memories/{memory_id}/share", _THE_MEMORY, problems=(412,))
def share(
    request: Request, project: Key, memory_id: str, body: bodies.Sharing | None = None, if_match: IfMatch = None
) -> Response:
    """Make a memory one of the team's."""
    agent, version = body.agent if body else None, expected(if_match)
    shared = opened(request, project).share_memory(memory_id, agent=agent, expected_version=version)
    return answer(shapes.record(shared), version=shared.version)


def _said(body: bodies.BatchedMemory) -> dict[str, Any]:
    """The fields of a memory as the facade takes them."""
    fields = body.given()
    if fields.get("occurred_at") is not None:
        fields["occurred_at"] = parse_instant(fields["occurred_at"])
    return {name: value for name, value in fields.items() if value is not None}
