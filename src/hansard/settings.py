"""Owns every setting: its name, its bounds, and which of the layers its value came from.

Layers, weakest first: default, the user's config.yml, the project's .hansard/config.yml, environment, flag.
"""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hansard.domain.errors import BadSetting

PROJECT_CONFIG = Path(".hansard") / "config.yml"
_APP = "hansard"
_DEPTH_MAX = 4


class Setting(NamedTuple):
    """One thing that can be set. A personal one is never taken from a project's file, which a stranger may write."""

    name: str
    env: str
    default: str | int | float | None
    about: str
    minimum: float | None = None
    maximum: float | None = None
    personal: bool = False

    @property
    def field(self) -> str:
        return self.name.replace(".", "_")


SETTINGS: tuple[Setting, ...] = (
    Setting("db", "HANSARD_DB", None, "Path of the database; the data folder of the user if not set.", personal=True),
    Setting("project", "HANSARD_PROJECT", None, "Key of the project; the one of the working directory if not set."),
    Setting("agent", "HANSARD_AGENT", None, "The agent that acts; a person acts if not set.", personal=True),
    Setting("role", "HANSARD_ROLE", None, "Role of the caller; agent if an agent is named, else human.", personal=True),
    Setting("user", "HANSARD_USER", None, "Name of the person that acts; the login name if not set.", personal=True),
    Setting("store.busy_seconds", "HANSARD_STORE_BUSY_SECONDS", 30.0, "Longest wait for another writer.", 0.0, 3600.0),
    Setting("context.items_max", "HANSARD_CONTEXT_ITEMS_MAX", 20, "Memories in one block.", 1, 1_000),
    Setting(
        "context.memory_tokens_max", "HANSARD_CONTEXT_MEMORY_TOKENS_MAX", 4_000, "Tokens of memory in one block.",
        1, 1_000_000,
    ),
    Setting(
        "context.learnings_max", "HANSARD_CONTEXT_LEARNINGS_MAX", 5,
        "Newest high-importance learnings and patterns that are candidates for a block.", 0, 1_000,
    ),
)  # fmt: skip
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


class Settings(NamedTuple):
    """The values in force, read once. `origins` says where each one came from."""

    db: str | None = None
    project: str | None = None
    agent: str | None = None
    role: str | None = None
    user: str | None = None
    store_busy_seconds: float = 30.0
    context_items_max: int = 20
    context_memory_tokens_max: int = 4_000
    context_learnings_max: int = 5
    origins: Mapping[str, str] = MappingProxyType({})

    def value(self, setting: Setting) -> str | int | float | None:
        value: str | int | float | None = getattr(self, setting.field)
        return value

    def origin(self, setting: Setting) -> str:
        return self.origins.get(setting.name, "default")


def load(
    *,
    flags: Mapping[str, str | None] | None = None,
    environment: Mapping[str, str] | None = None,
    project_root: Path | None = None,
) -> Settings:
    """Reads all layers. Raises BadSetting for an unknown name or a value out of bounds, naming where it stands."""
    env = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}

    def take(name: str, raw: object, origin: str) -> None:
        setting = known(name, origin)
        values[setting.field] = converted(setting, raw, origin)
        origins[name] = origin

    user_file = user_config_path(env)
    for name, raw in read_file(user_file).items():
        take(name, raw, str(user_file))
    if project_root is not None:
        file = project_root / PROJECT_CONFIG
        for name, raw in read_file(file).items():
            refuse_personal(known(name, str(file)), str(file))
            take(name, raw, str(file))
    for setting in SETTINGS:
        given = env.get(setting.env)
        if given is not None and given.strip():
            take(setting.name, given, f"environment {setting.env}")
    for name, flag in (flags or {}).items():
        if flag is not None:
            take(name, flag, f"flag --{name}")
    return Settings(**values, origins=origins)


def known(name: str, origin: str) -> Setting:
    try:
        return BY_NAME[name]
    except KeyError:
        raise BadSetting(f"{origin}: there is no setting {name!r}; see `hansard config list`.") from None


def refuse_personal(setting: Setting, origin: str) -> None:
    if setting.personal:
        raise BadSetting(f"{origin}: {setting.name} is personal; set it in your own config.yml or the environment.")


def converted(setting: Setting, raw: object, origin: str) -> str | int | float:
    """The value in the setting's type and bounds."""
    if isinstance(setting.default, int | float):
        return _number(setting, raw, origin)
    text = str(raw).strip()
    if not text or "\x00" in text or isinstance(raw, list | dict | bool):
        raise BadSetting(f"{origin}: {setting.name} must be a plain word or path.")
    return text


def user_config_path(environment: Mapping[str, str]) -> Path:
    base = environment.get("XDG_CONFIG_HOME")
    if base:
        return Path(base) / _APP / "config.yml"
    if os.name == "posix" and os.uname().sysname == "Linux":
        return _home(environment) / ".config" / _APP / "config.yml"
    import platformdirs

    return Path(platformdirs.user_config_dir(_APP)) / "config.yml"


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    env = os.environ if environment is None else environment
    base = env.get("XDG_DATA_HOME")
    if base:
        return Path(base) / _APP
    if os.name == "posix" and os.uname().sysname == "Linux":
        return _home(env) / ".local" / "share" / _APP
    import platformdirs

    return Path(platformdirs.user_data_dir(_APP))


def default_database() -> str:
    return str(data_folder() / "hansard.db")


def login_name() -> str:
    """The name of the person at this machine, as the environment or the user database has it."""
    for variable in ("LOGNAME", "USER", "USERNAME"):
        name = os.environ.get(variable, "").strip()
        if name:
            return name
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (KeyError, ImportError):
        return "owner"


def read_file(path: Path) -> dict[str, object]:
    """The settings in a file, flattened to dotted names; nothing if there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}.") from error
    import yaml

    try:
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadSetting(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise BadSetting(f"{path} must hold settings as `name: value`.")
    return _flattened(loaded, "", depth=0)


def _flattened(tree: Mapping[object, object], prefix: str, *, depth: int) -> dict[str, object]:
    if depth > _DEPTH_MAX:
        raise BadSetting(f"settings are nested at most {_DEPTH_MAX} deep; {prefix[:60]}… is deeper.")
    flat: dict[str, object] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            flat |= _flattened(value, f"{name}.", depth=depth + 1)
        elif value is not None:
            flat[name] = value
    return flat


def _number(setting: Setting, raw: object, origin: str) -> int | float:
    whole = isinstance(setting.default, int)
    problem = f"{origin}: {setting.name} must be a {'whole ' if whole else ''}number"
    problem += f" from {setting.minimum:g} to {setting.maximum:g}; {raw!r} is not."
    try:
        value = float(str(raw).strip())
    except ValueError:
        raise BadSetting(problem) from None
    low = -math.inf if setting.minimum is None else setting.minimum
    high = math.inf if setting.maximum is None else setting.maximum
    if isinstance(raw, bool) or not math.isfinite(value) or not low <= value <= high or (whole and value % 1):
        raise BadSetting(problem)
    return int(value) if whole else value


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment["HOME"]) if environment.get("HOME") else Path.home()
