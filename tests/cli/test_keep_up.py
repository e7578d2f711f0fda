"""The command line and the automatic export: a command that writes is followed by the files, one that reads is not."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.interfaces.cli import keep_up
from support.mirrors import exporters, until

PROGRAM = Path(sys.executable).with_name("hansard")


@pytest.fixture
def followed(project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "on")
    yield shop
    until(lambda: not exporters(shop), "every exporter ends")


def _run(*arguments: str) -> None:
    ran = subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr


def _propose(slug: str) -> None:
    _run("inbox", "propose", slug, "--type", "scope", "--content", "Yes.", "--agent", "tank")


def test_a_command_that_writes_ends_with_the_files_in_step_soon(followed: Path, project_cli: Cli) -> None:
    _propose("first")
    until((followed / ".squad/decisions/inbox/first.md").exists, "the file is there")
    _run("inbox", "merge", "first")
    boundaries = followed / ".agentweaver/context/boundaries.md"
    until(lambda: "Yes." in boundaries.read_text(), "the boundary is in the files")
    until(lambda: not exporters(followed), "every exporter ends")
    found = project_cli("doctor", "--json").json
    assert [one["severity"] for one in found["items"] if one["check"] == "mirror"] == ["ok"]


def test_a_folder_with_modules_of_its_own_does_not_lead_the_exporter_astray(followed: Path) -> None:
    for name in ("json", "hansard", "apsw"):
        (followed / f"{name}.py").write_text("raise SystemExit(9)\n")
    _propose("first")
    until((followed / ".squad/decisions/inbox/first.md").exists, "the file is there")


def test_a_command_that_reads_starts_nothing_even_if_the_files_are_behind(
    followed: Path, project_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "off")
    _propose("first")
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "on")
    for command in (["decisions", "list"], ["inbox", "list"], ["context", "--agent", "tank"], ["doctor"]):
        assert project_cli(*command).code == 0
        assert exporters(followed) == []
    assert not (followed / ".squad").exists()


def test_the_exporter_says_what_went_wrong(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _propose("first")
    (shop / ".squad" / "decisions.md").mkdir(parents=True)
    monkeypatch.setenv("HANSARD_PROJECT", "web-shop")
    assert keep_up.main(str(shop)) == 1
    assert "Error: .squad/decisions.md: " in capsys.readouterr().err
    assert project_cli("doctor").code == 1
    (shop / ".squad" / "decisions.md").rmdir()
    assert keep_up.main(str(shop)) == 0
    assert project_cli("doctor").code == 0
    monkeypatch.setenv("HANSARD_PROJECT", "nobodys")
    assert keep_up.main(str(shop)) == 1
    assert "There is no project 'nobodys'" in capsys.readouterr().err
