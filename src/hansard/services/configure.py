"""Changes settings in a file, one line of it, and shows what the file of a project says beside what is in force."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.actors import clean_name
from hansard.domain.errors import BadSetting, Conflict, Invalid, NotFound, quoted
from hansard.domain.policy import Act
from hansard.domain.projects import canonical_key
from hansard.domain.text import reference
from hansard.domain.vocabulary import Role, parse
from hansard.services.mirror import home
from hansard.settings import (
    BY_NAME,
    PROJECT_CONFIG,
    SETTINGS,
    Setting,
    converted,
    guarded,
    known,
    printable,
    refuse_personal,
)
from hansard.settings_file import read_file, without, written
from hansard.workspace.files import confined, write_atomically

if TYPE_CHECKING:
    from hansard.domain.projects import Project
    from hansard.services.seat import Seat
    from hansard.settings import Settings

Value = str | int | float

CHECKS: Mapping[str, Callable[[str], str]] = {
    "role": lambda text: parse(Role, text, field="role").value,
    "agent": lambda text: clean_name(text, field="agent"),
    "user": lambda text: clean_name(text, field="user"),
    "project": canonical_key,
}
"""What a text must be beyond being text, by the rules of the domain."""
ORIGIN = "settings"
BELIEVED_SECONDS = 2.0
"""For how long a project's file is not read again."""
PROJECTS_REMEMBERED_MAX = 4_096
_WRITING = threading.Lock()
"""A file is read and written as a whole, so two changes at once would lose one."""


class SettingShown(NamedTuple):
    """A setting that a project may have: what its file says, and what is in force in this process and why."""

    name: str
    of_project: Value | None
    value: Value | None
    origin: str
    about: str


class Policies:
    """What the guard goes by in each project, in a process that lasts: its file may change at any time.

    Safe to use from many threads.
    """

    def __init__(self, settings: Settings, folders: Callable[[Project], Sequence[str]]) -> None:
        self._settings, self._folders = settings, folders
        self._known: dict[str, tuple[float, Settings]] = {}

    def of(self, project: Project) -> Settings:
        """The settings, stricter where the project's folders on this machine say so."""
        at, known_ = self._known.get(project.id, (0.0, self._settings))
        now = time.monotonic()
        if at and now - at < BELIEVED_SECONDS:
            return known_
        found = self._settings
        try:
            for folder in self._folders(project):
                found = guarded(found, Path(folder))
        except (BadSetting, OSError) as error:
            if not at:
                # Nobody knows yet what is to be in force, so nothing is done.
                raise BadSetting(f"The settings of {project.key!r} cannot be read; mend {PROJECT_CONFIG}.") from error
            # What was in force stays in force: a file that is being mended must not open the gate.
            found = known_
            _warn(project, error)
        if len(self._known) >= PROJECTS_REMEMBERED_MAX:
            self._known.clear()
        self._known[project.id] = now, found
        return found


def _warn(project: Project, error: Exception) -> None:
    import logging

    logging.getLogger("hansard").warning("the policy of %s is not read anew: %s", project.key, type(error).__name__)


def list_settings(seat: Seat) -> tuple[SettingShown, ...]:
    """Every setting that the project's file may hold. Raises Denied for agents: values name servers and paths."""
    seat.require(Act.CONFIGURE)
    folder = home(seat)
    said = read_file(_file(folder))
    return tuple(_shown(seat, folder, one, said) for one in SETTINGS if not one.personal)


def get_setting(seat: Seat, name: str) -> SettingShown:
    seat.require(Act.CONFIGURE)
    folder = home(seat)
    return _shown(seat, folder, _shared(name), read_file(_file(folder)))


def set_setting(seat: Seat, name: str, value: Value) -> SettingShown:
    """Writes a setting to the project's file, which the whole team has in its clones."""
    seat.require(Act.CONFIGURE)
    setting = _shared(name)
    chosen = checked(setting, value, ORIGIN)
    refuse_secret(setting, str(chosen), ORIGIN)
    write(_file(home(seat)), setting.name, chosen)
    return get_setting(seat, setting.name)


def unset_setting(seat: Seat, name: str) -> bool:
    """Removes a setting from the project's file; whether it was there. A line that is no setting goes as well."""
    seat.require(Act.CONFIGURE)
    wanted = reference(name, field="name")
    removed = write(_file(home(seat)), wanted, None)
    if not removed:
        _shared(wanted)
    return removed


def checked(setting: Setting, raw: object, origin: str) -> Value:
    """The value as the setting has it. Raises BadSetting, naming where it stands."""
    check = CHECKS.get(setting.name)
    if check is None:
        return converted(setting, raw, origin)
    try:
        return check(raw if isinstance(raw, str) else str(converted(setting, raw, origin)))
    except Invalid as error:
        raise BadSetting(f"{origin}: {error.message}") from None


def refuse_secret(setting: Setting, value: str, origin: str) -> None:
    """Raises BadSetting for a secret, save where one belongs: in a provider's key and a database's address."""
    from hansard.services.admission import safe, safe_key

    clean = safe_key if setting.name == "project" else safe
    if not setting.secret and setting.name != "db" and (clean(value) != value or printable(setting, value) != value):
        raise BadSetting(
            f"{origin}: there is a secret in the value of {setting.name}; nothing was written. Settings are shown and"
            f" go into backups: keep it in {setting.env}, or set embedding.key if it is the key of the provider."
        )


def write(file: Path, name: str, value: Value | None, *, private: bool = False) -> bool:
    """Changes the setting's own line and leaves every other byte of the file, comments included, as it is.

    Without a value the line is removed. Says whether there was one. A `private` file that is made is its owner's alone.
    """
    with _WRITING:
        kept, removed = without(_text(file), name)
        if not removed and name in _present(file):
            raise Conflict(f"{name} stands inside a block of {file}; change it there by hand.")
        if value is None and not removed:
            return False
        try:
            write_atomically(file, written(kept, name, value, file).encode(), private=private)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(file)) from error
        return removed


def _shared(name: str) -> Setting:
    wanted = reference(name, field="name")
    if wanted not in BY_NAME:
        raise NotFound(f"There is no setting {quoted(wanted)}.")
    setting = known(wanted, ORIGIN)
    refuse_personal(setting, ORIGIN)
    return setting


def _shown(seat: Seat, folder: Path, setting: Setting, said: Mapping[str, object]) -> SettingShown:
    raw = said.get(setting.name)
    stands = None if raw is None else presentable(printable(setting, checked(setting, raw, str(PROJECT_CONFIG))))
    in_force = guarded(seat.settings, folder)
    value, origin = presentable(in_force.shown(setting)), str(presentable(in_force.origin(setting)))
    return SettingShown(setting.name, stands, value, origin, setting.about)


def presentable(shown: Value | None) -> Value | None:
    """A value, or where it comes from, without the secrets in it: a file may be edited by hand, and a flag may say
    anything."""
    if not isinstance(shown, str):
        return shown
    # Imported here because most commands only use their settings.
    from hansard.services.admission import safe

    return safe(shown)


def _file(folder: Path) -> Path:
    return confined(folder, PROJECT_CONFIG)


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
