"""What the commands about the mirror say: each file once, where to look next, and whom they wait for."""

import fcntl
import os
import threading
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.interfaces.cli import mirror
from support.repositories import git, repository

INBOX = Path(".squad/decisions/inbox")


@pytest.fixture
def checkout(cli: Cli, shop: Path, home: Path) -> Path:
    """A repository with one commit that became a project since."""
    repository(shop)
    (home / ".gitconfig").write_text("[user]\n\tname = ana\n\temail = ana@example.org\n")
    (shop / ".gitignore").write_text("*.log\n")
    git(shop, "add", "--all")
    git(shop, "commit", "--quiet", "--message", "first")
    assert cli("init").code == 0
    return shop


def drop(root: Path, name: str, said: str | None = None) -> None:
    (root / INBOX).mkdir(parents=True, exist_ok=True)
    text = f"---\nagent: beta\nslug: {Path(name).stem}\ntype: scope\n---\n\nDo it.\n" if said is None else said
    (root / INBOX / name).write_text(text)


def test_a_second_import_counts_what_is_known_and_lists_it_on_request(project_cli: Cli, shop: Path) -> None:
    for name in ("a.md", "b.md"):
        drop(shop, name)
    project_cli("import")
    assert project_cli("import").out == "Known already: 2 files of the inbox folder.\n"
    listed = project_cli("import", "--verbose").out.splitlines()
    assert listed[0] == f"Skipped: {INBOX}/a.md: known already as P-1 (a, pending)"
    assert len(listed) == 2
    assert len(project_cli("import", "--json").json["skipped"]) == 2


def test_a_file_that_differs_from_the_record_is_always_named(project_cli: Cli, shop: Path) -> None:
    drop(shop, "a.md")
    project_cli("import")
    drop(shop, "a.md", "---\nagent: beta\nslug: a\ntype: scope\n---\n\nDo more.\n")
    said = f"Skipped: {INBOX}/a.md: differs from P-1 (a, pending); propose the slug again to change it\n"
    assert project_cli("import").out == said


def test_a_bad_file_is_told_once_with_its_line_and_what_to_do(project_cli: Cli, shop: Path) -> None:
    drop(shop, "a.md", "# Hello\n")
    ran = project_cli("import")
    assert ran.code == 1
    [said] = ran.out.splitlines()
    assert said.startswith(f"Skipped: {INBOX}/a.md:1: ")
    assert "; " in said


@pytest.mark.parametrize("start", [("session", "start", "Auth"), ("run", "start", "--agent", "beta")])
def test_the_start_of_work_imports_what_is_new_beside_its_answer(
    project_cli: Cli, shop: Path, start: tuple[str, ...]
) -> None:
    drop(shop, "idea.md")
    drop(shop, "bad.md", "# Hello\n")
    ran = project_cli(*start, "--json")
    assert ran.code == 0
    assert ran.json["id"]
    assert f"Imported: {INBOX}/idea.md as P-1 (idea)" in ran.err
    assert f"Skipped: {INBOX}/bad.md: " in ran.err
    (shop / INBOX / "bad.md").unlink()
    again = project_cli(*start)
    assert (again.code, again.err) == (0, ""), "what is known is no news"


def test_work_starts_in_a_project_without_a_readable_folder(project_cli: Cli, shop: Path) -> None:
    (shop / ".squad").write_text("a file where a folder should be")
    ran = project_cli("session", "start", "Auth")
    assert ran.code == 0
    assert "Skipped: .squad/decisions/inbox: " in ran.err


def test_a_reviewer_sees_which_proposals_came_by_a_file(project_cli: Cli, shop: Path) -> None:
    drop(shop, "idea.md")
    project_cli("inbox", "propose", "said", "--type", "scope", "--content", "C", "--agent", "tank")
    project_cli("import")
    listed = project_cli("inbox", "list", "--json").json["items"]
    assert {one["slug"]: one["origin"] for one in listed} == {"idea": "imported_file", "said": "agent"}
    assert "beta (file)" in project_cli("inbox", "list").out
    assert project_cli("inbox", "show", "idea", "--json").json["origin"] == "imported_file"
    assert "a file that names beta; whoever wrote it" in project_cli("inbox", "show", "idea").out
    assert project_cli("inbox", "show", "said", "--json").json["origin"] == "agent"
    assert "whoever wrote it" not in project_cli("inbox", "show", "said").out


def test_init_imports_what_lies_in_the_inbox_folder(cli: Cli, shop: Path) -> None:
    drop(shop, "idea.md")
    assert f"Imported: {INBOX}/idea.md as P-1 (idea)\n" in cli("init").out
    assert [one["slug"] for one in cli("inbox", "list", "--json").json["items"]] == ["idea"]


def test_init_in_a_folder_of_a_repository_says_that_the_repository_is_taken(cli: Cli, shop: Path) -> None:
    repository(shop)
    (shop / "sub").mkdir()
    ran = cli("init", "--root", "sub")
    assert f"{shop} is now the project" in ran.out
    assert f"{shop / 'sub'} is in the repository of {shop}; a project is a whole repository." in ran.out


def test_sync_has_the_lines_that_init_added_and_commits_them(cli: Cli, checkout: Path) -> None:
    cli("export")
    found = {one["path"]: one["status"] for one in cli("sync", "--json").json["items"]}
    assert (found[".gitattributes"], found[".gitignore"]) == ("new", "changed")
    assert cli("sync", "--commit").code == 0
    assert cli("sync").out == "The mirror is as committed.\n"
    assert b"# Hansard: " in git(checkout, "show", "HEAD:.gitignore")


def test_sync_leaves_a_file_alone_in_which_somebody_else_has_lines_to_commit(cli: Cli, checkout: Path) -> None:
    with (checkout / ".gitignore").open("a") as file:
        file.write("mine\n")
    assert [one["path"] for one in cli("sync", "--json").json["items"]] == [".gitattributes"]
    (checkout / ".gitattributes").write_text("*.md text\n")
    assert cli("sync").out == "The mirror is as committed.\n"


def test_sync_of_a_folder_that_is_gone_says_what_to_do(project_cli: Cli, shop: Path, tmp_path: Path) -> None:
    ran = project_cli("sync", "--root", str(tmp_path / "gone"))
    assert ran.code == 6
    assert "gone is not a folder that can be opened." in ran.err
    shop.rename(tmp_path / "moved")
    ran = project_cli("sync", "--project", "web-shop")
    assert ran.code == 6
    assert f"{shop} is gone. If it was moved, run `hansard init --project web-shop --join` where it is now." in ran.err


def test_export_waits_for_another_one_and_says_so(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_cli("export")
    monkeypatch.setattr(mirror, "SILENT_SECONDS", 0.0)
    handle = os.open(shop / ".hansard/mirror.lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    timer = threading.Timer(0.3, os.close, [handle])
    timer.start()
    ran = project_cli("export", "--json")
    timer.join()
    assert ran.code == 0
    assert ran.err == "Waiting for another export of this folder…\n"
    assert ran.json["root"] == str(shop)


def test_export_does_not_wait_for_ever(project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project_cli("export")
    monkeypatch.setattr(mirror, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(mirror, "WAIT_SECONDS_MAX", 0.0)
    handle = os.open(shop / ".hansard/mirror.lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    ran = project_cli("export")
    os.close(handle)
    assert ran.code != 0
    assert "mirror.busy" in ran.err or "Another process writes the files" in ran.err


def test_a_clone_that_has_to_use_another_number_is_told_so(
    cli: Cli, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("decisions", "create", "--type", "scope", "--title", "Older", "--content", "C")
    cli("export")
    ledger = (checkout / ".hansard/ledger/decisions.jsonl").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    monkeypatch.setenv("HANSARD_DB", str(tmp_path / "mate.db"))
    assert cli("init").code == 0
    cli("decisions", "create", "--type", "scope", "--title", "Newer", "--content", "C")
    (other / ".hansard/ledger").mkdir(parents=True)
    (other / ".hansard/ledger/decisions.jsonl").write_bytes(ledger)
    told = cli("import").out.splitlines()
    assert "D-1 (Newer) is D-2 now: another clone's decision has the number." in told
