"""Owns names and who is acting: two spellings of one name are one actor."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Self

from hansard.domain import text
from hansard.domain.errors import Invalid
from hansard.domain.limits import NAME_BYTES_MAX
from hansard.domain.vocabulary import Role, parse


@lru_cache(maxsize=8192)
def key_of(name: str) -> str:
    """What a name is compared by: compatibility-normalised, case folded, blanks collapsed."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def clean_name(name: str, *, field: str = "agent") -> str:
    """A name in the spelling it will be shown in."""
    if not isinstance(name, str):
        raise Invalid(f"{field} must be text, not {type(name).__name__}.")
    return _cleaned(name, field)


@lru_cache(maxsize=8192)
def _cleaned(name: str, field: str) -> str:
    cleaned = " ".join(text.line(name, field=field, bytes_max=NAME_BYTES_MAX).split())
    if text.has_invisible(cleaned):
        raise Invalid(f"{field} contains a character that shows nothing; names are what they look like.")
    return text.within(unicodedata.normalize("NFC", cleaned), field=field, bytes_max=NAME_BYTES_MAX)


def filter_key(name: str | None, *, field: str = "agent") -> str | None:
    """What a list is filtered by; nothing and blank both mean everybody."""
    if name is None or name == "":
        return None
    return key_of(clean_name(name, field=field))


class _ActorFields(NamedTuple):
    name: str
    roles: frozenset[Role]


class Actor(_ActorFields):
    """Somebody who acts, with the roles held. `Actor("tank", role="agent")`."""

    __slots__ = ()

    def __new__(cls, name: str, role: Role | str | Iterable[Role | str] = Role.AGENT) -> Self:
        given = text.list_of(role, field="role")
        roles = frozenset(parse(Role, one, field="role") for one in given)
        return super().__new__(cls, clean_name(name, field="name"), roles)

    @property
    def key(self) -> str:
        return key_of(self.name)

    @property
    def role(self) -> str:
        """The roles as the ledger keeps them: one word, or several joined by `+`."""
        return "+".join(sorted(self.roles))


class KnownActor(NamedTuple):
    """A name that has acted in a project, in the spelling first seen."""

    key: str
    name: str
    role: str
    created_at: int
