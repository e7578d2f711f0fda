"""Owns pages: how much one list call returns and where the next one goes on."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.numbers import whole

Item = TypeVar("Item")


class Page(NamedTuple, Generic[Item]):
    """Items of one call, and the cursor of the next one, or None at the end."""

    items: tuple[Item, ...]
    next_cursor: str | None = None


class Listing(tuple[Item, ...], Generic[Item]):
    """A page for those who want the items and nothing else: a tuple of them that knows where the next call goes on."""

    next_cursor: str | None

    def __new__(cls, items: Iterable[Item] = (), next_cursor: str | None = None) -> "Listing[Item]":
        made = super().__new__(cls, items)
        made.next_cursor = next_cursor
        return made

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self)


class Window(NamedTuple):
    """Where a page starts and how many items it may hold."""

    limit: int
    cursor: str | None = None


def window(limit: int, cursor: str | None) -> Window:
    whole(limit, "limit", 1, PAGE_ITEMS_MAX)
    if cursor is not None and not isinstance(cursor, str):
        raise Invalid(f"cursor must be text, not {type(cursor).__name__}.")
    return Window(limit, cursor or None)
