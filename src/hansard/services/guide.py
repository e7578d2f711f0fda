"""Reads the consolidated memory of a project: as a block tells it, and in full for whoever was pointed to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import rendering
from hansard.domain.addresses import GUIDANCE
from hansard.domain.errors import UnknownMemory
from hansard.domain.policy import Act
from hansard.domain.text import visible
from hansard.services.admission import safe
from hansard.settings import data_folder
from hansard.workspace.guidance import guidance_of

if TYPE_CHECKING:
    from hansard.domain.claims import Claim
    from hansard.services.seat import Seat

CLAIMS_MAX = 200
"""How many files and symbols are looked up because guidance names them."""
STALE_SHOWN_MAX = 10
REMEMBERED_TEXTS_MAX = 8


class Guidance(NamedTuple):
    """The consolidated memory, the part of it that a block shows, and what that part claims."""

    text: str
    shown: str
    left_out: int
    claims: tuple[Claim, ...]


def guidance_for(seat: Seat, *, check: bool) -> Guidance | None:
    """What a block tells of it; None if there is none. Raises Invalid or OSError for anything but a plain file."""
    said = told_guidance(seat)
    if said is None:
        return None
    shown, left_out = rendering.guidance_body(said, tokens_max=seat.settings.context_guidance_tokens_max)
    return Guidance(said, shown, left_out, _claims(shown) if check else ())


def told_guidance(seat: Seat) -> str | None:
    """The text as it is told and kept: a file may hold a secret that somebody wrote into it."""
    said = guidance_of(data_folder(), seat.project.id)
    return None if said is None else _without_secrets(said)


def remarks(stale: Sequence[str]) -> tuple[str, ...]:
    """What does not hold of it, as much as a reader is told."""
    more = len(stale) - STALE_SHOWN_MAX
    return tuple(stale) if more <= 0 else (*stale[:STALE_SHOWN_MAX], f"and {more} more")


def drawn(text: str, stale: Sequence[str], *, tokens_max: int) -> str:
    """The layer as a block shows it, with one remark below about everything in it that does not hold."""
    whole = rendering.guidance(text, tokens_max=tokens_max)
    if not stale:
        return whole
    return f"{whole}{rendering.stale_remark(stale, outside=False)}\n"


def read_guidance(seat: Seat) -> str:
    """The text. Raises UnknownMemory if there is none, and Invalid or OSError for anything but a plain file."""
    seat.require(Act.READ)
    said = told_guidance(seat)
    if said is None:
        raise UnknownMemory(f"There is no consolidated memory of {seat.project.key!r} yet, so {GUIDANCE} is empty.")
    return visible(said if said.endswith("\n") else f"{said}\n")


@lru_cache(maxsize=REMEMBERED_TEXTS_MAX)
def _without_secrets(said: str) -> str:
    return safe(said)


@lru_cache(maxsize=REMEMBERED_TEXTS_MAX)
def _claims(shown: str) -> tuple[Claim, ...]:
    """Line by line, because of one text only so many claims are looked at."""
    from hansard.domain.claims import claims_of

    found = dict.fromkeys(claim for line in shown.split("\n") for claim in claims_of(line, ()))
    return tuple(found)[:CLAIMS_MAX]
