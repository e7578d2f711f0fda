"""Owns names and who is acting: two spellings of one name are one actor."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple, Self

from hansard.domain import text
from hansard.domain.errors import Invalid
from hansard.domain.limits import NAME_BYTES_MAX, NAME_WORDS_MAX
from hansard.domain.vocabulary import Clearance, Origin, Role, parse

_APART = r"[\s_.@/'’:-]+"
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN"})
"""Scripts with letters that look like those of another one. Nobody writes two of them in one word."""
_LATIN = str.maketrans(
    "аеорсухіјѕԁԛԝһкмтӏвнгαβεικνορστυχηγωμοսոցհզքլյ",
    "aeopcyxijsdqwhkmtlbhrabeikvopotuxnywuounghqflj",
)
"""Letters of other scripts that look like Latin ones, and these: a whole name in them looks like another name."""
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:[ _.@-][A-Za-z0-9]+)?")
_SMALL = frozenset(
    ("a", "al", "af", "av", "bin", "da", "de", "dei", "del", "della", "den", "der", "di", "do", "dos", "du", "e", "el",
     "ibn", "la", "las", "le", "los", "of", "ten", "ter", "the", "van", "vom", "von", "y", "zu", "zum", "zur")
)  # fmt: skip
"""What joins the words of a name, and is not counted among them."""
_MARKUP = re.compile(r"[*`#<>]|:(?!\w)|\b(?:admin|ai|assistant|developer|human|system|tool|user):", re.IGNORECASE)
"""What a reader of Markdown, or of a conversation, takes for more than a name. `ci:build` is one."""
_ROLES = frozenset(
    ("assistant", "assistant message", "developer message", "developer prompt", "instructions", "new instructions",
     "system instructions", "system message", "system note", "system override", "system prompt", "user message")
)  # fmt: skip
"""Who speaks in a conversation with a model, and never in a record."""
OWN_NAMES = frozenset(("hansard", "scribe", "exporter"))
"""Who acts for Hansard itself, always as a service."""
_SPEAKERS = frozenset(("system", "the system", "user", "the user", "tool", "human", "a human", "person", "a person"))
"""Whom a reader obeys, or takes for somebody else than an agent. People and services may have such a login."""
MISTAKABLE = (
    "could be taken for several names, or for what is said of somebody: a name has none of ; , | [ ] { } \\ and no"
    " quotation marks, no role or standing in parentheses, and does not say what was done by whom"
)
HANSARDS = "is one that Hansard itself acts as"
SPEAKERS = "is no agent's: a reader would take it for a person or for the system"
_PARTING = re.compile(r"[;,|\[\]{}\"\\“”„«»،؛、]")
"""What parts a name from the next one, or from what is said of it, wherever names are shown."""
_REMARKED = re.compile(r"[^()]*(?:\([^()]+\))?")
"""A name, with a remark at its end at most: `claude-code (reviewer)`."""
_STANDING = frozenset(
    ("admin", "amended", "approved", "decided", "lead", "person", "proposed", "reviewed", "trusted", "verified",
     *Clearance, *(set(Origin) - {Origin.AGENT}), *(set(Role) - {Role.AGENT}))
)  # fmt: skip
"""What only Hansard says of somebody, or of somebody's words."""
_DONE_BY = re.compile(
    r"\b(?:accept|add|allow|amend|approv|chang|clear|confirm|correct|decid|edit|finalis|finaliz|merg|propos|record|reject"
    r"|releas|review|sign|supersed|verif)i?ed by\b|\b(?:held|said|written) by\b"
)


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
    composed = text.within(unicodedata.normalize("NFC", cleaned), field=field, bytes_max=NAME_BYTES_MAX)
    if is_phrase(composed):
        raise Invalid(
            f"{field} is more than a name; a name has at most {NAME_WORDS_MAX} words and no markup, and is no role in a"
            " conversation."
        )
    if not composed.isascii() and any(_is_mixed(word) for word in re.split(_APART, composed)):
        raise Invalid(
            f"{field} has letters of two scripts in one word, so it looks like a name that it is not; write each word"
            " in one script."
        )
    return composed


@lru_cache(maxsize=8192)
def is_phrase(name: str) -> bool:
    """Whether a name is more than one: a sentence, markup, or a role in a conversation. Names stand in blocks."""
    if re.sub(_APART, " ", name.lower()) in _ROLES:
        return True
    if _PLAIN.fullmatch(name):
        return False
    words = [word for word in name.lower().split() if word not in _SMALL]
    return len(words) > NAME_WORDS_MAX or _MARKUP.search(name) is not None


@lru_cache(maxsize=8192)
def is_mistakable(name: str) -> bool:
    """Whether a name reads like more than one where it is shown among others: like who else did what, or in which role.

    "boss (proposed by ana; amended by root)" must have a name for each deed. Such a name is given to nobody new; one
    that is known from earlier is shown in quotation marks.
    """
    if _PLAIN.fullmatch(name):
        return False
    plain = unicodedata.normalize("NFKC", name).lower()
    if _PARTING.search(plain) or not _REMARKED.fullmatch(plain):
        return True
    remark = plain.partition("(")[2].rstrip(")")
    words = [remark, *re.split(r"[\s_.@/'’:-]+", remark)]
    return not _STANDING.isdisjoint(words) or _DONE_BY.search(re.sub(_APART, " ", plain)) is not None


def unfit(name: str, roles: Collection[Role] = (Role.AGENT,)) -> str | None:
    """Why nobody new with these roles has this name; None if they may."""
    if is_mistakable(name):
        return MISTAKABLE
    key = key_of(name)
    if key in OWN_NAMES and Role.SERVICE not in roles:
        return HANSARDS
    spoken = re.sub(_APART, " ", key) in _SPEAKERS
    return SPEAKERS if spoken and {Role.HUMAN, Role.SERVICE}.isdisjoint(roles) else None


def shape_of(name: str) -> str:
    """What a name looks like in Latin letters; its key, if it has no letter that looks like one."""
    return key_of(name).translate(_LATIN)


def _is_mixed(word: str) -> bool:
    if word.isascii():
        return False
    return len(_ALIKE & {unicodedata.name(one, "").partition(" ")[0] for one in word if one.isalpha()}) > 1


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
