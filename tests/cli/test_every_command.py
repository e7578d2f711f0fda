"""What holds for every command: help with an example, `--json`, no traceback."""

import json
from collections.abc import Iterator

import click
import pytest

from cli.conftest import Cli
from hansard.interfaces.cli.group import COMMANDS
from hansard.interfaces.cli.group import cli as root

WITHOUT_JSON = {"completion"}


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


LEAVES = [(path, command) for path, command in _commands(root)]
IDS = [" ".join(path) for path, _ in LEAVES]


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=IDS)
def test_a_command_has_help_with_an_example(path: tuple[str, ...], command: click.Command) -> None:
    assert command.help
    assert "Example:" in command.help
    assert f"hansard {' '.join(path)}" in command.help


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=IDS)
def test_a_command_takes_json(path: tuple[str, ...], command: click.Command) -> None:
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert ("--json" in flags) == (path[0] not in WITHOUT_JSON)


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=IDS)
def test_a_command_with_too_many_words_ends_with_usage(cli: Cli, path: tuple[str, ...], command: click.Command) -> None:
    ran = cli(*path, "--no-such-flag")
    assert ran.code == 2
    assert "[usage]" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("inbox", "show", "P-1"),
        ("decisions", "show", "D-1"),
        ("memory", "show", "nope"),
        ("session", "show", "nope"),
        ("run", "show", "nope"),
        ("history", "show", "99"),
    ],
)
def test_an_unknown_id_is_one_json_document_and_exit_code_three(project_cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = project_cli(*arguments, "--json")
    assert ran.code == 3
    assert set(json.loads(ran.out)) == {"error"}
    assert set(ran.json["error"]) == {"code", "message"}


NO_LISTS = {
    "backup",
    "bench",
    "compact",
    "completion",
    "demo",
    "doctor",
    "export",
    "import",
    "init",
    "sync",
    "config",
    "context",
    "migrate-store",
    "purge",
    "restore",
    "scan",
    "scribe",
    "finalize",
    "mcp",
    "serve",
    "watch",
}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_LISTS])
def test_lists_are_pleasant_when_there_is_nothing(project_cli: Cli, name: str) -> None:
    listing = {"projects": ("projects",), "agents": ("agents",)}
    ran = project_cli(*listing.get(name, (name, "list")))
    assert ran.code == 0
    assert ran.out.strip()


GROUPS = [name for name in COMMANDS if isinstance(root.get_command(click.Context(root), name), click.Group)]


@pytest.mark.parametrize("path", [(), *((name,) for name in GROUPS)], ids=" ".join)
def test_a_group_alone_prints_its_help_once(cli: Cli, path: tuple[str, ...]) -> None:
    ran = cli(*path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("Usage:") == 1
    assert ran.out == cli(*path, "--help").out


@pytest.mark.parametrize("path", [(), *((name,) for name in GROUPS), *(path for path, _ in LEAVES)], ids=" ".join)
def test_help_fits_a_terminal_of_eighty_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli(*path, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if line.endswith("...") and not line.startswith("Usage:")] == []


def test_flags_may_stand_before_or_after_the_command(project_cli: Cli) -> None:
    project_cli("--agent", "tank", "memory", "record", "before")
    project_cli("memory", "record", "after", "--agent", "tank")
    found = project_cli("memory", "list", "--agent", "tank", "--json").json["items"]
    assert [item["content"] for item in found] == ["after", "before"]
