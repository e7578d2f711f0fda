"""Owns projects: one workspace and everything remembered about it, under one canonical key."""

from typing import NamedTuple

from hansard.domain import slugs, text
from hansard.domain.ledger import Body
from hansard.domain.limits import TITLE_BYTES_MAX


class Project(NamedTuple):
    """A workspace. `key` is what people type; every spelling of it leads here."""

    id: str
    key: str
    name: str
    created_at: int

    def body(self) -> Body:
        return {"key": self.key, "name": self.name}


class Root(NamedTuple):
    """A folder of a project on one machine."""

    machine: str
    path: str


def canonical_key(value: str) -> str:
    """The one spelling of a project key."""
    return slugs.normalise(value, field="project", beside_numbers=False)


def clean_name(value: str | None, *, key: str) -> str:
    return text.optional_line(value, field="name", bytes_max=TITLE_BYTES_MAX) or key
