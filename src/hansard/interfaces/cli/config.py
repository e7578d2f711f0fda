"""Owns `hansard config`: settings, where each value comes from, and mending what is wrong with them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hansard.domain.errors import BadSetting, Denied, Invalid, UnknownProject, UnknownStore
from hansard.domain.policy import Act, require
from hansard.domain.vocabulary import Role
from hansard.interfaces.cli.calling import Call, Column, command, note, say, table, words
from hansard.services import configure
from hansard.services.configure import presentable
from hansard.settings import (
    BY_NAME,
    PROJECT_CONFIG,
    SETTINGS,
    Setting,
    Settings,
    default_database,
    known,
    printable,
    refuse_personal,
    settle,
    user_config_path,
)
from hansard.settings_file import read_file
from hansard.workspace import roots
from hansard.workspace.files import confined


def _values(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    setting = BY_NAME.get(str(context.params.get("name")))
    chosen = () if setting is None else tuple(Role) if setting.name == "role" else setting.choices
    return words(chosen)(context, parameter, incomplete)


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

    What is wrong with a file or the environment is named beside the answer, and that value is left out.

    \b
    Example:
      hansard config list --json
    """
    settings, problems = read_settings(call)
    found = [(setting, _effective(settings, setting), _origin(settings, setting)) for setting in SETTINGS]
    document = {
        "items": [
            {"name": one.name, "value": value, "origin": origin, "env": one.env, "about": one.about}
            for one, value, origin in found
        ],
        "problems": problems,
    }
    rows = [[one.name, "" if value is None else str(value), origin, one.about] for one, value, origin in found]
    columns: list[Column | str] = [
        "name", Column("value", text=True, cut_front=True), Column("origin", text=True, cut_front=True),
        Column("about", text=True, rank=1),
    ]  # fmt: skip
    call.answer(document, lambda: table(columns, rows, empty=""))
    _note(problems)


@config.command()
@click.argument("name", shell_complete=words(BY_NAME))
@command()
def get(call: Call, name: str) -> None:
    """Show one setting.

    \b
    Example:
      hansard config get context.items_max
    """
    setting = known(name, "config get")
    settings, problems = read_settings(call)
    value, origin = _effective(settings, setting), _origin(settings, setting)
    document = {"name": name, "value": value, "origin": origin, "problems": problems}
    call.answer(document, lambda: say(f"{'' if value is None else value}  ({origin})"))
    _note(problems)


@config.command("set")
@click.argument("name", shell_complete=words(BY_NAME))
@click.argument("value", shell_complete=_values)
@click.option(
    "--for-project", is_flag=True, help="Write to the project's .hansard/config.yml instead of your own file."
)
@command()
def set_(call: Call, name: str, value: str, *, for_project: bool) -> None:
    """Write a setting to your config.yml, or to the project's.

    A config.yml of your own that is made by it can be read by you alone.

    \b
    Example:
      hansard config set context.items_max 30 --for-project
    """
    _require_person(call)
    setting = known(name, "config set")
    if for_project:
        refuse_personal(setting, "config set --for-project")
    chosen = configure.checked(setting, value, "config set")
    configure.refuse_secret(setting, str(chosen), "config set")
    file = _file(call, for_project=for_project)
    # Keys may stand in a person's own file. The project's is read by whoever works in its folder, and holds none.
    configure.write(file, name, chosen, private=not for_project)
    shown, place = presentable(printable(setting, chosen)), presentable(str(file))
    call.answer({"name": name, "value": shown, "file": place}, lambda: say(f"{name} = {shown} in {place}"))
    settings, _ = read_settings(call)
    if _effective(settings, setting) != shown:
        note(f"{_effective(settings, setting)} stays in force, from {_origin(settings, setting)}.")


@config.command()
@click.argument("name", shell_complete=words(BY_NAME))
@click.option("--for-project", is_flag=True, help="Remove it from the project's .hansard/config.yml.")
@command()
def unset(call: Call, name: str, *, for_project: bool) -> None:
    """Remove a setting from your config.yml, or from the project's.

    A line whose name is no setting can be removed too.

    \b
    Example:
      hansard config unset context.items_max
    """
    _require_person(call)
    file = _file(call, for_project=for_project)
    removed = configure.write(file, name, None)
    if not removed:
        known(name, "config unset")
    place, shown = presentable(str(file)), presentable(name)
    told = f"{shown} was removed from {place}." if removed else f"{shown} was not set in {place}; nothing was changed."
    call.answer({"name": shown, "value": None, "file": place, "removed": removed}, lambda: say(told))


def read_settings(call: Call) -> tuple[Settings, list[str]]:
    """The values that can be used, and what is wrong with the others. Only a bad flag is refused."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    problems: list[str] = []
    for name, raw, origin, shared in _given(problems):
        try:
            setting = known(name, origin)
            if shared:
                refuse_personal(setting, origin)
            settle(values, origins, setting, configure.checked(setting, raw, origin), origin)
        except Invalid as error:
            problems.append(error.message)
    for name, flag in call.flags.items():
        if flag is not None:
            origins[name] = f"flag --{name}"
            values[BY_NAME[name].field] = configure.checked(BY_NAME[name], flag, origins[name])
    return Settings(**values, origins=origins), problems


def _given(problems: list[str]) -> Iterator[tuple[str, object, str, bool]]:
    """Name, value and origin of what each layer says, weakest first, and whether a stranger may have written it."""
    own, here = user_config_path(os.environ), roots.standing()
    shared = None if here is None else roots.root_of(here) / PROJECT_CONFIG
    for file in (own, shared) if shared else (own,):
        try:
            found = read_file(file)
        except BadSetting as error:
            problems.append(error.message)
            continue
        for name, raw in found.items():
            yield name, raw, str(file), file == shared
    for setting in SETTINGS:
        text = os.environ.get(setting.env, "")
        if text.strip():
            yield setting.name, text, f"environment {setting.env}", False


def _effective(settings: Settings, setting: Setting) -> str | int | float | None:
    """The value in force, as it may be printed."""
    value = settings.shown(setting)
    return presentable(default_database() if value is None and setting.name == "db" else value)


def _origin(settings: Settings, setting: Setting) -> str:
    return str(presentable(settings.origin(setting)))


def _note(problems: list[str]) -> None:
    for problem in problems:
        note(f"Problem: {problem}")


def _file(call: Call, *, for_project: bool) -> Path:
    """The file to write. Raises UnknownProject where there is no project to write for."""
    if not for_project:
        return user_config_path(os.environ)
    file = confined(roots.root_of(roots.working_directory()), PROJECT_CONFIG)
    if not file.exists():
        _require_project(call)
    return file


def _require_person(call: Call) -> None:
    """Settings are people's. Whoever made an agent's name their own setting gets out by saying who they are."""
    try:
        require(call.actor(read_settings(call)[0]), Act.CONFIGURE)
    except Denied as refusal:
        if call.flags.get("agent") or os.environ.get(BY_NAME["agent"].env):
            # It was said in this call who acts: an agent must not be taught to call itself a person.
            raise
        raise Denied(f"{refusal.message} If you are a person, add --role human.") from None


def _require_project(call: Call) -> None:
    settings, _ = read_settings(call)
    from hansard.app import Hansard

    try:
        # Opening makes a missing database, and a refusal must leave nothing behind.
        with Hansard.open(settings=settings, must_exist=True) as opened:
            opened.project()
    except UnknownStore:
        told = f"No project is known for {roots.working_directory()}. Run `hansard init` there first."
        raise UnknownProject(told) from None
