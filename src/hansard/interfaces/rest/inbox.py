"""Owns the addresses of proposals and their review."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.domain.inbox import from_origin
from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.services import propose, review
from hansard.services.propose import Outcome

inbox = in_project("inbox")


@operation(
    inbox,
    "POST",
    "/inbox",
    Example("A new entry; its slug is the one it really got.", models.Submission, examples.SUBMISSION),
    status=201,
    also={200: Example("The author's own pending entry was updated.", models.Submission, examples.UPDATED)},
)
def submit(request: Request, project: Key, body: bodies.NewEntry) -> Response:
    """Put a proposal into the inbox, or update the author's own pending one of the same slug.

    409 says that the author's entry of this slug was merged or rejected already.
    """
    at = opened(request, project)
    author = at.owner(body.agent)
    checked = propose.proposal(
        author=author, slug=body.slug, type=body.type, content=body.content, title=body.title,
        rationale=body.rationale, importance=body.importance, tag_values=body.tags, run_id=body.run_id,
    )  # fmt: skip
    done = propose.propose(at.seat(agent=author), from_origin(checked, body.origin))
    fresh = done.outcome is Outcome.CREATED
    return answer(
        shapes.submission(done),
        status=201 if fresh else 200,
        location=place(at.key, "inbox", done.entry.id) if fresh else None,
        version=done.entry.version,
    )


@operation(inbox, "GET", "/inbox", Example("A page of entries, newest first.", models.Entries, examples.ENTRIES))
def list_(request: Request, project: Key, wanted: Annotated[filters.EntryFilter, Query()]) -> Response:
    """List proposals, newest first; pending ones unless `status` says otherwise."""
    return answer(shapes.page(opened(request, project).list_inbox(**wanted.given())))


@operation(inbox, "POST", "/inbox/merge", Example("What became of each.", models.Merged, examples.MERGED))
def merge_many(request: Request, project: Key, body: bodies.MergeMany) -> Response:
    """Accept several proposals, each in a transaction of its own."""
    done = opened(request, project).merge_many(body.references, note=body.note)
    failed = [shapes.failure(one) for one in done if isinstance(one, review.Failure)]
    merged = [shapes.promotion(one) for one in done if not isinstance(one, review.Failure)]
    return answer({"merged": merged, "failed": failed})


@operation(inbox, "POST", "/inbox/reject", Example("What became of each.", models.Rejected, examples.REJECTED))
def reject_many(request: Request, project: Key, body: bodies.RejectMany) -> Response:
    """Decline several proposals, each in a transaction of its own."""
    done = opened(request, project).reject_many(body.references, reason=body.reason)
    failed = [shapes.failure(one) for one in done if isinstance(one, review.Failure)]
    rejected = [shapes.record(one) for one in done if not isinstance(one, review.Failure)]
    return answer({"rejected": rejected, "failed": failed})


@operation(inbox, "GET", "/inbox/{reference}", Example("The entry.", models.Entry, examples.ENTRY))
def get(request: Request, project: Key, reference: str) -> Response:
    """Show one proposal by number (P-7), slug or id."""
    found = opened(request, project).get_entry(reference)
    return answer(shapes.record(found), version=found.version)


@operation(
    inbox,
    "GET",
    "/inbox/{reference}/versions",
    Example("All versions.", models.EntryVersions, examples.ENTRY_VERSIONS),
)
def versions(request: Request, project: Key, reference: str) -> Response:
    """Show every version that a proposal had."""
    return answer(shapes.versions(*opened(request, project).entry_versions(reference)))


@operation(
    inbox,
    "POST",
    "/inbox/{reference}/merge",
    Example("The decision that it became.", models.Promotion, examples.PROMOTION),
    status=201,
    problems=(412, 428),
)
def merge(
    request: Request, project: Key, reference: str, body: bodies.Merge | None = None, if_match: IfMatch = None
) -> Response:
    """Accept a proposal: it becomes a decision, and a learning, pattern or update a memory as well.

    Architectural and scope entries are accepted by a person or a coordinator, never by an agent.
    """
    said = body or bodies.Merge()
    at = opened(request, project)
    done = review.merge(
        at.seat(), reference, edits=review.Edits(said.title, said.content, said.rationale), note=said.note,
        expected_version=expected(if_match, said.expected_version),
    )  # fmt: skip
    where = place(at.key, "decisions", done.decision.id)
    return answer(shapes.promotion(done), status=201, location=where)


@operation(
    inbox,
    "POST",
    "/inbox/{reference}/reject",
    Example("The entry, which stays in the record.", models.Entry, examples.REJECTED_ENTRY),
    problems=(412,),
)
def reject(
    request: Request, project: Key, reference: str, body: bodies.Rejection | None = None, if_match: IfMatch = None
) -> Response:
    """Decline a proposal."""
    said = body or bodies.Rejection()
    version = expected(if_match, said.expected_version)
    done = opened(request, project).reject(reference, reason=said.reason, expected_version=version)
    return answer(shapes.record(done), version=done.version)
