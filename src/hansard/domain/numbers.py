"""Owns what is a whole number where one is asked for. To Python true and false are numbers too, and engines differ."""

from typing import TypeGuard

from hansard.domain.errors import Invalid, shown


def is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def whole(value: object, field: str, least: int, most: int) -> int:
    """The number. Raises Invalid for anything else."""
    if not is_whole(value) or not least <= value <= most:
        raise Invalid(f"{field} must be a whole number from {least} to {most}; {shown(value)} is not.")
    return value


def refuse_truth(value: object, field: str) -> None:
    """For numbers of what may be missing: any other value is simply not found, and true would be found as 1."""
    if isinstance(value, bool):
        raise Invalid(f"{field} must be a whole number; {shown(value)} is not.")
