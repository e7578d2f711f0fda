"""Verify before use: what memories claim about files is checked before it is shown as true."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.layout import NOTES_NOTE
from hansard.domain.receipts import Block, Fate
from hansard.project import Project
from support.marks import invariant
from support.repositories import git, repository, work_tree

MEMORY = f"## Memory\n{NOTES_NOTE}\n"
TASK = "login endpoint 403 bearer prefix"
Opened = Callable[..., Hansard]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src/here.py").write_text("def do_it() -> None: ...\n")
    return repository(folder)


def begun(hansard: Hansard, root: Path) -> Project:
    return hansard.project("shop", create=True, root=root)


def block_of(project: Project, **asked: object) -> Block:
    block = project.compile(agent="neo", **asked)  # type: ignore[arg-type]
    assert block is not None
    return block


@invariant("INV-19")
def test_a_stale_claim_is_shown_as_such_and_a_good_one_as_it_is(hansard: Hansard, root: Path) -> None:
    project = begun(hansard, root)
    good = project.remember("`do_it` is in `src/here.py`.", agent="neo", type="core_context")
    bad = project.remember("`undo_it` is in `src/gone.py`.", agent="neo", type="core_context")
    block = block_of(project)
    assert block.text == (
        f"{MEMORY}- [core] `do_it` is in `src/here.py`.\n- [core] `undo_it` is in `src/gone.py`.\n"
        "  (stale: `undo_it` is not found; `src/gone.py` no longer exists)\n"
    )
    stale = {line.id: line.stale for line in block.receipt.lines}
    assert stale == {good.id: (), bad.id: ("`undo_it` is not found", "`src/gone.py` no longer exists")}


@invariant("INV-19")
def test_what_recall_finds_is_checked_too(hansard: Hansard, root: Path) -> None:
    project = begun(hansard, root)
    project.remember("login endpoint 403 bearer prefix: see `src/gone.py`", agent="neo")
    assert block_of(project, task=TASK).text.endswith("\n  (stale: `src/gone.py` no longer exists)\n")


@invariant("INV-17")
def test_names_from_outside_that_no_longer_hold_are_counted_and_not_told(hansard: Hansard, root: Path) -> None:
    project = begun(hansard, root)
    said = f"{TASK}: `please_obey_eve()` is in `tools/mail-the-db-dump-to-eve/now.sh`."
    project.remember(said, agent="neo", origin="external")
    block = block_of(project, task=TASK)

    (line,) = block.receipt.lines
    assert len(line.stale) == 2
    assert block.text.endswith("\n  (stale: at least 2 of its claims do not hold any more)\n")
    fenced = [one for one in block.text.splitlines() if "eve" in one]
    assert fenced
    assert all(one.startswith("  > ") for one in fenced)


@invariant("INV-19")
def test_by_setting_stale_memories_are_left_out_and_make_room(open_with: Opened, root: Path) -> None:
    project = begun(open_with(context_stale="omit", context_items_max=1, context_knowledge_max=1), root)
    older = project.remember("older, in `src/here.py`", agent="neo", importance="high")
    newer = project.remember("newer, in `src/gone.py`", agent="neo", importance="high")
    project.remember("login endpoint 403 bearer prefix: see `src/gone.py`", agent="neo")
    fine = project.remember("login endpoint 403 bearer", agent="neo")
    block = block_of(project, task=TASK)
    assert "src/gone.py" not in block.text
    assert "older, in `src/here.py`" in block.text
    assert fine.id in block.text
    fates = {(line.layer.value, line.id): line.fate for line in block.receipt.lines}
    assert (fates["memory", older.id], fates["memory", newer.id]) == (Fate.INCLUDED, Fate.UNVERIFIED)
    assert list(fates.values()).count(Fate.UNVERIFIED) == 2


def test_by_setting_nothing_is_checked(open_with: Opened, root: Path) -> None:
    project = begun(open_with(context_stale="off"), root)
    project.remember("in `src/gone.py`", agent="neo", type="core_context")
    assert block_of(project).text == f"{MEMORY}- [core] in `src/gone.py`\n"


def test_without_a_folder_nothing_is_stale(project: Project) -> None:
    project.remember("in `src/gone.py`", agent="neo", type="core_context")
    assert block_of(project).text == f"{MEMORY}- [core] in `src/gone.py`\n"


@invariant("INV-19")
def test_claims_are_checked_against_the_work_tree_of_the_caller(hansard: Hansard, root: Path, tmp_path: Path) -> None:
    project = begun(hansard, root)
    tree = work_tree(tmp_path / "branch", of=root)
    (tree / "src/new.py").write_text("x = 1\n")
    git(tree, "rm", "--quiet", "src/here.py")
    project.remember("`src/new.py` and `src/here.py`", agent="neo", type="core_context")
    assert "stale: `src/new.py` no longer exists)" in block_of(project).text
    assert "stale: `src/here.py` no longer exists)" in block_of(project, cwd=tree / "src").text
    elsewhere = repository(tmp_path / "other")
    assert block_of(project, cwd=elsewhere).text == block_of(project).text


def test_a_remark_counts_towards_the_budget(open_with: Opened, root: Path) -> None:
    project = begun(open_with(context_memory_tokens_max=12), root)
    project.remember("in `src/gone.py`", agent="neo", type="core_context")
    block = block_of(project)
    assert (block.text, [line.fate for line in block.receipt.lines]) == ("", [Fate.BUDGET])


@invariant("INV-19")
def test_what_could_not_be_checked_is_told_once(
    hansard: Hansard, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = begun(hansard, root)
    project.remember("`do_it` and `rows.py`", agent="neo", type="core_context")
    project.remember("`undo_it`", agent="neo", type="core_context")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    block = block_of(project)
    assert "stale" not in block.text
    assert block.receipt.notes == ("Claims about files were not checked: git cannot be run here.",)


@invariant("INV-19")
def test_without_a_folder_claims_are_told_to_be_unchecked(project: Project) -> None:
    project.remember("Plain words.", agent="neo", type="core_context")
    assert block_of(project).receipt.notes == ()
    project.remember("See `src/here.py`.", agent="neo", type="core_context")
    (note,) = block_of(project).receipt.notes
    assert note == "Claims about files were not checked: the project has no folder on this machine."


def test_who_wants_nothing_checked_is_told_nothing(open_with: Opened) -> None:
    project = open_with(context_stale="off").project("shop", create=True)
    project.remember("See `src/here.py`.", agent="neo", type="core_context")
    assert block_of(project).receipt.notes == ()
