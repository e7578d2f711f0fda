"""`hansard memory index`: the table, the JSON, the exit codes, and the watcher without waiting."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.domain.errors import Invalid
from hansard.domain.notes import NotesReport
from hansard.interfaces.cli import notes
from hansard.interfaces.cli.calling import Call
from hansard.workspace.notes import Snapshot
from hansard.workspace.watching import Lookout, Wait
from support.fakes import fake_secret
from support.repositories import repository, work_tree


@pytest.fixture
def own(shop: Path) -> Path:
    """The note folder of tank."""
    folder = shop / ".hansard/notes/tank"
    folder.mkdir(parents=True)
    return folder


def statuses(document: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {one["path"]: one["status"] for one in document["files"]}


def test_notes_are_indexed_shown_and_found(project_cli: Cli, own: Path) -> None:
    (own / "quirks.md").write_text("# Files\n\nstatx lies on overlay mounts.\n")
    (own / "photo.jpg").write_bytes(b"\xff\xd8\0")
    ran = project_cli("memory", "index")
    assert ran.code == 0
    assert "quirks.md" in ran.out
    assert "binary" in ran.out
    assert ran.out.splitlines()[-1] == "2 files: 1 new, 1 skipped."
    (hit,) = project_cli("memory", "search", "overlay mounts", "--agent", "tank", "--json").json["items"]
    assert "overlay" in str(hit)
    assert project_cli("memory", "index").out.splitlines()[-1] == "2 files: 1 unchanged, 1 skipped."


def test_the_report_is_one_json_document(project_cli: Cli, own: Path) -> None:
    (own / "a.md").write_text("About a.")
    ran = project_cli("memory", "index", "--agent", "tank", "--json")
    assert ran.code == 0
    assert ran.json["counts"] == {"new": 1, "changed": 0, "unchanged": 0, "moved": 0, "ended": 0, "skipped": 0}
    assert ran.json["files"] == [
        {
            "path": ".hansard/notes/tank/a.md", "status": "new", "reason": None, "agent": "tank", "scope": "agent",
            "created": 1, "edited": 0, "kept": 0, "ended": 0,
        }
    ]  # fmt: skip


def test_a_project_without_notes_is_told_where_they_go(project_cli: Cli) -> None:
    ran = project_cli("memory", "index")
    assert (ran.code, ran.out) == (0, "No notes. Put some into .hansard/notes/AGENT or .hansard/notes/shared.\n")


def test_a_named_path_is_indexed_for_the_acting_agent(project_cli: Cli, shop: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs/guide.md").write_text("How it is done.")
    ran = project_cli("memory", "index", "docs", "--agent", "tank", "--scope", "team", "--json")
    assert [(one["path"], one["agent"], one["scope"]) for one in ran.json["files"]] == [
        ("docs/guide.md", "tank", "team")
    ]
    assert project_cli("memory", "index", "docs", "--agent", "tank", "--scope", "world").code == 6


def test_a_person_is_asked_once_whose_the_files_are(project_cli: Cli, shop: Path) -> None:
    (shop / "docs").mkdir()
    (shop / "docs/photo.jpg").write_bytes(b"\xff\xd8\0")
    assert statuses(project_cli("memory", "index", "docs", "--json").json) == {"docs/photo.jpg": "skipped"}
    (shop / "docs/guide.md").write_text("How it is done.")
    ran = project_cli("memory", "index", "docs")
    assert (ran.code, ran.out) == (6, "")
    assert "Say whose notes these are: name the agent, or set HANSARD_AGENT." in ran.err
    assert "photo" not in ran.err


def test_a_person_indexes_under_the_name_of_an_agent(project_cli: Cli, shop: Path) -> None:
    (shop / "guide.md").write_text("Deploy on Mondays only.")
    project_cli("memory", "index", "guide.md", "--agent", "bob", "--scope", "team")
    (shop / "guide.md").write_text("Deploy on Tuesdays only.")
    told = project_cli("memory", "index", "guide.md", "--agent", "alice", "--scope", "team")
    assert "kept: indexed by bob" in told.out
    ran = project_cli("memory", "index", "guide.md", "--agent", "alice", "--role", "human", "--scope", "team", "--json")
    assert [(one["status"], one["agent"], one["scope"]) for one in ran.json["files"]] == [("changed", "bob", "team")]


def test_in_a_work_tree_its_own_files_are_indexed_under_the_names_of_the_project(
    cli: Cli, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "docs").mkdir()
    (shop / "docs/guide.md").write_text("How it is done.")
    tree = work_tree(tmp_path / "feature", of=repository(shop))
    assert cli("init").code == 0
    cli("memory", "index", "docs", "--agent", "tank")
    monkeypatch.chdir(tree / "docs")
    (tree / "docs/guide.md").write_text("How it is done now.")
    ran = cli("memory", "index", "guide.md", "--agent", "tank", "--json")
    assert statuses(ran.json) == {"docs/guide.md": "changed"}
    (tree / ".hansard/notes/tank").mkdir(parents=True)
    (tree / ".hansard/notes/tank/a.md").write_text("Learned on the branch.")
    assert statuses(cli("memory", "index", "--json").json) == {".hansard/notes/tank/a.md": "new"}
    monkeypatch.chdir(shop)
    assert statuses(cli("memory", "index", "--json").json) == {}


def test_paths_count_from_where_one_stands_and_names_from_the_root(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "docs/inner").mkdir(parents=True)
    (shop / "docs/inner/guide.md").write_text("How it is done.")
    monkeypatch.chdir(shop / "docs")
    ran = project_cli("memory", "index", "inner", "--agent", "tank", "--json")
    assert statuses(ran.json) == {"docs/inner/guide.md": "new"}


def test_a_missing_path_is_bad_input(project_cli: Cli) -> None:
    ran = project_cli("memory", "index", "nowhere.md", "--agent", "tank", "--json")
    assert ran.code == 6
    assert ran.json["error"]["message"] == "There is no file or folder 'nowhere.md'."


def test_another_agents_note_is_refused_by_its_exit_code(project_cli: Cli, own: Path) -> None:
    (own / "a.md").write_text("tank's own")
    assert project_cli("memory", "index", str(own / "a.md"), "--agent", "neo").code == 5


def test_a_look_indexes_what_changed_and_nothing_else(shop: Path, own: Path) -> None:
    asked: list[tuple[list[str], set[str]]] = []

    def once(paths: Sequence[str], only: object = None) -> NotesReport:
        assert isinstance(only, set)
        asked.append((list(paths), {Path(one).name for one in only}))
        return NotesReport(())

    def look(before: Snapshot) -> Snapshot:
        return notes.poll(before, (), shop, once)[0]

    first = look({})
    assert (first, asked) == ({}, [])
    (own / "a.md").write_text("a")
    (own / "b.md").write_text("b")
    second = look(first)
    (own / "b.md").write_text("longer b")
    third = look(second)
    assert look(third) == third
    (own / "a.md").rename(own / "c.md")
    look(third)
    assert asked == [([], {"a.md", "b.md"}), ([], {"b.md"}), ([], {"c.md"})]
    assert notes.poll(third, ["gone"], shop, once) == ({}, None)


def _waits(steps: Sequence[Callable[[], object]]) -> Wait:
    """A clock that does the next thing instead of waiting, and is interrupted at the end."""
    left: Iterator[Callable[[], object]] = iter(steps)

    def wait(seconds: float) -> bool:
        assert seconds == notes.WATCH_SECONDS
        step = next(left, None)
        if step is None:
            raise KeyboardInterrupt
        step()
        return True

    return wait


def test_the_watcher_follows_files_until_it_is_stopped(
    project_cli: Cli, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own / "a.md").write_text("About zebras and how they stand in line.")
    steps: list[Callable[[], object]] = [
        lambda: (own / "b.md").write_text("About lions."),
        lambda: None,
        lambda: (own / "b.md").write_text("About lions and tigers."),
        lambda: (own / "a.md").rename(own / "z.md"),
        (own / "b.md").unlink,
        lambda: (own / "z.md").write_bytes(b"\0"),
        lambda: (own / "photo.jpg").write_bytes(b"\0"),
    ]
    monkeypatch.setattr(Lookout, "wait", staticmethod(_waits(steps)))
    ran = project_cli("memory", "index", "--watch")
    assert ran.code == 0
    told = [line.split()[1] for line in ran.out.splitlines() if line[2:3] == ":"]
    assert told == ["new", "changed", "moved", "ended", "skipped", "skipped"]
    assert ran.err.splitlines() == ["Watching .hansard/notes; stop with Ctrl-C.", "Stopped watching."]
    assert project_cli("memory", "list", "--json").json["items"] == []


def test_the_watcher_says_each_round_as_one_line_of_json(
    project_cli: Cli, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [lambda: (own / "b.md").write_text("About lions.")]
    monkeypatch.setattr(Lookout, "wait", staticmethod(_waits(steps)))
    ran = project_cli("memory", "index", "--watch", "--json")
    assert (ran.code, ran.err, len(ran.out.splitlines())) == (0, "", 2)


def test_the_watcher_looks_again_after_a_failure_without_news_and_not_otherwise() -> None:
    looks: list[bool] = []
    news = iter([False, True, False, False])

    def look(before: Snapshot) -> tuple[Snapshot, None]:
        looks.append(True)
        if len(looks) == 1:
            raise Invalid("the folder is gone.")
        return before, None

    def wait(_seconds: float) -> bool:
        told = next(news, None)
        if told is None:
            raise KeyboardInterrupt
        return told

    notes._watch(Call({}, as_json=False), {}, look, wait)
    assert len(looks) == 2


def test_the_watcher_goes_on_when_a_look_fails_and_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    def look(_: Snapshot) -> tuple[Snapshot, None]:
        raise Invalid("the folder is gone.")

    notes._watch(Call({}, as_json=False), {}, look, _waits([lambda: None] * 3))
    assert capsys.readouterr().err.splitlines() == ["Not indexed yet: the folder is gone.", "Stopped watching."]


def test_a_file_that_the_guard_refuses_fails_the_command_and_has_its_whole_reason(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_GUARD_SECRETS", "block")
    (shop / "a.md").write_text(f"# Notes\n\nThe token is {fake_secret(93)}.\n", encoding="utf-8")
    (shop / "b.md").write_text("# Notes\n\nThe build uses bazel.\n", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    ran = project_cli("memory", "index", "a.md", "b.md", "--agent", "tank")
    assert ran.code == 1
    assert "1 new, 1 skipped" in ran.out
    assert "…" not in ran.out
    told = project_cli("memory", "index", "a.md", "b.md", "--agent", "tank", "--json")
    assert (told.code, [one["status"] for one in told.json["files"]]) == (1, ["skipped", "unchanged"])
    assert "nothing was written" in told.json["files"][0]["reason"]
