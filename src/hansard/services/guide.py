"""Reads the consolidated memory of a project in full, for whoever was pointed to it by a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.addresses import GUIDANCE
from hansard.domain.errors import UnknownMemory
from hansard.domain.policy import Act
from hansard.domain.text import visible
from hansard.settings import data_folder
from hansard.workspace.guidance import guidance_of

if TYPE_CHECKING:
    from hansard.services.seat import Seat


def read_guidance(seat: Seat) -> str:
    """The text. Raises UnknownMemory if there is none, and Invalid or OSError for anything but a plain file."""
    seat.require(Act.READ)
    said = guidance_of(data_folder(), seat.project.id)
    if said is None:
        raise UnknownMemory(f"There is no consolidated memory of {seat.project.key!r} yet, so {GUIDANCE} is empty.")
    return visible(said if said.endswith("\n") else f"{said}\n")
