"""Founds projects and finds them again, by key or by the folder somebody stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import projects
from hansard.domain.actors import Actor
from hansard.domain.errors import NoFolder, ProjectExists, UnknownProject
from hansard.domain.ledger import Draft
from hansard.domain.policy import Act, require
from hansard.domain.projects import Project, Root
from hansard.domain.vocabulary import Subject
from hansard.services.admission import refuse_marks, safe_key, spellings
from hansard.services.chronicle import NO_DETAILS
from hansard.services.seat import register
from hansard.store.filters import NO_PROJECT

if TYPE_CHECKING:
    from hansard.store.ports import Store, Transaction


def found(store: Store, actor: Actor, *, key: str, name: str | None = None, root: Root | None = None) -> Project:
    """Creates the project. Raises ProjectExists if the key or the folder is taken, GuardRefused if one is a secret."""
    require(actor, Act.SET_UP)
    canonical = projects.canonical_key(key)
    shown = projects.clean_name(name, key=canonical)
    refuse_marks({"project": spellings(key), "name": name, "root": root.path if root else None})
    project_id = store.new_id()
    with store.write(project_id, founding=True) as tx:
        if tx.projects.by_key(canonical):
            raise ProjectExists(
                f"There is a project {canonical!r} already. Join it with `hansard init --project {canonical} --join`,"
                " or choose another key."
            )
        _refuse_foreign_root(tx.projects.by_root(root) if root else None, root, canonical)
        project = Project(project_id, canonical, shown, tx.now)
        tx.projects.insert(project)
        if root:
            tx.projects.add_root(project.id, root, now=tx.now)
        _tell(tx, actor, "project.created")
    return project


def join(store: Store, actor: Actor, *, key: str, root: Root) -> Project:
    """Adds a folder to an existing project, so that work in it belongs there."""
    require(actor, Act.SET_UP)
    known = find(store, key)
    with store.write(known.id, founding=True) as tx:
        owner = tx.projects.by_root(root)
        _refuse_foreign_root(owner, root, known.key)
        if owner is None:
            # One that is registered already is told by a scan; to refuse it would take nothing out.
            refuse_marks({"root": root.path})
        tx.projects.add_root(known.id, root, now=tx.now)
        _tell(tx, actor, "project.joined")
    return known


def find(store: Store, key: str) -> Project:
    canonical = projects.canonical_key(key)
    with store.read(NO_PROJECT) as tx:
        project = tx.projects.by_key(canonical)
    if project is None:
        told = safe_key(key)
        # No project is ever made of a secret.
        way = f" Create it with `hansard init --project {canonical}`." if told == canonical else ""
        raise UnknownProject(f"There is no project {told!r}.{way}")
    return project


def find_by_root(store: Store, root: Root) -> Project | None:
    with store.read(NO_PROJECT) as tx:
        return tx.projects.by_root(root)


def list_projects(store: Store, *, wait_seconds: float | None = None) -> tuple[Project, ...]:
    with store.read(NO_PROJECT, wait_seconds=wait_seconds) as tx:
        return tx.projects.all()


def roots_of(store: Store, project: Project) -> tuple[Root, ...]:
    with store.read(project.id) as tx:
        return tx.projects.roots(project.id)


def folderless(project: Project) -> NoFolder:
    """What to raise for a project without a folder on this machine. Most callers can name none, so it asks for none."""
    return NoFolder(
        f"{project.key!r} has no folder on this machine. In the one it is to have, run"
        f" `hansard init --project {project.key} --join`."
    )


def _tell(tx: Transaction, actor: Actor, action: str) -> None:
    register(tx, actor)
    tx.ledger.append([Draft(action, Subject.PROJECT, tx.project_id, actor.key, actor.role, None, None, NO_DETAILS)])


def _refuse_foreign_root(owner: Project | None, root: Root | None, key: str) -> None:
    if owner is not None and root is not None and owner.key != key:
        raise ProjectExists(f"The folder {root.path} belongs to the project {owner.key!r} already.")
