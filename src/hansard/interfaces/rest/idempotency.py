"""Owns Idempotency-Key: a POST that is sent again is answered as before, byte for byte, and not done twice."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Header, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from hansard.domain.errors import HansardError
from hansard.domain.idempotency import KEY_BYTES_MAX, KeptAnswer, digest_of
from hansard.interfaces.rest.calls import caller, hansard_of, opened, redacted
from hansard.interfaces.rest.problems import answered, refused
from hansard.services import repeat

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
REDACTED = "Hansard-Redacted"
"""Says which secrets were taken out of what was written: field and kind, never the secret."""
KEPT_HEADERS = ("content-type", "location", "etag", "hansard-redacted")
NOT_KEPT = frozenset({401, 408, 413, 429})
"""Refusals that say nothing of the request itself. Those, and faults of the server, may end better next time."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def idempotency_key(
    key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            max_length=KEY_BYTES_MAX,
            description="Any text. The same key with the same request is answered as before, for a day, and marked"
            f" `{REPLAYED}: true`; with another request it is refused.",
        ),
    ] = None,
) -> None:
    """Has the header in the OpenAPI document; `IdempotentRoute` reads it."""


class IdempotentRoute(APIRoute):
    """A route whose POSTs are done once for each key, and whose answers tell what the guard took out."""

    def get_route_handler(self) -> Handler:
        plain = super().get_route_handler()
        posts = "POST" in (self.methods or ())

        async def handle(request: Request) -> Response:
            answer = await plain(request)
            told = redacted(request)
            if told is not None:
                answer.headers[REDACTED] = told
            return answer

        async def once(request: Request) -> Response:
            key = request.headers.get(HEADER) if posts else None
            return await handle(request) if not key else await _once(request, key, handle)

        return once


async def _once(request: Request, key: str, handle: Handler) -> Response:
    body = await request.body()
    try:
        claimed = await run_in_threadpool(_claim, request, key, body)
    except HansardError as error:
        return refused(request, error)
    if isinstance(claimed, KeptAnswer):
        return Response(claimed.body, claimed.status or 200, {**claimed.headers, REPLAYED: "true"})
    store = hansard_of(request).store
    try:
        answer = await _attempt(request, handle)
    except Exception:
        # Whatever it was, the request has no answer; whoever repeats it must not wait for one.
        await run_in_threadpool(repeat.let_go, store, claimed)
        raise
    if answer.status_code >= 500 or answer.status_code in NOT_KEPT:
        await run_in_threadpool(repeat.let_go, store, claimed)
    else:
        headers = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
        await run_in_threadpool(
            repeat.settle, store, claimed, status=answer.status_code, headers=headers, body=bytes(answer.body)
        )
    return answer


def _claim(request: Request, key: str, body: bytes) -> repeat.Claim | KeptAnswer:
    project = request.path_params.get("project")
    project_id = None if project is None else opened(request, project).id
    asked = digest_of(
        request.method.encode(), request.url.path.encode(), request.url.query.encode(),
        request.headers.get("if-match", "").encode(), body,
    )  # fmt: skip
    return repeat.claim(hansard_of(request).store, project_id, caller=caller(request).token_id, key=key, digest=asked)


async def _attempt(request: Request, handle: Handler) -> Response:
    """The answer, also to what is refused: a repetition is refused in the same words."""
    try:
        return await handle(request)
    except Exception as error:
        told = answered(request, error)
        if told is None:
            raise
        return told
