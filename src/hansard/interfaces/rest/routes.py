"""Owns the list of all routers, and what the OpenAPI document says beside them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI

from hansard.interfaces.rest import (
    care,
    context,
    decisions,
    events,
    folder,
    guard,
    history,
    inbox,
    memories,
    mirror,
    models,
    projects,
    runs,
    sessions,
)
from hansard.interfaces.rest.operations import SHOWN

ABOUT = (
    "Governed memory for teams of AI agents: what the team decided, what each agent learned, what is going on now,"
    " and the block that is compiled from it before every turn."
)


def routers() -> list[APIRouter]:
    return [
        projects.projects, projects.agents, runs.runs, inbox.inbox, decisions.decisions, memories.memories,
        sessions.sessions, context.context, mirror.mirror, history.history, events.events, guard.guard, care.doctor,
        care.care, folder.folder,
    ]  # fmt: skip


def documented(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        from fastapi.openapi.utils import get_openapi

        document = get_openapi(title="Hansard", version=app.version, description=ABOUT, routes=app.routes)
        parts = document.setdefault("components", {})
        shapes = parts.setdefault("schemas", {})
        problem = models.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        shapes |= problem.pop("$defs", {}) | {"Problem": problem}
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        _lay_in_examples(document)
        app.openapi_schema = document
    return app.openapi_schema


def _lay_in_examples(document: dict[str, Any]) -> None:
    for operations in document["paths"].values():
        for one in operations.values():
            for status, answer in one["responses"].items():
                shown = SHOWN.get((one.get("operationId", ""), int(status)))
                if shown is None:
                    continue
                # Of several statuses FastAPI describes one as plain JSON, although the answer is something else.
                content = answer["content"].get(shown.media_type, {})
                answer["content"] = {shown.media_type: content | {"example": shown.shown}}
