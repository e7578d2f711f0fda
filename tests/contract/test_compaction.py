"""Compaction for a project: its binding decisions on request, and failures that only people forgive."""

from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.compaction.conversations import read
from hansard.domain.compaction.ladder import Action, State
from hansard.domain.errors import Denied, Invalid
from hansard.project import Project
from hansard.services.compact import Compacted, Wish, compact, data_of, purge, reset, wish
from hansard.settings import Settings
from hansard.workspace.spills import ATTEMPTS
from support.repositories import git, repository, work_tree

SETTINGS = Settings(user="ana", compaction_max_consecutive_failures=2)
FILES = " ".join(f"src/module_number_{number}.py" for number in range(40))
SAID = read(f"User: Constraint: {'never forget this ' * 40}\nSee {FILES}\nTool: " + "line\n" * 400)


def attempted(project: Project, tokens: int = 5, level: int = 3, task: str = "login") -> Compacted:
    return compact(SAID, Wish(tokens, level, task), SETTINGS, seat=project.seat())


@pytest.fixture
def decided(project: Project) -> Project:
    project.decide(type="architectural", title="Use argon2", content="Hash with argon2.\n\n## Not a heading", by="ana")
    project.decide(type="scope", title="No mail", content="No mail", by="ana")
    project.decide(type="technical", title="Four spaces", content="Indent by four.", by="ana")
    old = project.decide(type="scope", title="Old", content="Old rule", by="ana")
    project.archive(old.id, by="ana")
    return project


@pytest.fixture
def rooted(hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = tmp_path / "shop"
    root.mkdir()
    monkeypatch.chdir(root)
    return hansard.project("shop", create=True, root=root)


def test_binding_decisions_join_only_when_they_are_asked_for(decided: Project) -> None:
    seat = decided.seat()
    plain = compact(read("Phase: one"), Wish(0, 0), SETTINGS, seat=seat)
    joined = compact(read("Phase: one"), Wish(0, 0), SETTINGS, seat=seat, with_decisions=True)

    assert "decision" not in plain.parts
    assert joined.parts["decision"] == ("D-1: Use argon2: Hash with argon2. ## Not a heading", "D-2: No mail")


def test_a_task_that_fails_too_often_waits_for_a_person(project: Project) -> None:
    told = [attempted(project) for _ in range(4)]

    assert [(one.state, one.failures) for one in told] == [
        (State.FAILED, 1),
        (State.FAILED, 2),
        (State.WAITING_APPROVAL, 3),
        (State.WAITING_APPROVAL, 3),
    ]
    assert [one.action for one in told[1:3]] == [Action.RETRY, Action.ESCALATE]
    assert told[3].text is None
    assert attempted(project, tokens=10_000).state is State.WAITING_APPROVAL
    assert attempted(project, tokens=10_000, task="other").state is State.COMPLETE


def test_success_in_between_forgets_the_failures(project: Project) -> None:
    attempted(project)
    attempted(project)
    assert attempted(project, tokens=10_000).failures == 0
    assert attempted(project).failures == 1


def test_only_people_let_a_task_try_again(hansard: Hansard, project: Project) -> None:
    for _ in range(3):
        attempted(project)
    for role in ("agent", "coordinator"):
        with pytest.raises(Denied):
            reset(hansard.project("shop", actor=Actor("tank", role=role)).seat(), "login")
    assert attempted(project, tokens=10_000).state is State.WAITING_APPROVAL
    assert reset(project.seat(by="ana"), "login") == 3
    assert attempted(project, tokens=10_000).state is State.COMPLETE


def test_a_spilled_file_stands_in_the_project_and_is_purged_on_request(rooted: Project, tmp_path: Path) -> None:
    done = attempted(rooted, tokens=5, level=5)
    assert done.spilled is not None
    file = tmp_path / "shop" / done.spilled

    assert "never forget this " * 40 in file.read_text().replace("\n", " ")
    assert done.text is not None
    assert done.spilled in done.text
    assert purge(rooted.seat(), "login") == [done.spilled]
    assert not file.exists()


def test_a_spilled_file_stands_in_the_work_tree_that_asked_and_git_does_not_see_it(
    hansard: Hansard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = repository(tmp_path / "shop")
    project = hansard.project("shop", create=True, root=main)
    tree = work_tree(tmp_path / "feature", of=main)
    monkeypatch.chdir(tree)
    done = attempted(project, level=4)
    assert done.spilled is not None

    assert (tree / done.spilled).is_file()
    assert not (main / ".cache").exists()
    assert git(tree, "status", "--porcelain") == b""


def test_a_project_without_a_folder_gives_the_level_below_and_says_why(project: Project) -> None:
    done = attempted(project, level=5)
    below = attempted(project, level=3, task="other")

    assert (done.text, done.level, done.spilled) == (below.text, below.level, None)
    assert done.fault is not None
    assert "no folder on this machine" in done.fault


def test_a_file_that_cannot_be_written_is_a_failure_that_is_counted(rooted: Project, tmp_path: Path) -> None:
    (tmp_path / "shop" / ".cache").write_text("in the way")
    below = attempted(rooted, level=3, task="other")
    told = [attempted(rooted, level=level) for level in (4, 5, 4)]

    assert [(one.state, one.failures) for one in told] == [
        (State.FAILED, 1),
        (State.FAILED, 2),
        (State.WAITING_APPROVAL, 3),
    ]
    assert all(one.text == below.text and one.fault and one.spilled is None for one in told)


def test_a_count_that_is_damaged_is_mended_by_a_reset(project: Project) -> None:
    attempted(project, task="other")
    place = data_of(project.seat()) / ATTEMPTS
    place.write_text('{"failures": {"login": Infinity, "other": 1}}')

    with pytest.raises(Invalid, match="--reset"):
        attempted(project)
    assert reset(project.seat(by="ana"), "login") == 0
    assert (attempted(project).failures, attempted(project, task="other").failures) == (1, 2)


def test_without_a_task_no_file_is_written_whatever_the_settings_say() -> None:
    every_level = Settings(compaction_level_max=5)

    assert wish(every_level, tokens_target=None, level_max=None, task=None) == Wish(4_000, 3)
    assert wish(every_level, tokens_target=7, level_max=None, task="a") == Wish(7, 5, "a")
    with pytest.raises(Invalid, match="name the task"):
        wish(every_level, tokens_target=None, level_max=4, task=None)


def test_a_task_needs_a_project_to_be_counted_in() -> None:
    with pytest.raises(Invalid, match="belongs to a project"):
        compact(SAID, Wish(0, 3, "login"), SETTINGS)
