"""Memories whose claims are checked: which ones are listed as stale, against which tree, and for whom."""

from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.claims import ClaimStatus
from hansard.domain.errors import Denied, Invalid, NoFolder, UnknownMemory
from hansard.project import Project
from hansard.services import check_claims
from support.clock import FakeClock
from support.marks import invariant
from support.repositories import git, repository, work_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "x.py").write_text("def do_it(): pass\n")
    return repository(folder)


@pytest.fixture
def shop(hansard: Hansard, tree: Path) -> Project:
    return hansard.project("shop", create=True, root=tree)


@invariant("INV-19")
def test_a_memory_about_what_is_gone_is_listed_with_what_is_gone(shop: Project) -> None:
    shop.remember("Call `do_it()` in `src/x.py`.", agent="tank")
    bad = shop.remember("Call `undo_it()` in src/x.py.", agent="tank", citations=["src/gone.py:12"])
    shop.remember("Deploys are on Friday.", agent="tank")

    report = shop.verify_memories()

    assert [(one.memory.id, one.stale) for one in report.stale] == [
        (bad.id, ("`src/gone.py` no longer exists", "`undo_it` is not found"))
    ]
    assert (report.memories, len(report.items)) == (3, 2)
    assert [report.count(one) for one in ClaimStatus] == [3, 2, 0]


@invariant("INV-19")
def test_what_is_asked_for_is_looked_for_anew(shop: Project, tree: Path) -> None:
    shop.remember("Call `late_name`.", agent="tank")
    assert shop.verify_memories().stale
    (tree / "late.py").write_text("late_name = 1\n")

    assert shop.verify_memories().stale == ()


def test_some_memories_or_those_of_one_agent_are_checked(shop: Project) -> None:
    first = shop.remember("Call `gone_one`.", agent="tank")
    shop.remember("Call `gone_two`.", agent="neo")

    assert [one.memory.id for one in shop.verify_memories([first.id, first.id]).items] == [first.id]
    assert [one.memory.agent for one in shop.verify_memories(agent="NEO").items] == ["neo"]
    with pytest.raises(Invalid, match="not both"):
        shop.verify_memories([first.id], agent="neo")
    with pytest.raises(Invalid, match="as a list"):
        shop.verify_memories(first.id)


@invariant("INV-09")
def test_an_agent_learns_nothing_about_memories_that_are_not_its_own(shop: Project, hansard: Hansard) -> None:
    private = shop.remember("Call `gone_one`.", agent="tank")
    shop.remember("Call `gone_two`.", agent="tank", scope="team")
    neo = hansard.project("shop", actor=Actor("neo"))

    assert [one.memory.content for one in neo.verify_memories().items] == ["Call `gone_two`."]
    with pytest.raises(UnknownMemory):
        neo.verify_memories([private.id])


def test_an_agent_names_no_folder_that_is_none_of_the_projects(
    shop: Project, hansard: Hansard, tree: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    neo = hansard.project("shop", actor=Actor("neo"))

    assert neo.verify_memories(root=tree).root == str(tree)
    assert neo.verify_memories(root=work_tree(tmp_path / "feature", of=tree)).root == str(tmp_path / "feature")
    with pytest.raises(Denied):
        neo.verify_memories(root=other)
    assert shop.verify_memories(root=other).root == str(other)


def test_claims_are_checked_in_the_work_tree_one_stands_in(
    shop: Project, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.remember("Call `do_it()`.", agent="tank")
    feature = work_tree(tmp_path / "feature", of=tree)
    git(feature, "rm", "--quiet", "src/x.py")
    monkeypatch.chdir(feature)

    assert shop.verify_memories().root == str(feature)
    assert len(shop.verify_memories().stale) == 1
    monkeypatch.chdir(tmp_path)
    assert shop.verify_memories().root == str(tree)
    assert shop.verify_memories().stale == ()


def test_without_a_folder_on_this_machine_there_is_nothing_to_check_against(project: Project, tmp_path: Path) -> None:
    with pytest.raises(NoFolder, match=r"no folder on this machine\. .* `hansard init --project \S+ --join`"):
        project.verify_memories()
    with pytest.raises(NoFolder, match=r"no folder on this machine\. .* `hansard init --project \S+ --join`"):
        project.export()
    with pytest.raises(Invalid, match="not a folder"):
        project.verify_memories(root=tmp_path / "never")
    with pytest.raises(Invalid, match="must be a path"):
        project.verify_memories(root=3)  # type: ignore[arg-type]


def test_outside_of_a_repository_paths_are_checked_and_the_rest_says_why(hansard: Hansard, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    project = hansard.project("plain", create=True, root=plain)
    project.remember("See `src/gone.py` and `do_it()`.", agent="tank")

    (checked,) = project.verify_memories().items

    assert checked.stale == ("`src/gone.py` no longer exists",)
    assert checked.notes(ClaimStatus.UNCHECKED) == ("`do_it` was not checked: this is no git repository",)


def test_forgotten_and_expired_memories_are_not_checked(shop: Project, clock: FakeClock) -> None:
    gone = shop.remember("Call `gone_one`.", agent="tank")
    shop.forget(gone.id, agent="tank")
    old = shop.remember("Call `gone_two`.", agent="tank", source="session_summary")
    assert [one.memory.id for one in shop.verify_memories().items] == [old.id]
    clock.advance(days=4)

    assert shop.verify_memories().items == ()
    assert [one.memory.id for one in shop.verify_memories([old.id]).items] == [old.id]


def test_many_memories_are_checked_page_by_page_with_progress(shop: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_claims, "PAGE_ITEMS_MAX", 10)
    monkeypatch.setattr(check_claims, "CLAIMS_A_CHECK", 8)
    shop.remember_many([{"content": f"Call `name_{one}` and `do_it`.", "agent": "tank"} for one in range(25)])
    told: list[tuple[str, int, int]] = []

    report = shop.verify_memories(progress=lambda *steps: told.append(steps))

    assert (report.memories, len(report.stale), report.count(ClaimStatus.VERIFIED)) == (25, 25, 25)
    assert told == [
        ("reading memories", 10, 20),
        ("reading memories", 20, 30),
        *(("checking claims", done, 26) for done in (0, 8, 16, 24)),
    ]
