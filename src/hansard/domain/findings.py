"""Owns findings: what an examination of a store or a project found, how bad it is, and what to do about it."""

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """A problem needs somebody now, a warning soon, and what is ok needs nobody."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(NamedTuple):
    """One thing that was looked at. What is not ok says what to do."""

    check: str
    severity: Severity
    found: str
    advice: str = ""
    project: str | None = None


class Examined(NamedTuple):
    """What an engine says of itself: its name and version, its schema, its file, and each fault in one sentence."""

    engine: str
    schema: int
    schema_newest: int
    file: str | None
    problems: tuple[str, ...]
    warnings: tuple[tuple[str, str], ...]
    """What is risky, each with what to do about it."""
    unreadable: tuple[str, ...] = ()
    """The tables that this user of a server may not read."""
    writes: bool = True
    """Whether this user of a server may write at all."""


def fine(check: str, found: str) -> Finding:
    return Finding(check, Severity.OK, found)


def warning(check: str, found: str, advice: str) -> Finding:
    return Finding(check, Severity.WARNING, found, advice)


def problem(check: str, found: str, advice: str) -> Finding:
    return Finding(check, Severity.PROBLEM, found, advice)
