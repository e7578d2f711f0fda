"""Two projects that are told the same things, and what of their answers can be compared."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from hansard.domain.errors import HansardError
from hansard.project import Project

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
TIMES = frozenset({"at", "valid_from", "valid_until"})
UNLIKE = frozenset({"sha256", "prompt_sha256", "position"})
"""Digests of texts that hold ids, and what REST does not tell; only whether there is something is compared."""

HIDDEN = {
    ("KeptReceipt", "body"),
    *((kind, "salt") for kind in ("Memory", "Entry", "Decision", "Session", "Run", "FinishedRun", "Allowance")),
}
"""What no answer over REST holds: the salts of the history, and the lines of receipts in a list."""


class Trio(NamedTuple):
    """One project as a person, an agent and a coordinator."""

    ana: Project
    tank: Project
    neo: Project


Step = tuple[str, Any]
Script = Callable[[Trio], Iterator[Step]]


class Plain:
    """Answers without what two stores cannot have in common: ids by the order of their appearance, times, digests."""

    def __init__(self, *folders: str) -> None:
        self._ids: dict[str, str] = {}
        self._folders = folders

    def of(self, value: Any, field: str = "") -> Any:
        if value is None or isinstance(value, bool):
            return value
        if field in TIMES or field.endswith("_at"):
            return type(value).__name__
        if isinstance(value, bytes) or field in UNLIKE:
            return "something"
        if isinstance(value, HansardError):
            return type(value).__name__, value.code, self.of(value.message)
        if isinstance(value, Enum):
            return type(value).__name__, value.value
        if isinstance(value, float):
            return round(value, 5)
        if isinstance(value, str):
            return self._text(value)
        return self._several(value)

    def _several(self, value: Any) -> Any:
        if hasattr(value, "_fields"):
            kind = type(value).__name__.replace("Listed", "Kept")
            told = {name: self.of(getattr(value, name), name) for name in value._fields if (kind, name) not in HIDDEN}
            # What a subclass of a record has beside its fields, such as the Scribe's report of a run.
            more = set(vars(type(value)).get("__annotations__", ())) - set(value._fields) - {"fetched"}
            return kind, told, {name: self.of(getattr(value, name), name) for name in sorted(more)}
        if isinstance(value, Mapping):
            return {self.of(name): self.of(one, str(name)) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return type(value).__name__, [self.of(one) for one in value]
        return value

    def _text(self, value: str) -> str:
        for folder in self._folders:
            value = value.replace(folder, "FOLDER")
        return UUID.sub(lambda found: self._ids.setdefault(found.group(), f"id-{len(self._ids)}"), value)


def failing(call: Callable[[], Any]) -> HansardError:
    """The error that a call ends with."""
    try:
        call()
    except HansardError as error:
        return error
    raise AssertionError("the call was to fail")
