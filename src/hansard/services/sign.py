"""Signs a conflict between clones: which side of it was written here, and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import converge
from hansard.domain.converge import Conflict
from hansard.domain.paging import Window
from hansard.services import chronicle

if TYPE_CHECKING:
    from hansard.domain.ledger import Event
    from hansard.domain.lines import Line
    from hansard.store.ports import Transaction

IMPORTED = ".imported"
REVIEWED = (".quarantined", ".released", ".confirmed", ".redacted")
"""How the events end of a review, which leaves the words to whoever wrote them."""
REMARKS_MAX = 50
"""Events of a record that are looked through for the one that changed it last."""


def signed(tx: Transaction, conflict: Conflict, here: Line | None) -> Conflict:
    """The conflict, with the name of whoever wrote the side that this clone had."""
    if here is None:
        return conflict
    told = tx.ledger.page(Window(REMARKS_MAX), subject_id=here["id"]).items
    last = next((one for one in told if _writes(one)), None)
    if last is None or last.action.endswith(IMPORTED):
        return conflict
    if converge.says_same(conflict.kind, here, conflict.lost):
        return conflict._replace(lost_by=last.actor)
    if converge.says_same(conflict.kind, here, conflict.kept):
        return conflict._replace(kept_by=last.actor)
    return conflict


def _writes(event: Event) -> bool:
    """Whether it says who wrote the words. Whoever reviews them does not, nor who only remarks on the record."""
    remarks = event.before is None and chronicle.VERSION in event.details
    return event.action.endswith(IMPORTED) or not (remarks or event.action.endswith(REVIEWED))
