"""Owns Idempotency-Key: a POST that is sent again is answered as before, byte for byte, and not done twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Header, Request, Response

from hansard.domain.errors import Unavailable
from hansard.domain.idempotency import KEY_BYTES_MAX, KeptAnswer, digest_of
from hansard.interfaces.rest.calls import caller, hansard_of, held_back, opened, redacted
from hansard.interfaces.rest.problems import answered
from hansard.services import repeat

if TYPE_CHECKING:
    from hansard.services.seat import Seat

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
REDACTED = "Hansard-Redacted"
HELD = "Hansard-Held"
"""Says which secrets were taken out of what was written: field and kind, never the secret."""
KEPT_HEADERS = ("content-type", "location", "etag", "hansard-redacted", "hansard-held")
NOT_KEPT = frozenset({401, 408, 413, 429})
"""Refusals that say nothing of the request itself. Those, and faults of the server, may end better next time."""

Work = Callable[..., Response]


async def idempotency_key(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            min_length=1,
            max_length=KEY_BYTES_MAX,
            description="Any text. The same key with the same request is answered as before, for a day, and marked"
            f" `{REPLAYED}: true`; with another request it is refused.",
        ),
    ] = None,
) -> None:
    """Has the bytes of a request with a key at hand for `done_once`, which is in a thread and cannot wait for them.

    An empty key is refused: whoever sends one believes that the request is safe to repeat.
    """
    if key:
        request.state.sent = await request.body()


def done_once(work: Work) -> Work:
    """The work of a POST, done once for each key.

    Claim, work and answer are one visit to one thread: each further one would cost as much as a small write.
    """

    @wraps(work)
    def kept(**said: Any) -> Response:
        request: Request = said["request"]
        key = request.headers.get(HEADER)
        if not key:
            return work(**said)
        return _done(work, said, _claim(request, key))

    return kept


def _done(work: Work, said: dict[str, Any], claimed: repeat.Claim | KeptAnswer) -> Response:
    """The answer that was kept, or that of the work, which is kept then."""
    request: Request = said["request"]
    if isinstance(claimed, KeptAnswer):
        seat = _seat(request)
        if seat is not None:
            repeat.refuse_hidden(seat, claimed)
        return Response(claimed.body or b"", claimed.status or 200, {**claimed.headers, REPLAYED: "true"})
    store = hansard_of(request).store
    try:
        with repeat.working_on(claimed):
            answer = _attempt(work, said)
    except BaseException:
        # Whatever it was, the request has no answer; whoever repeats it must not wait for one.
        repeat.let_go(store, claimed)
        raise
    seat = _seat(request)
    # Where there is no project nobody's writes are counted, so that refusals there would fill the disk.
    if answer.status_code >= (400 if seat is None else 500) or answer.status_code in NOT_KEPT:
        repeat.let_go(store, claimed)
    else:
        headers = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
        repeat.settle(store, claimed, status=answer.status_code, headers=headers, body=bytes(answer.body), seat=seat)
    return answer


def read_again(work: Work) -> Work:
    """The work of a POST that only reads. Its answers are not kept: whoever may read could fill the disk with them.

    What is to `keep` something writes, and is done once like any other write.
    """

    @wraps(work)
    def read(**said: Any) -> Response:
        request: Request = said["request"]
        key = request.headers.get(HEADER)
        if key and getattr(said.get("body"), "keep", False):
            try:
                claimed = _claim(request, key, wait_seconds=hansard_of(request).settings.context_wait_seconds)
            except Unavailable as error:
                # The turn goes on. Nothing may be kept for it: a repetition would not know, and keep it again.
                request.state.not_kept = error.told_abroad
                return work(**said)
            return _done(work, said, claimed)
        if key:
            project_id, asked = _asked(request)
            store = hansard_of(request).store
            repeat.refuse_reused(store, project_id, caller=caller(request).token_id, key=key, digest=asked)
        return work(**said)

    return read


def telling(work: Work) -> Work:
    """The work of a request, whose answer tells what the guard took out of it, and how much it holds for review."""

    @wraps(work)
    def told(**said: Any) -> Response:
        answer = work(**said)
        taken_out = redacted(said["request"])
        if taken_out is not None:
            answer.headers[REDACTED] = taken_out
        held = held_back(said["request"])
        if held:
            answer.headers[HELD] = str(held)
        return answer

    return told


def _asked(request: Request) -> tuple[str | None, bytes]:
    """In which project, and what tells the request from another one."""
    project = request.path_params.get("project")
    asked = digest_of(
        request.method.encode(), request.url.path.encode(), request.url.query.encode(),
        request.headers.get("if-match", "").encode(), request.state.sent,
    )  # fmt: skip
    return None if project is None else opened(request, project).id, asked


def _seat(request: Request) -> Seat | None:
    """Where the caller sits, if the request is about a project."""
    project = request.path_params.get("project")
    return None if project is None else opened(request, project).seat()


def _claim(request: Request, key: str, *, wait_seconds: float | None = None) -> repeat.Claim | KeptAnswer:
    project_id, asked = _asked(request)
    return repeat.claim(
        hansard_of(request).store, project_id, caller=caller(request).token_id, key=key, digest=asked,
        wait_seconds=wait_seconds,
    )  # fmt: skip


def _attempt(work: Work, said: dict[str, Any]) -> Response:
    """The answer, also to what is refused: a repetition is refused in the same words."""
    try:
        return work(**said)
    except Exception as error:
        told = answered(said["request"], error)
        if told is None:
            raise
        return told
