"""Owns the public calls about a project's folder: its settings, its files in git, and what compaction leaves there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard import services
from hansard.domain.errors import Invalid
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from pathlib import Path

    from hansard.services.compact import Compacted
    from hansard.services.configure import SettingShown, Value
    from hansard.services.sync import Synced


class FolderCalls(SeatedProject):
    """What is done in or for the project's folder on the machine of the store."""

    def list_settings(self, *, by: str | None = None) -> tuple[SettingShown, ...]:
        """Every setting that the project's file may hold: what it says, and what is in force."""
        return services.configure.list_settings(self.seat(by=by))

    def get_setting(self, name: str, *, by: str | None = None) -> SettingShown:
        return services.configure.get_setting(self.seat(by=by), name)

    def set_setting(self, name: str, value: Value, *, by: str | None = None) -> SettingShown:
        """Writes a setting to the project's file, `.hansard/config.yml`."""
        return services.configure.set_setting(self.seat(by=by), name, value)

    def unset_setting(self, name: str, *, by: str | None = None) -> bool:
        """Removes a setting from the project's file, and says whether it was there."""
        return services.configure.unset_setting(self.seat(by=by), name)

    def sync(
        self,
        root: str | Path | None = None,
        *,
        commit: bool = False,
        message: str | None = None,
        by: str | None = None,
    ) -> Synced:
        """What changed in the files of the mirror since the last commit; with `commit`, these files are committed."""
        said = services.sync.MESSAGE if message is None else message
        return services.sync.sync(self.seat(by=by), root, commit=commit, message=said)

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
        """Makes a conversation or a state short by rules: as text, as it stands in a file, or as JSON has it.

        For a task failures are counted, and what is cut out may be spilled to files of the project's folder.
        """
        seat = self.seat(by=by)
        asked = services.compact.wish(self._settings, tokens_target=tokens_target, level_max=level_max, task=task)
        reading, undecodable = services.compact.read(bytes_of(conversation), origin="conversation")
        return services.compact.compact(
            reading, asked, self._settings, seat=seat, with_decisions=with_decisions, undecodable=undecodable
        )

    def reset_compaction(self, task: str, *, by: str | None = None) -> int:
        """Lets a task try again after too many failures, and says how many are forgotten."""
        return services.compact.reset(self.seat(by=by), task)

    def purge_compaction(self, task: str, *, by: str | None = None) -> tuple[str, ...]:
        """Removes the files that were spilled for a task, and names them."""
        return tuple(services.compact.purge(self.seat(by=by), task))


def bytes_of(conversation: str | Sequence[Any] | Mapping[str, Any]) -> bytes:
    """The conversation as a file would hold it. Raises Invalid for what is neither text nor JSON."""
    import json

    if isinstance(conversation, str):
        return conversation.encode("utf-8", "replace")
    if isinstance(conversation, bytes) or not isinstance(conversation, Mapping | Sequence):
        raise Invalid(f"conversation must be text, a list or a table, not {type(conversation).__name__}.")
    try:
        return json.dumps(conversation).encode()
    except (TypeError, ValueError, RecursionError):
        raise Invalid("conversation must be text, or lists and tables of text and numbers.") from None
