"""The installed command as a process: exit codes, pipes, colours, and trouble with the database."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli

PROGRAM = Path(sys.executable).with_name("hansard")


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        timeout=60,
    )


def test_the_demo_is_realistic_and_can_be_run_twice(shop: Path) -> None:
    first, second = _run("demo"), _run("demo")
    assert first.returncode == second.returncode == 0
    assert "was created" in first.stdout
    assert "is there already" in second.stdout
    assert "## Boundaries and Decisions" in first.stdout
    assert "## Current Session" in second.stdout
    assert _run("history", "verify", "--project", "demo-shop").returncode == 0


def test_no_colour_reaches_a_pipe_or_a_person_who_wants_none(shop: Path) -> None:
    _run("demo")
    for environment in ({}, {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        ran = _run("decisions", "list", "--project", "demo-shop", **environment)
        assert ran.returncode == 0
        assert "\x1b[" not in ran.stdout


def test_a_reader_that_goes_away_is_no_error(shop: Path) -> None:
    _run("demo")
    shell = shutil.which("sh")
    assert shell is not None
    command = f'"{PROGRAM}" history list --project demo-shop --json | head -c 1'
    ran = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True, env=os.environ, timeout=60)
    assert ran.stderr == ""


def test_a_terminal_without_unicode_still_gets_an_answer(shop: Path) -> None:
    _run("demo")
    ran = _run("memory", "list", "--project", "demo-shop", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert ran.returncode == 0
    ran = _run(
        "memory", "record", "Größe", "--agent", "tank", "--project", "demo-shop", "--json", PYTHONIOENCODING="ascii"
    )
    assert ran.returncode == 0
    assert "Gr\\u00f6\\u00dfe" in ran.stdout


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"this is not a database, it is a letter to a friend " * 40, "store.corrupt"),
        (b"SQLite format 3\x00" + b"\x01" * 2000, "store.corrupt"),
    ],
)
def test_a_file_that_is_no_database_is_one_sentence(cli: Cli, tmp_path: Path, content: bytes, code: str) -> None:
    file = tmp_path / "letter.db"
    file.write_bytes(content)
    ran = cli("projects", "--db", str(file))
    assert ran.code == 1
    assert f"[{code}]" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert file.read_bytes() == content


def test_a_folder_in_place_of_a_database_is_one_sentence(cli: Cli, tmp_path: Path) -> None:
    ran = cli("projects", "--db", str(tmp_path))
    assert ran.code == 1
    assert "is a folder" in ran.err


def test_a_server_address_of_an_unknown_kind_is_refused(cli: Cli) -> None:
    ran = cli("projects", "--db", "mysql://host/db")
    assert ran.code == 6


def test_an_unknown_role_is_refused(project_cli: Cli) -> None:
    ran = project_cli("memory", "list", "--role", "wizard")
    assert ran.code == 6
    assert "human, coordinator, agent, service" in ran.err
