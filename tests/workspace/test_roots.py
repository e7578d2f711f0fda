"""A folder of a project is the same one in every work tree of its repository."""

import shutil
from pathlib import Path

import pytest

from hansard.workspace import roots
from hansard.workspace.origins import Origins
from support.repositories import git, repository, work_tree


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A repository with a folder."""
    folder = (tmp_path / "shop").resolve()
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/a.md").write_text("About a.")
    return repository(folder)


def test_a_work_tree_knows_its_main_checkout(main: Path, tmp_path: Path) -> None:
    added = work_tree(tmp_path.resolve() / "feature", of=main)
    assert roots.tree_of(added / "docs/a.md") == (added, main)
    assert roots.tree_of(main / "docs") == (main, main)
    assert roots.tree_of(tmp_path) is None
    assert roots.main_place(added / "docs") == roots.main_place(main / "docs") == main / "docs"
    assert roots.main_place(tmp_path) == tmp_path.resolve()


def test_a_folder_is_found_in_the_tree_one_stands_in(main: Path, tmp_path: Path) -> None:
    added = work_tree(tmp_path.resolve() / "feature", of=main)
    assert roots.place_in_tree(main / "docs", added / "src") == added / "docs"
    assert roots.place_in_tree(main / "missing", added) == main / "missing"
    assert roots.place_in_tree(main / "docs", main) == roots.place_in_tree(main / "docs", tmp_path) == main / "docs"
    assert roots.place_in_tree(tmp_path, added) == tmp_path


def test_all_work_trees_are_listed_until_they_are_removed(main: Path, tmp_path: Path) -> None:
    first, second = (work_tree(tmp_path.resolve() / name, of=main) for name in ("first", "second"))
    everywhere = [main / "docs", first / "docs", second / "docs"]
    assert roots.places_in_trees(main / "docs") == roots.places_in_trees(second / "docs") == everywhere
    shutil.rmtree(first)
    assert roots.places_in_trees(main / "docs") == [main / "docs", second / "docs"]
    assert roots.places_in_trees(tmp_path) == [tmp_path.resolve()]


def test_the_trees_of_a_bare_repository_have_its_folder_for_their_main_one(main: Path, tmp_path: Path) -> None:
    bare = tmp_path.resolve() / "shop.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(main), str(bare))
    added = work_tree(tmp_path.resolve() / "feature", of=bare)
    assert roots.main_place(added / "docs") == bare / "docs"
    assert roots.place_in_tree(bare, added / "docs") == added
    assert added in roots.places_in_trees(added)
    assert roots.git_folder(added) == bare


def test_git_keeps_what_is_shared_in_one_folder(main: Path, tmp_path: Path) -> None:
    added = work_tree(tmp_path.resolve() / "feature", of=main)
    assert roots.git_folder(main) == roots.git_folder(added) == main / ".git"
    assert roots.git_folder(main / "docs") is None
    (tmp_path / "liar").mkdir()
    (tmp_path / "liar/.git").write_text(f"gitdir: {main}/.git/worktrees/feature\n")
    assert roots.git_folder(tmp_path / "liar") is None


def test_a_mark_tells_folders_and_machines_apart_and_names_neither(tmp_path: Path) -> None:
    marks = {roots.mark(machine, folder) for machine in ("m1", "m2") for folder in (None, tmp_path, tmp_path / "a")}
    assert len(marks) == 6
    assert all(len(one) == 16 and one.isalnum() for one in marks)


def test_a_file_is_gone_if_neither_main_nor_the_tree_it_came_from_has_it(main: Path, tmp_path: Path) -> None:
    added = work_tree(tmp_path.resolve() / "feature", of=main)
    origins = Origins("m1", main)
    from_main, from_tree = origins.told("docs/a.md", main), origins.told("docs/a.md", added)
    assert from_main != from_tree
    (added / "docs/a.md").unlink()
    assert not origins.is_gone("docs/a.md", from_main)
    assert not origins.is_gone("docs/a.md", from_tree)
    (main / "docs/a.md").unlink()
    assert origins.is_gone("docs/a.md", from_main)
    (added / "docs/a.md").write_text("Here again.")
    assert origins.is_gone("docs/a.md", from_main)
    assert not Origins("m1", main).is_gone("docs/a.md", from_tree)
    shutil.rmtree(added)
    assert Origins("m1", main).is_gone("docs/a.md", from_tree)


def test_what_was_indexed_elsewhere_is_never_gone_here(main: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    for elsewhere in (Origins("m2", main), Origins("m1", other)):
        assert not Origins("m1", main).is_gone("docs/none.md", elsewhere.told("docs/none.md", main))
    assert not Origins("m1", main).is_gone("docs/none.md", {})
    outside = (tmp_path / "outside.md").as_posix()
    told = Origins("m1", other).told(outside, other)
    assert Origins("m1", main).is_gone(outside, told)
    assert not Origins("m2", main).is_gone(outside, told)


@pytest.mark.parametrize("packed", [False, True])
def test_the_state_of_a_work_tree_changes_with_its_commit_and_its_index(tmp_path: Path, packed: bool) -> None:
    top = repository(tmp_path / "shop")
    tree = work_tree(tmp_path / "feature", of=top)
    if packed:
        git(top, "pack-refs", "--all")
    states = [(roots.state_of(top), roots.state_of(tree))]
    commit = git(tree, "commit-tree", "-p", "HEAD", "-m", "next", "HEAD^{tree}").decode().strip()
    git(tree, "update-ref", "refs/heads/feature", commit)
    if packed:
        git(top, "pack-refs", "--all")
    states.append((roots.state_of(top), roots.state_of(tree)))
    (tree / "x.py").touch()
    git(tree, "add", "x.py")
    states.append((roots.state_of(top), roots.state_of(tree)))

    assert len({one for _, one in states}) == 3
    # Where all branches are in one file, one that moves looks like a change to all.
    assert len({one for one, _ in states}) == 1 + packed
    assert roots.state_of(tmp_path) == ""
