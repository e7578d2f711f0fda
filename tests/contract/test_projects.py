"""Projects: one key in every spelling, one folder, one project for all worktrees."""

import os
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain import projects
from hansard.domain.errors import (
    BadSlug,
    Denied,
    GuardRefused,
    Invalid,
    ProjectExists,
    StoreUnwritable,
    Unavailable,
    UnknownProject,
)
from hansard.settings import Settings
from support.clock import FakeClock
from support.fakes import fake_hex_token, fake_secret
from support.marks import invariant


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def worktree(folder: Path, *, of: Path) -> Path:
    """What `git worktree add` leaves on disk."""
    inside = of / ".git" / "worktrees" / folder.name
    inside.mkdir(parents=True)
    (inside / "commondir").write_text("../..\n")
    (inside / "gitdir").write_text(f"{folder / '.git'}\n")
    folder.mkdir(parents=True)
    (folder / ".git").write_text(f"gitdir: {inside}\n")
    return folder


def test_a_project_that_does_not_exist_is_unknown(hansard: Hansard) -> None:
    with pytest.raises(UnknownProject, match="hansard init") as caught:
        hansard.project("nowhere")
    assert caught.value.code == "project.unknown"
    assert hansard.projects() == ()


@pytest.mark.parametrize("spelling", ["web-shop", "Web Shop", " WEB_SHOP ", "web--shop", "wéb shop"])
def test_every_spelling_of_a_key_opens_the_same_project(hansard: Hansard, spelling: str) -> None:
    first = hansard.project("web-shop", create=True)
    assert hansard.project(spelling).id == first.id
    assert hansard.project(spelling, create=True).id == first.id
    assert len(hansard.projects()) == 1


@pytest.mark.parametrize("key", ["---", "日本"])
def test_a_key_of_which_nothing_is_left_is_refused(hansard: Hansard, key: str) -> None:
    with pytest.raises(BadSlug):
        hansard.project(key, create=True)
    assert hansard.projects() == ()


@pytest.mark.parametrize("key", ["", "a\x00b", "\ud800", "a\nb", "x" * 10_000], ids=range(5))
def test_a_key_that_is_no_text_is_refused(hansard: Hansard, key: str) -> None:
    with pytest.raises(Invalid):
        hansard.project(key, create=True)
    with pytest.raises(Invalid):
        hansard.project("fine", create=True, name="a\x00b")
    assert hansard.projects() == ()


def test_a_project_has_a_name_and_is_listed_by_key(hansard: Hansard) -> None:
    hansard.project("zebra", create=True)
    hansard.project("apple", create=True, name="The Apple")
    assert [(one.key, one.name) for one in hansard.projects()] == [("apple", "The Apple"), ("zebra", "zebra")]


def test_what_one_project_knows_the_other_does_not(hansard: Hansard) -> None:
    here, there = hansard.project("here", create=True), hansard.project("there", create=True)
    entry = here.propose(agent="tank", slug="a", type="scope", content="x")
    decision = here.merge(entry.id, by="ana")
    memory = here.remember("x", agent="tank", importance="high", scope="team")
    run = here.start_run(agent="tank")
    here.start_session(id="s", focus="f")
    assert there.list_inbox(status="all").items == ()
    assert there.list_decisions(status="all").items == ()
    assert there.list_memories().items == ()
    assert there.current_session() is None
    assert there.compile(agent="tank") is None
    for find, id in (
        (there.get_entry, entry.id),
        (there.get_decision, decision.id),
        (there.get_memory, memory.id),
        (there.get_run, run.id),
        (there.get_session, "s"),
    ):
        with pytest.raises(Exception, match="in this project") as caught:
            find(id)
        assert getattr(caught.value, "code", "").endswith(".unknown")
    assert there.propose(agent="tank", slug="a", type="scope", content="x").slug == "a"
    assert (here.verify().ok, there.verify().ok) == (True, True)


def test_a_project_is_found_from_any_folder_of_its_repository(hansard: Hansard, tmp_path: Path) -> None:
    root = repository(tmp_path / "checkout")
    (root / "src" / "deep").mkdir(parents=True)
    made = hansard.project("shop", create=True, root=root / "src")
    assert hansard.roots(made.record) == (str(root.resolve()),)
    assert hansard.project(cwd=root / "src" / "deep").id == made.id


def test_every_worktree_of_a_repository_is_one_project(hansard: Hansard, tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    other = worktree(tmp_path / "elsewhere" / "feature", of=main)
    made = hansard.project(create=True, cwd=main)
    assert made.key == "main"
    assert hansard.project(cwd=other).id == made.id
    assert hansard.project(create=True, cwd=other).id == made.id
    assert len(hansard.projects()) == 1


def test_a_folder_without_git_is_a_project_and_so_is_what_lies_in_it(hansard: Hansard, tmp_path: Path) -> None:
    folder = tmp_path / "Notes"
    (folder / "inside").mkdir(parents=True)
    made = hansard.project(create=True, cwd=folder)
    assert made.key == "notes"
    assert hansard.project(cwd=folder / "inside").id == made.id
    with pytest.raises(UnknownProject, match="No project is known"):
        hansard.project(cwd=tmp_path)


def test_a_folder_belongs_to_one_project(hansard: Hansard, tmp_path: Path) -> None:
    root = repository(tmp_path / "checkout")
    hansard.project("shop", create=True, root=root)
    with pytest.raises(ProjectExists, match="belongs to the project 'shop'"):
        hansard.project("other", create=True, root=root)
    assert [one.key for one in hansard.projects()] == ["shop"]


def test_a_project_may_have_several_folders(hansard: Hansard, tmp_path: Path) -> None:
    one, two = repository(tmp_path / "one"), repository(tmp_path / "two")
    made = hansard.project("shop", create=True, root=one)
    assert hansard.project("shop", create=True, root=two).id == made.id
    assert hansard.project(cwd=two).id == made.id


def test_two_folders_of_one_name_are_never_silently_one_project(hansard: Hansard, tmp_path: Path) -> None:
    first = hansard.project(create=True, cwd=repository(tmp_path / "one" / "api"))
    stranger = repository(tmp_path / "two" / "api")
    try:
        second = hansard.project(create=True, cwd=stranger)
    except ProjectExists:
        return
    assert second.id != first.id


def test_a_root_with_a_nul_is_refused(hansard: Hansard, tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        hansard.project("shop", create=True, root=f"{tmp_path}/a\x00b")
    assert hansard.projects() == ()


def test_a_folder_whose_name_is_no_utf_8_is_refused_or_found_again(hansard: Hansard, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    try:
        made = hansard.project("shop", create=True, root=folder)
    except (Invalid, StoreUnwritable):
        assert hansard.projects() == ()
    else:
        assert hansard.project(cwd=folder).id == made.id


def test_a_folder_that_links_to_itself_is_refused(hansard: Hansard, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises((Invalid, StoreUnwritable)):
        hansard.project("shop", create=True, root=tmp_path / "loop")
    assert hansard.projects() == ()


def test_what_is_written_is_there_after_reopening(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana"), clock=FakeClock()) as first:
        first.project("shop", create=True).remember("x", agent="tank")
    with Hansard.open(target, settings=Settings(user="ana")) as second:
        assert [one.content for one in second.project("shop").list_memories().items] == ["x"]


def test_an_in_memory_store_works_and_keeps_nothing(clock: FakeClock) -> None:
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=clock) as first:
        project = first.project("shop", create=True)
        project.remember("x", agent="tank")
        assert project.verify().ok
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=clock) as second:
        assert second.projects() == ()


def test_a_closed_hansard_says_that_it_is_closed(target: str) -> None:
    opened = Hansard.open(target, settings=Settings(user="ana"))
    project = opened.project("shop", create=True)
    opened.close()
    with pytest.raises(Unavailable, match="closed"):
        project.list_inbox()


def test_names_keep_the_spelling_first_seen(hansard: Hansard) -> None:
    project = hansard.project("shop", create=True)
    project.remember("x", agent="Tank")
    assert project.remember("y", agent="TANK").agent == "Tank"
    assert project.propose(agent="tank ", slug="a", type="scope", content="x").author == "Tank"
    assert [one.name for one in project.list_agents()] == ["ana", "Tank"]


def test_a_folder_cannot_claim_a_repository_that_does_not_name_it_back(hansard: Hansard, tmp_path: Path) -> None:
    victim = repository(tmp_path / "victim")
    hansard.project(create=True, cwd=victim)
    evil = tmp_path / "evil"
    (evil / "fake").mkdir(parents=True)
    (evil / "fake" / "commondir").write_text(f"{victim / '.git'}\n")
    (evil / ".git").write_text("gitdir: fake\n")
    with pytest.raises(UnknownProject):
        hansard.project(cwd=evil)


def test_an_agent_cannot_found_a_project_nor_blame_a_person_for_it(hansard: Hansard, tmp_path: Path) -> None:
    with pytest.raises(Denied):
        hansard.project("evil", create=True, actor=Actor("tank", "agent"))
    assert hansard.projects() == ()


@pytest.mark.parametrize("key", ["p2", "d-3", "42"])
def test_a_project_may_be_called_what_a_slug_may_not(hansard: Hansard, key: str) -> None:
    assert hansard.project(key, create=True).key == key


@invariant("INV-20")
@pytest.mark.parametrize("secret", [fake_secret(), fake_hex_token()])
@pytest.mark.parametrize("given", ["{}", "the {}", "{}-"])
def test_a_secret_in_the_place_of_a_project_is_told_to_nobody(given: str, secret: str, hansard: Hansard) -> None:
    key = given.format(secret)
    # As the key it would be, too: so it comes from settings, and from another machine.
    for one in (key, projects.canonical_key(key)):
        with pytest.raises(UnknownProject) as unknown:
            hansard.project(one)
        assert "[REDACTED:" in unknown.value.message
        assert secret[7:].lower() not in unknown.value.message.lower()
        with pytest.raises(GuardRefused):
            hansard.project(one, create=True)
