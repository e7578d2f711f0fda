"""Shows what changed in the files of the mirror since the last commit, and commits these files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import text
from hansard.domain.errors import Invalid
from hansard.domain.limits import REASON_BYTES_MAX
from hansard.domain.policy import Act
from hansard.services.admission import safe, screen_text
from hansard.services.mirror import home

if TYPE_CHECKING:
    from pathlib import Path

    from hansard.services.seat import Seat
    from hansard.workspace.git import Change

MESSAGE = "Update the mirror of decisions and memory"


class Synced(NamedTuple):
    """What differs from the last commit in which folder, and the commit that was made of it."""

    root: str
    items: tuple[Change, ...]
    commit: str | None = None


def sync(seat: Seat, root: str | Path | None = None, *, commit: bool = False, message: str = MESSAGE) -> Synced:
    """What changed under the mirror; with `commit`, committed. Raises GitFailed with git's own words.

    Showing is anybody's. A commit puts words into the team's repository, so that an agent leaves it to its lead.
    """
    from hansard.services.look_into import refuse_secrets
    from hansard.workspace import git

    seat.require(Act.COMMIT if commit else Act.READ)
    if commit and text.is_blank(message):
        raise Invalid("A commit needs a message: say what was decided, or give none and the usual one is taken.")
    place = home(seat, root)
    said = text.prose(message, field="message", bytes_max=REASON_BYTES_MAX) if commit else MESSAGE
    found, made = git.changes(place), None
    if commit and found:
        # What is committed cannot be taken back.
        said = screen_text(seat, said, field="message")
        refuse_secrets(seat, place, [one.path for one in found if one.status != git.REMOVED])
        made = git.commit(place, [one.path for one in found], said)
    return Synced(str(place), tuple(one._replace(path=safe(one.path)) for one in found), made)
