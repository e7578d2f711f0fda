"""`hansard sync --commit` that fails, and files of git that `hansard init` cannot or must not change."""

import os
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.workspace.git import EARLIER, LATER, LINES, add_lines, changes
from support.fakes import fake_secret
from support.marks import invariant
from support.repositories import git, repository

DECISIONS = ".squad/decisions.md"
TOKEN = fake_secret(41)


@pytest.fixture
def checkout(cli: Cli, shop: Path, home: Path) -> Path:
    """A repository that is a project with a mirror of which nothing is committed but the decisions."""
    repository(shop)
    (home / ".gitconfig").write_text("[user]\n\tname = ana\n\temail = ana@example.org\n")
    assert cli("init").code == 0
    cli("export")
    git(shop, "add", ".gitattributes", ".gitignore", DECISIONS)
    git(shop, "commit", "--quiet", "--message", "init")
    cli("decisions", "create", "--type", "scope", "--title", "No billing", "--content", "Billing is out.")
    cli("export")
    return shop


def refuse(checkout: Path, says: str) -> None:
    """A hook that lets no commit pass."""
    hook = checkout / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{says}\nexit 1\n")
    hook.chmod(0o755)


@pytest.mark.parametrize("says", ["echo no commits on a Friday", "echo no commits on a Friday >&2"])
def test_a_commit_that_a_hook_refuses_says_why_and_leaves_the_index_as_it_was(
    cli: Cli, checkout: Path, says: str
) -> None:
    (checkout / "main.py").write_text("not ours")
    git(checkout, "add", "main.py")
    refuse(checkout, says)
    before = git(checkout, "status", "--porcelain", "--untracked-files=all")
    ran = cli("sync", "--commit")
    assert ran.code == 1
    assert "no commits on a Friday" in ran.err
    assert git(checkout, "status", "--porcelain", "--untracked-files=all") == before
    (checkout / ".git/hooks/pre-commit").unlink()
    assert cli("sync", "--commit").code == 0
    assert git(checkout, "status", "--porcelain").decode() == "A  main.py\n"


def test_what_somebody_staged_of_the_mirror_is_staged_as_before_after_a_commit_that_fails(
    cli: Cli, checkout: Path
) -> None:
    now = (checkout / DECISIONS).read_bytes()
    (checkout / DECISIONS).write_bytes(b"half of it\n")
    git(checkout, "add", DECISIONS)
    (checkout / DECISIONS).write_bytes(now)
    refuse(checkout, "echo no")
    assert cli("sync", "--commit").code == 1
    assert git(checkout, "show", f":{DECISIONS}") == b"half of it\n"
    assert b".hansard/ledger" not in git(checkout, "ls-files")


def test_a_mirror_in_a_folder_of_the_repository_is_unstaged_too(cli: Cli, checkout: Path) -> None:
    (checkout / "part").mkdir()
    cli("export", "--root", "part")
    git(checkout, "add", f"part/{DECISIONS}")
    before = git(checkout, "ls-files", "--stage")
    refuse(checkout, "echo no")
    assert cli("sync", "--root", "part", "--commit").code == 1
    assert git(checkout, "ls-files", "--stage") == before


@pytest.mark.parametrize("message", ["", " \n"])
def test_a_commit_without_a_message_is_refused_before_anything_is_staged(
    cli: Cli, checkout: Path, message: str
) -> None:
    before = git(checkout, "ls-files", "--stage")
    ran = cli("sync", "--commit", "-m", message)
    assert ran.code == 6
    assert "needs a message" in ran.err
    assert git(checkout, "ls-files", "--stage") == before
    assert cli("sync", "-m", message).code == 0


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_init_says_which_file_of_git_it_left_alone_and_why(cli: Cli, shop: Path, tmp_path: Path, kind: str) -> None:
    repository(shop)
    place = shop / ".gitignore"
    if kind == "link":
        place.symlink_to(tmp_path / "shared")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    ran = cli("init")
    assert ran.code == 0
    reason = "is a link; nothing is read or written through it" if kind == "link" else "is not a plain file"
    assert f"Added no lines for the mirror to .gitignore: .gitignore {reason}" in ran.out
    assert "Added lines for the mirror to .gitattributes: " in ran.out
    assert not (tmp_path / "shared").exists()


def test_init_tells_programs_too_which_file_of_git_it_left_alone(cli: Cli, shop: Path) -> None:
    repository(shop)
    (shop / ".gitattributes").mkdir()
    told = cli("init", "--json").json
    assert (told["git_files"], [one["path"] for one in told["git_files_left"]]) == ([".gitignore"], [".gitattributes"])


def test_init_adds_to_the_lines_of_an_earlier_one_what_they_lack_and_says_so(cli: Cli, shop: Path) -> None:
    place = shop / ".gitignore"
    earlier = EARLIER.decode() + ".hansard/mirror.lock\n.hansard-*.tmp\n*.kept-[0-9]*Z*.md\n"
    place.write_text(f"*.log\n\n{earlier}")
    (shop / ".gitattributes").write_text(LINES[".gitattributes"])
    repository(shop)
    ran = cli("init")
    assert "Added lines for the mirror to .gitignore: commit this file, or remove the lines." in ran.out
    assert place.read_text() == f"*.log\n\n{earlier}\n{LATER.decode()}"
    assert [one.path for one in changes(shop) if one.path.startswith(".git")] == [".gitignore"]
    assert add_lines(shop).added == []


@pytest.mark.parametrize(
    "left",
    [
        LINES[".gitignore"].replace(".squad/identity/now.md\n", ""),
        EARLIER.decode() + LATER.decode().partition("\n")[0] + "\n",
        EARLIER.decode() + ".squad/identity/now.md\n",
    ],
    ids=["removed from ours", "removed from the later lines", "added by hand"],
)
def test_a_line_that_somebody_removed_or_has_is_not_added_again(shop: Path, left: str) -> None:
    (shop / ".gitignore").write_text(left)
    (shop / ".gitattributes").write_text(LINES[".gitattributes"])
    repository(shop)
    assert add_lines(shop).added == []
    assert (shop / ".gitignore").read_text() == left


def test_init_keeps_the_mode_of_a_file_of_git(cli: Cli, shop: Path) -> None:
    repository(shop)
    (shop / ".gitignore").write_text("*.log\n")
    (shop / ".gitignore").chmod(0o600)
    assert cli("init").code == 0
    assert "# Hansard: " in (shop / ".gitignore").read_text()
    assert (shop / ".gitignore").stat().st_mode & 0o777 == 0o600


def test_a_hook_of_another_repository_does_not_lead_the_commit_astray(
    cli: Cli, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_PREFIX", "")
    ran = cli("sync", "--commit")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"):
        monkeypatch.delenv(name)
    assert ran.code == 0
    assert git(checkout, "status", "--porcelain") == b""
    assert b".squad" not in git(other, "ls-files")


def test_a_commit_in_the_middle_of_a_merge_says_what_to_do(cli: Cli, checkout: Path) -> None:
    (checkout / ".git" / "MERGE_HEAD").write_bytes(git(checkout, "rev-parse", "HEAD"))
    ran = cli("sync", "--commit")
    assert ran.code == 1
    assert "A merge is under way in" in ran.err
    assert "finish or abort it, then sync again. [git.failed]" in ran.err


@invariant("INV-20")
def test_the_message_of_a_commit_passes_the_gate(cli: Cli, checkout: Path) -> None:
    ran = cli("sync", "--commit", "-m", f"Deploy with {TOKEN}")
    assert ran.code == 0
    assert "github_token in message" in ran.err
    assert git(checkout, "log", "-1", "--format=%B").decode().strip() == "Deploy with [REDACTED:github_token]"


@invariant("INV-20")
def test_a_file_of_the_mirror_with_a_secret_is_not_committed(cli: Cli, checkout: Path) -> None:
    before = git(checkout, "rev-parse", "HEAD")
    (checkout / DECISIONS).write_text(f"mine\n{TOKEN}\n")
    ran = cli("sync", "--commit")
    assert ran.code == 6
    assert f"{DECISIONS}:2: there is a secret (github_token) in it; nothing was committed." in ran.err
    assert TOKEN not in ran.out + ran.err
    assert git(checkout, "rev-parse", "HEAD") == before
    assert cli("export").code == 0
    assert cli("sync", "--commit").code == 0
    assert TOKEN.encode() not in git(checkout, "log", "-p", "--all")


def test_a_file_of_the_mirror_that_is_gone_is_committed_as_such(cli: Cli, checkout: Path) -> None:
    (checkout / DECISIONS).unlink()
    assert {"path": DECISIONS, "status": "removed"} in cli("sync", "--commit", "--json").json["items"]
