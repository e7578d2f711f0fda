"""Every command of the command line has an operation over REST, or stands in docs/rest.md with the reason why not."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hansard.interfaces.cli.group import cli as root
from support.routes import described

PAGE = Path(__file__).parents[2] / "docs/rest.md"
OPERATIONS = {
    "projects": "projects_list", "agents": "agents_list_agents", "context": "context_compile", "scribe": "runs_scribe",
    "finalize": "runs_finalize", "purge": "memories_purge", "compact": "folder_compact", "export": "mirror_export",
    "import": "mirror_import", "sync": "folder_commit", "backup": "care_backup", "doctor": "care_examine",
    "scan": "guard_scan",
    "inbox list": "inbox_list", "inbox merge": "inbox_merge", "inbox propose": "inbox_submit",
    "inbox reject": "inbox_reject", "inbox show": "inbox_get", "inbox versions": "inbox_versions",
    "decisions archive": "decisions_archive", "decisions create": "decisions_create",
    "decisions history": "decisions_history", "decisions list": "decisions_list",
    "decisions restore": "decisions_restore", "decisions show": "decisions_get",
    "decisions supersede": "decisions_supersede", "decisions update": "decisions_update",
    "memory delete": "memories_forget", "memory edit": "memories_edit", "memory forget": "memories_forget",
    "memory get": "memories_use", "memory index": "memories_index", "memory inject": "memories_inject",
    "memory list": "memories_list", "memory load": "memories_batch", "memory purge": "memories_purge",
    "memory rate": "memories_rate", "memory record": "memories_record", "memory reembed": "memories_reembed",
    "memory reindex": "memories_reindex", "memory search": "memories_search", "memory share": "memories_share",
    "memory show": "memories_get", "memory usage": "memories_usage", "memory verify": "memories_verify",
    "memory versions": "memories_versions",
    "guard allow": "guard_allow", "guard allowed": "guard_list_allowances", "guard confirm": "guard_confirm",
    "guard disallow": "guard_disallow", "guard hold": "guard_hold", "guard list": "guard_list_quarantined",
    "guard redact": "guard_redact", "guard release": "guard_release", "guard show": "guard_get_quarantined",
    "session current": "sessions_get", "session end": "sessions_end", "session get": "sessions_get",
    "session list": "sessions_list", "session show": "sessions_get", "session start": "sessions_start",
    "session update": "sessions_update",
    "run finalize": "runs_finalize", "run finish": "runs_finish", "run list": "runs_list", "run show": "runs_get",
    "run start": "runs_start",
    "receipts list": "context_list_receipts", "receipts purge": "context_purge_receipts",
    "receipts show": "context_get_receipt",
    "history follow": "events_follow", "history list": "history_list", "history show": "history_get",
    "history verify": "history_verify",
    "config get": "folder_get_setting", "config list": "folder_list_settings", "config set": "folder_set_setting",
    "config unset": "folder_unset_setting",
}  # fmt: skip
ONLY_THERE = ("init", "watch", "restore", "migrate-store", "mcp", "serve", "token", "bench", "demo", "completion")
"""What needs the server's machine, by the first word of the command."""


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield " ".join((*path, name))


COMMANDS = list(leaves(root))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_an_operation_or_a_documented_reason_why_not(command: str) -> None:
    known = {one.said["operationId"] for one in described()}

    if command in OPERATIONS:
        assert OPERATIONS[command] in known
    else:
        word = command.split(maxsplit=1)[0]
        assert word in ONLY_THERE, f"hansard {command} has no operation, and nobody says why"
        assert f"| `hansard {word}` |" in PAGE.read_text(encoding="utf-8")


def test_nothing_is_listed_that_is_no_command() -> None:
    assert set(OPERATIONS) <= set(COMMANDS)
    assert set(ONLY_THERE) == {one.split()[0] for one in COMMANDS if one not in OPERATIONS}
