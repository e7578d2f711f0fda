"""Owns `hansard config`: settings, where each value comes from, and mending what is wrong with them."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from hansard.domain.actors import clean_name
from hansard.domain.errors import BadSetting, Conflict, Denied, Invalid, UnknownProject
from hansard.domain.policy import Act, require
from hansard.domain.projects import canonical_key
from hansard.domain.vocabulary import Role, parse
from hansard.interfaces.cli.calling import Call, Column, command, note, say, table, words
from hansard.settings import (
    BY_NAME,
    PROJECT_CONFIG,
    SETTINGS,
    Setting,
    Settings,
    converted,
    default_database,
    known,
    printable,
    refuse_personal,
    settle,
    user_config_path,
)
from hansard.settings_file import read_file
from hansard.workspace import roots
from hansard.workspace.files import confined, write_atomically

CHECKS: Mapping[str, Callable[[str], str]] = {
    "role": lambda text: parse(Role, text, field="role").value,
    "agent": lambda text: clean_name(text, field="agent"),
    "user": lambda text: clean_name(text, field="user"),
    "project": canonical_key,
}
"""What a text must be beyond being text, by the rules of the domain."""


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
    found = [(setting, _effective(settings, setting), settings.origin(setting)) for setting in SETTINGS]
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
    value, origin = _effective(settings, setting), settings.origin(setting)
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

    \b
    Example:
      hansard config set context.items_max 30 --for-project
    """
    _require_person(call)
    setting = known(name, "config set")
    if for_project:
        refuse_personal(setting, "config set --for-project")
    chosen = _checked(setting, value, "config set")
    _refuse_secret(setting, str(chosen))
    file = _file(call, for_project=for_project)
    _write(file, name, chosen)
    shown = printable(setting, chosen)
    call.answer({"name": name, "value": shown, "file": str(file)}, lambda: say(f"{name} = {shown} in {file}"))


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
    removed = _write(file, name, None)
    if not removed:
        known(name, "config unset")
    told = f"{name} was removed from {file}." if removed else f"{name} was not set in {file}; nothing was changed."
    call.answer({"name": name, "value": None, "file": str(file), "removed": removed}, lambda: say(told))


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
            settle(values, origins, setting, _checked(setting, raw, origin), origin)
        except Invalid as error:
            problems.append(error.message)
    for name, flag in call.flags.items():
        if flag is not None:
            origins[name] = f"flag --{name}"
            values[BY_NAME[name].field] = _checked(BY_NAME[name], flag, origins[name])
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


def _refuse_secret(setting: Setting, value: str) -> None:
    """Raises BadSetting for a secret, save where one belongs: in a provider's key and a database's address."""
    from hansard.services.screen import safe

    if not setting.secret and setting.name != "db" and (safe(value) != value or printable(setting, value) != value):
        raise BadSetting(
            f"config set: there is a secret in the value of {setting.name}; nothing was written. Settings are shown and"
            f" go into backups: keep it in {setting.env}, or set embedding.key if it is the key of the provider."
        )


def _checked(setting: Setting, raw: object, origin: str) -> str | int | float:
    check = CHECKS.get(setting.name)
    if check is None:
        return converted(setting, raw, origin)
    try:
        return check(raw if isinstance(raw, str) else str(converted(setting, raw, origin)))
    except Invalid as error:
        raise BadSetting(f"{origin}: {error.message}") from None


def _effective(settings: Settings, setting: Setting) -> str | int | float | None:
    """The value in force, as it may be printed."""
    value = settings.shown(setting)
    return default_database() if value is None and setting.name == "db" else value


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
        raise Denied(f"{refusal.message} If you are a person, add --role human.") from None


def _require_project(call: Call) -> None:
    settings, _ = read_settings(call)
    place = settings.db or default_database()
    # Opening makes a missing database, and a refusal must leave nothing behind.
    if "://" not in place and not Path(place).exists():
        raise UnknownProject(f"No project is known for {roots.working_directory()}. Run `hansard init` there first.")
    from hansard.app import Hansard

    with Hansard.open(settings=settings) as opened:
        opened.project()


def _write(file: Path, name: str, value: str | int | float | None) -> bool:
    """Changes the setting's own line and leaves every other byte of the file, comments included, as it is."""
    text = _text(file)
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not _is_about(line, name)]
    removed = len(kept) < len(lines)
    if not removed and name in _present(file):
        raise Conflict(f"{name} stands inside a block of {file}; change it there by hand.")
    if value is None and not removed:
        return False
    import yaml

    if value is not None:
        if kept and not kept[-1].endswith("\n"):
            kept[-1] += "\n"
        kept.append(yaml.safe_dump({name: value}, allow_unicode=True))
    try:
        mended = yaml.safe_load("".join(kept))
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise BadSetting(f"{file} has another line to mend by hand first, and was left as it is: {problem}") from None
    if not isinstance(mended, dict | None):
        raise BadSetting(f"{file} must hold settings as `name: value`; mend it by hand first. It was left as it is.")
    try:
        write_atomically(file, "".join(kept).encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error
    return removed


def _text(file: Path) -> str:
    if file.exists() and not file.is_file():
        raise BadSetting(f"{file} is not a plain file.")
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise BadSetting(f"{file} is not UTF-8 text; mend it by hand first.") from None


def _present(file: Path) -> Mapping[str, object]:
    """What can be read of the file: nothing while it is broken, which is no reason not to mend it."""
    try:
        return read_file(file)
    except BadSetting:
        return {}


def _is_about(line: str, name: str) -> bool:
    return line.partition(":")[0].strip("\"' ") == name and not line.startswith((" ", "\t", "#"))
