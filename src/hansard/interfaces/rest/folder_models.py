"""Owns what answers about the project's folder look like in the OpenAPI document."""

from __future__ import annotations

from typing import Literal

from hansard.domain.compaction.ladder import Action, State
from hansard.domain.compaction.standing import Dropped
from hansard.domain.notes import NoteFile
from hansard.interfaces.rest.describing import Answer, described, list_of
from hansard.services.configure import SettingShown

NotedFile = described(NoteFile)


class Indexed(Answer):
    """What became of every note file, and how many there are of each kind."""

    files: list[NotedFile]  # type: ignore[valid-type]
    counts: dict[str, int]


Setting = described(SettingShown, "Setting")
ProjectSettings = list_of(Setting, "ProjectSettings")


class Unset(Answer):
    """Whether the project's file had the setting."""

    name: str
    removed: bool


class Change(Answer):
    """A file of the mirror that differs from the last commit."""

    path: str
    status: Literal["new", "changed", "removed"]


class Synced(Answer):
    """What differs in which folder, and the commit that was made of it."""

    root: str | None
    items: list[Change]
    commit: str | None


_dropped = described(Dropped)


class Compacted(Answer):
    """What is left of a conversation. `state` says whether the target is met, `action` what to do next."""

    state: State
    action: Action
    task: str | None
    failures: int
    level: int
    level_tried: int
    tokens: int
    tokens_target: int | None
    spilled: str | None
    fault: str | None
    kept: dict[str, list[str]]
    dropped: list[_dropped]  # type: ignore[valid-type]
    text: str | None


class CompactionReset(Answer):
    """How many failures of a task are forgotten."""

    task: str
    failures_forgotten: int


class CompactionPurge(Answer):
    """The files that were spilled for a task, and are gone."""

    task: str
    removed: list[str]
