"""Paths and roots that cannot be meant: nothing is indexed by accident, and nobody else's notes."""

from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Invalid
from hansard.project import Project


@pytest.mark.parametrize("path", ["", "  ", "a" * 300, "sub/" + "b" * 5_000])
def test_a_path_that_can_be_none_is_refused(project: Project, tmp_path: Path, path: str) -> None:
    with pytest.raises(Invalid):
        project.index_notes([path], root=tmp_path, agent="tank")


def test_nobody_makes_a_note_folder_the_root(hansard: Hansard, project: Project, tmp_path: Path) -> None:
    folder = tmp_path / ".hansard" / "notes" / "bob"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("bob's own", encoding="utf-8")
    bound = hansard.project("shop", actor=Actor("alice", role="agent"))
    with pytest.raises(Invalid, match="belong to their agents"):
        bound.index_notes([folder / "a.md"], root=folder, scope="team")
