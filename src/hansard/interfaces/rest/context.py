"""Owns the addresses of context blocks and of the receipts that were kept."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane
from hansard.services.keep import not_kept

context = in_project("context")
_THE_BLOCK = Example("The block; both fields are null if there is nothing to tell.", models.Block, examples.BLOCK)


@operation(context, "GET", "/context", _THE_BLOCK)
def compile_(request: Request, project: Key, wanted: Annotated[filters.TurnFilter, Query()]) -> Response:
    """Compile what an agent is told before its turn."""
    return _compiled(request, project, wanted.given())


@operation(context, "POST", "/context", _THE_BLOCK, lane=Lane.READ)
def compile_turn(request: Request, project: Key, body: bodies.Turn) -> Response:
    """Compile it with a prompt or a charter, or keep its receipt.

    With an `Idempotency-Key` a receipt is kept once. Without `keep` this only reads, and is done again.
    """
    return _compiled(request, project, body.given())


@operation(
    context,
    "GET",
    "/receipts",
    Example("A page of receipts, newest first.", models.Receipts, examples.RECEIPTS),
)
def list_receipts(request: Request, project: Key, wanted: Annotated[filters.ReceiptFilter, Query()]) -> Response:
    """List kept receipts, newest first. An agent sees its own."""
    return answer(shapes.page(opened(request, project).list_receipts(**wanted.given()), shapes.kept_receipt))


@operation(context, "POST", "/receipts/purge", Example("How many.", models.Old, examples.OLD))
def purge_receipts(request: Request, project: Key, body: bodies.ReceiptPurge | None = None) -> Response:
    """Delete receipts that are older than the setting or the given days."""
    said = body or bodies.ReceiptPurge()
    count = opened(request, project).purge_receipts(days=said.days, dry_run=said.dry_run)
    return answer({"old": count, "purged": not said.dry_run})


@operation(context, "GET", "/receipts/{receipt_id}", Example("The receipt.", models.Receipt, examples.RECEIPT))
def get_receipt(request: Request, project: Key, receipt_id: str) -> Response:
    """Show what a block held, what was left out and why."""
    return answer(shapes.receipt(opened(request, project).get_receipt(receipt_id)))


@operation(context, "GET", "/receipts/{receipt_id}/replay", Example("The block.", models.Replayed, examples.REPLAYED))
def replay(request: Request, project: Key, receipt_id: str) -> Response:
    """Make the block of a kept receipt again from the record as it was."""
    return answer(shapes.replayed(opened(request, project).replay(receipt_id)))


def _compiled(request: Request, project: str, turn: dict[str, Any]) -> Response:
    run = turn.pop("run_id", None)
    reason: str | None = getattr(request.state, "not_kept", None)
    if reason is not None:
        turn["keep"] = False
    block = opened(request, project).compile(run=run, **turn)
    return answer(shapes.block(not_kept(block, reason) if block is not None and reason is not None else block))
