"""Owns names and who is acting: two spellings of one name are one actor."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hansard.domain import text
from hansard.domain.limits import NAME_BYTES_MAX
from hansard.domain.vocabulary import Role, parse


@lru_cache(maxsize=8192)
def key_of(name: str) -> str:
    """What a name is compared by: compatibility-normalised, case folded, blanks collapsed."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


@lru_cache(maxsize=8192)
def clean_name(name: str, *, field: str = "agent") -> str:
    """A name in the spelling it will be shown in."""
    cleaned = " ".join(text.line(name, field=field, bytes_max=NAME_BYTES_MAX).split())
    return unicodedata.normalize("NFC", cleaned)


@dataclass(frozen=True, slots=True, init=False)
class Actor:
    """Somebody who acts, with the roles held. `Actor("tank", role="agent")`."""

    name: str
    roles: frozenset[Role]

    def __init__(self, name: str, role: Role | str | Iterable[Role | str] = Role.AGENT) -> None:
        given = (role,) if isinstance(role, str) else tuple(role)
        object.__setattr__(self, "name", clean_name(name, field="name"))
        object.__setattr__(self, "roles", frozenset(parse(Role, one, field="role") for one in given))

    @property
    def key(self) -> str:
        return key_of(self.name)

    @property
    def role(self) -> str:
        """The roles as the ledger keeps them: one word, or several joined by `+`."""
        return "+".join(sorted(self.roles))


@dataclass(frozen=True, slots=True)
class KnownActor:
    """A name that has acted in a project, in the spelling first seen."""

    key: str
    name: str
    role: str
    created_at: int
