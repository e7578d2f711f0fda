"""Finds the project of a store whose records stand in the ledger files of a folder, as in a further clone of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hansard.domain import lines
from hansard.domain.errors import Invalid, ProjectExists, UnknownProject
from hansard.domain.mirror import LEDGER
from hansard.domain.policy import Act, require
from hansard.domain.projects import canonical_key
from hansard.services.admission import safe_key
from hansard.services.found import list_projects
from hansard.workspace.files import Enclosure

if TYPE_CHECKING:
    from hansard.domain.actors import Actor
    from hansard.domain.projects import Project
    from hansard.store.ports import Store

SAMPLE_BYTES_MAX = 1_048_576
SAMPLE_IDS_MAX = 100
"""How much of each file is looked at. Its oldest lines come first, and those every clone took in long ago."""
PROJECTS_MAX = 1_000
"""How many projects are asked, the oldest first. Each is a question of its own, and somebody waits for the answer."""


def refuse_second(store: Store, actor: Actor, folder: Path) -> None:
    """Raises ProjectExists for a clone of a project that the store has. A project of its own would be one apart."""
    # Asked first: who may set up nothing is not to learn what there is.
    require(actor, Act.SET_UP)
    known = find_shared(store, folder)
    if known is not None:
        raise ProjectExists(
            f"The ledger files in {folder} are those of the project {known.key!r}, which this database has."
            f" Share its memory with `hansard init --project {known.key} --join`. `hansard init --project KEY` with a"
            " key of its own makes a second project of them."
        )


def refuse_stray(store: Store, actor: Actor, key: str, folder: Path) -> None:
    """Raises UnknownProject for a key to join that the store does not have. Who joins wants no new project."""
    require(actor, Act.SET_UP)
    canonical = canonical_key(key)
    there = list_projects(store)
    if any(one.key == canonical for one in there):
        return
    known = find_shared(store, folder)
    if known is not None:
        way = f"The ledger files in {folder} are those of {known.key!r}: `hansard init --project {known.key} --join`."
    elif there:
        way = "`hansard projects` lists those there are; join one with `hansard init --project KEY --join`."
    else:
        way = "This database has none yet: check that it is the team's, or make the first with `hansard init`."
    raise UnknownProject(f"There is no project {safe_key(key)!r} to join. {way}")


def find_shared(store: Store, folder: Path) -> Project | None:
    """The oldest project that knows a record of these files; None if none does, or there are no such files."""
    ids = _ids_in(folder)
    if not ids:
        return None
    oldest = sorted(list_projects(store), key=lambda one: (one.created_at, one.id))
    for project in oldest[:PROJECTS_MAX]:
        # One by one: under row-level security a transaction sees the rows of its own project alone.
        with store.read(project.id) as tx:
            if tx.ledger.tells_of(*ids):
                return project
    return None


def _ids_in(folder: Path) -> list[str]:
    """Ids of records in the ledger files. What cannot be read is for the import to tell."""
    ids: list[str] = []
    try:
        with Enclosure(folder, unlinked=True) as files:
            for kind, path in LEDGER.items():
                try:
                    said = files.read(path, bytes_max=SAMPLE_BYTES_MAX) or b""
                except (OSError, Invalid):
                    continue
                found = lines.read(kind, said).found[:SAMPLE_IDS_MAX]
                ids += [str(one.line["id"]) for one in found]
    except (OSError, Invalid):
        return []
    return ids
