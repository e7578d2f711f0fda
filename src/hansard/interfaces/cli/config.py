"""Owns `hansard config`: settings and where each value comes from."""

import os
from pathlib import Path

import click

from hansard import settings as settings_module
from hansard.domain.errors import Conflict
from hansard.interfaces.cli.calling import Call, command, say, table
from hansard.settings import PROJECT_CONFIG, SETTINGS, Setting, converted, known, read_file, refuse_personal
from hansard.workspace import roots
from hansard.workspace.files import write_atomically


@click.group()
def config() -> None:
    """Settings, and where each value comes from.

    \b
    Example:
      hansard config list
      hansard config set context.items_max 30
    """


@config.command("list")
@command()
def list_(call: Call) -> None:
    """Show every setting, its value and its origin.

    \b
    Example:
      hansard config list --json
    """
    settings = call.settings()
    found = [(setting, settings.value(setting), settings.origin(setting)) for setting in SETTINGS]
    document = {
        "items": [
            {"name": one.name, "value": value, "origin": origin, "env": one.env, "about": one.about}
            for one, value, origin in found
        ]
    }
    rows = [[one.name, "" if value is None else str(value), origin, one.about] for one, value, origin in found]
    call.answer(document, lambda: table(["name", "value", "origin", "about"], rows, empty=""))


@config.command()
@click.argument("name")
@command()
def get(call: Call, name: str) -> None:
    """Show one setting.

    \b
    Example:
      hansard config get context.items_max
    """
    setting = known(name, "config get")
    settings = call.settings()
    value, origin = settings.value(setting), settings.origin(setting)
    document = {"name": name, "value": value, "origin": origin}
    call.answer(document, lambda: say(f"{'' if value is None else value}  ({origin})"))


@config.command("set")
@click.argument("name")
@click.argument("value")
@click.option(
    "--for-project", is_flag=True, help="Write to the project's .hansard/config.yml instead of your own file."
)
@command()
def set_(call: Call, name: str, value: str, *, for_project: bool) -> None:
    """Write a setting to your config.yml, or to the project's.

    \b
    Example:
      hansard config set context.items_max 30 --for-project
    """
    setting = known(name, "config set")
    file = _file(setting, for_project=for_project)
    chosen = converted(setting, value, "config set")
    _write(file, setting, chosen)
    call.answer({"name": name, "value": chosen, "file": str(file)}, lambda: say(f"{name} = {chosen} in {file}"))


@config.command()
@click.argument("name")
@click.option("--for-project", is_flag=True, help="Remove it from the project's .hansard/config.yml.")
@command()
def unset(call: Call, name: str, *, for_project: bool) -> None:
    """Remove a setting from your config.yml, or from the project's.

    \b
    Example:
      hansard config unset context.items_max
    """
    setting = known(name, "config unset")
    file = _file(setting, for_project=for_project)
    _write(file, setting, None)
    call.answer({"name": name, "value": None, "file": str(file)}, lambda: say(f"{name} is not set in {file}."))


def _file(setting: Setting, *, for_project: bool) -> Path:
    if not for_project:
        return settings_module.user_config_path(os.environ)
    file = roots.root_of(Path.cwd()) / PROJECT_CONFIG
    refuse_personal(setting, str(file))
    return file


def _write(file: Path, setting: Setting, value: str | int | float | None) -> None:
    """Changes the setting's own line and leaves every other byte of the file, comments included, as it is."""
    present = read_file(file)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    kept = [line for line in text.splitlines(keepends=True) if not _is_about(line, setting)]
    if setting.name in present and len(kept) == len(text.splitlines()):
        raise Conflict(f"{setting.name} stands inside a block of {file}; change it there by hand.")
    if value is not None:
        import yaml

        if kept and not kept[-1].endswith("\n"):
            kept[-1] += "\n"
        kept.append(yaml.safe_dump({setting.name: value}, allow_unicode=True))
    write_atomically(file, "".join(kept).encode())


def _is_about(line: str, setting: Setting) -> bool:
    return line.partition(":")[0].strip("\"' ") == setting.name and not line.startswith((" ", "\t", "#"))
