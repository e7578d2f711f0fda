"""Owns the addresses of what is done in the project's folder on the server's machine: settings, git, compaction."""

from __future__ import annotations

import json

from fastapi import Request, Response

from hansard.domain.errors import TooLarge
from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples
from hansard.interfaces.rest import folder_models as models
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key, opened, placeless
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane
from hansard.services.admission import safe

folder = in_project("folder")
_THE_SETTING = Example("The setting.", models.Setting, examples.SETTING)


@operation(folder, "GET", "/settings", Example("All of them.", models.ProjectSettings, examples.SETTINGS))
def list_settings(request: Request, project: Key) -> Response:
    """List the settings that the project's file may hold: what it says, and what is in force. People and services."""
    return answer({"items": [one._asdict() for one in opened(request, project).list_settings()]})


@operation(folder, "GET", "/settings/{name}", _THE_SETTING)
def get_setting(request: Request, project: Key, name: str) -> Response:
    """Show one setting."""
    return answer(opened(request, project).get_setting(name)._asdict())


@operation(folder, "PUT", "/settings/{name}", _THE_SETTING, problems=(409,))
def set_setting(request: Request, project: Key, name: str, body: bodies.NewValue) -> Response:
    """Write a setting to the project's file, `.hansard/config.yml`. What is personal is no setting of a project.

    The server itself goes by its own settings, and takes from the file only what makes the guard stricter, within
    two seconds.
    """
    return answer(opened(request, project).set_setting(name, body.value)._asdict())


@operation(
    folder,
    "DELETE",
    "/settings/{name}",
    Example("Whether it was there.", models.Unset, {"name": "context.items_max", "removed": True}),
    problems=(409,),
)
def unset_setting(request: Request, project: Key, name: str) -> Response:
    """Remove a setting from the project's file."""
    return answer({"name": name, "removed": opened(request, project).unset_setting(name)})


@operation(folder, "GET", "/sync", Example("What changed.", models.Synced, examples.CHANGED), lane=Lane.LONG)
def changes(request: Request, project: Key) -> Response:
    """Show what changed in the files of the mirror since the last commit."""
    return answer(placeless(request, shapes.synced(opened(request, project).sync())))


@operation(folder, "POST", "/sync", Example("What was committed.", models.Synced, examples.SYNCED), lane=Lane.LONG)
def commit(request: Request, project: Key, body: bodies.Commit | None = None) -> Response:
    """Commit these files and nothing else. People, coordinators and services may. 409 has git's own words."""
    message = body.message if body else None
    return answer(placeless(request, shapes.synced(opened(request, project).sync(commit=True, message=message))))


@operation(folder, "POST", "/compact", Example("What is left.", models.Compacted, examples.COMPACTED), lane=Lane.LONG)
def compact(request: Request, project: Key, body: bodies.Conversation) -> Response:
    """Make a conversation or a state short, by rules and without a model. `state` says whether the target is met."""
    said = body.conversation if isinstance(body.conversation, str) else json.dumps(body.conversation)
    if len(said.encode("utf-8", "surrogatepass")) > bodies.CONVERSATION_BYTES_MAX:
        raise TooLarge(f"The conversation is longer than {bodies.CONVERSATION_BYTES_MAX:,} bytes.")
    done = opened(request, project).compact(**body.given())
    return answer(shapes.compacted(done, body.task))


@operation(
    folder,
    "POST",
    "/compact/{task}/reset",
    Example("How many failures are forgotten.", models.CompactionReset, {"task": "login", "failures_forgotten": 3}),
)
def reset_compaction(request: Request, project: Key, task: str) -> Response:
    """Let a task try again after too many failures, whoever had them. People and services may."""
    return answer({"task": safe(task), "failures_forgotten": opened(request, project).reset_compaction(task)})


@operation(
    folder,
    "POST",
    "/compact/{task}/purge",
    Example("What was removed.", models.CompactionPurge, examples.SPILLS_REMOVED),
)
def purge_compaction(request: Request, project: Key, task: str) -> Response:
    """Remove the files that were spilled for a task. People, coordinators and services may."""
    return answer({"task": safe(task), "removed": list(opened(request, project).purge_compaction(task))})
