"""Owns the calls about a project's folder, which is on the machine of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard.client import records, references
from hansard.client.seated import RemoteSeat, refuse_local, said
from hansard.facade.folder import FolderCalls, bytes_of

if TYPE_CHECKING:
    from pathlib import Path

    from hansard.services.compact import Compacted
    from hansard.services.configure import SettingShown, Value
    from hansard.services.sync import Synced


class RemoteFolder(RemoteSeat, FolderCalls):
    """What is done in or for the project's folder, on a server."""

    def list_settings(self, *, by: str | None = None) -> tuple[SettingShown, ...]:
        from hansard.services.configure import SettingShown

        self._named(by=by)
        return records.every(SettingShown, self._ask("GET", "settings"))

    def get_setting(self, name: str, *, by: str | None = None) -> SettingShown:
        from hansard.services.configure import SettingShown

        self._named(by=by)
        return records.read(SettingShown, self._ask("GET", "settings", references.setting(name)))

    def set_setting(self, name: str, value: Value, *, by: str | None = None) -> SettingShown:
        from hansard.services.configure import SettingShown

        self._named(by=by)
        wanted = references.setting(name)
        return records.read(SettingShown, self._ask("PUT", "settings", wanted, body={"value": value}))

    def unset_setting(self, name: str, *, by: str | None = None) -> bool:
        self._named(by=by)
        return records.truth(self._ask("DELETE", "settings", references.setting(name)), "removed")

    def sync(
        self,
        root: str | Path | None = None,
        *,
        commit: bool = False,
        message: str | None = None,
        by: str | None = None,
    ) -> Synced:
        refuse_local(root=root)
        self._named(by=by)
        shape = self._ask("POST", "sync", body=said(message=message)) if commit else self._ask("GET", "sync")
        done: Synced = records.synced(shape)
        return done

    def compact(
        self,
        conversation: str | Sequence[Any] | Mapping[str, Any],
        *,
        tokens_target: int | None = None,
        level_max: int | None = None,
        task: str | None = None,
        with_decisions: bool = False,
        by: str | None = None,
    ) -> Compacted:
        self._named(by=by)
        text = bytes_of(conversation).decode("utf-8", "replace")
        body = said(
            conversation=text, tokens_target=tokens_target, level_max=level_max, task=task,
            with_decisions=with_decisions,
        )  # fmt: skip
        done: Compacted = records.compacted(self._ask("POST", "compact", body=body, writes=task is not None))
        return done

    def reset_compaction(self, task: str, *, by: str | None = None) -> int:
        self._named(by=by)
        return records.number(self._ask("POST", "compact", references.task(task), "reset"), "failures_forgotten")

    def purge_compaction(self, task: str, *, by: str | None = None) -> tuple[str, ...]:
        self._named(by=by)
        return records.texts(self._ask("POST", "compact", references.task(task), "purge"), "removed")
