"""Owns the text of a settings file: what it may be, its settings by their dotted names, and one line changed."""

from __future__ import annotations

import stat
from pathlib import Path

from hansard.domain import configured
from hansard.domain.errors import BadSetting

CONFIG_BYTES_MAX = 65_536
_BRACKETS_MAX = 40


def read_file(path: Path) -> dict[str, object]:
    """The settings in a file, flattened to dotted names; nothing if there is no file."""
    try:
        known = path.stat()
        if not stat.S_ISREG(known.st_mode) or known.st_size > CONFIG_BYTES_MAX:
            limit = f"it must be a plain file of at most {CONFIG_BYTES_MAX:,} bytes"
            raise BadSetting(f"{path} cannot be read: {limit}; move it away.")
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        # A plain file in the place of the folder has no settings below it.
        return {}
    except UnicodeDecodeError as error:
        raise BadSetting(f"{path} cannot be read: byte {error.start} is not UTF-8; mend or move it.") from error
    except OSError as error:
        told = f"{path} cannot be read: {error.strerror}; make it readable, or move it away."
        raise BadSetting(told) from error
    import yaml

    try:
        if text.count("[") + text.count("{") > _BRACKETS_MAX:
            raise BadSetting(f"{path} has too many brackets; settings are `name: value`.")
        # A file of a few bytes can name itself again and again; no setting needs that.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise BadSetting(f"{path} uses YAML aliases; write the values out.")
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadSetting(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise BadSetting(f"{path} must hold settings as `name: value`.")
    return configured.flattened(loaded)


def without(text: str, name: str) -> tuple[str, bool]:
    """The text of a settings file without this setting's own line, and whether it had one."""
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not _is_about(line, name)]
    return "".join(kept), len(kept) < len(lines)


def written(text: str, name: str, value: str | int | float | None, file: Path) -> str:
    """The text with the setting as its last line, if it has a value. Raises BadSetting if `file` would be unusable."""
    import yaml

    if value is not None:
        if text and not text.endswith("\n"):
            text += "\n"
        text += yaml.safe_dump({name: value}, allow_unicode=True)
    try:
        mended = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise BadSetting(f"{file} has another line to mend by hand first, and was left as it is: {problem}") from None
    if not isinstance(mended, dict | None):
        raise BadSetting(f"{file} must hold settings as `name: value`; mend it by hand first. It was left as it is.")
    return text


def _is_about(line: str, name: str) -> bool:
    return line.partition(":")[0].strip("\"' ") == name and not line.startswith((" ", "\t", "#"))
