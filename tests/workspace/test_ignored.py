"""What git ignores is ignored here, by the same file: each case is asked of git as well."""

import os
import time
from pathlib import Path

import pytest

from hansard.workspace.ignored import Ignored
from support.repositories import git, repository, work_tree


@pytest.fixture(scope="module")
def one_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Making one for each case would take longer than all the rest."""
    return repository(tmp_path_factory.mktemp("shop"))


def write(top: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(text.encode())


def by_git(top: Path, names: list[str]) -> dict[str, str | None]:
    """The file whose rule has git ignore each of these paths."""
    given = b"".join(os.fsencode(name) + b"\0" for name in names)
    fields = git(top, "check-ignore", "--stdin", "-z", "-v", "-n", given=given, codes=(0, 1)).split(b"\0")
    rows = [[os.fsdecode(one) for one in fields[place : place + 4]] for place in range(0, len(fields) - 1, 4)]
    return {name: source if source and not rule.startswith("!") else None for source, _, rule, name in rows}


def by_us(top: Path, names: list[str]) -> dict[str, str | None]:
    rules = Ignored(top)
    return {name: rules.by(top / name, is_folder=(top / name).is_dir()) for name in names}


def ignores(folder: Path, rules: str, path: str) -> bool:
    write(folder, {".gitignore": rules})
    return Ignored(folder).by(folder / path, is_folder=False) is not None


@pytest.mark.parametrize(
    ("rules", "path", "ignored"),
    [
        ("*.log", "a/b/debug.log", True),
        ("*.log\n!keep.log", "a/keep.log", False),
        ("!keep.log\n*.log", "a/keep.log", True),
        ("build/", "a/build/x.md", True),
        ("build/", "a/build", False),
        ("/top", "a/top", False),
        ("/top", "top/x", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/a/b.md", False),
        ("docs/**/x", "docs/a/b/x", True),
        ("docs/**/x", "docs/x", True),
        ("**/cache", "a/b/cache/c", True),
        ("gen/**", "gen/a/b", True),
        ("gen/**", "gen", False),
        ("# comment\n\n  ", "# comment", False),
        ("\\#real", "#real", True),
        ("\\!real", "!real", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        ("name  ", "name", True),
        ("name\\ ", "name ", True),
        ("name\t", "name", False),
        ("name\r\n", "name", True),
        ("\ufeffname", "name", True),
        ("na\x0bme", "na", False),
        ("?.md", "é.md", False),
        ("??.md", "é.md", True),
        ("[", "[", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[^a-c]x", "dx", True),
        ("[]z]", "]", True),
        ("x[a-]y", "x-y", True),
        ("[z-a]", "m", False),
        ("[[:digit:]x]", "7", True),
        ("[[:bogus:]]", "7", False),
        ("a\\", "a", False),
        ("a//", "a/b", False),
        ("a**b", "axxb", True),
        ("**", "a/b", True),
        ("/", "a", False),
        ("!", "a", False),
    ],
)
def test_one_file_of_rules_is_read_as_git_reads_it(
    one_repository: Path, tmp_path: Path, rules: str, path: str, ignored: bool
) -> None:
    folder = one_repository / tmp_path.name
    write(folder, {path: "x"})
    assert ignores(folder, rules, path) is ignored
    assert (by_git(folder, [path])[path] is not None) is ignored


NESTED = {
    ".git/info/exclude": "private.md\n*.tmp\nexcluded/\n",
    ".gitignore": "*.log\n/build\nsecret*\n!kept.tmp\ndocs/top.md\n",
    "docs/.gitignore": "!debug.log\n*.md\n!read.md\n/only.txt\nsub/deep.txt\n",
    "docs/sub/.gitignore": "read.md\n!private.md\n",
    "build/.gitignore": "!*\n",
    "excluded/.gitignore": "!*\n",
}
NAMES = [
    f"{folder}{name}"
    for folder in ("", "docs/", "docs/sub/", "docs/sub/more/", "build/", "excluded/", "other/")
    for name in (
        "a.md", "read.md", "private.md", "debug.log", "x.tmp", "kept.tmp", "secret.txt", "only.txt", "deep.txt",
        "top.md", "sub/deep.txt",
    )
]  # fmt: skip


def test_a_deeper_file_wins_and_nothing_comes_back_from_an_ignored_folder(tmp_path: Path) -> None:
    top = repository(tmp_path / "shop")
    write(top, dict.fromkeys(NAMES, "x") | NESTED)
    found = by_us(top, NAMES)
    assert found == by_git(top, NAMES)
    assert found["docs/debug.log"] is None
    assert found["docs/sub/read.md"] == "docs/sub/.gitignore"
    assert found["docs/sub/private.md"] is None
    assert found["private.md"] == ".git/info/exclude"
    assert found["build/a.md"] == ".gitignore"
    assert found["excluded/a.md"] == ".git/info/exclude"


def test_folders_are_judged_as_git_judges_them(tmp_path: Path) -> None:
    top = repository(tmp_path / "shop")
    write(top, dict.fromkeys(NAMES, "x") | NESTED)
    folders = ["docs", "docs/sub", "docs/sub/more", "build", "excluded", "build/sub"]
    assert by_us(top, folders) == by_git(top, folders)


def test_a_work_tree_has_what_its_repository_excludes(tmp_path: Path) -> None:
    top = work_tree(tmp_path / "feature", of=repository(tmp_path / "shop"))
    write(tmp_path / "shop", {".git/info/exclude": "private.md\n"})
    names = ["private.md", "docs/private.md", "a.md"]
    write(top, dict.fromkeys(names, "x"))
    ours = by_us(top, names)
    assert [one is not None for one in ours.values()] == [one is not None for one in by_git(top, names).values()]
    assert ours["private.md"] == ".git/info/exclude"


def test_below_a_folder_the_rules_above_it_count_but_do_not_ignore_itself(tmp_path: Path) -> None:
    top = repository(tmp_path / "shop")
    write(top, {".gitignore": "scratch/\n*.log\n", "scratch/a.md": "x", "scratch/a.log": "x"})
    rules = Ignored(top / "scratch")
    assert rules.by(top / "scratch/a.md", is_folder=False) is None
    assert rules.by(top / "scratch/a.log", is_folder=False) == ".gitignore"
    assert rules.by(top / "scratch", is_folder=True) is None
    assert Ignored(top / "scratch", alone=True).by(top / "scratch/a.log", is_folder=False) is None


def test_what_is_no_plain_file_has_no_rules(tmp_path: Path) -> None:
    write(tmp_path, {"rules": "*\n"})
    (tmp_path / ".gitignore").symlink_to(tmp_path / "rules")
    (tmp_path / "docs").mkdir()
    os.mkfifo(tmp_path / "docs/.gitignore")
    assert Ignored(tmp_path).by(tmp_path / "docs/a.md", is_folder=False) is None


def test_hostile_rules_are_answered_at_once(tmp_path: Path) -> None:
    started = time.process_time()
    assert ignores(tmp_path, "/".join(["**", "a"] * 40), "/".join(["a"] * 200) + "/b")
    assert not ignores(tmp_path, "/".join(["**", "a"] * 40) + "/c", "/".join(["a"] * 400) + "/b")
    assert not ignores(tmp_path, "*a" * 100 + "b", "a" * 200)
    # Tried one after the other, the readings of either pattern take longer than anybody lives.
    assert time.process_time() - started < 10
