"""Fixtures that several contract tests share: a team, a teammate's clone, notes in files, a backup of a project."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.notes import NotesReport
from hansard.project import Project
from hansard.services.notes import index_notes
from hansard.settings import Settings
from support.archives import fill
from support.clock import START, FakeClock
from support.note_files import Index


@pytest.fixture
def ana(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("ana", "human"))


@pytest.fixture
def tank(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("tank", "agent"))


@pytest.fixture
def neo(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("neo", "agent"))


@pytest.fixture
def lead(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("morpheus", "coordinator"))


@pytest.fixture
def elsewhere(target: str, clock: FakeClock, project: Project) -> Iterator[Project]:
    """The same project, opened as another process does."""
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as opened:
        yield opened.project(project.key)


@pytest.fixture
def mate() -> Iterator[Hansard]:
    """A teammate's database."""
    settings = Settings(user="bob", embedding_provider="none")
    with Hansard.open(":memory:", settings=settings, clock=FakeClock(START + 1_000_000)) as opened:
        yield opened


@pytest.fixture
def theirs(mate: Hansard) -> Project:
    """The same project there."""
    return mate.project("shop", create=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".hansard/notes/tank").mkdir(parents=True)
    (folder / ".hansard/notes/shared").mkdir()
    (folder / "docs").mkdir()
    return folder


@pytest.fixture
def index(hansard: Hansard, project: Project, root: Path) -> Index:
    """Indexes below the project's folder, which a person made known: no agent's word makes notes of a folder."""
    hansard.project(project.key, create=True, root=root)

    def run(*paths: Path | str, agent: str | None = "tank", by: str | None = None, **options: object) -> NotesReport:
        seat = project.seat(agent=agent, by=by)
        return index_notes(seat, paths, agent=agent, root=root, **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def filled(hansard: Hansard, tmp_path: Path) -> Project:
    (tmp_path / "work").mkdir()
    return fill(hansard, "shop", tmp_path / "work")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "archives" / "backup.db"


@pytest.fixture
def saved(filled: Project, hansard: Hansard, file: Path) -> Path:
    hansard.backup(file)
    return file
