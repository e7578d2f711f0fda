"""Owns how files are watched: every command that stays waits here until something may have changed."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from hansard.domain.errors import Invalid

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

Sights: TypeAlias = Mapping[str, tuple[int, int, int]]
"""How files look without being read: by path, size, time and number of each."""
Wait: TypeAlias = Callable[[float], bool]
"""Waits so many seconds at most, and says whether something may have changed."""

STEP_MILLISECONDS = 50
GROUP_MILLISECONDS = 400
"""Changes that follow each other so closely are one."""
BLIND_WAITS = 30
"""After so many waits without news we look all the same: some file systems, such as shared ones, tell nothing."""


class Lookout:
    """Waits for changes below some paths. One that is missing or was replaced is watched as soon as it is there.

    Where the system cannot tell of changes, every wait ends with a look.
    """

    def __init__(self, paths: Callable[[], Iterable[Path]], *, deep: bool) -> None:
        self._paths = paths
        self._deep = deep
        self._watched: dict[str, tuple[int, int]] = {}
        self._notify: RustNotify | None = None
        self._waits = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def wait(self, seconds: float) -> bool:
        """Whether something may have changed. Raises KeyboardInterrupt when a signal asks the process to end."""
        present = _present(self._paths())
        if present != self._watched:
            self._begin(present)
            # Whatever happened before the watch began is found by a look.
            return True
        if self._notify is None:
            time.sleep(seconds)
            return True
        told = self._news(self._notify, seconds)
        self._waits = 0 if told else self._waits + 1
        return told or self._waits % BLIND_WAITS == 0

    def _news(self, notify: "RustNotify", seconds: float) -> bool:
        try:
            news = notify.watch(GROUP_MILLISECONDS, STEP_MILLISECONDS, max(1, int(seconds * 1000)), None)
        except (OSError, RuntimeError):
            self._stop()
            return True
        if news == "signal":
            raise KeyboardInterrupt
        return news != "timeout"

    def _begin(self, present: dict[str, tuple[int, int]]) -> None:
        self._stop()
        self._watched = present
        if present:
            from watchfiles._rust_notify import RustNotify

            # There are limits to how much a system watches, and a path may be gone again: then we look instead.
            with suppress(OSError, RuntimeError):
                self._notify = RustNotify(list(present), False, False, 0, self._deep, True)  # noqa: FBT003 - its own order

    def _stop(self) -> None:
        if self._notify is not None:
            self._notify.close()
            self._notify = None


def sights(root: Path, folders: Sequence[str]) -> Sights:
    """What stands in these folders below the root. Raises Invalid if the root is no folder that can be looked into."""
    if not os.access(root, os.R_OK | os.X_OK) or not root.is_dir():
        raise Invalid(f"{root} is not there or cannot be opened.", root)
    seen: dict[str, tuple[int, int, int]] = {}
    for folder in folders:
        with suppress(OSError), os.scandir(root / folder) as found:
            for one in found:
                status = one.stat(follow_symlinks=False)
                seen[f"{folder}/{one.name}"] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return seen


def steps(root: Path, folders: Sequence[str]) -> list[Path]:
    """The root and every folder on the way to these, so that one that is made later is noticed."""
    ways = [
        [root, *(root.joinpath(*parts[: count + 1]) for count in range(len(parts)))] for parts in map(_parts, folders)
    ]
    return list(dict.fromkeys(place for way in ways for place in way))


def _parts(folder: str) -> list[str]:
    return folder.split("/")


def _present(paths: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """The paths that are there, each with what tells it from another one of its name. A link is not followed."""
    there: dict[str, tuple[int, int]] = {}
    for path in paths:
        with suppress(OSError, ValueError):
            status = path.lstat()
            there[str(path)] = (status.st_dev, status.st_ino)
    return there
