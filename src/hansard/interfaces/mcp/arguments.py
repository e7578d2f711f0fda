"""Owns the arguments of a tool: how they are described to a model, and what is said about those that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from hansard.domain.errors import Invalid, quoted


class Kind(StrEnum):
    """What an argument is in JSON."""

    TEXT = "string"
    NUMBER = "integer"
    SWITCH = "boolean"
    TEXTS = "array"


class Argument(NamedTuple):
    """One argument. `also` are names by which others call it; they are understood and not advertised."""

    name: str
    about: str
    kind: Kind = Kind.TEXT
    required: bool = False
    words: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    also: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": self.kind.value, "description": self.about}
        if self.kind is Kind.TEXTS:
            made["items"] = {"type": "string"}
        if self.words:
            made["enum"] = list(self.words)
        if self.least is not None:
            made["minimum"] = self.least
        if self.most is not None:
            made["maximum"] = self.most
        return made


def schema_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The input schema of a tool with these arguments."""
    made: dict[str, Any] = {
        "type": "object",
        "properties": {one.name: one.schema() for one in arguments},
        "additionalProperties": False,
    }
    needed = [one.name for one in arguments if one.required]
    return made | ({"required": needed} if needed else {})


def checked(arguments: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, by the names that are advertised. Raises Invalid, and says what would do.

    Whether a word is known is left to the domain, which knows other spellings and names the right ones.
    """
    names = {spelling: one for one in arguments for spelling in (one.name, *one.also)}
    found: dict[str, Any] = {}
    for name, value in given.items():
        argument = names.get(name)
        if argument is None:
            raise Invalid(
                f"There is no argument {quoted(name, 60)}; known are {_listed(one.name for one in arguments)}."
            )
        if argument.name in found:
            raise Invalid(f"{argument.name} was given twice.")
        if value is not None:
            found[argument.name] = _fitting(argument, value)
    missing = [one.name for one in arguments if one.required and one.name not in found]
    if missing:
        raise Invalid(f"{_listed(missing)} must be given.")
    return found


def _fitting(argument: Argument, value: Any) -> Any:
    if not _fits(argument, value):
        raise Invalid(f"{argument.name} must be {_wanted(argument)}.")
    return int(value) if argument.kind is Kind.NUMBER else value


def _fits(argument: Argument, value: Any) -> bool:
    match argument.kind:
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.SWITCH:
            return isinstance(value, bool)
        case Kind.TEXTS:
            # One text is a list of one; tags are often written that way, with commas.
            return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
        case Kind.NUMBER:
            return _is_whole(value) and _is_between(value, argument.least, argument.most)


def _is_whole(value: Any) -> bool:
    """In JSON 5.0 is a whole number. Infinity, and what is no number, equal nothing here."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


def _is_between(value: float, least: int | None, most: int | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _wanted(argument: Argument) -> str:
    match argument.kind:
        case Kind.TEXT:
            return "text"
        case Kind.SWITCH:
            return "true or false"
        case Kind.TEXTS:
            return "a list of texts"
        case Kind.NUMBER:
            lower = "" if argument.least is None else f" from {argument.least}"
            upper = "" if argument.most is None else f" to {argument.most:,}"
            return f"a whole number{lower}{upper}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
